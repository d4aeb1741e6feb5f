//! The table of supported ops in the docs, generated from the devices' results.

use crate::Report;
use bessemer_core::DType;
use std::fmt::Write;

/// The page `docs/support.md`: which op takes which dtypes, on which devices.
///
/// All `reports` must be of the same cases.
pub fn support_table(reports: &[Report]) -> String {
    let mut page = String::from(
        "# What runs where\n\n\
         Generated from the conformance cases by `cargo xtask support`: an op \
         supports a dtype if\nthere are cases with an operand of it. ✓ means that the device passes all \
         of them, within the tolerances stated\nnext to the cases in `crates/ops`. Metal runs in software \
         (softmetal, with every access checked), WebGPU on Mesa's lavapipe.\n\n\
         | op | dtypes of operands |",
    );
    for report in reports {
        let _ = write!(page, " {} |", report.device);
    }
    page.push_str("\n| --- | --- |");
    page.push_str(&" :---: |".repeat(reports.len()));
    page.push('\n');
    let mut ops: Vec<&str> = Vec::new();
    for result in reports.iter().flat_map(|report| &report.results) {
        if !ops.contains(&result.op) {
            ops.push(result.op);
        }
    }
    for op in ops {
        let _ = writeln!(page, "{}", line(op, reports));
    }
    page
}

fn line(op: &str, reports: &[Report]) -> String {
    let taken = |dtype: &DType| {
        let mut results = reports.iter().flat_map(|report| &report.results);
        results.any(|result| result.op == op && result.dtypes.contains(dtype))
    };
    let dtypes: Vec<_> = DType::ALL.iter().filter(|d| taken(d)).map(|d| d.name()).collect();
    let mut line = format!("| `{op}` | {} |", dtypes.join(" "));
    for report in reports {
        let troubled: Vec<_> = report
            .rows()
            .into_iter()
            .filter(|row| row.op == op && row.failed + row.refused + row.lacking > 0)
            .map(|row| row.dtype.name())
            .collect();
        let cell =
            if troubled.is_empty() { "✓".into() } else { format!("not {}", troubled.join(" ")) };
        let _ = write!(line, " {cell} |");
    }
    line
}
