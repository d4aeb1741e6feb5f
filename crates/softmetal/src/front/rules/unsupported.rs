//! What MSL has and softmetal has not. It is refused by name, strict or not.

use super::super::Complaints;
use super::super::token::Source;

/// Words of such things, and what to say of them.
const WORDS: &[(&str, &str)] = &[
    ("acceleration_structure", "ray tracing is not supported by softmetal"),
    ("instance_acceleration_structure", "ray tracing is not supported by softmetal"),
    ("primitive_acceleration_structure", "ray tracing is not supported by softmetal"),
    ("intersector", "ray tracing is not supported by softmetal"),
    ("visible_function_table", "function tables are not supported by softmetal"),
    ("intersection_function_table", "function tables are not supported by softmetal"),
    ("imageblock", "imageblocks are not supported by softmetal"),
    ("tensor_handle", "'tensor' is not supported by softmetal"),
    ("tensor_inline", "'tensor' is not supported by softmetal"),
    ("simdgroup_async_copy", "simdgroup_async_copy is not supported by softmetal"),
];

pub(super) fn check(source: &Source, complaints: &mut Complaints<'_>) {
    for i in 0..source.tokens.len() {
        let text = source.text(i);
        if let Some((_, why)) = WORDS.iter().find(|(w, _)| *w == text) {
            // A member or a variable may carry some of these names.
            let named =
                i > 0 && matches!(source.text(i - 1), "." | "->" | "::" | "struct" | "class");
            if !named {
                complaints.at(i, *why);
            }
        } else if text == "tensor" && source.is(i + 1, "<") {
            complaints.at(i, "'tensor' is not supported by softmetal");
        }
    }
}
