//! Numbers of one dtype as another, on several threads.

use bessemer_core::DType;
use bessemer_formats::{Decode, Encode};
use bessemer_simd::Isa;
use half::{bf16, f16};
use std::{borrow::Cow, thread};

/// Elements that are converted at a time: what is between two dtypes stays in the cache.
const PIECE: usize = 1 << 14;

/// The bytes of a tensor with rows of `width` as `to`; the same bytes if it is that already.
///
/// Numbers that are not finite are refused: no block could hold its neighbours.
pub(super) fn convert(
    bytes: &[u8],
    from: DType,
    to: DType,
    width: usize,
    threads: usize,
) -> Result<Cow<'_, [u8]>, String> {
    if from == to {
        return Ok(Cow::Borrowed(bytes));
    }
    // Rows are whole blocks of both, so the tensor is one long run of them.
    let step = from.block_len().max(to.block_len());
    let elements = bytes.len() / from.block_bytes() * from.block_len();
    let sizes = |count: usize| Some((from.bytes_for(count)?, to.bytes_for(count)?));
    let (Some((_, size)), true) = (sizes(elements), width.is_multiple_of(step)) else {
        return Err(format!("has rows of {width} elements, not whole blocks of {from} and {to}"));
    };
    let mut out = vec![0; size];
    let share = elements.div_ceil(threads.max(1)).next_multiple_of(PIECE);
    let Some((from_share, to_share)) = sizes(share) else {
        return Err(format!("has rows of {width} elements, not whole blocks of {from} and {to}"));
    };
    let parts = bytes.chunks(from_share.max(1)).zip(out.chunks_mut(to_share.max(1)));
    let fine = thread::scope(|scope| {
        let work = |(bytes, out)| scope.spawn(move || convert_part(bytes, from, to, out));
        let workers: Vec<_> = parts.map(work).collect();
        workers.into_iter().all(|worker| worker.join().unwrap_or(false))
    });
    match fine {
        true => Ok(Cow::Owned(out)),
        false => Err("has infinite or NaN elements".to_owned()),
    }
}

/// Converts a run of whole blocks; `false` if a number is not finite.
fn convert_part(bytes: &[u8], from: DType, to: DType, out: &mut [u8]) -> bool {
    let isa = Isa::best();
    let mut values = vec![0.0; PIECE];
    let piece = |dtype: DType| PIECE / dtype.block_len() * dtype.block_bytes();
    for (bytes, out) in bytes.chunks(piece(from)).zip(out.chunks_mut(piece(to))) {
        let count = bytes.len() / from.block_bytes() * from.block_len();
        let values = &mut values[..count];
        read(isa, from, bytes, values);
        if !values.iter().all(|x| x.is_finite()) {
            return false;
        }
        write(isa, to, values, out);
    }
    true
}

fn read(isa: Isa, dtype: DType, bytes: &[u8], values: &mut [f32]) {
    match dtype {
        DType::F32 => {
            let numbers = bytes.as_chunks().0;
            values.iter_mut().zip(numbers).for_each(|(x, &b)| *x = f32::from_le_bytes(b));
        }
        DType::F16 => {
            let numbers = bytes.as_chunks().0;
            values.iter_mut().zip(numbers).for_each(|(x, &b)| *x = f16::from_le_bytes(b).to_f32());
        }
        DType::BF16 => {
            let numbers = bytes.as_chunks().0;
            values.iter_mut().zip(numbers).for_each(|(x, &b)| *x = bf16::from_le_bytes(b).to_f32());
        }
        _ => isa.run(Decode { dtype, bytes, values }),
    }
}

fn write(isa: Isa, dtype: DType, values: &[f32], bytes: &mut [u8]) {
    match dtype {
        DType::F32 => {
            let numbers = bytes.as_chunks_mut().0;
            numbers.iter_mut().zip(values).for_each(|(b, x)| *b = x.to_le_bytes());
        }
        DType::F16 => {
            let numbers = bytes.as_chunks_mut().0;
            // Beyond the largest half there is only infinity, which poisons whole rows.
            let half = |x: f32| f16::from_f32(x.clamp(-65504.0, 65504.0));
            numbers.iter_mut().zip(values).for_each(|(b, x)| *b = half(*x).to_le_bytes());
        }
        DType::BF16 => {
            let numbers = bytes.as_chunks_mut().0;
            numbers.iter_mut().zip(values).for_each(|(b, x)| *b = bf16::from_f32(*x).to_le_bytes());
        }
        _ => isa.run(Encode { dtype, values, bytes }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bessemer_core::Element;
    use bessemer_formats as formats;

    #[test]
    fn threads_make_no_difference_and_blocks_are_those_of_the_format() {
        let values: Vec<f32> = (0..3 * PIECE + 512).map(|i| (i as f32 * 0.37).sin()).collect();
        for to in DType::BLOCKS.into_iter().chain([DType::F16, DType::BF16]) {
            let one = convert(f32::as_bytes(&values), DType::F32, to, 256, 1).unwrap();
            let three = convert(f32::as_bytes(&values), DType::F32, to, 256, 3).unwrap();
            assert_eq!(one, three, "{to}");
            if to.is_block() {
                let mut wanted = vec![0; one.len()];
                formats::encode(to, &values, &mut wanted);
                assert_eq!(*one, *wanted, "{to}");
            }
            let back = convert(&one, to, DType::F32, 256, 2).unwrap();
            // Levels of three bits are up to 2/7 apart.
            let bound = if to == DType::Q3_K { 0.25 } else { 0.15 };
            let near = |(a, b): (&f32, &[u8; 4])| (a - f32::from_le_bytes(*b)).abs() < bound;
            assert!(values.iter().zip(back.as_chunks().0).all(near), "{to}");
        }
    }

    #[test]
    fn what_cannot_be_converted_is_refused() {
        let mut values = vec![1.0; 64];
        let refused = convert(f32::as_bytes(&values), DType::F32, DType::Q4_K, 64, 1);
        assert!(refused.unwrap_err().contains("64"));
        values[9] = f32::NAN;
        let refused = convert(f32::as_bytes(&values), DType::F32, DType::Q8_0, 64, 2);
        assert!(refused.unwrap_err().contains("infinite or NaN"));
        let same = convert(f32::as_bytes(&values), DType::F32, DType::F32, 64, 2).unwrap();
        assert!(matches!(same, Cow::Borrowed(_)));
    }
}
