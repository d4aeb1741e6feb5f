//! The judge really catches devices that are wrong, and lets go those that are right.

use bessemer_conformance::{Failure, Outcome, Selection, check, judge};
use bessemer_core::{
    Batch, Buffer, DType, Device, DeviceInfo, HostMemory, Result, Slice, Stats, Ticket, View,
};
use bessemer_cpu::Reference;
use bessemer_ops::{
    RmsNorm,
    case::{Case, Tolerance},
};

/// A device that does something wrong to what each op wrote.
#[derive(Debug)]
struct Broken {
    inner: Reference,
    mistake: Mistake,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Mistake {
    None,
    /// The op is never run.
    Nothing,
    /// One element in the middle is a little off.
    OneElement,
    /// The last element is not written.
    LastElement,
    /// Every element is where its neighbour should be.
    OffByOne,
    /// One element is not a number.
    NaN,
    /// A byte before the output is written.
    StrayBefore,
    /// A byte after the output is written.
    StrayAfter,
    /// The first element of an input is written.
    Input,
    /// All is a little too large: each element within its bound, the whole not.
    Bias,
    /// Every batch is refused.
    Refuses,
}

impl Broken {
    fn new(mistake: Mistake) -> Broken {
        Broken { inner: Reference::new(), mistake }
    }

    /// Changes the bytes of a buffer.
    fn change(&self, buffer: &Buffer, change: impl FnOnce(&mut [u8])) -> Result<()> {
        let mut bytes = vec![0; buffer.bytes()];
        self.inner.read(&Slice::all(buffer), &mut bytes)?;
        change(&mut bytes);
        self.inner.write(&Slice::all(buffer), &bytes)
    }

    fn spoil(&self, input: &View, out: &View, before: &[u8]) -> Result<()> {
        assert_eq!(out.dtype(), DType::F32);
        let (range, middle) = (out.range(), out.range().start + out.range().len() / 8 * 4);
        let float = |bytes: &mut [u8], at: usize, change: &dyn Fn(f32) -> f32| {
            let old = f32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
            bytes[at..at + 4].copy_from_slice(&change(old).to_le_bytes());
        };
        match self.mistake {
            Mistake::None | Mistake::Nothing | Mistake::Refuses => Ok(()),
            Mistake::OneElement => {
                self.change(out.buffer(), |bytes| float(bytes, middle, &|x| x * 1.0001 + 1e-4))
            }
            Mistake::LastElement => self.change(out.buffer(), |bytes| {
                bytes[range.end - 4..range.end].copy_from_slice(&before[range.end - 4..range.end]);
            }),
            Mistake::OffByOne => self.change(out.buffer(), |bytes| {
                bytes.copy_within(range.start + 4..range.end, range.start);
            }),
            Mistake::NaN => self.change(out.buffer(), |bytes| float(bytes, middle, &|_| f32::NAN)),
            Mistake::StrayBefore => self.change(out.buffer(), |bytes| bytes[range.start - 1] ^= 1),
            Mistake::StrayAfter => self.change(out.buffer(), |bytes| bytes[range.end] ^= 1),
            Mistake::Input => self.change(input.buffer(), |bytes| bytes[input.offset()] ^= 1),
            Mistake::Bias => self.change(out.buffer(), |bytes| {
                for at in range.step_by(4) {
                    float(bytes, at, &|x| x * 1.0000015);
                }
            }),
        }
    }
}

impl Device for Broken {
    fn info(&self) -> &DeviceInfo {
        self.inner.info()
    }

    fn alloc(&self, bytes: usize) -> Result<Buffer> {
        self.inner.alloc(bytes)
    }

    fn adopt(&self, host: HostMemory) -> Result<Buffer> {
        self.inner.adopt(host)
    }

    fn write(&self, dst: &Slice, bytes: &[u8]) -> Result<()> {
        self.inner.write(dst, bytes)
    }

    fn read(&self, src: &Slice, out: &mut [u8]) -> Result<()> {
        self.inner.read(src, out)
    }

    fn submit(&self, batch: &Batch) -> Result<Ticket> {
        let access = &batch.steps()[0].access;
        let (input, out) = (&access.reads[0], &access.writes[0]);
        let mut before = vec![0; out.buffer().bytes()];
        self.inner.read(&Slice::all(out.buffer()), &mut before)?;
        match self.mistake {
            Mistake::Nothing => return self.inner.submit(&Batch::new()),
            Mistake::Refuses => {
                let why = "not today".into();
                return Err(bessemer_core::Error::Unavailable { device: "broken".into(), why });
            }
            _ => {}
        }
        let ticket = self.inner.submit(batch)?;
        self.spoil(input, out, &before)?;
        Ok(ticket)
    }

    fn wait(&self, ticket: Ticket) -> Result<()> {
        self.inner.wait(ticket)
    }

    fn stats(&self) -> Stats {
        self.inner.stats()
    }

    fn trim(&self) {
        self.inner.trim();
    }
}

fn case() -> Case {
    Case::new("rms_norm", "f32 [3, 37]", Tolerance::of(DType::F32), |f| {
        Ok(RmsNorm {
            x: f.random(DType::F32, &[3, 37])?,
            weight: f.random(DType::F32, &[37])?,
            epsilon: 1e-5,
            out: f.output(DType::F32, &[3, 37])?,
        })
    })
}

#[test]
fn a_device_that_is_right_passes() {
    let near = judge(&case(), &Broken::new(Mistake::None), &Reference::new()).unwrap();
    assert_eq!((near.nmse, near.max_abs), (0.0, 0.0));
}

#[test]
fn wrong_results_are_caught() {
    for mistake in [
        Mistake::Nothing,
        Mistake::OneElement,
        Mistake::LastElement,
        Mistake::OffByOne,
        Mistake::NaN,
        Mistake::Bias,
    ] {
        let found = judge(&case(), &Broken::new(mistake), &Reference::new());
        assert!(matches!(found, Err(Failure::Wrong { .. })), "{mistake:?}: {found:?}");
    }
}

#[test]
fn stray_writes_are_caught() {
    for mistake in [Mistake::StrayBefore, Mistake::StrayAfter, Mistake::Input] {
        let found = judge(&case(), &Broken::new(mistake), &Reference::new());
        assert!(matches!(found, Err(Failure::Stray { .. })), "{mistake:?}: {found:?}");
    }
}

#[test]
fn a_report_tells_failed_from_refused_and_neither_passes() {
    let wrong = check(&Broken::new(Mistake::NaN), &[case()], |_| ());
    assert!(matches!(&wrong.results[0].outcome, Outcome::Failed { why } if why.contains("NaN")));
    let refused = check(&Broken::new(Mistake::Refuses), &[case()], |_| ());
    let outcome = &refused.results[0].outcome;
    assert!(matches!(outcome, Outcome::Refused { why } if why.contains("not today")));
    assert!(!wrong.passed() && !refused.passed());
    assert_eq!((wrong.rows()[0].failed, refused.rows()[0].refused), (1, 1));
    assert!(!check(&Reference::new(), &[], |_| ()).passed(), "nothing asked, nothing shown");
}

#[test]
fn progress_counts_every_case() {
    let cases = Selection::all().op("rms_norm").cases().unwrap();
    let mut told = Vec::new();
    let report = check(&Reference::new(), &cases, |progress| {
        assert_eq!((progress.total, progress.troubles), (cases.len(), 0));
        told.push(progress.done);
    });
    assert_eq!(told, (0..cases.len()).collect::<Vec<_>>());
    assert!(report.passed());
}
