//! The formats against an independent implementation's fixtures (`tests/fixtures/blocks`), and
//! the encoders against plain rounding.

use crate::*;
use bessemer_simd::Isa;

fn fixture(name: &str) -> Option<Vec<u8>> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/blocks");
    std::fs::read(format!("{folder}/{name}")).ok()
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    let (chunks, _) = bytes.as_chunks();
    chunks.iter().map(|&b| f32::from_le_bytes(b)).collect()
}

fn decoded(dtype: DType, bytes: &[u8]) -> Vec<f32> {
    let mut values = vec![0.0; bytes.len() / dtype.block_bytes() * dtype.block_len()];
    decode(dtype, bytes, &mut values);
    values
}

fn encoded(dtype: DType, values: &[f32]) -> Vec<u8> {
    let mut bytes = vec![0; dtype.bytes_for(values.len()).unwrap()];
    encode(dtype, values, &mut bytes);
    bytes
}

fn rms(a: &[f32], b: &[f32]) -> f64 {
    let sum: f64 = a.iter().zip(b).map(|(a, b)| f64::from(a - b).powi(2)).sum();
    (sum / a.len() as f64).sqrt()
}

/// Sums of uniform numbers with a heavy one now and then.
fn sample(len: usize) -> Vec<f32> {
    let mut state = 1u64;
    let mut uniform = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 40) as f32 / (1u64 << 24) as f32 - 0.5
    };
    (0..len)
        .map(|i| (uniform() + uniform() + uniform()) * if i % 61 == 0 { 3.0 } else { 1.0 })
        .collect()
}

#[test]
fn decoding_agrees_with_gguf() {
    for dtype in DType::BLOCKS {
        let blocks = fixture(&format!("{dtype}.blocks")).unwrap();
        let want = floats(&fixture(&format!("{dtype}.values")).unwrap());
        let got = decoded(dtype, &blocks);
        // The same product in another order may differ in its last bit.
        let close = |(a, b): (&f32, &f32)| (a - b).abs() <= 1e-6 * b.abs().max(1e-3);
        assert_eq!(want.len(), got.len());
        assert!(got.iter().zip(&want).all(close), "{dtype}");
    }
}

#[test]
fn encoding_is_no_worse_than_gguf() {
    let values = floats(&fixture("values").unwrap());
    let mut compared = 0;
    for dtype in DType::BLOCKS {
        if let Some(theirs) = fixture(&format!("{dtype}.encoded")) {
            let ours = encoded(dtype, &values);
            let error = |bytes: &[u8]| rms(&decoded(dtype, bytes), &values);
            assert!(error(&ours) <= error(&theirs), "{dtype}");
            assert!(dtype != DType::Q8_0 || ours == theirs, "{dtype}: the same bytes");
            compared += 1;
        }
    }
    assert_eq!(compared, 5);
}

#[test]
fn the_search_beats_plain_rounding() {
    let values = sample(256 * 40);
    // Plain rounding with exact scales: group length, levels, whether there is a minimum. The last
    // column is what the search must reach of its error.
    let formats = [
        (DType::Q4_0, 32, 8.0, false, 0.95),
        (DType::Q4_1, 32, 15.0, true, 0.95),
        (DType::Q5_0, 32, 16.0, false, 0.97),
        (DType::Q5_1, 32, 31.0, true, 0.97),
        (DType::Q4_K, 32, 15.0, true, 0.95),
        (DType::Q5_K, 32, 31.0, true, 0.99),
        (DType::Q6_K, 16, 32.0, false, 0.98),
        (DType::Q3_K, 16, 4.0, false, 0.95),
        // Its values lie where the numbers are: it beats even steps.
        (DType::IQ4_NL, 32, 8.0, false, 0.95),
    ];
    for (dtype, len, n, minimum, share) in formats {
        let mut plain = values.clone();
        for group in plain.chunks_mut(len) {
            let low = group.iter().fold(f32::INFINITY, |a, &b| a.min(b));
            let high = group.iter().fold(f32::NEG_INFINITY, |a, &b| a.max(b));
            let peak = if -low > high { low } else { high };
            for x in group {
                *x = if minimum {
                    let step = (high - low) / n;
                    ((*x - low) / step).round() * step + low
                } else {
                    let step = -peak / n;
                    (*x / step).round().clamp(-n, n - 1.0) * step
                };
            }
        }
        let got = rms(&decoded(dtype, &encoded(dtype, &values)), &values);
        let plain = rms(&plain, &values);
        println!("{dtype}: rms error {got:.5}, {:.3} of plain rounding", got / plain);
        assert!(got < share * plain, "{dtype}: {got} against {plain}");
    }
}

#[test]
fn every_instruction_set_gives_the_same_bytes_and_values() {
    let values = sample(1024);
    for dtype in DType::BLOCKS {
        let want = encoded(dtype, &values);
        for isa in Isa::here() {
            let mut bytes = vec![0; want.len()];
            isa.run(Encode { dtype, values: &values, bytes: &mut bytes });
            assert_eq!(bytes, want, "{dtype} {isa}");
            let mut back = vec![0.0; values.len()];
            isa.run(Decode { dtype, bytes: &bytes, values: &mut back });
            assert_eq!(back, decoded(dtype, &want), "{dtype} {isa}");
        }
    }
}

#[test]
fn what_is_not_finite_spoils_its_own_block_only() {
    for dtype in DType::BLOCKS {
        let len = dtype.block_len();
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let mut values = sample(3 * len);
            let clean = decoded(dtype, &encoded(dtype, &values));
            values[len + 5] = bad;
            let got = decoded(dtype, &encoded(dtype, &values));
            assert_eq!(got[..len], clean[..len], "{dtype}");
            assert!(got[len..2 * len].iter().all(|x| x.is_nan()), "{dtype}");
            assert_eq!(got[2 * len..], clean[2 * len..], "{dtype}");
        }
    }
}

#[test]
fn zero_tiny_constant_and_huge_blocks_stay_finite() {
    for dtype in DType::BLOCKS {
        let len = dtype.block_len();
        for value in [0.0, -0.0, 1e-40, 1e-20, 3e-8, 1e-5, 1.0, -7.5, 1e5, 1e9, -3e38, f32::MAX] {
            let got = decoded(dtype, &encoded(dtype, &vec![value; len]));
            assert!(got.iter().all(|x| x.is_finite()), "{dtype} {value}");
            if (1e-3..1e4).contains(&value.abs()) {
                let close = |x: &f32| (x - value).abs() <= 0.04 * value.abs();
                assert!(got.iter().all(close), "{dtype} {value}: {:?}", got[0]);
            }
        }
        let mut mixed = vec![1.0; len];
        mixed[3] = f32::MAX;
        mixed[4] = f32::MIN_POSITIVE;
        let got = decoded(dtype, &encoded(dtype, &mixed));
        assert!(got.iter().all(|x| x.is_finite()), "{dtype}");
    }
}

#[test]
#[should_panic(expected = "whole blocks")]
fn parts_of_blocks_are_refused() {
    decode(DType::Q4_0, &[0; 18], &mut [0.0; 31]);
}

/// Groups of every format, as kernels see them, mean what its blocks mean.
#[test]
fn groups_mean_what_blocks_mean() {
    for dtype in DType::BLOCKS {
        with_format!(dtype, F => agrees::<F>());
    }
}

fn agrees<F: Format>() {
    let block = finite_block::<F>(5);
    let mut want = vec![0.0; F::LEN];
    decode(F::DTYPE, &block, &mut want);
    let scales = F::scales(&block);
    for (group, want) in want.chunks(GROUP).enumerate() {
        let [d, m] = scales[group];
        for (i, level) in F::levels(&block, group).into_iter().enumerate() {
            let d = if F::HALVES && i >= 16 { m } else { d };
            let m = if F::MINS { m } else { 0.0 };
            assert_eq!(d * (f32::from(level) - F::OFFSET as f32) + m, want[i], "{}", F::DTYPE);
            assert!(i32::from(level).abs() <= F::TOP && (F::SIGNED || level >= 0), "{}", F::DTYPE);
        }
    }
}

/// A block of random bytes whose halves, wherever they are, are finite.
pub(crate) fn finite_block<F: Format>(seed: u32) -> Vec<u8> {
    let mut state = seed;
    let byte = || {
        state = state.wrapping_mul(1664525).wrapping_add(1013904223);
        (state >> 24) as u8 & 0x77
    };
    std::iter::repeat_with(byte).take(F::BYTES).collect()
}
