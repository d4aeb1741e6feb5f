//! A device that fails at each of its calls in turn, under a program of arrays and a language model: an
//! error each time, nothing is leaked, and the same device works afterwards.

use bessemer_array::Array;
use bessemer_core::{DType, Device};
use bessemer_cpu::{Cpu, CpuOptions, Reference};
use bessemer_hostile::Faulty;
use bessemer_llm::{GenerateOptions, Llm, SessionOptions, sampling::Sampling, tiny};
use std::{
    error::Error,
    fmt::Debug,
    io::{self, Read, Write},
    sync::Arc,
};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Fails `work` at every call it makes to the device, and then at none.
fn at_every_call<T: PartialEq + Debug>(
    device: Arc<dyn Device>,
    work: impl Fn(&Arc<dyn Device>) -> Outcome<T>,
) {
    let faulty = Arc::new(Faulty::new(device));
    let device: Arc<dyn Device> = Arc::clone(&faulty) as _;
    let held = || {
        let stats = device.stats();
        (stats.pool.live_bytes, stats.pool.live_buffers, stats.adopted_bytes)
    };
    assert_eq!(held(), (0, 0, 0));
    let wanted = work(&device).unwrap();
    for call in 0.. {
        assert!(call < 10_000, "it never ends");
        faulty.fail_at(Some(call));
        let found = work(&device);
        let failed = faulty.has_failed();
        faulty.fail_at(None);
        assert_eq!(held(), (0, 0, 0), "call {call}");
        match found {
            Err(error) => {
                assert!(failed, "call {call}: {error}");
                assert!(error.to_string().contains("was told to fail"), "call {call}: {error}");
            }
            Ok(found) => {
                assert_eq!(found, wanted, "call {call}");
                assert!(!failed, "call {call} failed and nobody was told");
                assert!(call > 5, "it made only {call} calls");
                break;
            }
        }
        // Once in a while, which is enough: the same device still computes the same.
        if call % 7 == 0 {
            assert_eq!(work(&device).unwrap(), wanted, "after call {call}");
        }
    }
    device.trim();
    assert_eq!(device.stats().pool.idle_bytes, 0);
}

fn cpu() -> Arc<dyn Device> {
    Arc::new(Cpu::open(CpuOptions { threads: Some(2), ..Default::default() }).unwrap())
}

/// A lazy chain, reductions, a product, a join, and files.
fn arrays(device: &Arc<dyn Device>) -> Outcome<(Vec<f32>, Vec<u8>)> {
    let a = Array::from_slice(device, &[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0], &[2, 3])?;
    let b = Array::arange(device, 0, 6, 1).reshape(&[3, 2]).astype(DType::F32);
    let chain = ((&a * 2.0f32 + 1.0f32).exp().maximum(3.0f32) - &a).sqrt();
    let product = chain.matmul(&b);
    let joined = Array::concat(&[&product, &product.transpose()], 1)?;
    let normal = joined.softmax(-1);
    let mut file = Vec::new();
    normal.write_npy(&mut file)?;
    let again = Array::read_npy(device, &mut file.as_slice())?;
    let sums = (again.sum([0]) + joined.max([0])).to_vec::<f32>()?;
    // Showing needs the device too, and shows what went wrong.
    let shown = again.to_string();
    if shown.starts_with('[') { Ok((sums, file)) } else { Err(shown.into()) }
}

#[test]
fn arrays_on_the_cpu() {
    at_every_call(cpu(), arrays);
}

#[test]
fn arrays_on_the_reference() {
    at_every_call(Arc::new(Reference::new()), arrays);
}

#[test]
fn a_whole_text() {
    at_every_call(cpu(), |device| {
        let llm = Llm::from_bytes(tiny::gguf(), device)?;
        let options = GenerateOptions {
            max_tokens: Some(4),
            sampling: Sampling::greedy(),
            ..Default::default()
        };
        Ok(llm.complete("Once upon a time", &options)?.text)
    });
}

/// One session for all: after an error it goes on from where it was, or starts anew.
#[test]
fn a_session_goes_on_after_a_failure() {
    let faulty = Arc::new(Faulty::new(cpu()));
    let device: Arc<dyn Device> = Arc::clone(&faulty) as _;
    let llm = Llm::from_bytes(tiny::gguf(), &device).unwrap();
    let mut session =
        llm.session(SessionOptions { context: Some(32), ..Default::default() }).unwrap();
    let tokens = [1, 2, 3, 4, 5];
    let wanted = session.extend(&tokens).unwrap().to_vec();
    for call in 0..100 {
        session.rewind(0);
        faulty.fail_at(Some(call));
        let failed = session.extend(&tokens).is_err();
        faulty.fail_at(None);
        session.rewind(0);
        assert_eq!(session.extend(&tokens).unwrap(), wanted, "call {call}");
        if !failed {
            assert!(call > 0);
            return;
        }
    }
    panic!("a pass makes fewer calls");
}

/// A file that stops being readable, or a disk that is full, after so many bytes.
struct Breaks<T>(T, usize);

impl<T: Read> Read for Breaks<T> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if self.1 == 0 {
            return Err(io::Error::other("the disk is gone"));
        }
        let len = to.len().min(self.1);
        let read = self.0.read(&mut to[..len])?;
        self.1 -= read;
        Ok(read)
    }
}

impl<T: Write> Write for Breaks<T> {
    fn write(&mut self, from: &[u8]) -> io::Result<usize> {
        if self.1 == 0 {
            return Err(io::Error::other("the disk is full"));
        }
        let written = self.0.write(&from[..from.len().min(self.1)])?;
        self.1 -= written;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[test]
fn files_of_arrays_that_break_off() {
    let device: Arc<dyn Device> = Arc::new(Reference::new());
    let array = Array::arange(&device, 0, 12, 1).reshape(&[3, 4]);
    let mut file = Vec::new();
    array.write_npy(&mut file).unwrap();
    for len in 0..file.len() {
        let error = Array::read_npy(&device, &mut &file[..len]).unwrap_err().to_string();
        assert!(error.contains(&format!("(byte {len})")), "{len}: {error}");
        let broken = Array::read_npy(&device, &mut Breaks(file.as_slice(), len));
        let error = broken.unwrap_err().to_string();
        assert!(error.contains("the disk is gone"), "{len}: {error}");
        let mut written = Vec::new();
        let error = array.write_npy(&mut Breaks(&mut written, len)).unwrap_err().to_string();
        assert!(error.contains("the disk is full"), "{len}: {error}");
        assert_eq!(written, file[..len]);
    }
    drop(array);
    assert_eq!(device.stats().pool.live_bytes, 0);
    let whole = Array::read_npy(&device, &mut Breaks(file.as_slice(), file.len())).unwrap();
    assert_eq!(whole.to_vec::<i32>().unwrap(), (0..12).collect::<Vec<_>>());
}
