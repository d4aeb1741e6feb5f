//! Arrays of more elements than 32 bits count, and of more than there can be: views of one element
//! repeated cost nothing, and what can't be had is an error.

mod common;

use bessemer_array::{Array, Result, s};
use bessemer_core::DType::{F32, Q8_0, U8, U32};

const MANY: usize = 1 << 33;

#[test]
fn repeated_elements_are_sliced_and_printed() {
    for device in [common::reference(), common::cpu()] {
        let one = Array::new(&device, [[7u8], [9]]).unwrap();
        let many = one.broadcast_to(&[2, MANY]);
        assert_eq!(many.elements(), 2 * MANY);
        assert_eq!(many.slice(s![.., -2..]).to_vec::<u8>().unwrap(), [7, 7, 9, 9]);
        let far = u32::MAX as isize;
        assert_eq!(many.slice(s![1, far..;far]).to_vec::<u8>().unwrap(), [9, 9]);
        assert_eq!(many.at(-1).at(5_000_000_000).item::<u8>().unwrap(), 9);
        assert_eq!(many.to_string(), "[[7 7 7 ... 7 7 7]\n [9 9 9 ... 9 9 9]]");
        // Of steps that nobody else can ask for, only the slice is computed.
        let twos = (Array::ones(&device, &[MANY], F32) * 2.0).slice(s![MANY - 1..]);
        assert_eq!(twos.to_vec::<f32>().unwrap(), [2.0]);
    }
}

#[test]
fn what_can_not_be_had_is_an_error() {
    let huge = &[1 << 45];
    let end = 2f64.powi(45);
    for device in [common::reference(), common::cpu()] {
        let ones = Array::ones(&device, huge, F32);
        let one = Array::new(&device, [1.5f32]).unwrap();
        let seen = one.broadcast_to(huge);
        let matrix = |rows, columns| one.broadcast_to(&[rows, columns]);
        let whole = |array: &Array| -> Result<()> { array.to_vec::<f32>().map(drop) };
        let refused: Vec<(&str, Result<()>)> = vec![
            ("filled", whole(&ones)),
            ("mapped", whole(&(&ones + &seen))),
            ("copied", seen.to_vec::<f32>().map(drop)),
            ("counted", whole(&Array::arange(&device, 0.0, end, 1.0))),
            ("random", whole(&Array::random_normal(&device, huge, 0.0, 1.0, F32, 1))),
            ("joined", Array::concat(&[&seen, &seen], 0).and_then(|both| whole(&both))),
            ("product", whole(&matrix(1 << 22, 1).matmul(&matrix(1, 1 << 23)))),
            ("shares", whole(&seen.softmax(0))),
            ("taken", whole(&one.take(&seen.astype(U32), 0))),
            ("quantised", seen.quantize(Q8_0).map(drop)),
            ("saved", seen.save_npy(std::env::temp_dir().join("bessemer-large.npy"))),
            ("argmax", seen.astype(U8).argmax(0).to_vec::<u32>().map(drop)),
            // Shapes that can't be counted.
            ("shape", whole(&Array::ones(&device, &[1 << 40, 1 << 40], F32))),
            ("joined shape", {
                let most = one.broadcast_to(&[1 << 62]);
                Array::concat(&[&most, &most], 0).map(drop)
            }),
            ("product's shape", whole(&matrix(1 << 32, 1).matmul(&matrix(1, 1 << 32)))),
            ("broadcast shape", whole(&(matrix(1 << 32, 1) + matrix(1, 1 << 32)))),
        ];
        for (what, result) in refused {
            let error = result.expect_err(what).to_string();
            assert!(!error.contains("panic"), "{what}: {error}");
        }
    }
}
