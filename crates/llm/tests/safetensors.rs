//! safetensors: the same as the format's own crate reads; what is broken is refused by name.

use bessemer_core::DType;
use bessemer_llm::files::{ModelFile, Safetensors};
use safetensors::{Dtype, tensor::TensorView};
use std::{collections::HashMap, path::Path};

/// A file with this header and so many bytes of data.
fn file(header: &str, data: usize) -> Vec<u8> {
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header.as_bytes());
    bytes.extend((0..data).map(|i| i as u8));
    bytes
}

fn refusal(header: &str, data: usize) -> String {
    match Safetensors::from_bytes(file(header, data)) {
        Ok(_) => panic!("{header} was accepted"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn reads_what_the_formats_own_crate_writes() {
    let (weights, bias) = ([7u8; 24], [1u8; 4]);
    let views = [
        ("w", TensorView::new(Dtype::BF16, vec![3, 4], &weights).unwrap()),
        ("b", TensorView::new(Dtype::U8, vec![4], &bias).unwrap()),
        ("none", TensorView::new(Dtype::F32, vec![0, 4], &[]).unwrap()),
    ];
    let meta = HashMap::from([("format".to_owned(), "pt".to_owned())]);
    let bytes = safetensors::serialize(views, Some(meta)).unwrap();
    let model = Safetensors::from_bytes(bytes).unwrap();
    let w = model.tensors().require("w").unwrap();
    assert_eq!((w.dtype, &*w.shape), (DType::BF16, &[3, 4][..]));
    assert_eq!(model.tensors().bytes(w), weights);
    let b = model.tensors().require("b").unwrap();
    assert_eq!(model.tensors().bytes(b), bias);
    assert_eq!(model.tensors().require("none").unwrap().range.len(), 0);
    assert!(model.config().is_none());
    assert!(model.require_config().is_err());
}

#[test]
fn lies_are_named() {
    let one = r#"{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}"#;
    assert!(Safetensors::from_bytes(file(one, 8)).is_ok());
    assert!(refusal(one, 7).contains("take 8 bytes, but 7 follow"));
    assert!(refusal(one, 9).contains("take 8 bytes, but 9 follow"));
    let error = refusal(r#"{"a":{"dtype":"F8_E4M3","shape":[2],"data_offsets":[0,2]}}"#, 2);
    assert!(error.contains("tensor `a`: dtype F8_E4M3 is not supported"), "{error}");
    let error = refusal(r#"{"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}}"#, 8);
    assert!(error.contains("tensor `a`") && error.contains("takes 12 bytes"), "{error}");
    let error = refusal(r#"{"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}}"#, 8);
    assert!(error.contains("lies at bytes 8..0"), "{error}");
    let huge = r#"{"a":{"dtype":"U8","shape":[18446744073709551615,2],"data_offsets":[0,8]}}"#;
    assert!(refusal(huge, 8).contains("number of elements overflows"));
    let overlap = r#"{"a":{"dtype":"U8","shape":[8],"data_offsets":[0,8]},
                      "b":{"dtype":"U8","shape":[8],"data_offsets":[4,12]}}"#;
    assert!(refusal(overlap, 16).contains("overlaps tensor `a`"));
    let outside = r#"{"a":{"dtype":"U8","shape":[8],"data_offsets":[90,98]}}"#;
    assert!(refusal(outside, 8).contains("ends at byte"));
    let twice = r#"{"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},
                    "a":{"dtype":"U8","shape":[4],"data_offsets":[4,8]}}"#;
    assert!(refusal(twice, 8).contains("occurs twice"));
    let error = refusal("{\"a\":\n{\"dtype\":1}}", 8);
    assert!(error.contains("the header is invalid"), "{error}");
    assert!(refusal(&"{\"a\":".repeat(100_000), 8).contains("header"));
    assert!(refusal("[1]", 8).contains("is not in the safetensors format"));
}

#[test]
fn every_truncation_is_an_error() {
    let bytes = file(r#"{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}"#, 8);
    for len in 0..bytes.len() {
        assert!(Safetensors::from_bytes(bytes[..len].to_vec()).is_err(), "{len} bytes");
    }
    let mut lie = bytes;
    lie[..8].copy_from_slice(&u64::MAX.to_le_bytes());
    let error = Safetensors::from_bytes(lie).err().unwrap().to_string();
    assert!(error.contains("byte 0") && error.contains("more than"), "{error}");
}

#[test]
fn a_folder_with_an_index_is_one_model() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    let refusal = |path: &Path| ModelFile::open(path).err().unwrap().to_string();
    assert!(refusal(folder.path()).contains("has neither"));
    let tensor = |name: &str| {
        let header = format!(r#"{{"{name}":{{"dtype":"U8","shape":[4],"data_offsets":[0,4]}}}}"#);
        file(&header, 4)
    };
    put("m-00001-of-00002.safetensors", &tensor("a"));
    put("config.json", br#"{"model_type": "llama", "num_hidden_layers": 2}"#);
    let shard = folder.path().join("m-00001-of-00002.safetensors");
    assert!(refusal(&shard).contains("index.json"));
    let index = |b: &str| {
        let map =
            format!(r#"{{"weight_map": {{"a": "m-00001-of-00002.safetensors", "b": "{b}"}}}}"#);
        put("model.safetensors.index.json", map.as_bytes());
    };
    index("m-00002-of-00002.safetensors");
    assert!(refusal(folder.path()).contains("is missing (a shard)"));
    index("../secret");
    assert!(refusal(folder.path()).contains("not a plain file name"));
    index("m-00001-of-00002.safetensors");
    assert!(refusal(folder.path()).contains("places tensor `b` in"));
    index("m-00002-of-00002.safetensors");
    put("m-00002-of-00002.safetensors", &tensor("b"));
    for path in [folder.path(), &shard] {
        let model = Safetensors::open(path).unwrap();
        assert_eq!(model.tensors().len(), 2);
        let config = model.require_config().unwrap();
        assert_eq!(config.require::<String>("model_type").unwrap(), "llama");
        assert!(config.require::<usize>("model_type").is_err());
    }
}
