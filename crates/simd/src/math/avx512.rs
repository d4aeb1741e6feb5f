//! Sixteen results at a time, with what only AVX-512 has: scaling by powers of two in one
//! instruction, tables of 32 numbers in two registers, and quick reciprocals.

use std::arch::x86_64::*;

// Every function is sound for the same reason: it is only called from code generic over an `Arch`
// whose `ISA` is AVX-512, which is only reached through `Isa::run`.

/// Adding this to a small number rounds it to a whole one, in the low bits of the sum.
const ROUND: f32 = 12_582_912.0; // 1.5 * 2^23

#[inline(always)]
fn all(value: f32) -> __m512 {
    // SAFETY: see above.
    unsafe { _mm512_set1_ps(value) }
}

/// e to the power `x`, within 1 ulp.
#[inline(always)]
fn exp(x: __m512) -> __m512 {
    // SAFETY: see above.
    unsafe {
        // What no number is small enough for is not computed: underflow takes a hundred cycles.
        let something = _mm512_cmp_ps_mask::<_CMP_NLT_UQ>(x, all(-104.0));
        // NaN as the second operand stays.
        let x = _mm512_min_ps(all(89.0), _mm512_max_ps(all(-104.0), x));
        let n = _mm512_fmadd_ps(x, all(std::f32::consts::LOG2_E), all(ROUND));
        let n = _mm512_sub_ps(n, all(ROUND));
        let r = _mm512_fnmadd_ps(n, all(0.693_359_4), x);
        let r = _mm512_fnmadd_ps(n, all(-2.121_944_4e-4), r);
        let mut p = all(0.001_381_459_9);
        for c in [0.008_368_717, 0.041_668_39, 0.166_665_21, 0.499_999_94] {
            p = _mm512_fmadd_ps(p, r, all(c));
        }
        let exp_m1 = _mm512_fmadd_ps(_mm512_mul_ps(r, r), p, r);
        _mm512_maskz_scalef_ps(something, _mm512_add_ps(exp_m1, all(1.0)), n)
    }
}

/// `1 / (1 + exp(-x))`, within 3 ulp.
#[inline(always)]
fn sigmoid(x: __m512) -> __m512 {
    // SAFETY: see above.
    unsafe {
        let sign = _mm512_set1_epi32(i32::MIN);
        let bits = _mm512_castps_si512(x);
        let e = exp(_mm512_castsi512_ps(_mm512_or_si512(bits, sign)));
        // A first guess of 14 bits, made better once.
        let sum = _mm512_add_ps(e, all(1.0));
        let guess = _mm512_rcp14_ps(sum);
        let above = _mm512_fmadd_ps(_mm512_fnmadd_ps(sum, guess, all(1.0)), guess, guess);
        _mm512_mask_mul_ps(above, _mm512_movepi32_mask(bits), above, e)
    }
}

/// `x * sigmoid(x)`, within 4 ulp.
#[inline(always)]
fn silu(x: __m512) -> __m512 {
    // SAFETY: see above.
    unsafe {
        let y = _mm512_mul_ps(x, sigmoid(x));
        let lowest = _mm512_cmp_ps_mask::<_CMP_EQ_OQ>(x, all(f32::NEG_INFINITY));
        _mm512_mask_mov_ps(y, lowest, all(-0.0))
    }
}

/// The hyperbolic tangent, within 3 ulp.
#[inline(always)]
fn tanh(x: __m512) -> __m512 {
    // SAFETY: see above; the table has 32 numbers in each row.
    unsafe {
        // NaN as the second operand stays.
        let a = _mm512_min_ps(all(LAST), _mm512_abs_ps(x));
        let shifted = _mm512_fmadd_ps(a, all(1.0 / STEP), all(ROUND));
        let t = _mm512_fnmadd_ps(_mm512_sub_ps(shifted, all(ROUND)), all(STEP), a);
        // Only the low five bits are looked at.
        let nth = _mm512_castps_si512(shifted);
        let mut y = coefficient(&TANH[5], nth);
        for row in TANH[..5].iter().rev() {
            y = _mm512_fmadd_ps(y, t, coefficient(row, nth));
        }
        // The magnitude of `y` with the sign of `x`.
        let (y, x) = (_mm512_castps_si512(y), _mm512_castps_si512(x));
        let sign = _mm512_set1_epi32(i32::MIN);
        _mm512_castsi512_ps(_mm512_ternarylogic_epi32::<0xd8>(y, x, sign))
    }
}

/// A coefficient for each of sixteen intervals, of which the low five bits say which.
#[inline(always)]
fn coefficient(row: &[f32; 32], nth: __m512i) -> __m512 {
    // SAFETY: see above; 16 numbers are at either place.
    unsafe {
        let first = row.as_ptr();
        _mm512_permutex2var_ps(_mm512_loadu_ps(first), nth, _mm512_loadu_ps(first.add(16)))
    }
}

/// A function of sixteen numbers. Not a closure: those are not compiled with the instructions of
/// the code they are in.
pub(super) trait Function: Copy {
    fn of(self, x: __m512) -> __m512;
}

macro_rules! functions {
    ($($name:ident: $function:ident,)*) => {$(
        #[derive(Clone, Copy)]
        pub(super) struct $name;

        impl Function for $name {
            #[inline(always)]
            fn of(self, x: __m512) -> __m512 {
                $function(x)
            }
        }
    )*};
}

functions! {
    Exp: exp,
    Sigmoid: sigmoid,
    Silu: silu,
    Tanh: tanh,
}

/// `exp(x - most)`.
#[derive(Clone, Copy)]
pub(super) struct ExpBelow(pub(super) f32);

impl Function for ExpBelow {
    #[inline(always)]
    fn of(self, x: __m512) -> __m512 {
        // SAFETY: see above.
        exp(unsafe { _mm512_sub_ps(x, all(self.0)) })
    }
}

/// `to[i] = f(from[i])`. Both are as long as the shorter, and may be the same memory.
///
/// # Safety
/// `len` numbers must be at either place.
#[inline(always)]
pub(super) unsafe fn map(from: *const f32, to: *mut f32, len: usize, f: impl Function) {
    // SAFETY: see above; within `len`, as the caller promises that to be there.
    unsafe {
        let mut i = 0;
        while i + 16 <= len {
            _mm_prefetch::<_MM_HINT_T0>(from.wrapping_add(i + AHEAD).cast());
            _mm512_storeu_ps(to.add(i), f.of(_mm512_loadu_ps(from.add(i))));
            i += 16;
        }
        if i < len {
            let rest = (1 << (len - i)) - 1;
            let y = f.of(_mm512_maskz_loadu_ps(rest, from.add(i)));
            _mm512_mask_storeu_ps(to.add(i), rest, y);
        }
    }
}

/// How far ahead numbers are asked for: large arrays come from the third-level cache or from memory,
/// and machines alone do not look far enough ahead while they compute. Asking never faults.
const AHEAD: usize = 384;

/// The middles of the intervals of [`TANH`] are this far apart.
const STEP: f32 = 293.0 / 1024.0;
/// Where the last interval ends; from well before on the result is 1.
const LAST: f32 = 9.0;

/// Polynomials for the hyperbolic tangent around multiples of `STEP`: row `i` holds the
/// coefficients of the `i`th power. Minimax fits, relative to the result; the first has no constant
/// and the slope 1, so that small results are as near as large ones.
const TANH: [[f32; 32]; 6] = [
    [
        0.0, 0.27857158, 0.51702124, 0.6954316, 0.8159343, 0.8918026, 0.93747616, 0.964234,
        0.9796607, 0.9884725, 0.9934793, 0.9963155, 0.9979194, 0.9988255, 0.99933714, 0.9996259,
        0.9997889, 0.9998809, 0.99993277, 0.9999621, 0.9999786, 0.9999879, 0.9999932, 0.9999962,
        0.99999785, 0.99999875, 0.9999993, 0.9999996, 0.99999976, 0.9999999, 0.99999994, 1.0,
    ],
    [
        1.0,
        0.9223982,
        0.7326892,
        0.51637495,
        0.33425122,
        0.2046881,
        0.12113842,
        0.07025283,
        0.04026494,
        0.022922024,
        0.012998865,
        0.0073554376,
        0.004156945,
        0.002347666,
        0.0013253385,
        7.4803253e-4,
        4.2214288e-4,
        2.3821418e-4,
        1.3441828e-4,
        7.584715e-5,
        4.2797128e-5,
        2.4148318e-5,
        1.3625655e-5,
        7.688239e-6,
        4.3380624e-6,
        2.447735e-6,
        1.3811244e-6,
        7.7929366e-7,
        4.3971312e-7,
        2.4810623e-7,
        1.3999286e-7,
        0.0,
    ],
    [
        6.083582e-7,
        -0.25693747,
        -0.37880757,
        -0.35910615,
        -0.2727313,
        -0.18254356,
        -0.113564976,
        -0.06774013,
        -0.039445803,
        -0.022657633,
        -0.012913994,
        -0.007328268,
        -0.004148255,
        -0.002344885,
        -0.0013244463,
        -7.477449e-4,
        -4.2204937e-4,
        -2.3818332e-4,
        -1.3440785e-4,
        -7.5843476e-5,
        -4.2795764e-5,
        -2.4147772e-5,
        -1.3625418e-5,
        -7.688128e-6,
        -4.3380073e-6,
        -2.4477063e-6,
        -1.381109e-6,
        -7.792852e-7,
        -4.397084e-7,
        -2.481036e-7,
        -1.3999137e-7,
        0.0,
    ],
    [
        -0.33337134,
        -0.23594862,
        -0.04840247,
        0.07760295,
        0.11111374,
        0.0945643,
        0.06608561,
        0.04190007,
        0.02522205,
        0.014755879,
        0.008496888,
        0.004849486,
        0.0027539933,
        0.0015595853,
        8.8179443e-4,
        4.9812417e-4,
        2.8124775e-4,
        1.5875121e-4,
        8.9593275e-5,
        5.0558534e-5,
        2.8529317e-5,
        1.6098142e-5,
        9.083497e-6,
        5.1253846e-6,
        2.891995e-6,
        1.6318018e-6,
        9.2073896e-7,
        5.1952355e-7,
        2.931391e-7,
        1.6540251e-7,
        9.3327664e-8,
        0.0,
    ],
    [
        7.049004e-4,
        0.14919172,
        0.15020633,
        0.06608893,
        8.064793e-4,
        -0.02320162,
        -0.024021681,
        -0.01782603,
        -0.011583552,
        -0.007053872,
        -0.004151092,
        -0.0023977938,
        -0.0013708379,
        -7.792232e-4,
        -4.4150552e-4,
        -2.497021e-4,
        -1.4107964e-4,
        -7.9662925e-5,
        -4.496836e-5,
        -2.537922e-5,
        -1.4322031e-5,
        -8.081754e-6,
        -4.5602883e-6,
        -2.5731847e-6,
        -1.4519279e-6,
        -8.192502e-7,
        -4.6226035e-7,
        -2.60829e-7,
        -1.4717183e-7,
        -8.304112e-8,
        -4.685561e-8,
        0.0,
    ],
    [
        0.12896755,
        0.059276238,
        -0.04403447,
        -0.059684478,
        -0.030015072,
        -0.0062343148,
        0.003162246,
        0.004752205,
        0.003810749,
        0.002546987,
        0.0015705746,
        9.3000266e-4,
        5.3894194e-4,
        3.086582e-4,
        1.7561963e-4,
        9.955906e-5,
        5.632453e-5,
        3.182828e-5,
        1.797407e-5,
        1.0146599e-5,
        5.7267057e-6,
        3.2317564e-6,
        1.8236597e-6,
        1.0290414e-6,
        5.8064785e-7,
        3.2763302e-7,
        1.8486709e-7,
        1.04310956e-7,
        5.885716e-8,
        3.3209947e-8,
        1.873858e-8,
        0.0,
    ],
];
