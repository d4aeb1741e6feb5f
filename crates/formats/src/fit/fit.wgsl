// What encoders of blocks are made of, as the Rust beside this has it. The values of a block
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
