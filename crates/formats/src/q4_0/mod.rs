//! Q4_0: a half `d`, then 32 levels of 4 bits; a value is `d · (level - 8)`. Byte `i` holds levels
//! `i` (low) and `i + 16` (high).

#[cfg(target_arch = "aarch64")]
mod arm;
#[cfg(target_arch = "x86_64")]
mod x86;

use crate::{
    DType, Format, GROUP, Grouped,
    fit::{self, inverse, level, symmetric},
    halves::{half_at, put_half, scale_at},
    short::{first, nibbles},
    wgsl::Wgsl,
};

const LEN: usize = 32;
const BYTES: usize = 18;

/// The format of this module.
#[allow(non_camel_case_types)]
pub struct Q4_0;

impl Grouped for Q4_0 {
    const DTYPE: DType = DType::Q4_0;
    const OFFSET: i32 = 8;
    const MINS: bool = false;
    const HALVES: bool = false;
    const TOP: i32 = 15;
    const SIGNED: bool = false;
    const GROUPS: usize = LEN / GROUP;
    const BYTES: usize = BYTES;
}

impl Format for Q4_0 {
    const GGUF: u32 = 2;
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
            values[i] = d * (f32::from(block[2 + i] & 15) - 8.0);
            values[i + 16] = d * (f32::from(block[2 + i] >> 4) - 8.0);
        }
    }

    #[inline(always)]
    fn encode(values: &[f32; LEN], block: &mut [u8; BYTES]) {
        let levels = levels(values, 8.0, block);
        for i in 0..16 {
            block[2 + i] = levels[i] | levels[i + 16] << 4;
        }
    }

    #[inline(always)]
    fn scales(block: &[u8]) -> [[f32; 2]; 8] {
        first([scale_at(block, 0), 0.0])
    }

    #[inline(always)]
    fn levels(block: &[u8], _: usize) -> [i8; GROUP] {
        nibbles(&block[2..18])
    }
}

/// Writes the scale of a block of levels `-n..n` and returns the levels plus `n`.
#[inline(always)]
pub(crate) fn levels(values: &[f32; LEN], n: f32, block: &mut [u8]) -> [u8; LEN] {
    let peak = match fit::range(values) {
        fit::Range::NotFinite => {
            put_half(block, 0, f32::NAN);
            return [n as u8; LEN];
        }
        fit::Range::Zero => {
            put_half(block, 0, 0.0);
            return [n as u8; LEN];
        }
        fit::Range::Peak(peak) => peak,
    };
    let scaled = std::array::from_fn(|i| values[i] * (1.0 / peak));
    let d = put_half(block, 0, symmetric(&scaled, n) * peak) / peak;
    scaled.map(|x| (level(x, inverse(d), -n, n - 1.0) + n) as u8)
}
