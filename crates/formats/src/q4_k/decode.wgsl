fn levels_W(base: i32, q: u32) -> vec4<f32> {
    let place = base + 8 + 16 * i32(q >> 4u) + 2 * i32(q & 7u);
    let bits = (word_W(place) >> ((q & 8u) >> 1u)) & 0x0f0f0f0fu;
    return vec4<f32>(unpack4xU8(bits));
}
