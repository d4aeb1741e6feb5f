//! `bessemer bench`: how near ops and models come to what the machine can do.

mod gpu_limits;
mod limits;
pub(crate) mod measure;
mod model;
mod operands;
mod ops;
mod peaks;
mod plot;
pub(crate) mod products;
pub(crate) mod work;

use crate::{args::Global, fault::Fault};
use clap::{Args, Subcommand};
use std::io::Write;

/// Measure the speed of ops and models on this machine
#[derive(Debug, Args)]
pub(crate) struct Bench {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Ops(ops::Ops),
    Model(Box<model::ModelBench>),
}

impl Bench {
    pub(crate) fn run(self, global: &Global, out: &mut dyn Write) -> Result<(), Fault> {
        match self.what {
            What::Ops(command) => command.run(global, out),
            What::Model(command) => command.run(global, out),
        }
    }
}
