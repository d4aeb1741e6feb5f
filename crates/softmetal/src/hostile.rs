//! For fuzzing: any text as preprocessed MSL, through all of the front end. Not part of the public API.

use crate::front::{self, ConstantValues, Lines, Mode, Settings, Source};

struct NoLines;

impl Lines for NoLines {
    fn line(&self, _: &str, _: usize) -> Option<String> {
        None
    }
}

/// Takes `text` apart, checks it by the rules of MSL and, if they hold, writes what clang would get.
pub fn front_end(text: &str) {
    for (version, lenient) in [(320, false), (200, true)] {
        let source = Source::new(text.to_owned());
        let Ok(unit) = front::translate(&source, &NoLines, Settings { version, lenient }) else {
            continue;
        };
        let all: Vec<usize> = (0..unit.entries.len()).collect();
        for mode in [Mode::Fast, Mode::Checked] {
            front::render(&unit, &all, &ConstantValues::new(), mode);
        }
    }
}
