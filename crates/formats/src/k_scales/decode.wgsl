// Both K formats of 4 and 5 bits start with two halves and 8 scales and minima of 6 bits.
fn head_W(base: i32, q: u32) -> vec2<f32> {
    let both = unpack2x16float(word_W(base));
    let group = q >> 3u;
    let shift = 8u * (group & 3u);
    let a = word_W(base + 2) >> shift;
    let b = word_W(base + 4) >> shift;
    var scale = a & 63u;
    var low = b & 63u;
    if group >= 4u {
        let c = word_W(base + 6) >> shift;
        scale = (c & 15u) | (((a >> 6u) & 3u) << 4u);
        low = ((c >> 4u) & 15u) | (((b >> 6u) & 3u) << 4u);
    }
    return vec2<f32>(both.x * f32(scale), -(both.y * f32(low)));
}
