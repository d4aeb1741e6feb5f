//! Views against a plain model: whatever is sliced, permuted and reshaped, the elements and their
//! order are those that doing the same to a list of indices gives.

use bessemer_core::{Access, Buffer, DType, DeviceId, Element, Host, HostMemory, Shape, View};
use proptest::prelude::*;
use std::sync::Arc;

/// An array the obvious way: its shape and all its elements in order.
#[derive(Clone, Debug)]
struct Model {
    shape: Vec<usize>,
    values: Vec<f64>,
}

impl Model {
    /// The model whose element at `index` is this one's at `from(index)`.
    fn map(&self, shape: Vec<usize>, from: impl Fn(&[usize]) -> Vec<usize>) -> Model {
        let count = shape.iter().product();
        let mut values = Vec::with_capacity(count);
        for mut flat in 0..count {
            let mut index = vec![0; shape.len()];
            for axis in (0..shape.len()).rev() {
                index[axis] = flat % shape[axis];
                flat /= shape[axis];
            }
            let old = from(&index);
            let place = old.iter().zip(&self.shape).fold(0, |place, (&i, &size)| place * size + i);
            values.push(self.values[place]);
        }
        Model { shape, values }
    }
}

/// A change to a view, with numbers that are brought into range when it is made.
#[derive(Clone, Debug)]
enum Change {
    Permute(usize),
    Step { axis: usize, start: usize, count: usize, step: isize },
    Broadcast(usize),
    Split { axis: usize, factor: usize },
    Merge(usize),
    Unsqueeze(usize),
}

fn change() -> impl Strategy<Value = Change> {
    let small = 0usize..100;
    prop_oneof![
        small.clone().prop_map(Change::Permute),
        (small.clone(), small.clone(), small.clone(), -3isize..=3)
            .prop_map(|(axis, start, count, step)| Change::Step { axis, start, count, step }),
        (1usize..4).prop_map(Change::Broadcast),
        (small.clone(), 1usize..4).prop_map(|(axis, factor)| Change::Split { axis, factor }),
        small.clone().prop_map(Change::Merge),
        small.prop_map(Change::Unsqueeze),
    ]
}

/// Makes a change to both, if it applies.
fn apply(view: View, model: Model, change: &Change) -> (View, Model) {
    let rank = model.shape.len();
    let mut shape = model.shape.clone();
    match *change {
        Change::Permute(by) if rank > 0 => {
            let axes: Vec<usize> = (0..rank).map(|i| (i + by) % rank).collect();
            let shape = axes.iter().map(|&axis| model.shape[axis]).collect();
            let model = model.map(shape, |index| {
                let mut old = vec![0; rank];
                axes.iter().zip(index).for_each(|(&axis, &i)| old[axis] = i);
                old
            });
            (view.permute(&axes).unwrap(), model)
        }
        Change::Step { axis, start, count, step } if rank > 0 => {
            let axis = axis % rank;
            let size = shape[axis];
            if size == 0 {
                return (view, model);
            }
            let start = start % size;
            let room = match step {
                0 => 3,
                1.. => (size - 1 - start) / step as usize + 1,
                _ => start / step.unsigned_abs() + 1,
            };
            let count = count % (room + 1);
            shape[axis] = count;
            let model = model.map(shape, |index| {
                let mut old = index.to_vec();
                old[axis] = start.wrapping_add_signed(step * index[axis] as isize);
                old
            });
            assert!(view.step(axis, start as isize, size + 1, step.signum()).is_err() || step == 0);
            (view.step(axis, start as isize, count, step).unwrap(), model)
        }
        Change::Broadcast(times) if rank < 6 => {
            shape.insert(0, times);
            let model = model.map(shape.clone(), |index| index[1..].to_vec());
            (view.broadcast_to(Shape::new(&shape).unwrap()).unwrap(), model)
        }
        Change::Split { axis, factor } if rank > 0 && rank < 6 => {
            let axis = axis % rank;
            if !shape[axis].is_multiple_of(factor) {
                return (view, model);
            }
            shape[axis] /= factor;
            shape.insert(axis + 1, factor);
            // Splitting one dimension never needs a copy.
            let view = view.reshape(Shape::new(&shape).unwrap()).unwrap().unwrap();
            (view, Model { shape, values: model.values })
        }
        Change::Merge(axis) if rank > 1 => {
            let axis = axis % (rank - 1);
            shape[axis] *= shape.remove(axis + 1);
            match view.reshape(Shape::new(&shape).unwrap()).unwrap() {
                Some(view) => (view, Model { shape, values: model.values }),
                None => (view, model),
            }
        }
        Change::Unsqueeze(axis) if rank < 6 => {
            let axis = axis % (rank + 1);
            shape.insert(axis, 1);
            let view = view.unsqueeze(axis).unwrap();
            assert_eq!(&**view.squeeze(axis).unwrap().shape(), &model.shape[..]);
            (view, Model { shape, values: model.values })
        }
        _ => (view, model),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn views_keep_the_elements_and_their_order(
        dims in prop::collection::vec(0usize..6, 0..4),
        changes in prop::collection::vec(change(), 0..8),
    ) {
        let shape = Shape::new(&dims).unwrap();
        let values: Vec<f32> = (0..shape.elements()).map(|i| i as f32).collect();
        let memory = HostMemory::new(Arc::new(f32::as_bytes(&values).to_vec()));
        let buffer = Buffer::new(DeviceId::new(), Box::new(memory), values.len() * 4, false);
        let mut view = View::new(&buffer, DType::F32, shape).unwrap();
        let values = values.into_iter().map(f64::from).collect();
        let mut model = Model { shape: dims, values };
        for change in &changes {
            (view, model) = apply(view, model, change);
        }
        prop_assert_eq!(&**view.shape(), &model.shape[..]);
        let access = Access::new(&[&view], &[]);
        // SAFETY: nobody writes to the buffer.
        let read = unsafe { Host::new(&access) }.read(&view);
        prop_assert_eq!(&read, &model.values);
        if view.is_contiguous() && view.elements() > 0 {
            let first = view.offset() as f64 / 4.0;
            let expected: Vec<f64> = (0..read.len()).map(|i| first + i as f64).collect();
            prop_assert_eq!(&read, &expected);
        }
    }
}
