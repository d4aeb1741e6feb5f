//! `bessemer convert`: RWKV models of every kind of file become the same GGUF file.

mod common;
#[path = "../../llm/tests/common/pth.rs"]
mod pth;
#[path = "../../llm/tests/common/rwkv.rs"]
mod rwkv;
#[path = "common/tiny.rs"]
mod tiny;

use bessemer_core::DType;
use bessemer_llm::files::Gguf;
use common::assert_one_error;
use rwkv::Source;
use std::fs;
use tiny::Models;

#[test]
fn every_kind_of_file_becomes_the_same() {
    let models = Models::new();
    let source = Source::new("7");
    let at = |name: &str| models.path(name);
    fs::write(at("model.pth"), source.pth(DType::BF16)).unwrap();
    fs::write(at("model.safetensors"), source.safetensors(DType::BF16)).unwrap();
    fs::write(at("model.st"), source.st().safetensors(DType::BF16)).unwrap();
    fs::create_dir(at("model")).unwrap();
    fs::write(at("model/model.safetensors"), source.fla().safetensors(DType::BF16)).unwrap();
    fs::write(at("model/config.json"), r#"{"model_type": "rwkv7"}"#).unwrap();
    let vocab = models.text("mine.txt");
    fs::write(&vocab, rwkv::world(9)).unwrap();
    let files = ["model.pth", "model.safetensors", "model.st", "model"].map(|name| {
        let (from, to) = (models.text(name), models.text(&format!("{name}.gguf")));
        let report = models.json(&["convert", &from, &to, "--vocab", &vocab, "--json"]);
        assert_eq!(
            (&report["architecture"], &report["tokenizer"]),
            (&"rwkv7".into(), &"rwkv".into())
        );
        assert!(report["dtypes"]["bf16"].as_u64() > Some(0), "{report}");
        fs::read(to).unwrap()
    });
    assert!(files.iter().all(|file| *file == files[0]));
    let file = Gguf::from_bytes(files[0].clone()).unwrap();
    assert_eq!(file.metadata().require::<u32>("general.file_type").unwrap(), 32);

    // What is opened without conversion is the same model.
    let found = models.json(&["inspect", &models.text("model.pth"), "--json"]);
    assert_eq!(found["architecture"], "rwkv7");
    assert_eq!(found["files"].as_array().unwrap().len(), 1);
    assert_eq!(found["tensors"].as_array().unwrap().len(), file.tensors().len());
}

#[test]
fn types_are_those_of_llama_cpp() {
    let models = Models::new();
    let (from, to) = (models.text("m.pth"), models.text("m.gguf"));
    fs::write(&from, Source::new("7").pth(DType::BF16)).unwrap();
    for (name, dtype, number) in
        [("f16", DType::F16, 1), ("F32", DType::F32, 0), ("bf16", DType::BF16, 32)]
    {
        models.run(&["convert", &from, &to, "--type", name, "--force"], 0);
        let file = Gguf::open(&to).unwrap();
        let of = |name: &str| file.tensors().require(&format!("{name}.weight")).unwrap().dtype;
        for name in
            ["token_embd", "output", "blk.0.time_mix_key", "blk.1.time_mix_a1", "blk.0.time_mix_g2"]
        {
            assert_eq!(of(name), dtype, "{name}");
        }
        for name in [
            "token_embd_norm",
            "blk.0.time_mix_w1",
            "blk.0.time_mix_w2",
            "blk.1.time_mix_lerp_fused",
        ] {
            assert_eq!(of(name), DType::F32, "{name}");
        }
        assert_eq!(file.metadata().require::<u32>("general.file_type").unwrap(), number);
    }
}

#[test]
fn quantised_models_keep_what_is_small() {
    let models = Models::new();
    let (from, to) = (models.text("m.pth"), models.text("m.gguf"));
    fs::write(&from, Source::new("7").pth(DType::F16)).unwrap();
    let report = models.json(&["quantize", &from, &to, "Q8_0", "--json"]);
    // Rows of 8 channels are no whole blocks of anything.
    assert!(report["fallbacks"]["blk.0.time_mix_key.weight"] == "f16", "{report}");
    assert!(report["fallbacks"]["blk.0.time_mix_a1.weight"].is_null(), "{report}");
}

#[test]
fn what_cannot_be_converted_is_said_and_leaves_nothing_behind() {
    let models = Models::new();
    let (from, to) = (models.text("m.pth"), models.text("m.gguf"));
    fs::write(&from, Source::new("4").pth(DType::F32)).unwrap();
    let (text, _) = models.run(&["convert", &from, &to], 0);
    assert!(text.contains("rwkv4") && text.contains("it has no vocabulary"), "{text}");
    let before = fs::read(&to).unwrap();
    assert_one_error(&models.run(&["convert", &from, &to], 1).1, &["m.gguf", "--force"]);
    assert_one_error(&models.run(&["convert", &from, &from, "--force"], 1).1, &["also the input"]);
    assert_one_error(&models.run(&["convert", &to, &from, "--force"], 1).1, &["GGUF file already"]);
    let (_, err) = models.run(&["convert", &from, &to, "--force", "--type", "q8_0"], 2);
    assert_one_error(&err, &["q8_0", "auto f32 f16 bf16"]);

    let mut other = Source(Vec::new());
    other.add("model.embed_tokens.weight", &[4, 4]);
    fs::write(&from, other.pth(DType::F32)).unwrap();
    assert_one_error(&models.run(&["convert", &from, &to, "--force"], 1).1, &["is not RWKV"]);
    let spoiled = Source::new("4").changed(|part| {
        if part.name == "blocks.1.ffn.key.weight" {
            part.values[3] = f32::NAN;
        }
    });
    fs::write(&from, spoiled.pth(DType::F32)).unwrap();
    let (_, err) = models.run(&["convert", &from, &to, "--force", "--type", "f16"], 1);
    assert_one_error(&err, &["blk.1.channel_mix_key.weight", "infinite or NaN"]);
    assert_eq!(fs::read(&to).unwrap(), before);
    let names = fs::read_dir(models.path("")).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(names.into_iter().all(|name| !name.to_string_lossy().starts_with(".bessemer")));
}
