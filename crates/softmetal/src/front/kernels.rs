//! Kernels: what is written of them, and the instantiations of template kernels. Their arguments are
//! read in `arguments`.

use super::arguments::{arguments, split};
use super::attributes::{self, Attribute};
use super::items::{Item, ItemKind};
use super::reach::Reach;
use super::rewrite::{Edits, spelled};
use super::token::{Kind, Source};
use super::variables::Variables;
use super::{Arg, Complaints, Entry, NotRun};
use std::ops::Range;

/// A kernel function as it is written.
pub(crate) struct Kernel {
    pub(crate) item: usize,
    pub(crate) args: Vec<Arg>,
    /// What it takes that there is not here.
    missing: Option<&'static str>,
    host_name: Option<String>,
    max_threads: Option<u32>,
}

/// The attributes written before a declaration or a name, within `tokens`.
pub(super) fn attributes_in(source: &Source, tokens: Range<usize>) -> Vec<Attribute> {
    let mut out = Vec::new();
    let mut k = tokens.start;
    while k < tokens.end {
        if source.is_attribute(k) {
            let (list, after) = attributes::read(source, k);
            out.extend(list);
            k = after;
        } else {
            k += 1;
        }
    }
    out
}

/// `"a" "b"` as one string.
fn string(source: &Source, tokens: Range<usize>) -> Option<String> {
    let mut out = String::new();
    for i in tokens {
        let t = source.text(i);
        out.push_str(t.strip_prefix('"')?.strip_suffix('"')?);
    }
    Some(out)
}

/// Finds every kernel and reads its arguments.
pub(crate) fn kernels(
    source: &Source,
    items: &[Item],
    complaints: &mut Complaints<'_>,
) -> Vec<Kernel> {
    let mut out = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let ItemKind::Function { params, body } = &item.kind else {
            continue;
        };
        let head = item.start..params.start.saturating_sub(1);
        let attributes = attributes_in(source, head.clone());
        let keyword = head.clone().any(|i| source.is(i, "kernel") && i != item.name_at);
        if !keyword && !attributes.iter().any(|a| a.name == "kernel") {
            continue;
        }
        if body.is_none() {
            continue;
        }
        if source.tokens.get(item.name_at).is_none() {
            complaints.at(item.start, "the kernel has no name");
            continue;
        }
        let host_name = attributes
            .iter()
            .find(|a| a.name == "host_name")
            .and_then(|a| string(source, a.args.clone()));
        let max_threads = attributes
            .iter()
            .find(|a| a.name == "max_total_threads_per_threadgroup")
            .and_then(|a| attributes::integer(source, a.args.clone()))
            .and_then(|n| u32::try_from(n).ok());
        let (args, missing) = arguments(source, params.clone(), &item.name, complaints);
        out.push(Kernel { item: index, args, missing, host_name, max_threads });
    }
    out
}

/// Makes the table of entries and puts a place for each into the text.
pub(crate) fn entries(
    source: &Source,
    items: &[Item],
    kernels: &[Kernel],
    variables: &Variables,
    edits: &mut Edits,
    complaints: &mut Complaints<'_>,
) -> (Vec<Entry>, Vec<NotRun>) {
    let reach = Reach::new(source, items);
    let mut out: Vec<Entry> = Vec::new();
    let mut not_run: Vec<NotRun> = Vec::new();
    let missing = |kernel: &Kernel, from: Option<Range<usize>>| {
        let tokens = items[kernel.item].tokens.clone();
        let reached: Vec<Range<usize>> = [Some(tokens), from].into_iter().flatten().collect();
        kernel.missing.or_else(|| reach.textures(source, &reached).then_some("textures"))
    };
    let mut add = |entry: Entry, at: usize, complaints: &mut Complaints<'_>| -> Option<usize> {
        if out.iter().any(|e: &Entry| e.name == entry.name) {
            complaints.at(at, format!("two kernels are called '{}'", entry.name));
            return None;
        }
        out.push(entry);
        Some(out.len() - 1)
    };
    // What template arguments name is reached as well: `from` is the instantiation.
    let make = |kernel: &Kernel, name, expression, tag, from: Option<Range<usize>>| {
        let item = &items[kernel.item];
        let at = &source.tokens[item.name_at];
        let reached: Vec<Range<usize>> =
            [Some(item.tokens.clone()), from].into_iter().flatten().collect();
        Entry {
            name,
            expression,
            tag,
            args: kernel.args.clone(),
            max_threads: kernel.max_threads,
            meets: reach.meets(source, &reached),
            fences: reach.fences(source, &reached),
            requires: reach.requires(source, &reached, &variables.constants),
            file: source.files[at.file].clone(),
            line: at.line,
        }
    };
    for kernel in kernels {
        let item = &items[kernel.item];
        if item.template.is_some() {
            continue;
        }
        let tag =
            variables.tagged.contains(&kernel.item).then(|| tag_name(items, kernels, kernel.item));
        let name = kernel.host_name.clone().unwrap_or_else(|| item.name.clone());
        if let Some(why) = missing(kernel, None) {
            not_run.push(NotRun { name, why: why.into(), compiled: true });
            continue;
        }
        // Qualified, as a kernel may be called what a function of `metal` is.
        let expression = format!("::{}{}", item.path, item.name);
        if let Some(n) = add(make(kernel, name, expression, tag, None), item.name_at, complaints) {
            edits.insert(source.tokens[item.tokens.end - 1].end, format!(" __SM_E{n} "));
        }
    }
    for item in items.iter().filter(|i| i.kind == ItemKind::Instantiation) {
        let tokens = item.tokens.clone();
        let attributes = attributes_in(source, tokens.clone());
        let Some(i) = instantiated(source, item) else {
            continue;
        };
        let (id, name_at) = (i.id.clone(), i.name);
        let named: Vec<&Kernel> =
            kernels.iter().filter(|k| items[k.item].name == source.text(name_at)).collect();
        let Some(&kernel) =
            named.iter().max_by_key(|k| likeness(source, &items[k.item], &i.params))
        else {
            continue; // an instantiation of something that is no kernel: clang's business
        };
        let tag = format!("{}{}{}", i.path, tag_name(items, kernels, kernel.item), i.arguments);
        let plain = i.path.is_empty() && items[kernel.item].path.is_empty();
        let id = if plain { format!("::{id}") } else { id };
        // Which of several it is, or with which arguments, the parameters tell; and they must be
        // those of the template.
        let expression = match &i.params {
            Some(p) => format!("static_cast<void (*)({})>({id})", types(source, p.clone())),
            None => match &i.kind {
                Some(kind) => format!("static_cast<{} *>({id})", spelled(source, kind.clone())),
                None => id.clone(),
            },
        };
        let host = attributes
            .iter()
            .find(|a| a.name == "host_name")
            .and_then(|a| string(source, a.args.clone()));
        let name = host.unwrap_or_else(|| i.id.replace(' ', ""));
        if let Some(why) = missing(kernel, Some(tokens.clone())) {
            // Naming it makes clang compile it.
            let kept =
                format!("static void __sm_kept_{}() {{ (void)({expression}); }}", not_run.len());
            edits.replace(source.span(tokens), kept);
            not_run.push(NotRun { name, why: why.into(), compiled: true });
            continue;
        }
        let tag = variables.tagged.contains(&kernel.item).then_some(tag);
        if let Some(n) =
            add(make(kernel, name, expression, tag, Some(tokens.clone())), name_at, complaints)
        {
            edits.replace(source.span(tokens), format!(" __SM_E{n} "));
        }
    }
    (out, not_run)
}

/// The class that tells a kernel's threadgroup variables from another's.
pub(super) fn tag_name(items: &[Item], kernels: &[Kernel], item: usize) -> String {
    let name = &items[item].name;
    let before = kernels.iter().filter(|k| k.item < item && items[k.item].name == *name).count();
    if before == 0 { format!("__sm_tag_{name}") } else { format!("__sm_tag{before}_{name}") }
}

/// How much the parameters of an instantiation are like those of a kernel template.
fn likeness(source: &Source, kernel: &Item, params: &Option<Range<usize>>) -> usize {
    let (Some(given), ItemKind::Function { params, .. }) = (params, &kernel.kind) else {
        return 0;
    };
    let (given, own) = (split(source, given.clone()), split(source, params.clone()));
    if given.len() != own.len() {
        return 0;
    }
    let same = |(a, b): (&Range<usize>, &Range<usize>)| {
        a.clone().filter(|&i| b.clone().any(|k| source.is(k, source.text(i)))).count()
    };
    1 + given.iter().zip(&own).map(same).sum::<usize>()
}

/// A parameter list without attributes, as a list of types.
fn types(source: &Source, params: Range<usize>) -> String {
    let one = |p: Range<usize>| {
        let end = p.clone().find(|&i| source.is_attribute(i)).unwrap_or(p.end);
        spelled(source, p.start..end)
    };
    split(source, params).into_iter().map(one).collect::<Vec<_>>().join(", ")
}

/// What an instantiation names.
struct Instantiation {
    /// `a::name<args>`
    id: String,
    /// `a::`
    path: String,
    /// `<args>`, or nothing if they are to be deduced.
    arguments: String,
    name: usize,
    params: Option<Range<usize>>,
    /// The name of a function type, where that stands for the parameters.
    kind: Option<Range<usize>>,
}

/// Reads `template [[…]] kernel TYPE name<args>(params);`.
fn instantiated(source: &Source, item: &Item) -> Option<Instantiation> {
    let end = item.tokens.end - 1;
    let mut k = item.start;
    let mut last: Option<(usize, usize)> = None; // the name, and where its id ends
    let mut params = None;
    while k < end {
        if source.is_attribute(k) {
            k = source.mate(k)? + 1;
        } else if source.is(k, "decltype") || source.is(k, "__attribute__") {
            k = source.mate(k + 1)? + 1;
        } else if source.is(k, "(") {
            params = Some(k + 1..source.mate(k)?);
            break;
        } else if source.tokens[k].kind == Kind::Ident {
            let name = k;
            k += 1;
            if source.is(k, "<") {
                k = source.after_angles(k, end)?;
            }
            last = Some((name, k));
        } else {
            k += 1;
        }
    }
    let (name, after) = last?;
    let mut first = name;
    // `void ::a::name`: the word before the path is the type.
    let part = |k: usize| source.is_ident(k) && !source.is(k, "void");
    while first >= 2 && source.is(first - 1, "::") && part(first - 2) {
        first -= 2;
    }
    Some(Instantiation {
        id: spelled(source, first..after),
        path: spelled(source, first..name),
        arguments: spelled(source, name + 1..after),
        name,
        params,
        // `template kernel kind name<args>;`
        kind: (source.is_ident(first - 1) && !is_specifier(source.text(first - 1)))
            .then_some(first - 1..first),
    })
}

/// What stands before the type of a kernel.
fn is_specifier(word: &str) -> bool {
    matches!(word, "kernel" | "void" | "template" | "extern" | "inline" | "static" | "constexpr")
}
