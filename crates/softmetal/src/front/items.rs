//! The shape of a file: which declarations stand at namespace and class scope, what they
//! declare, and where function bodies are. Expressions are not looked into.

use super::token::{Kind, Source};
use std::ops::Range;

/// What a declaration is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ItemKind {
    /// A function, with the range of its body if it is a definition.
    Function { params: Range<usize>, body: Option<Range<usize>> },
    /// `template … name<args>;` or `template … name<args>(…);`
    Instantiation,
    /// A struct, class, union or enum with a body.
    Type,
    /// Anything else: variables, aliases, assertions.
    Other,
}

/// One declaration.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) kind: ItemKind,
    pub(crate) name: String,
    /// The token of the name, for messages.
    pub(crate) name_at: usize,
    /// All tokens, from the first specifier to the closing `;` or `}`.
    pub(crate) tokens: Range<usize>,
    /// The parameters of the innermost `template <…>`, without the angles.
    pub(crate) template: Option<Range<usize>>,
    /// Where the declaration starts once `template <…>` is behind.
    pub(crate) start: usize,
    /// Enclosing namespaces, as `a::b::`.
    pub(crate) path: String,
    pub(crate) in_class: bool,
}

/// All declarations of a file, those of classes included, in order.
pub(crate) fn items(source: &Source) -> Vec<Item> {
    let mut reader = Reader { s: source, out: Vec::new() };
    reader.scope(0, source.tokens.len(), "", false);
    reader.out
}

fn is_qualifier(text: &str) -> bool {
    matches!(text, "const" | "volatile" | "device" | "constant" | "threadgroup" | "thread")
}

struct Reader<'a> {
    s: &'a Source,
    out: Vec<Item>,
}

impl Reader<'_> {
    fn scope(&mut self, mut i: usize, end: usize, path: &str, in_class: bool) {
        while i < end {
            let next = match self.s.text(i) {
                ";" | "}" | ")" | "]" => i + 1,
                "public" | "private" | "protected" if self.s.is(i + 1, ":") => i + 2,
                "namespace" => self.namespace(i, end, path),
                "inline" if self.s.is(i + 1, "namespace") => self.namespace(i + 1, end, path),
                "extern" if self.s.tokens.get(i + 1).is_some_and(|t| t.kind == Kind::Str) => {
                    match (self.s.is(i + 2, "{"), self.s.mate(i + 2)) {
                        (true, Some(close)) => {
                            self.scope(i + 3, close, path, in_class);
                            close + 1
                        }
                        _ => self.declaration(i + 2, end, path, in_class),
                    }
                }
                _ => self.declaration(i, end, path, in_class),
            };
            i = next.max(i + 1);
        }
    }

    fn namespace(&mut self, i: usize, end: usize, path: &str) -> usize {
        let mut k = i + 1;
        let mut name = String::new();
        while k < end {
            match self.s.text(k) {
                "{" => break,
                ";" => return k + 1,
                "=" => return self.until_semicolon(k, end),
                _ if self.s.is_attribute(k) => k = self.s.mate(k).unwrap_or(k),
                t if self.s.is_ident(k) => name.push_str(&format!("{t}::")),
                _ => {}
            }
            k += 1;
        }
        match self.s.mate(k) {
            Some(close) => {
                self.scope(k + 1, close, &format!("{path}{name}"), false);
                close + 1
            }
            None => end,
        }
    }

    fn until_semicolon(&self, mut k: usize, end: usize) -> usize {
        while k < end && !self.s.is(k, ";") {
            k = self.skip(k);
        }
        k + 1
    }

    /// The index after token `k`, or after its partner if it opens a bracket.
    fn skip(&self, k: usize) -> usize {
        match self.s.text(k) {
            "(" | "[" | "{" => self.s.mate(k).unwrap_or(k) + 1,
            _ => k + 1,
        }
    }

    fn declaration(&mut self, first: usize, end: usize, path: &str, in_class: bool) -> usize {
        let s = self.s;
        let mut k = first;
        let mut template = None;
        while s.is(k, "template") {
            if !s.is(k + 1, "<") {
                let after = self.until_semicolon(k, end);
                self.push(
                    ItemKind::Instantiation,
                    k,
                    first..after.min(end),
                    None,
                    k + 1,
                    path,
                    in_class,
                );
                return after;
            }
            let Some(after) = s.after_angles(k + 1, end) else {
                return self.until_semicolon(k, end);
            };
            template = Some(k + 2..after - 1);
            k = after;
            if s.is(k, "requires") {
                k += 1;
                while k < end && s.is(k, "(") {
                    k = self.skip(k);
                }
            }
        }
        let start = k;
        let mut params: Option<(usize, usize)> = None;
        let mut name_at = usize::MAX;
        let (mut is_type, mut assigned, mut initialisers) = (false, false, false);
        while k < end {
            match s.text(k) {
                ";" => {
                    let kind = match params {
                        Some((open, close))
                            if !matches!(s.text(start), "using" | "typedef" | "static_assert") =>
                        {
                            ItemKind::Function { params: open + 1..close, body: None }
                        }
                        _ => ItemKind::Other,
                    };
                    self.push(kind, name_at, first..k + 1, template, start, path, in_class);
                    return k + 1;
                }
                "struct" | "class" | "union" | "enum" if params.is_none() && !assigned => {
                    is_type = true;
                    let mut n = k + 1;
                    if s.is(n, "class") || s.is(n, "struct") {
                        n += 1;
                    }
                    while s.is_attribute(n) || s.is(n, "alignas") || s.is(n, "__attribute__") {
                        n = if s.is(n, "[") { self.skip(n) } else { self.skip(n + 1) };
                    }
                    name_at = n;
                    k += 1;
                }
                "operator" if params.is_none() => {
                    name_at = k;
                    k += 1;
                    if s.is(k, "(") && s.is(k + 1, ")") {
                        k += 2;
                    }
                    while k < end && !s.is(k, "(") && !s.is(k, ";") {
                        k += 1;
                    }
                }
                "(" if !assigned && params.is_none() => {
                    let before = s.text(k.wrapping_sub(1));
                    let close = s.mate(k).unwrap_or(k);
                    let keyword = matches!(
                        before,
                        "decltype"
                            | "alignas"
                            | "__attribute__"
                            | "noexcept"
                            | "explicit"
                            | "static_assert"
                    );
                    // `threadgroup float (*tile)[8]` declares a pointer to arrays.
                    let mut inner = k + 1;
                    while is_qualifier(s.text(inner)) {
                        inner += 1;
                    }
                    let declarator = matches!(s.text(inner), "*" | "&") && k > start;
                    if declarator && s.is_ident(inner + 1) {
                        name_at = inner + 1;
                    }
                    if k > start
                        && !keyword
                        && !declarator
                        && (s.is_ident(k - 1) || before == ">" || name_at != usize::MAX && !is_type)
                    {
                        params = Some((k, close));
                        is_type = false;
                        if !s.is(name_at, "operator") {
                            name_at = self.name_before(k, start);
                        }
                    }
                    k = close + 1;
                }
                "{" => {
                    let close =
                        s.mate(k).unwrap_or(end.saturating_sub(1)).min(end.saturating_sub(1));
                    if is_type && params.is_none() && !assigned {
                        if !matches!(s.text(start), "enum") {
                            self.scope(k + 1, close, path, true);
                        }
                        let after = self.until_semicolon(close + 1, end);
                        self.push(
                            ItemKind::Type,
                            name_at,
                            first..after.min(end),
                            template,
                            start,
                            path,
                            in_class,
                        );
                        return after;
                    }
                    let member = initialisers && (s.is_ident(k - 1) || s.is(k - 1, ">"));
                    if let Some((open, shut)) = params
                        && !assigned
                        && !member
                    {
                        let kind =
                            ItemKind::Function { params: open + 1..shut, body: Some(k + 1..close) };
                        self.push(kind, name_at, first..close + 1, template, start, path, in_class);
                        return close + 1;
                    }
                    k = close + 1;
                }
                "[" => k = self.skip(k),
                "(" => k = self.skip(k),
                "<" if !assigned && params.is_none() => {
                    k = s.after_angles(k, end).unwrap_or(k + 1);
                }
                "=" => {
                    assigned = true;
                    if name_at == usize::MAX || is_type && params.is_none() {
                        name_at = self.name_before(k, start);
                    }
                    k += 1;
                }
                ":" if params.is_some() => {
                    initialisers = true;
                    k += 1;
                }
                _ => k += 1,
            }
        }
        end
    }

    /// The identifier a declarator ends with, looking back from `k`.
    fn name_before(&self, k: usize, start: usize) -> usize {
        let mut n = k;
        while n > start {
            n -= 1;
            match self.s.text(n) {
                "]" => n = self.s.mate(n).unwrap_or(n),
                ">" => {
                    // A specialisation `f<float>(`: step over the arguments.
                    let mut depth = 0usize;
                    while n > start {
                        match self.s.text(n) {
                            ">" => depth += 1,
                            "<" => depth -= 1,
                            _ => {}
                        }
                        if depth == 0 {
                            break;
                        }
                        n -= 1;
                    }
                }
                _ if self.s.is_ident(n) => return n,
                _ => {}
            }
        }
        usize::MAX
    }

    #[allow(clippy::too_many_arguments)]
    fn push(
        &mut self,
        kind: ItemKind,
        name_at: usize,
        tokens: Range<usize>,
        template: Option<Range<usize>>,
        start: usize,
        path: &str,
        in_class: bool,
    ) {
        let mut name_at = name_at;
        if name_at == usize::MAX && kind == ItemKind::Other {
            name_at = self.name_before(tokens.end.saturating_sub(1), start);
        }
        // What has no name has it behind the last token, where there is none to look at.
        let name_at = name_at.min(self.s.tokens.len());
        let name = self.s.text(name_at).to_string();
        self.out.push(Item {
            kind,
            name,
            name_at,
            tokens,
            template,
            start,
            path: path.into(),
            in_class,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<(String, bool)> {
        let s = Source::new(text.into());
        items(&s)
            .iter()
            .map(|i| {
                let body = matches!(&i.kind, ItemKind::Function { body: Some(_), .. });
                (format!("{}{}", i.path, i.name), body)
            })
            .collect()
    }

    #[test]
    fn finds_functions_types_and_variables() {
        let found = names(
            "namespace a { template <typename T, int N = 3> inline T f(T x) { return x; } }\n\
             struct S { int x; S(int y) : x(y) {} int operator()(int z) const { return z; } };\n\
             constant float t[2] = {1, 2}; using U = decltype(f(1));\n\
             enable_if_t<(N > 2), int> g(vec<T, 4> v) { }\n\
             template <> float h<float>(float x) { return x; }\n\
             int p(int);",
        );
        let want: Vec<(String, bool)> = [
            ("a::f", true),
            ("S", true),
            ("operator", true),
            ("S", false),
            ("t", false),
            ("U", false),
            ("g", true),
            ("h", true),
            ("p", false),
        ]
        .iter()
        .map(|(n, b)| (n.to_string(), *b))
        .collect();
        // Members come before their class; an `int x;` member is listed too.
        let found: Vec<_> = found.into_iter().filter(|(n, _)| n != "x").collect();
        assert_eq!(found, want);
    }

    #[test]
    fn broken_files_end() {
        for text in [
            "template",
            "template <",
            "struct {",
            "int f(",
            "namespace {",
            "operator",
            "= = =",
            "a<b<c",
        ] {
            let s = Source::new(text.into());
            items(&s);
        }
    }
}
