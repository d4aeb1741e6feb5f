//! What vectors hold of a format, against what plain Rust says of it.

use super::{LANES, Order, STEP};
use crate::{DType, Format, GROUP, tests::finite_block, with_format};
use bessemer_simd::Isa;
use std::arch::x86_64::*;

fn bytes<T, const N: usize>(vector: T) -> [u8; N] {
    assert_eq!(size_of::<T>(), N);
    // SAFETY: as many bytes as the vector has, of which any are fine.
    unsafe { std::mem::transmute_copy(&vector) }
}

fn floats<T, const N: usize>(vector: T) -> [f32; N] {
    assert_eq!(size_of::<T>(), 4 * N);
    // SAFETY: as many floats as the vector has.
    unsafe { std::mem::transmute_copy(&vector) }
}

/// The levels of a group as AVX-512 has them.
fn raised<F: Format>(block: &[u8], group: usize) -> [u8; GROUP] {
    let raise = if F::SIGNED { 128 } else { 0 };
    F::levels(block, group).map(|level| (i32::from(level) + raise) as u8)
}

/// The levels of four groups in the order of a format.
fn ordered(order: Order, groups: [[u8; GROUP]; STEP]) -> [[u8; 64]; 2] {
    let half = |i: usize| groups[i / 2].as_chunks::<16>().0[i % 2];
    let places = match order {
        Order::Halves => [[0, 2, 4, 6], [1, 3, 5, 7]],
        Order::Turns => [[0, 1, 4, 5], [2, 3, 6, 7]],
        Order::Natural => [[0, 1, 2, 3], [4, 5, 6, 7]],
    };
    places.map(|places| places.map(half).concat().try_into().unwrap())
}

#[test]
fn avx2_unpacks_what_the_format_says() {
    if !Isa::here().any(|isa| isa == Isa::Avx2) {
        return;
    }
    for dtype in DType::BLOCKS {
        with_format!(dtype, F => avx2::<F>());
    }
}

fn avx2<F: Format>() {
    let block = finite_block::<F>(9);
    for group in 0..F::GROUPS {
        // SAFETY: the machine has AVX2, and it is a whole block.
        let levels: [u8; 32] = bytes(unsafe { F::levels256(block.as_ptr(), group) });
        assert_eq!(levels.map(|level| level as i8), F::levels(&block, group), "{}", F::DTYPE);
    }
    if F::GROUPS > 1 {
        // SAFETY: as above.
        let [low, high] = unsafe { F::scales256(block.as_ptr()) };
        assert_eq!([floats::<_, 8>(low), floats(high)].concat(), scales::<F>(&block));
    }
}

/// The scales of a block of eight groups, in the order of [`super::Vectors::scales256`].
fn scales<F: Format>(block: &[u8]) -> Vec<f32> {
    let scales = F::scales(block);
    match F::HALVES {
        true => scales.concat(),
        false => [0, 1].map(|i| scales.map(|scale| scale[i])).concat(),
    }
}

#[test]
fn avx512_unpacks_what_the_format_says() {
    if !Isa::here().any(|isa| isa == Isa::Avx512) {
        return;
    }
    for dtype in DType::BLOCKS {
        with_format!(dtype, F => {
            avx512::<F>();
            packs::<F>();
        });
    }
}

fn avx512<F: Format>() {
    let blocks: Vec<Vec<u8>> = (0..4).map(finite_block::<F>).collect();
    if F::GROUPS == 1 {
        // SAFETY: the machine has AVX-512, and they are whole blocks.
        let got = unsafe { F::levels512_of_blocks([0, 1, 2, 3].map(|i| blocks[i].as_ptr())) };
        let groups = [0, 1, 2, 3].map(|i| raised::<F>(&blocks[i], 0));
        assert_eq!(got.map(bytes), ordered(F::ORDER, groups), "{}", F::DTYPE);
        return;
    }
    let block = &blocks[1];
    for step in 0..F::GROUPS / STEP {
        // SAFETY: as above.
        let got = unsafe { F::levels512_of_step(block.as_ptr(), step) };
        let groups = [0, 1, 2, 3].map(|i| raised::<F>(block, STEP * step + i));
        assert_eq!(got.map(bytes), ordered(F::ORDER, groups), "{}", F::DTYPE);
    }
    // SAFETY: as above.
    let got: [f32; 16] = floats(unsafe { F::scales512(block.as_ptr()) });
    assert_eq!(got.to_vec(), scales::<F>(block), "{}", F::DTYPE);
    if F::MINS {
        let both = [blocks[2].clone(), blocks[3].clone()].concat();
        // SAFETY: two whole blocks.
        let (steps, lows) = unsafe { F::scales512_of_two(both.as_ptr()) };
        let want = [scales::<F>(&blocks[2]), scales::<F>(&blocks[3])];
        let part = |i: usize| want.clone().map(|scales| scales[8 * i..][..8].to_vec()).concat();
        assert_eq!(floats::<_, 16>(steps).to_vec(), part(0), "{}", F::DTYPE);
        let lows = floats::<_, 16>(lows).map(|low| 0.0 - low);
        assert_eq!(lows.to_vec(), part(1), "{}", F::DTYPE);
    }
}

/// Sixteen rows of two blocks, of which the second is laid out.
fn packs<F: Format>() {
    let rows: Vec<Vec<u8>> = (0..LANES as u32)
        .map(|i| [finite_block::<F>(i), finite_block::<F>(i + 50)].concat())
        .collect();
    let slices: [&[u8]; LANES] = std::array::from_fn(|i| rows[i].as_slice());
    let mut got = vec![[[0u8; 64]; 8]; F::GROUPS];
    let put = |group: usize, j: usize, levels: __m512i| got[group][j] = bytes(levels);
    // SAFETY: the machine has AVX-512, and all rows have two blocks.
    unsafe { F::pack512(&slices, F::BYTES, put) };
    for (group, got) in got.iter().enumerate() {
        for (i, row) in rows.iter().enumerate() {
            let levels = raised::<F>(&row[F::BYTES..], group);
            for (j, four) in levels.as_chunks::<4>().0.iter().enumerate() {
                assert_eq!(got[j][4 * i..][..4], *four, "{} row {i} group {group}", F::DTYPE);
            }
        }
    }
}
