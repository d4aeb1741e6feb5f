// The sine and cosine of a product that may be large, from both parts of it.
fn turn(position: f32, frequency: f32) -> vec2<f32> {
    let angle = product(position, frequency);
    let q = quarter_turns(angle.x);
    var r = q.x + angle.y;
    var n = u32(q.y);
    if abs(angle.y) > 0.001 {
        // The low part of a very large angle is an angle of its own.
        let low = quarter_turns(angle.y);
        let both = quarter_turns(q.x + low.x);
        r = both.x;
        n = n + u32(low.y) + u32(both.y);
    }
    let s = sin_reduced(r);
    let c = cos_reduced(r);
    let odd = (n & 1u) != 0u;
    let sine = select(s, c, odd);
    let cosine = select(c, -s, odd);
    return select(vec2<f32>(sine, cosine), -vec2<f32>(sine, cosine), (n & 2u) != 0u);
}

// The same for a position that may have more bits than a float.
fn turn_at(position: u32, frequency: f32) -> vec2<f32> {
    let near = min(f32(position), 4294967040.0);
    let t = turn(near, frequency);
    let rest = bitcast<i32>(position - u32(near));
    if rest == 0 { return t; }
    let u = turn(f32(rest), frequency);
    return vec2<f32>(t.x * u.y + t.y * u.x, t.y * u.y - t.x * u.x);
}
