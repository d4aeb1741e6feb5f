//! Snapshots of operands, with all bytes of their buffers.

use bessemer_core::{
    Access, Buffer, DType, Device, DeviceId, Host, HostMemory, Number, Result, Slice, Strides, View,
};
use std::sync::Arc;

/// An operand with all bytes of its buffer, on the host.
pub(crate) struct Snapshot {
    view: View,
    bytes: Arc<Vec<u8>>,
}

impl Snapshot {
    /// What `device` holds now.
    pub(crate) fn take(device: &dyn Device, view: &View) -> Result<Snapshot> {
        let mut bytes = vec![0; view.buffer().bytes()];
        device.read(&Slice::all(view.buffer()), &mut bytes)?;
        Ok(Snapshot { view: view.clone(), bytes: Arc::new(bytes) })
    }

    pub(crate) fn view(&self) -> &View {
        &self.view
    }

    /// The elements; of complex numbers the parts.
    pub(crate) fn values(&self) -> Vec<f64> {
        self.read(|host, view| host.read(view))
    }

    /// The elements, if they are integers of 64 bits.
    pub(crate) fn wide_integers(&self) -> Option<Vec<i128>> {
        let dtype = self.view.dtype();
        let integer = |number: Number| match number {
            Number::Integer(x) => x,
            Number::Float(_) => unreachable!("{dtype} is an integer"),
        };
        let read = |host: &Host<'_>, view: &View| host.read_numbers(view);
        matches!(dtype, DType::I64 | DType::U64)
            .then(|| self.read(read).into_iter().map(integer).collect())
    }

    fn read<T>(&self, read: impl FnOnce(&Host<'_>, &View) -> T) -> T {
        let owner: Arc<dyn AsRef<[u8]> + Send + Sync> = Arc::new(Bytes(Arc::clone(&self.bytes)));
        let memory = Box::new(HostMemory::new(owner));
        let buffer = Buffer::new(DeviceId::new(), memory, self.bytes.len(), false);
        let (shape, strides): (_, Strides) = (*self.view.shape(), *self.view.strides());
        let view = View::at(&buffer, self.view.dtype(), shape, strides, self.view.offset())
            .expect("the same view of a buffer of the same size");
        let access = Access::new(&[&view], &[]);
        // SAFETY: the buffer was just made of memory that nobody writes to.
        read(&unsafe { Host::new(&access) }, &view)
    }
}

/// The first byte that differs though it belongs to none of `outputs`.
pub(crate) fn differ_outside(
    before: &Snapshot,
    after: &Snapshot,
    outputs: &[View],
) -> Option<usize> {
    let differs = |byte: &usize| before.bytes[*byte] != after.bytes[*byte];
    let mut differing = (0..after.bytes.len()).filter(differs).peekable();
    differing.peek()?;
    let mut touched = vec![false; after.bytes.len()];
    for output in outputs.iter().filter(|output| output.buffer().is(after.view.buffer())) {
        touch(output, &mut touched);
    }
    differing.find(|&byte| !touched[byte])
}

/// Sets each byte that is part of the view.
fn touch(view: &View, touched: &mut [bool]) {
    let dtype = view.dtype();
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
}

struct Bytes(Arc<Vec<u8>>);

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}
