//! Conversions between the types of registers.

use super::{Lane, Map1, Op1, run1};
use crate::Type;
use bessemer_simd::{Arch, Isa};
use std::marker::PhantomData;

/// `d = a` as another type. Integers of the other sign, and a type to itself, need none.
pub(in crate::cpu) fn convert(isa: Isa, from: Type, to: Type, d: &mut [u32], a: &[u32]) {
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
