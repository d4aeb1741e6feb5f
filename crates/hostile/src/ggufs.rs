//! GGUF files whose form is right and whose content is odd: a sound model in which numbers, lists,
//! texts, shapes and types have been replaced.

use arbitrary::{Result, Unstructured};
use bessemer_core::{DType, Device, Shape};
use bessemer_cpu::{Cpu, CpuOptions};
use bessemer_llm::{
    Llm, SessionOptions,
    files::{
        Gguf, GgufWriter,
        gguf::{Array, Value},
    },
    hostile,
    tiny::Tiny,
};
use std::{cell::OnceCell, sync::Arc};

/// The most bytes of a file.
const LONGEST: usize = 1 << 20;

/// Families that a file may claim to be of.
const FAMILIES: [&str; 6] = ["llama", "qwen2", "qwen3", "gemma3", "phi3", "no-such-family"];

/// Types that tensors may be of.
const DTYPES: [DType; 6] =
    [DType::F32, DType::F16, DType::BF16, DType::Q8_0, DType::Q4_0, DType::Q6_K];

/// Keys that the model has not, some of them of other families; `*` is the family.
const MORE_KEYS: [&str; 16] = [
    "general.alignment",
    "split.count",
    "*.expert_count",
    "*.expert_used_count",
    "*.rope.freq_base",
    "*.rope.scaling.type",
    "*.rope.scaling.factor",
    "*.rope.scaling.original_context_length",
    "*.attention.sliding_window",
    "*.attn_logit_softcapping",
    "*.vocab_size",
    "tokenizer.ggml.bos_token_id",
    "tokenizer.ggml.add_bos_token",
    "tokenizer.ggml.unknown_token_id",
    "tokenizer.ggml.pre",
    "tokenizer.ggml.scores",
];

thread_local! {
    static SOUND: Gguf = {
        let tiny = Tiny { head_size: 8, context: 32, ..Tiny::default() };
        Gguf::from_bytes(tiny.gguf(|_, _| {})).expect("a sound file")
    };
    static DEVICE: OnceCell<Arc<dyn Device>> = const { OnceCell::new() };
}

/// Bytes as decisions of what to replace in a sound file, which is then read and, if it still is a
/// model, takes two tokens.
pub fn gguf_built(data: &[u8]) {
    let Some(file) = SOUND.with(|sound| build(sound, &mut Unstructured::new(data)).ok()).flatten()
    else {
        return;
    };
    hostile::gguf(&file);
    let device = DEVICE.with(|device| {
        let options =
            CpuOptions { threads: Some(1), memory_limit: Some(256 << 20), ..Default::default() };
        let open = || Arc::new(Cpu::open(options).expect("a CPU")) as Arc<dyn Device>;
        Arc::clone(device.get_or_init(open))
    });
    if let Ok(llm) = Llm::from_bytes(file, &device) {
        let options = SessionOptions { context: Some(16), ..Default::default() };
        if let Ok(mut session) = llm.session(options) {
            let _ = session.extend(&[1, 2]);
        }
    }
}

/// A file, unless it would be too long or can't be written.
fn build(sound: &Gguf, u: &mut Unstructured<'_>) -> Result<Option<Vec<u8>>> {
    let mut entries: Vec<(String, Value)> =
        sound.metadata().iter().map(|entry| (entry.key.clone(), entry.value.clone())).collect();
    let mut tensors: Vec<(String, DType, Shape)> =
        sound.tensors().iter().map(|t| (t.name.clone(), t.dtype, t.shape)).collect();
    let mut family = FAMILIES[0];
    for _ in 0..u.int_in_range(1..=6)? {
        match u.int_in_range(0..=7)? {
            0 => family = u.choose(&FAMILIES)?,
            1..=3 => {
                let at = u.choose_index(entries.len())?;
                entries[at].1 = value(u)?;
            }
            4 => entries.push((u.choose(&MORE_KEYS)?.replace('*', FAMILIES[0]), value(u)?)),
            5 => drop(entries.remove(u.choose_index(entries.len())?)),
            6 => {
                let at = u.choose_index(tensors.len())?;
                tensors[at].1 = *u.choose(&DTYPES)?;
                if let Some(shape) = shape(u)? {
                    tensors[at].2 = shape;
                }
            }
            _ => drop(tensors.remove(u.choose_index(tensors.len())?)),
        }
        if entries.is_empty() || tensors.is_empty() {
            break;
        }
    }
    let mut writer = GgufWriter::new();
    for (key, value) in entries {
        // A family has its name in its keys.
        let key = match key.strip_prefix(FAMILIES[0]) {
            Some(rest) if rest.starts_with('.') => format!("{family}{rest}"),
            _ => key,
        };
        let named = matches!(&value, Value::String(text) if text == FAMILIES[0]);
        writer.set(&key, if named { Value::String(family.to_owned()) } else { value });
    }
    let mut data = Vec::new();
    for (name, dtype, shape) in tensors {
        let bytes =
            shape.elements().div_ceil(dtype.block_len()).saturating_mul(dtype.block_bytes());
        if bytes > LONGEST || writer.tensor(&name, dtype, shape).is_err() {
            return Ok(None);
        }
        let known = sound.tensors().get(&name).map(|tensor| sound.tensors().bytes(tensor));
        let mut numbers = known.unwrap_or_default().to_vec();
        numbers.resize(bytes, 0);
        data.push(numbers);
    }
    let data: Vec<&[u8]> = data.iter().map(Vec::as_slice).collect();
    Ok(writer.to_bytes(&data).ok().filter(|file| file.len() <= LONGEST))
}

/// A size that is likely somewhere, or likely wrong.
fn size(u: &mut Unstructured<'_>) -> Result<u64> {
    let sizes = [0, 1, 2, 3, 4, 8, 16, 32, 64, 96, 255, 256, 259, 4096, 1 << 20, 1 << 31];
    Ok(match u.int_in_range(0..=9)? {
        0 => u.arbitrary()?,
        1 => u64::MAX,
        _ => *u.choose(&sizes)?,
    })
}

fn shape(u: &mut Unstructured<'_>) -> Result<Option<Shape>> {
    let rank = u.int_in_range(0..=4)?;
    let sizes: Result<Vec<usize>> = (0..rank).map(|_| Ok(size(u)? as usize)).collect();
    Ok(Shape::new(&sizes?).ok())
}

fn value(u: &mut Unstructured<'_>) -> Result<Value> {
    Ok(match u.int_in_range(0..=9)? {
        0..=2 => Value::U32(size(u)? as u32),
        3 => Value::U64(size(u)?),
        4 => Value::I32((size(u)? as i32).wrapping_neg()),
        5 => Value::F32(*u.choose(&[0.0, -1.0, 1e-5, 0.5, 1e4, 1e38, f32::INFINITY, f32::NAN])?),
        6 => Value::Bool(u.arbitrary()?),
        7 => Value::String(text(u)?),
        8 => Value::Array(Array::of_i32((0..u.int_in_range(0..=300)?).map(|i| i % 7))),
        _ => {
            let texts: Result<Vec<String>> =
                (0..u.int_in_range(0..=12)?).map(|_| text(u)).collect();
            Value::Array(Array::of_strings(texts?))
        }
    })
}

fn text(u: &mut Unstructured<'_>) -> Result<String> {
    let words =
        ["", "a", "b", "a b", "▁", "<0x41>", "Ġ", "gpt2", "llama", "bert", "yarn", "linear"];
    Ok(match u.int_in_range(0..=3)? {
        0 => {
            let len = u.int_in_range(0..=40)?;
            String::from_utf8_lossy(u.bytes(len.min(u.len()))?).into_owned()
        }
        _ => (*u.choose(&words)?).to_owned(),
    })
}
