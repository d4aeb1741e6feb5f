//! `bessemer serve`: models over HTTP, with a chat page.

mod limits;
mod safety;
mod shelf;

use crate::{
    args::Global,
    fault::Fault,
    generate::LoadArgs,
    interrupt,
    terminal::{Shows, tell},
    text::{BOLD, DIM},
    values::whole,
};
use anyhow::{Context, anyhow};
use bessemer_engine::EngineOptions;
use bessemer_llm::Cancel;
use bessemer_server::{LogOptions, ModelOptions, Options, Server, hashed_key, log_to_stderr};
use clap::{ArgAction, Args, ValueEnum};
use limits::LimitArgs;
use safety::SafetyArgs;
use shelf::Shelf;
use std::{
    io::{self, Write},
    net::IpAddr,
    process::{Command, Stdio},
    sync::Arc,
    time::Duration,
};

/// Serve models over HTTP: the OpenAI, Anthropic and ollama APIs, and a chat page
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Serve {
    #[command(flatten)]
    load: LoadArgs,

    /// Another model that clients can ask for; can be given several times
    #[arg(long, value_name = "NAME|PATH", help_heading = crate::model::MODEL)]
    also: Vec<String>,

    /// Only the models given here, and none of those that `bessemer models` lists
    #[arg(long, help_heading = crate::model::MODEL)]
    only: bool,

    /// The most memory that all loaded models may take together, in GB; the least recently used are dropped
    /// for others [default: 80 % of the device's]
    #[arg(long, value_name = "GB", value_parser = gigabytes, help_heading = crate::model::MODEL)]
    memory: Option<f64>,

    /// Load the first model when it is first asked for, and not at the start
    #[arg(long, help_heading = crate::model::MODEL)]
    lazy: bool,

    /// The address to listen on; 0.0.0.0 is all
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1", value_parser = host)]
    host: IpAddr,

    /// The port to listen on; 0 is any that is free
    #[arg(long, value_name = "PORT", default_value_t = 8080)]
    port: u16,

    /// The number of texts that are written at once; others wait (-np, as of llama-server, works too)
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = at_least_one)]
    parallel: usize,

    /// The most requests that wait; more are refused with 429
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = whole)]
    queue: usize,

    /// The most tokens of prompts that go through the model in one step
    #[arg(
        long,
        short = 'b',
        value_name = "N",
        alias = "batch-size",
        default_value_t = 256,
        value_parser = at_least_one
    )]
    batch: usize,

    #[command(flatten)]
    safety: SafetyArgs,

    #[command(flatten)]
    limits: LimitArgs,

    /// Open the chat page in a browser
    #[arg(long)]
    open: bool,

    /// Serve no chat page
    #[arg(long, alias = "no-webui")]
    no_page: bool,

    /// Log every request; twice, everything
    #[arg(long, short, action = ArgAction::Count)]
    verbose: u8,

    /// How logs are written
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = LogFormat::Text)]
    log: LogFormat,

    /// Print the hash of an API key, for a file of keys, and end; the key is read from stdin
    #[arg(long)]
    hash_key: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum LogFormat {
    Text,
    Json,
}

const EXAMPLES: &str = "\
Examples:
  bessemer serve --open
  bessemer serve --model smollm2 --port 11434
  bessemer serve --model smollm2 --also ./other.gguf --only --parallel 8
  BESSEMER_API_KEY=secret bessemer serve --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem
  bessemer serve --hash-key < key.txt >> keys.txt && bessemer serve --api-key-file keys.txt

  curl http://localhost:8080/v1/chat/completions -d '{\"messages\": [{\"role\": \"user\", \"content\": \"Hi\"}]}'

The first model answers clients that name none. Others are loaded when they are asked for, by the names \
of /v1/models. Ctrl-C and SIGTERM let requests in progress end; a second one ends at once. \
BESSEMER_LOG filters logs, in the form of RUST_LOG.";

impl Serve {
    pub(crate) fn run(self, global: &Global, out: &mut dyn Write) -> Result<(), Fault> {
        if self.hash_key {
            let mut key = String::new();
            io::stdin().read_line(&mut key)?;
            let key = key.trim();
            if key.is_empty() {
                return Err(Fault::usage("--hash-key: there is no key on stdin"));
            }
            writeln!(out, "{}", hashed_key(key))?;
            return Ok(());
        }
        let shows = Shows::of(&io::stderr());
        log_to_stderr(LogOptions {
            json: self.log == LogFormat::Json,
            colours: shows.colours,
            level: self.verbose,
        });
        let shelf = Shelf::new(&self.load, &self.also, self.only, global)?;
        let memory = match self.memory {
            Some(gigabytes) => (gigabytes * 1e9) as u64,
            None => shelf.memory_limit() / 5 * 4,
        };
        let session = self.load.session_options();
        let models = ModelOptions {
            engine: EngineOptions {
                cache: session.cache,
                context: session.context,
                most_running: self.parallel,
                most_waiting: self.queue,
                prompt_rows: self.batch,
                ..EngineOptions::default()
            },
            memory,
            ..ModelOptions::default()
        };
        let options = Options {
            host: self.host,
            port: self.port,
            keys: self.safety.keys()?,
            tls: self.safety.tls(),
            cors: self.safety.cors.clone(),
            limits: self.limits.limits(),
            page: !self.no_page,
            drain: Duration::from_secs(self.limits.drain),
        };
        let cancel = Cancel::new();
        let _drains = interrupt::drains(&cancel);
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
        let runtime = runtime.context("serve: no threads")?;
        runtime.block_on(self.serve(Arc::new(shelf), options, models, &cancel))
    }

    async fn serve(
        &self,
        shelf: Arc<Shelf>,
        options: Options,
        models: ModelOptions,
        cancel: &Cancel,
    ) -> Result<(), Fault> {
        let asks = !options.keys.is_empty();
        let exposed = !options.host.is_loopback() && !asks;
        let first = shelf.first();
        let server = Server::bind(options, shelf, models).await.map_err(anyhow::Error::from)?;
        let url = server.url();
        if !self.lazy {
            tokio::select! {
                loaded = server.load(Some(&first)) => loaded.map_err(anyhow::Error::from)?,
                () = asked_to_end(cancel) => return Err(Fault::Interrupted),
            }
        }
        tell!("{BOLD}{first}{BOLD:#} is served at {BOLD}{url}{BOLD:#}");
        let page = if self.no_page { "" } else { "the chat page is there; " };
        tell!("{DIM}{page}the OpenAI API is at {url}/v1; stop with Ctrl-C{DIM:#}");
        if exposed {
            let remedy = "set BESSEMER_API_KEY, or use --api-key-file";
            tell!("anybody who can reach this machine can use it: {remedy}");
        }
        if self.open && !self.no_page {
            open_in_browser(&url);
        }
        let ended = server.run(asked_to_end(cancel)).await;
        Ok(ended.map_err(anyhow::Error::from)?)
    }
}

/// Ready once somebody has asked the server to end.
async fn asked_to_end(cancel: &Cancel) {
    while !cancel.is_cancelled() {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// The system's own way to open a page; without one, there is the address to read.
fn open_in_browser(url: &str) {
    let mut command = if cfg!(target_os = "macos") {
        Command::new("open")
    } else if cfg!(windows) {
        let mut command = Command::new("rundll32");
        command.arg("url.dll,FileProtocolHandler");
        command
    } else {
        Command::new("xdg-open")
    };
    let command = command.arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if command.spawn().is_err() {
        tell!("{DIM}no browser was found; open {url}{DIM:#}");
    }
}

fn host(text: &str) -> Result<IpAddr, String> {
    match text {
        "localhost" => Ok(IpAddr::from([127, 0, 0, 1])),
        text => text.parse().map_err(|_| "not an IP address or localhost".to_owned()),
    }
}

fn at_least_one(text: &str) -> Result<usize, String> {
    let number = whole(text).ok().filter(|&number| number > 0);
    number.ok_or_else(|| "not a whole number of at least 1".to_owned())
}

fn gigabytes(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite() && *number > 0.0);
    number.ok_or_else(|| "not a number above 0".to_owned())
}

/// An error of a file that a flag names.
fn cannot_read(flag: &str, path: &std::path::Path, error: io::Error) -> Fault {
    Fault::Failed(anyhow!("{flag}: cannot read {}: {error}", path.display()))
}
