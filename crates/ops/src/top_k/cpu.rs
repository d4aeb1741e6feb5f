//! On the CPU: one pass over each row for few elements, a selection for many.

use super::TopK;
use bessemer_core::{Layout, cpu::CpuContext};
use bessemer_simd::{Arch, Kernel};

/// Up to so many elements are kept in order while a row is looked at.
const FEW: usize = 256;

pub(super) fn top_k(op: &TopK, cpu: &CpuContext<'_>) {
    let (width, k) = (op.x.shape().width(), op.values.shape().width());
    if op.values.elements() == 0 {
        return;
    }
    let (x, isa) = (cpu.rows(&op.x), cpu.isa());
    let indices = cpu.output::<u32>(&op.indices);
    let first = ((op.indices.offset() - op.indices.range().start) / size_of::<u32>()) as isize;
    let places = Layout::new(op.indices.shape(), [op.indices.strides()]);
    let copied = if x.direct(0).is_some() { 0 } else { width };
    cpu.for_each_row_with(&op.values, 16384 / width + 1, copied + k, |i, out, buffer| {
        let (copy, largest) = buffer.split_at_mut(copied);
        let row = x.get(i, copy);
        let write = |places_of: &[u32], largest: &mut [f32]| {
            for (j, (&index, value)) in places_of.iter().zip(largest).enumerate() {
                *value = row[index as usize];
                let place = (first + places.offsets(i * k + j)[0]) as usize;
                // SAFETY: this element belongs to this row, which is in this task only.
                let target = unsafe { indices.range(place..place + 1) };
                target[0] = index;
            }
        };
        if k <= FEW {
            let mut kept = [0; FEW];
            isa.run(Few { row, kept: &mut kept[..k] });
            write(&kept[..k], largest);
        } else {
            write(&many(row, k), largest);
        }
        out.store(largest);
    });
}

/// A number in the order of elements: NaN above all, both zeros equal.
#[inline(always)]
fn rank(x: f32) -> i32 {
    let bits = (x + 0.0).to_bits() as i32;
    let rank = if bits < 0 { i32::MIN.wrapping_sub(bits) } else { bits };
    if x.is_nan() { i32::MAX } else { rank }
}

/// The places of the `k` largest, in order.
fn many(row: &[f32], k: usize) -> Vec<u32> {
    let order = |a: &u32, b: &u32| {
        let ranks = rank(row[*b as usize]).cmp(&rank(row[*a as usize]));
        ranks.then(a.cmp(b))
    };
    let mut places: Vec<u32> = (0..row.len() as u32).collect();
    if k < places.len() {
        places.select_nth_unstable_by(k, order);
        places.truncate(k);
    }
    places.sort_unstable_by(order);
    places
}

/// Fills `kept` with the places of the largest, in order.
struct Few<'a> {
    row: &'a [f32],
    kept: &'a mut [u32],
}

impl Kernel for Few<'_> {
    type Output = ();

    #[inline(always)]
    fn run<A: Arch>(self) {
        const CHUNK: usize = 64;
        let Few { row, kept } = self;
        let mut len = 0;
        let mut least = i32::MIN;
        for (number, chunk) in row.chunks(CHUNK).enumerate() {
            // Most chunks have nothing that is larger than what is kept.
            if let (true, Some(chunk)) = (len == kept.len(), chunk.as_array::<CHUNK>()) {
                let larger = chunk.map(|x| u32::from(rank(x) > least));
                if larger.iter().sum::<u32>() == 0 {
                    continue;
                }
            }
            for (i, &x) in chunk.iter().enumerate() {
                let own = rank(x);
                if len == kept.len() && own <= least {
                    continue;
                }
                // Behind all that are as large: those have lower indices.
                let at = kept[..len].partition_point(|&k| rank(row[k as usize]) >= own);
                len = (len + 1).min(kept.len());
                kept.copy_within(at..len - 1, at + 1);
                kept[at] = (number * CHUNK + i) as u32;
                least = rank(row[kept[len - 1] as usize]);
            }
        }
    }
}
