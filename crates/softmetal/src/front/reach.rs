//! Which kernels can reach a barrier or a SIMD-group function: by name, and on the safe side.

use super::items::{Item, ItemKind};
use super::token::Source;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Prefixes of the library's names at which threads meet, or that need to know their lane.
const MEETING: &[&str] = &[
    "threadgroup_barrier",
    "simdgroup_",
    "simd_",
    "quad_",
    "__metal_simd_",
    "__metal_get_",
    "__metal_quad_",
];

/// The declarations of a file by the names they declare.
pub(crate) struct Reach {
    declared: HashMap<String, Vec<Range<usize>>>,
}

impl Reach {
    pub(crate) fn new(source: &Source, items: &[Item]) -> Reach {
        let mut declared: HashMap<String, Vec<Range<usize>>> = HashMap::new();
        for item in items {
            if item.kind == ItemKind::Instantiation {
                continue;
            }
            // A method is reached through its class, but a definition outside it is not inside it.
            declared.entry(item.name.clone()).or_default().push(item.tokens.clone());
            if let Some(owner) = item.name_at.checked_sub(2)
                && source.is(item.name_at.saturating_sub(1), "::")
            {
                declared
                    .entry(source.text(owner).to_string())
                    .or_default()
                    .push(item.tokens.clone());
            }
        }
        Reach { declared }
    }

    /// Whether anything named in `body`, or in what that names, is a meeting point.
    pub(crate) fn meets(&self, source: &Source, body: Range<usize>) -> bool {
        let mut seen: HashSet<&str> = HashSet::new();
        let mut waiting = vec![body];
        while let Some(range) = waiting.pop() {
            for i in range {
                if !source.is_ident(i) {
                    continue;
                }
                let name = source.text(i);
                // `x.simd_lane` is a member, not a call.
                let member = i > 0 && matches!(source.text(i - 1), "." | "->");
                let used =
                    !member && matches!(source.text(i + 1), "(" | "<" | "8" | ">" | "," | "&");
                let matrix = name.starts_with("simdgroup_") && name.ends_with("8x8");
                if (used || matrix) && MEETING.iter().any(|m| name.starts_with(m)) {
                    let own = self.declared.contains_key(name);
                    if !own || matches!(source.text(i + 1), "(" | "<") && name.starts_with("simd") {
                        return true;
                    }
                }
                if seen.insert(name)
                    && let Some(more) = self.declared.get(name)
                {
                    waiting.extend(more.iter().cloned());
                }
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::super::items::items;
    use super::*;

    fn meets(text: &str) -> bool {
        let s = Source::new(text.into());
        let all = items(&s);
        let k = all.iter().find(|i| i.name == "k").unwrap();
        let ItemKind::Function { body: Some(body), .. } = &k.kind else { panic!("no body") };
        Reach::new(&s, &all).meets(&s, body.clone())
    }

    #[test]
    fn through_functions_classes_and_aliases() {
        assert!(meets("void k() { threadgroup_barrier(x); }"));
        assert!(meets("void g() { float y = simd_sum(x); } void k() { g(); }"));
        assert!(meets(
            "struct M { void run() { simdgroup_barrier(f); } }; using A = M; void k() { A a; a.run(); }"
        ));
        assert!(meets("void k() { simdgroup_float8x8 m; }"));
        assert!(!meets(
            "void g() { float y = simd_sum(x); } void k() { h(); int simd_lane = 3; q.simd_x = simd_lane; }"
        ));
    }
}
