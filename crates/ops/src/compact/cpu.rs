//! On the CPU: the true elements of pieces of the mask are counted, so that all threads know where the
//! rows of their pieces go.

use super::Compact;
use bessemer_core::{
    DType, Element, Real, View,
    cpu::{CpuContext, Output},
};
use bessemer_simd::{Arch, Isa, Kernel};
use std::ops::Range;

/// Elements of a piece.
const PIECE: usize = 1 << 13;

pub(super) fn compact(op: &Compact, cpu: &CpuContext<'_>) {
    if op.out.elements() == 0 {
        return;
    }
    let mask = gapless(op, cpu);
    let pieces = Pieces::new(mask, op.out.shape()[0], cpu);
    let Some(x) = &op.x else {
        let isa = cpu.isa();
        return match op.out.dtype() {
            DType::I64 => pieces.each(cpu, Places::<i64> { out: Column::new(&op.out, cpu), isa }),
            _ => pieces.each(cpu, Places::<u32> { out: Column::new(&op.out, cpu), isa }),
        };
    };
    match x.dtype().block_bytes() {
        1 => rows::<u8>(op, x, cpu, &pieces),
        2 => rows::<u16>(op, x, cpu, &pieces),
        4 => rows::<u32>(op, x, cpu, &pieces),
        _ => rows::<u64>(op, x, cpu, &pieces),
    }
}

/// The mask, in place or copied.
fn gapless<'c>(op: &Compact, cpu: &'c CpuContext<'_>) -> &'c [u8] {
    let (mask, step) = (cpu.slice::<u8>(&op.mask), op.mask.strides()[0]);
    if op.mask.is_contiguous() {
        return mask;
    }
    let (copy, first) = (cpu.scratch::<u8>(op.mask.elements()), op.mask.lead() as isize);
    for (i, to) in copy.iter_mut().enumerate() {
        *to = mask[(first + i as isize * step) as usize];
    }
    copy
}

/// Pieces of a mask, and where the rows that each selects go.
struct Pieces<'a> {
    mask: &'a [u8],
    starts: Vec<usize>,
}

impl<'a> Pieces<'a> {
    fn new(mask: &'a [u8], room: usize, cpu: &CpuContext<'_>) -> Pieces<'a> {
        let (count, isa) = (mask.len().div_ceil(PIECE), cpu.isa());
        let mut starts = vec![0; count + 1];
        let counts = Output::of(&mut starts[1..]);
        let short = mask.len() < 4 * PIECE;
        cpu.share(if short { 1 } else { count }, true, |task| {
            for piece in if short { 0..count } else { task..task + 1 } {
                let part = &mask[range(piece, mask.len())];
                // SAFETY: each count is in one task only.
                let at = unsafe { counts.range(piece..piece + 1) };
                at[0] = isa.run(Count(part));
            }
        });
        let mut total = 0;
        for start in &mut starts {
            total += *start;
            *start = total.min(room);
        }
        Pieces { mask, starts }
    }

    /// Calls `work` with the number of the first element of each piece, the piece, and where its rows go.
    fn each(&self, cpu: &CpuContext<'_>, work: impl Work) {
        cpu.share(self.starts.len() - 1, true, |piece| {
            let part = range(piece, self.mask.len());
            let to = self.starts[piece]..self.starts[piece + 1];
            // SAFETY: no two pieces write the same rows.
            unsafe { work.piece(part.start, &self.mask[part], to) };
        });
    }
}

fn range(piece: usize, len: usize) -> Range<usize> {
    piece * PIECE..len.min((piece + 1) * PIECE)
}

/// What is done with a piece.
trait Work: Sync {
    /// # Safety
    /// No other task may write these rows.
    unsafe fn piece(&self, first: usize, mask: &[u8], to: Range<usize>);
}

/// True elements of a piece.
struct Count<'a>(&'a [u8]);

impl Kernel for Count<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<A: Arch>(self) -> usize {
        // Bytes count up to 255 before they are added to something wider.
        let mut total = 0;
        for part in self.0.chunks(64 * 255) {
            let mut lanes = [0u8; 64];
            let (groups, rest) = part.as_chunks::<64>();
            for group in groups {
                for (lane, &x) in lanes.iter_mut().zip(group) {
                    *lane += u8::from(x != 0);
                }
            }
            total += lanes.iter().map(|&lane| usize::from(lane)).sum::<usize>();
            total += rest.iter().filter(|&&x| x != 0).count();
        }
        total
    }
}

/// Elements of one column.
struct Column<'a, T> {
    all: Output<'a, T>,
    first: isize,
    step: isize,
}

impl<'a, T: Element> Column<'a, T> {
    fn new(view: &View, cpu: &'a CpuContext<'_>) -> Column<'a, T> {
        let step = if view.shape()[0] <= 1 { 1 } else { view.strides()[0] };
        Column { all: cpu.output(view), first: view.lead() as isize, step }
    }

    /// # Safety
    /// No other task may write these rows.
    #[allow(clippy::mut_from_ref)]
    unsafe fn rows(&self, to: Range<usize>) -> Option<&mut [T]> {
        let first = self.first as usize;
        // SAFETY: as the caller promises.
        (self.step == 1).then(|| unsafe { self.all.range(first + to.start..first + to.end) })
    }

    /// # Safety
    /// No other task may write this row.
    unsafe fn put(&self, row: usize, value: T) {
        let place = (self.first + row as isize * self.step) as usize;
        // SAFETY: as the caller promises.
        let out = unsafe { self.all.range(place..place + 1) };
        out[0] = value;
    }
}

/// The places themselves.
struct Places<'a, I> {
    out: Column<'a, I>,
    isa: Isa,
}

impl<I: Real> Work for Places<'_, I> {
    unsafe fn piece(&self, first: usize, mask: &[u8], to: Range<usize>) {
        let places: [I; PIECE] = std::array::from_fn(|i| I::from_f64((first + i) as f64));
        // SAFETY: as the caller promises.
        if let Some(out) = unsafe { self.out.rows(to.clone()) } {
            return pack(self.isa, &places[..mask.len()], mask, out);
        }
        let selected = mask.iter().zip(&places).filter(|&(&x, _)| x != 0);
        for (row, (_, &place)) in to.zip(selected) {
            // SAFETY: as the caller promises.
            unsafe { self.out.put(row, place) };
        }
    }
}

/// Rows that are one element.
struct Elements<'a, T> {
    x: &'a [T],
    first: isize,
    step: isize,
    out: Column<'a, T>,
    isa: Isa,
}

impl<T: Element> Work for Elements<'_, T> {
    unsafe fn piece(&self, first: usize, mask: &[u8], to: Range<usize>) {
        // SAFETY: as the caller promises.
        if let (1, Some(out)) = (self.step, unsafe { self.out.rows(to.clone()) }) {
            let x = &self.x[self.first as usize + first..][..mask.len()];
            return pack(self.isa, x, mask, out);
        }
        let selected = mask.iter().enumerate().filter(|&(_, &x)| x != 0);
        for (row, (i, _)) in to.zip(selected) {
            let x = self.x[(self.first + (first + i) as isize * self.step) as usize];
            // SAFETY: as the caller promises.
            unsafe { self.out.put(row, x) };
        }
    }
}

/// Rows of several elements.
struct Wide<'a> {
    x: bessemer_core::cpu::Rows<'a>,
    out: bessemer_core::cpu::OutRows<'a>,
}

impl Work for Wide<'_> {
    unsafe fn piece(&self, first: usize, mask: &[u8], to: Range<usize>) {
        let selected = mask.iter().enumerate().filter(|&(_, &x)| x != 0);
        for (row, (i, _)) in to.zip(selected) {
            // SAFETY: as the caller promises.
            unsafe { self.out.row(row) }.copy(&self.x, first + i, &mut []);
        }
    }
}

fn rows<T: Element>(op: &Compact, x: &View, cpu: &CpuContext<'_>, pieces: &Pieces<'_>) {
    if x.shape()[1] != 1 {
        return pieces.each(cpu, Wide { x: cpu.rows(x), out: cpu.out_rows(&op.out) });
    }
    let step = if x.shape()[0] <= 1 { 1 } else { x.strides()[0] };
    let (all, first) = (cpu.slice::<T>(x), x.lead() as isize);
    let out = Column::new(&op.out, cpu);
    pieces.each(cpu, Elements { x: all, first, step, out, isa: cpu.isa() });
}

/// Elements where the mask is true, as many as there is room for.
fn pack<T: Element>(isa: Isa, x: &[T], mask: &[u8], out: &mut [T]) {
    let mut done = (0, 0);
    #[cfg(target_arch = "x86_64")]
    if isa == Isa::Avx512 && size_of::<T>() == 4 {
        // SAFETY: the machine has it; elements are 32 bits.
        done = unsafe { pack512(x.as_ptr().cast(), mask, out.as_mut_ptr().cast(), out.len()) };
    }
    let _ = isa;
    let (start, mut end) = done;
    for (&x, &selected) in x[start..].iter().zip(&mask[start..]) {
        if end == out.len() {
            break;
        }
        // Written in any case, over what was not meant: no branch that nobody can foresee.
        out[end] = x;
        end += usize::from(selected != 0);
    }
}

/// Whole vectors of it, as far as there is room for whole vectors: how many elements are done, and how
/// many of them were written.
///
/// # Safety
/// There are as many elements as the mask has, room for so many, and the machine has AVX-512.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn pack512(x: *const u32, mask: &[u8], out: *mut u32, room: usize) -> (usize, usize) {
    use std::arch::x86_64::*;
    let (mut at, mut end) = (0, 0);
    while at + 16 <= mask.len() && end + 16 <= room {
        // SAFETY: a whole vector lies within all three.
        unsafe {
            let selected = _mm_loadu_si128(mask.as_ptr().add(at).cast());
            let selected = _mm_test_epi8_mask(selected, selected);
            let packed =
                _mm512_maskz_compress_epi32(selected, _mm512_loadu_si512(x.add(at).cast()));
            _mm512_storeu_si512(out.add(end).cast(), packed);
            end += selected.count_ones() as usize;
        }
        at += 16;
    }
    (at, end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_written_behind_the_room() {
        let (x, mask): (Vec<u32>, Vec<u8>) = (0..100).map(|i| (i, u8::from(i % 3 == 0))).unzip();
        for isa in Isa::here() {
            for room in 0..34 {
                let mut out = [7; 40];
                pack(isa, &x, &mask, &mut out[..room]);
                let wanted = (0..40).map(|i| if i < room as u32 { 3 * i } else { 7 });
                assert!(out.iter().copied().eq(wanted), "{isa} {room}");
            }
        }
    }
}
