//! Q8_0: a half `d`, then 32 signed bytes; a value is `d · byte`.

#[cfg(target_arch = "aarch64")]
mod arm;
#[cfg(target_arch = "x86_64")]
mod x86;

use crate::{
    DType, Format, GROUP, Grouped, fit,
    halves::{half_at, put_half, scale_at},
    short::first,
    wgsl::Wgsl,
};

const LEN: usize = 32;
const BYTES: usize = 34;

/// The format of this module.
#[allow(non_camel_case_types)]
pub struct Q8_0;

impl Grouped for Q8_0 {
    const DTYPE: DType = DType::Q8_0;
    const OFFSET: i32 = 0;
    const MINS: bool = false;
    const HALVES: bool = false;
    const TOP: i32 = 128;
    const SIGNED: bool = true;
    const GROUPS: usize = LEN / GROUP;
    const BYTES: usize = BYTES;
}

impl Format for Q8_0 {
    const GGUF: u32 = 8;
    const WGSL: Wgsl = Wgsl {
        decode: include_str!("decode.wgsl"),
        encode: include_str!("encode.wgsl"),
        held: None,
    };

    type Block = [u8; BYTES];
    type Values = [f32; LEN];

    #[inline(always)]
    fn decode(block: &[u8; BYTES], values: &mut [f32; LEN]) {
        let d = half_at(block, 0);
        for (value, &byte) in values.iter_mut().zip(&block[2..]) {
            *value = d * f32::from(byte as i8);
        }
    }

    /// The peak becomes ±127: with 8 bits a search for a better scale gains next to nothing, and
    /// this one costs no more than a copy.
    #[inline(always)]
    fn encode(values: &[f32; LEN], block: &mut [u8; BYTES]) {
        block.fill(0);
        match fit::range(values) {
            fit::Range::NotFinite => {
                put_half(block, 0, f32::NAN);
            }
            fit::Range::Zero => {}
            fit::Range::Peak(peak) => {
                let d = (peak / 127.0).min(65504.0);
                put_half(block, 0, d);
                let inverse = 1.0 / d;
                for (byte, &x) in block[2..].iter_mut().zip(values) {
                    let x = (x * inverse).clamp(-127.0, 127.0);
                    // Halves away from zero: the largest float below 0.5 keeps 0.49999997 at 0.
                    *byte = (x + 0.499_999_97_f32.copysign(x)) as i8 as u8;
                }
            }
        }
    }

    #[inline(always)]
    fn scales(block: &[u8]) -> [[f32; 2]; 8] {
        first([scale_at(block, 0), 0.0])
    }

    #[inline(always)]
    fn levels(block: &[u8], _: usize) -> [i8; GROUP] {
        std::array::from_fn(|i| block[2 + i] as i8)
    }
}
