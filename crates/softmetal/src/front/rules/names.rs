//! Names that a program may not give.

use super::super::Complaints;
use super::Look;
use super::types::is_builtin;

/// Words of the language that look like names.
const KEYWORDS: &[&str] = &[
    "device",
    "constant",
    "thread",
    "threadgroup",
    "threadgroup_imageblock",
    "kernel",
    "vertex",
    "fragment",
    "half",
];

pub(super) fn check(look: &Look<'_>, complaints: &mut Complaints<'_>) {
    let source = look.source;
    for i in 1..source.tokens.len() {
        let text = source.text(i);
        let declared = KEYWORDS.contains(&text)
            && is_builtin(source.text(i - 1))
            && matches!(source.text(i + 1), "=" | ";" | "," | ")" | "[" | "{")
            && !source.is_attribute(i + 1)
            // `(float thread)`-like ends of types do not name anything.
            && !(source.is(i + 1, ")") && i > 1 && source.is(i - 2, "("));
        if matches!(text, "packed_bool2" | "packed_bool3" | "packed_bool4") {
            let what = format!("'{text}' is a reserved name, not a type");
            complaints.rule(i, "packed-bool", what);
        }
        let order = text.strip_prefix("memory_order_");
        if matches!(order, Some("acquire" | "release" | "acq_rel" | "consume")) {
            let what = format!("there is no '{text}': atomics are 'memory_order_relaxed'");
            complaints.rule(i, "atomic-order", what);
        }
        if declared {
            let what = format!("'{text}' is a word of the language and cannot be a name");
            complaints.rule(i, "keyword-as-name", what);
        }
    }
}
