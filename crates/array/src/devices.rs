//! Arrays that go from one device to another.

use crate::{Array, Result};
use bessemer_core::{Device, Slice, View};
use std::sync::Arc;

impl Array {
    /// The same array on another device: its elements are computed and copied there now. On the
    /// device where it is already, it stays as it is.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use bessemer_core::Device;
    /// # use std::sync::Arc;
    /// let reference: Arc<dyn Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let cpu: Arc<dyn Device> = Arc::new(bessemer_cpu::Cpu::open(Default::default())?);
    /// let a = Array::new(&reference, [1, 2, 3])? + 1;
    /// let b = Array::new(&cpu, [10, 20, 30])?;
    /// assert!((&a + &b).check().is_err());
    /// assert_eq!((a.to_device(&cpu) + b).to_vec::<i32>()?, [12, 23, 34]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn to_device(&self, device: &Arc<dyn Device>) -> Array {
        if self.device().info().id == device.info().id {
            return self.clone();
        }
        Array::from_result(device, self.sent(device))
    }

    fn sent(&self, device: &Arc<dyn Device>) -> Result<Array> {
        let here = self.contiguous()?;
        let mut bytes = vec![0; here.stored_bytes()];
        self.device().read(&Slice::new(here.buffer(), here.range())?, &mut bytes)?;
        let buffer = device.alloc(bytes.len())?;
        device.write(&Slice::all(&buffer), &bytes)?;
        Ok(Array::ready(device, View::new(&buffer, self.dtype(), *self.shape())?))
    }
}
