//! What `--buffer` means: files, zeros, or numbers on the command line.

use super::npy::{self, Array};
use anyhow::{Context, Result, bail};

/// Names of types on the command line and NumPy's for them.
const TYPES: &[(&str, &str)] = &[
    ("f32", "f4"),
    ("float", "f4"),
    ("f16", "f2"),
    ("half", "f2"),
    ("i8", "i1"),
    ("char", "i1"),
    ("u8", "u1"),
    ("uchar", "u1"),
    ("i16", "i2"),
    ("short", "i2"),
    ("u16", "u2"),
    ("ushort", "u2"),
    ("i32", "i4"),
    ("int", "i4"),
    ("u32", "u4"),
    ("uint", "u4"),
    ("i64", "i8"),
    ("long", "i8"),
    ("u64", "u8"),
    ("ulong", "u8"),
    ("bool", "b1"),
];

fn dtype(name: &str) -> Option<&'static str> {
    TYPES.iter().find(|(n, _)| *n == name).map(|(_, d)| *d)
}

/// `a.npy`, `f32[4,8]` (zeros) or `u32:1,2,3`; each may start with `INDEX=`.
pub(super) fn parse(text: &str, position: u32) -> Result<(u32, Array)> {
    let (index, what) = match text.split_once('=') {
        Some((i, rest)) if i.parse::<u32>().is_ok() => (i.parse()?, rest),
        _ => (position, text),
    };
    if let Some((kind, dims)) = what.strip_suffix(']').and_then(|w| w.split_once('['))
        && let Some(dtype) = dtype(kind)
    {
        let shape: Vec<usize> = dims
            .split(',')
            .map(|d| d.trim().parse().with_context(|| format!("'{d}' in '{text}' is no extent")))
            .collect::<Result<_>>()?;
        let mut array = Array { dtype: dtype.into(), shape, bytes: Vec::new() };
        let n = array
            .shape
            .iter()
            .try_fold(array.item_size(), |a, &b| a.checked_mul(b))
            .filter(|&n| n < 1 << 36);
        array.bytes = vec![0; n.with_context(|| format!("'{text}' is too large"))?];
        return Ok((index, array));
    }
    if let Some((kind, values)) = what.split_once(':')
        && let Some(dtype) = dtype(kind)
    {
        let mut bytes = Vec::new();
        let mut n = 0;
        for v in values.split(',') {
            push(&mut bytes, dtype, v.trim())
                .with_context(|| format!("'{v}' in '{text}' is no {kind}"))?;
            n += 1;
        }
        return Ok((index, Array { dtype: dtype.into(), shape: vec![n], bytes }));
    }
    if !what.ends_with(".npy") {
        bail!(
            "--buffer takes a .npy file, zeros such as f32[1024], or values such as u32:1,2; not '{text}'"
        );
    }
    Ok((index, npy::read(std::path::Path::new(what))?))
}

fn push(out: &mut Vec<u8>, dtype: &str, v: &str) -> Result<()> {
    match dtype {
        "f4" => out.extend(v.parse::<f32>()?.to_le_bytes()),
        "f2" => out.extend(half::f16::from_f32(v.parse()?).to_le_bytes()),
        "b1" => out.push(u8::from(v == "true" || v == "1")),
        "i1" => out.extend(v.parse::<i8>()?.to_le_bytes()),
        "i2" => out.extend(v.parse::<i16>()?.to_le_bytes()),
        "i4" => out.extend(v.parse::<i32>()?.to_le_bytes()),
        "i8" => out.extend(v.parse::<i64>()?.to_le_bytes()),
        "u1" => out.extend(v.parse::<u8>()?.to_le_bytes()),
        "u2" => out.extend(v.parse::<u16>()?.to_le_bytes()),
        "u4" => out.extend(v.parse::<u32>()?.to_le_bytes()),
        _ => out.extend(v.parse::<u64>()?.to_le_bytes()),
    }
    Ok(())
}

/// The first few elements, for people.
pub(super) fn preview(a: &Array, most: usize) -> String {
    let size = a.item_size();
    let mut out: Vec<String> =
        a.bytes.chunks_exact(size).take(most).map(|c| element(&a.dtype, c)).collect();
    if a.bytes.len() / size > most {
        out.push("…".into());
    }
    out.join(" ")
}

fn element(dtype: &str, c: &[u8]) -> String {
    let mut wide = [0u8; 8];
    wide[..c.len()].copy_from_slice(c);
    let bits = u64::from_le_bytes(wide);
    match dtype {
        "f4" => f32::from_bits(bits as u32).to_string(),
        "f2" => half::f16::from_bits(bits as u16).to_string(),
        "i1" => (bits as i8).to_string(),
        "i2" => (bits as i16).to_string(),
        "i4" => (bits as i32).to_string(),
        "i8" => (bits as i64).to_string(),
        _ => bits.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specifications() {
        let (i, a) = parse("u32:1,2,3", 4).unwrap();
        assert_eq!((i, a.shape.clone(), preview(&a, 2)), (4, vec![3], "1 2 …".to_string()));
        let (i, a) = parse("2=f16[2,2]", 0).unwrap();
        assert_eq!((i, a.bytes.len(), preview(&a, 9)), (2, 8, "0 0 0 0".to_string()));
        for bad in ["x", "u32:a", "f32[x]", "f32[99999999999,99999999999]", "no.npy"] {
            assert!(parse(bad, 0).is_err(), "{bad}");
        }
    }
}
