//! `.npy` files in. Sizes in the header are not trusted until the data has been read.

use super::{
    MAGIC,
    header::{self, Header},
};
use crate::{Array, Error, Item, Result};
use bessemer_core::{Complex, Device, Shape};
use half::f16;
use std::{fs::File, io::Read, path::Path, sync::Arc};

/// The longest header that is read; NumPy's own are 128 bytes.
const MAX_HEADER: usize = 1 << 20;
/// How much is read at a time, so that memory grows only with what is there.
const PIECE: usize = 1 << 20;

impl Array {
    /// Reads a `.npy` file.
    ///
    /// Both byte orders and both orders of elements are read: `f2` `f4` `f8`, `i1` to `i8`, `u1` to
    /// `u8`, `c8` and `b1` become the dtypes they are. `c16`, text, records, dates and objects are an
    /// error that names them.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// # let path = std::env::temp_dir().join(format!("bessemer-load-{}.npy", std::process::id()));
    /// Array::new(&device, [[1.5f32, 2.5]])?.save_npy(&path)?;
    /// let a = Array::load_npy(&device, &path)?;
    /// assert_eq!(a.to_string(), "[[1.5 2.5]]");
    /// # std::fs::remove_file(&path).unwrap();
    /// assert!(Array::load_npy(&device, "no/such/file.npy").is_err());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn load_npy(device: &Arc<dyn Device>, path: impl AsRef<Path>) -> Result<Array> {
        let path = path.as_ref();
        let named = |why: String| Error::File { path: path.display().to_string(), why };
        let file = File::open(path).map_err(|error| named(error.to_string()))?;
        let mut file = std::io::BufReader::new(file);
        Array::read_npy(device, &mut file).map_err(|error| named(error.to_string()))
    }

    /// The same from anything that can be read. What follows the array is left unread.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[1, 2], [3, 4]])?;
    /// let mut file = Vec::new();
    /// a.write_npy(&mut file)?;
    /// let b = Array::read_npy(&device, &mut file.as_slice())?;
    /// assert_eq!(a.to_string(), b.to_string());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn read_npy(device: &Arc<dyn Device>, from: &mut dyn Read) -> Result<Array> {
        let mut bytes = Bytes { from, at: 0 };
        let (header, at) = bytes.header()?;
        let stored = Stored::from_descr(&header.descr).ok_or_else(|| Error::Npy {
            at,
            why: format!(
                "the dtype '{}' is none that arrays have: f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 c8 b1, \
                 each with < > = or |",
                header.descr
            ),
        })?;
        let mut dims = header.shape;
        if header.fortran {
            // The first index runs fastest: the transpose of what lies there row by row.
            dims.reverse();
        }
        let wrong = |why: String| Error::Npy { at, why };
        let shape = Shape::new(&dims).map_err(|error| wrong(error.to_string()))?;
        let size = stored.size.checked_mul(shape.elements());
        let size = size.filter(|&size| isize::try_from(size).is_ok());
        let size = size.ok_or_else(|| wrong(format!("the shape {shape} is too large")))?;
        let data = bytes.take(size, "the elements")?;
        let array = stored.array(device, &data, &shape)?;
        Ok(if header.fortran { array.transpose() } else { array })
    }
}

/// Bytes of a file, counted.
struct Bytes<'a> {
    from: &'a mut dyn Read,
    at: u64,
}

impl Bytes<'_> {
    fn header(&mut self) -> Result<(Header, u64)> {
        let start = self.take(8, "the magic bytes and the version")?;
        if start[..6] != *MAGIC {
            return Err(Error::Npy {
                at: 0,
                why: "it does not start with \\x93NUMPY, so it is no .npy file".into(),
            });
        }
        let len = match start[6] {
            1 => {
                let len = self.take(2, "the length of the header")?;
                usize::from(u16::from_le_bytes([len[0], len[1]]))
            }
            2 | 3 => {
                let len = self.take(4, "the length of the header")?;
                u32::from_le_bytes([len[0], len[1], len[2], len[3]]) as usize
            }
            version => {
                return Err(Error::Npy {
                    at: 6,
                    why: format!("version {version}.{} of the format is unknown", start[7]),
                });
            }
        };
        if len > MAX_HEADER {
            return Err(Error::Npy {
                at: 8,
                why: format!("a header of {len} bytes is too long; {MAX_HEADER} are read"),
            });
        }
        let at = self.at;
        let text = self.take(len, "the header")?;
        Ok((header::parse(&text, at)?, at))
    }

    /// The next `len` bytes.
    fn take(&mut self, len: usize, what: &str) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        while bytes.len() < len {
            let piece = PIECE.min(len - bytes.len());
            let before = bytes.len();
            let read = self.from.take(piece as u64).read_to_end(&mut bytes);
            self.at += (bytes.len() - before) as u64;
            let why = match read {
                Ok(found) if found == piece => continue,
                Ok(_) => format!("it ends within {what}: {} of {len} bytes are there", bytes.len()),
                Err(error) => format!("{what} can't be read: {error}"),
            };
            return Err(Error::Npy { at: self.at, why });
        }
        Ok(bytes)
    }
}

/// How elements lie in a file.
struct Stored {
    kind: u8,
    size: usize,
    swapped: bool,
}

impl Stored {
    fn from_descr(descr: &str) -> Option<Stored> {
        let &[order, kind, ref size @ ..] = descr.as_bytes() else {
            return None;
        };
        let swapped = match order {
            b'<' => cfg!(target_endian = "big"),
            b'>' => cfg!(target_endian = "little"),
            b'=' | b'|' => false,
            _ => return None,
        };
        let size = match size {
            b"1" => 1,
            b"2" => 2,
            b"4" => 4,
            b"8" => 8,
            _ => return None,
        };
        let known = match kind {
            b'f' => size >= 2,
            b'i' | b'u' => true,
            b'c' => size == 8,
            b'b' => size == 1,
            _ => false,
        };
        known.then_some(Stored { kind, size, swapped })
    }

    fn array(&self, device: &Arc<dyn Device>, data: &[u8], shape: &Shape) -> Result<Array> {
        match (self.kind, self.size) {
            (b'f', 2) => self.each::<2, f16>(device, data, shape, f16::from_ne_bytes),
            (b'f', 4) => self.each::<4, f32>(device, data, shape, f32::from_ne_bytes),
            (b'f', _) => self.each::<8, f64>(device, data, shape, f64::from_ne_bytes),
            (b'i', 1) => self.each::<1, i8>(device, data, shape, i8::from_ne_bytes),
            (b'i', 2) => self.each::<2, i16>(device, data, shape, i16::from_ne_bytes),
            (b'i', 4) => self.each::<4, i32>(device, data, shape, i32::from_ne_bytes),
            (b'i', _) => self.each::<8, i64>(device, data, shape, i64::from_ne_bytes),
            (b'u', 1) => self.each::<1, u8>(device, data, shape, |[x]| x),
            (b'u', 2) => self.each::<2, u16>(device, data, shape, u16::from_ne_bytes),
            (b'u', 4) => self.each::<4, u32>(device, data, shape, u32::from_ne_bytes),
            (b'u', _) => self.each::<8, u64>(device, data, shape, u64::from_ne_bytes),
            (b'c', _) => {
                // Each part has its own byte order.
                let parts = Stored { size: 4, ..*self };
                let parts: Vec<f32> = parts.elements(data).map(f32::from_ne_bytes).collect();
                let (pairs, _) = parts.as_chunks();
                let items: Vec<_> = pairs.iter().map(|&[re, im]| Complex::new(re, im)).collect();
                Array::from_slice(device, &items, shape)
            }
            _ => self.each::<1, bool>(device, data, shape, |[x]| x != 0),
        }
    }

    fn each<const SIZE: usize, T: Item>(
        &self,
        device: &Arc<dyn Device>,
        data: &[u8],
        shape: &Shape,
        read: impl Fn([u8; SIZE]) -> T,
    ) -> Result<Array> {
        let items: Vec<T> = self.elements(data).map(read).collect();
        Array::from_slice(device, &items, shape)
    }

    /// The bytes of each element, in the order of this machine.
    fn elements<const SIZE: usize>(&self, data: &[u8]) -> impl Iterator<Item = [u8; SIZE]> {
        let swapped = self.swapped;
        data.as_chunks::<SIZE>().0.iter().map(move |&element| {
            let mut element = element;
            if swapped {
                element.reverse();
            }
            element
        })
    }
}
