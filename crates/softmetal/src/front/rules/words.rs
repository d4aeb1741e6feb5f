//! Words of C++ that MSL has not, and types that it has not.

use super::super::Complaints;
use super::{Look, is_member};

/// A word, the rule, and what to say.
const WORDS: &[(&str, &str, &str)] = &[
    ("double", "type-double", "'double' is not supported in Metal"),
    ("__int128", "type-int128", "'__int128' is not supported in Metal"),
    ("__int128_t", "type-int128", "'__int128_t' is not supported in Metal"),
    ("__uint128_t", "type-int128", "'__uint128_t' is not supported in Metal"),
    ("virtual", "virtual", "virtual functions are not supported in Metal"),
    ("dynamic_cast", "dynamic-cast", "dynamic_cast is not supported in Metal"),
    ("typeid", "typeid", "typeid is not supported in Metal"),
    ("throw", "exceptions", "exceptions are not supported in Metal"),
    ("try", "exceptions", "exceptions are not supported in Metal"),
    ("thread_local", "thread-local", "thread_local is not supported in Metal"),
    ("register", "register", "register is not supported in Metal"),
    ("goto", "goto", "goto is not supported in Metal"),
    ("new", "new", "new is not supported in Metal"),
    ("delete", "delete", "delete is not supported in Metal"),
];

pub(super) fn check(look: &Look<'_>, complaints: &mut Complaints<'_>) {
    let source = look.source;
    let mut i = 0;
    while i < source.tokens.len() {
        let text = source.text(i);
        let before = i.checked_sub(1).map_or("", |b| source.text(b));
        if text == "long" && matches!(source.text(i + 1), "long" | "double") {
            let (rule, kind) = match source.text(i + 1) {
                "long" => ("type-long-long", "long long"),
                _ => ("type-long-double", "long double"),
            };
            complaints.rule(i, rule, format!("'{kind}' is not supported in Metal"));
            i += 1;
        } else if let Some((_, rule, why)) = WORDS.iter().find(|(w, ..)| *w == text) {
            // `= delete` and the names of operators are declarations.
            let declared = before == "operator" || text == "delete" && before == "=";
            if !declared && !is_member(source, i) {
                complaints.rule(i, rule, *why);
            }
        } else if text == "requires" && before == ">"
            || text == "concept" && source.is(i + 2, "=") && before == ">"
        {
            complaints.rule(i, "concepts", format!("'{text}': there are no concepts in Metal"));
        }
        i += 1;
    }
    if look.version < 400 {
        for item in look.items {
            let header = item.template.clone().unwrap_or(0..0);
            for i in header.filter(|&i| source.is(i, "auto")) {
                let what = "a template parameter of type 'auto' is there since Metal 4 (C++17)";
                complaints.rule(i, "template-auto", what);
            }
        }
    }
}
