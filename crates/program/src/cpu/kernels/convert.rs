//! Conversions between the types of registers.

use super::{Lane, Map1, Op1, run1};
use crate::Type;
use bessemer_simd::{Arch, Isa};
use std::marker::PhantomData;

/// `d = a` as another type, both of 32 bits. Integers of the other sign, and a type to itself, need
/// none.
pub(in crate::cpu) fn narrow(isa: Isa, (from, to): (Type, Type), d: &mut [u32], a: &[u32]) {
    match (from, to) {
        (Type::F32, Type::I32) => run1!(isa, d, a, |x: f32| -> i32 { x as i32 }),
        (Type::F32, Type::U32) => run1!(isa, d, a, |x: f32| -> u32 { x as u32 }),
        (Type::F32, Type::Bool) => run1!(isa, d, a, |x: f32| -> bool { x != 0.0 }),
        (Type::I32, Type::F32) => run1!(isa, d, a, |x: i32| -> f32 { x as f32 }),
        (Type::U32, Type::F32) => run1!(isa, d, a, |x: u32| -> f32 { x as f32 }),
        (Type::Bool, Type::F32) => {
            run1!(isa, d, a, |x: bool| -> f32 { if x { 1.0 } else { 0.0 } })
        }
        (Type::Bool, _) => run1!(isa, d, a, |x: u32| -> u32 { x & 1 }),
        (_, Type::Bool) => run1!(isa, d, a, |x: u32| -> bool { x != 0 }),
        _ => d.copy_from_slice(a),
    }
}

/// The same from 32 bits to 64.
pub(in crate::cpu) fn widen(isa: Isa, (from, to): (Type, Type), d: &mut [u64], a: &[u32]) {
    match (from, to) {
        (Type::F32, Type::F64) => run1!(isa, d, a, |x: f32| -> f64 { f64::from(x) }),
        (Type::F32, Type::I64) => run1!(isa, d, a, |x: f32| -> i64 { x as i64 }),
        (Type::F32, _) => run1!(isa, d, a, |x: f32| -> u64 { x as u64 }),
        (Type::I32, Type::F64) => run1!(isa, d, a, |x: i32| -> f64 { f64::from(x) }),
        (Type::I32, _) => run1!(isa, d, a, |x: i32| -> i64 { i64::from(x) }),
        (Type::U32, Type::F64) => run1!(isa, d, a, |x: u32| -> f64 { f64::from(x) }),
        (Type::U32, _) => run1!(isa, d, a, |x: u32| -> u64 { u64::from(x) }),
        (_, Type::F64) => run1!(isa, d, a, |x: bool| -> f64 { if x { 1.0 } else { 0.0 } }),
        _ => run1!(isa, d, a, |x: bool| -> u64 { u64::from(x) }),
    }
}

/// The same from 64 bits to 32.
pub(in crate::cpu) fn shorten(isa: Isa, (from, to): (Type, Type), d: &mut [u32], a: &[u64]) {
    match (from, to) {
        (Type::F64, Type::F32) => run1!(isa, d, a, |x: f64| -> f32 { x as f32 }),
        (Type::F64, Type::I32) => run1!(isa, d, a, |x: f64| -> i32 { x as i32 }),
        (Type::F64, Type::U32) => run1!(isa, d, a, |x: f64| -> u32 { x as u32 }),
        (Type::F64, _) => run1!(isa, d, a, |x: f64| -> bool { x != 0.0 }),
        (Type::I64, Type::F32) => run1!(isa, d, a, |x: i64| -> f32 { x as f32 }),
        (Type::U64, Type::F32) => run1!(isa, d, a, |x: u64| -> f32 { x as f32 }),
        (_, Type::Bool) => run1!(isa, d, a, |x: u64| -> bool { x != 0 }),
        _ => run1!(isa, d, a, |x: u64| -> u32 { x as u32 }),
    }
}

/// The same between types of 64 bits.
pub(in crate::cpu) fn wide(isa: Isa, (from, to): (Type, Type), d: &mut [u64], a: &[u64]) {
    match (from, to) {
        (Type::F64, Type::I64) => run1!(isa, d, a, |x: f64| -> i64 { x as i64 }),
        (Type::F64, Type::U64) => run1!(isa, d, a, |x: f64| -> u64 { x as u64 }),
        (Type::I64, Type::F64) => run1!(isa, d, a, |x: i64| -> f64 { x as f64 }),
        (Type::U64, Type::F64) => run1!(isa, d, a, |x: u64| -> f64 { x as f64 }),
        _ => d.copy_from_slice(a),
    }
}
