//! A chore as a list of steps: named, timed, and stopped at the first that fails.

use anyhow::{Context, Result};
use std::{
    fmt,
    time::{Duration, Instant},
};

/// The steps done so far.
#[derive(Debug, Default)]
pub(crate) struct Steps(Vec<(String, Duration)>);

impl Steps {
    /// Runs a step; if it fails, the error says which one it was.
    pub(crate) fn run<T>(&mut self, name: &str, step: impl FnOnce() -> Result<T>) -> Result<T> {
        eprintln!("\n== {name}");
        let start = Instant::now();
        let result = step().with_context(|| format!("step `{name}` failed"))?;
        let took = start.elapsed();
        eprintln!("== {name}: done in {}", seconds(took));
        self.0.push((name.to_owned(), took));
        Ok(result)
    }
}

impl fmt::Display for Steps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, took) in &self.0 {
            writeln!(f, "{:>9}  {name}", seconds(*took))?;
        }
        let all = self.0.iter().map(|(_, took)| *took).sum();
        write!(f, "{:>9}  in all", seconds(all))
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::bail;

    #[test]
    fn a_failing_step_is_named_and_not_listed() {
        let mut steps = Steps::default();
        steps.run("first", || Ok(())).unwrap();
        let error = steps.run("second", || -> Result<()> { bail!("no") }).unwrap_err();
        assert_eq!(format!("{error:#}"), "step `second` failed: no");
        let list = steps.to_string();
        assert!(list.contains("first") && !list.contains("second"), "{list}");
    }
}
