//! The report of `check --report`: what a developer without this machine needs to know.

use super::{hot, kernels, private};
use crate::builtin;
use bessemer::{Device, DeviceOptions, conformance::Report};
use bessemer_llm::{GenerateOptions, Llm, SessionOptions, sampling::Sampling};
use std::fmt::Write;

const PROMPT: &str = "Once upon a time";
const TOKENS: usize = 48;

/// The report, in Markdown. It takes a while: it measures kernels and generates a text.
pub(super) fn page(device: &Device, report: &Report, seconds: f64) -> String {
    let mut page = head(device);
    page.push_str(&results(report, seconds));
    page.push('\n');
    page.push_str(&story(device));
    page.push('\n');
    page.push_str(&hot::section(device));
    page.push('\n');
    // Last, so that those that were compiled on the way are among them.
    page.push_str(&kernels::section(&device.kernels()));
    private::without(&page, &private::names())
}

/// The device, its system and its limits.
fn head(device: &Device) -> String {
    let info = device.info();
    let mut text = format!("# bessemer on {}: {}\n\n", info.kind, info.name);
    if info.software {
        text.push_str("**This device is emulated in software; it is not a GPU.**\n\n");
    }
    // Writing to a string cannot fail.
    let _ = writeln!(text, "* bessemer {}", env!("CARGO_PKG_VERSION"));
    let _ = writeln!(text, "* features: {}", info.features.join(", "));
    let _ = writeln!(text, "* memory limit: {} bytes", info.memory_limit);
    for line in device.details().iter().filter(|line| !line.starts_with("pipeline ")) {
        let _ = writeln!(text, "* {line}");
    }
    text.push('\n');
    text
}

/// The conformance table, and what did not pass.
fn results(report: &Report, seconds: f64) -> String {
    let (all, troubles) = (report.results.len(), report.troubles().count());
    let mut text = String::from("## Conformance\n\n");
    let _ = writeln!(text, "{} of {all} cases passed, in {seconds:.1} s.\n", all - troubles);
    text.push_str(
        "| op | dtype | passed | failed | unsupported | worst nmse | worst error |\n\
         | --- | --- | ---: | ---: | ---: | ---: | ---: |\n",
    );
    for row in report.rows() {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {:.1e} | {:.1e} |",
            row.op, row.dtype, row.passed, row.failed, row.refused, row.nmse, row.max_abs
        );
    }
    for result in report.troubles() {
        let outcome = result.outcome.to_string();
        let first = outcome.lines().next().unwrap_or_default();
        let _ = write!(text, "\n* {}: {}: {first}", result.op, result.case);
    }
    text.push_str(if troubles > 0 { "\n" } else { "" });
    text
}

/// What the built-in model generates, and whether the CPU generates the same.
fn story(device: &Device) -> String {
    let mut text =
        format!("## The built-in model\n\n`{PROMPT}`, {TOKENS} tokens, greedy decoding:\n\n");
    let found = match written(device) {
        Ok(found) => found,
        Err(why) => {
            let _ = writeln!(text, "Generation failed: {why}");
            return text;
        }
    };
    let quoted = found.replace('\n', "\n> ");
    let precise = DeviceOptions { precise: true, ..Default::default() };
    let cpu = Device::open_with("cpu", &precise).map_err(|error| error.to_string());
    let same = match cpu.and_then(|cpu| written(&cpu)) {
        Ok(other) if other == found => "The CPU generates the same text.".to_owned(),
        Ok(other) => {
            format!("The CPU generates a different text:\n\n> {}", other.replace('\n', "\n> "))
        }
        Err(why) => format!("Generation on the CPU failed: {why}"),
    };
    let _ = writeln!(text, "> {quoted}\n\n{same}");
    text
}

fn written(device: &Device) -> Result<String, String> {
    let file = builtin::open().ok_or("this build has no built-in model")?;
    let text = file.and_then(|file| {
        let llm = Llm::from_file(&file, &device.clone().into())?;
        let context = SessionOptions { context: Some(128), ..Default::default() };
        let options = GenerateOptions {
            max_tokens: Some(TOKENS),
            sampling: Sampling::greedy(),
            ..Default::default()
        };
        let mut session = llm.session(context)?;
        Ok(llm.generate(&mut session, PROMPT, &options)?.finish()?.text)
    });
    text.map_err(|error| error.to_string())
}
