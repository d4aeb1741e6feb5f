//! The parts of complex views.

use super::View;
use crate::{DType, Error, Result, Strides};

impl View {
    /// The real and the imaginary parts of complex numbers, as views of the same memory.
    ///
    /// ```
    /// use bessemer_core::{Complex, View};
    ///
    /// let device = bessemer_cpu::Reference::new();
    /// let z = View::from_slice(&device, &[Complex::new(1.0f32, 2.0), Complex::new(3.0, 4.0)], &[2])?;
    /// let [re, im] = z.parts()?;
    /// assert_eq!((re.offset(), im.offset(), re.strides()[0]), (0, 4, 2));
    /// assert!(re.parts().is_err());
    /// # Ok::<(), bessemer_core::Error>(())
    /// ```
    pub fn parts(&self) -> Result<[View; 2]> {
        if self.dtype != DType::Complex64 {
            return Err(Error::view(format!("parts: the view is not complex ({self:?})")));
        }
        let strides: Vec<isize> = self.strides.iter().map(|stride| 2 * stride).collect();
        let strides = Strides::new(&strides)?;
        let part = |offset| View::at(&self.buffer, DType::F32, self.shape, strides, offset);
        // A view without elements may lie at the end of its buffer.
        let second = if self.elements() == 0 { 0 } else { size_of::<f32>() };
        Ok([part(self.offset)?, part(self.offset + second)?])
    }
}
