//! On the CPU: groups of counters as vectors.

use super::{
    Random, RandomKind,
    philox::{self, GROUP},
};
use bessemer_core::{DType, Element, cpu::CpuContext};
use bessemer_simd::{Arch, Kernel, math};
use half::{bf16, f16};

/// Groups of a task.
const GROUPS: usize = 32;

pub(super) fn random(op: &Random, cpu: &CpuContext<'_>) {
    match op.out.dtype() {
        DType::F32 => each(op, cpu, |bits, to: &mut [f32]| {
            to.iter_mut().zip(bits).for_each(|(to, &bits)| *to = f32::from_bits(bits));
        }),
        DType::F16 => each(op, cpu, |bits, to: &mut [f16]| {
            to.iter_mut()
                .zip(bits)
                .for_each(|(to, &bits)| *to = f16::from_f32(f32::from_bits(bits)));
        }),
        DType::BF16 => each(op, cpu, |bits, to: &mut [bf16]| {
            to.iter_mut()
                .zip(bits)
                .for_each(|(to, &bits)| *to = bf16::from_f32(f32::from_bits(bits)));
        }),
        DType::F64 => doubles(op, cpu),
        DType::U64 => longs(op, cpu, |long, to: &mut u64| *to = long),
        _ => each(op, cpu, |bits, to: &mut [u32]| to.copy_from_slice(bits)),
    }
}

/// Doubles, one after another.
fn doubles(op: &Random, cpu: &CpuContext<'_>) {
    const STEP: f64 = 1.0 / (1u64 << 53) as f64;
    match op.kind {
        RandomKind::Uniform { low, high } => {
            let most = Random::most(low, high, DType::F64);
            longs(op, cpu, |long, to: &mut f64| {
                *to = ((long >> 11) as f64 * STEP * (high - low) + low).min(most);
            });
        }
        RandomKind::Normal { mean, deviation } => {
            longs(op, cpu, |long, to: &mut f64| *to = (long >> 11) as f64 * STEP);
            // Pairs that share a radius and an angle; each task has whole ones.
            cpu.for_each_chunk::<f64>(&op.out, CHUNK, |task, out| {
                let last = out.len() - out.len() % 2;
                let normal = |first: f64, second: f64| {
                    let radius = (-2.0 * (first + STEP).ln()).sqrt() * deviation;
                    let (sin, cos) = (std::f64::consts::TAU * second).sin_cos();
                    [mean + radius * cos, mean + radius * sin]
                };
                for pair in out[..last].as_chunks_mut::<2>().0 {
                    *pair = normal(pair[0], pair[1]);
                }
                if let [.., single] = &mut out[last..] {
                    // Its other number is behind the last element.
                    let next = (task * CHUNK + last + 1) as u64;
                    let words = philox::group(op.seed, op.stream, next / 2);
                    let second = u64::from(words[2][0]) << 32 | u64::from(words[3][0]);
                    *single = normal(*single, (second >> 11) as f64 * STEP)[0];
                }
            });
        }
        _ => unreachable!("checked: doubles are no bits and no integers"),
    }
}

/// Elements of a task of doubles.
const CHUNK: usize = GROUPS * GROUP * 2;

/// Calls `put` with 64 bits and where they go.
fn longs<T: Element>(op: &Random, cpu: &CpuContext<'_>, put: impl Fn(u64, &mut T) + Sync) {
    let isa = cpu.isa();
    cpu.for_each_chunk::<T>(&op.out, CHUNK, |task, out| {
        let mut bits = [0; GROUP * philox::WORDS];
        for (i, out) in out.chunks_mut(2 * GROUP).enumerate() {
            isa.run(Words { op, first: ((task * GROUPS + i) * GROUP) as u64, bits: &mut bits });
            for (to, words) in out.iter_mut().zip(bits.as_chunks::<2>().0) {
                put(u64::from(words[0]) << 32 | u64::from(words[1]), to);
            }
        }
    });
}

/// The words of a group of counters.
struct Words<'a> {
    op: &'a Random,
    first: u64,
    bits: &'a mut [u32; GROUP * philox::WORDS],
}

impl Kernel for Words<'_> {
    type Output = ();

    #[inline(always)]
    fn run<A: Arch>(self) {
        interleave(&philox::group(self.op.seed, self.op.stream, self.first), self.bits);
    }
}

/// Calls `put` with the bits of numbers and where they go.
fn each<T: Element>(op: &Random, cpu: &CpuContext<'_>, put: impl Fn(&[u32], &mut [T]) + Sync) {
    let (group, isa) = (GROUP * op.each(), cpu.isa());
    cpu.for_each_chunk::<T>(&op.out, GROUPS * group, |task, out| {
        let mut bits = [0; GROUP * philox::WORDS];
        for (i, out) in out.chunks_mut(group).enumerate() {
            isa.run(Group { op, first: ((task * GROUPS + i) * GROUP) as u64, bits: &mut bits });
            put(&bits[..out.len()], out);
        }
    });
}

/// The numbers of a group of counters, as bits.
struct Group<'a> {
    op: &'a Random,
    first: u64,
    bits: &'a mut [u32; GROUP * philox::WORDS],
}

impl Kernel for Group<'_> {
    type Output = ();

    #[inline(always)]
    fn run<A: Arch>(self) {
        let Group { op, first, bits } = self;
        let words = philox::group(op.seed, op.stream, first);
        let share = |word: u32| (word >> 8) as f32 * (1.0 / 16_777_216.0);
        match op.kind {
            RandomKind::Bits => interleave(&words, bits),
            RandomKind::Uniform { low, high } => {
                let (low, size) = (low as f32, (high - low) as f32);
                let most = Random::most(low.into(), high, op.out.dtype()) as f32;
                let number = |word| {
                    let x = A::fma(share(word), size, low);
                    (if x > most { most } else { x }).to_bits()
                };
                interleave(&words.map(|words| words.map(number)), bits);
            }
            RandomKind::Normal { mean, deviation } => {
                let (mean, deviation) = (mean as f32, deviation as f32);
                let pair = |first: &[u32; GROUP], second: &[u32; GROUP]| {
                    let (mut cosines, mut sines) = ([0; GROUP], [0; GROUP]);
                    for i in 0..GROUP {
                        let u = share(first[i]) + 1.0 / 16_777_216.0;
                        let radius = (-2.0 * math::log::<A>(u)).sqrt() * deviation;
                        let (sin, cos) = math::sin_cos_turns::<A>(share(second[i]));
                        cosines[i] = A::fma(radius, cos, mean).to_bits();
                        sines[i] = A::fma(radius, sin, mean).to_bits();
                    }
                    [cosines, sines]
                };
                let [a, b] = pair(&words[0], &words[1]);
                let [c, d] = pair(&words[2], &words[3]);
                interleave(&[a, b, c, d], bits);
            }
            RandomKind::Integers { low, last } => {
                let count = u64::from(last) + 1;
                let number = |high: u32, rest: u32| {
                    let rest = (u64::from(rest) * count) >> 32;
                    low.wrapping_add(((u64::from(high) * count + rest) >> 32) as u32)
                };
                for i in 0..GROUP {
                    bits[2 * i] = number(words[0][i], words[1][i]);
                    bits[2 * i + 1] = number(words[2][i], words[3][i]);
                }
            }
        }
    }
}

/// The words of each counter side by side.
#[inline(always)]
fn interleave(words: &[[u32; GROUP]; philox::WORDS], bits: &mut [u32; GROUP * philox::WORDS]) {
    for (i, bits) in bits.as_chunks_mut::<{ philox::WORDS }>().0.iter_mut().enumerate() {
        *bits = [words[0][i], words[1][i], words[2][i], words[3][i]];
    }
}
