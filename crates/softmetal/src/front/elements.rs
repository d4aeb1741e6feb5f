//! Whether a file could bind a reference or a pointer to an element of a vector. MSL forbids it,
//! and a pass of its own finds it; most files do nothing of the kind and are spared that pass.

use super::token::Source;

/// Functions of Metal's own that give a second result through a reference.
const OUT: &[&str] = &["frexp", "modf", "sincos"];

pub(crate) fn may_be_referred_to(source: &Source) -> bool {
    (0..source.tokens.len()).any(|i| {
        let declares = source.is(i, "&") && is_mutable_reference(source, i);
        declares || OUT.contains(&source.text(i)) || takes_address(source, i)
    })
}

/// `thread float &x`, but neither `constant P &p` nor `a & b`.
fn is_mutable_reference(source: &Source, at: usize) -> bool {
    let declaration =
        (0..at).rev().take_while(|&k| !matches!(source.text(k), "(" | "," | ";" | "{" | "}"));
    let mut in_space = false;
    for k in declaration {
        match source.text(k) {
            "const" | "constant" => return false,
            "thread" | "device" | "threadgroup" => in_space = true,
            _ => {}
        }
    }
    in_space
}

/// `&v.x` and the like, up to the end of the expression.
fn takes_address(source: &Source, at: usize) -> bool {
    let unary = at > 0 && matches!(source.text(at - 1), "(" | "," | "=" | "return" | "?" | ":");
    if !source.is(at, "&") || !unary {
        return false;
    }
    let mut k = at + 1;
    while k < source.tokens.len() {
        match source.text(k) {
            "," | ";" | ")" | "]" | "}" => return false,
            "(" | "[" | "{" => k = source.mate(k).unwrap_or(k),
            "." | "->" if is_element(source.text(k + 1)) => return true,
            _ => {}
        }
        k += 1;
    }
    false
}

fn is_element(name: &str) -> bool {
    matches!(name, "x" | "y" | "z" | "w" | "r" | "g" | "b" | "a")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> bool {
        may_be_referred_to(&Source::new(text.into()))
    }

    #[test]
    fn references_and_addresses_are_seen() {
        assert!(found("void f(thread float &x);"));
        assert!(found("void f() { g(&p[2].x); }"));
        assert!(found("void f() { device float *q = &p->y; }"));
        assert!(found("void f() { s = sincos(a, v.y); }"));
    }

    #[test]
    fn what_cannot_refer_to_an_element_is_left_alone() {
        assert!(!found("kernel void f(constant P &p [[buffer(0)]]) { uint x = a & b; }"));
        assert!(!found("void f(const thread float4 &v) { g(&p[v.x]); bool b = c && d.x; }"));
    }
}
