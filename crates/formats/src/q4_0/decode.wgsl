fn head_W(base: i32, q: u32) -> vec2<f32> {
    return vec2<f32>(half_value(half_W(base)), 0.0);
}
fn levels_W(base: i32, q: u32) -> vec4<f32> {
    let bits = (word_W(base + 1 + 2 * i32(q & 3u)) >> (q & 4u)) & 0x0f0f0f0fu;
    return vec4<f32>(unpack4xU8(bits)) - 8.0;
}
