// The 16 bytes that both K formats of 4 and 5 bits start with, and the levels.
fn k_levels(n: f32) {
    for (var i = 0u; i < LENu; i++) { block_levels[i] = 0u; }
    for (var i = 0u; i < 16u; i++) { block_bytes[i] = 0u; }
    let bits = peak_bits();
    let peak = bitcast<f32>(bits);
    if bits >= 0x7f800000u { put_nan(0u); return; }
    if peak < 1e-12 { return; }
    scale_values(1.0 / peak);
    var steps: array<f32, 8>;
    var lows: array<f32, 8>;
    var top_step = 0.0;
    var top_low = 0.0;
    for (var i = 0u; i < 8u; i++) {
        let best = affine(32u * i, 32u, n, true);
        steps[i] = max(best.x, 0.0);
        lows[i] = -min(best.y, 0.0);
        top_step = max(top_step, steps[i]);
        top_low = max(top_low, lows[i]);
    }
    let d = put_half(0u, top_step * peak / 63.0) / peak;
    let dmin = put_half(2u, top_low * peak / 63.0) / peak;
    var scales: array<u32, 8>;
    var mins: array<u32, 8>;
    for (var i = 0u; i < 8u; i++) {
        scales[i] = u32(nearest_level(steps[i], inverse_of(d), 0.0, 63.0));
        mins[i] = u32(nearest_level(lows[i], inverse_of(dmin), 0.0, 63.0));
        let step = d * f32(scales[i]);
        let low = dmin * f32(mins[i]);
        let inverse = inverse_of(step);
        for (var j = 32u * i; j < 32u * i + 32u; j++) {
            block_levels[j] = u32(nearest_level(block_values[j] + low, inverse, 0.0, n));
        }
    }
    for (var i = 0u; i < 4u; i++) {
        block_bytes[4u + i] = scales[i] | ((scales[i + 4u] >> 4u) << 6u);
        block_bytes[8u + i] = mins[i] | ((mins[i + 4u] >> 4u) << 6u);
        block_bytes[12u + i] = (scales[i + 4u] & 15u) | ((mins[i + 4u] & 15u) << 4u);
    }
}
