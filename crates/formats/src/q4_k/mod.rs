//! Q4_K: halves `d` and `dmin`, eight 6-bit scales and minima, then 256 levels of 4 bits. A value
//! of group `i` (of 32) is `d · scale[i] · level - dmin · min[i]`. Of each 32 bytes, the low halves
//! are one group and the high halves the next.

#[cfg(target_arch = "aarch64")]
mod arm;
#[cfg(target_arch = "x86_64")]
mod x86;

use crate::{
    DType, Format, GROUP, Grouped, k_scales,
    wgsl::{Held, Wgsl},
};

const LEN: usize = 256;
const BYTES: usize = 144;

/// The format of this module.
#[allow(non_camel_case_types)]
pub struct Q4_K;

impl Grouped for Q4_K {
    const DTYPE: DType = DType::Q4_K;
    const OFFSET: i32 = 0;
    const MINS: bool = true;
    const HALVES: bool = false;
    const TOP: i32 = 15;
    const SIGNED: bool = false;
    const GROUPS: usize = LEN / GROUP;
    const BYTES: usize = BYTES;
}

impl Format for Q4_K {
    const GGUF: u32 = 12;
    const WGSL: Wgsl = Wgsl {
        decode: concat!(include_str!("../k_scales/decode.wgsl"), include_str!("decode.wgsl")),
        encode: concat!(include_str!("../k_scales/encode.wgsl"), include_str!("encode.wgsl")),
        held: Some(Held {
            // 16 bytes of scales, then a run in the low bits of 32 bytes and the next in the high ones.
            pieces: &[("at", 8), ("at + 8u + 16u * (here_W >> 1u)", 16)],
            fetch: "",
            block: include_str!("../k_scales/decode.wgsl"),
            text: include_str!("held.wgsl"),
        }),
    };

    type Block = [u8; BYTES];
    type Values = [f32; LEN];

    #[inline(always)]
    fn decode(block: &[u8; BYTES], values: &mut [f32; LEN]) {
        let groups = k_scales::decode(block);
        for i in 0..4 {
            let (low, high) = (groups[2 * i], groups[2 * i + 1]);
            for j in 0..32 {
                let byte = block[16 + 32 * i + j];
                values[64 * i + j] = low.0 * f32::from(byte & 15) - low.1;
                values[64 * i + 32 + j] = high.0 * f32::from(byte >> 4) - high.1;
            }
        }
    }

    #[inline(always)]
    fn encode(values: &[f32; LEN], block: &mut [u8; BYTES]) {
        let levels = k_scales::encode(values, 15.0, &mut block[..16]);
        for i in 0..4 {
            for j in 0..32 {
                block[16 + 32 * i + j] = levels[64 * i + j] | levels[64 * i + 32 + j] << 4;
            }
        }
    }

    #[inline(always)]
    fn scales(block: &[u8]) -> [[f32; 2]; 8] {
        k_scales::scales(block)
    }

    #[inline(always)]
    fn levels(block: &[u8], group: usize) -> [i8; GROUP] {
        k_scales::nibbles(&block[16..], group)
    }
}
