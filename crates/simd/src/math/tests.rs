//! Every function against double precision, on every instruction set of this machine.

use super::*;
use crate::{Isa, Kernel};

/// Applies a function of one operand on an instruction set.
struct Apply<'a, F>(&'a [f32], &'a mut Vec<f32>, F);

trait Function: Copy {
    fn call<A: Arch>(self, x: f32) -> f32;

    #[inline(always)]
    fn call_all<A: Arch>(self, x: &[f32], y: &mut Vec<f32>) {
        y.extend(x.iter().map(|&x| self.call::<A>(x)));
    }
}

impl<F: Function> Kernel for Apply<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<A: Arch>(self) {
        self.2.call_all::<A>(self.0, self.1);
    }
}

macro_rules! function {
    ($name:ident, $f:ident) => {
        #[derive(Clone, Copy)]
        struct $name;
        impl Function for $name {
            #[inline(always)]
            fn call<A: Arch>(self, x: f32) -> f32 {
                $f::<A>(x)
            }
        }
    };
}

/// The same for functions of slices: of all lengths up to two vectors, to try their ends.
macro_rules! slices {
    ($name:ident, $one:ident, $arch:ident, |$x:ident, $y:ident| $each:expr) => {
        #[derive(Clone, Copy)]
        struct $name;
        impl Function for $name {
            #[inline(always)]
            fn call<A: Arch>(self, x: f32) -> f32 {
                $one::<A>(x)
            }

            #[inline(always)]
            fn call_all<$arch: Arch>(self, x: &[f32], y: &mut Vec<f32>) {
                y.resize(x.len(), 0.0);
                let (mut start, mut len) = (0, 0);
                while start < x.len() {
                    len = (len + 1) % 33;
                    let end = x.len().min(start + len);
                    let ($x, $y) = (&x[start..end], &mut y[start..end]);
                    $each;
                    start = end;
                }
            }
        }
    };
}

slices!(ExpEach, exp, A, |x, y| exp_each::<A>(x, y));
slices!(TanhEach, tanh, A, |x, y| tanh_each::<A>(x, y));
slices!(SigmoidEach, sigmoid, A, |x, y| sigmoid_each::<A>(x, y));
slices!(SiluEach, silu, A, |x, y| silu_each::<A>(x, y));
slices!(SiluInPlace, silu, A, |x, y| {
    y.copy_from_slice(x);
    silu_in_place::<A>(y);
});
slices!(ExpBelow, exp, A, |x, y| {
    y.copy_from_slice(x);
    exp_below_in_place::<A>(y, 0.0);
});
function!(Exp, exp);
function!(Exp2, exp2);
function!(Log, log);
function!(Log2, log2);
function!(Tanh, tanh);
function!(Sigmoid, sigmoid);
function!(Silu, silu);
function!(GeluTanh, gelu_tanh);
function!(Gelu, gelu);
function!(Erf, erf);
function!(Sin, sin);
function!(Cos, cos);
function!(Tan, tan);
function!(Asin, asin);
function!(Acos, acos);
function!(Atan, atan);
function!(Expm1, expm1);
function!(Log1p, log1p);
function!(Log10, log10);
function!(Sinh, sinh);
function!(Cosh, cosh);
function!(Asinh, asinh);
function!(Acosh, acosh);
function!(Atanh, atanh);

/// Bit patterns of all sizes and signs, and a dense sweep near zero.
fn arguments() -> Vec<f32> {
    let bits = (0..=u32::MAX).step_by(9_973).map(f32::from_bits);
    let dense = (-200_000..200_000).map(|i| i as f32 * 1e-4);
    let special = [0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MIN_POSITIVE, 1e-45];
    bits.chain(dense).chain(special).collect()
}

/// The distance in units of the last place of the true result.
fn ulps(found: f32, wanted: f64) -> f64 {
    let nearest = wanted as f32;
    if found == nearest || found.is_nan() && nearest.is_nan() {
        return 0.0;
    }
    if !found.is_finite() || !nearest.is_finite() {
        // The other side of the edge of what a single holds is near; anything else is not.
        let edge = wanted.abs() > f64::from(f32::MAX) * (1.0 - 1e-6) && !found.is_nan();
        return if edge && found.is_sign_positive() == (wanted > 0.0) {
            1.0
        } else {
            f64::INFINITY
        };
    }
    let exponent = nearest.abs().max(1e-36).log2().floor();
    (f64::from(found) - wanted).abs() / f64::from(exponent - 23.0).exp2()
}

fn check<F: Function>(
    name: &str,
    f: F,
    bound: f64,
    truth: impl Fn(f64) -> f64,
    fits: impl Fn(f32) -> bool,
) {
    let arguments: Vec<f32> = arguments().into_iter().filter(|&x| fits(x)).collect();
    for isa in Isa::here() {
        let mut found = Vec::new();
        isa.run(Apply(&arguments, &mut found, f));
        let (mut worst, mut at) = (0.0, 0.0);
        for (&x, &y) in arguments.iter().zip(&found) {
            let off = ulps(y, truth(f64::from(x)));
            if off > worst {
                (worst, at) = (off, x);
            }
        }
        println!("{name} on {isa}: {worst:.2} ulp at {at:e}");
        assert!(worst <= bound, "{name} on {isa}: {worst} ulp at {at:e}");
    }
}

fn everywhere(_: f32) -> bool {
    true
}

fn true_sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

#[test]
fn exponentials() {
    check("exp", Exp, 1.0, f64::exp, everywhere);
    check("exp_each", ExpEach, 1.0, f64::exp, everywhere);
    check("exp_below_in_place", ExpBelow, 1.0, f64::exp, everywhere);
    check("exp2", Exp2, 1.0, f64::exp2, everywhere);
}

#[test]
fn logarithms() {
    check("log", Log, 1.0, f64::ln, everywhere);
    check("log2", Log2, 2.0, f64::log2, everywhere);
}

#[test]
fn activations() {
    check("tanh", Tanh, 3.0, f64::tanh, everywhere);
    check("tanh_each", TanhEach, 3.0, f64::tanh, everywhere);
    check("sigmoid", Sigmoid, 3.0, true_sigmoid, everywhere);
    check("sigmoid_each", SigmoidEach, 3.0, true_sigmoid, everywhere);
    let zero = |x: f64, y: f64| if x == f64::NEG_INFINITY { -0.0 } else { y };
    let silu = |x: f64| zero(x, x * true_sigmoid(x));
    check("silu", Silu, 4.0, silu, everywhere);
    check("silu_each", SiluEach, 4.0, silu, everywhere);
    check("silu_in_place", SiluInPlace, 4.0, silu, everywhere);
    let gelu = |x: f64| {
        let inner = (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x * x * x);
        zero(x, x * true_sigmoid(2.0 * inner))
    };
    check("gelu_tanh", GeluTanh, 4.0, gelu, everywhere);
}

#[test]
fn errors() {
    check("erf", Erf, 3.0, libm::erf, everywhere);
    let gelu = |x: f64| match x {
        f64::NEG_INFINITY => -0.0,
        x => 0.5 * x * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2),
    };
    check("gelu", Gelu, 6.0, gelu, everywhere);
}

#[test]
fn angles() {
    let fits = |x: f32| x.abs() <= MAX_ANGLE || x.is_nan();
    check("sin", Sin, 2.0, f64::sin, fits);
    check("cos", Cos, 2.0, f64::cos, fits);
    check("tan", Tan, 4.0, f64::tan, fits);
}

#[test]
fn inverses_of_angles() {
    check("asin", Asin, 4.0, f64::asin, everywhere);
    check("acos", Acos, 4.0, f64::acos, everywhere);
    check("atan", Atan, 3.0, f64::atan, everywhere);
}

#[test]
fn near_one() {
    check("expm1", Expm1, 3.0, f64::exp_m1, everywhere);
    check("log1p", Log1p, 3.0, f64::ln_1p, everywhere);
    check("log10", Log10, 1.0, f64::log10, everywhere);
    let powers = (-45..=38).map(|n| 10f64.powi(n) as f32);
    assert!(powers.clone().all(|x| ulps(log10_here(x), f64::from(x).log10()) <= 0.0));
}

fn log10_here(x: f32) -> f32 {
    let mut found = Vec::new();
    Isa::best().run(Apply(&[x], &mut found, Log10));
    found[0]
}

#[test]
fn hyperbolic() {
    check("sinh", Sinh, 4.0, f64::sinh, everywhere);
    check("cosh", Cosh, 4.0, f64::cosh, everywhere);
    check("asinh", Asinh, 4.0, f64::asinh, everywhere);
    check("acosh", Acosh, 4.0, f64::acosh, everywhere);
    check("atanh", Atanh, 4.0, f64::atanh, everywhere);
}

#[test]
fn neighbours() {
    let next = [
        (1.0f32, 2.0f32),
        (1.0, -2.0),
        (-1.0, 0.0),
        (f32::MAX, f32::INFINITY),
        (f32::INFINITY, 0.0),
    ];
    let wanted = [
        1.0 + f32::EPSILON,
        1.0 - f32::EPSILON / 2.0,
        -1.0 + f32::EPSILON / 2.0,
        f32::INFINITY,
        f32::MAX,
    ];
    assert_eq!(next.map(|(x, y)| nextafter(x, y)), wanted);
    assert_eq!(nextafter(0.0, -1.0).to_bits(), 0x8000_0001);
    assert_eq!(nextafter(0.0, -0.0).to_bits(), 0x8000_0000);
    assert!(nextafter(f32::NAN, 1.0).is_nan() && nextafter(1.0, f32::NAN).is_nan());
    assert_eq!((hypot(3e38, 4.0), hypot(-3.0, 4.0)), (3e38, 5.0));
    assert_eq!(hypot(f32::NAN, f32::NEG_INFINITY), f32::INFINITY);
}

#[test]
fn two_operands() {
    let special = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        2.0,
        -2.0,
        3.0,
        -3.0,
        1e-40,
        1e38,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        16_777_216.0,
        -16_777_215.0,
    ];
    let some = (0..=u32::MAX).step_by(7_919_993).map(f32::from_bits);
    let small = (-40..40).map(|i| i as f32 * 0.37);
    let values: Vec<f32> = special.into_iter().chain(some).chain(small).collect();
    struct Atan2<'a>(&'a [(f32, f32)]);
    impl Kernel for Atan2<'_> {
        type Output = Vec<f32>;
        #[inline(always)]
        fn run<A: Arch>(self) -> Vec<f32> {
            self.0.iter().map(|&(y, x)| atan2::<A>(y, x)).collect()
        }
    }
    let pairs: Vec<(f32, f32)> =
        values.iter().flat_map(|&a| values.iter().map(move |&b| (a, b))).collect();
    for isa in Isa::here() {
        for (&(y, x), found) in pairs.iter().zip(isa.run(Atan2(&pairs))) {
            let wanted = f64::from(y).atan2(f64::from(x));
            assert!(ulps(found, wanted) <= 3.0, "atan2({y:e}, {x:e}) = {found:e}, not {wanted:e}");
        }
    }
    for (a, b) in pairs {
        let wanted = f64::from(a).powf(f64::from(b));
        let found = pow(a, b);
        assert!(ulps(found, wanted) <= 1.0, "{a:e} ^ {b:e} = {found:e}, not {wanted:e}");
        if (a / b).abs() <= MAX_QUOTIENT {
            assert!(ulps(rem(a, b), f64::from(a % b)) == 0.0, "{a:e} % {b:e} = {:e}", rem(a, b));
        }
        let nan = a.is_nan() || b.is_nan();
        assert!(if nan { min(a, b).is_nan() && max(a, b).is_nan() } else { min(a, b) == a.min(b) });
    }
}
