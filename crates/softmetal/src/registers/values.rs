//! What of a kernel takes registers, in halves of 32 bits.
//!
//! * Nothing, what depends only on the arguments of the kernel: GPUs compute it once, ahead of all
//!   threads, and keep it elsewhere. Neither do addresses in a private array, which is in memory if
//!   it is still there after optimisation.
//! * Nothing, what an instruction takes in passing: a wider integer, a constant distance.
//! * An address at a distance from an argument: the distance, 32 bits.
//! * All else as long as it is, and at least 16 bits.

use super::ir::{Function, Instruction};

/// What is known of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// The same in all threads of a dispatch.
    Argument,
    /// The address of where a thread stands in its grid.
    Place,
    /// The address of a private variable.
    Stack,
    /// Another value, in other clothes.
    Alias(usize),
    /// In so many halves of a register.
    Held(u32),
}

/// Looks at every value of a kernel.
pub(super) fn classes(f: &Function<'_>) -> Vec<Class> {
    let mut all = vec![Class::Held(0); f.values];
    for (parameter, class) in [Class::Argument, Class::Place].into_iter().enumerate() {
        if parameter < f.parameters {
            all[parameter] = class;
        }
    }
    for one in f.blocks.iter().flat_map(|b| &b.instructions) {
        if let Some(result) = one.result {
            all[result] = class(one, &all);
        }
    }
    all
}

/// What a value stands for, behind all its clothes.
pub(super) fn origin(all: &[Class], mut value: usize) -> usize {
    while let Class::Alias(other) = all[value] {
        value = other;
    }
    value
}

fn class(one: &Instruction<'_>, all: &[Class]) -> Class {
    let of = |v: usize| all[origin(all, v)];
    let held = || Class::Held(halves(result_type(one)));
    let uniform = one.uses.iter().all(|&v| of(v) == Class::Argument);
    match (one.opcode, one.uses.as_slice()) {
        ("phi" | "atomicrmw" | "cmpxchg", _) => held(),
        ("alloca", _) => Class::Stack,
        // Where a thread's own state is.
        ("call" | "tail", []) if one.rest.contains("@llvm.frameaddress") => Class::Argument,
        ("call" | "tail", _) if !one.rest.contains("@llvm.") => held(),
        ("load", &[address]) => match of(address) {
            Class::Argument => Class::Argument,
            _ => held(),
        },
        _ if uniform => Class::Argument,
        ("getelementptr", &[base]) => match of(base) {
            Class::Held(_) => Class::Alias(origin(all, base)),
            other => other,
        },
        ("getelementptr", &[base, ..]) => match of(base) {
            Class::Held(_) => Class::Held(4),
            _ => Class::Held(2),
        },
        (
            "zext" | "sext" | "bitcast" | "inttoptr" | "ptrtoint" | "freeze" | "addrspacecast",
            &[v],
        ) => {
            match of(v) {
                // A truth that becomes a number is one then.
                Class::Held(1) => held(),
                Class::Held(_) => Class::Alias(origin(all, v)),
                other => other,
            }
        }
        _ => held(),
    }
}

/// The text of the type that an instruction makes, as far as it can be told.
fn result_type<'a>(one: &Instruction<'a>) -> &'a str {
    let rest = one.rest;
    match one.opcode {
        "icmp" | "fcmp" => match first_type(rest) {
            // As many truths as there are elements.
            vector if vector.starts_with('<') => vector,
            _ => "i1",
        },
        "zext" | "sext" | "trunc" | "fptrunc" | "fpext" | "fptosi" | "fptoui" | "sitofp"
        | "uitofp" | "bitcast" | "inttoptr" | "ptrtoint" | "addrspacecast" => {
            rest.rsplit_once(" to ").map_or("", |(_, to)| to.trim())
        }
        "select" => rest.split_once(", ").map_or("", |(_, chosen)| first_type(chosen)),
        "getelementptr" => "ptr",
        "extractelement" => element(first_type(rest)),
        "shufflevector" => rest.rsplit_once(", <").map_or("", |_| first_type(rest)),
        "atomicrmw" | "cmpxchg" | "extractvalue" => "i32",
        _ => first_type(rest),
    }
}

/// The first type that a text names.
fn first_type(text: &str) -> &str {
    let mut at = 0;
    for word in text.split(' ') {
        if word.starts_with(['<', '[', '{']) {
            let close = match word.as_bytes()[0] {
                b'<' => '>',
                b'[' => ']',
                _ => '}',
            };
            let whole = &text[at..];
            return whole.find(close).map_or(whole, |end| &whole[..=end]);
        }
        let bare = word.trim_end_matches([',', '*']);
        if scalar(bare).is_some() {
            return bare;
        }
        at += word.len() + 1;
    }
    ""
}

/// `float` of `<4 x float>`.
fn element(vector: &str) -> &str {
    let inner = vector.trim_matches(['<', '>', '[', ']']);
    inner.split_once(" x ").map_or(inner, |(_, element)| element)
}

fn scalar(name: &str) -> Option<u32> {
    match name {
        "half" | "bfloat" => Some(1),
        "float" => Some(2),
        "double" | "ptr" => Some(4),
        _ => {
            let bits: u32 = name.strip_prefix('i')?.parse().ok()?;
            Some(bits.div_ceil(16).max(1))
        }
    }
}

/// The halves of registers that a value of a type takes.
fn halves(name: &str) -> u32 {
    if name.starts_with(['<', '[']) {
        let inner = name.trim_start_matches(['<', '[']);
        let count = inner.split(' ').next().and_then(|n| n.parse().ok()).unwrap_or(1u32);
        return count * halves(element(name)).max(1);
    }
    if let Some(fields) = name.strip_prefix('{') {
        return fields.trim_end_matches('}').split(',').map(|f| halves(f.trim())).sum();
    }
    scalar(name).unwrap_or(0)
}
