fn head_W(base: i32, q: u32) -> vec2<f32> {
    let number = q >> 2u;
    let both = half_W(base + 96 + i32(number >> 1u)) >> (8u * (number & 1u));
    let scale = f32(bitcast<i32>(both << 24u) >> 24u);
    return vec2<f32>(half_value(half_W(base + 104)) * scale, 0.0);
}
fn levels_W(base: i32, q: u32) -> vec4<f32> {
    let part = i32(q >> 5u);
    let k = (q >> 3u) & 3u;
    let place = 2 * i32(q & 7u);
    let low = word_W(base + 32 * part + 16 * i32(k & 1u) + place) >> (4u * (k >> 1u));
    let high = word_W(base + 64 + 16 * part + place) >> (2u * k);
    let bits = (low & 0x0f0f0f0fu) | ((high & 0x03030303u) << 4u);
    return vec4<f32>(unpack4xU8(bits)) - 32.0;
}
