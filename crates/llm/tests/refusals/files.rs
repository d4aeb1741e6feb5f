//! Refusals of files: GGUF, safetensors, their indexes and configurations.

use crate::{common::fixture, text};
use bessemer_core::{DType, Device, Shape};
use bessemer_cpu::Reference;
use bessemer_llm::{
    Llm,
    files::{
        Config, Gguf, GgufWriter, ModelFile, Safetensors,
        gguf::{Array, Value},
    },
    inspect::Summary,
    quantize::quantize,
    template::ChatTemplate,
    tiny,
};
use std::{ffi::CString, fs, os::unix::ffi::OsStrExt, path::Path, sync::Arc};

pub(crate) fn said() -> Vec<String> {
    let mut said = special_files();
    said.extend(changed_files());
    said.extend(heads());
    said.extend(tensor_entries());
    said.extend(values());
    said.extend(shards());
    said.extend(written());
    said.extend(safetensors());
    said.extend(folders());
    said.extend(quantized());
    said
}

fn open(path: &Path, folder: &Path) -> String {
    text(ModelFile::open(path).err().unwrap(), folder)
}

fn special_files() -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let fifo = CString::new(at("fifo.gguf").as_os_str().as_bytes()).unwrap();
    // SAFETY: the path is a string that ends with 0.
    assert_eq!(unsafe { libc::mkfifo(fifo.as_ptr(), 0o600) }, 0);
    let _socket = std::os::unix::net::UnixListener::bind(at("socket.gguf")).unwrap();
    fs::create_dir(at("folder.gguf")).unwrap();
    fs::write(at("empty.gguf"), "").unwrap();
    let mut said: Vec<String> = ["fifo.gguf", "socket.gguf", "missing.gguf", "empty.gguf"]
        .iter()
        .map(|name| open(&at(name), folder.path()))
        .collect();
    said.push(text(Gguf::open(at("folder.gguf")).err().unwrap(), folder.path()));
    said.push(open(Path::new("/dev/null"), folder.path()));
    said.push(open(Path::new("/proc/self/status"), folder.path()));
    fs::copy(fixture("llama2", "model.safetensors"), at("model.safetensors")).unwrap();
    fs::File::create(at("config.json")).unwrap().set_len(5 << 20).unwrap();
    said.push(open(&at("model.safetensors"), folder.path()));
    fs::remove_file(at("config.json")).unwrap();
    fs::write(at("chat_template.jinja"), b"\xff").unwrap();
    let model = ModelFile::open(at("model.safetensors")).unwrap();
    said.push(text(ChatTemplate::of(&model).err().unwrap(), folder.path()));
    said
}

fn changed_files() -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.gguf");
    fs::write(&path, tiny::gguf()).unwrap();
    let device: Arc<dyn Device> = Arc::new(Reference::new());
    let llm = Llm::open(&path, &device).unwrap();
    let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
    let len = file.metadata().unwrap().len();
    let session = || text(llm.session(Default::default()).err().unwrap(), folder.path());
    file.set_len(4096).unwrap();
    let truncated = session();
    file.set_len(len).unwrap();
    file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    vec![truncated, session()]
}

/// A file that starts like this.
fn gguf(parts: &[&[u8]]) -> String {
    Gguf::from_bytes(parts.concat()).err().unwrap().to_string()
}

fn string(text: &[u8]) -> Vec<u8> {
    [&(text.len() as u64).to_le_bytes(), text].concat()
}

fn head(tensors: u64, entries: u64) -> Vec<u8> {
    [&b"GGUF\x03\0\0\0"[..], &tensors.to_le_bytes(), &entries.to_le_bytes()].concat()
}

/// A file whose one entry is this: the rest of it is padding.
fn entry(key: &[u8], kind: u32, value: &[u8]) -> String {
    gguf(&[&head(0, 1), &string(key), &kind.to_le_bytes(), value, &[0; 64]])
}

fn heads() -> Vec<String> {
    let nested = |depth: usize| {
        let list = [9u32.to_le_bytes().as_slice(), &1u64.to_le_bytes()].concat();
        [list.repeat(depth), 0u32.to_le_bytes().to_vec(), 0u64.to_le_bytes().to_vec()].concat()
    };
    vec![
        gguf(&[b"ggml\0\0\0\0"]),
        gguf(&[b"<!DOCTYPE html>"]),
        gguf(&[b"PK\x03\x04rest"]),
        gguf(&[b"GGUF\x01\0\0\0"]),
        gguf(&[b"GGUF\0\0\0\x03"]),
        gguf(&[b"GGUF\x4d\0\0\0"]),
        gguf(&[b"GGUF"]),
        gguf(&[&head(u64::MAX, 0)]),
        entry(b"", 4, &[]),
        entry(b"\xff\xff", 4, &[]),
        entry(b"key", 99, &[]),
        entry(b"key", 7, &[2]),
        entry(b"key", 9, &nested(6)),
        entry(b"general.alignment", 4, &33u32.to_le_bytes()),
        entry(b"general.alignment", 8, &string(b"much")),
        gguf(&[
            &head(0, 2),
            &[string(b"key"), 4u32.to_le_bytes().to_vec(), vec![0; 4]].concat().repeat(2),
        ]),
    ]
}

/// A file with tensors of these dimensions, type and offset, followed by `data` bytes.
fn tensors(entries: &[(&str, &[u64], u32, u64)], data: usize) -> String {
    let mut bytes = head(entries.len() as u64, 0);
    for (name, dims, kind, offset) in entries {
        bytes.extend(string(name.as_bytes()));
        bytes.extend((dims.len() as u32).to_le_bytes());
        bytes.extend(dims.iter().flat_map(|dim| dim.to_le_bytes()));
        bytes.extend(kind.to_le_bytes());
        bytes.extend(offset.to_le_bytes());
    }
    bytes.resize(bytes.len().next_multiple_of(32) + data, 0);
    gguf(&[&bytes])
}

fn tensor_entries() -> Vec<String> {
    vec![
        tensors(&[("a", &[1; 5], 0, 0)], 64),
        tensors(&[("a", &[u64::MAX, 2], 0, 0)], 64),
        tensors(&[("a", &[4], 16, 0)], 64),
        tensors(&[("a", &[4], 999, 0)], 64),
        tensors(&[("a", &[4], 0, 3)], 64),
        tensors(&[("a", &[33], 8, 0)], 64),
        tensors(&[("a", &[4], 0, u64::MAX - 31)], 64),
        tensors(&[("a", &[16], 0, 0), ("b", &[4], 0, 32)], 64),
        tensors(&[("a", &[4], 0, 0), ("a", &[4], 0, 32)], 64),
        tensors(&[("a", &[16], 0, 32)], 64),
    ]
    .into_iter()
    .chain(cut_off())
    .collect()
}

/// What is said of files that end within each part of a tensor's entry.
fn cut_off() -> Vec<String> {
    // Long enough for the file to have room for an entry.
    let name = string(&[b'a'; 24]);
    let rank = 2u32.to_le_bytes();
    let dims = [4u64.to_le_bytes(); 2].concat();
    let parts: [&[u8]; 4] = [&name, &rank, &dims, &0u32.to_le_bytes()];
    let mut said =
        vec![gguf(&[&head(0, u64::MAX)]), gguf(&[&head(1, 0), &u64::MAX.to_le_bytes(), &[0; 24]])];
    said.extend((1..=4).map(|count| gguf(&[&head(1, 0), &parts[..count].concat()])));
    said
}

fn values() -> Vec<String> {
    let mut writer = GgufWriter::new();
    writer.set("general.architecture", "llama").set("llama.block_count", 200_000u32);
    writer.set("text", "x".repeat(50)).set("list", Array::of_f32([1.5]));
    let file = Gguf::from_bytes(writer.to_bytes(&[]).unwrap()).unwrap();
    let meta = file.metadata();
    let summary = ModelFile::Gguf(Box::new(file.clone()));
    vec![
        meta.require::<u32>("none").unwrap_err().to_string(),
        meta.require::<u32>("text").unwrap_err().to_string(),
        meta.require::<f32>("list").unwrap_err().to_string(),
        meta.require::<bool>("list").unwrap_err().to_string(),
        meta.require::<&str>("list").unwrap_err().to_string(),
        meta.require::<&Array>("text").unwrap_err().to_string(),
        meta.require::<Vec<i32>>("list").unwrap_err().to_string(),
        meta.require::<Vec<u32>>("list").unwrap_err().to_string(),
        meta.require::<Vec<f32>>("text").unwrap_err().to_string(),
        meta.require::<Vec<String>>("list").unwrap_err().to_string(),
        file.tensors().require("none").unwrap_err().to_string(),
        Summary::new(&summary, 16, DType::F16).err().unwrap().to_string(),
    ]
}

fn shards() -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let shard = |number: usize, count: usize, keys: &[(&str, u32)]| {
        let mut writer = GgufWriter::new();
        for (key, value) in keys {
            writer.set(key, *value);
        }
        let name = format!("m-{number:05}-of-{count:05}.gguf");
        let path = folder.path().join(name);
        fs::write(&path, writer.to_bytes(&[]).unwrap()).unwrap();
        path
    };
    let said = |path: &Path| open(path, folder.path());
    let many = said(&shard(1, 99_999, &[]));
    let first = shard(1, 2, &[]);
    let missing = said(&first);
    shard(2, 2, &[("split.count", 3)]);
    let count = said(&first);
    shard(2, 2, &[]);
    let total = said(&shard(1, 2, &[("split.tensors.count", 7)]));
    vec![many, missing, count, total]
}

fn written() -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new.gguf");
    let shape = |dims: &[usize]| Shape::new(dims).unwrap();
    let mut writer = GgufWriter::new();
    let mut said = vec![
        text(writer.tensor("a", DType::Bool, shape(&[4])).err().unwrap(), folder.path()),
        text(writer.tensor("a", DType::F32, shape(&[1; 5])).err().unwrap(), folder.path()),
        text(writer.tensor("a", DType::Q8_0, shape(&[33])).err().unwrap(), folder.path()),
    ];
    writer.tensor("a", DType::F32, shape(&[2])).unwrap();
    said.push(text(writer.begin(&path).unwrap().finish().unwrap_err(), folder.path()));
    let mut stream = writer.begin(&path).unwrap();
    said.push(text(stream.tensor(&[0; 4]).unwrap_err(), folder.path()));
    let mut stream = writer.begin(&path).unwrap();
    stream.tensor(&[0; 8]).unwrap();
    said.push(text(stream.tensor(&[0; 8]).unwrap_err(), folder.path()));
    said
}

fn safetensors() -> Vec<String> {
    let file = |header: &str, data: usize| {
        let len = (header.len() as u64).to_le_bytes();
        Safetensors::from_bytes([&len, header.as_bytes(), &vec![0; data]].concat())
            .err()
            .unwrap()
            .to_string()
    };
    let tensor = |dtype: &str, shape: &str, offsets: &str| {
        format!(r#"{{"a":{{"dtype":"{dtype}","shape":{shape},"data_offsets":{offsets}}}}}"#)
    };
    let longer = [&u64::MAX.to_le_bytes()[..], b"{}"].concat();
    let far = usize::MAX - 3;
    vec![
        Safetensors::from_bytes(vec![1, 2, 3]).err().unwrap().to_string(),
        Safetensors::from_bytes(longer).err().unwrap().to_string(),
        file("[1]", 8),
        file("{nonsense", 8),
        file(&tensor("F32", "[2]", "[0,8]"), 7),
        file(&tensor("F8_E4M3", "[2]", "[0,2]"), 2),
        file(&tensor("F32", "[2]", "[0,12]"), 12),
        file(&tensor("F32", &format!("[{far},9]"), "[0,8]"), 8),
        file(&tensor("F32", "[0]", &format!("[{far},{far}]")), 0),
    ]
}

fn folders() -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    let said = |name: &str| open(&folder.path().join(name), folder.path());
    let mut all = vec![open(folder.path(), folder.path())];
    let shard = "m-00001-of-00002.safetensors";
    let header = br#"{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}"#;
    put(shard, &[&(header.len() as u64).to_le_bytes()[..], header, &[0]].concat());
    all.push(said(shard));
    let index = "model.safetensors.index.json";
    let map = |entries: &str| put(index, format!(r#"{{"weight_map": {{{entries}}}}}"#).as_bytes());
    put(index, b"{");
    all.push(said(index));
    for entries in [
        r#""a": "../up.safetensors""#.to_owned(),
        r#""a": "none.safetensors""#.to_owned(),
        format!(r#""b": "{shard}""#),
        (0..5000).map(|i| format!(r#""{i}": "{i}.safetensors""#)).collect::<Vec<_>>().join(","),
    ] {
        map(&entries);
        all.push(said(index));
    }
    map(&format!(r#""a": "{shard}""#));
    put("config.json", b"{\n  7");
    all.push(said(index));
    fs::remove_file(folder.path().join("config.json")).unwrap();
    let files = Safetensors::open(folder.path()).unwrap();
    all.push(text(files.require_config().unwrap_err(), folder.path()));
    let config = Config::parse("config.json", br#"{"hidden_size": "many"}"#).unwrap();
    all.push(config.require::<usize>("hidden_size").unwrap_err().to_string());
    all.push(config.require::<usize>("num_hidden_layers").unwrap_err().to_string());
    all
}

fn quantized() -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.gguf");
    let spoiled = tiny::Tiny::default().gguf(|name, values| {
        if name == "blk.0.ffn_up.weight" {
            values[3] = f32::NAN;
        }
    });
    fs::write(&path, spoiled).unwrap();
    let file = Gguf::open(&path).unwrap();
    let recipe = "Q8_0".parse().unwrap();
    let to = |name: &str| {
        let error = quantize(&file, &folder.path().join(name), recipe, 1, &mut |_| ());
        text(error.err().unwrap(), folder.path())
    };
    let unknown = "Q9".parse::<bessemer_llm::quantize::Recipe>().unwrap_err().to_string();
    vec![unknown, to("model.gguf"), to("small.gguf")]
}

/// A value of a key, for others.
pub(crate) fn value(value: impl Into<Value>) -> Option<Value> {
    Some(value.into())
}
