// Keys of two words, the low one first.
fn above(a: vec2<u32>, b: vec2<u32>) -> bool { return a.y > b.y || (a.y == b.y && a.x > b.x); }
fn same(a: vec2<u32>, b: vec2<u32>) -> bool { return all(a == b); }
fn most() -> vec2<u32> { return vec2<u32>(0xffffffffu, 0xffffffffu); }
fn kept_key(i: u32) -> vec2<u32> { return vec2<u32>(kept[2u * i], kept[2u * i + 1u]); }
fn keep_key(i: u32, key: vec2<u32>) {
    kept[2u * i] = key.x;
    kept[2u * i + 1u] = key.y;
}
