//! Python's numbers on their way into an array: as bytes of its dtype.

use crate::dtype::{Kind, Row};
use bessemer::DType;
use half::{bf16, f16};
use pyo3::{
    exceptions::PyOverflowError,
    prelude::*,
    types::{PyBool, PyComplex, PyFloat},
};

/// Numbers of one kind: the widest among them.
pub(super) enum Numbers {
    Bools(Vec<bool>),
    Integers(Vec<i128>),
    Floats(Vec<f64>),
    Complexes(Vec<(f64, f64)>),
}

impl Numbers {
    pub(super) fn new() -> Numbers {
        Numbers::Bools(Vec::new())
    }

    pub(super) fn is_empty(&self) -> bool {
        match self {
            Numbers::Bools(all) => all.is_empty(),
            Numbers::Integers(all) => all.is_empty(),
            Numbers::Floats(all) => all.is_empty(),
            Numbers::Complexes(all) => all.is_empty(),
        }
    }

    /// Adds one of Python's numbers.
    pub(super) fn push(&mut self, item: &Bound<'_, PyAny>) -> PyResult<()> {
        let rank = if item.is_instance_of::<PyComplex>() {
            3
        } else if item.is_instance_of::<PyFloat>() {
            2
        } else if item.is_instance_of::<PyBool>() {
            0
        } else {
            1
        };
        // A list with one float is a list of floats.
        while self.rank() < rank {
            self.widen();
        }
        match self {
            Numbers::Bools(all) => all.push(item.extract()?),
            Numbers::Integers(all) => {
                let small = item.extract::<i64>().map(i128::from);
                let large = |_| item.extract::<u64>().map(i128::from);
                all.push(small.or_else(large).map_err(|_| {
                    PyOverflowError::new_err(format!("array: {item} does not fit in 64 bits"))
                })?);
            }
            Numbers::Floats(all) => all.push(item.extract()?),
            Numbers::Complexes(all) => match item.cast::<PyComplex>() {
                Ok(complex) => all.push((complex.real(), complex.imag())),
                Err(_) => all.push((item.extract()?, 0.0)),
            },
        }
        Ok(())
    }

    fn rank(&self) -> usize {
        match self {
            Numbers::Bools(_) => 0,
            Numbers::Integers(_) => 1,
            Numbers::Floats(_) => 2,
            Numbers::Complexes(_) => 3,
        }
    }

    /// The same numbers, as the next wider kind.
    fn widen(&mut self) {
        *self = match self {
            Numbers::Bools(all) => Numbers::Integers(all.iter().map(|&x| x.into()).collect()),
            Numbers::Integers(all) => Numbers::Floats(all.iter().map(|&x| x as f64).collect()),
            Numbers::Floats(all) => Numbers::Complexes(all.iter().map(|&x| (x, 0.0)).collect()),
            Numbers::Complexes(_) => return,
        };
    }

    /// The dtype that they have if none is asked for.
    pub(super) fn dtype(&self) -> DType {
        match self {
            Numbers::Bools(all) if all.is_empty() => DType::F32,
            Numbers::Bools(_) => DType::Bool,
            Numbers::Integers(all) => {
                let unsigned = all.iter().any(|&x| i64::try_from(x).is_err());
                if unsigned { DType::U64 } else { DType::I64 }
            }
            Numbers::Floats(_) => DType::F32,
            Numbers::Complexes(_) => DType::Complex64,
        }
    }

    /// As bytes of a dtype. Floats become integers towards zero; what does not fit is an error.
    pub(super) fn encode(&self, row: &Row) -> PyResult<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut add = |number: Number| number.encode(row, &mut bytes);
        match self {
            Numbers::Bools(all) => all.iter().try_for_each(|&x| add(Number::Integer(x.into()))),
            Numbers::Integers(all) => all.iter().try_for_each(|&x| add(Number::Integer(x))),
            Numbers::Floats(all) => all.iter().try_for_each(|&x| add(Number::Float(x, 0.0))),
            Numbers::Complexes(all) => all.iter().try_for_each(|&(x, y)| add(Number::Float(x, y))),
        }?;
        Ok(bytes)
    }
}

/// One number: a whole one, or a real and an imaginary part.
#[derive(Clone, Copy)]
enum Number {
    Integer(i128),
    Float(f64, f64),
}

impl Number {
    fn encode(self, row: &Row, bytes: &mut Vec<u8>) -> PyResult<()> {
        let size = row.dtype.block_bytes();
        let (real, imaginary) = match self {
            Number::Integer(x) => (x as f64, 0.0),
            Number::Float(x, y) => (x, y),
        };
        if imaginary != 0.0 && row.kind != Kind::Complex {
            let text = format!("array: a complex number does not fit {}", row.name);
            return Err(crate::errors::type_error(text));
        }
        match (row.kind, size) {
            (Kind::Bool, _) => bytes.push((real != 0.0).into()),
            (Kind::Complex, _) => {
                bytes.extend((real as f32).to_le_bytes());
                bytes.extend((imaginary as f32).to_le_bytes());
            }
            (Kind::Float, 2) if row.dtype == DType::BF16 => {
                bytes.extend(bf16::from_f64(real).to_le_bytes());
            }
            (Kind::Float, 2) => bytes.extend(f16::from_f64(real).to_le_bytes()),
            (Kind::Float, 4) => bytes.extend((real as f32).to_le_bytes()),
            (Kind::Float, _) => bytes.extend(real.to_le_bytes()),
            (Kind::Signed | Kind::Unsigned, _) => {
                let whole = match self {
                    Number::Integer(x) => x,
                    Number::Float(x, _) => x.trunc() as i128,
                };
                let bits = 8 * size as u32;
                let (least, most) = match row.kind {
                    Kind::Signed => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
                    _ => (0, (1i128 << bits) - 1),
                };
                if !(least..=most).contains(&whole) {
                    let text = format!("array: {whole} does not fit {}", row.name);
                    return Err(PyOverflowError::new_err(text));
                }
                bytes.extend_from_slice(&whole.to_le_bytes()[..size]);
            }
        }
        Ok(())
    }
}
