//! Loading tensors to a device: used in place if the file's layout allows it, copied if they must be
//! joined or converted.

use crate::{
    Error, Result,
    error::DAMAGED,
    files::{Tensor, Tensors},
};
use bessemer_core::{Buffer, DType, Device, Element, Shape, View, estimate};
use std::{collections::HashMap, path::Path};

/// Finds tensors by name and makes views of them.
pub(super) struct Loader<'a> {
    tensors: &'a Tensors,
    device: &'a dyn Device,
    /// The buffer of each file, adopted once.
    files: HashMap<usize, Buffer>,
}

impl<'a> Loader<'a> {
    pub(super) fn new(tensors: &'a Tensors, device: &'a dyn Device) -> Loader<'a> {
        Loader { tensors, device, files: HashMap::new() }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.tensors.get(name).is_some()
    }

    /// A tensor, which must be of this shape, of floats or blocks.
    pub(super) fn view(&mut self, name: &str, shape: &[usize]) -> Result<View> {
        let tensor = self.find(name, &[shape])?;
        if !(tensor.dtype.fits_f32() || tensor.dtype.is_block()) {
            return Err(self.refuse(name, format!("is {}, not floats or blocks", tensor.dtype)));
        }
        // safetensors files promise no alignment.
        if !tensor.range.start.is_multiple_of(tensor.dtype.alignment()) {
            return self.copied(tensor.dtype, &[tensor]);
        }
        let buffer = match self.files.get(&tensor.file) {
            Some(buffer) => buffer,
            None => {
                let adopted = self.device.adopt(self.tensors.file(tensor.file));
                let buffer = adopted.map_err(|source| refused(tensor, source))?;
                self.files.entry(tensor.file).or_insert(buffer)
            }
        };
        let strides = tensor.shape.strides();
        Ok(View::at(buffer, tensor.dtype, tensor.shape, strides, tensor.range.start)?)
    }

    /// A vector of floats, as they are, perhaps stored as a matrix of one row. All must be numbers: one that is not spoils every token.
    pub(super) fn vector(&mut self, name: &str, len: usize) -> Result<View> {
        self.floats(name, &[&[len], &[1, len]])?;
        self.view(name, &[len])
    }

    /// A vector of floats, each with `more` added.
    pub(super) fn raised(&mut self, name: &str, len: usize, more: f32) -> Result<View> {
        let mut values = self.floats(name, &[&[len], &[1, len]])?;
        values.iter_mut().for_each(|x| *x += more);
        self.numbers(&values)
    }

    /// Tensors of one shape and dtype as one tensor, with a dimension more.
    pub(super) fn stacked(&mut self, names: &[String], shape: &[usize]) -> Result<View> {
        let parts: Vec<&Tensor> =
            names.iter().map(|name| self.find(name, &[shape])).collect::<Result<_>>()?;
        let dtype = parts.first().map_or(DType::F32, |first| first.dtype);
        if let Some(other) = parts.iter().find(|part| part.dtype != dtype) {
            let why = format!("is {}, but `{}` is {dtype}", other.dtype, names[0]);
            return Err(self.refuse(&other.name, why));
        }
        let view = self.copied(dtype, &parts)?;
        let mut dims = vec![parts.len()];
        dims.extend(shape);
        Ok(View::new(view.buffer(), dtype, Shape::new(&dims)?)?)
    }

    /// Numbers, copied to the device.
    pub(super) fn numbers(&self, values: &[f32]) -> Result<View> {
        let buffer = self.device.alloc(size_of_val(values))?;
        let view = View::new(&buffer, DType::F32, Shape::new(&[values.len()])?)?;
        self.device.write(&view.slice()?, f32::as_bytes(values))?;
        Ok(view)
    }

    fn copied(&self, dtype: DType, parts: &[&Tensor]) -> Result<View> {
        let rows = parts.iter().map(|part| part.shape.rows()).sum();
        let width = parts.first().map_or(0, |part| part.shape.width());
        let allocated = self.device.alloc(estimate::tensor(dtype, rows, width)?);
        let buffer = allocated.map_err(|source| match parts.first() {
            Some(first) => refused(first, source),
            None => source.into(),
        })?;
        let view = View::new(&buffer, dtype, Shape::new(&[rows, width])?)?;
        let mut row = 0;
        for part in parts {
            let rows = row..row + part.shape.rows();
            row = rows.end;
            let place = view.narrow(0, rows)?;
            self.device.write(&place.slice()?, self.tensors.bytes(part))?;
        }
        match parts {
            [only] => Ok(View::new(&buffer, dtype, only.shape)?),
            _ => Ok(view),
        }
    }

    /// The numbers of a tensor of floats of one of these shapes, none of which is infinite or NaN.
    pub(super) fn floats(&self, name: &str, shapes: &[&[usize]]) -> Result<Vec<f32>> {
        let tensor = self.find(name, shapes)?;
        let values = match self.tensors.floats(tensor) {
            Some(values) => values,
            None => return Err(self.refuse(name, format!("is {}, not floats", tensor.dtype))),
        };
        match values.iter().position(|x| !x.is_finite()) {
            Some(at) => Err(self.refuse(name, format!("has {} at element {at}", values[at]))),
            None => Ok(values),
        }
    }

    /// A vector of floats that may also be stored as a matrix of one row, as that matrix.
    pub(super) fn row(&mut self, name: &str, len: usize) -> Result<View> {
        let values = self.floats(name, &[&[len], &[1, len]])?;
        let view = self.numbers(&values)?;
        Ok(view.unsqueeze(0)?)
    }

    fn find(&self, name: &str, shapes: &[&[usize]]) -> Result<&'a Tensor> {
        let tensor = self.tensors.require(name)?;
        if !shapes.contains(&&*tensor.shape) {
            let why = format!("has the shape {}, not {:?}", tensor.shape, shapes[0]);
            return Err(self.refuse(name, why));
        }
        Ok(tensor)
    }

    fn refuse(&self, name: &str, why: String) -> Error {
        let file = self.tensors.get(name).map_or(0, |tensor| tensor.file);
        let path = self.tensors.files().nth(file).unwrap_or(Path::new(""));
        Error::broken(path, format!("tensor `{name}`"), why, DAMAGED)
    }
}

/// The device would not take a tensor, or the file it is in.
fn refused(tensor: &Tensor, source: bessemer_core::Error) -> Error {
    Error::Load { tensor: tensor.name.clone(), bytes: tensor.range.len(), source }
}
