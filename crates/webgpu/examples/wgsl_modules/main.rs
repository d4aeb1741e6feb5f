//! Writes down every WGSL module that bessemer makes and everything it binds, as JSON, for
//! `cargo xtask wgsl-check`: of all conformance cases, and of a model's prompt and tokens.

mod model;

use bessemer_conformance::execute;
use bessemer_core::{Device, gpu::Span};
use bessemer_ops::cases;
use bessemer_webgpu::{Module, Profile, Recorded, Recorder};
use serde_json::{Value, json};
use std::{collections::HashMap, env, error::Error, fs, sync::Arc};

/// A profile, and the features a device must be asked for to take what is made for it.
const SUBGROUPS: [&str; 2] = ["subgroups", "shader-f16"];

fn main() -> Result<(), Box<dyn Error>> {
    let path = env::args().nth(1).ok_or("usage: wgsl_modules FILE")?;
    let file = Arc::new(model::smollm2());
    let profiles = [
        Profile::Portable,
        // A width that is sure, as most GPUs have; one that is not; and that of a CPU's vectors.
        Profile::Subgroups(32..=32),
        Profile::Subgroups(4..=128),
        Profile::Subgroups(8..=8),
    ];
    let mut all = Vec::new();
    for profile in profiles {
        let features: &[&str] = if profile == Profile::Portable { &[] } else { &SUBGROUPS };
        for (source, record) in
            [("cases", of_cases(&profile)?), ("model", of_model(&profile, &file)?)]
        {
            all.push(json!({
                "name": record.info().name,
                "source": source,
                "features": features,
                "modules": record.modules().iter().map(module).collect::<Vec<_>>(),
                "launches": launches(&record.launches()),
            }));
        }
    }
    fs::write(&path, Value::from(all).to_string()).map_err(|error| format!("{path}: {error}"))?;
    Ok(())
}

fn of_cases(profile: &Profile) -> Result<Arc<Recorder>, Box<dyn Error>> {
    let device = Arc::new(Recorder::new(profile.clone()));
    for case in cases() {
        execute(&case, &*device).map_err(|error| format!("{case:?}: {error}"))?;
    }
    Ok(device)
}

fn of_model(profile: &Profile, file: &Arc<Vec<u8>>) -> Result<Arc<Recorder>, Box<dyn Error>> {
    let recorder = Arc::new(Recorder::new(profile.clone()));
    let device: Arc<dyn Device> = recorder.clone();
    model::run(&device, file)?;
    Ok(recorder)
}

fn module(module: &Module) -> Value {
    let Module { op, kernel, text, entry, constants, writes, params } = module;
    let constants: HashMap<String, f64> =
        constants.iter().map(|(id, value)| (id.to_string(), *value)).collect();
    json!({
        "op": op, "kernel": kernel, "text": text, "entry": entry, "constants": constants,
        "writes": writes, "params": params,
    })
}

/// Launches that bind alike are told once, with how often they came.
fn launches(all: &[Recorded]) -> Vec<Value> {
    let mut told: HashMap<String, usize> = HashMap::new();
    let mut values: Vec<(Value, u64)> = Vec::new();
    for launch in all {
        let Recorded { op, module, spans, sizes, params, groups, refused } = launch;
        // Buffers by where they first come.
        let mut buffers: Vec<Option<u64>> = Vec::new();
        let mut number = |buffer: Option<u64>| {
            buffers.iter().position(|&other| other == buffer).unwrap_or_else(|| {
                buffers.push(buffer);
                buffers.len() - 1
            })
        };
        let bindings: Vec<Value> = (spans.iter().zip(sizes))
            .map(|(Span { buffer, range, .. }, size)| {
                json!({
                    "buffer": number(*buffer), "size": size, "offset": range.start,
                    "length": range.end - range.start,
                })
            })
            .collect();
        let value = json!({
            "op": op, "module": module, "bindings": bindings, "params": params,
            "groups": groups, "refused": refused,
        });
        let place = *told.entry(value.to_string()).or_insert(values.len());
        match values.get_mut(place) {
            Some((_, times)) => *times += 1,
            None => values.push((value, 1)),
        }
    }
    let with_times = |(mut value, times): (Value, u64)| {
        value["times"] = times.into();
        value
    };
    values.into_iter().map(with_times).collect()
}
