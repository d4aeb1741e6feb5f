//! Flags of limits on clients.

use bessemer_server::Limits;
use clap::Args;
use std::time::Duration;

// What clients may send, and how slowly.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Limits")]
pub(super) struct LimitArgs {
    /// The largest body of a request, in MB
    #[arg(long, value_name = "MB", default_value_t = 16)]
    max_body: usize,

    /// The most connections at once
    #[arg(long, value_name = "N", default_value_t = 4096)]
    max_connections: usize,

    /// Seconds that a client may take to send a request, or take nothing of its answer
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    timeout: u64,

    /// Seconds that requests in progress have when the server is told to end
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    pub(super) drain: u64,
}

impl LimitArgs {
    pub(super) fn limits(self) -> Limits {
        let time = Duration::from_secs(self.timeout.max(1));
        Limits {
            body_bytes: self.max_body.saturating_mul(1 << 20),
            connections: self.max_connections.clamp(1, 1 << 20),
            body_time: time,
            header_time: time,
            write_time: 2 * time,
            ..Limits::default()
        }
    }
}
