// How 16-bit floats and bytes are made of words and back.

// To the nearest, ties to even; NaN stays NaN.
fn half_bits(x: f32) -> u32 {
    let bits = bitcast<u32>(x);
    let sign = (bits >> 16u) & 0x8000u;
    let size = bits & 0x7fffffffu;
    if size > 0x7f800000u { return sign | 0x7e00u; }
    if size >= 0x477ff000u { return sign | 0x7c00u; }
    if size < 0x38800000u {
        // Subnormal: a whole number of 2^-24.
        if size < 0x33000000u { return sign; }
        let shift = 126u - (size >> 23u);
        let mantissa = (size & 0x7fffffu) | 0x800000u;
        let whole = mantissa >> shift;
        let rest = mantissa & ((1u << shift) - 1u);
        let half = 1u << (shift - 1u);
        let up = rest > half || (rest == half && (whole & 1u) == 1u);
        return sign | (whole + select(0u, 1u, up));
    }
    return sign | ((size - 0x38000000u + 0xfffu + ((size >> 13u) & 1u)) >> 13u);
}
fn half_value(bits: u32) -> f32 { return unpack2x16float(bits).x; }
fn bfloat_bits(x: f32) -> u32 {
    let bits = bitcast<u32>(x);
    if (bits & 0x7fffffffu) > 0x7f800000u { return (bits >> 16u) | 0x40u; }
    return (bits + 0x7fffu + ((bits >> 16u) & 1u)) >> 16u;
}
fn bfloat_value(bits: u32) -> f32 { return bitcast<f32>(bits << 16u); }
