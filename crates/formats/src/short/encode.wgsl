// Levels `-n..n` with one scale, as levels plus `n`.
fn symmetric_levels(n: f32) {
    for (var i = 0u; i < LENu; i++) { block_levels[i] = u32(n); }
    let bits = peak_bits();
    let peak = bitcast<f32>(bits);
    if bits >= 0x7f800000u { put_nan(0u); return; }
    if peak < 1e-12 { put_half(0u, 0.0); return; }
    scale_values(1.0 / peak);
    let d = put_half(0u, symmetric(0u, LENu, n) * peak) / peak;
    let inverse = inverse_of(d);
    for (var i = 0u; i < LENu; i++) {
        block_levels[i] = u32(nearest_level(block_values[i], inverse, -n, n - 1.0) + n);
    }
}
// Levels `0..=n` with a scale and a start.
fn affine_levels(n: f32) {
    for (var i = 0u; i < LENu; i++) { block_levels[i] = 0u; }
    put_half(0u, 0.0);
    put_half(2u, 0.0);
    let bits = peak_bits();
    let peak = bitcast<f32>(bits);
    if bits >= 0x7f800000u { put_nan(0u); return; }
    if peak < 1e-12 { return; }
    scale_values(1.0 / peak);
    let best = affine(0u, LENu, n, false);
    let d = put_half(0u, best.x * peak) / peak;
    let m = put_half(2u, best.y * peak) / peak;
    let inverse = inverse_of(d);
    for (var i = 0u; i < LENu; i++) {
        block_levels[i] = u32(nearest_level(block_values[i] - m, inverse, 0.0, n));
    }
}
// The low four bits of 32 levels, two in a byte.
fn pack_nibbles(at: u32) {
    for (var i = 0u; i < 16u; i++) {
        block_bytes[at + i] = (block_levels[i] & 15u) | ((block_levels[i + 16u] & 15u) << 4u);
    }
}
fn pack_fifths(at: u32) {
    var high = 0u;
    for (var i = 0u; i < 32u; i++) { high |= (block_levels[i] >> 4u) << i; }
    for (var i = 0u; i < 4u; i++) { block_bytes[at + i] = (high >> (8u * i)) & 0xffu; }
}
