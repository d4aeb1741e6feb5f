//! Q3_K: 32 bytes of third bits, 64 of low ones, 16 scales of 6 bits, a half `d`. A value of group `i`
//! (of 16) is `d · (scale[i] - 32) · (level - 4)`.
//!
//! Of value `32·g + j` the two low bits are bits `2·(g mod 4)` and the next of byte `32·(g div 4) + j`,
//! and the third is bit `g` of byte `j`. Scale `i` has its four low bits in byte `i mod 8`, the lower
//! half for `i < 8`, and its two high ones in byte `8 + i mod 4` from bit `2·(i div 4)` on.

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
const BYTES: usize = 110;

/// The format of this module.
#[allow(non_camel_case_types)]
pub struct Q3_K;

impl Grouped for Q3_K {
    const DTYPE: DType = DType::Q3_K;
    const OFFSET: i32 = 4;
    const MINS: bool = false;
    const HALVES: bool = true;
    const TOP: i32 = 7;
    const SIGNED: bool = false;
    const GROUPS: usize = LEN / GROUP;
    const BYTES: usize = BYTES;
}

impl Format for Q3_K {
    const GGUF: u32 = 11;
    const WGSL: Wgsl = Wgsl {
        decode: include_str!("decode.wgsl"),
        encode: include_str!("encode.wgsl"),
        held: Some(Held {
            // The third bits of all runs, the low bits of four; two scales in two halves, and one of all.
            pieces: &[("at", 16), ("at + 16u + 16u * (here_W >> 2u)", 16)],
            fetch: "let near = vec2<u32>(at + 48u + (here_W & 3u), at + 52u + (here_W & 1u));
    scales_W = vec3<u32>(half_W(near.x), half_W(near.y), half_W(at + 54u));",
            block: "",
            text: include_str!("held.wgsl"),
        }),
    };

    type Block = [u8; BYTES];
    type Values = [f32; LEN];

    #[inline(always)]
    fn decode(block: &[u8; BYTES], values: &mut [f32; LEN]) {
        let d = half_at(block, 108);
        let scales = unpack(block[96..108].try_into().expect("12 bytes"));
        for (group, values) in values.as_chunks_mut::<GROUP>().0.iter_mut().enumerate() {
            let low = &block[32 + 32 * (group / 4)..][..32];
            for (j, value) in values.iter_mut().enumerate() {
                let third = block[j] >> group & 1;
                let level = low[j] >> (2 * (group % 4)) & 3 | third << 2;
                let scale = d * f32::from(scales[2 * group + j / 16]);
                *value = scale * (f32::from(level) - 4.0);
            }
        }
    }

    #[inline(always)]
    fn encode(values: &[f32; LEN], block: &mut [u8; BYTES]) {
        block.fill(0);
        let peak = match fit::range(values) {
            fit::Range::NotFinite => {
                put_half(block, 108, f32::NAN);
                return;
            }
            fit::Range::Zero => return,
            fit::Range::Peak(peak) => peak,
        };
        let scaled: [f32; LEN] = std::array::from_fn(|i| values[i] * (1.0 / peak));
        let (groups, _) = scaled.as_chunks::<16>();
        let steps: [f32; 16] = std::array::from_fn(|i| symmetric(&groups[i], 4.0));
        let top = fit::furthest(&steps);
        // Scales reach from -32, so the largest step takes that one.
        let d = put_half(block, 108, top * peak / -32.0) / peak;
        for (i, group) in groups.iter().enumerate() {
            let scale = level(steps[i], inverse(d), -32.0, 31.0);
            let bits = (scale + 32.0) as u8;
            block[96 + i % 8] |= (bits & 15) << (4 * (i / 8));
            block[104 + i % 4] |= bits >> 4 << (2 * (i / 4));
            for (j, &x) in group.iter().enumerate() {
                let level = (level(x, inverse(d * scale), -4.0, 3.0) + 4.0) as u8;
                let (group, j) = (i / 2, 16 * (i % 2) + j);
                block[32 + 32 * (group / 4) + j] |= (level & 3) << (2 * (group % 4));
                block[j] |= level >> 2 << group;
            }
        }
    }

    #[inline(always)]
    fn scales(block: &[u8]) -> [[f32; 2]; 8] {
        let d = scale_at(block, 108);
        let scales = unpack(block[96..108].try_into().expect("12 bytes"));
        let scale = |i: usize| d * f32::from(scales[i]);
        std::array::from_fn(|i| [scale(2 * i), scale(2 * i + 1)])
    }

    #[inline(always)]
    fn levels(block: &[u8], group: usize) -> [i8; GROUP] {
        let low = &block[32 + 32 * (group / 4)..][..32];
        let level = |i: usize| low[i] >> (2 * (group % 4)) & 3 | (block[i] >> group & 1) << 2;
        std::array::from_fn(|i| level(i) as i8)
    }
}

/// The 16 scales of a block.
#[inline(always)]
fn unpack(packed: &[u8; 12]) -> [i8; 16] {
    // Four bytes at a time.
    let word =
        |i: usize| u32::from_le_bytes([packed[i], packed[i + 1], packed[i + 2], packed[i + 3]]);
    let (low, high) = ([word(0), word(4)], word(8));
    let mut scales = [0; 16];
    for (i, scales) in scales.as_chunks_mut::<4>().0.iter_mut().enumerate() {
        let fours = low[i % 2] >> (4 * (i / 2)) & 0x0f0f_0f0f;
        let twos = (high >> (2 * i) & 0x0303_0303) << 4;
        *scales = (fours | twos).to_le_bytes().map(|bits| bits as i8 - 32);
    }
    scales
}
