//! On the CPU: a group at a time, over its rows three times: mean, variance, result.

use super::GroupNorm;
use crate::layer_norm::{moments, not_below_zero, scale_and_shift};
use bessemer_core::{Shape, View, cpu::CpuContext};

pub(super) fn group_norm(op: &GroupNorm, cpu: &CpuContext<'_>) {
    if op.x.elements() == 0 {
        return;
    }
    let (x, out) = (rows_of_channels(&op.x), rows_of_channels(&op.out));
    let (x, out) = if x.shape() == out.shape() { (x, out) } else { (op.x.clone(), op.out.clone()) };
    let channels = x.shape()[1];
    let per_channel = |view: &Option<View>, other: f32| {
        let values = cpu.scratch(channels);
        match view {
            Some(view) => cpu.rows(view).load(0, values),
            None => values.fill(other),
        }
        &*values
    };
    let (weight, bias) = (per_channel(&op.weight, 1.0), per_channel(&op.bias, 0.0));
    let (rows, out, isa) = (cpu.rows(&x), cpu.out_rows(&out), cpu.isa());
    let width = rows.width();
    let channel_rows = rows.count() / x.shape()[0] / channels;
    let group_rows = channel_rows * (channels / op.groups);
    let len = (group_rows * width) as f64;
    let grain = 8192 / (group_rows * width) + 1;
    cpu.split_with(x.shape()[0] * op.groups, grain, width, |groups, buffer| {
        for group in groups {
            let members = group * group_rows..(group + 1) * group_rows;
            // Sums of many rows are kept in double precision.
            let mut pivot = 0.0;
            for row in members.clone() {
                pivot += f64::from(moments(isa, rows.get(row, buffer)).sum);
            }
            let pivot = (pivot / len) as f32;
            let (mut mean, mut squares) = (0.0, 0.0);
            for row in members.clone() {
                rows.load(row, buffer);
                scale_and_shift(isa, buffer, 1.0, -pivot);
                let sums = moments(isa, buffer);
                mean += f64::from(sums.sum) / len;
                squares += f64::from(sums.squares) / len;
            }
            let variance = not_below_zero((squares - mean * mean) as f32);
            let scale = 1.0 / (variance + op.epsilon).sqrt();
            for row in members {
                let channel = row / channel_rows % channels;
                // SAFETY: rows of this group are written by this task only.
                let out = unsafe { out.row(row) };
                out.compute(buffer, |out| {
                    rows.load(row, out);
                    scale_and_shift(isa, out, 1.0, -pivot);
                    let factor = scale * weight[channel];
                    scale_and_shift(isa, out, factor, bias[channel] - mean as f32 * factor);
                });
            }
        }
    });
}

/// A row per channel, where the strides allow it: long rows are faster.
fn rows_of_channels(view: &View) -> View {
    let shape = view.shape();
    let size = shape[2..].iter().product();
    let flat = Shape::new(&[shape[0], shape[1], size]).and_then(|shape| view.reshape(shape));
    flat.ok().flatten().unwrap_or_else(|| view.clone())
}
