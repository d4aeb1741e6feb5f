//! Q5_1: halves `d` and `m`, then 32 levels of 5 bits as in Q5_0; a value is `d · level + m`.

#[cfg(target_arch = "aarch64")]
mod arm;
#[cfg(target_arch = "x86_64")]
mod x86;

use crate::{
    DType, Format, GROUP, Grouped,
    halves::{half_at, scale_at},
    q4_1, q5_0,
    short::first,
    wgsl::Wgsl,
};

const LEN: usize = 32;
const BYTES: usize = 24;

/// The format of this module.
#[allow(non_camel_case_types)]
pub struct Q5_1;

impl Grouped for Q5_1 {
    const DTYPE: DType = DType::Q5_1;
    const OFFSET: i32 = 0;
    const MINS: bool = true;
    const HALVES: bool = false;
    const TOP: i32 = 31;
    const SIGNED: bool = false;
    const GROUPS: usize = LEN / GROUP;
    const BYTES: usize = BYTES;
}

impl Format for Q5_1 {
    const GGUF: u32 = 7;
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
        let levels = q5_0::join(&block[4..]);
        for (value, level) in values.iter_mut().zip(levels) {
            *value = d * f32::from(level) + m;
        }
    }

    #[inline(always)]
    fn encode(values: &[f32; LEN], block: &mut [u8; BYTES]) {
        let levels = q4_1::levels(values, 31.0, block);
        q5_0::split(&levels, &mut block[4..]);
    }

    #[inline(always)]
    fn scales(block: &[u8]) -> [[f32; 2]; 8] {
        first([scale_at(block, 0), scale_at(block, 2)])
    }

    #[inline(always)]
    fn levels(block: &[u8], _: usize) -> [i8; GROUP] {
        q5_0::join(&block[4..24]).map(|level| level as i8)
    }
}
