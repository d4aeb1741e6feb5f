// Sixteen groups with scales of 6 bits; the largest takes -32.
fn block() {
    for (var i = 0u; i < 110u; i++) { block_bytes[i] = 0u; }
    let bits = peak_bits();
    let peak = bitcast<f32>(bits);
    if bits >= 0x7f800000u { put_nan(108u); return; }
    if peak < 1e-12 { return; }
    scale_values(1.0 / peak);
    var steps: array<f32, 16>;
    var top = 0.0;
    for (var i = 0u; i < 16u; i++) {
        steps[i] = symmetric(16u * i, 16u, 4.0);
        if abs(steps[i]) > abs(top) { top = steps[i]; }
    }
    let d = put_half(108u, top * peak / -32.0) / peak;
    for (var i = 0u; i < 16u; i++) {
        let scale = nearest_level(steps[i], inverse_of(d), -32.0, 31.0);
        let six = u32(scale + 32.0);
        block_bytes[96u + i % 8u] |= (six & 15u) << (4u * (i / 8u));
        block_bytes[104u + i % 4u] |= (six >> 4u) << (2u * (i / 4u));
        let inverse = inverse_of(d * scale);
        for (var j = 16u * i; j < 16u * i + 16u; j++) {
            let level = u32(nearest_level(block_values[j], inverse, -4.0, 3.0) + 4.0);
            let group = j / 32u;
            block_bytes[32u + 32u * (group / 4u) + j % 32u] |= (level & 3u) << (2u * (group % 4u));
            block_bytes[j % 32u] |= (level >> 2u) << group;
        }
    }
}
