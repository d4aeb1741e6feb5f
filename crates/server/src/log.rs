//! Logs: lines for people, or JSON for programs, on stderr.

use tracing_subscriber::{EnvFilter, fmt, layer::SubscriberExt, util::SubscriberInitExt};

/// How logs are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LogOptions {
    /// As JSON, a line for each event.
    pub json: bool,
    /// With colours.
    pub colours: bool,
    /// How much is told: 0 is only what is wrong, 1 also requests, 2 everything.
    pub level: u8,
}

/// Starts to log; `BESSEMER_LOG` says more exactly what, in the form of `RUST_LOG`. Does nothing where
/// somebody else logs already.
pub fn log_to_stderr(options: LogOptions) {
    let usual = match options.level {
        0 => "warn",
        1 => "info",
        _ => "debug,hyper=info,rustls=info",
    };
    let filter = EnvFilter::try_from_env("BESSEMER_LOG").unwrap_or_else(|_| EnvFilter::new(usual));
    let registry = tracing_subscriber::registry().with(filter);
    let lines = fmt::layer().with_writer(std::io::stderr).with_target(false);
    // An error here means that there is a logger already.
    let _ = match options.json {
        true => registry.with(lines.json().flatten_event(true)).try_init(),
        false => registry.with(lines.with_ansi(options.colours)).try_init(),
    };
}
