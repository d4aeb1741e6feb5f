//! What the tests of refused models share: files of the fixtures, with something changed.
#![allow(dead_code, unreachable_pub)]

pub mod pth;
pub mod rwkv;

use bessemer_core::{DType, Device, Shape};
use bessemer_cpu::Reference;
use bessemer_llm::{
    Model,
    files::{Gguf, GgufWriter, ModelFile, Safetensors, Tensors, gguf::Value},
};
use serde_json::{Value as Json, json};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

pub fn fixture(name: &str, file: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/models").join(name).join(file)
}

/// The tensors of a file, to be changed.
pub struct Parts(pub Vec<(String, DType, Vec<usize>, Vec<u8>)>);

impl Parts {
    pub fn of(tensors: &Tensors) -> Parts {
        let part = |tensor: &bessemer_llm::files::Tensor| {
            let bytes = tensors.bytes(tensor).to_vec();
            (tensor.name.clone(), tensor.dtype, tensor.shape.to_vec(), bytes)
        };
        Parts(tensors.iter().map(part).collect())
    }

    pub fn get(&mut self, name: &str) -> &mut (String, DType, Vec<usize>, Vec<u8>) {
        self.0.iter_mut().find(|part| part.0 == name).unwrap_or_else(|| panic!("no `{name}`"))
    }

    pub fn remove(&mut self, name: &str) {
        self.get(name);
        self.0.retain(|part| part.0 != name);
    }

    pub fn copy(&mut self, name: &str, to: &str) {
        let (_, dtype, shape, bytes) = self.get(name).clone();
        self.0.push((to.to_owned(), dtype, shape, bytes));
    }

    pub fn reshape(&mut self, name: &str, shape: &[usize]) {
        self.get(name).2 = shape.to_vec();
    }

    pub fn retype(&mut self, name: &str, dtype: DType) {
        self.get(name).1 = dtype;
    }
}

/// The error of loading a model, with the name of its folder taken out.
pub fn error_of(path: PathBuf) -> String {
    let device: Arc<dyn Device> = Arc::new(Reference::new());
    let error = ModelFile::open(&path).and_then(|file| Model::of(&file, &device)).unwrap_err();
    let folder = if path.is_dir() { &path } else { path.parent().unwrap_or(Path::new("")) };
    error.to_string().replace(&format!("{}/", folder.display()), "")
}

/// What is said of a GGUF file with some keys set (or removed) and tensors changed.
pub fn gguf(name: &str, keys: &[(&str, Option<Value>)], change: impl FnOnce(&mut Parts)) -> String {
    let (_folder, path) = write_gguf(name, keys, change);
    error_of(path)
}

pub fn write_gguf(
    name: &str,
    keys: &[(&str, Option<Value>)],
    change: impl FnOnce(&mut Parts),
) -> (tempfile::TempDir, PathBuf) {
    let file = Gguf::open(fixture(name, "model.gguf")).unwrap();
    let mut parts = Parts::of(file.tensors());
    change(&mut parts);
    let mut writer = GgufWriter::new();
    for entry in file.metadata().iter().filter(|e| !keys.iter().any(|(key, _)| *key == e.key)) {
        writer.set(&entry.key, entry.value.clone());
    }
    for (key, value) in keys {
        if let Some(value) = value {
            writer.set(key, value.clone());
        }
    }
    for (name, dtype, shape, _) in &parts.0 {
        writer.tensor(name, *dtype, Shape::new(shape).unwrap()).unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("broken.gguf");
    let mut stream = writer.begin(&path).unwrap();
    parts.0.iter().for_each(|(_, _, _, bytes)| stream.tensor(bytes).unwrap());
    stream.finish().unwrap();
    (folder, path)
}

/// What is said of a folder with some keys of its `config.json` set and tensors changed.
pub fn hub(name: &str, keys: Json, change: impl FnOnce(&mut Parts)) -> String {
    let files = Safetensors::open(fixture(name, "model.safetensors")).unwrap();
    let mut parts = Parts::of(files.tensors());
    change(&mut parts);
    let mut config = files.config().unwrap().json().clone();
    for (key, value) in keys.as_object().unwrap() {
        config[key] = value.clone();
    }
    let (mut header, mut data) = (json!({}), Vec::<u8>::new());
    for (name, dtype, shape, bytes) in &parts.0 {
        let start = data.len();
        data.extend(bytes);
        let dtype = dtype.to_string().to_uppercase();
        header[name] = json!({"dtype": dtype, "shape": shape, "data_offsets": [start, data.len()]});
    }
    let header = header.to_string();
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend(header.as_bytes());
    file.extend(data);
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("model.safetensors"), file).unwrap();
    fs::write(folder.path().join("config.json"), config.to_string()).unwrap();
    error_of(folder.path().to_owned())
}
