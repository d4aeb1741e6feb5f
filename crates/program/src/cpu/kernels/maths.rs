//! Functions of one operand.

use super::{Lane, Map1, Op1, run1};
use crate::{Type, Unary};
use bessemer_simd::{Arch, Isa, Kernel, math};
use std::marker::PhantomData;

/// Runs a function of whole slices.
macro_rules! each {
    ($isa:expr, $d:expr, $a:expr, $function:ident) => {{
        struct Each<'a>(&'a mut [u32], &'a [u32]);
        impl Kernel for Each<'_> {
            type Output = ();

            #[inline(always)]
            fn run<A: Arch>(self) {
                math::$function::<A>(floats(self.1), floats_mut(self.0));
            }
        }
        $isa.run(Each($d, $a))
    }};
}

/// `d = op(a)` on lanes of type `ty`.
pub(in crate::cpu) fn unary(isa: Isa, op: Unary, ty: Type, d: &mut [u32], a: &[u32]) {
    if let Some(of_any_angle) = trigonometry(op)
        && isa.run(AnyBeyond(a, math::MAX_ANGLE))
    {
        for (d, a) in d.iter_mut().zip(a) {
            *d = (of_any_angle(f64::from(f32::from_bits(*a))) as f32).to_bits();
        }
        return;
    }
    match (op, ty) {
        (Unary::Neg, Type::I32) => run1!(isa, d, a, |x: i32| -> i32 { x.wrapping_neg() }),
        (Unary::Abs, Type::I32) => run1!(isa, d, a, |x: i32| -> i32 { x.wrapping_abs() }),
        (Unary::Sign, Type::I32) => run1!(isa, d, a, |x: i32| -> i32 { x.signum() }),
        (Unary::Not, _) => run1!(isa, d, a, |x: u32| -> u32 { !x }),
        (Unary::Neg, _) => run1!(isa, d, a, |x: f32| -> f32 { -x }),
        (Unary::Abs, _) => run1!(isa, d, a, |x: f32| -> f32 { x.abs() }),
        (Unary::Sign, _) => run1!(isa, d, a, |x: f32| -> f32 { math::sign(x) }),
        (Unary::Sqrt, _) => run1!(isa, d, a, |x: f32| -> f32 { x.sqrt() }),
        (Unary::Rsqrt, _) => run1!(isa, d, a, |x: f32| -> f32 { 1.0 / x.sqrt() }),
        (Unary::Recip, _) => run1!(isa, d, a, |x: f32| -> f32 { 1.0 / x }),
        (Unary::Exp, _) => each!(isa, d, a, exp_each),
        (Unary::Exp2, _) => run1!(isa, d, a, |x: f32| -> f32 { math::exp2::<A>(x) }),
        (Unary::Log, _) => run1!(isa, d, a, |x: f32| -> f32 { math::log::<A>(x) }),
        (Unary::Log2, _) => run1!(isa, d, a, |x: f32| -> f32 { math::log2::<A>(x) }),
        (Unary::Sin, _) => run1!(isa, d, a, |x: f32| -> f32 { math::sin::<A>(x) }),
        (Unary::Cos, _) => run1!(isa, d, a, |x: f32| -> f32 { math::cos::<A>(x) }),
        (Unary::Tan, _) => run1!(isa, d, a, |x: f32| -> f32 { math::tan::<A>(x) }),
        (Unary::Tanh, _) => each!(isa, d, a, tanh_each),
        (Unary::Asin, _) => run1!(isa, d, a, |x: f32| -> f32 { math::asin::<A>(x) }),
        (Unary::Acos, _) => run1!(isa, d, a, |x: f32| -> f32 { math::acos::<A>(x) }),
        (Unary::Atan, _) => run1!(isa, d, a, |x: f32| -> f32 { math::atan::<A>(x) }),
        (Unary::Sinh, _) => run1!(isa, d, a, |x: f32| -> f32 { math::sinh::<A>(x) }),
        (Unary::Cosh, _) => run1!(isa, d, a, |x: f32| -> f32 { math::cosh::<A>(x) }),
        (Unary::Asinh, _) => run1!(isa, d, a, |x: f32| -> f32 { math::asinh::<A>(x) }),
        (Unary::Acosh, _) => run1!(isa, d, a, |x: f32| -> f32 { math::acosh::<A>(x) }),
        (Unary::Atanh, _) => run1!(isa, d, a, |x: f32| -> f32 { math::atanh::<A>(x) }),
        (Unary::Expm1, _) => run1!(isa, d, a, |x: f32| -> f32 { math::expm1::<A>(x) }),
        (Unary::Log1p, _) => run1!(isa, d, a, |x: f32| -> f32 { math::log1p::<A>(x) }),
        (Unary::Log10, _) => run1!(isa, d, a, |x: f32| -> f32 { math::log10::<A>(x) }),
        (Unary::Sigmoid, _) => each!(isa, d, a, sigmoid_each),
        (Unary::Silu, _) => each!(isa, d, a, silu_each),
        (Unary::Gelu, _) => run1!(isa, d, a, |x: f32| -> f32 { math::gelu::<A>(x) }),
        (Unary::GeluTanh, _) => run1!(isa, d, a, |x: f32| -> f32 { math::gelu_tanh::<A>(x) }),
        (Unary::Erf, _) => run1!(isa, d, a, |x: f32| -> f32 { math::erf::<A>(x) }),
        (Unary::Floor, _) => run1!(isa, d, a, |x: f32| -> f32 { x.floor() }),
        (Unary::Ceil, _) => run1!(isa, d, a, |x: f32| -> f32 { x.ceil() }),
        (Unary::Round, _) => run1!(isa, d, a, |x: f32| -> f32 { x.round_ties_even() }),
        (Unary::Trunc, _) => run1!(isa, d, a, |x: f32| -> f32 { x.trunc() }),
    }
}

/// Lanes as the floats they are the bits of.
#[inline(always)]
fn floats(lanes: &[u32]) -> &[f32] {
    // SAFETY: every 32 bits are a float, of the same size and alignment.
    unsafe { &*(std::ptr::from_ref(lanes) as *const [f32]) }
}

/// The same to write to.
#[inline(always)]
fn floats_mut(lanes: &mut [u32]) -> &mut [f32] {
    // SAFETY: as above, and every float is 32 bits.
    unsafe { &mut *(std::ptr::from_mut(lanes) as *mut [f32]) }
}

/// The functions whose fast code does not take every angle.
fn trigonometry(op: Unary) -> Option<fn(f64) -> f64> {
    match op {
        Unary::Sin => Some(f64::sin),
        Unary::Cos => Some(f64::cos),
        Unary::Tan => Some(f64::tan),
        _ => None,
    }
}

/// Whether any lane is a float further from zero than this.
struct AnyBeyond<'a>(&'a [u32], f32);

impl Kernel for AnyBeyond<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<A: Arch>(self) -> bool {
        let far = |&bits: &u32| f32::from_bits(bits).abs() > self.1;
        self.0.iter().fold(false, |any, bits| any | far(bits))
    }
}
