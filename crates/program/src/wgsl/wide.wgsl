// Integers of 64 bits as pairs of words, the low one first. Names end in the type where it matters.

fn add_64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let low = a.x + b.x;
    return vec2<u32>(low, a.y + b.y + select(0u, 1u, low < a.x));
}
fn sub_64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(a.x - b.x, a.y - b.y - select(0u, 1u, a.x < b.x));
}
fn neg_64(a: vec2<u32>) -> vec2<u32> { return sub_64(vec2<u32>(), a); }
fn mul_64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    // The low words as 64 bits, by halves.
    let x = vec2<u32>(a.x & 0xffffu, a.x >> 16u);
    let y = vec2<u32>(b.x & 0xffffu, b.x >> 16u);
    let middle = x.y * y.x + ((x.x * y.x) >> 16u);
    let other = x.x * y.y + (middle & 0xffffu);
    let high = x.y * y.y + (middle >> 16u) + (other >> 16u);
    return vec2<u32>(a.x * b.x, high + a.x * b.y + a.y * b.x);
}
fn shl_64(a: vec2<u32>, by: u32) -> vec2<u32> {
    let n = by & 63u;
    if n == 0u { return a; }
    if n >= 32u { return vec2<u32>(0u, a.x << (n - 32u)); }
    return vec2<u32>(a.x << n, (a.y << n) | (a.x >> (32u - n)));
}
// With these words moved in from above.
fn shift_down(a: vec2<u32>, by: u32, above: u32) -> vec2<u32> {
    let n = by & 63u;
    if n == 0u { return a; }
    if n == 32u { return vec2<u32>(a.y, above); }
    if n > 32u {
        return vec2<u32>((a.y >> (n - 32u)) | (above << (64u - n)), above);
    }
    return vec2<u32>((a.x >> n) | (a.y << (32u - n)), (a.y >> n) | (above << (32u - n)));
}
fn shr_u64(a: vec2<u32>, by: u32) -> vec2<u32> { return shift_down(a, by, 0u); }
fn shr_i64(a: vec2<u32>, by: u32) -> vec2<u32> {
    return shift_down(a, by, bitcast<u32>(bitcast<i32>(a.y) >> 31u));
}

fn lt_u64(a: vec2<u32>, b: vec2<u32>) -> bool {
    return a.y < b.y || (a.y == b.y && a.x < b.x);
}
fn lt_i64(a: vec2<u32>, b: vec2<u32>) -> bool {
    return bitcast<i32>(a.y) < bitcast<i32>(b.y) || (a.y == b.y && a.x < b.x);
}
fn min_u64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> { return select(b, a, lt_u64(a, b)); }
fn max_u64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> { return select(a, b, lt_u64(a, b)); }
fn min_i64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> { return select(b, a, lt_i64(a, b)); }
fn max_i64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> { return select(a, b, lt_i64(a, b)); }
fn below_64(a: vec2<u32>) -> bool { return (a.y >> 31u) != 0u; }
fn abs_i64(a: vec2<u32>) -> vec2<u32> { return select(a, neg_64(a), below_64(a)); }
fn sign_i64(a: vec2<u32>) -> vec2<u32> {
    let some = select(vec2<u32>(), vec2<u32>(1u, 0u), any(a != vec2<u32>()));
    return select(some, vec2<u32>(0xffffffffu, 0xffffffffu), below_64(a));
}

// The quotient, and the remainder after it; both 0 if the divisor is.
fn divided_64(a: vec2<u32>, b: vec2<u32>) -> vec4<u32> {
    if all(b == vec2<u32>()) { return vec4<u32>(); }
    if a.y == 0u && b.y == 0u { return vec4<u32>(a.x / max(b.x, 1u), 0u, a.x % max(b.x, 1u), 0u); }
    var quotient = vec2<u32>();
    var rest = vec2<u32>();
    for (var i = 0u; i < 64u; i++) {
        let carry = rest.y >> 31u;
        let bit = shr_u64(a, 63u - i).x & 1u;
        rest = shl_64(rest, 1u) | vec2<u32>(bit, 0u);
        quotient = shl_64(quotient, 1u);
        if carry != 0u || !lt_u64(rest, b) {
            rest = sub_64(rest, b);
            quotient.x |= 1u;
        }
    }
    return vec4<u32>(quotient, rest);
}
fn div_u64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> { return divided_64(a, b).xy; }
fn rem_u64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> { return divided_64(a, b).zw; }
fn div_i64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let size = divided_64(abs_i64(a), abs_i64(b)).xy;
    return select(size, neg_64(size), below_64(a) != below_64(b));
}
fn rem_i64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let size = divided_64(abs_i64(a), abs_i64(b)).zw;
    return select(size, neg_64(size), below_64(a));
}

fn wide_i32(x: i32) -> vec2<u32> { return vec2<u32>(bitcast<u32>(x), bitcast<u32>(x >> 31u)); }
fn wide_u32(x: u32) -> vec2<u32> { return vec2<u32>(x, 0u); }
fn wide_bool(x: bool) -> vec2<u32> { return vec2<u32>(select(0u, 1u, x), 0u); }

// The whole part of a float's size, saturating; NaN is 0.
fn whole_64(bits: u32) -> vec2<u32> {
    let size = bits & 0x7fffffffu;
    if size > 0x7f800000u || size < 0x3f800000u { return vec2<u32>(); }
    let e = (size >> 23u) - 127u;
    if e >= 64u { return vec2<u32>(0xffffffffu, 0xffffffffu); }
    let m = (size & 0x7fffffu) | 0x800000u;
    if e <= 23u { return vec2<u32>(m >> (23u - e), 0u); }
    return shl_64(vec2<u32>(m, 0u), e - 23u);
}
fn to_u64(x: f32) -> vec2<u32> {
    let bits = bitcast<u32>(x);
    return select(whole_64(bits), vec2<u32>(), (bits >> 31u) != 0u);
}
fn to_i64(x: f32) -> vec2<u32> {
    let bits = bitcast<u32>(x);
    let size = whole_64(bits);
    let below = (bits >> 31u) != 0u;
    if below_64(size) {
        return select(vec2<u32>(0xffffffffu, 0x7fffffffu), vec2<u32>(0u, 0x80000000u), below);
    }
    return select(size, neg_64(size), below);
}
// To the nearest float, ties to even.
fn float_u64(a: vec2<u32>) -> f32 {
    if all(a == vec2<u32>()) { return 0.0; }
    let zeros = select(countLeadingZeros(a.y), 32u + countLeadingZeros(a.x), a.y == 0u);
    let top = shl_64(a, zeros);
    let m = top.y >> 8u;
    let rest = top.y & 0xffu;
    let up = rest > 0x80u || (rest == 0x80u && (top.x != 0u || (m & 1u) == 1u));
    return bitcast<f32>(((190u - zeros) << 23u) + (m & 0x7fffffu) + select(0u, 1u, up));
}
fn float_i64(a: vec2<u32>) -> f32 {
    let size = float_u64(abs_i64(a));
    return select(size, -size, below_64(a));
}
