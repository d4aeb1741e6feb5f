// What encoders of blocks are made of, as `bessemer_core::blocks::fit` has it. The values of a block
// are in `block_values`, what becomes of them in `block_levels` and `block_bytes`.
var<private> block_values: array<f32, LEN>;
var<private> block_levels: array<u32, LEN>;
var<private> block_bytes: array<u32, BYTES>;

fn nearest_level(x: f32, inverse: f32, low: f32, high: f32) -> f32 {
    return clamp(round(clamp(x * inverse, low - 1.0, high + 1.0)), low, high);
}
fn inverse_of(x: f32) -> f32 {
    let inverse = 1.0 / x;
    return select(0.0, inverse, (bitcast<u32>(inverse) & 0x7f800000u) != 0x7f800000u);
}
// Stores a half and gives what was stored.
fn put_half(at: u32, value: f32) -> f32 {
    let bits = half_bits(clamp(value, -65504.0, 65504.0));
    block_bytes[at] = bits & 0xffu;
    block_bytes[at + 1u] = bits >> 8u;
    return half_value(bits);
}
fn put_nan(at: u32) {
    block_bytes[at] = 0u;
    block_bytes[at + 1u] = 0x7eu;
}
// The largest magnitude as bits.
fn peak_bits() -> u32 {
    var top = 0u;
    for (var i = 0u; i < LENu; i++) { top = max(top, bitcast<u32>(block_values[i]) & 0x7fffffffu); }
    return top;
}
fn scale_values(factor: f32) {
    for (var i = 0u; i < LENu; i++) { block_values[i] = block_values[i] * factor; }
}
struct Fit { step: f32, start: f32, gain: f32 }
fn refit_symmetric(best: Fit, first: u32, len: u32, n: f32, scale: f32) -> Fit {
    var xq = 0.0;
    var qq = 0.0;
    for (var i = first; i < first + len; i++) {
        let x = block_values[i];
        let q = nearest_level(x, scale, -n, n - 1.0);
        xq += x * q;
        qq += q * q;
    }
    if qq > 0.0 && xq * xq > best.gain * qq { return Fit(xq / qq, 0.0, xq * xq / qq); }
    return best;
}
fn symmetric(first: u32, len: u32, n: f32) -> f32 {
    var peak = 0.0;
    for (var i = first; i < first + len; i++) {
        if abs(block_values[i]) > abs(peak) { peak = block_values[i]; }
    }
    if abs(peak) < 1e-9 { return 0.0; }
    var best = Fit(-peak / n, 0.0, 0.0);
    for (var step = -12; step <= 8; step++) {
        best = refit_symmetric(best, first, len, n, -(n + 0.1 * f32(step)) / peak);
    }
    for (var step = -8; step <= 4; step++) {
        best = refit_symmetric(best, first, len, n, (n - 1.0 + 0.1 * f32(step)) / peak);
    }
    for (var again = 0; again < 2; again++) {
        best = refit_symmetric(best, first, len, n, inverse_of(best.step));
    }
    return best.step;
}
fn refit_affine(
    best: Fit, first: u32, len: u32, n: f32, below_zero: bool, x_sum: f32, scale: f32, low: f32
) -> Fit {
    var q1 = 0.0;
    var q2 = 0.0;
    var xq = 0.0;
    for (var i = first; i < first + len; i++) {
        let x = block_values[i];
        let q = nearest_level(x - low, scale, 0.0, n);
        q1 += q;
        q2 += q * q;
        xq += x * q;
    }
    let count = f32(len);
    let det = count * q2 - q1 * q1;
    if det <= 0.0 { return best; }
    var d = (count * xq - x_sum * q1) / det;
    var m = (q2 * x_sum - q1 * xq) / det;
    if below_zero && m > 0.0 {
        d = xq / q2;
        m = 0.0;
    }
    let gain = d * xq + m * x_sum;
    if gain > best.gain { return Fit(d, m, gain); }
    return best;
}
fn affine(first: u32, len: u32, n: f32, below_zero: bool) -> vec2<f32> {
    var low = block_values[first];
    var high = low;
    var x_sum = 0.0;
    for (var i = first; i < first + len; i++) {
        let x = block_values[i];
        low = min(low, x);
        high = max(high, x);
        x_sum += x;
    }
    if below_zero { low = min(low, 0.0); }
    let width = high - low;
    if width < 1e-9 { return vec2<f32>(0.0, low); }
    var best = Fit(width / n, low, -3.0e38);
    for (var step = -10; step <= 10; step++) {
        let scale = (n + 0.1 * f32(step)) / width;
        best = refit_affine(best, first, len, n, below_zero, x_sum, scale, low);
    }
    for (var again = 0; again < 2; again++) {
        let scale = inverse_of(best.step);
        best = refit_affine(best, first, len, n, below_zero, x_sum, scale, best.start);
    }
    return vec2<f32>(best.step, best.start);
}
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
