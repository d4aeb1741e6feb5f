//! As much of a preprocessor as the kernels of this crate need: which lines are compiled, and what
//! names stand for.

use std::collections::HashMap;

/// The lines of a text that are compiled, and the names defined in it.
pub(super) struct Preprocessed<'t> {
    pub(super) text: String,
    pub(super) names: Names<'t>,
}

/// What names stand for.
#[derive(Clone, Default)]
pub(super) struct Names<'t>(HashMap<&'t str, &'t str>);

/// One `#if` that is not closed yet.
struct Condition {
    /// Whether its lines are compiled.
    active: bool,
    /// Whether some branch of it was.
    taken: bool,
    /// Whether it stands in lines that are compiled.
    inside: bool,
}

impl<'t> Preprocessed<'t> {
    pub(super) fn new(msl: &'t str) -> Result<Preprocessed<'t>, String> {
        let mut done =
            Preprocessed { text: String::with_capacity(msl.len()), names: Names::default() };
        let mut open: Vec<Condition> = Vec::new();
        let mut lines = msl.lines();
        while let Some(line) = lines.next() {
            let active = open.last().is_none_or(|condition| condition.active);
            let Some(directive) = line.trim_start().strip_prefix('#') else {
                if active {
                    done.text.push_str(line.split("//").next().unwrap_or(line));
                    done.text.push('\n');
                }
                continue;
            };
            done.directive(directive.trim(), &mut open)
                .map_err(|why| format!("`{}`: {why}", line.trim()))?;
            // The rest of a macro of several lines.
            let mut last = line;
            while last.ends_with('\\') {
                last = lines.next().unwrap_or_default();
            }
        }
        Ok(done)
    }

    fn directive(&mut self, directive: &'t str, open: &mut Vec<Condition>) -> Result<(), String> {
        let (word, rest) = directive.split_once(char::is_whitespace).unwrap_or((directive, ""));
        let rest = rest.split("//").next().unwrap_or(rest).trim();
        let inside = open.last().is_none_or(|condition| condition.active);
        let mut enter = |holds: bool| {
            open.push(Condition { active: inside && holds, taken: holds, inside });
        };
        match word {
            "ifdef" => enter(self.names.0.contains_key(rest)),
            "ifndef" => enter(!self.names.0.contains_key(rest)),
            "if" => enter(inside && self.names.value(rest)? != 0),
            "elif" | "else" => {
                let condition = open.last_mut().ok_or("there is no #if before it")?;
                let asked = condition.inside && !condition.taken;
                condition.active = asked && (word == "else" || self.names.value(rest)? != 0);
                condition.taken |= condition.active;
            }
            "endif" => {
                open.pop().ok_or("there is no #if before it")?;
            }
            "define" if inside => {
                let (name, text) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
                self.names.0.insert(name, text.trim());
            }
            "undef" => return Err("names are not taken back in kernels".into()),
            _ => {}
        }
        Ok(())
    }
}

impl<'t> Names<'t> {
    /// The same, and one more.
    pub(super) fn with(&self, name: &'t str, text: &'t str) -> Names<'t> {
        let mut names = self.clone();
        names.0.insert(name, text);
        names
    }

    /// The value of an expression of whole numbers, names, `defined(NAME)`, `+`, `*` and `>`.
    pub(super) fn value(&self, text: &str) -> Result<usize, String> {
        if let Some((left, right)) = text.split_once('>') {
            return Ok(usize::from(self.value(left)? > self.value(right)?));
        }
        if let Some((left, right)) = text.split_once('+') {
            return Ok(self.value(left)? + self.value(right)?);
        }
        if let Some((left, right)) = text.split_once('*') {
            return Ok(self.value(left)? * self.value(right)?);
        }
        let text = text.trim();
        if let Some(name) = text.strip_prefix("defined(").and_then(|rest| rest.strip_suffix(')')) {
            return Ok(usize::from(self.0.contains_key(name.trim())));
        }
        match self.0.get(text) {
            Some(meant) if *meant != text => self.value(meant),
            _ => text.parse().map_err(|_| format!("`{text}` is no number that the check knows")),
        }
    }
}
