//! Clang's messages, put back into MSL's terms and the user's lines.

use crate::diagnostic::{Diagnostic, Severity, original_column};
use crate::front::Lines;

/// Reads messages of the form `file:line:column: error: text` with the line shown below.
pub(super) fn read(text: &str, lines: &dyn Lines) -> Vec<Diagnostic> {
    let all: Vec<&str> = text.lines().collect();
    let mut out: Vec<Diagnostic> = Vec::new();
    for (i, line) in all.iter().enumerate() {
        let Some((place, severity, message)) = header(line) else {
            continue;
        };
        let mut parts = place.rsplitn(3, ':');
        let column = parts.next().and_then(|c| c.parse::<usize>().ok());
        let number = parts.next().and_then(|l| l.parse::<usize>().ok());
        let file = parts.next();
        let (Some(column), Some(number), Some(file)) = (column, number, file) else {
            if severity == Severity::Error {
                out.push(bare(message));
            }
            continue;
        };
        let source_line = lines.line(file, number);
        // Notes inside our own headers would only confuse.
        let ours = file.contains("/stdlib-") && file.contains("/softmetal/");
        if (source_line.is_none() || ours) && severity == Severity::Note {
            continue;
        }
        let shown = all.get(i + 1).and_then(|l| l.split_once(" | ")).map(|(_, shown)| shown);
        let column = match (&source_line, shown) {
            (Some(original), Some(shown)) => {
                original_column(original, shown, column.saturating_sub(1))
            }
            _ => column,
        };
        if message.contains("in instantiation of")
            || message.contains("expanded from macro") && out.is_empty()
        {
            continue;
        }
        out.push(Diagnostic {
            file: file.into(),
            line: number,
            column,
            severity,
            message: words(message),
            source_line,
        });
    }
    if out.is_empty() {
        out.push(bare(text.trim()));
    }
    out
}

/// What is left of clang's errors without those that mention `word`, each with its notes; `None`
/// if nothing is.
pub(super) fn without(text: &str, word: &str) -> Option<String> {
    let is_error = |line: &str| matches!(header(line), Some((_, Severity::Error, _)));
    let mut kept = String::new();
    let mut keep = false;
    for line in text.lines() {
        if is_error(line) {
            keep = !line.contains(word) && !line.contains("too many errors emitted");
        }
        if keep {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    (!kept.is_empty()).then_some(kept)
}

/// Messages when the user's source is not at hand.
pub(super) fn plain(text: String) -> Vec<Diagnostic> {
    struct None;
    impl Lines for None {
        fn line(&self, _: &str, _: usize) -> Option<String> {
            Option::None
        }
    }
    read(&text, &None)
}

fn bare(message: &str) -> Diagnostic {
    Diagnostic {
        file: "softmetal".into(),
        line: 0,
        column: 0,
        severity: Severity::Error,
        message: words(message),
        source_line: None,
    }
}

fn header(line: &str) -> Option<(&str, Severity, &str)> {
    for (mark, severity) in [
        (": fatal error: ", Severity::Error),
        (": error: ", Severity::Error),
        (": note: ", Severity::Note),
    ] {
        if let Some((place, message)) = line.split_once(mark) {
            return (!place.contains(' ') || place.contains(".metal"))
                .then_some((place, severity, message));
        }
    }
    None
}

/// Headers of things that softmetal has not.
const REFUSED: &[(&str, &str)] = &[
    ("'metal_raytracing'", "ray tracing is not supported by softmetal"),
    ("'metal_tensor'", "'tensor' is not supported by softmetal"),
    ("'MetalPerformancePrimitives", "'tensor' is not supported by softmetal"),
    ("'metal_mesh'", "mesh functions are not supported by softmetal"),
    ("'metal_imageblocks'", "imageblocks are not supported by softmetal"),
    ("'metal_interpolate'", "fragment functions are not supported by softmetal"),
];

/// OpenCL's words for MSL's.
fn words(message: &str) -> String {
    if message.contains("file not found")
        && let Some((_, why)) = REFUSED.iter().find(|(header, _)| message.contains(header))
    {
        return format!("{why} ({message})");
    }
    let mut out = message.to_string();
    for (from, to) in [
        ("const __global_host ", "constant "),
        ("__global_host ", "constant "),
        ("__global_device ", "device "),
        ("const __global ", "constant "),
        ("__global ", "device "),
        ("__local ", "threadgroup "),
        ("__private ", "thread "),
        ("*__private", "*"),
        ("&__private", "&"),
        ("__generic ", ""),
        ("__sm_name_", ""),
        ("__sm_atomic_", "atomic_"),
        ("__sm_", ""),
        ("metal::", ""),
        ("OpenCL", "Metal"),
    ] {
        out = out.replace(from, to);
    }
    if out.contains("changes address space")
        || (out.contains("cannot initialize")
            && out.matches("device").count()
                + out.matches("constant").count()
                + out.matches("threadgroup").count()
                >= 2)
    {
        out.push_str(" (address spaces differ)");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    struct One;
    impl Lines for One {
        fn line(&self, file: &str, line: usize) -> Option<String> {
            (file == "a.metal" && line == 3).then(|| "  device  float *p = q;".to_string())
        }
    }

    #[test]
    fn places_and_words_are_the_users() {
        let text = "a.metal:3:22: error: cannot initialize a variable of type '__global_device float *__private' with an lvalue of type '__local float *__private'\n    3 |   __sm_device float *p = q;\n      |                      ^\n";
        let d = &read(text, &One)[0];
        assert_eq!((d.line, d.column), (3, 18), "{d}");
        assert!(
            d.message.contains("'device float *' with an lvalue of type 'threadgroup float *'"),
            "{}",
            d.message
        );
    }

    #[test]
    fn errors_are_dropped_with_their_notes() {
        let a = "a.metal:1:2: error: no <pseudo> here\na.metal:9:9: note: in instantiation\n";
        let b = "a.metal:3:22: error: real\na.metal:4:1: note: of it\n";
        assert_eq!(without(&format!("{a}{b}"), "<pseudo>").as_deref(), Some(b));
        assert_eq!(without(a, "<pseudo>"), None);
    }

    #[test]
    fn anything_is_at_least_one_message() {
        assert_eq!(read("something odd", &One).len(), 1);
    }
}
