//! Kernels as functions: what they return and call, their names, and where their attributes stand.

use super::super::Complaints;
use super::super::arguments::split;
use super::super::attributes;
use super::super::items::{Item, ItemKind};
use super::super::kernels::attributes_in;
use super::super::token::Kind;
use super::kernel::Kernel;
use super::{Look, is_member};
use std::collections::{HashMap, HashSet};

/// Attributes of functions that `[[…]]` elsewhere would apply to a type.
const OF_FUNCTIONS: &[&str] =
    &["max_total_threads_per_threadgroup", "required_threads_per_threadgroup", "host_name"];

pub(super) fn check(look: &Look<'_>, kernels: &[Kernel<'_>], complaints: &mut Complaints<'_>) {
    let source = look.source;
    let mut defined: HashMap<String, &Item> = HashMap::new();
    for kernel in kernels {
        let item = kernel.item;
        let name = item.name.as_str();
        if !kernel.head.clone().any(|i| source.is(i, "void")) {
            let what = format!("kernel '{name}' returns something: kernels return 'void'");
            complaints.rule(item.name_at, "kernel-returns-void", what);
        }
        if name == "main" {
            let what = "a kernel cannot be called 'main'";
            complaints.rule(item.name_at, "kernel-main", what);
        }
        let path = format!("{}{name}", item.path);
        if item.template.is_none() && defined.insert(path, item).is_some() {
            let what = format!("there is a kernel '{name}' already: kernels cannot be overloaded");
            complaints.rule(item.name_at, "kernel-overload", what);
        }
        attribute_places(look, kernel, complaints);
        for a in &kernel.attributes {
            let value = attributes::integer(source, a.args.clone());
            if a.name == "max_total_threads_per_threadgroup" && value.is_some_and(|v| v <= 0) {
                let what = format!("kernel '{name}': [[{}]] needs a positive number", a.name);
                complaints.rule(a.at, "max-threads-value", what);
            }
        }
    }
    host_names(look, kernels, complaints);
    calls(look, kernels, complaints);
    variadic(look, complaints);
}

/// Attributes of a function come first of all.
fn attribute_places(look: &Look<'_>, kernel: &Kernel<'_>, complaints: &mut Complaints<'_>) {
    let source = look.source;
    let ItemKind::Function { params, body: Some(body) } = &kernel.item.kind else {
        return;
    };
    // Past the leading attributes and specifiers, `[[…]]` belongs to the type.
    let mut first = kernel.head.start;
    while first < kernel.head.end {
        if source.is_attribute(first) {
            first = source.mate(first).unwrap_or(first) + 1;
        } else if source.is(first, "__attribute__") {
            first = source.mate(first + 1).unwrap_or(first) + 1;
        } else if matches!(source.text(first), "inline" | "static" | "extern" | "constexpr") {
            first += 1;
        } else {
            break;
        }
    }
    let late = attributes_in(source, first..kernel.head.end);
    let after = attributes_in(source, params.end..body.start);
    for a in late.iter().chain(&after).filter(|a| OF_FUNCTIONS.contains(&a.name.as_str())) {
        let what = format!(
            "kernel '{}': the attribute '{}' stands where it would apply to a type: it goes first, before 'kernel'",
            kernel.item.name, a.name
        );
        complaints.rule(a.at, "function-attribute-place", what);
    }
}

/// What the host calls kernels: strings, each used once.
fn host_names(look: &Look<'_>, kernels: &[Kernel<'_>], complaints: &mut Complaints<'_>) {
    let source = look.source;
    let plain = kernels
        .iter()
        .filter(|k| k.item.template.is_none())
        .map(|k| (k.item, k.attributes.clone()));
    let made = look
        .items
        .iter()
        .filter(|i| i.kind == ItemKind::Instantiation)
        .map(|i| (i, attributes_in(source, i.tokens.clone())));
    let mut seen: HashMap<String, usize> = HashMap::new();
    for (item, list) in plain.chain(made) {
        for a in list.iter().filter(|a| a.name == "host_name") {
            let string = a.args.clone().all(|i| source.tokens[i].kind == Kind::Str);
            if !string || a.args.is_empty() {
                let what = format!("'{}': [[host_name(…)]] takes a string literal", item.name);
                complaints.rule(a.at, "host-name-string", what);
                continue;
            }
            let name: String = a.args.clone().map(|i| source.text(i).trim_matches('"')).collect();
            let shown = format!("two kernels are called '{name}' by [[host_name]]");
            if seen.insert(name, a.at).is_some() {
                complaints.rule(a.at, "host-name-twice", shown);
            }
        }
    }
}

/// No function calls a kernel.
fn calls(look: &Look<'_>, kernels: &[Kernel<'_>], complaints: &mut Complaints<'_>) {
    let source = look.source;
    // By name and number of arguments: a kernel may be called `exp`, and call the library's.
    let mut names: HashMap<&str, usize> =
        kernels.iter().map(|k| (k.item.name.as_str(), k.params.len())).collect();
    // A name that something else has too may mean that.
    let starts: HashSet<usize> = kernels.iter().map(|k| k.item.tokens.start).collect();
    for item in look.items {
        let other = match &item.kind {
            ItemKind::Function { .. } => {
                !starts.contains(&item.tokens.start) && !is_declared_kernel(look, item)
            }
            ItemKind::Type | ItemKind::Other => true,
            ItemKind::Instantiation => false,
        };
        if other {
            names.remove(item.name.as_str());
        }
    }
    for item in look.items {
        let ItemKind::Function { body: Some(body), .. } = &item.kind else {
            continue;
        };
        for i in body.clone() {
            let called = source.is_ident(i)
                && source.is(i + 1, "(")
                && names.get(source.text(i)).is_some_and(|n| arguments(look, i + 1) == Some(*n))
                && !is_member(source, i)
                && !(i > 1 && source.is(i - 1, "::") && source.is(i - 2, "metal"))
                && !is_declaration(look, i);
            if called {
                let what = format!(
                    "'{}' calls the kernel '{}': a kernel cannot be called",
                    item.name,
                    source.text(i)
                );
                complaints.rule(i, "kernel-calls-kernel", what);
            }
        }
    }
}

/// How many arguments there are in the parentheses that open at `i`.
fn arguments(look: &Look<'_>, i: usize) -> Option<usize> {
    Some(split(look.source, i + 1..look.source.mate(i)?).len())
}

fn is_declared_kernel(look: &Look<'_>, item: &Item) -> bool {
    item.tokens.clone().any(|i| look.source.is(i, "kernel"))
}

/// `float sum(0);` declares a variable that hides the kernel's name.
fn is_declaration(look: &Look<'_>, i: usize) -> bool {
    let Some(before) = i.checked_sub(1) else {
        return false;
    };
    let words = ["return", "else", "do", "case"];
    look.source.is_ident(before) && !words.contains(&look.source.text(before))
        || look.source.is(before, ">")
}

/// `int f(int n, ...)`
fn variadic(look: &Look<'_>, complaints: &mut Complaints<'_>) {
    let source = look.source;
    for item in look.items {
        let ItemKind::Function { params, .. } = &item.kind else {
            continue;
        };
        let Some(first) = params.end.checked_sub(3).filter(|&f| f >= params.start) else {
            continue;
        };
        let dots = (first..params.end).all(|i| source.is(i, "."));
        if dots && (first == params.start || source.is(first - 1, ",")) {
            let what = format!("'{}' takes a variable number of arguments", item.name);
            complaints.rule(item.name_at, "kernel-varies", what);
        }
    }
}
