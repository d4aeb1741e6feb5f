//! Q5_K: as Q4_K, with 32 bytes of fifth bits before the low ones: bit `i` of byte `j` belongs to
//! value `j` of group `i`.

#[cfg(target_arch = "aarch64")]
mod arm;
#[cfg(target_arch = "x86_64")]
mod x86;

use crate::{
    DType, Format, GROUP, Grouped, k_scales,
    wgsl::{Held, Wgsl},
};

const LEN: usize = 256;
const BYTES: usize = 176;

/// The format of this module.
#[allow(non_camel_case_types)]
pub struct Q5_K;

impl Grouped for Q5_K {
    const DTYPE: DType = DType::Q5_K;
    const OFFSET: i32 = 0;
    const MINS: bool = true;
    const HALVES: bool = false;
    const TOP: i32 = 31;
    const SIGNED: bool = false;
    const GROUPS: usize = LEN / GROUP;
    const BYTES: usize = BYTES;
}

impl Format for Q5_K {
    const GGUF: u32 = 13;
    const WGSL: Wgsl = Wgsl {
        decode: concat!(include_str!("../k_scales/decode.wgsl"), include_str!("decode.wgsl")),
        encode: concat!(include_str!("../k_scales/encode.wgsl"), include_str!("encode.wgsl")),
        held: Some(Held {
            // As for Q4_K, and the fifth bits of all runs in 32 bytes more.
            pieces: &[("at", 8), ("at + 24u + 16u * (here_W >> 1u)", 16), ("at + 8u", 16)],
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
                let (fifth, byte) = (block[16 + j] >> (2 * i), block[48 + 32 * i + j]);
                let (a, b) = (byte & 15 | (fifth & 1) << 4, byte >> 4 | (fifth & 2) << 3);
                values[64 * i + j] = low.0 * f32::from(a) - low.1;
                values[64 * i + 32 + j] = high.0 * f32::from(b) - high.1;
            }
        }
    }

    #[inline(always)]
    fn encode(values: &[f32; LEN], block: &mut [u8; BYTES]) {
        let levels = k_scales::encode(values, 31.0, &mut block[..16]);
        block[16..48].fill(0);
        for i in 0..4 {
            for j in 0..32 {
                let (a, b) = (levels[64 * i + j], levels[64 * i + 32 + j]);
                block[16 + j] |= (a >> 4 | b >> 4 << 1) << (2 * i);
                block[48 + 32 * i + j] = a & 15 | (b & 15) << 4;
            }
        }
    }

    #[inline(always)]
    fn scales(block: &[u8]) -> [[f32; 2]; 8] {
        k_scales::scales(block)
    }

    #[inline(always)]
    fn levels(block: &[u8], group: usize) -> [i8; GROUP] {
        let levels = k_scales::nibbles(&block[48..], group);
        std::array::from_fn(|i| levels[i] | ((block[16 + i] >> group & 1) << 4) as i8)
    }
}
