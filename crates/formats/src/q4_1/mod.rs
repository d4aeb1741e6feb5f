//! Q4_1: halves `d` and `m`, then 32 levels of 4 bits as in Q4_0; a value is `d · level + m`.

#[cfg(target_arch = "aarch64")]
mod arm;
#[cfg(target_arch = "x86_64")]
mod x86;

use crate::{
    DType, Format, GROUP, Grouped,
    fit::{self, affine, inverse, level},
    halves::{half_at, put_half, scale_at},
    short::{first, nibbles},
    wgsl::Wgsl,
};

const LEN: usize = 32;
const BYTES: usize = 20;

/// The format of this module.
#[allow(non_camel_case_types)]
pub struct Q4_1;

impl Grouped for Q4_1 {
    const DTYPE: DType = DType::Q4_1;
    const OFFSET: i32 = 0;
    const MINS: bool = true;
    const HALVES: bool = false;
    const TOP: i32 = 15;
    const SIGNED: bool = false;
    const GROUPS: usize = LEN / GROUP;
    const BYTES: usize = BYTES;
}

impl Format for Q4_1 {
    const GGUF: u32 = 3;
    const WGSL: Wgsl = Wgsl {
        decode: include_str!("decode.wgsl"),
        encode: concat!(include_str!("../short/encode.wgsl"), include_str!("encode.wgsl")),
        held: None,
    };

    type Block = [u8; BYTES];
    type Values = [f32; LEN];

    #[inline(always)]
    fn decode(block: &[u8; BYTES], values: &mut [f32; LEN]) {
        let (d, m) = (half_at(block, 0), half_at(block, 2));
        for i in 0..16 {
            values[i] = d * f32::from(block[4 + i] & 15) + m;
            values[i + 16] = d * f32::from(block[4 + i] >> 4) + m;
        }
    }

    #[inline(always)]
    fn encode(values: &[f32; LEN], block: &mut [u8; BYTES]) {
        let levels = levels(values, 15.0, block);
        for i in 0..16 {
            block[4 + i] = levels[i] | levels[i + 16] << 4;
        }
    }

    #[inline(always)]
    fn scales(block: &[u8]) -> [[f32; 2]; 8] {
        first([scale_at(block, 0), scale_at(block, 2)])
    }

    #[inline(always)]
    fn levels(block: &[u8], _: usize) -> [i8; GROUP] {
        nibbles(&block[4..20])
    }
}

/// Writes the scale and the minimum of a block and returns its levels `0..=n`.
#[inline(always)]
pub(crate) fn levels(values: &[f32; LEN], n: f32, block: &mut [u8]) -> [u8; LEN] {
    let peak = match fit::range(values) {
        fit::Range::NotFinite => {
            put_half(block, 0, f32::NAN);
            put_half(block, 2, 0.0);
            return [0; LEN];
        }
        fit::Range::Zero => {
            put_half(block, 0, 0.0);
            put_half(block, 2, 0.0);
            return [0; LEN];
        }
        fit::Range::Peak(peak) => peak,
    };
    let scaled = std::array::from_fn(|i| values[i] * (1.0 / peak));
    let (d, m) = affine(&scaled, n, false);
    let d = put_half(block, 0, d * peak) / peak;
    let m = put_half(block, 2, m * peak) / peak;
    scaled.map(|x| level(x - m, inverse(d), 0.0, n) as u8)
}
