//! How a command ends badly: one line on stderr and an exit code; for programs, JSON too.

use crate::terminal::{self, BAD, tell};
use bessemer::conformance::UnknownOp;
use bessemer_store::Store;
use serde_json::json;
use std::{
    env,
    io::{self, Write},
    process::ExitCode,
};

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

    /// Whether it was a model that could not do it, and not the terminal or a file.
    pub(crate) fn is_of_model(&self) -> bool {
        matches!(self, Fault::Failed(error) if error.is::<bessemer_llm::Error>())
    }

    /// Says what is wrong, if that is still to be done, and gives the exit code.
    pub(crate) fn end(self) -> ExitCode {
        let code = match &self {
            Fault::Failed(error) if is_broken_pipe(error) => return ExitCode::SUCCESS,
            Fault::Interrupted => ExitCode::from(130),
            Fault::Usage(_) => ExitCode::from(2),
            Fault::Told | Fault::Failed(_) => ExitCode::FAILURE,
        };
        if let Some(said) = self.tell() {
            tell_programs(&said);
        }
        code
    }

    /// Says what is wrong, if that is still to be done, and gives the words.
    pub(crate) fn tell(self) -> Option<String> {
        let (Fault::Usage(error) | Fault::Failed(error)) = self else {
            return None;
        };
        let said = words(&error);
        tell!("{BAD}error:{BAD:#} {said}");
        Some(said)
    }
}

/// An error on stdout, for whoever asked for JSON and reads that.
pub(crate) fn tell_programs(said: &str) {
    let before_dashes = env::args_os().skip(1).take_while(|argument| argument != "--");
    if before_dashes.into_iter().any(|argument| argument == "--json") {
        // If nobody reads it, the exit code still says it.
        let _ = writeln!(terminal::stdout(), "{}", json!({ "error": said }));
    }
}

/// An error with its causes on one line, each said once.
fn words(error: &anyhow::Error) -> String {
    let mut said = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !said.contains(&cause) {
            said = format!("{said}: {cause}");
        }
    }
    said
}

/// The error of a damaged model that was pulled, with the command that pulls it again.
pub(crate) fn remedied(error: bessemer_llm::Error) -> bessemer_llm::Error {
    error.with_remedy(|path| Store::of_user().ok()?.remedy(path))
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

impl From<bessemer::core::Error> for Fault {
    fn from(error: bessemer::core::Error) -> Fault {
        Fault::Failed(error.into())
    }
}

impl From<bessemer::Error> for Fault {
    fn from(error: bessemer::Error) -> Fault {
        match error {
            bessemer::Error::Store(error) => error.into(),
            bessemer::Error::Model(error) => error.into(),
            error => Fault::Failed(error.into()),
        }
    }
}

impl From<bessemer_llm::Error> for Fault {
    fn from(error: bessemer_llm::Error) -> Fault {
        Fault::Failed(remedied(error).into())
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
        // There are too many for one line.
        let UnknownOp { name, mut known } = error;
        known.sort_by(|a, b| {
            strsim::jaro_winkler(&name, b).total_cmp(&strsim::jaro_winkler(&name, a))
        });
        known.truncate(5);
        Fault::usage(format!("--op {name}: unknown op; similar ones are {}", known.join(" ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context;

    #[test]
    fn causes_are_said_once() {
        let system = || io::Error::from_raw_os_error(2);
        let error = Err::<(), _>(system()).context("cannot read x").unwrap_err();
        assert_eq!(words(&error), format!("cannot read x: {}", system()));
        let path = std::path::Path::new("/nowhere/x.gguf");
        let system = || std::fs::File::open(path).unwrap_err();
        let error = bessemer_llm::files::ModelFile::open(path).err().unwrap().into();
        assert_eq!(words(&error).matches(&system().to_string()).count(), 1, "{}", words(&error));
    }
}
