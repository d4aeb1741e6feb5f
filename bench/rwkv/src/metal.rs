//! Metal in software: what a token takes of the device, counted.

use crate::{
    Arguments,
    files::{Folder, KINDS},
    report::Report,
    shape::COUNTED,
};
use anyhow::Result;
use bessemer::llm::files::Gguf;
use bessemer_metal_bench::{
    soft::Counted,
    token::{Bytes, PerToken, TOKEN, session},
};
use bessemer_models_bench::line::Goal;

/// Room for the few tokens that are counted.
const CONTEXT: usize = 64;

/// Counts in every format.
pub(crate) fn run(arguments: &Arguments, folder: &Folder) -> Result<Report> {
    let mut report = Report::new("metal");
    report.set(format!(
        "Counted by softmetal over {} layers of the {} shape with a vocabulary of {}.",
        COUNTED.layers,
        crate::shape::SMALL.name,
        COUNTED.vocabulary
    ));
    for kind in KINDS {
        if !arguments.wants(kind) || arguments.quick && kind != "Q4_0" {
            continue;
        }
        let file = folder.file(&COUNTED, kind)?;
        eprintln!("{}", file.name);
        let each = PerToken::count(Gguf::open(&file.path)?, CONTEXT)?;
        let counted = Counted::open()?;
        let mut session = session(Gguf::open(&file.path)?, &counted.device, CONTEXT)?;
        session.extend(&[TOKEN])?;
        let bytes = Bytes::count(&counted, &mut session)?;
        let over = |bytes: u64| bytes as f64 / (file.weights + file.state) as f64;
        let mut add = |what, against, goal, figure| {
            report.add(&file.name, what, against, goal, figure, None);
        };
        add("command buffers", "a token", Goal::AtMost(1.0), each.command_buffers);
        add("allocations", "a token", Goal::AtMost(0.0), each.allocations);
        let needed = "weights + state";
        add("bytes read", needed, Goal::AtMost(1.05), over(bytes.different));
        add("bytes loaded", needed, Goal::None, over(bytes.loaded));
        let layers = COUNTED.layers as f64;
        add("dispatches", "a layer", Goal::None, each.dispatches / layers);
        add("barriers", "a layer", Goal::None, each.barriers / layers);
    }
    Ok(report)
}
