//! The limit of work that must read memory: reading it and doing next to nothing.

use bessemer::{
    Cost, Operation, View,
    core::{Access, Host, cpu::CpuContext},
};
use bessemer_simd::{Arch, Kernel};

/// Each word of `out` becomes the wrapping sum of one of as many even pieces of `data`.
///
/// It is an op like any other, so it runs on the same threads and reads the same memory as the
/// ops it is the limit of.
#[derive(Clone, Debug)]
pub(crate) struct ReadAll {
    /// What is read: words of 32 bits without gaps.
    pub(crate) data: View,
    /// The sums.
    pub(crate) out: View,
}

impl ReadAll {
    fn piece<'a>(&self, data: &'a [u32], i: usize) -> &'a [u32] {
        let pieces = self.out.elements();
        &data[data.len() * i / pieces..data.len() * (i + 1) / pieces]
    }
}

impl Operation for ReadAll {
    fn name(&self) -> &'static str {
        "read_all"
    }

    fn check(&self) -> bessemer::core::Result<()> {
        let words = [&self.data, &self.out].iter().all(|view| {
            view.dtype() == bessemer::DType::U32 && view.is_contiguous() && view.elements() > 0
        });
        let operands = [("data", &self.data), ("out", &self.out)];
        let rule = "data and out are u32 without gaps";
        if words { Ok(()) } else { Err(bessemer::core::Error::rule(self.name(), rule, &operands)) }
    }

    fn access(&self) -> Access {
        Access::new(&[&self.data], &[&self.out])
    }

    fn cost(&self) -> Cost {
        Cost::of(&self.access(), 0)
    }

    fn reference(&self, host: &mut Host<'_>) {
        let data: Vec<u32> = host.read(&self.data).into_iter().map(|word| word as u32).collect();
        let piece =
            |i| self.piece(&data, i).iter().fold(0, |sum: u32, &word| sum.wrapping_add(word));
        let sums: Vec<f64> = (0..self.out.elements()).map(|i| f64::from(piece(i))).collect();
        host.write(&self.out, &sums);
    }

    fn cpu(&self, cpu: &CpuContext<'_>) {
        let (isa, data) = (cpu.isa(), cpu.slice::<u32>(&self.data));
        cpu.for_each_chunk::<u32>(&self.out, 1, |i, out| {
            out[0] = isa.run(Sum(self.piece(data, i)));
        });
    }
}

struct Sum<'a>(&'a [u32]);

impl Kernel for Sum<'_> {
    type Output = u32;

    #[inline(always)]
    fn run<A: Arch>(self) -> u32 {
        // Eight vectors of the widest kind, so that sums do not wait for each other.
        let mut lanes = [0u32; 128];
        let (wide, rest) = self.0.as_chunks::<128>();
        for words in wide {
            for (lane, &word) in lanes.iter_mut().zip(words) {
                *lane = lane.wrapping_add(word);
            }
        }
        lanes.iter().chain(rest).fold(0, |sum, &word| sum.wrapping_add(word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bessemer::{Batch, DType, Device, Element, Shape};

    #[test]
    fn every_word_is_read() {
        let data: Vec<u32> = (0..1_000_003u32).map(|i| i.wrapping_mul(0x9E37_79B9)).collect();
        let sums = |name: &str| -> bessemer::Result<Vec<u32>> {
            let device = Device::open(name)?;
            let words = |count: usize| {
                View::new(&device.alloc(4 * count)?, DType::U32, Shape::new(&[count])?)
            };
            let op = ReadAll { data: words(data.len())?, out: words(7)? };
            device.write(&op.data.slice()?, u32::as_bytes(&data))?;
            let mut batch = Batch::new();
            batch.push(op.clone())?;
            let ticket = device.submit(&batch)?;
            device.wait(ticket)?;
            let mut sums = vec![0; 7];
            device.read(&op.out.slice()?, u32::as_bytes_mut(&mut sums))?;
            Ok(sums)
        };
        let fast = sums("cpu").unwrap();
        assert_eq!(fast, sums("reference").unwrap());
        let all = |words: &[u32]| words.iter().fold(0u32, |sum, &word| sum.wrapping_add(word));
        assert_eq!(all(&fast), all(&data));
    }
}
