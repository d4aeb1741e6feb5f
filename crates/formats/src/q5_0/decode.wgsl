fn head_W(base: i32, q: u32) -> vec2<f32> {
    return vec2<f32>(half_value(half_W(base)), 0.0);
}
fn levels_W(base: i32, q: u32) -> vec4<f32> {
    let low = (word_W(base + 3 + 2 * i32(q & 3u)) >> (q & 4u)) & 0x0f0f0f0fu;
    let high = (word_W(base + 1) >> (4u * q)) & 15u;
    let fifth = ((high & 1u) << 4u) | ((high & 2u) << 11u) | ((high & 4u) << 18u) | ((high & 8u) << 25u);
    return vec4<f32>(unpack4xU8(low | fifth)) - 16.0;
}
