//! Arrays as NumPy writes them: `.npy` files, little-endian and in C order.

use anyhow::{Context, Result, bail};
use std::path::Path;

/// An array: raw bytes with a type and a shape.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Array {
    /// NumPy's name for the type, without byte order: `f4`, `i8`, `b1`.
    pub(super) dtype: String,
    pub(super) shape: Vec<usize>,
    pub(super) bytes: Vec<u8>,
}

impl Array {
    pub(super) fn item_size(&self) -> usize {
        self.dtype[1..].parse().unwrap_or(1)
    }
}

const MAGIC: &[u8] = b"\x93NUMPY";

pub(super) fn read(path: &Path) -> Result<Array> {
    let bytes = std::fs::read(path).with_context(|| format!("reading {}", path.display()))?;
    parse(&bytes).with_context(|| format!("{} is no array that can be read", path.display()))
}

fn parse(bytes: &[u8]) -> Result<Array> {
    if bytes.len() < 12 || !bytes.starts_with(MAGIC) {
        bail!("it does not start as a .npy file does");
    }
    let (length, start): (usize, usize) = match bytes[6] {
        1 => (usize::from(u16::from_le_bytes([bytes[8], bytes[9]])), 10),
        _ => (u32::from_le_bytes([bytes[8], bytes[9], bytes[10], bytes[11]]) as usize, 12),
    };
    let header = bytes.get(start..start.saturating_add(length)).context("the header is cut off")?;
    let header = std::str::from_utf8(header).context("the header is no text")?;
    let field = |name: &str| -> Result<&str> {
        let at = header
            .find(&format!("'{name}'"))
            .with_context(|| format!("the header has no '{name}'"))?;
        Ok(header[at..].split_once(':').context("the header is damaged")?.1.trim_start())
    };
    let descr = field("descr")?;
    let descr = descr
        .strip_prefix('\'')
        .and_then(|d| d.split_once('\''))
        .context("'descr' is no plain type")?
        .0;
    let (order, dtype) = descr.split_at(1);
    if order == ">" {
        bail!("big-endian arrays are not supported");
    }
    let kinds = ["f2", "f4", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1"];
    if !kinds.contains(&dtype) {
        bail!("the type '{descr}' is not one of {}", kinds.join(", "));
    }
    if field("fortran_order")?.starts_with("True") {
        bail!("arrays in Fortran order are not supported");
    }
    let shape = field("shape")?;
    let shape =
        shape.strip_prefix('(').and_then(|s| s.split_once(')')).context("'shape' is damaged")?.0;
    let shape: Vec<usize> = shape
        .split(',')
        .map(str::trim)
        .filter(|s| !s.is_empty())
        .map(|s| s.parse().with_context(|| format!("'{s}' is no extent")))
        .collect::<Result<_>>()?;
    let data = bytes[start + length..].to_vec();
    let array = Array { dtype: dtype.into(), shape, bytes: data };
    let want = array
        .shape
        .iter()
        .try_fold(array.item_size(), |a, &b| a.checked_mul(b))
        .context("the shape is too large")?;
    if array.bytes.len() != want {
        bail!("there are {} bytes of data, and the shape needs {want}", array.bytes.len());
    }
    Ok(array)
}

pub(super) fn write(path: &Path, array: &Array) -> Result<()> {
    let order = if array.item_size() == 1 { '|' } else { '<' };
    let shape: String = array.shape.iter().map(|n| format!("{n},")).collect();
    let mut header = format!(
        "{{'descr': '{order}{}', 'fortran_order': False, 'shape': ({shape}), }}",
        array.dtype
    );
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut out = MAGIC.to_vec();
    out.extend([1, 0]);
    out.extend((header.len() as u16).to_le_bytes());
    out.extend(header.as_bytes());
    out.extend(&array.bytes);
    std::fs::write(path, out).with_context(|| format!("writing {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trip_and_damage() {
        let a = Array { dtype: "f4".into(), shape: vec![2, 3], bytes: (0..24).collect() };
        let path = std::env::temp_dir().join(format!("softmetal-npy-{}.npy", std::process::id()));
        write(&path, &a).unwrap();
        assert_eq!(read(&path).unwrap(), a);
        let whole = std::fs::read(&path).unwrap();
        for cut in 0..whole.len() {
            assert!(parse(&whole[..cut]).is_err());
        }
        std::fs::remove_file(&path).unwrap();
    }
}
