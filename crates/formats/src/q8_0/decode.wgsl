fn head_W(base: i32, q: u32) -> vec2<f32> {
    return vec2<f32>(half_value(half_W(base)), 0.0);
}
fn levels_W(base: i32, q: u32) -> vec4<f32> {
    return vec4<f32>(unpack4xI8(word_W(base + 1 + 2 * i32(q))));
}
