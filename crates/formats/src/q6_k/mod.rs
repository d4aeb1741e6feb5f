//! Q6_K: 128 bytes of low bits, 64 of high ones, 16 signed scales, a half `d`. A value of group
//! `i` (of 16) is `d · scale[i] · (level - 32)`.
//!
//! Each half of the block (128 values) has 64 low bytes and 32 high ones. Value `32·k + j` of it
//! has its low bits in byte `32·(k mod 2) + j`, low part for `k < 2`, and its high ones in bits
//! `2k` and `2k + 1` of high byte `j`.

#[cfg(target_arch = "aarch64")]
mod arm;
#[cfg(target_arch = "x86_64")]
mod x86;

use crate::{
    DType, Format, GROUP, Grouped,
    fit::{self, inverse, level, symmetric},
    halves::{half_at, put_half, scale_at},
    wgsl::{Held, Wgsl},
};

const LEN: usize = 256;
const BYTES: usize = 210;

/// The format of this module.
#[allow(non_camel_case_types)]
pub struct Q6_K;

impl Grouped for Q6_K {
    const DTYPE: DType = DType::Q6_K;
    const OFFSET: i32 = 32;
    const MINS: bool = false;
    const HALVES: bool = true;
    const TOP: i32 = 63;
    const SIGNED: bool = false;
    const GROUPS: usize = LEN / GROUP;
    const BYTES: usize = BYTES;
}

impl Format for Q6_K {
    const GGUF: u32 = 14;
    const WGSL: Wgsl = Wgsl {
        decode: include_str!("decode.wgsl"),
        encode: include_str!("encode.wgsl"),
        held: Some(Held {
            // Four low bits of a run in 32 bytes, two high ones in 32 others; two scales, and one of all.
            pieces: &[
                ("at + 32u * (here_W >> 2u) + 16u * (here_W & 1u)", 16),
                ("at + 64u + 16u * (here_W >> 2u)", 16),
            ],
            fetch: "scales_W = vec2<u32>(half_W(at + 96u + here_W), half_W(at + 104u));",
            block: "",
            text: include_str!("held.wgsl"),
        }),
    };

    type Block = [u8; BYTES];
    type Values = [f32; LEN];

    #[inline(always)]
    fn decode(block: &[u8; BYTES], values: &mut [f32; LEN]) {
        let d = half_at(block, 208);
        for half in 0..2 {
            let (low, high) = (&block[64 * half..][..64], &block[128 + 32 * half..][..32]);
            let scales = &block[192 + 8 * half..][..8];
            for k in 0..4 {
                for j in 0..32 {
                    let bits = low[32 * (k % 2) + j] >> (4 * (k / 2)) & 15;
                    let level = bits | (high[j] >> (2 * k) & 3) << 4;
                    let scale = d * f32::from(scales[2 * k + j / 16] as i8);
                    values[128 * half + 32 * k + j] = scale * (f32::from(level) - 32.0);
                }
            }
        }
    }

    #[inline(always)]
    fn encode(values: &[f32; LEN], block: &mut [u8; BYTES]) {
        block.fill(0);
        let peak = match fit::range(values) {
            fit::Range::NotFinite => {
                put_half(block, 208, f32::NAN);
                return;
            }
            fit::Range::Zero => return,
            fit::Range::Peak(peak) => peak,
        };
        let scaled: [f32; LEN] = std::array::from_fn(|i| values[i] * (1.0 / peak));
        let (groups, _) = scaled.as_chunks::<16>();
        let steps: [f32; 16] = std::array::from_fn(|i| symmetric(&groups[i], 32.0));
        let top = fit::furthest(&steps);
        // Scales reach from -128, so the largest step takes that one.
        let d = put_half(block, 208, top * peak / -128.0) / peak;
        let mut levels = [32u8; LEN];
        for (i, group) in groups.iter().enumerate() {
            let scale = level(steps[i], inverse(d), -128.0, 127.0);
            block[192 + i] = scale as i8 as u8;
            for (out, &x) in levels[16 * i..][..16].iter_mut().zip(group) {
                *out = (level(x, inverse(d * scale), -32.0, 31.0) + 32.0) as u8;
            }
        }
        for half in 0..2 {
            for k in 0..4 {
                for j in 0..32 {
                    let level = levels[128 * half + 32 * k + j];
                    block[64 * half + 32 * (k % 2) + j] |= (level & 15) << (4 * (k / 2));
                    block[128 + 32 * half + j] |= level >> 4 << (2 * k);
                }
            }
        }
    }

    #[inline(always)]
    fn scales(block: &[u8]) -> [[f32; 2]; 8] {
        let d = scale_at(block, 208);
        let scale = |i: usize| d * f32::from(block[192 + i] as i8);
        std::array::from_fn(|i| [scale(2 * i), scale(2 * i + 1)])
    }

    #[inline(always)]
    fn levels(block: &[u8], group: usize) -> [i8; GROUP] {
        let (half, k) = (group / 4, group % 4);
        let low = &block[64 * half + 32 * (k % 2)..][..32];
        let high = &block[128 + 32 * half..][..32];
        let level = |i: usize| low[i] >> (4 * (k / 2)) & 15 | (high[i] >> (2 * k) & 3) << 4;
        std::array::from_fn(|i| level(i) as i8)
    }
}
