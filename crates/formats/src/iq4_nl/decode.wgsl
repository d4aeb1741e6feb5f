// The book as bytes, four in a word.
fn book_W(number: u32) -> u32 {
    let book = vec4<u32>(0xbfad9881u, 0xf6eaddcfu, 0x26190d01u, 0x71594535u);
    return (book[number >> 2u] >> (8u * (number & 3u))) & 0xffu;
}
fn head_W(base: i32, q: u32) -> vec2<f32> {
    return vec2<f32>(half_value(half_W(base)), 0.0);
}
fn levels_W(base: i32, q: u32) -> vec4<f32> {
    let n = unpack4xU8((word_W(base + 1 + 2 * i32(q & 3u)) >> (q & 4u)) & 0x0f0f0f0fu);
    let bytes = book_W(n.x) | (book_W(n.y) << 8u) | (book_W(n.z) << 16u) | (book_W(n.w) << 24u);
    return vec4<f32>(unpack4xI8(bytes));
}
