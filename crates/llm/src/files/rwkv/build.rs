//! Making the tensors of a GGUF file: matrices stay where they lie, what must be changed is made anew in
//! one piece of memory.

use super::names::Named;
use crate::{
    Error, Result,
    files::{Tensor, Tensors, tensors},
};
use bessemer_core::{DType, Shape};
use foldhash::HashSet;

use std::path::Path;

/// New tensors start at multiples of this.
const ALIGNMENT: usize = 64;

pub(super) struct Builder<'a> {
    named: &'a Named<'a>,
    path: &'a Path,
    /// Whether matrices of low rank have a row for each output, as linear layers do.
    outputs_first: bool,
    made: Vec<u8>,
    list: Vec<Tensor>,
    used: HashSet<&'a str>,
}

impl<'a> Builder<'a> {
    pub(super) fn new(named: &'a Named<'a>, path: &'a Path, outputs_first: bool) -> Builder<'a> {
        Builder {
            named,
            path,
            outputs_first,
            made: Vec::new(),
            list: Vec::new(),
            used: HashSet::default(),
        }
    }

    /// All tensors, if all of the source were used: what is left over would change what a model of the
    /// architecture `what` computes.
    pub(super) fn finish(self, what: &str) -> Result<Tensors> {
        let mut left: Vec<&Tensor> = self.named.iter().map(|(_, tensor)| tensor).collect();
        left.retain(|tensor| !self.used.contains(tensor.name.as_str()));
        if let Some(tensor) = left.iter().min_by_key(|tensor| &tensor.name) {
            let place = format!("tensor `{}`", tensor.name);
            let why = format!("is not part of {what}");
            let remedy = format!("use a plain {what} model");
            return Err(Error::broken(self.path_of(tensor), place, why, remedy));
        }
        Ok(self.named.tensors.derive(self.path, self.made, self.list))
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.named.has(name)
    }

    /// The tensor of this name, of floats.
    pub(super) fn require(&mut self, name: &str) -> Result<&'a Tensor> {
        let Some(tensor) = self.named.get(name) else {
            let remedy = "the file is incomplete; download it again";
            let place = format!("tensor `{name}`");
            return Err(Error::broken(self.path, place, "is missing", remedy));
        };
        self.used.insert(&tensor.name);
        if !tensor.dtype.fits_f32() {
            let what = format!("dtype {}", tensor.dtype);
            let place = format!("tensor `{}`", tensor.name);
            let remedy = "use the model in F32, F16 or BF16";
            return Err(Error::unsupported(self.path_of(tensor), place, what, remedy));
        }
        Ok(tensor)
    }

    /// A tensor that nobody reads.
    pub(super) fn ignore(&mut self, name: &str) {
        if let Some(tensor) = self.named.get(name) {
            self.used.insert(&tensor.name);
        }
    }

    /// The tensor of this name, which must have this shape; ones in it do not count.
    pub(super) fn find(&mut self, name: &str, shape: &[usize]) -> Result<&'a Tensor> {
        let tensor = self.require(name)?;
        let counts = |size: &&usize| **size != 1;
        if tensor.shape.iter().filter(counts).ne(shape.iter().filter(counts)) {
            let why = format!("has the shape {}, not {shape:?}", tensor.shape);
            return Err(self.damaged(tensor, why));
        }
        Ok(tensor)
    }

    pub(super) fn damaged(&self, tensor: &Tensor, why: String) -> Error {
        Error::damaged(self.path_of(tensor), format!("tensor `{}`", tensor.name), why)
    }

    fn path_of(&self, tensor: &Tensor) -> &'a Path {
        self.named.tensors.files().nth(tensor.file).unwrap_or(self.path)
    }

    /// A tensor as it is.
    pub(super) fn matrix(&mut self, to: &str, from: &str, shape: &[usize]) -> Result<()> {
        let tensor = self.find(from, shape)?;
        self.in_place(to, tensor, shape)
    }

    /// A vector, as `f32`.
    pub(super) fn vector(&mut self, to: &str, from: &str, len: usize) -> Result<()> {
        let tensor = self.find(from, &[len])?;
        match tensor.dtype {
            DType::F32 => self.in_place(to, tensor, &[len]),
            _ => {
                let values = self.values(tensor);
                self.numbers(to, &[len], &values)
            }
        }
    }

    /// A weight and its bias.
    pub(super) fn norm(&mut self, to: &str, from: &str, len: usize) -> Result<()> {
        self.vector(&format!("{to}.weight"), &format!("{from}.weight"), len)?;
        self.vector(&format!("{to}.bias"), &format!("{from}.bias"), len)
    }

    /// A matrix of low rank with a row for each output, or several of them, of one shape: `[outputs,
    /// inputs]`, after a count. As `f32` if `wide`.
    pub(super) fn low_rank(
        &mut self,
        to: &str,
        from: &str,
        shape: &[usize],
        wide: bool,
    ) -> Result<()> {
        let (tensor, bytes) = self.rows_of_outputs(from, shape)?;
        match (bytes, wide && tensor.dtype != DType::F32) {
            (None, false) => self.in_place(to, tensor, shape),
            (Some(bytes), false) => self.add(to, tensor.dtype, shape, &bytes),
            (bytes, true) => {
                let bytes = bytes.as_deref().unwrap_or_else(|| self.named.tensors.bytes(tensor));
                let values = floats(tensor.dtype, bytes);
                self.numbers(to, shape, &values)
            }
        }
    }

    /// The same as `f32`, with its `order.len()` parts in another order.
    pub(super) fn low_rank_in_order(
        &mut self,
        to: &str,
        from: &str,
        shape: &[usize],
        order: &[usize],
    ) -> Result<()> {
        let (tensor, bytes) = self.rows_of_outputs(from, shape)?;
        let bytes = bytes.as_deref().unwrap_or_else(|| self.named.tensors.bytes(tensor));
        let values = floats(tensor.dtype, bytes);
        let part = values.len() / order.len();
        let moved: Vec<f32> =
            order.iter().flat_map(|&i| &values[i * part..][..part]).copied().collect();
        self.numbers(to, shape, &moved)
    }

    /// A tensor with a row for each output, and its bytes if they must be transposed for that.
    fn rows_of_outputs(
        &mut self,
        from: &str,
        shape: &[usize],
    ) -> Result<(&'a Tensor, Option<Vec<u8>>)> {
        if self.outputs_first {
            return Ok((self.find(from, shape)?, None));
        }
        let (mut other, last) = (shape.to_vec(), shape.len() - 1);
        other.swap(last - 1, last);
        let tensor = self.find(from, &other)?;
        let bytes = self.named.tensors.bytes(tensor);
        let (rows, columns) = (other[last - 1], other[last]);
        Ok((tensor, Some(transposed(bytes, rows, columns, tensor.dtype.block_bytes()))))
    }

    /// The numbers of a tensor.
    pub(super) fn values(&self, tensor: &Tensor) -> Vec<f32> {
        floats(tensor.dtype, self.named.tensors.bytes(tensor))
    }

    /// New numbers.
    pub(super) fn numbers(&mut self, to: &str, shape: &[usize], values: &[f32]) -> Result<()> {
        let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
        self.add(to, DType::F32, shape, &bytes)
    }

    /// Another name for a tensor that was made already.
    pub(super) fn alias(&mut self, to: &str, made: &str) {
        if let Some(tensor) = self.list.iter().rev().find(|tensor| tensor.name == made) {
            let copy = Tensor { name: to.to_owned(), ..tensor.clone() };
            self.list.push(copy);
        }
    }

    fn add(&mut self, to: &str, dtype: DType, shape: &[usize], bytes: &[u8]) -> Result<()> {
        self.made.resize(self.made.len().next_multiple_of(ALIGNMENT), 0);
        let start = self.made.len();
        self.made.extend(bytes);
        let file = self.named.tensors.files().len();
        let range = start..self.made.len();
        self.list.push(Tensor {
            name: to.to_owned(),
            dtype,
            shape: Shape::new(shape)?,
            file,
            range,
        });
        Ok(())
    }

    fn in_place(&mut self, to: &str, tensor: &Tensor, shape: &[usize]) -> Result<()> {
        let shape = Shape::new(shape)?;
        self.list.push(Tensor { name: to.to_owned(), shape, ..tensor.clone() });
        Ok(())
    }
}

/// The numbers of a tensor that [`Builder::require`] has found.
fn floats(dtype: DType, bytes: &[u8]) -> Vec<f32> {
    tensors::floats(dtype, bytes).expect("what is found are floats")
}

/// Matrices one after another, each with rows and columns exchanged. Elements have so many bytes.
fn transposed(bytes: &[u8], rows: usize, columns: usize, size: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    for matrix in bytes.chunks_exact((rows * columns * size).max(1)) {
        for column in 0..columns {
            for row in 0..rows {
                out.extend(&matrix[(row * columns + column) * size..][..size]);
            }
        }
    }
    out
}
