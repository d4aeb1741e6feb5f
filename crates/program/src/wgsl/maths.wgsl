// Functions of f32, as `bessemer_simd::math` has them: within a few units in the last place of the
// true result, which WGSL's own need not be. NaN and infinities are told by their bits, since WGSL
// lets compilers assume that there are none.

fn bits_nan(bits: u32) -> bool { return (bits & 0x7fffffffu) > 0x7f800000u; }
fn is_nan(x: f32) -> bool { return bits_nan(bitcast<u32>(x)); }
fn is_inf(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) == 0x7f800000u; }
fn negative(x: f32) -> bool { return (bitcast<u32>(x) >> 31u) != 0u; }
// What compilers can't fold: a quiet NaN and infinity by their bits.
fn from_bits(bits: u32) -> f32 { var kept = bits; return bitcast<f32>(kept); }
fn nan() -> f32 { return from_bits(0x7fc00000u); }
fn inf() -> f32 { return from_bits(0x7f800000u); }
fn with_sign(x: f32, y: f32) -> f32 {
    return bitcast<f32>((bitcast<u32>(x) & 0x7fffffffu) | (bitcast<u32>(y) & 0x80000000u));
}

// Comparisons by bits: subnormals count, though adapters may take them for zeros.
fn order(x: f32) -> i32 {
    let bits = bitcast<i32>(x);
    return select(bits, -(bits & 0x7fffffff), bits < 0);
}
fn eq_f32(a: f32, b: f32) -> bool { return !is_nan(a) && !is_nan(b) && order(a) == order(b); }
fn lt_f32(a: f32, b: f32) -> bool { return !is_nan(a) && !is_nan(b) && order(a) < order(b); }
fn le_f32(a: f32, b: f32) -> bool { return !is_nan(a) && !is_nan(b) && order(a) <= order(b); }
fn is_true(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) != 0u; }

fn min_f32(a: f32, b: f32) -> f32 {
    if is_nan(a) { return a; }
    if is_nan(b) { return b; }
    return select(b, a, order(a) < order(b));
}
fn max_f32(a: f32, b: f32) -> f32 {
    if is_nan(a) { return a; }
    if is_nan(b) { return b; }
    return select(b, a, order(a) > order(b));
}
fn sign_f32(x: f32) -> f32 {
    if !is_true(x) || is_nan(x) { return x; }
    return with_sign(1.0, x);
}
// A subnormal times 2^24, exactly.
fn grown(x: f32) -> f32 {
    return with_sign(f32(bitcast<u32>(x) & 0x7fffffffu) * bitcast<f32>(0x01000000u), x);
}
fn subnormal(x: f32) -> bool { return (bitcast<u32>(x) & 0x7f800000u) == 0u && is_true(x); }

fn power_of_two(n: i32) -> f32 { return bitcast<f32>(u32(n + 127) << 23u); }
fn scale(x: f32, n: i32) -> f32 {
    let half = n >> 1u;
    return x * power_of_two(half) * power_of_two(n - half);
}
fn exp_m1_reduced(r: f32) -> f32 {
    let c = ((((0.00019917973 * r + 0.001394619) * r + 0.008333265) * r + 0.04166627) * r
        + 0.16666667) * r + 0.5;
    return r * r * c + r;
}
// exp(hi + lo)
fn exp_sum(hi: f32, lo: f32) -> f32 {
    if is_nan(hi) { return hi; }
    let x = clamp(hi, -104.0, 89.0);
    let n = round(x * 1.44269504);
    let r = ((x - n * 0.6933594) + n * 2.1219444e-4) + lo;
    let y = scale(1.0 + exp_m1_reduced(r), i32(n));
    return select(y, inf(), hi > 88.73);
}
fn exp_f32(x: f32) -> f32 { return exp_sum(x, 0.0); }
fn exp2_f32(x: f32) -> f32 {
    if is_nan(x) { return x; }
    let y = clamp(x, -151.0, 129.0);
    let n = round(y);
    let z = scale(1.0 + exp_m1_reduced((y - n) * 0.69314718), i32(n));
    return select(z, inf(), x >= 128.0);
}
fn tanh_f32(x: f32) -> f32 {
    if is_nan(x) { return x; }
    let a = min(2.0 * abs(x), 20.0);
    let n = round(a * 1.44269504);
    let r = (a - n * 0.6933594) + n * 2.1219444e-4;
    let power = power_of_two(i32(n));
    let exp_m1 = power * exp_m1_reduced(r) + (power - 1.0);
    return with_sign(exp_m1 / (exp_m1 + 2.0), x);
}
fn sigmoid_sum(hi: f32, lo: f32) -> f32 {
    let below = hi < 0.0;
    let e = exp_sum(-abs(hi), select(-lo, lo, below));
    let above = 1.0 / (1.0 + e);
    return select(above, e * above, below);
}
fn sigmoid_f32(x: f32) -> f32 { return sigmoid_sum(x, 0.0); }
fn silu_f32(x: f32) -> f32 {
    return select(x * sigmoid_f32(x), 0.0, bitcast<u32>(x) == 0xff800000u);
}
// The product in two parts.
fn split_half(x: f32) -> f32 { return bitcast<f32>(bitcast<u32>(x) & 0xfffff000u); }
fn product(a: f32, b: f32) -> vec2<f32> {
    let p = a * b;
    let ah = split_half(a);
    let bh = split_half(b);
    let al = a - ah;
    let bl = b - bh;
    return vec2<f32>(p, ((ah * bh - p) + ah * bl + al * bh) + al * bl);
}
fn gelu_tanh_f32(x: f32) -> f32 {
    if is_nan(x) { return x; }
    let y = clamp(x, -20.0, 20.0);
    let square = product(y, y);
    // 1 + 0.044715 y²
    let c = product(0.044715, square.x);
    let s = 1.0 + c.x;
    let t = (c.x - (s - 1.0)) + c.y + 0.044715 * square.y;
    let u = product(1.59576917, y);
    let v = product(u.x, s);
    let low = v.y + u.x * t + (u.y + y * -4.534068e-8) * s;
    let z = y * sigmoid_sum(v.x, low);
    return select(select(z, x, x > 20.0), 0.0, x < -20.0);
}

// x > 0 as 2^e (1 + f), with 1 + f from sqrt(1/2) to sqrt(2).
fn split(x: f32) -> vec2<f32> {
    let small = subnormal(x);
    let bits = bitcast<i32>(select(x, grown(x), small));
    let e = (bits - 0x3f3504f3) >> 23u;
    let f = bitcast<f32>(bits - (e << 23u)) - 1.0;
    return vec2<f32>(f32(select(e, e - 24, small)), f);
}
fn log_tail(f: f32) -> f32 {
    let c = (((((((0.06747692 * f - 0.11677505) * f + 0.11888709) * f - 0.124053426) * f
        + 0.14219451) * f - 0.16668005) * f + 0.20002124) * f - 0.2500001) * f + 0.33333313;
    return f * f * f * c;
}
fn log_special(x: f32, y: f32) -> f32 {
    if is_nan(x) { return x; }
    if !is_true(x) { return -inf(); }
    if negative(x) { return nan(); }
    return select(y, x, is_inf(x));
}
fn log_f32(x: f32) -> f32 {
    let s = split(x);
    let y = -0.5 * s.y * s.y + (s.x * -2.1219444e-4 + log_tail(s.y));
    return log_special(x, s.x * 0.6933594 + (s.y + y));
}
fn log2_f32(x: f32) -> f32 {
    let s = split(x);
    let y = -0.5 * s.y * s.y + log_tail(s.y);
    let high = s.y + y;
    let low = y - (high - s.y);
    return log_special(x, (high * 1.44269504 + (low * 1.44269504 + high * 1.925963e-8)) + s.x);
}

fn expm1_near(x: f32) -> f32 {
    let y = clamp(x, -20.0, 60.0);
    let n = round(y * 1.44269504);
    let r = (y - n * 0.6933594) + n * 2.1219444e-4;
    let power = power_of_two(i32(n));
    return power * exp_m1_reduced(r) + (power - 1.0);
}
fn expm1_f32(x: f32) -> f32 {
    if is_nan(x) { return x; }
    var y = expm1_near(x);
    if x > 40.0 { y = exp_f32(x); }
    return with_sign(y, x);
}
fn log1p_f32(x: f32) -> f32 {
    if is_nan(x) || subnormal(x) { return x; }
    let u = 1.0 + x;
    if !(u > 0.0) || is_inf(u) { return log_f32(u); }
    return with_sign(log_f32(u) + (x - (u - 1.0)) / u, x);
}
fn log10_f32(x: f32) -> f32 {
    let s = split(x);
    let y = -0.5 * s.y * s.y + log_tail(s.y);
    let high = s.y + y;
    let low = y - (high - s.y);
    // log10(2) and log10(e) in two parts; products of the first with whole exponents are exact.
    let rest = (s.x * 4.6050390e-6 + low * 0.4342945) + high * 1.0898e-8;
    return log_special(x, (high * 0.4342945 + rest) + s.x * 0.30102539);
}
fn half_exp(a: f32) -> f32 {
    let root = exp_f32(0.5 * a);
    return 0.5 * root * root;
}
fn sinh_f32(x: f32) -> f32 {
    if is_nan(x) { return x; }
    let a = abs(x);
    let t = expm1_near(a);
    var y = 0.5 * (t + t / (t + 1.0));
    if a > 40.0 { y = half_exp(a); }
    return with_sign(y, x);
}
fn cosh_f32(x: f32) -> f32 {
    if is_nan(x) { return x; }
    let a = abs(x);
    if a > 40.0 { return half_exp(a); }
    let t = exp_f32(a);
    return 0.5 * t + 0.5 / t;
}
fn asinh_f32(x: f32) -> f32 {
    if is_nan(x) || is_inf(x) { return x; }
    let a = abs(x);
    if a > 1e5 { return with_sign(log_f32(a) + 0.69314718, x); }
    return with_sign(log1p_f32(a + a * a / (1.0 + sqrt(1.0 + a * a))), x);
}
fn acosh_f32(x: f32) -> f32 {
    if is_nan(x) || !(x >= 1.0) { return nan(); }
    if x > 1e5 { return log_f32(x) + 0.69314718; }
    let t = x - 1.0;
    return log1p_f32(t + sqrt(2.0 * t + t * t));
}
fn atanh_f32(x: f32) -> f32 {
    let a = abs(x);
    if is_nan(x) || !(a <= 1.0) { return nan(); }
    if a == 1.0 { return with_sign(inf(), x); }
    return with_sign(0.5 * log1p_f32(2.0 * a / (1.0 - a)), x);
}

fn beyond(y: f32, hi: f32, lo: f32) -> f32 {
    let t = 1.0 / (0.3 * y + 1.0);
    let c = ((((((((-0.020623617 * t + 0.11243641) * t - 0.22821544) * t + 0.19178694) * t
        - 0.079425454) * t + 0.09615786) * t + 0.07838931) * t + 0.1102355) * t + 0.119571805) * t
        + 0.11968669;
    return t * c * exp_sum(hi, lo);
}
fn near(x: f32) -> f32 {
    let s = x * x;
    let c = ((((((-9.641678e-6 * s + 0.00011257009) * s - 0.0008482838) * s + 0.005220946) * s
        - 0.0268654) * s + 0.11283782) * s - 0.37612638) * s + 1.1283792;
    return x * c;
}
fn erf_f32(x: f32) -> f32 {
    if is_nan(x) { return x; }
    let a = min(abs(x), 4.0);
    let far = 1.0 - 2.0 * beyond(a * 1.41421356, -a * a, 0.0);
    return select(with_sign(far, x), near(x), a < 1.0);
}
fn gelu_f32(x: f32) -> f32 {
    if is_nan(x) { return x; }
    let y = abs(x);
    if y > 14.5 { return select(0.0, x, x > 0.0); }
    let top = split_half(y);
    let below = x * beyond(y, -0.5 * (top * top), -0.5 * ((y - top) * (y + top)));
    let middle = 0.5 * x * near(x * 0.70710678) + 0.5 * x;
    return select(select(below, x - below, x > 0.0), middle, y < 1.0);
}

// x y as 64 bits.
fn wide_product(x: u32, y: u32) -> vec2<u32> {
    let a = x & 0xffffu;
    let b = x >> 16u;
    let c = y & 0xffffu;
    let d = y >> 16u;
    let middle = b * c + ((a * c) >> 16u);
    let other = a * d + (middle & 0xffffu);
    return vec2<u32>(x * y, b * d + (middle >> 16u) + (other >> 16u));
}
// 2 / pi, the first 192 bits, lowest word first.
const TWO_OVER_PI = array<u32, 6>(
    0x3c439041u, 0xdb629599u, 0xf534ddc0u, 0xfc2757d1u, 0x4e441529u, 0xa2f9836eu
);
// The angle less whole quarter turns, and how many those are, modulo 4.
fn quarter_turns(x: f32) -> vec2<f32> {
    let a = abs(x);
    if a < 100.0 {
        let n = round(x * 0.63661977);
        let r = ((x - n * 1.5703125) - n * 4.8375129e-4) - n * 7.5497899e-8;
        return vec2<f32>(r, f32(i32(n) & 3));
    }
    // The fraction of x in quarter turns, exactly: its 24 bits times those of 2 / pi.
    let bits = bitcast<u32>(a);
    let mantissa = (bits << 8u) | 0x80000000u;
    var product: array<u32, 7>;
    var carry = 0u;
    var table = TWO_OVER_PI;
    for (var i = 0u; i < 6u; i++) {
        let p = wide_product(mantissa, table[i]);
        let low = p.x + carry;
        carry = p.y + select(0u, 1u, low < p.x);
        product[i] = low;
    }
    product[6] = carry;
    // The two bits before the point become the highest.
    let e = i32((bits >> 23u) & 0xffu) - 128;
    let word = 6 - (e >> 5u);
    let shift = u32(e) & 31u;
    var hi = product[clamp(word, 0, 6)];
    var lo = product[clamp(word - 1, 0, 6)];
    let next = product[clamp(word - 2, 0, 6)];
    if shift != 0u {
        hi = (hi << shift) | (lo >> (32u - shift));
        lo = (lo << shift) | (next >> (32u - shift));
    }
    var quarters = hi >> 30u;
    hi = (hi << 2u) | (lo >> 30u);
    lo = lo << 2u;
    var below = false;
    if (hi & 0x80000000u) != 0u {
        quarters += 1u;
        hi = ~hi;
        lo = ~lo;
        below = true;
    }
    let size = (f32(hi) * 2.3283064e-10 + f32(lo) * 5.421011e-20) * 1.57079633;
    var r = select(size, -size, below);
    if negative(x) {
        r = -r;
        quarters = 4u - quarters;
    }
    return vec2<f32>(r, f32(quarters & 3u));
}
fn sin_reduced(r: f32) -> f32 {
    let s = r * r;
    return r * s * ((-0.00019516656 * s + 0.008332173) * s - 0.16666655) + r;
}
fn cos_reduced(r: f32) -> f32 {
    let s = r * r;
    return s * s * ((2.443773e-5 * s - 0.0013887362) * s + 0.041666646) + (1.0 - 0.5 * s);
}
fn turned(x: f32, quarters: u32) -> f32 {
    if is_nan(x) || is_inf(x) { return nan(); }
    let q = quarter_turns(x);
    let n = u32(q.y) + quarters;
    let y = select(sin_reduced(q.x), cos_reduced(q.x), (n & 1u) != 0u);
    return select(y, -y, (n & 2u) != 0u);
}
fn sin_f32(x: f32) -> f32 { return turned(x, 0u); }
fn cos_f32(x: f32) -> f32 { return turned(x, 1u); }
fn tan_f32(x: f32) -> f32 {
    if is_nan(x) || is_inf(x) { return nan(); }
    let q = quarter_turns(x);
    let s = sin_reduced(q.x);
    let c = cos_reduced(q.x);
    let odd = (u32(q.y) & 1u) != 0u;
    return select(s, -c, odd) / select(c, s, odd);
}
fn atan2_f32(y: f32, x: f32) -> f32 {
    if is_nan(x) || is_nan(y) { return nan(); }
    let ax = abs(x);
    let ay = abs(y);
    let small = min(ax, ay);
    let large = max(ax, ay);
    var ratio = select(small / large, 0.0, !is_true(small));
    ratio = select(ratio, 1.0, is_inf(small));
    let s = ratio * ratio;
    let c = (((((((-0.0018272073 * s + 0.011064418) * s - 0.031455662) * s + 0.058234517) * s
        - 0.08419458) * s + 0.109575756) * s - 0.14265245) * s + 0.19998638) * s - 0.33333302;
    var angle = ratio * s * c + ratio;
    angle = select(angle, (1.57079633 - angle) - 4.371139e-8, ax < ay);
    angle = select(angle, (3.14159265 - angle) - 8.742278e-8, negative(x));
    return with_sign(angle, y);
}

fn asin_f32(x: f32) -> f32 {
    if is_nan(x) || abs(x) > 1.0 { return nan(); }
    return atan2_f32(x, sqrt((1.0 - x) * (1.0 + x)));
}
fn acos_f32(x: f32) -> f32 {
    if is_nan(x) || abs(x) > 1.0 { return nan(); }
    return atan2_f32(sqrt((1.0 - x) * (1.0 + x)), x);
}
fn atan_f32(x: f32) -> f32 { return atan2_f32(x, 1.0); }
fn hypot_f32(x: f32, y: f32) -> f32 {
    if is_inf(x) || is_inf(y) { return inf(); }
    if is_nan(x) || is_nan(y) { return nan(); }
    let most = max(abs(x), abs(y));
    if !is_true(most) { return 0.0; }
    let ratio = min(abs(x), abs(y)) / most;
    return most * sqrt(1.0 + ratio * ratio);
}
fn copysign_f32(x: f32, y: f32) -> f32 { return with_sign(x, y); }
fn nextafter_f32(x: f32, y: f32) -> f32 {
    if is_nan(x) || is_nan(y) { return nan(); }
    if order(x) == order(y) { return y; }
    let bits = bitcast<u32>(x);
    if !is_true(x) { return from_bits(1u | (bitcast<u32>(y) & 0x80000000u)); }
    let away = (order(y) > order(x)) == !negative(x);
    return from_bits(select(bits - 1u, bits + 1u, away));
}

// log2 of x > 0 in two parts.
fn log2_wide(x: f32) -> vec2<f32> {
    let s = split(x);
    // 2 artanh(t), t = f / (2 + f) in two parts.
    let below = 2.0 + s.y;
    let below_low = s.y - (below - 2.0);
    let t = s.y / below;
    let back = product(t, below);
    let t_low = (((s.y - back.x) - back.y) - t * below_low) / below;
    let z = t * t;
    let tail = z * (0.33333333 + z * (0.2 + z * (0.14285714 + z * (0.11111111 + z * 0.09090909))));
    // 2 log2(e) in two parts.
    let main = product(2.8853901, t);
    let low = main.y + t * 3.851926e-8 + 2.8853901 * (t_low + t * tail);
    let high = s.x + main.x;
    let rest = (main.x - (high - s.x)) + low;
    let sum = high + rest;
    return vec2<f32>(sum, rest - (sum - high));
}
fn pow_f32(x: f32, y: f32) -> f32 {
    if !is_true(y) || bitcast<u32>(x) == 0x3f800000u { return 1.0; }
    if is_nan(x) || is_nan(y) { return nan(); }
    let base = abs(x);
    var size: f32;
    let empty = !is_true(base);
    if empty || is_inf(base) {
        size = select(0.0, inf(), empty == negative(y));
    } else if is_inf(y) {
        let grows = (order(base) > 0x3f800000) != negative(y);
        size = select(select(0.0, inf(), grows), 1.0, bitcast<u32>(base) == 0x3f800000u);
    } else {
        let l = log2_wide(base);
        let p = product(l.x, y);
        let low = p.y + l.y * y;
        if p.x >= 128.5 { size = inf(); } else if p.x < -151.0 { size = 0.0; } else {
            let n = round(p.x);
            let r = ((p.x - n) + low) * 0.69314718;
            size = scale(1.0 + exp_m1_reduced(r), i32(n));
            size = select(size, inf(), p.x + low >= 128.0);
        }
    }
    let large = abs(y) >= 16777216.0;
    let whole = large || y == trunc(y);
    let odd = !large && whole && (y * 0.5 != trunc(y * 0.5));
    if negative(x) && !empty && !whole && !is_inf(base) { return nan(); }
    return select(size, -size, negative(x) && odd);
}
// The remainder with the sign of x, by subtraction: exact.
fn rem_f32(x: f32, y: f32) -> f32 {
    if is_nan(x) || is_nan(y) || is_inf(x) || !is_true(y) { return nan(); }
    if is_inf(y) { return x; }
    // Both as whole numbers times powers of two.
    let bx = bitcast<u32>(x) & 0x7fffffffu;
    let by = bitcast<u32>(y) & 0x7fffffffu;
    if bx < by { return x; }
    let ey = max(by >> 23u, 1u);
    var steps = max(bx >> 23u, 1u) - ey;
    var r = (bx & 0x7fffffu) | select(0u, 0x800000u, bx >= 0x800000u);
    let d = (by & 0x7fffffu) | select(0u, 0x800000u, by >= 0x800000u);
    r = r % d;
    loop {
        if steps == 0u || r == 0u { break; }
        let many = min(steps, 8u);
        r = (r << many) % d;
        steps -= many;
    }
    if r == 0u { return with_sign(0.0, x); }
    // Back to a float: shifted up until its first bit is in place, or the exponent is least.
    let up = min(countLeadingZeros(r) - 8u, ey - 1u);
    r = r << up;
    let bits = select(r, ((ey - up) << 23u) | (r & 0x7fffffu), r >= 0x800000u);
    return from_bits(bits | (bitcast<u32>(x) & 0x80000000u));
}

// Whole numbers: no number is divided by zero, and the least by -1 is itself.
fn div_i32(a: i32, b: i32) -> i32 {
    if b == 0 { return 0; }
    if b == -1 { return 0 - a; }
    return a / b;
}
fn rem_i32(a: i32, b: i32) -> i32 {
    if b == 0 || b == -1 { return 0; }
    return a % b;
}
fn div_u32(a: u32, b: u32) -> u32 { return select(0u, a / max(b, 1u), b != 0u); }
fn rem_u32(a: u32, b: u32) -> u32 { return select(0u, a % max(b, 1u), b != 0u); }

// Floats to whole numbers: towards zero, saturating, NaN to 0.
fn to_i32(x: f32) -> i32 {
    if is_nan(x) { return 0; }
    if x >= 2147483648.0 { return 2147483647; }
    if x < -2147483648.0 { return bitcast<i32>(0x80000000u); }
    return i32(x);
}
fn to_u32(x: f32) -> u32 {
    if is_nan(x) || x <= 0.0 { return 0u; }
    if x >= 4294967296.0 { return 0xffffffffu; }
    return u32(x);
}
fn rsqrt_f32(x: f32) -> f32 {
    if subnormal(x) { return 4096.0 / sqrt(grown(x)); }
    return 1.0 / sqrt(x);
}
fn sqrt_f32(x: f32) -> f32 {
    if subnormal(x) { return sqrt(grown(x)) * 2.4414063e-4; }
    return sqrt(x);
}
fn recip_f32(x: f32) -> f32 {
    if subnormal(x) { return (1.0 / grown(x)) * 16777216.0; }
    return 1.0 / x;
}
