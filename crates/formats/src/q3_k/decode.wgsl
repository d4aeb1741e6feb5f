fn head_W(base: i32, q: u32) -> vec2<f32> {
    let n = q >> 2u;
    let byte = 8u * (n & 1u);
    let low = (half_W(base + 48 + i32((n & 7u) >> 1u)) >> (byte + 4u * (n >> 3u))) & 15u;
    let top = (half_W(base + 52 + i32((n & 3u) >> 1u)) >> (byte + 2u * (n >> 2u))) & 3u;
    let scale = f32(i32(low | (top << 4u)) - 32);
    return vec2<f32>(half_value(half_W(base + 54)) * scale, 0.0);
}
fn levels_W(base: i32, q: u32) -> vec4<f32> {
    let group = q >> 3u;
    let place = 2 * i32(q & 7u);
    let low = (word_W(base + 16 + 16 * i32(group >> 2u) + place) >> (2u * (group & 3u))) & 0x03030303u;
    let third = (word_W(base + place) >> group) & 0x01010101u;
    return vec4<f32>(unpack4xU8(low | (third << 2u))) - 4.0;
}
