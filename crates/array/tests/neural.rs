//! Normalisation and attention: the ops against the same of other functions in `f64`.

mod common;

use bessemer_array::{Array, Attention};
use bessemer_core::{DType, Device};
use common::values;
use std::sync::Arc;

fn random(device: &Arc<dyn Device>, shape: &[usize], seed: u64) -> Array {
    Array::random_uniform(device, shape, -1.0..1.0, DType::F32, seed)
}

fn assert_near(found: &Array, wanted: &Array, within: f64) {
    assert_eq!((found.dims(), wanted.dtype()), (wanted.dims(), DType::F64));
    for (found, wanted) in values(found).into_iter().zip(values(wanted)) {
        assert!((found - wanted).abs() <= within, "{found} for {wanted}");
    }
}

#[test]
fn rows_are_normalised() {
    let device = common::cpu();
    let wide = |array: &Array| array.astype(DType::F64);
    for (dtype, within) in [(DType::F32, 1e-5), (DType::F16, 4e-3)] {
        let x = random(&device, &[3, 5, 40], 1).astype(dtype);
        let [weight, bias] = [2, 3].map(|seed| random(&device, &[40], seed).astype(dtype));
        // Rows with gaps, too.
        for x in [x.clone(), x.swap_axes(0, 1), x.flip([0])] {
            let found = x.layer_norm(Some(&weight), Some(&bias), 1e-3);
            assert_eq!(found.dtype(), dtype);
            let wanted = wide(&x).layer_norm(Some(&wide(&weight)), Some(&wide(&bias)), 1e-3);
            assert_near(&found, &wanted, within);
            let (found, wanted) =
                (x.layer_norm(None, None, 0.0), wide(&x).layer_norm(None, None, 0.0));
            assert_near(&found, &wanted, 2.0 * within);
            let found = x.rms_norm(&weight, 1e-3);
            assert_near(&found, &wide(&x).rms_norm(&wide(&weight), 1e-3), within);
        }
    }
    let integers = Array::new(&device, [[1, 3]]).unwrap();
    assert_eq!(integers.layer_norm(None, None, 0.0).to_string(), "[[-1.  1.]]");
}

#[test]
fn attention_of_stacks_groups_and_views() {
    let device = common::cpu();
    let wide = |array: &Array| array.astype(DType::F64);
    for (rows, tokens, causal) in [(7, 7, true), (1, 9, true), (5, 3, true), (4, 6, false)] {
        let q = random(&device, &[2, 4, rows, 16], 1);
        let k = random(&device, &[2, 2, tokens, 16], 2);
        let turned = random(&device, &[2, 2, 16, tokens], 3).swap_axes(-1, -2);
        for v in [random(&device, &[2, 2, tokens, 16], 4), turned] {
            for scale in [None, Some(0.5)] {
                let how = Attention { scale, causal };
                let wanted = wide(&q).attention(&wide(&k), &wide(&v), how);
                assert_near(&q.attention(&k, &v, how), &wanted, 1e-5);
            }
        }
    }
    let one = random(&device, &[2, 3, 8], 5);
    assert_eq!(one.attention(&one, &one, Attention::default()).dims(), [2, 3, 8]);
}
