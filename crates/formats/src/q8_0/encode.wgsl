// The peak becomes ±127.
fn block() {
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
