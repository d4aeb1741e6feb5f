//! The flags of a chore: taken one by one, and whatever is left over is an error.

use anyhow::{Context, Result, bail};

/// What stands after the name of the chore.
#[derive(Debug)]
pub(crate) struct Flags(Vec<String>);

impl Flags {
    /// All the arguments of a chore.
    pub(crate) fn new(args: impl IntoIterator<Item = String>) -> Flags {
        Flags(args.into_iter().collect())
    }

    /// Whether `name` is there; it is taken out.
    pub(crate) fn take(&mut self, name: &str) -> bool {
        let before = self.0.len();
        self.0.retain(|arg| arg != name);
        self.0.len() < before
    }

    /// What follows `name`, if it is there; both are taken out.
    pub(crate) fn value(&mut self, name: &str) -> Result<Option<String>> {
        let Some(at) = self.0.iter().position(|arg| arg == name) else {
            return Ok(None);
        };
        self.0.remove(at);
        let missing = || format!("{name} needs a value");
        (at < self.0.len()).then(|| self.0.remove(at)).with_context(missing).map(Some)
    }

    /// What is left, which must be names and not flags.
    pub(crate) fn rest(self) -> Result<Vec<String>> {
        match self.0.iter().find(|arg| arg.starts_with('-')) {
            None => Ok(self.0),
            Some(stray) => bail!("unknown flag `{stray}`; `cargo xtask help` lists them"),
        }
    }

    /// Refuses what nobody took.
    pub(crate) fn finish(self) -> Result<()> {
        match self.0.first() {
            None => Ok(()),
            Some(stray) => bail!("unknown flag `{stray}`; `cargo xtask help` lists them"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flags(text: &str) -> Flags {
        Flags::new(text.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn flags_and_values_are_taken_out() {
        let mut flags = flags("--only add --quick --rounds 3");
        assert!(flags.take("--quick"));
        assert!(!flags.take("--quick"));
        assert_eq!(flags.value("--rounds").unwrap().as_deref(), Some("3"));
        assert_eq!(flags.value("--only").unwrap().as_deref(), Some("add"));
        assert_eq!(flags.value("--only").unwrap(), None);
        flags.finish().unwrap();
    }

    #[test]
    fn strays_and_missing_values_are_refused() {
        assert!(flags("--quikc").finish().is_err());
        assert!(flags("gguf --quikc").rest().is_err());
        assert_eq!(flags("gguf npy").rest().unwrap(), ["gguf", "npy"]);
        assert!(flags("--rounds").value("--rounds").is_err());
    }
}
