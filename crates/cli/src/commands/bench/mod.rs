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
mod share;
pub(crate) mod work;

use crate::{args::OnDevice, fault::Fault};
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
    Ops(OnDevice<ops::Ops>),
    Model(Box<OnDevice<model::ModelBench>>),
}

impl Bench {
    pub(crate) fn run(self, out: &mut dyn Write) -> Result<(), Fault> {
        match self.what {
            What::Ops(on) => on.command.run(&on.global, out),
            What::Model(on) => on.command.run(&on.global, out),
        }
    }
}
