//! `bessemer models`: what is here, and whether it is intact.

use crate::{
    builtin,
    fault::{self, Fault},
    progress::Progress,
    text::{self, Align, BAD, Cell, DIM, Table, WARN},
};
use bessemer::DType;
use bessemer_llm::{files::ModelFile, inspect::Summary};
use bessemer_store::{Entry, Partial, Store, Verdict};
use clap::Args;
use serde_json::{Value, json};
use std::io::Write;

/// List downloaded models
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Models {
    /// Compare each model's size and SHA-256 with those recorded when it was pulled
    #[arg(long)]
    verify: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  bessemer models
  bessemer models --verify
  bessemer models --json | jq -r '.models[].name'

With --verify the exit code is 1 if a model is damaged. Files that were copied into the folder have no \
record to compare with, until `bessemer pull` has compared them with their source.";

/// A model in the list.
struct Row {
    name: String,
    bytes: u64,
    /// `None` for the one that is built in.
    path: Option<String>,
    /// What it is, or why that can't be told.
    summary: Result<Summary, String>,
    /// Whether it is intact, if that was asked.
    verdict: Option<Verdict>,
}

impl Models {
    pub(crate) fn run(self, out: &mut dyn Write) -> Result<(), Fault> {
        let store = Store::of_user()?;
        let mut rows: Vec<Row> = builtin::open().map(built_in).into_iter().collect();
        for entry in store.list()? {
            let verdict = match self.verify {
                true => Some(verify(&store, &entry)?),
                false => None,
            };
            rows.push(Row {
                bytes: entry.bytes,
                path: Some(entry.path.display().to_string()),
                summary: summary(ModelFile::open(&entry.path)),
                verdict,
                name: entry.name,
            });
        }
        let partials = store.partials()?;
        if self.json {
            write_json(&store, &rows, &partials, out)?;
        } else {
            self.write_text(&store, &rows, &partials, out)?;
        }
        match rows.iter().any(|row| matches!(row.verdict, Some(Verdict::Damaged(_)))) {
            true => Err(Fault::Told),
            false => Ok(()),
        }
    }

    fn write_text(
        &self,
        store: &Store,
        rows: &[Row],
        partials: &[Partial],
        out: &mut dyn Write,
    ) -> Result<(), Fault> {
        if rows.is_empty() && partials.is_empty() {
            let folder = store.folder().display();
            writeln!(out, "no models in {folder}; run \"bessemer pull smollm2\" to download one")?;
            return Ok(());
        }
        let left = |name| (name, Align::Left);
        let mut columns = vec![
            left("name"),
            ("size", Align::Right),
            ("parameters", Align::Right),
            left("architecture"),
            left("format"),
        ];
        if self.verify {
            columns.push(left("verified"));
        }
        let mut table = Table::new(&columns);
        for row in rows {
            let (parameters, architecture, format) = match &row.summary {
                Ok(s) => (text::amount(s.parameters), s.architecture.as_deref(), format_of(s)),
                Err(_) => (String::new(), None, "cannot be read".to_owned()),
            };
            let style = if row.summary.is_ok() { text::PLAIN } else { WARN };
            let built_in = if row.path.is_none() { " (built in)" } else { "" };
            let mut cells = vec![
                Cell::new(format!("{}{built_in}", row.name)),
                Cell::new(text::bytes(row.bytes as usize)),
                Cell::new(parameters),
                Cell::new(architecture.unwrap_or("?")),
                Cell::new(format).style(style),
            ];
            cells.extend(row.verdict.as_ref().map(cell_of));
            table.row(cells);
        }
        table.write(out)?;
        for partial in partials {
            let (Partial { name, source, .. }, done) =
                (partial, text::bytes(partial.bytes as usize));
            let of =
                partial.total.map_or(String::new(), |t| format!(" of {}", text::bytes(t as usize)));
            let remedy = format!(
                "run \"bessemer pull {source}\" to resume, or \"bessemer rm {name}\" to delete"
            );
            writeln!(out, "{WARN}{name}: partial, {done}{of}{WARN:#}; {remedy}")?;
        }
        for row in rows {
            if let (Some(Verdict::Damaged(why)), Some(path)) = (&row.verdict, &row.path) {
                let remedy =
                    store.remedy(path.as_ref()).map_or(String::new(), |r| format!("; {r}"));
                writeln!(out, "{BAD}{}{BAD:#}: {why}{remedy}", row.name)?;
            }
        }
        Ok(writeln!(out, "{DIM}{}{DIM:#}", store.folder().display())?)
    }
}

fn verify(store: &Store, entry: &Entry) -> Result<Verdict, Fault> {
    let bar = Progress::of_bytes();
    Ok(store.verify(entry, &mut |done| bar.at_bytes(done, Some(entry.bytes), &entry.name))?)
}

fn cell_of(verdict: &Verdict) -> Cell {
    match verdict {
        Verdict::Intact => Cell::new("yes"),
        Verdict::Damaged(_) => Cell::new("damaged").style(BAD),
        Verdict::Unknown => Cell::new("not recorded").style(DIM),
    }
}

fn summary(file: bessemer_llm::Result<ModelFile>) -> Result<Summary, String> {
    let summary = file.and_then(|file| Summary::new(&file, 0, DType::F16));
    summary.map_err(|e| fault::remedied(e).to_string())
}

fn built_in(file: bessemer_llm::Result<ModelFile>) -> Row {
    let summary = summary(file);
    let bytes = summary.as_ref().map_or(0, |summary| summary.memory.weights as u64);
    Row { name: builtin::NAME.to_owned(), bytes, path: None, summary, verdict: None }
}

/// The format with the dtype that most of it is stored in.
fn format_of(summary: &Summary) -> String {
    let most = summary.dtypes.iter().max_by_key(|(_, tally)| tally.bytes);
    let dtype = most.map_or(String::new(), |(dtype, _)| format!(", mostly {dtype}"));
    format!("{}{dtype}", summary.format)
}

fn write_json(
    store: &Store,
    rows: &[Row],
    partials: &[Partial],
    out: &mut dyn Write,
) -> Result<(), Fault> {
    let models: Vec<Value> = rows.iter().map(json_of).collect();
    let partials = partials.iter().map(|partial| {
        json!({
            "name": partial.name,
            "source": partial.source,
            "path": partial.path.to_string_lossy(),
            "bytes": partial.bytes,
            "total": partial.total,
        })
    });
    let value = json!({
        "folder": store.folder().to_string_lossy(),
        "models": models,
        "partial": partials.collect::<Vec<Value>>(),
    });
    serde_json::to_writer_pretty(&mut *out, &value)?;
    Ok(writeln!(out)?)
}

fn json_of(row: &Row) -> Value {
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
    match &row.verdict {
        Some(Verdict::Intact) => value["verified"] = json!(true),
        Some(Verdict::Damaged(why)) => {
            value["verified"] = json!(false);
            value["damage"] = json!(why);
        }
        Some(Verdict::Unknown) => value["verified"] = Value::Null,
        None => {}
    }
    value
}
