//! How a command ends badly: one line on stderr and an exit code.

use bessemer::conformance::UnknownOp;
use std::{io, process::ExitCode};

/// Why a command did not do what it was asked.
#[derive(Debug)]
pub(crate) enum Fault {
    /// It was asked wrongly: exit code 2.
    Usage(anyhow::Error),
    /// It went wrong: exit code 1.
    Failed(anyhow::Error),
    /// What it looked at is not right, and it has said so: exit code 1.
    Told,
    /// Ctrl-C: the exit code shells expect.
    Interrupted,
}

impl Fault {
    /// A wrong way to ask.
    pub(crate) fn usage(why: impl Into<String>) -> Fault {
        Fault::Usage(anyhow::Error::msg(why.into()))
    }

    /// Says what is wrong, if that is still to be done.
    pub(crate) fn tell(self) -> ExitCode {
        let (error, code) = match self {
            Fault::Told => return ExitCode::FAILURE,
            Fault::Interrupted => return ExitCode::from(130),
            Fault::Usage(error) => (error, ExitCode::from(2)),
            Fault::Failed(error) if is_broken_pipe(&error) => return ExitCode::SUCCESS,
            Fault::Failed(error) => (error, ExitCode::FAILURE),
        };
        let style = crate::text::BAD;
        // The words of a cause go on the same line.
        anstream::eprintln!("{style}error:{style:#} {error:#}");
        code
    }
}

/// Whether whoever read the output has had enough (`bessemer … | head`): not worth a word.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let kinds = error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>());
    kinds.into_iter().any(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

impl From<anyhow::Error> for Fault {
    fn from(error: anyhow::Error) -> Fault {
        Fault::Failed(error)
    }
}

impl From<bessemer::Error> for Fault {
    fn from(error: bessemer::Error) -> Fault {
        Fault::Failed(error.into())
    }
}

impl From<bessemer_llm::Error> for Fault {
    fn from(error: bessemer_llm::Error) -> Fault {
        Fault::Failed(error.into())
    }
}

impl From<bessemer_store::Error> for Fault {
    fn from(error: bessemer_store::Error) -> Fault {
        match error {
            bessemer_store::Error::BadName { .. } => Fault::Usage(error.into()),
            error => Fault::Failed(error.into()),
        }
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Fault {
        Fault::Failed(error.into())
    }
}

impl From<serde_json::Error> for Fault {
    fn from(error: serde_json::Error) -> Fault {
        Fault::Failed(io::Error::from(error).into())
    }
}

impl From<UnknownOp> for Fault {
    fn from(error: UnknownOp) -> Fault {
        Fault::Usage(error.into())
    }
}
