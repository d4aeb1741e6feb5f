fn value_of_book(number: u32) -> f32 {
    let book = vec4<u32>(0xbfad9881u, 0xf6eaddcfu, 0x26190d01u, 0x71594535u);
    return f32(bitcast<i32>(book[number >> 2u] << (24u - 8u * (number & 3u))) >> 24u);
}
// The number of the nearest value of the book.
fn nearest_of_book(y: f32) -> u32 {
    var number = 0u;
    var low = -127.0;
    for (var i = 1u; i < 16u; i++) {
        let high = value_of_book(i);
        if y > (low + high) * 0.5 { number = i; }
        low = high;
    }
    return number;
}
fn refit_book(best: Fit, scale: f32) -> Fit {
    var xq = 0.0;
    var qq = 0.0;
    for (var i = 0u; i < 32u; i++) {
        let x = block_values[i];
        let q = value_of_book(nearest_of_book(x * scale));
        xq += x * q;
        qq += q * q;
    }
    if xq * xq > best.gain * qq { return Fit(xq / qq, 0.0, xq * xq / qq); }
    return best;
}
fn step_of_book() -> f32 {
    var peak = 0.0;
    for (var i = 0u; i < 32u; i++) {
        if abs(block_values[i]) > abs(peak) { peak = block_values[i]; }
    }
    var best = Fit(-peak / 127.0, 0.0, 0.0);
    for (var step = -8; step <= 5; step++) {
        let more = 2.5 * f32(step);
        best = refit_book(best, -(127.0 + more) / peak);
        best = refit_book(best, (113.0 + more) / peak);
    }
    for (var again = 0; again < 2; again++) {
        best = refit_book(best, inverse_of(best.step));
    }
    return best.step;
}
fn block() {
    let bits = peak_bits();
    let peak = bitcast<f32>(bits);
    var d = 0.0;
    put_half(0u, 0.0);
    if bits >= 0x7f800000u { put_nan(0u); }
    if bits < 0x7f800000u && peak >= 1e-12 {
        scale_values(1.0 / peak);
        d = put_half(0u, step_of_book() * peak) / peak;
    } else {
        for (var i = 0u; i < 32u; i++) { block_values[i] = 0.0; }
    }
    let inverse = inverse_of(d);
    for (var i = 0u; i < 32u; i++) { block_levels[i] = nearest_of_book(block_values[i] * inverse); }
    pack_nibbles(2u);
}
