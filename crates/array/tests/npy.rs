//! `.npy` files: NumPy's (`fixtures/make.py`), our own, and broken ones.

mod common;

use bessemer_array::Array;
use bessemer_core::{DType, Device};
use std::sync::Arc;

fn fixture(name: &str) -> Vec<u8> {
    let path = format!("{}/tests/fixtures/{name}.npy", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(path).unwrap()
}

fn read(device: &Arc<dyn Device>, name: &str) -> bessemer_array::Result<Array> {
    Array::read_npy(device, &mut fixture(name).as_slice())
}

#[test]
fn what_numpy_wrote() {
    let device = common::reference();
    let base = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0];
    let half = base.map(|x| x / 2.0);
    let signed = base.map(|x| x - 3.0);
    let third = base.map(|x| x / 3.0);
    let even = [1.0, 0.0, 1.0, 0.0, 1.0, 0.0];
    for (name, dtype, wanted) in [
        ("f4", DType::F32, half),
        ("f4_fortran", DType::F32, half),
        ("f4_big", DType::F32, half),
        ("version2", DType::F32, half),
        ("f2", DType::F16, half),
        ("f8", DType::F64, third),
        ("i4_big_fortran", DType::I32, signed),
        ("i8", DType::I64, signed),
        ("i2", DType::I16, signed),
        ("i1", DType::I8, signed),
        ("u2", DType::U16, base),
        ("u4", DType::U32, base),
        ("u8_big", DType::U64, base),
        ("u1", DType::U8, base),
        ("b1", DType::Bool, even),
    ] {
        let array = read(&device, name).unwrap();
        assert_eq!(array.dtype(), dtype, "{name}");
        assert_eq!(array.dims(), [2, 3], "{name}");
        assert_eq!(common::values(&array), wanted, "{name}");
    }
    assert_eq!(read(&device, "scalar").unwrap().item::<f32>().unwrap(), 2.5);
    assert_eq!(read(&device, "empty").unwrap().dims(), [0, 3]);
    let large = read(&device, "i8_large").unwrap().to_vec::<i64>().unwrap();
    assert_eq!(large, [1, i64::MAX, i64::MIN]);
    let large = read(&device, "u8_large").unwrap().to_vec::<u64>().unwrap();
    assert_eq!(large, [1 << 32, u64::MAX]);
    for name in ["c8", "c8_big"] {
        let parts = base.map(|x| [x / 2.0, 3.0 - x]).concat();
        assert_eq!(common::values(&read(&device, name).unwrap()), parts, "{name}");
    }
}

#[test]
fn our_files_are_byte_for_byte_numpys() {
    let device = common::reference();
    let same = ["f8", "i8", "i2", "i1", "u2", "u1", "c8", "i8_large", "u8_large", "b1", "f2"];
    for name in same {
        let mut written = Vec::new();
        read(&device, name).unwrap().write_npy(&mut written).unwrap();
        assert_eq!(written, fixture(name), "{name}");
    }
    let array = Array::arange(&device, 0, 6, 1).reshape(&[2, 3]);
    let mut written = Vec::new();
    array.write_npy(&mut written).unwrap();
    assert_eq!(written, fixture("written_i4"));
}

#[test]
fn there_and_back() {
    let device = common::cpu();
    let path = std::env::temp_dir().join(format!("bessemer-{}.npy", std::process::id()));
    for dtype in DType::PLAIN.into_iter().filter(|&dtype| dtype != DType::BF16) {
        let count = if dtype.is_complex() { 48 } else { 24 };
        let values: Vec<f64> = (0..count).map(|x| f64::from(x % 7)).collect();
        let array = common::array(&device, dtype, &[2, 3, 4], &values).permute(&[2, 0, 1]);
        array.save_npy(&path).unwrap();
        let back = Array::load_npy(&device, &path).unwrap();
        assert_eq!(back.dtype(), dtype);
        assert_eq!(back.shape(), array.shape());
        assert_eq!(common::values(&back), common::values(&array), "{dtype}");
    }
    std::fs::remove_file(path).unwrap();
}

#[test]
fn what_can_not_be_is_said_with_its_place() {
    let device = common::reference();
    let wrong = |bytes: &[u8]| {
        let mut bytes = bytes;
        Array::read_npy(&device, &mut bytes).unwrap_err().to_string()
    };
    assert!(wrong(&fixture("complex")).contains("'<c16'"));
    assert!(wrong(&fixture("text")).contains("'<U1'"));
    assert!(wrong(&fixture("records")).contains("records"));
    assert!(wrong(b"PK\x03\x04 is a zip").contains("no .npy file (byte 0)"));
    assert!(wrong(b"\x93NUMPY\x09\x00\x00\x00").contains("version 9.0"));
    assert!(wrong(b"\x93NUMPY\x02\x00\xff\xff\xff\xff").contains("too long"));
    let bf16 = Array::ones(&device, &[2], DType::BF16);
    assert!(bf16.write_npy(&mut Vec::new()).unwrap_err().to_string().contains("astype"));
    let missing = Array::load_npy(&device, "no/such/file.npy").unwrap_err().to_string();
    assert!(missing.starts_with("no/such/file.npy: "), "{missing}");
}

#[test]
fn a_lying_header_takes_no_memory() {
    let device = common::reference();
    for shape in ["(1000000000000,)", "(9223372036854775807,)", "(4294967296, 4294967296)"] {
        let text = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}\n");
        let mut file = b"\x93NUMPY\x01\x00".to_vec();
        file.extend((text.len() as u16).to_le_bytes());
        file.extend(text.bytes());
        file.extend([0; 100]);
        let error = Array::read_npy(&device, &mut file.as_slice()).unwrap_err().to_string();
        assert!(error.contains("(byte "), "{error}");
    }
    assert!(device.stats().pool.peak_bytes < 1 << 20);
}

#[test]
fn every_cut_and_every_flipped_bit_is_an_error_or_an_array() {
    let device = common::reference();
    let file = fixture("f4_fortran");
    for end in 0..file.len() {
        assert!(Array::read_npy(&device, &mut &file[..end]).is_err());
    }
    for at in 0..128 {
        for bit in 0..8 {
            let mut file = file.clone();
            file[at] ^= 1 << bit;
            if let Ok(array) = Array::read_npy(&device, &mut file.as_slice()) {
                array.to_string();
            }
        }
    }
}
