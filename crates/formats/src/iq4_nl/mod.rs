//! IQ4_NL: a half `d`, then 32 numbers of 4 bits as in Q4_0; a value is `d · BOOK[number]`. The values
//! of the book lie closer together around zero, where most weights are.

#[cfg(target_arch = "aarch64")]
mod arm;
mod fit;
#[cfg(target_arch = "x86_64")]
mod x86;

use crate::{
    DType, Format, GROUP, Grouped,
    fit::{Range, inverse, range},
    halves::{half_at, put_half, scale_at},
    short,
    wgsl::Wgsl,
};

const LEN: usize = 32;
const BYTES: usize = 18;

/// What the numbers stand for.
const BOOK: [i8; 16] = [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113];

/// The format of this module.
#[allow(non_camel_case_types)]
pub struct IQ4_NL;

impl Grouped for IQ4_NL {
    const DTYPE: DType = DType::IQ4_NL;
    const OFFSET: i32 = 0;
    const MINS: bool = false;
    const HALVES: bool = false;
    const TOP: i32 = 127;
    const SIGNED: bool = true;
    const GROUPS: usize = LEN / GROUP;
    const BYTES: usize = BYTES;
}

impl Format for IQ4_NL {
    const GGUF: u32 = 20;
    const WGSL: Wgsl = Wgsl {
        decode: include_str!("decode.wgsl"),
        encode: concat!(include_str!("../short/encode.wgsl"), include_str!("encode.wgsl")),
        held: None,
    };

    type Block = [u8; BYTES];
    type Values = [f32; LEN];

    #[inline(always)]
    fn decode(block: &[u8; BYTES], values: &mut [f32; LEN]) {
        let d = half_at(block, 0);
        for i in 0..16 {
            values[i] = d * f32::from(BOOK[usize::from(block[2 + i] & 15)]);
            values[i + 16] = d * f32::from(BOOK[usize::from(block[2 + i] >> 4)]);
        }
    }

    #[inline(always)]
    fn encode(values: &[f32; LEN], block: &mut [u8; BYTES]) {
        let (mut scaled, mut d) = ([0.0; LEN], 0.0);
        match range(values) {
            Range::NotFinite => {
                put_half(block, 0, f32::NAN);
            }
            Range::Zero => {
                put_half(block, 0, 0.0);
            }
            Range::Peak(peak) => {
                scaled = std::array::from_fn(|i| values[i] * (1.0 / peak));
                d = put_half(block, 0, fit::step(&scaled) * peak) / peak;
            }
        }
        let numbers = scaled.map(|x| fit::nearest(x * inverse(d)).0);
        for i in 0..16 {
            block[2 + i] = numbers[i] | numbers[i + 16] << 4;
        }
    }

    #[inline(always)]
    fn scales(block: &[u8]) -> [[f32; 2]; 8] {
        short::first([scale_at(block, 0), 0.0])
    }

    #[inline(always)]
    fn levels(block: &[u8], _: usize) -> [i8; GROUP] {
        short::nibbles(&block[2..18]).map(|number| BOOK[number as usize & 15])
    }
}
