var<private> scales_W: vec3<u32>;
fn levels_W(q: u32) -> vec4<f32> {
    let low = (held_W[PIECE1 + q] >> (2u * (here_W & 3u))) & 0x03030303u;
    let third = (held_W[PIECE0 + q] >> here_W) & 0x01010101u;
    return vec4<f32>(unpack4xU8(low | (third << 2u))) - 4.0;
}
fn head_W(q: u32) -> vec2<f32> {
    let byte = 8u * (q >> 2u);
    let low = (scales_W.x >> (byte + 4u * (here_W >> 2u))) & 15u;
    let top = (scales_W.y >> (byte + 2u * (here_W >> 1u))) & 3u;
    let scale = f32(i32(low | (top << 4u)) - 32);
    return vec2<f32>(half_value(scales_W.z) * scale, 0.0);
}
