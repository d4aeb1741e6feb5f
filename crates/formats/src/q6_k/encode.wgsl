// Sixteen groups with scales of 8 bits; the largest takes -128.
fn block() {
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
