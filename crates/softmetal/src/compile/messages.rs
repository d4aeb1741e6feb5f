//! Clang's messages, put back into MSL's terms and the user's lines.

use super::named::{self, Complaint};
use crate::diagnostic::{Diagnostic, Severity, original_column};
use crate::front::Lines;

/// Reads messages of the form `file:line:column: error: text` with the line shown below.
pub(super) fn read(text: &str, lines: &dyn Lines) -> Vec<Diagnostic> {
    let lines_of_text: Vec<&str> = text.lines().collect();
    let all: Vec<Heard<'_>> =
        (0..lines_of_text.len()).filter_map(|i| heard(&lines_of_text[i..])).collect();
    let mut out: Vec<Diagnostic> = Vec::new();
    for (i, h) in all.iter().enumerate() {
        let notes = || all[i + 1..].iter().take_while(|n| n.severity == Severity::Note);
        let Some(mut place) = h.place else {
            if h.severity == Severity::Error {
                out.push(bare(h.message));
            }
            continue;
        };
        if place.is_ours() {
            // Notes inside our own headers would only confuse; an error there is the user's, where
            // he asked for what failed.
            let asked = notes().filter_map(|n| n.place).find(|p| !p.is_ours());
            match asked.filter(|_| h.severity == Severity::Error) {
                Some(asked) => place = asked,
                None if h.severity == Severity::Note => continue,
                None => {}
            }
            if out.last().is_some_and(|d| d.file == place.file && d.line == place.line) {
                continue;
            }
        }
        let source_line = lines.line(place.file, place.line);
        let hidden = h.severity == Severity::Note
            && (source_line.is_none()
                || h.message.contains("in instantiation of")
                || h.message.contains("built-in candidate")
                || h.message.contains("expanded from macro") && out.is_empty());
        if hidden {
            continue;
        }
        let column = match (&source_line, place.shown) {
            (Some(original), Some(shown)) => {
                original_column(original, shown, place.column.saturating_sub(1))
            }
            _ => place.column,
        };
        let mut message = words(h.message);
        if h.severity == Severity::Error {
            let rest = source_line.as_deref().and_then(|l| l.get(column.saturating_sub(1)..));
            let notes: Vec<String> = notes().map(|n| words(n.message)).collect();
            explain(&mut message, rest.unwrap_or_default(), &notes.join("\n"));
        }
        out.push(Diagnostic {
            file: place.file.into(),
            line: place.line,
            column,
            severity: h.severity,
            message,
            source_line,
        });
    }
    if out.is_empty() {
        out.push(bare(text.trim()));
    }
    out
}

/// Those of clang's errors that have one of `words` in themselves or in their notes; `None` if there
/// are none.
pub(super) fn about(text: &str, words: &[&str]) -> Option<String> {
    let is_error = |line: &str| matches!(header(line), Some((_, Severity::Error, _)));
    let mut errors: Vec<String> = Vec::new();
    for line in text.lines() {
        if is_error(line) {
            errors.push(String::new());
        }
        if let Some(error) = errors.last_mut() {
            error.push_str(line);
            error.push('\n');
        }
    }
    errors.retain(|error| words.iter().any(|word| error.contains(word)));
    (!errors.is_empty()).then(|| errors.concat())
}

/// One of clang's messages, as it is written.
struct Heard<'a> {
    place: Option<Place<'a>>,
    severity: Severity,
    message: &'a str,
}

#[derive(Clone, Copy)]
struct Place<'a> {
    file: &'a str,
    line: usize,
    column: usize,
    /// The line, as clang has seen it.
    shown: Option<&'a str>,
}

impl Place<'_> {
    fn is_ours(&self) -> bool {
        self.file.contains("/stdlib-") && self.file.contains("/softmetal/")
    }
}

fn heard<'a>(lines: &[&'a str]) -> Option<Heard<'a>> {
    let (place, severity, message) = header(lines[0])?;
    let mut parts = place.rsplitn(3, ':');
    let column = parts.next().and_then(|c| c.parse::<usize>().ok());
    let line = parts.next().and_then(|l| l.parse::<usize>().ok());
    let shown = lines.get(1).and_then(|l| l.split_once(" | ")).map(|(_, shown)| shown);
    let place = match (parts.next(), line, column) {
        (Some(file), Some(line), Some(column)) => Some(Place { file, line, column, shown }),
        _ => None,
    };
    Some(Heard { place, severity, message })
}

/// Adds what only the notes tell, and the rule that was broken.
fn explain(message: &mut String, rest: &str, notes: &str) {
    if message.starts_with("no viable overloaded '")
        && let Some((_, why)) = notes.lines().find_map(|n| n.split_once("no known conversion"))
    {
        message.push_str(&format!(": no known conversion{why}"));
    }
    if notes.contains(named::PROPERTY) {
        message.push_str(": a reference cannot bind to a vector element");
    }
    if let Some(rule) = named::rule(&Complaint { message, rest, notes }) {
        message.push_str(&format!(" [{rule}]"));
    }
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
        ("property expression", "a vector element"),
    ] {
        out = out.replace(from, to);
    }
    let mut out = types(&out);
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

/// Our templates by the names that MSL has for them: `vec<float, 4>` is `float4`.
fn types(message: &str) -> String {
    let mut out = message.to_string();
    for (template, name) in [("packed_vec<", "packed_"), ("matrix<", ""), ("vec<", "")] {
        let mut from = 0;
        while let Some(at) = out[from..].find(template).map(|a| a + from) {
            let inner = at + template.len();
            let own = out[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
            let args: Option<Vec<&str>> =
                out[inner..].split_once('>').map(|(args, _)| args.split(", ").collect());
            let plain = args.filter(|a| {
                !own && a[0].chars().all(char::is_alphanumeric)
                    && a[1..].iter().all(|n| n.parse::<u32>().is_ok())
            });
            if let Some(args) = plain {
                let spelled = format!("{name}{}{}", args[0], args[1..].join("x"));
                let end = inner + args.join(", ").len() + 1;
                out.replace_range(at..end, &spelled);
            }
            from = inner.min(out.len());
        }
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
    fn errors_are_picked_by_their_notes_too() {
        let a = "a.metal:1:2: error: no\na.metal:9:9: note: in instantiation\n";
        let b = "a.metal:3:22: error: real\na.metal:4:1: note: cannot bind\n";
        assert_eq!(about(&format!("{a}{b}{a}"), &["odd", "cannot bind"]).as_deref(), Some(b));
        assert_eq!(about(a, &["cannot bind"]), None);
    }

    #[test]
    fn types_are_spelled_as_in_msl() {
        let text = "no conversion from 'vec<int, 4>' to 'matrix<half, 2, 3>', 'packed_vec<float, 3>' or 'my_vec<T, 2>'";
        let want = "no conversion from 'int4' to 'half2x3', 'packed_float3' or 'my_vec<T, 2>'";
        assert_eq!(types(text), want);
    }

    #[test]
    fn errors_in_our_headers_are_where_they_come_from() {
        let text = "/c/stdlib-1/softmetal/common.h:9:3: error: as_type needs types of the same size\na.metal:3:11: note: in instantiation of function template specialization\n    3 |   __sm_device float *p = q;\n";
        let d = &read(text, &One)[0];
        assert_eq!((d.file.as_str(), d.line), ("a.metal", 3), "{d}");
        assert!(d.message.ends_with("[as-type-size]"), "{}", d.message);
    }

    #[test]
    fn anything_is_at_least_one_message() {
        assert_eq!(read("something odd", &One).len(), 1);
    }
}
