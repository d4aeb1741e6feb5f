fn levels_W(base: i32, q: u32) -> vec4<f32> {
    let place = 2 * i32(q & 7u);
    let low = (word_W(base + 24 + 16 * i32(q >> 4u) + place) >> ((q & 8u) >> 1u)) & 0x0f0f0f0fu;
    let fifth = (word_W(base + 8 + place) >> (q >> 3u)) & 0x01010101u;
    return vec4<f32>(unpack4xU8(low | (fifth << 4u)));
}
