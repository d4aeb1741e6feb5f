//! How arrays with labelled axes are multiplied: two at a time, as matrix products where labels are summed
//! over, elementwise otherwise.

use super::{order::order, subscripts::Label};
use crate::{Array, Result};
use bessemer_core::{DType, Shape};

/// An array whose axes have labels, each its own.
#[derive(Clone)]
pub(super) struct Operand {
    pub(super) array: Array,
    pub(super) labels: Vec<Label>,
}

/// The arrays with one axis for each label: the diagonal where a label stands twice, and without those
/// axes of size 1 that other arrays broadcast.
pub(super) fn operands(
    arrays: &[&Array],
    labels: &[Vec<Label>],
    dtype: DType,
) -> std::result::Result<Vec<Operand>, String> {
    let mut operands = Vec::with_capacity(arrays.len());
    for (array, labels) in arrays.iter().zip(labels) {
        let (mut array, mut labels) = (array.cast(dtype), labels.clone());
        while let Some((i, j)) = twice(&labels) {
            let sizes = (array.shape()[i], array.shape()[j]);
            if sizes.0 != sizes.1 {
                return Err(format!(
                    "axes {i} and {j} have one label, but sizes {} and {}",
                    sizes.0, sizes.1
                ));
            }
            array = array.moveaxis([i as isize, j as isize], [-2, -1]).diagonal(0);
            let label = labels[i];
            labels.remove(j);
            labels.remove(i);
            labels.push(label);
        }
        operands.push(Operand { array, labels });
    }
    let mut sizes: Vec<(Label, usize)> = Vec::new();
    for operand in &operands {
        for (&label, &size) in operand.labels.iter().zip(&**operand.array.shape()) {
            match sizes.iter_mut().find(|(other, _)| *other == label) {
                None => sizes.push((label, size)),
                Some((_, known)) if *known == 1 => *known = size,
                Some((_, known)) if size == 1 || size == *known => {}
                Some((_, known)) => {
                    let name = match label {
                        Label::Letter(letter) => letter.to_string(),
                        Label::Ellipsis(_) => "...".into(),
                    };
                    return Err(format!("the label {name} stands for sizes {known} and {size}"));
                }
            }
        }
    }
    for operand in &mut operands {
        let broadcast = |(axis, label): (usize, &Label)| {
            let (_, size) = sizes.iter().find(|(other, _)| other == label)?;
            (operand.array.shape()[axis] == 1 && *size != 1).then_some(axis)
        };
        let gone: Vec<usize> = operand.labels.iter().enumerate().filter_map(broadcast).collect();
        for axis in gone.into_iter().rev() {
            operand.array = operand.array.squeeze(axis as isize);
            operand.labels.remove(axis);
        }
    }
    Ok(operands)
}

/// Two axes of one label.
fn twice(labels: &[Label]) -> Option<(usize, usize)> {
    (1..labels.len())
        .find_map(|j| labels[..j].iter().position(|&label| label == labels[j]).map(|i| (i, j)))
}

/// The product of all operands, with the labels of `output` in any order.
pub(super) fn all(mut operands: Vec<Operand>, output: &[Label]) -> Result<Operand> {
    let terms = operands.iter().map(|operand| operand.labels.clone()).collect();
    for (i, j) in order(terms, &sizes_of(&operands), output) {
        let b = operands.remove(j);
        let a = operands.remove(i);
        let needed = |label: &Label| {
            output.contains(label) || operands.iter().any(|other| other.labels.contains(label))
        };
        let (a, b) = (a.only(&|label| needed(label) || b.labels.contains(label)), b);
        let b = b.only(&|label| needed(label) || a.labels.contains(label));
        let product = a.times(&b, &needed)?;
        operands.push(product);
    }
    let last = operands.swap_remove(0);
    Ok(last.only(&|label| output.contains(label)))
}

/// How large the axis of each label is.
fn sizes_of(operands: &[Operand]) -> Vec<(Label, usize)> {
    let axes = operands.iter().flat_map(|operand| {
        operand.labels.iter().copied().zip(operand.array.shape().iter().copied())
    });
    axes.collect()
}

impl Operand {
    /// Summed over all axes but those whose labels are wanted.
    fn only(self, wanted: &dyn Fn(&Label) -> bool) -> Operand {
        let gone: Vec<isize> = self
            .labels
            .iter()
            .enumerate()
            .filter(|(_, label)| !wanted(label))
            .map(|(axis, _)| axis as isize)
            .collect();
        if gone.is_empty() {
            return self;
        }
        let array = self.array.sum(&gone).cast(self.array.dtype());
        let labels = self.labels.into_iter().filter(|label| wanted(label)).collect();
        Operand { array, labels }
    }

    /// The sizes of these labels.
    fn sizes(&self, labels: &[Label]) -> Vec<usize> {
        let axis = |label| self.labels.iter().position(|other| other == label);
        labels.iter().filter_map(axis).map(|axis| self.array.shape()[axis]).collect()
    }

    /// With its axes in the order of these labels, which are all of its own.
    fn ordered(&self, labels: &[&[Label]]) -> Array {
        let axis = |label| self.labels.iter().position(|other| other == label);
        let order = labels.iter().copied().flatten().filter_map(axis);
        self.array.permute(&order.map(|axis| axis as isize).collect::<Vec<_>>())
    }

    /// The product of two, summed over what both have and nobody needs.
    fn times(&self, other: &Operand, needed: &dyn Fn(&Label) -> bool) -> Result<Operand> {
        let both = |label: &&Label| other.labels.contains(label);
        let shared: Vec<Label> = self.labels.iter().filter(both).copied().collect();
        let (batch, summed): (Vec<Label>, Vec<Label>) =
            shared.iter().partition(|label| needed(label));
        let free = |operand: &Operand| -> Vec<Label> {
            operand.labels.iter().filter(|label| !shared.contains(label)).copied().collect()
        };
        let (rows, columns) = (free(self), free(other));
        let labels = [&*batch, &rows, &columns].concat();
        let dtype = self.array.dtype();
        let (batch_sizes, row_sizes) = (self.sizes(&batch), self.sizes(&rows));
        let column_sizes = other.sizes(&columns);
        if summed.is_empty() || rows.is_empty() && columns.is_empty() {
            // Elementwise, perhaps into a sum of it.
            let a = self.ordered(&[&batch, &rows, &summed]);
            let ones = vec![1; columns.len()];
            let a_dims = [&*batch_sizes, &row_sizes, &ones, &self.sizes(&summed)].concat();
            let b = other.ordered(&[&batch, &columns, &summed]);
            let ones = vec![1; rows.len()];
            let b_dims = [&*batch_sizes, &ones, &column_sizes, &other.sizes(&summed)].concat();
            let a = a.check()?.reshape_to(Shape::new(&a_dims)?)?;
            let product = a * b.check()?.reshape_to(Shape::new(&b_dims)?)?;
            let axes: Vec<isize> = (1..=summed.len() as isize).map(|axis| -axis).collect();
            let array = if axes.is_empty() { product } else { product.sum(axes).cast(dtype) };
            return Ok(Operand { array: array.check()?.clone(), labels });
        }
        let count = |sizes: &[usize]| sizes.iter().product::<usize>();
        let depth = count(&self.sizes(&summed));
        let as_matrices = |array: Array, rows, columns| -> Result<Array> {
            let mut dims = vec![rows, columns];
            if !batch.is_empty() {
                dims.insert(0, count(&batch_sizes));
            }
            array.check()?.reshape_to(Shape::new(&dims)?)
        };
        let a = as_matrices(self.ordered(&[&batch, &rows, &summed]), count(&row_sizes), depth)?;
        let b =
            as_matrices(other.ordered(&[&batch, &summed, &columns]), depth, count(&column_sizes))?;
        let dims = [&*batch_sizes, &row_sizes, &column_sizes].concat();
        let array = a.matmul(&b).check()?.cast(dtype).reshape_to(Shape::new(&dims)?)?;
        Ok(Operand { array, labels })
    }
}
