//! The text of every refusal, as a snapshot: to be read as a user reads it.

mod common;

use bessemer_array::{Array, Attention, Error, s};
use bessemer_core::{
    Complex,
    DType::{Complex64, F32, F64, I32, Q4_0, Q8_0, U64},
};

#[test]
fn every_refusal_says_what_is_wrong() {
    let (device, other) = (common::cpu(), common::reference());
    let f = |dims: &[usize]| Array::ones(&device, dims, F32);
    let a = f(&[2, 3]);
    let elsewhere = Array::ones(&other, &[2, 3], F32);
    let (ints, bools) = (a.astype(I32), a.gt(0.0));
    let z = a.astype(Complex64);
    let weight = f(&[5, 32]).quantize(Q8_0).unwrap();
    let lazily = [
        &a + &f(&[4]),
        &a + &elsewhere,
        &ints * &a.astype(U64),
        &ints + 3_000_000_000u32,
        &bools - &bools,
        a.astype(Q4_0),
        a.reshape(&[5]),
        a.reshape(&[-1, -1]),
        a.permute(&[0, 0]),
        a.broadcast_to(&[3, 3]),
        a.squeeze([0]),
        a.expand_dims(9),
        a.flip([2]),
        a.slice(s![2]),
        a.slice(s![0, 0, 0]),
        a.slice(s![..., ...]),
        a.slice(s![..; 0]),
        a.sum(2),
        a.sum([0, -2]),
        a.argmax([0, 1]),
        a.slice(s![0..0]).max_all(),
        a.take(&a, 0),
        a.matmul(&a),
        a.matmul(&f(&[])),
        a.linear(&weight),
        Array::ones(&other, &[2, 32], F32).linear(&weight),
        f(&[64]).linear(&f(&[2, 5, 64]).quantize(Q8_0).unwrap()),
        Array::where_(&a, &f(&[4]), 1),
        &a & &a,
        !&a,
        Array::full(&device, &[2], 1.0, Q4_0),
        Array::arange(&device, 0, 1, 0),
        Array::random_normal(&device, &[2], 0.0, -1.0, F32, 0),
        &a.astype(F64) + &z,
        &a.astype(F64) + Complex::new(0.0, 1.0),
        z.astype(F32),
        z.lt(&a),
        z.floor(),
        z.max_all(),
        z.maximum(1),
        z.softmax(0),
        z.remainder(2),
        Array::complex(&a, &z),
        bools.floor_divide(&bools),
        a.shl(1),
        a.bitwise_and(1),
        ints.shl(Complex::new(1.0, 0.0)),
        a.take(&z, 0),
        a.layer_norm(Some(&f(&[2])), None, 0.0),
        a.layer_norm(None, None, -1.0),
        f(&[]).rms_norm(&f(&[1]), 0.0),
        z.rms_norm(&f(&[3]), 0.0),
        a.attention(&a, &a, Attention::default()),
        f(&[1, 2, 8]).attention(&f(&[1, 2, 4]), &f(&[1, 2, 4]), Attention::default()),
        f(&[3, 2, 8]).attention(&f(&[2, 2, 8]), &f(&[2, 2, 8]), Attention::default()),
        f(&[1, 2, 8]).attention(
            &f(&[1, 2, 8]),
            &f(&[1, 2, 8]),
            Attention { scale: Some(f32::NAN), causal: false },
        ),
    ];
    let lists: [Option<Error>; 11] = [
        Array::concat(&[], 0).err(),
        Array::concat(&[&a, &f(&[2, 4, 1])], 0).err(),
        Array::concat(&[&a, &f(&[2, 4])], 0).err(),
        Array::stack(&[&a, &f(&[3, 2])], 0).err(),
        a.split(&[1, 1], 1).err(),
        a.item::<f32>().err(),
        a.to_vec::<i32>().err(),
        a.quantize(F32).err(),
        a.quantize(Q4_0).err(),
        Array::from_slice(&device, &[1.0f32, 2.0], &[3]).err(),
        Array::new(&device, vec![vec![1.0f32], vec![]]).err(),
    ];
    let lazily = lazily.iter().map(|array| array.error().cloned());
    let said: Vec<String> = lazily
        .chain(lists)
        .enumerate()
        .map(|(i, error)| error.unwrap_or_else(|| panic!("{i} is not refused")).to_string())
        .collect();
    insta::assert_snapshot!(said.join("\n"));
}
