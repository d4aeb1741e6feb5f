//! How each format packs its levels, as WGSL: the function `block()`.

use bessemer_core::DType;

pub(super) fn packer(dtype: DType) -> &'static str {
    match dtype {
        DType::Q4_0 => "fn block() {\n    symmetric_levels(8.0);\n    pack_nibbles(2u);\n}\n",
        DType::Q4_1 => "fn block() {\n    affine_levels(15.0);\n    pack_nibbles(4u);\n}\n",
        DType::Q5_0 => {
            "fn block() {
    symmetric_levels(16.0);
    pack_fifths(2u);
    pack_nibbles(6u);
}
"
        }
        DType::Q5_1 => {
            "fn block() {
    affine_levels(31.0);
    pack_fifths(4u);
    pack_nibbles(8u);
}
"
        }
        DType::Q8_0 => Q8_0,
        DType::Q4_K => {
            "fn block() {
    k_levels(15.0);
    for (var i = 0u; i < 128u; i++) {
        let first = 64u * (i / 32u) + i % 32u;
        block_bytes[16u + i] = block_levels[first] | (block_levels[first + 32u] << 4u);
    }
}
"
        }
        DType::Q5_K => {
            "fn block() {
    k_levels(31.0);
    for (var i = 0u; i < 32u; i++) { block_bytes[16u + i] = 0u; }
    for (var i = 0u; i < 128u; i++) {
        let first = 64u * (i / 32u) + i % 32u;
        let a = block_levels[first];
        let b = block_levels[first + 32u];
        block_bytes[16u + i % 32u] |= ((a >> 4u) | ((b >> 4u) << 1u)) << (2u * (i / 32u));
        block_bytes[48u + i] = (a & 15u) | ((b & 15u) << 4u);
    }
}
"
        }
        _ => Q6_K,
    }
}

/// The peak becomes ±127.
const Q8_0: &str = "fn block() {
    for (var i = 0u; i < 34u; i++) { block_bytes[i] = 0u; }
    let bits = peak_bits();
    let peak = bitcast<f32>(bits);
    if bits >= 0x7f800000u { put_nan(0u); return; }
    if peak < 1e-12 { return; }
    let d = min(peak / 127.0, 65504.0);
    put_half(0u, d);
    let inverse = 1.0 / d;
    for (var i = 0u; i < 32u; i++) {
        let x = clamp(block_values[i] * inverse, -127.0, 127.0);
        let half = select(0.49999997, -0.49999997, (bitcast<u32>(x) >> 31u) != 0u);
        block_bytes[2u + i] = bitcast<u32>(i32(x + half)) & 0xffu;
    }
}
";

/// Sixteen groups with scales of 8 bits; the largest takes -128.
const Q6_K: &str = "fn block() {
    for (var i = 0u; i < 210u; i++) { block_bytes[i] = 0u; }
    let bits = peak_bits();
    let peak = bitcast<f32>(bits);
    if bits >= 0x7f800000u { put_nan(208u); return; }
    if peak < 1e-12 { return; }
    scale_values(1.0 / peak);
    var steps: array<f32, 16>;
    var top = 0.0;
    for (var i = 0u; i < 16u; i++) {
        steps[i] = symmetric(16u * i, 16u, 32.0);
        if abs(steps[i]) > abs(top) { top = steps[i]; }
    }
    let d = put_half(208u, top * peak / -128.0) / peak;
    for (var i = 0u; i < 16u; i++) {
        let scale = nearest_level(steps[i], inverse_of(d), -128.0, 127.0);
        block_bytes[192u + i] = bitcast<u32>(i32(scale)) & 0xffu;
        let inverse = inverse_of(d * scale);
        for (var j = 16u * i; j < 16u * i + 16u; j++) {
            block_levels[j] = u32(nearest_level(block_values[j], inverse, -32.0, 31.0) + 32.0);
        }
    }
    for (var i = 0u; i < 256u; i++) {
        let part = i / 128u;
        let k = (i / 32u) % 4u;
        let j = i % 32u;
        let level = block_levels[i];
        block_bytes[64u * part + 32u * (k % 2u) + j] |= (level & 15u) << (4u * (k / 2u));
        block_bytes[128u + 32u * part + j] |= (level >> 4u) << (2u * k);
    }
}
";
