//! Q5_0: a half `d`, 32 fifth bits, then 32 × 4 low bits as in Q4_0; a value is
//! `d · (level - 16)`.

#[cfg(target_arch = "aarch64")]
mod arm;
#[cfg(target_arch = "x86_64")]
mod x86;

use crate::{
    DType, Format, GROUP, Grouped,
    halves::{half_at, scale_at},
    q4_0,
    short::first,
    wgsl::Wgsl,
};

const LEN: usize = 32;
const BYTES: usize = 22;

/// The format of this module.
#[allow(non_camel_case_types)]
pub struct Q5_0;

impl Grouped for Q5_0 {
    const DTYPE: DType = DType::Q5_0;
    const OFFSET: i32 = 16;
    const MINS: bool = false;
    const HALVES: bool = false;
    const TOP: i32 = 31;
    const SIGNED: bool = false;
    const GROUPS: usize = LEN / GROUP;
    const BYTES: usize = BYTES;
}

impl Format for Q5_0 {
    const GGUF: u32 = 6;
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
        let levels = join(&block[2..]);
        for (value, level) in values.iter_mut().zip(levels) {
            *value = d * (f32::from(level) - 16.0);
        }
    }

    #[inline(always)]
    fn encode(values: &[f32; LEN], block: &mut [u8; BYTES]) {
        let levels = q4_0::levels(values, 16.0, block);
        split(&levels, &mut block[2..]);
    }

    #[inline(always)]
    fn scales(block: &[u8]) -> [[f32; 2]; 8] {
        first([scale_at(block, 0), 0.0])
    }

    #[inline(always)]
    fn levels(block: &[u8], _: usize) -> [i8; GROUP] {
        join(&block[2..22]).map(|level| level as i8)
    }
}

/// Levels from 4 bytes of fifth bits and 16 of low bits.
#[inline(always)]
pub(crate) fn join(bytes: &[u8]) -> [u8; LEN] {
    let high = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    let mut levels = [0; LEN];
    for i in 0..16 {
        levels[i] = bytes[4 + i] & 15 | ((high >> i & 1) << 4) as u8;
        levels[i + 16] = bytes[4 + i] >> 4 | ((high >> (i + 16) & 1) << 4) as u8;
    }
    levels
}

/// The reverse of [`join`].
#[inline(always)]
pub(crate) fn split(levels: &[u8; LEN], bytes: &mut [u8]) {
    let high = (0..LEN).fold(0, |bits, i| bits | u32::from(levels[i] >> 4) << i);
    bytes[..4].copy_from_slice(&high.to_le_bytes());
    for i in 0..16 {
        bytes[4 + i] = levels[i] & 15 | (levels[i + 16] & 15) << 4;
    }
}
