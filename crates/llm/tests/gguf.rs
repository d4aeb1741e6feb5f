//! GGUF: what is written is read back; what is broken is refused with its place.

use bessemer_core::{DType, Shape};
use bessemer_llm::{
    Error,
    files::{
        Gguf, GgufWriter, ModelFile,
        gguf::{Array, Value},
    },
};

fn shape(dims: &[usize]) -> Shape {
    Shape::new(dims).unwrap()
}

/// A file with every kind of value we write and a few tensors.
fn sample() -> Vec<u8> {
    let mut writer = GgufWriter::new();
    writer
        .set("general.architecture", "llama")
        .set("llama.block_count", 2u32)
        .set("llama.rope.freq_base", 10000.0f32)
        .set("flag", true)
        .set("big", u64::MAX)
        .set("tokens", Array::of_strings(["a", "▁b", ""]))
        .set("scores", Array::of_f32([0.5, -1.0]))
        .set("types", Array::of_i32([1, -3]));
    writer.tensor("a", DType::F32, shape(&[3, 5])).unwrap();
    writer.tensor("b", DType::Q4_0, shape(&[2, 64])).unwrap();
    writer.tensor("c", DType::BF16, shape(&[])).unwrap();
    writer.to_bytes(&[&[1; 60], &[2; 72], &[3; 2]]).unwrap()
}

#[test]
fn what_is_written_is_read() {
    let file = Gguf::from_bytes(sample()).unwrap();
    assert_eq!(file.version(), 3);
    let meta = file.metadata();
    assert_eq!(meta.require::<&str>("general.architecture").unwrap(), "llama");
    assert_eq!(meta.require::<usize>("llama.block_count").unwrap(), 2);
    assert_eq!(meta.require::<f32>("llama.rope.freq_base").unwrap(), 10000.0);
    assert!(meta.require::<bool>("flag").unwrap());
    assert_eq!(meta.require::<u64>("big").unwrap(), u64::MAX);
    assert_eq!(meta.require::<Vec<String>>("tokens").unwrap(), ["a", "▁b", ""]);
    assert_eq!(meta.require::<Vec<f32>>("scores").unwrap(), [0.5, -1.0]);
    assert_eq!(meta.require::<Vec<i32>>("types").unwrap(), [1, -3]);
    assert!(meta.require::<Vec<u32>>("types").is_err());

    let b = file.tensors().require("b").unwrap();
    assert_eq!((b.dtype, b.shape), (DType::Q4_0, shape(&[2, 64])));
    assert_eq!(file.tensors().bytes(b), [2; 72]);
    assert_eq!(b.range.start % 32, 0);
    assert_eq!(file.tensors().memory(b).bytes(), [2; 72]);
    assert_eq!(file.tensors().total_bytes(), 134);
}

#[test]
fn a_copy_of_a_file_is_the_same() {
    let bytes = sample();
    let file = Gguf::from_bytes(bytes.clone()).unwrap();
    let mut writer = GgufWriter::new();
    for entry in file.metadata().iter() {
        writer.set(&entry.key, entry.value.clone());
    }
    let mut data = Vec::new();
    for tensor in file.tensors().iter() {
        writer.tensor(&tensor.name, tensor.dtype, tensor.shape).unwrap();
        data.push(file.tensors().bytes(tensor));
    }
    assert_eq!(writer.to_bytes(&data).unwrap(), bytes);
}

#[test]
fn every_truncation_is_an_error_that_says_where() {
    let bytes = sample();
    // The last tensor has 2 bytes; the rest is padding that may be missing.
    let end = bytes.len() - 30;
    assert!(Gguf::from_bytes(bytes[..end].to_vec()).is_ok());
    for len in 0..end {
        let error = Gguf::from_bytes(bytes[..len].to_vec()).err();
        let error = error.unwrap_or_else(|| panic!("{len} bytes were accepted"));
        let text = error.to_string();
        assert!(matches!(error, Error::Broken { .. }), "{text}");
        assert!(text.contains("byte") && text.contains("download it again"), "{text}");
    }
}

fn refusal(change: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut bytes = sample();
    change(&mut bytes);
    match Gguf::from_bytes(bytes) {
        Ok(_) => panic!("was accepted"),
        Err(error) => error.to_string(),
    }
}

fn put(bytes: &mut [u8], at: usize, new: &[u8]) {
    bytes[at..at + new.len()].copy_from_slice(new);
}

fn find(bytes: &[u8], what: &[u8]) -> usize {
    bytes.windows(what.len()).position(|w| w == what).unwrap()
}

#[test]
fn lies_are_named() {
    let error = refusal(|b| put(b, 4, &1u32.to_le_bytes()));
    assert!(error.contains("GGUF version 1") && error.contains("convert"), "{error}");
    let error = refusal(|b| put(b, 4, &3u32.to_be_bytes()));
    assert!(error.contains("big-endian"), "{error}");
    let error = refusal(|b| put(b, 4, &77u32.to_le_bytes()));
    assert!(error.contains("version 77"), "{error}");
    let error = refusal(|b| put(b, 0, b"ggjt"));
    assert!(error.contains("older than GGUF"), "{error}");
    let error = refusal(|b| put(b, 8, &u64::MAX.to_le_bytes()));
    assert!(error.contains("byte 8") && error.contains("number of tensors"), "{error}");
    let error = refusal(|b| put(b, 16, &(1u64 << 60).to_le_bytes()));
    assert!(error.contains("byte 16"), "{error}");
    let error = refusal(|b| put(b, 24, &u64::MAX.to_le_bytes()));
    assert!(error.contains("byte 24") && error.contains("a key"), "{error}");

    // A tensor's entry: name, rank, sizes, type, offset.
    let tensor = find(&sample(), b"\x01\0\0\0\0\0\0\0b") + 9;
    let error = refusal(|b| put(b, tensor, &9u32.to_le_bytes()));
    assert!(error.contains("tensor `b`") && error.contains("9 dimensions"), "{error}");
    let error = refusal(|b| put(b, tensor + 4, &33u64.to_le_bytes()));
    assert!(error.contains("whole blocks of 32 as q4_0 has"), "{error}");
    let error = refusal(|b| put(b, tensor + 12, &u64::MAX.to_le_bytes()));
    assert!(error.contains("number of elements overflows"), "{error}");
    let error = refusal(|b| put(b, tensor + 20, &16u32.to_le_bytes()));
    assert!(error.contains("IQ2_XXS is not supported"), "{error}");
    let error = refusal(|b| put(b, tensor + 20, &999u32.to_le_bytes()));
    assert!(error.contains("type 999"), "{error}");
    let error = refusal(|b| put(b, tensor + 24, &7u64.to_le_bytes()));
    assert!(error.contains("multiple of 32"), "{error}");
    let error = refusal(|b| put(b, tensor + 24, &32u64.to_le_bytes()));
    assert!(error.contains("overlaps tensor `a`"), "{error}");
    let error = refusal(|b| put(b, tensor + 24, &(1u64 << 40).to_le_bytes()));
    assert!(error.contains("ends at byte"), "{error}");
    let error = refusal(|b| put(b, tensor + 24, &(u64::MAX - 31).to_le_bytes()));
    assert!(error.contains("past the end of any file"), "{error}");
    let error = refusal(|b| put(b, tensor - 1, b"a"));
    assert!(error.contains("tensor `a` occurs twice"), "{error}");
}

#[test]
fn a_key_twice_and_nested_lists_are_refused() {
    let error = refusal(|b| {
        let at = find(b, b"scores");
        put(b, at, b"tokens");
    });
    assert!(error.contains("key `tokens`") && error.contains("twice"), "{error}");

    // A list of one list of one list …
    let mut bytes = b"GGUF\x03\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0".to_vec();
    bytes.extend(1u64.to_le_bytes());
    bytes.extend(b"k");
    for _ in 0..100_000 {
        bytes.extend(9u32.to_le_bytes());
        bytes.extend(1u64.to_le_bytes());
    }
    bytes.extend([0; 64]);
    // The first kind is the value's own: shift by the count that belongs to it.
    let at = find(&bytes, b"k\x09\0\0\0") + 5;
    bytes.drain(at..at + 8);
    let error = Gguf::from_bytes(bytes).err().unwrap().to_string();
    assert!(error.contains("nests lists"), "{error}");
}

#[test]
fn the_writer_keeps_its_word() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.gguf");
    let mut writer = GgufWriter::new();
    writer.tensor("a", DType::F32, shape(&[2])).unwrap();
    assert!(writer.tensor("x", DType::Bool, shape(&[2])).is_err());
    assert!(writer.tensor("x", DType::Q4_0, shape(&[2])).is_err());

    let mut stream = writer.begin(&path).unwrap();
    assert!(stream.tensor(&[0; 7]).is_err());
    drop(stream);
    let stream = writer.begin(&path).unwrap();
    assert!(stream.finish().is_err());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is left behind");

    let mut stream = writer.begin(&path).unwrap();
    stream.tensor(&[7; 8]).unwrap();
    stream.finish().unwrap();
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!(bytes, writer.to_bytes(&[&[7; 8]]).unwrap());
    assert!(writer.begin(folder.path().join("no/such/folder.gguf")).is_err());
}

#[test]
fn shards_are_one_model() {
    let folder = tempfile::tempdir().unwrap();
    let name = |i: usize| folder.path().join(format!("m-{i:05}-of-00002.gguf"));
    let write = |i: usize, no: u32, tensor: &str| {
        let mut writer = GgufWriter::new();
        writer.set("general.architecture", "llama");
        writer.set("split.no", Value::U16(no as u16));
        writer.set("split.count", 2u32).set("split.tensors.count", 2i32);
        writer.tensor(tensor, DType::F32, shape(&[1])).unwrap();
        std::fs::write(name(i), writer.to_bytes(&[&[i as u8; 4]]).unwrap()).unwrap();
    };
    let refusal = || Gguf::open(name(1)).err().unwrap().to_string();
    write(1, 0, "a");
    assert!(refusal().contains("is missing (shard 2 of 2)"));
    write(2, 0, "b");
    assert!(refusal().contains("split.no"));
    write(2, 1, "a");
    assert!(refusal().contains("occurs twice"));
    write(2, 1, "b");
    for path in [name(1), name(2), folder.path().to_owned()] {
        let model = ModelFile::open(path).unwrap();
        let tensors = model.tensors();
        assert_eq!(tensors.len(), 2);
        assert_eq!(tensors.bytes(tensors.get("b").unwrap()), [2; 4]);
        assert_eq!(tensors.files().len(), 2);
    }
}

#[test]
fn files_that_are_none_say_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.gguf");
    let refusal = || ModelFile::open(&path).err().unwrap().to_string();
    assert!(refusal().contains("cannot open"));
    std::fs::write(&path, b"").unwrap();
    assert!(refusal().contains("has 0 bytes"));
    std::fs::write(&path, b"<!DOCTYPE html>").unwrap();
    assert!(refusal().contains("web page"));
    assert!(refusal().contains("x.gguf"));
}
