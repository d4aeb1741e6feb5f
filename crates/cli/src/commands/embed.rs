//! `bessemer embed`: texts as vectors, and how alike they are.

use crate::{
    args::Global,
    fault::Fault,
    generate::LoadArgs,
    input,
    progress::Progress,
    text::{Align, Cell, DIM, Table},
};
use anyhow::{Context, anyhow};
use bessemer_llm::{
    Llm, Session,
    embedding::{cosine, normalize},
};
use clap::Args;
use serde::Serialize;
use std::{fs, io::Write, path::PathBuf};

/// Compute the embeddings of texts, and how similar they are
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Embed {
    /// The texts; read from stdin, one per line, if it is `-` or none is given
    #[arg(value_name = "TEXT")]
    texts: Vec<String>,

    /// Read the texts from a file, one per line
    #[arg(long, short, value_name = "FILE", conflicts_with = "texts")]
    file: Option<PathBuf>,

    #[command(flatten)]
    load: LoadArgs,

    /// Print the cosine similarity of all pairs of texts instead of their embeddings
    #[arg(long)]
    similarity: bool,

    /// Do not scale embeddings to length 1
    #[arg(long)]
    no_normalize: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  bessemer embed --model smollm2 \"The weather is fine\" > weather.txt
  bessemer embed --model smollm2 --similarity \"a cat\" \"a kitten\" \"a lorry\"
  bessemer embed --model smollm2 --file lines.txt --json | jq '.embeddings[0].embedding'
  sort lines.txt | bessemer embed --model smollm2 --similarity

An embedding is the mean of the model's last hidden states over all tokens of the text, after the \
final norm. Each is printed on one line, its numbers separated by spaces; they have length 1 unless \
--no-normalize is given. Texts with similar embeddings are alike: a cosine similarity of 1 means the \
same direction, 0 nothing in common. JSON fields: model, dimensions, normalized, embeddings (text, \
tokens, embedding), and with --similarity also similarity, a row for each text.";

/// The longest part of a text that a table shows.
const SHOWN: usize = 40;

#[derive(Serialize)]
struct Embedded {
    text: String,
    /// How many.
    tokens: usize,
    embedding: Vec<f32>,
}

#[derive(Serialize)]
struct Report<'a> {
    model: &'a str,
    dimensions: usize,
    normalized: bool,
    embeddings: Vec<Embedded>,
    #[serde(skip_serializing_if = "Option::is_none")]
    similarity: Option<Vec<Vec<f64>>>,
}

impl Embed {
    pub(crate) fn run(mut self, global: &Global, out: &mut dyn Write) -> Result<(), Fault> {
        let texts = self.texts()?;
        if self.similarity && texts.len() < 2 {
            return Err(Fault::usage(format!(
                "--similarity: there is nothing to compare {} with; pass two texts or more",
                if texts.is_empty() { "no text" } else { "one text" }
            )));
        }
        if texts.is_empty() {
            return Err(Fault::usage("embed: no text was given; pass one as an argument"));
        }
        let loaded = self.load.load(global)?;
        let mut session = self.load.session(&loaded.llm)?;
        let mut embeddings = Vec::with_capacity(texts.len());
        let bar = Progress::new(texts.len());
        for (i, text) in texts.into_iter().enumerate() {
            bar.at(i, shorten(&text));
            embeddings.push(self.embed(&loaded.llm, &mut session, text, i)?);
        }
        drop(bar);
        let similarity = self.similarity.then(|| similarities(&embeddings));
        if self.json {
            let report = Report {
                model: &loaded.name,
                dimensions: loaded.llm.model().config().hidden,
                normalized: !self.no_normalize,
                embeddings,
                similarity,
            };
            serde_json::to_writer(&mut *out, &report)?;
            return Ok(writeln!(out)?);
        }
        match similarity {
            Some(rows) => write_table(&embeddings, &rows, out),
            None => write_lines(&embeddings, out),
        }
    }

    /// What is to be embedded.
    fn texts(&mut self) -> Result<Vec<String>, Fault> {
        let lines = match &self.file {
            Some(path) => fs::read_to_string(path)
                .with_context(|| format!("{}: cannot be read", path.display()))?,
            None if self.texts.is_empty() => input::text(None, "text")?,
            None if self.texts == ["-"] => input::text(self.texts.pop(), "text")?,
            None => return Ok(std::mem::take(&mut self.texts)),
        };
        Ok(lines.lines().map(str::to_owned).collect())
    }

    fn embed(
        &self,
        llm: &Llm,
        session: &mut Session,
        text: String,
        index: usize,
    ) -> Result<Embedded, Fault> {
        let embedding = llm.embed(session, &text);
        let mut embedding = embedding.map_err(|error| {
            anyhow!(error).context(format!("text {} ({:?})", index + 1, shorten(&text)))
        })?;
        if !self.no_normalize {
            normalize(&mut embedding);
        }
        Ok(Embedded { text, tokens: session.tokens().len(), embedding })
    }
}

fn similarities(embeddings: &[Embedded]) -> Vec<Vec<f64>> {
    let row =
        |a: &Embedded| embeddings.iter().map(|b| cosine(&a.embedding, &b.embedding)).collect();
    embeddings.iter().map(row).collect()
}

fn write_lines(embeddings: &[Embedded], out: &mut dyn Write) -> Result<(), Fault> {
    for Embedded { embedding, .. } in embeddings {
        for (i, x) in embedding.iter().enumerate() {
            let gap = if i == 0 { "" } else { " " };
            write!(out, "{gap}{x}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn write_table(
    embeddings: &[Embedded],
    rows: &[Vec<f64>],
    out: &mut dyn Write,
) -> Result<(), Fault> {
    let names: Vec<String> = (1..=rows.len()).map(|number| number.to_string()).collect();
    let numbers = names.iter().map(|name| (name.as_str(), Align::Right));
    let columns = [("", Align::Right)].into_iter().chain(numbers).chain([("text", Align::Left)]);
    let mut table = Table::new(&columns.collect::<Vec<_>>());
    for ((name, row), Embedded { text, .. }) in names.iter().zip(rows).zip(embeddings) {
        let cells = row.iter().map(|similarity| Cell::new(format!("{similarity:.4}")));
        let cells = [Cell::new(name).style(DIM)].into_iter().chain(cells);
        table.row(cells.chain([Cell::new(shorten(text))]));
    }
    Ok(table.write(out)?)
}

/// The beginning of a text, on one line.
fn shorten(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}
