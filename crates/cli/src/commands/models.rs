//! `bessemer models`: what is here.

use crate::{
    builtin,
    fault::Fault,
    text::{self, Align, Cell, DIM, Table, WARN},
};
use bessemer::DType;
use bessemer_llm::{files::ModelFile, inspect::Summary};
use bessemer_store::Store;
use clap::Args;
use serde_json::{Value, json};
use std::{io::Write, path::Path};

/// List downloaded models
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Models {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  bessemer models
  bessemer models --json | jq -r '.models[].name'";

/// A model in the list.
struct Row {
    name: String,
    bytes: u64,
    /// `None` for the one that is built in.
    path: Option<String>,
    /// What it is, or why that can't be told.
    summary: Result<Summary, String>,
}

impl Models {
    pub(crate) fn run(self, out: &mut dyn Write) -> Result<(), Fault> {
        let store = Store::of_user()?;
        let mut rows: Vec<Row> = builtin::open().map(built_in).into_iter().collect();
        for entry in store.list()? {
            rows.push(Row {
                name: entry.name,
                bytes: entry.bytes,
                path: Some(entry.path.display().to_string()),
                summary: summary(ModelFile::open(&entry.path)),
            });
        }
        if self.json {
            return write_json(store.folder(), &rows, out);
        }
        if rows.is_empty() {
            let folder = store.folder().display();
            writeln!(out, "no models in {folder}: get one with `bessemer pull smollm2`")?;
            return Ok(());
        }
        let left = |name| (name, Align::Left);
        let mut table = Table::new(&[
            left("name"),
            ("size", Align::Right),
            ("parameters", Align::Right),
            left("architecture"),
            left("format"),
        ]);
        for row in &rows {
            let (parameters, architecture, format) = match &row.summary {
                Ok(s) => (text::amount(s.parameters), s.architecture.as_deref(), format_of(s)),
                Err(_) => (String::new(), None, "cannot be read".to_owned()),
            };
            let style = if row.summary.is_ok() { text::PLAIN } else { WARN };
            let built_in = if row.path.is_none() { " (built in)" } else { "" };
            table.row([
                Cell::new(format!("{}{built_in}", row.name)),
                Cell::new(text::bytes(row.bytes as usize)),
                Cell::new(parameters),
                Cell::new(architecture.unwrap_or("?")),
                Cell::new(format).style(style),
            ]);
        }
        table.write(out)?;
        Ok(writeln!(out, "{DIM}{}{DIM:#}", store.folder().display())?)
    }
}

fn summary(file: bessemer_llm::Result<ModelFile>) -> Result<Summary, String> {
    file.and_then(|file| Summary::new(&file, 0, DType::F16)).map_err(|e| e.to_string())
}

fn built_in(file: bessemer_llm::Result<ModelFile>) -> Row {
    let summary = summary(file);
    let bytes = summary.as_ref().map_or(0, |summary| summary.memory.weights as u64);
    Row { name: builtin::NAME.to_owned(), bytes, path: None, summary }
}

/// The format with the dtype that most of it is stored in.
fn format_of(summary: &Summary) -> String {
    let most = summary.dtypes.iter().max_by_key(|(_, tally)| tally.bytes);
    let dtype = most.map_or(String::new(), |(dtype, _)| format!(", mostly {dtype}"));
    format!("{}{dtype}", summary.format)
}

fn write_json(folder: &Path, rows: &[Row], out: &mut dyn Write) -> Result<(), Fault> {
    let models: Vec<Value> = rows
        .iter()
        .map(|row| {
            let mut value = json!({
                "name": row.name,
                "bytes": row.bytes,
                "path": row.path,
                "built_in": row.path.is_none(),
            });
            match &row.summary {
                Ok(summary) => {
                    value["architecture"] = json!(summary.architecture);
                    value["format"] = json!(summary.format);
                    value["parameters"] = json!(summary.parameters);
                    value["dtypes"] = json!(summary.dtypes);
                }
                Err(error) => value["error"] = json!(error),
            }
            value
        })
        .collect();
    let value = json!({ "folder": folder, "models": models });
    serde_json::to_writer_pretty(&mut *out, &value)?;
    Ok(writeln!(out)?)
}
