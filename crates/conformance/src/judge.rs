//! Runs one case on a device and on the reference, and compares all that was written.

use bessemer_core::{
    Access, Batch, Buffer, DType, Device, DeviceId, Error, Host, HostMemory, Operation, Result,
    Slice, View,
};
use bessemer_cpu::Reference;
use bessemer_ops::case::{Case, Distance};
use std::sync::Arc;

/// Why a device did not pass a case.
#[derive(Debug)]
pub enum Failure {
    /// The device, or the reference, refused it or failed.
    Refused(Error),
    /// A result is too far from the reference.
    Wrong {
        /// The output.
        output: String,
        /// What is wrong.
        what: String,
    },
    /// Bytes outside the outputs have changed.
    Stray {
        /// The output whose buffer it is.
        output: String,
        /// The first such byte.
        byte: usize,
    },
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Refused(error) => write!(f, "{error}"),
            Failure::Wrong { output, what } => write!(f, "output {output}: {what}"),
            Failure::Stray { output, byte } => {
                write!(f, "byte {byte} outside of output {output} was written")
            }
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Refused(error)
    }
}

/// Whether `device` passes `case`, and how near to the reference it came.
pub fn judge(case: &Case, device: &dyn Device, reference: &Reference) -> Result<Distance, Failure> {
    trial(case, device, reference).result
}

/// What became of a case, and the dtypes of its operands as far as they are known.
pub(crate) struct Trial {
    pub(crate) dtypes: Vec<DType>,
    pub(crate) result: Result<Distance, Failure>,
}

pub(crate) fn trial(case: &Case, device: &dyn Device, reference: &Reference) -> Trial {
    let wanted = match run(case, reference) {
        Ok(wanted) => wanted,
        Err(error) => {
            return Trial { dtypes: Vec::new(), result: Err(error.into()) };
        }
    };
    let result = match run(case, device) {
        Ok(found) => compare(case, &wanted, &found),
        Err(error) => Err(error.into()),
    };
    Trial { dtypes: wanted.dtypes, result }
}

fn compare(case: &Case, wanted: &Ran, found: &Ran) -> Result<Distance, Failure> {
    let mut worst = Distance::default();
    for ((wanted, found), before) in wanted.after.iter().zip(&found.after).zip(&found.before) {
        let wrong = |what| Failure::Wrong { output: format!("{:?}", found.view), what };
        let near = case.tolerance.compare(&found.values(), &wanted.values());
        let near = near.map_err(|too_far| wrong(too_far.to_string()))?;
        worst.nmse = worst.nmse.max(near.nmse);
        worst.max_abs = worst.max_abs.max(near.max_abs);
        let touched = found.touched();
        let stray = (0..touched.len()).find(|&i| !touched[i] && found.bytes[i] != before.bytes[i]);
        if let Some(byte) = stray {
            return Err(Failure::Stray { output: format!("{:?}", found.view), byte });
        }
    }
    Ok(worst)
}

/// An output of an op with all bytes of its buffer, on the host.
struct Snapshot {
    view: View,
    bytes: Arc<Vec<u8>>,
}

/// The outputs of a case before and after it ran on a device.
struct Ran {
    dtypes: Vec<DType>,
    before: Vec<Snapshot>,
    after: Vec<Snapshot>,
}

fn run(case: &Case, device: &dyn Device) -> Result<Ran> {
    let op = case.make(device)?;
    let access = op.access();
    let before = snapshots(device, &access)?;
    let mut batch = Batch::new();
    batch.push_shared(Arc::clone(&op) as Arc<dyn Operation>)?;
    let ticket = device.submit(&batch)?;
    device.wait(ticket)?;
    let mut dtypes: Vec<DType> = access.views().map(View::dtype).collect();
    dtypes.sort();
    dtypes.dedup();
    Ok(Ran { dtypes, before, after: snapshots(device, &access)? })
}

fn snapshots(device: &dyn Device, access: &Access) -> Result<Vec<Snapshot>> {
    let snapshot = |view: &View| {
        let mut bytes = vec![0; view.buffer().bytes()];
        device.read(&Slice::all(view.buffer()), &mut bytes)?;
        Ok(Snapshot { view: view.clone(), bytes: Arc::new(bytes) })
    };
    access.writes.iter().map(snapshot).collect()
}

impl Snapshot {
    /// The elements of the output.
    fn values(&self) -> Vec<f64> {
        let view = self.on_host();
        let access = Access::new(&[&view], &[]);
        // SAFETY: the buffer was just made of memory that nobody writes to.
        unsafe { Host::new(&access) }.read(&view)
    }

    /// For each byte of the buffer whether it is part of the output.
    fn touched(&self) -> Vec<bool> {
        let mut touched = vec![false; self.bytes.len()];
        let (dtype, view) = (self.view.dtype(), &self.view);
        let (mut index, bytes) = (vec![0usize; view.shape().rank()], dtype.block_bytes());
        for _ in 0..view.elements() / dtype.block_len() {
            let steps = index.iter().zip(&**view.strides());
            let element: isize = steps.map(|(&i, &step)| i as isize * step).sum();
            let block = element / dtype.block_len() as isize * bytes as isize;
            let start = view.offset().wrapping_add_signed(block);
            touched[start..start + bytes].fill(true);
            for axis in (0..index.len()).rev() {
                let last = axis + 1 == index.len();
                index[axis] += if last { dtype.block_len() } else { 1 };
                if index[axis] < view.shape()[axis] {
                    break;
                }
                index[axis] = 0;
            }
        }
        touched
    }

    fn on_host(&self) -> View {
        let owner: Arc<dyn AsRef<[u8]> + Send + Sync> = Arc::new(Bytes(Arc::clone(&self.bytes)));
        let memory = Box::new(HostMemory::new(owner));
        let buffer = Buffer::new(DeviceId::new(), memory, self.bytes.len(), false);
        View::at(
            &buffer,
            self.view.dtype(),
            *self.view.shape(),
            *self.view.strides(),
            self.view.offset(),
        )
        .expect("the same view of a buffer of the same size")
    }
}

struct Bytes(Arc<Vec<u8>>);

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}
