use super::*;
use crate::{DeviceId, HostMemory};
use std::sync::Arc;

fn buffer(bytes: usize) -> Buffer {
    let memory = HostMemory::new(Arc::new(vec![0u8; bytes]));
    Buffer::new(DeviceId::new(), Box::new(memory), bytes, true)
}

fn shape(dims: &[usize]) -> Shape {
    Shape::new(dims).unwrap()
}

fn view(dims: &[usize]) -> View {
    View::new(&buffer(4096), DType::F32, shape(dims)).unwrap()
}

#[test]
fn a_view_must_lie_within_its_buffer() {
    let buffer = buffer(64);
    assert!(View::new(&buffer, DType::F32, shape(&[16])).is_ok());
    assert!(View::new(&buffer, DType::F32, shape(&[17])).is_err());
    let at = |dims: &[usize], steps: &[isize], offset| {
        View::at(&buffer, DType::F32, shape(dims), Strides::new(steps).unwrap(), offset)
    };
    assert!(at(&[4], &[-1], 12).is_ok());
    assert!(at(&[4], &[-1], 8).is_err());
    assert!(at(&[4], &[isize::MAX], 0).is_err());
    assert!(at(&[4], &[1], 2).is_err());
    assert!(at(&[0, 4], &[9999, 1], 64).is_ok());
    assert!(at(&[0], &[1], 68).is_err());
}

#[test]
fn block_formats_keep_whole_blocks() {
    let buffer = buffer(1024);
    let view = View::new(&buffer, DType::Q4_0, shape(&[4, 64])).unwrap();
    assert_eq!(view.range(), 0..144);
    assert_eq!(view.narrow(0, 1..3).unwrap().range(), 36..108);
    assert_eq!(view.narrow(1, 32..64).unwrap().offset(), 18);
    assert!(view.narrow(1, 16..48).is_err());
    assert!(view.transpose().is_err());
    assert!(View::new(&buffer, DType::Q4_K, shape(&[64])).is_err());
    assert!(View::new(&buffer, DType::Q4_K, shape(&[5, 0])).is_ok());
}

#[test]
fn slicing_permuting_and_reversing() {
    let view = view(&[4, 6]);
    let part = view.step(1, 5, 3, -2).unwrap();
    assert_eq!((part.offset(), part.strides()[1]), (20, -2));
    assert!(view.step(1, 5, 4, -2).is_err());
    assert!(view.step(1, 0, 2, isize::MAX).is_err());
    assert_eq!(&**view.transpose().unwrap().shape(), &[6, 4]);
    assert!(view.permute(&[0, 0]).is_err());
    assert!(view.narrow(2, 0..1).is_err());
}

#[test]
fn reshaping_without_a_copy_where_strides_allow() {
    let whole = view(&[4, 6]);
    assert_eq!(&**whole.reshape(shape(&[2, 2, 6, 1])).unwrap().unwrap().strides(), &[12, 6, 1, 1]);
    let turned = whole.transpose().unwrap();
    assert!(turned.reshape(shape(&[24])).unwrap().is_none());
    assert_eq!(&**turned.reshape(shape(&[2, 3, 4])).unwrap().unwrap().strides(), &[3, 1, 6]);
    let rows = whole.narrow(1, 0..3).unwrap();
    assert!(rows.reshape(shape(&[12])).unwrap().is_none());
    assert!(rows.reshape(shape(&[2, 2, 3])).unwrap().is_some());
    assert!(whole.reshape(shape(&[5])).is_err());
    assert!(view(&[0, 3]).reshape(shape(&[3, 0])).unwrap().is_some());
    assert!(view(&[1]).reshape(shape(&[])).unwrap().is_some());
}

#[test]
fn broadcasting_repeats_with_stride_zero() {
    let row = view(&[1, 6]);
    let wide = row.broadcast_to(shape(&[5, 4, 6])).unwrap();
    assert_eq!(&**wide.strides(), &[0, 0, 1]);
    assert!(wide.repeats_elements());
    assert_eq!(wide.stored_bytes(), 24);
    assert!(row.broadcast_to(shape(&[6, 1])).is_err());
}

#[test]
fn columns_lie_side_by_side() {
    let matrix = view(&[4, 10]);
    let columns = |range| matrix.narrow(1, range).unwrap();
    assert!(columns(0..4).is_beside(&columns(4..10)));
    assert!(columns(4..10).is_beside(&columns(0..4)));
    assert!(columns(8..10).is_beside(&columns(0..3)));
    assert!(!columns(0..5).is_beside(&columns(4..10)));
    assert!(!columns(0..4).is_beside(&matrix));
    // Every second column, beside the others and not beside themselves.
    let every_second = |first| columns(first..10).step(1, 0, 5, 2).unwrap();
    assert!(every_second(0).is_beside(&every_second(1)));
    assert!(!every_second(0).is_beside(&every_second(0)));
    // One row has no period; another buffer is no neighbour.
    assert!(!matrix.narrow(0, 0..1).unwrap().is_beside(&matrix.narrow(0, 0..1).unwrap()));
    assert!(!columns(0..4).is_beside(&view(&[4, 10]).narrow(1, 4..10).unwrap()));
}

#[test]
fn overlap_and_identity() {
    let view = view(&[4, 6]);
    let (top, bottom) = (view.narrow(0, 0..2).unwrap(), view.narrow(0, 2..4).unwrap());
    assert!(!top.overlaps(&bottom));
    assert!(view.overlaps(&top));
    assert!(view.is_same_place(&view.clone()));
    assert!(!view.is_same_place(&top));
    assert!(!view.repeats_elements());
    assert!(!view.transpose().unwrap().repeats_elements());
    assert!(!view.narrow(0, 0..0).unwrap().overlaps(&view));
}

#[test]
fn contiguity() {
    assert!(view(&[4, 6]).is_contiguous());
    assert!(view(&[4, 6]).narrow(0, 1..3).unwrap().is_contiguous());
    assert!(!view(&[4, 6]).narrow(1, 1..3).unwrap().is_contiguous());
    assert!(view(&[4, 6]).narrow(1, 1..3).unwrap().has_contiguous_rows());
    assert!(!view(&[4, 6]).transpose().unwrap().has_contiguous_rows());
    assert!(view(&[1, 6]).transpose().unwrap().is_contiguous());
}

#[test]
fn sizes_and_strides_at_the_end_of_what_can_be_counted() {
    let buffer = buffer(64);
    let at = |dims: &[usize], steps: &[isize]| {
        View::at(&buffer, DType::F32, shape(dims), Strides::new(steps).unwrap(), 0)
    };
    // Never taken, but still to be counted with.
    assert!(at(&[1], &[isize::MAX]).is_err());
    assert!(at(&[0, 4], &[1, isize::MIN / 4]).is_err());
    let far = at(&[0, 3, 3], &[1, isize::MAX / 16, isize::MAX / 16]).unwrap();
    assert!(!far.repeats_elements() && far.is_contiguous());
    let one = at(&[2, 1], &[1, isize::MAX / 8]).unwrap();
    assert_eq!(one.step(1, 0, 1, isize::MIN).unwrap().elements(), 2);
    assert!(one.step(1, 0, 2, isize::MIN).is_err());
    assert!(one.step(0, isize::MAX, 1, 1).is_err());
    assert!(one.narrow(0, usize::MAX..usize::MAX).is_err());

    // More elements than 32 bits count, all at one place.
    let many = at(&[1], &[1]).unwrap().broadcast_to(shape(&[1 << 33])).unwrap();
    assert_eq!((many.elements(), many.range()), (1 << 33, 0..4));
    let part = many.narrow(0, (1 << 32) - 1..(1 << 32) + 2).unwrap();
    assert_eq!((part.elements(), part.offset()), (3, 0));
    assert_eq!(many.step(0, (1 << 33) - 1, 1 << 32, -2).unwrap().elements(), 1 << 32);
    assert!(many.reshape(shape(&[1 << 16, 1 << 17])).unwrap().is_some());
    assert!(many.broadcast_to(shape(&[1 << 29, 1 << 33])).is_ok());
    assert!(Shape::new(&[1 << 30, 1 << 33]).is_err());
    assert!(View::new(&buffer, DType::F32, shape(&[1 << 62])).is_err());
}
