//! What a kernel can reach, by name and on the safe side: barriers and SIMD-group functions, and
//! the function constants that must have values.

use super::Constant;
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

    /// Whether anything named in `start`, or in what that names, is a meeting point.
    pub(crate) fn meets(&self, source: &Source, start: &[Range<usize>]) -> bool {
        let mut found = false;
        self.walk(source, start, &mut |i, _| {
            let name = source.text(i);
            // `x.simd_lane` is a member, not a call.
            let member = i > 0 && matches!(source.text(i - 1), "." | "->");
            let used = !member && matches!(source.text(i + 1), "(" | "<" | "8" | ">" | "," | "&");
            let matrix = name.starts_with("simdgroup_") && name.ends_with("8x8");
            if (used || matrix) && MEETING.iter().any(|m| name.starts_with(m)) {
                let own = self.declared.contains_key(name);
                found |=
                    !own || matches!(source.text(i + 1), "(" | "<") && name.starts_with("simd");
            }
            !found
        });
        found
    }

    /// Whether anything orders accesses by a fence or by an atomic of its own.
    pub(crate) fn fences(&self, source: &Source, start: &[Range<usize>]) -> bool {
        let mut found = false;
        self.walk(source, start, &mut |i, _| {
            let name = source.text(i);
            found |= name == "atomic_thread_fence"
                || name.starts_with("memory_order_") && name != "memory_order_relaxed";
            !found
        });
        found
    }

    /// The constants it uses without asking first whether they are defined.
    pub(crate) fn requires(
        &self,
        source: &Source,
        start: &[Range<usize>],
        constants: &[Constant],
    ) -> Vec<u32> {
        let mut out: Vec<u32> = Vec::new();
        self.walk(source, start, &mut |i, range| {
            let name = source.text(i);
            if let Some(c) = constants.iter().find(|c| c.name == name)
                && !out.contains(&c.id)
                && !(i > 0 && matches!(source.text(i - 1), "." | "->"))
                && !range.clone().any(|k| {
                    source.is(k, name) && (is_asked_for(source, k) || is_declared(source, k))
                })
            {
                out.push(c.id);
            }
            true
        });
        out
    }

    /// Visits every identifier of `start` and of what it names, until `visit` says no.
    pub(super) fn walk(
        &self,
        source: &Source,
        start: &[Range<usize>],
        visit: &mut dyn FnMut(usize, &Range<usize>) -> bool,
    ) {
        let mut seen: HashSet<&str> = HashSet::new();
        let mut waiting = start.to_vec();
        while let Some(range) = waiting.pop() {
            for i in range.clone().filter(|&i| source.is_ident(i)) {
                if !visit(i, &range) {
                    return;
                }
                if seen.insert(source.text(i))
                    && let Some(more) = self.declared.get(source.text(i))
                {
                    waiting.extend(more.iter().cloned());
                }
            }
        }
    }
}

/// `is_function_constant_defined(NAME)`
fn is_asked_for(source: &Source, name: usize) -> bool {
    name > 1 && source.is(name - 1, "(") && source.is(name - 2, "is_function_constant_defined")
}

/// Whether a name stands where a declaration has it: a constant's own, or one that hides it.
fn is_declared(source: &Source, name: usize) -> bool {
    let Some(before) = name.checked_sub(1) else {
        return false;
    };
    let words = ["return", "else", "case", "not", "and", "or", "do", "sizeof"];
    let after_type = source.is_ident(before) && !words.contains(&source.text(before));
    let pointer = matches!(source.text(before), "*" | "&" | ">")
        && (source.is(name + 1, "=") && !source.is(name + 2, "=") || source.is_attribute(name + 1));
    after_type || pointer
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
        Reach::new(&s, &all).meets(&s, std::slice::from_ref(body))
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

    #[test]
    fn constants_that_must_have_values() {
        let text = "constant int a [[function_constant(0)]]; constant int b [[function_constant(1)]];\n\
                    constant int c = is_function_constant_defined(b) ? b : 3; int g(int a) { return a; }\n\
                    void k() { return g(c); } void m() { if (a > 2) h(); }";
        let s = Source::new(text.into());
        let all = items(&s);
        let constants: Vec<Constant> = [(0, "a"), (1, "b")]
            .map(|(id, name)| Constant { id, name: name.into(), type_name: "int".into() })
            .into();
        let of = |name: &str| {
            let item = all.iter().find(|i| i.name == name).unwrap();
            Reach::new(&s, &all).requires(&s, std::slice::from_ref(&item.tokens), &constants)
        };
        assert_eq!((of("k"), of("m")), (vec![], vec![0]));
    }
}
