var<private> scales_W: vec2<u32>;
fn levels_W(q: u32) -> vec4<f32> {
    let k = here_W & 3u;
    let low = (held_W[PIECE0 + q] >> (4u * (k >> 1u))) & 0x0f0f0f0fu;
    let high = (held_W[PIECE1 + q] >> (2u * k)) & 0x03030303u;
    return vec4<f32>(unpack4xU8(low | (high << 4u))) - 32.0;
}
fn head_W(q: u32) -> vec2<f32> {
    let scale = bitcast<i32>(scales_W.x << (24u - 8u * (q >> 2u))) >> 24u;
    return vec2<f32>(half_value(scales_W.y) * f32(scale), 0.0);
}
