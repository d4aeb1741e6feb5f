//! RWKV models are the same whatever file they come from: what GGUF files of them have.

mod common;

use bessemer_core::DType;
use bessemer_llm::{
    files::{Gguf, ModelFile, Tensors, rwkv},
    template::{Chat, ChatTemplate, Message},
};
use common::rwkv::{HEAD, HEADS, HIDDEN, RANK, Source, VOCABULARY, encoded, transposed, world};
use half::{bf16, f16};
use std::{fs, path::Path};

/// All tensors of a model: name, dtype, shape, bytes.
fn listed(tensors: &Tensors) -> Vec<(String, DType, Vec<usize>, Vec<u8>)> {
    let part = |t: &bessemer_llm::files::Tensor| {
        (t.name.clone(), t.dtype, t.shape.to_vec(), tensors.bytes(t).to_vec())
    };
    tensors.iter().map(part).collect()
}

fn keys(file: &Gguf) -> Vec<(String, String)> {
    let entries = file.metadata().iter();
    entries.map(|entry| (entry.key.clone(), format!("{:?}", entry.value))).collect()
}

fn open(path: &Path) -> Gguf {
    match ModelFile::open(path).unwrap() {
        ModelFile::Gguf(file) => *file,
        ModelFile::Safetensors(_) => panic!("{} is not known as RWKV", path.display()),
    }
}

/// Opens bytes as a file of this name.
fn of(name: &str, bytes: Vec<u8>, config: Option<&str>) -> Gguf {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    if let Some(config) = config {
        fs::write(folder.path().join("config.json"), config).unwrap();
    }
    open(&path)
}

fn floats(file: &Gguf, name: &str) -> Vec<f32> {
    let tensor = file.tensors().require(name).unwrap();
    assert_eq!(tensor.dtype, DType::F32, "{name}");
    let bytes = file.tensors().bytes(tensor).as_chunks().0;
    bytes.iter().map(|&x| f32::from_le_bytes(x)).collect()
}

#[test]
fn every_file_of_a_model_gives_the_same() {
    for version in ["4", "5.0", "5.1", "5.2", "6", "7"] {
        let source = Source::new(version);
        let model_type = match version {
            "4" => "rwkv".to_owned(),
            other => format!("rwkv{}", &other[..1]),
        };
        let config = format!(r#"{{"model_type": "{model_type}", "layer_norm_epsilon": 1e-5}}"#);
        let hub = if version == "7" { source.fla() } else { source.hub() };
        let first = of("model.pth", source.pth(DType::F16), None);
        for other in [
            of("model.safetensors", source.safetensors(DType::F16), None),
            of("model.st", source.st().safetensors(DType::F16), None),
            of("model.safetensors", hub.safetensors(DType::F16), Some(&config)),
            of("model.bin", source.pth(DType::F16), None),
        ] {
            assert_eq!(keys(&other), keys(&first), "{version}");
            assert_eq!(listed(other.tensors()), listed(first.tensors()), "{version}");
        }
        // The dtype of matrices is that of the source; the rest is the same.
        for dtype in [DType::F32, DType::BF16] {
            let other = of("model.pth", source.pth(dtype), None);
            for (ours, theirs) in other.tensors().iter().zip(first.tensors().iter()) {
                assert_eq!((&ours.name, ours.shape), (&theirs.name, theirs.shape));
                match theirs.dtype {
                    DType::F32 => {
                        assert_eq!(floats(&other, &ours.name), floats(&first, &ours.name))
                    }
                    _ => assert_eq!(ours.dtype, dtype, "{}", ours.name),
                }
            }
        }
    }
}

#[test]
fn matrices_are_used_where_they_lie() {
    for version in ["4", "5.2", "6", "7"] {
        let file = of("model.pth", Source::new(version).pth(DType::BF16), None);
        let in_memory = |name: &str| file.tensors().require(name).unwrap().file == 1;
        for name in ["token_embd", "output", "blk.1.time_mix_key", "blk.0.channel_mix_value"] {
            assert!(!in_memory(&format!("{name}.weight")), "{version}: {name}");
        }
        assert!(in_memory("blk.0.time_mix_lerp_fused.weight"));
        assert_eq!(file.tensors().files().len(), 2);
    }
}

#[test]
fn mixes_become_lerps_and_heads_become_channels() {
    let source = Source::new("4");
    let file = of("m.pth", source.pth(DType::F16), None);
    let mixes: Vec<f32> = ["k", "v", "r"]
        .iter()
        .flat_map(|name| source.get(&format!("blocks.1.att.time_mix_{name}")).values.clone())
        .map(|mix| 1.0 - mix)
        .collect();
    assert_eq!(floats(&file, "blk.1.time_mix_lerp_fused.weight"), mixes);
    let shape = |name: &str| file.tensors().require(name).unwrap().shape.to_vec();
    assert_eq!(shape("blk.1.time_mix_lerp_fused.weight"), [3, 1, 1, HIDDEN]);
    assert_eq!(shape("blk.1.channel_mix_lerp_r.weight"), [HIDDEN]);
    let decay = &source.get("blocks.1.att.time_decay").values;
    assert_eq!(&floats(&file, "blk.1.time_mix_decay.weight"), decay);

    let repeated = |values: &[f32], change: fn(f32) -> f32| -> Vec<f32> {
        values.iter().flat_map(|&x| [change(x); HEAD]).collect()
    };
    for (version, first, change) in
        [("5.0", "time_first", f32::exp as fn(f32) -> f32), ("5.1", "time_faaaa", |x| x)]
    {
        let source = Source::new(version);
        let file = of("m.pth", source.pth(DType::F16), None);
        let first = &source.get(&format!("blocks.0.att.{first}")).values;
        assert_eq!(floats(&file, "blk.0.time_mix_first.weight"), repeated(first, change));
        let decay = &source.get("blocks.0.att.time_decay").values;
        assert_eq!(floats(&file, "blk.0.time_mix_decay.weight"), repeated(decay, |x| x));
        let shape = *file
            .tensors()
            .require("blk.0.time_mix_first.weight")
            .unwrap()
            .shape
            .first_chunk()
            .unwrap();
        assert_eq!(shape, [HEADS, HEAD]);
        let head_size = file.metadata().require::<usize>("rwkv5.wkv.head_size").unwrap();
        assert_eq!(head_size, HEAD);
    }
}

#[test]
fn low_rank_matrices_get_a_row_for_each_output() {
    let source = Source::new("6");
    let file = of("m.pth", source.pth(DType::BF16), None);
    for (ours, theirs, shape) in [
        ("w1", "time_maa_w1", vec![5 * RANK, HIDDEN]),
        ("w2", "time_maa_w2", vec![5, HIDDEN, RANK]),
        ("decay_w1", "time_decay_w1", vec![RANK, HIDDEN]),
        ("decay_w2", "time_decay_w2", vec![HIDDEN, RANK]),
    ] {
        let name = format!("blk.1.time_mix_{ours}.weight");
        let expected = transposed(source.get(&format!("blocks.1.att.{theirs}")));
        assert_eq!(floats(&file, &name), expected.values, "{name}");
        assert_eq!(*file.tensors().require(&name).unwrap().shape, *shape);
    }
    let source = Source::new("7");
    let file = of("m.pth", source.pth(DType::BF16), None);
    let a1 = file.tensors().require("blk.1.time_mix_a1.weight").unwrap();
    let expected = transposed(source.get("blocks.1.att.a1"));
    assert_eq!((a1.dtype, &*a1.shape), (DType::BF16, &[RANK, HIDDEN][..]));
    assert_eq!(file.tensors().bytes(a1), encoded(&expected.values, DType::BF16));
    // Layer 0 has nothing to mix values with; its tensors stand for those.
    for number in ["0", "1", "2"] {
        let of = |part: &str| {
            let name = format!("blk.0.time_mix_{part}{number}.weight");
            file.tensors().require(&name).unwrap().clone()
        };
        let (v, a) = (of("v"), of("a"));
        assert_eq!((v.range, v.file, v.shape), (a.range, a.file, a.shape));
    }
}

#[test]
fn mixers_in_a_qwen2_are_known() {
    let source = Source::in_qwen("6");
    let config = r#"{"model_type": "rwkv6qwen2", "rms_norm_eps": 1e-6, "num_attention_heads": 2,
        "num_key_value_heads": 1}"#;
    let file = of("m.safetensors", source.safetensors(DType::F16), Some(config));
    let meta = file.metadata();
    assert_eq!(meta.require::<&str>("general.architecture").unwrap(), "rwkv6qwen2");
    assert_eq!(meta.require::<u32>("rwkv6qwen2.attention.head_count_kv").unwrap(), 1);
    assert_eq!(meta.require::<u32>("rwkv6qwen2.token_shift_count").unwrap(), 1);
    assert_eq!(meta.require::<f32>("rwkv6qwen2.attention.layer_norm_rms_epsilon").unwrap(), 1e-6);
    let has = |name: &str| file.tensors().get(name).is_some();
    assert!(has("blk.1.time_mix_key.bias") && has("blk.1.ffn_down.weight"));
    assert!(!has("token_embd_norm.weight") && !has("blk.1.time_mix_ln.weight"));
    // Its matrices have r, k, v, w, g where version 6 has w, k, v, r, g.
    let theirs = transposed(source.get("model.layers.0.self_attn.time_maa_w1")).values;
    let part = RANK * HIDDEN;
    let expected: Vec<f32> =
        [3, 1, 2, 0, 4].iter().flat_map(|&i| theirs[i * part..][..part].to_vec()).collect();
    assert_eq!(floats(&file, "blk.0.time_mix_w1.weight"), expected);

    let config = r#"{"model_type": "rwkv_hybrid", "rms_norm_eps": 1e-6, "head_size": 4,
        "wkv_version": 7, "wkv_layers": "full"}"#;
    let source = Source::in_qwen("7");
    let file = of("m.safetensors", source.safetensors(DType::F16), Some(config));
    let meta = file.metadata();
    assert_eq!(meta.require::<&str>("general.architecture").unwrap(), "arwkv7");
    assert_eq!(meta.require::<usize>("arwkv7.attention.gate_lora_rank").unwrap(), RANK);
    assert!(file.tensors().get("blk.0.time_mix_ln.weight").is_none());
    let mut without = source;
    without.0.retain(|part| !part.name.ends_with("g1") && !part.name.ends_with("g2"));
    let file = of("m.safetensors", without.safetensors(DType::F16), Some(config));
    assert_eq!(file.metadata().require::<u32>("arwkv7.attention.gate_lora_rank").unwrap(), 0);
    let lerps = file.tensors().require("blk.0.time_mix_lerp_fused.weight").unwrap();
    assert_eq!(*lerps.shape, [5, 1, 1, HIDDEN]);
}

#[test]
fn configurations_state_epsilons_and_ties() {
    let mut source = Source::new("7").fla();
    source.0.retain(|part| part.name != "lm_head.weight");
    let config = r#"{"model_type": "rwkv7", "norm_eps": 1e-4, "head_dim": 4,
        "tie_word_embeddings": true}"#;
    let file = of("m.safetensors", source.safetensors(DType::F16), Some(config));
    let meta = file.metadata();
    assert_eq!(meta.require::<f32>("rwkv7.attention.layer_norm_epsilon").unwrap(), 1e-4);
    assert_eq!(meta.require::<f32>("rwkv7.attention.group_norm_epsilon").unwrap(), 4e-4);
    let range = |name: &str| file.tensors().require(name).unwrap().range.clone();
    assert_eq!(range("output.weight"), range("token_embd.weight"));

    let source = Source::new("6").hub();
    for (divisor, epsilon) in [(8, None), (4, Some(16e-5))] {
        let config = format!(r#"{{"model_type": "rwkv6", "head_size_divisor": {divisor}}}"#);
        let file = of("m.safetensors", source.safetensors(DType::F16), Some(&config));
        let found = file.metadata().get::<f32>("rwkv6.attention.group_norm_epsilon").unwrap();
        assert_eq!(found, epsilon);
    }
}

#[test]
fn folders_hold_one_model() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tiny");
    fs::create_dir(&path).unwrap();
    let hub = Source::new("5.2").hub();
    fs::write(path.join("pytorch_model.bin"), hub.pth(DType::F32)).unwrap();
    fs::write(path.join("config.json"), r#"{"model_type": "rwkv5"}"#).unwrap();
    let single = open(&path);
    assert_eq!(single.metadata().require::<&str>("general.name").unwrap(), "tiny");
    // The same in two files.
    let (mut first, mut second) = (hub.clone(), hub);
    second.0 = first.0.split_off(9);
    fs::remove_file(path.join("pytorch_model.bin")).unwrap();
    let mut map = serde_json::json!({});
    for (name, source) in [("a.bin", &first), ("b.bin", &second)] {
        fs::write(path.join(name), source.pth(DType::F32)).unwrap();
        source.0.iter().for_each(|part| map[&part.name] = name.into());
    }
    let index = serde_json::json!({"weight_map": map}).to_string();
    fs::write(path.join("pytorch_model.bin.index.json"), index).unwrap();
    assert_eq!(listed(open(&path).tensors()), listed(single.tensors()));
    // The only file of its kind in a folder.
    let other = folder.path().join("other");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("RWKV-5.pth"), Source::new("5.2").pth(DType::F32)).unwrap();
    assert_eq!(listed(open(&other).tensors()), listed(single.tensors()));
}

#[test]
fn vocabularies_lie_beside_models() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("m.pth"), Source::new("7").pth(DType::F16)).unwrap();
    let file = open(&at("m.pth"));
    assert!(file.metadata().get::<&str>("tokenizer.ggml.model").unwrap().is_none());

    let lines = "1 '\\n' 1\n2 b'\\xe4' 1\n3 '\\xe4' 2\n7 \"it's\" 4\n";
    fs::write(at("rwkv_vocab_v20230424.txt"), lines).unwrap();
    let tokens =
        |file: &Gguf| -> Vec<String> { file.metadata().require("tokenizer.ggml.tokens").unwrap() };
    let file = open(&at("m.pth"));
    assert_eq!(file.metadata().require::<&str>("tokenizer.ggml.model").unwrap(), "rwkv");
    let expected = ["<s>", "\\n", "\\xe4", "\\xc3\\xa4", "[PAD4]", "[PAD5]", "[PAD6]", "it's"];
    assert_eq!(tokens(&file)[..8], expected);
    assert_eq!(tokens(&file).len(), VOCABULARY);
    let types: Vec<i32> = file.metadata().require("tokenizer.ggml.token_type").unwrap();
    assert_eq!(types[..8], [3, 1, 1, 1, 5, 5, 5, 1]);
    for key in ["bos", "eos"] {
        let key = format!("tokenizer.ggml.{key}_token_id");
        assert_eq!(file.metadata().require::<u32>(&key).unwrap(), 0);
    }
    let template = file.metadata().require::<&str>("tokenizer.chat_template").unwrap();
    let messages = [
        Message::system("Be brief. "),
        Message::user(" Hi!"),
        Message::assistant("<think>So.</think> Hello."),
        Message::user("Bye"),
    ];
    let text = ChatTemplate::new(template).unwrap().render(&Chat::new(messages)).unwrap();
    let expected = "System: Be brief.\n\nUser: Hi!\n\nAssistant: Hello.\n\nUser: Bye\n\nAssistant:";
    assert_eq!(text, expected);

    // One that is too long is of another model; a BPE beside it fits.
    fs::write(at("rwkv_vocab_v20230424.txt"), world(40)).unwrap();
    let error = ModelFile::open(at("m.pth")).err().unwrap().to_string();
    assert!(error.contains("has a token 20, but the model has 20 tokens"), "{error}");
    let bpe = r#"{"model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]},
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false},
        "added_tokens": [{"id": 3, "content": "<|endoftext|>", "special": true},
                         {"id": 5, "content": "  ", "special": false}]}"#;
    fs::write(at("20B_tokenizer.json"), bpe).unwrap();
    let file = open(&at("m.pth"));
    let meta = file.metadata();
    assert_eq!(meta.require::<&str>("tokenizer.ggml.model").unwrap(), "gpt2");
    assert_eq!(meta.require::<&str>("tokenizer.ggml.pre").unwrap(), "gpt-2");
    assert_eq!(tokens(&file)[..6], ["a", "b", "ab", "<|endoftext|>", "[PAD4]", "  "]);
    assert_eq!(meta.require::<Vec<String>>("tokenizer.ggml.merges").unwrap(), ["a b"]);
    assert_eq!(meta.require::<u32>("tokenizer.ggml.eos_token_id").unwrap(), 3);
    bessemer_llm::tokenizer::Tokenizer::from_gguf(&file).unwrap();
    // A file that is asked for comes first.
    fs::write(at("mine.txt"), world(5)).unwrap();
    let file = rwkv::open(at("m.pth"), Some(&at("mine.txt"))).unwrap();
    assert_eq!(tokens(&file)[1], "b");
}

#[test]
fn low_rank_matrices_that_are_square_are_told_by_the_name_of_the_file() {
    let square = Source::new("7").changed(|part| {
        if part.shape == [HIDDEN, RANK] || part.shape == [RANK, HIDDEN] {
            let mut source = Source(Vec::new());
            source.add(&part.name, &[HIDDEN, HIDDEN]);
            part.shape = vec![HIDDEN, HIDDEN];
            part.values = source.0[0].values.clone();
        }
    });
    let original = of("m.pth", square.pth(DType::F16), None);
    let st = of("m.st", square.st().safetensors(DType::F16), None);
    assert_eq!(listed(st.tensors()), listed(original.tensors()));
}

/// The numbers of a tensor.
fn values(tensors: &Tensors, name: &str) -> Vec<f32> {
    let tensor = tensors.require(name).unwrap();
    let bytes = tensors.bytes(tensor);
    let pairs = bytes.as_chunks().0.iter();
    match tensor.dtype {
        DType::F16 => pairs.map(|&x| f16::from_le_bytes(x).to_f32()).collect(),
        DType::BF16 => pairs.map(|&x| bf16::from_le_bytes(x).to_f32()).collect(),
        _ => bytes.as_chunks().0.iter().map(|&x| f32::from_le_bytes(x)).collect(),
    }
}

#[test]
fn files_of_others_give_what_their_gguf_has() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/rwkv");
    let mut compared = 0;
    for folder in fs::read_dir(fixtures).unwrap() {
        let folder = folder.unwrap().path();
        let others = ["model.pth", "model.st", "hub"].map(|name| folder.join(name));
        for path in others.iter().filter(|path| path.exists()) {
            let (ours, theirs) = (open(path), Gguf::open(folder.join("model.gguf")).unwrap());
            assert_eq!(ours.tensors().len(), theirs.tensors().len(), "{}", path.display());
            for tensor in theirs.tensors().iter() {
                let place = format!("{}: {}", path.display(), tensor.name);
                let found = ours.tensors().require(&tensor.name).unwrap();
                assert_eq!(found.shape, tensor.shape, "{place}");
                let pair = [ours.tensors(), theirs.tensors()].map(|t| values(t, &tensor.name));
                let is_near = |(x, y): (&f32, &f32)| (x - y).abs() <= 2e-3 * x.abs().max(1e-3);
                assert!(pair[0].iter().zip(&pair[1]).all(is_near), "{place}");
            }
            compared += 1;
        }
    }
    assert!(compared >= 8, "{compared} files were compared");
}
