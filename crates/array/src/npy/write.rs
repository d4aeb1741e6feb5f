//! `.npy` files out.

use super::MAGIC;
use crate::{Array, Error, Item, Result, item::with_item};
use bessemer_core::DType;
use bessemer_files::NewFile;
use std::{
    io::{self, Write},
    path::Path,
};

/// What the elements start at a multiple of, as NumPy has it.
const ALIGNMENT: usize = 64;

impl Array {
    /// Writes a `.npy` file that NumPy, and [`Array::load_npy`], read. `bf16`, which NumPy lacks,
    /// is an error: convert it to `f32` first.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use bessemer_core::DType;
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// # let path = std::env::temp_dir().join(format!("bessemer-save-{}.npy", std::process::id()));
    /// let a = Array::eye(&device, 2, DType::BF16);
    /// assert!(a.save_npy(&path).is_err());
    /// a.astype(DType::F32).save_npy(&path)?;
    /// assert_eq!(std::fs::read(&path).unwrap()[..6], *b"\x93NUMPY");
    /// # std::fs::remove_file(&path).unwrap();
    /// # Ok::<(), Error>(())
    /// ```
    pub fn save_npy(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        let named = |why: String| Error::File { path: path.display().to_string(), why };
        // All that can be refused is, before there is a file.
        let bytes = self.npy_bytes().map_err(|error| named(error.to_string()))?;
        let write = || {
            let mut file = NewFile::create(path)?;
            file.write_all(&bytes)?;
            file.finish()
        };
        write().map_err(|error: io::Error| named(error.to_string()))
    }

    /// The same to anything that can be written to.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let mut file = Vec::new();
    /// Array::new(&device, [1u8, 2, 3])?.write_npy(&mut file)?;
    /// // A header of 128 bytes, then the elements.
    /// assert_eq!(file[128..], [1, 2, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn write_npy(&self, to: &mut dyn Write) -> Result<()> {
        let bytes = self.npy_bytes()?;
        to.write_all(&bytes)
            .map_err(|error| Error::Npy { at: 0, why: format!("it can't be written: {error}") })
    }

    fn npy_bytes(&self) -> Result<Vec<u8>> {
        let order = if cfg!(target_endian = "little") { '<' } else { '>' };
        let descr = match self.check()?.dtype() {
            DType::F32 => format!("{order}f4"),
            DType::F16 => format!("{order}f2"),
            DType::I32 => format!("{order}i4"),
            DType::U32 => format!("{order}u4"),
            DType::U8 => "|u1".into(),
            DType::F64 => format!("{order}f8"),
            DType::I8 => "|i1".into(),
            DType::I16 => format!("{order}i2"),
            DType::I64 => format!("{order}i8"),
            DType::U16 => format!("{order}u2"),
            DType::U64 => format!("{order}u8"),
            DType::Complex64 => format!("{order}c8"),
            DType::Bool => "|b1".into(),
            other => {
                return Err(Error::Npy {
                    at: 0,
                    why: format!("{other} has no type in .npy files; `astype(DType::F32)` first"),
                });
            }
        };
        let data = with_item!(self.dtype(), data_of(self))?;
        let mut file = header(&descr, self.shape());
        file.extend_from_slice(&data);
        Ok(file)
    }
}

fn data_of<T: Item>(array: &Array) -> Result<Vec<u8>> {
    Ok(T::bytes(&array.to_vec::<T>()?).into_owned())
}

fn header(descr: &str, shape: &[usize]) -> Vec<u8> {
    let sizes: Vec<String> = shape.iter().map(usize::to_string).collect();
    let comma = if shape.len() == 1 { "," } else { "" };
    let shape = format!("({}{comma})", sizes.join(", "));
    let mut text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    let fixed = MAGIC.len() + 4;
    let padding = (fixed + text.len() + 1).next_multiple_of(ALIGNMENT) - fixed - text.len() - 1;
    text.extend(std::iter::repeat_n(' ', padding));
    text.push('\n');
    let mut bytes = MAGIC.to_vec();
    // Eight sizes of twenty digits are far from what two bytes can count.
    bytes.extend([1, 0]);
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.bytes());
    bytes
}
