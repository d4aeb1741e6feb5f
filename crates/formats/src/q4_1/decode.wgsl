fn head_W(base: i32, q: u32) -> vec2<f32> {
    return unpack2x16float(word_W(base));
}
fn levels_W(base: i32, q: u32) -> vec4<f32> {
    let bits = (word_W(base + 2 + 2 * i32(q & 3u)) >> (q & 4u)) & 0x0f0f0f0fu;
    return vec4<f32>(unpack4xU8(bits));
}
