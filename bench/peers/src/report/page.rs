//! The table in `bench/README.md`.

use super::Report;
use anyhow::{Context, Result};

const COMMAND: &str = "cargo xtask bench";

/// The page with the table of `report` in place of the one it has.
pub(super) fn with_table(page: &str, report: &Report) -> Result<String> {
    let page = bessemer_bench_page::replaced(page, COMMAND, &table(report));
    page.context("bench/README.md has lost the marks around its table")
}

fn table(report: &Report) -> String {
    let mut table = format!(
        "{}.\n\n| work | against | measured | median | goal | reached |\n\
         | --- | --- | ---: | ---: | ---: | :---: |\n",
        report.setting()
    );
    for line in &report.lines {
        let median = line.median.map_or(String::new(), |median| format!("{median:.2}×"));
        table += &format!(
            "| {} | {} | {:.2}× | {median} | {} | {} |\n",
            line.work,
            line.against,
            line.ratio,
            line.goal,
            line.word()
        );
    }
    table + "\n" + &report.verdict() + ".\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Goal, Line};

    #[test]
    fn only_the_table_is_replaced() {
        let lines = vec![Line::sized("a + b", "NumPy", Goal::AtLeast(1.5), 2.0)];
        let text = || String::from("x");
        let (processor, instructions, peer) = (text(), text(), text());
        let report = Report { processor, instructions, threads: 2, peer, rounds: 1, lines };
        let mark = |which: &str| format!("<!-- made by {COMMAND}: {which} -->");
        let page = format!("head\n{}\nold\n{}\ntail\n", mark("start"), mark("end"));
        let page = with_table(&page, &report).unwrap();
        assert!(page.starts_with("head\n") && page.ends_with("tail\n") && !page.contains("old"));
        assert!(page.contains("| a + b | NumPy | 2.00× |  | ≥ 1.5× | yes |\n"), "{page}");
        assert_eq!(with_table(&page, &report).unwrap(), page);
        assert!(with_table("no marks", &report).is_err());
    }
}
