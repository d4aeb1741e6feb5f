//! What is measured of products and of weights: linear layers in every format, experts, matmul,
//! dot, quantising.

use super::work::Work;
use bessemer::{
    DType::{self, BF16, F16, F32, Q4_K, Q8_0},
    ops::{Dequantize, Dot, ExpertLinear, Linear, Matmul, Quantize},
};

pub(super) fn all() -> Vec<Work> {
    let weights = || [F32, F16, BF16].into_iter().chain(DType::BLOCKS);
    let mut all: Vec<Work> = weights().map(|weight| linear(weight, 1, 4096)).collect();
    all.extend(weights().map(|weight| linear(weight, 512, 2048)));
    // As models of 30 billion parameters, 3 of them active, have them.
    all.extend([Q4_K, Q8_0].map(|weight| experts(weight, 1)));
    all.extend([Q4_K, Q8_0].map(|weight| experts(weight, 512)));
    all.extend([256, 1024, 2048].map(matmul));
    all.push(dot(1 << 24));
    all.extend(DType::BLOCKS.map(|blocks| quantize(blocks, [1024, 4096])));
    all.extend(DType::BLOCKS.map(|blocks| dequantize(blocks, [4096, 4096])));
    all
}

pub(crate) fn linear(weight: DType, rows: usize, size: usize) -> Work {
    let name = format!("{weight} [{size}, {size}], rows of f32: {rows}");
    let work = Work::new("linear", name, move |o| {
        Ok(Linear {
            x: o.input(F32, &[rows, size])?,
            weight: o.input(weight, &[size, size])?,
            bias: None,
            out: o.output(F32, &[rows, size])?,
        })
    });
    if weight.is_block() { work.in_integers() } else { work }
}

fn experts(weight: DType, rows: usize) -> Work {
    let (experts, used, k, n) = (128, 8, 2048, 768);
    let name = format!("{weight} {used} of [{experts}, {n}, {k}], rows of f32: {rows}");
    Work::new("expert_linear", name, move |o| {
        Ok(ExpertLinear {
            x: o.input(F32, &[rows, k])?,
            weight: o.input(weight, &[experts, n, k])?,
            ids: o.indices(&[rows, used], experts)?,
            out: o.output(F32, &[rows, used, n])?,
        })
    })
    .in_integers()
}

pub(crate) fn matmul(size: usize) -> Work {
    Work::new("matmul", format!("f32 [{size}, {size}] by itself"), move |o| {
        Ok(Matmul {
            a: o.input(F32, &[size, size])?,
            b: o.input(F32, &[size, size])?,
            out: o.output(F32, &[size, size])?,
        })
    })
}

fn dot(len: usize) -> Work {
    Work::new("dot", format!("f32 [{len}]"), move |o| {
        Ok(Dot { a: o.input(F32, &[len])?, b: o.input(F32, &[len])?, out: o.output(F32, &[])? })
    })
}

fn quantize(blocks: DType, dims: [usize; 2]) -> Work {
    Work::new("quantize", format!("f32 → {blocks} {dims:?}"), move |o| {
        Ok(Quantize { x: o.input(F32, &dims)?, out: o.output(blocks, &dims)? })
    })
}

fn dequantize(blocks: DType, dims: [usize; 2]) -> Work {
    Work::new("dequantize", format!("{blocks} → f32 {dims:?}"), move |o| {
        Ok(Dequantize { x: o.input(blocks, &dims)?, out: o.output(F32, &dims)? })
    })
}
