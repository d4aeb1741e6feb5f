fn word_block_W(i: i32) -> u32 { return held_W[i >> 1u]; }
fn levels_W(q: u32) -> vec4<f32> {
    let low = (held_W[PIECE1 + q] >> (4u * (here_W & 1u))) & 0x0f0f0f0fu;
    return vec4<f32>(unpack4xU8(low | (((held_W[PIECE2 + q] >> here_W) & 0x01010101u) << 4u)));
}
fn head_W(q: u32) -> vec2<f32> { return head_block_W(0, 8u * here_W); }
