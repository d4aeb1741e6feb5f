//! Block formats in WGSL: four elements at a time, as levels and what they are multiplied by.

use bessemer_core::DType;

/// Functions for the blocks of operand `name`, whose first half of a word is at `base`:
/// `levels_NAME(base, q)` are elements `4q` to `4q + 3` as whole numbers, `head_NAME(base, q)` the
/// step and the start that make numbers of them.
pub(super) fn functions(name: &str, dtype: DType) -> String {
    let text = match dtype {
        DType::Q4_0 => Q4_0.to_owned(),
        DType::Q4_1 => Q4_1.to_owned(),
        DType::Q5_0 => Q5_0.to_owned(),
        DType::Q5_1 => Q5_1.to_owned(),
        DType::Q8_0 => Q8_0.to_owned(),
        DType::Q4_K => format!("{K_HEAD}{Q4_K}"),
        DType::Q5_K => format!("{K_HEAD}{Q5_K}"),
        _ => Q6_K.to_owned(),
    };
    text.replace("_W", &format!("_{name}"))
}

const Q4_0: &str = "fn head_W(base: i32, q: u32) -> vec2<f32> {
    return vec2<f32>(half_value(half_W(base)), 0.0);
}
fn levels_W(base: i32, q: u32) -> vec4<f32> {
    let bits = (word_W(base + 1 + 2 * i32(q & 3u)) >> (q & 4u)) & 0x0f0f0f0fu;
    return vec4<f32>(unpack4xU8(bits)) - 8.0;
}
";

const Q4_1: &str = "fn head_W(base: i32, q: u32) -> vec2<f32> {
    return unpack2x16float(word_W(base));
}
fn levels_W(base: i32, q: u32) -> vec4<f32> {
    let bits = (word_W(base + 2 + 2 * i32(q & 3u)) >> (q & 4u)) & 0x0f0f0f0fu;
    return vec4<f32>(unpack4xU8(bits));
}
";

const Q5_0: &str = "fn head_W(base: i32, q: u32) -> vec2<f32> {
    return vec2<f32>(half_value(half_W(base)), 0.0);
}
fn levels_W(base: i32, q: u32) -> vec4<f32> {
    let low = (word_W(base + 3 + 2 * i32(q & 3u)) >> (q & 4u)) & 0x0f0f0f0fu;
    let high = (word_W(base + 1) >> (4u * q)) & 15u;
    let fifth = ((high & 1u) << 4u) | ((high & 2u) << 11u) | ((high & 4u) << 18u) | ((high & 8u) << 25u);
    return vec4<f32>(unpack4xU8(low | fifth)) - 16.0;
}
";

const Q5_1: &str = "fn head_W(base: i32, q: u32) -> vec2<f32> {
    return unpack2x16float(word_W(base));
}
fn levels_W(base: i32, q: u32) -> vec4<f32> {
    let low = (word_W(base + 4 + 2 * i32(q & 3u)) >> (q & 4u)) & 0x0f0f0f0fu;
    let high = (word_W(base + 2) >> (4u * q)) & 15u;
    let fifth = ((high & 1u) << 4u) | ((high & 2u) << 11u) | ((high & 4u) << 18u) | ((high & 8u) << 25u);
    return vec4<f32>(unpack4xU8(low | fifth));
}
";

const Q8_0: &str = "fn head_W(base: i32, q: u32) -> vec2<f32> {
    return vec2<f32>(half_value(half_W(base)), 0.0);
}
fn levels_W(base: i32, q: u32) -> vec4<f32> {
    return vec4<f32>(unpack4xI8(word_W(base + 1 + 2 * i32(q))));
}
";

/// Both K formats start with two halves and 8 scales and minima of 6 bits.
pub(super) const K_HEAD: &str = "fn head_W(base: i32, q: u32) -> vec2<f32> {
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
";

const Q4_K: &str = "fn levels_W(base: i32, q: u32) -> vec4<f32> {
    let place = base + 8 + 16 * i32(q >> 4u) + 2 * i32(q & 7u);
    let bits = (word_W(place) >> ((q & 8u) >> 1u)) & 0x0f0f0f0fu;
    return vec4<f32>(unpack4xU8(bits));
}
";

const Q5_K: &str = "fn levels_W(base: i32, q: u32) -> vec4<f32> {
    let place = 2 * i32(q & 7u);
    let low = (word_W(base + 24 + 16 * i32(q >> 4u) + place) >> ((q & 8u) >> 1u)) & 0x0f0f0f0fu;
    let fifth = (word_W(base + 8 + place) >> (q >> 3u)) & 0x01010101u;
    return vec4<f32>(unpack4xU8(low | (fifth << 4u)));
}
";

const Q6_K: &str = "fn head_W(base: i32, q: u32) -> vec2<f32> {
    let number = q >> 2u;
    let both = half_W(base + 96 + i32(number >> 1u)) >> (8u * (number & 1u));
    let scale = f32(bitcast<i32>(both << 24u) >> 24u);
    return vec2<f32>(half_value(half_W(base + 104)) * scale, 0.0);
}
fn levels_W(base: i32, q: u32) -> vec4<f32> {
    let part = i32(q >> 5u);
    let k = (q >> 3u) & 3u;
    let place = 2 * i32(q & 7u);
    let low = word_W(base + 32 * part + 16 * i32(k & 1u) + place) >> (4u * (k >> 1u));
    let high = word_W(base + 64 + 16 * part + place) >> (2u * k);
    let bits = (low & 0x0f0f0f0fu) | ((high & 0x03030303u) << 4u);
    return vec4<f32>(unpack4xU8(bits)) - 32.0;
}
";
