//! Which rule of MSL a message of clang's is about, so that it can be looked up in `docs/rules.md`.

/// What is known of an error: its words, in MSL's terms, and the text it points at.
pub(super) struct Complaint<'a> {
    pub(super) message: &'a str,
    /// The line from the place on that the error is at.
    pub(super) rest: &'a str,
    /// The notes that belong to it, in MSL's terms.
    pub(super) notes: &'a str,
}

/// The name of the rule that was broken.
pub(super) fn rule(c: &Complaint<'_>) -> Option<&'static str> {
    let message = without_aka(c.message);
    let m = message.as_str();
    let c = &Complaint { message: m, ..*c };
    if m.starts_with("use of overloaded operator") {
        return operands(c);
    }
    if m.contains("is ambiguous") {
        return ambiguous(m);
    }
    if m.starts_with("no matching function for call to '") {
        return no_function(c);
    }
    if m.contains("undeclared identifier")
        || m.contains("unknown type name")
        || m.contains("no template named")
    {
        return unknown_name(m);
    }
    for (words, rule) in WORDS {
        if words.iter().all(|w| m.contains(w)) {
            return Some(rule);
        }
    }
    if m.ends_with("(address spaces differ)") {
        return Some("space-mixed");
    }
    if m.contains("file not found") {
        let name = quoted(m).next()?;
        return STANDARD.contains(&name).then_some("standard-headers");
    }
    // A swizzle is a temporary, whose address has no address space.
    let pointer = quoted(m).last().and_then(|t| t.strip_suffix(" *"));
    if m.contains("with an rvalue of type") && pointer.is_some_and(|t| bare(t) == t && is_vector(t))
    {
        return Some("swizzle-address");
    }
    if m.contains("no member named") && quoted(m).nth(1).is_some_and(is_vector) {
        let name = quoted(m).next()?;
        let mixed =
            name.chars().any(|c| "xyzw".contains(c)) && name.chars().any(|c| "rgba".contains(c));
        return Some(if mixed { "swizzle-mixed" } else { "swizzle-range" });
    }
    if m.contains("invalid operands") || m.contains("cannot convert between") {
        return operands(c);
    }
    conversion(m)
}

/// Messages with one meaning.
const WORDS: &[(&[&str], &str)] = &[
    (&["cannot be narrowed to"], "narrowing"),
    (&["variable length array"], "variable-length-array"),
    (&["array size is not a constant expression"], "variable-length-array"),
    (&["variable is not assignable"], "read-only"),
    (&["cannot assign to", "const-qualified"], "read-only"),
    (&["taking the address of a temporary object"], "swizzle-address"),
    (&["too many arguments provided to function-like macro"], "library-macro-name"),
    (&["reference", "cannot bind to vector element"], "vector-element-reference"),
    (&["address of", "vector element"], "vector-element-address"),
    (&["contains duplicate components"], "swizzle-twice"),
    (&["no setter defined for property"], "swizzle-twice"),
    (&["cannot take the address of an rvalue of type", "vec<"], "swizzle-address"),
    (&["contextually convertible to 'bool'"], "vector-condition"),
    (&["as_type is for numbers"], "as-type-pointer"),
    (&["as_type"], "as-type-size"),
    (&["a matrix is of"], "matrix-element"),
    (&["elements of a texture are numbers"], "texture-element"),
    (&["simdgroup_matrix", "8"], "simdgroup-matrix-size"),
    (&["simdgroup_matrix"], "simdgroup-matrix-element"),
    (&["must be initialized by a constant expression"], "constant-known"),
    (&["initializer element is not a compile-time constant"], "constant-known"),
    (&["declaration requires a global constructor"], "constant-known"),
    (&["address of overloaded function", "static_cast"], "instantiation-parameters"),
    (&["an atomic is of"], "atomic-element"),
];

/// Headers of C++ that people try.
const STANDARD: &[&str] = &[
    "algorithm",
    "array",
    "atomic",
    "cassert",
    "cmath",
    "complex",
    "cstddef",
    "cstdint",
    "cstdio",
    "cstdlib",
    "cstring",
    "functional",
    "iostream",
    "limits",
    "math.h",
    "numeric",
    "stdint.h",
    "stdio.h",
    "stdlib.h",
    "string",
    "string.h",
    "tuple",
    "type_traits",
    "utility",
    "vector",
];

/// A message without the other names of its types: `'float4' (aka 'vec<float, 4>')`.
fn without_aka(message: &str) -> String {
    let mut out = message.to_string();
    while let Some(at) = out.find(" (aka '") {
        let Some(end) = out[at..].find("')") else {
            break;
        };
        out.replace_range(at..at + end + 2, "");
    }
    out
}

/// The parts of a message between quotes.
fn quoted(message: &str) -> impl Iterator<Item = &str> {
    message.split('\'').skip(1).step_by(2)
}

/// A type without qualifiers and address spaces.
fn bare(kind: &str) -> &str {
    let mut kind = kind.trim();
    for word in
        ["const ", "volatile ", "device ", "constant ", "threadgroup ", "thread ", "metal::"]
    {
        kind = kind.strip_prefix(word).unwrap_or(kind);
    }
    kind
}

const SCALARS: &[&str] = &[
    "bool",
    "char",
    "uchar",
    "short",
    "ushort",
    "int",
    "uint",
    "long",
    "ulong",
    "half",
    "float",
    "bfloat",
    "unsigned int",
    "unsigned short",
    "unsigned char",
    "unsigned long",
    "signed char",
];

/// The element and the number of elements of a vector's type, in either spelling.
fn vector(kind: &str) -> Option<(&str, &str)> {
    let kind = bare(kind);
    let kind = kind.strip_prefix("packed_").unwrap_or(kind);
    if let Some((_, args)) = kind.split_once("vec<") {
        return args.trim_end_matches('>').split_once(", ");
    }
    let at = kind.len().checked_sub(1)?;
    let (element, width) = (kind.get(..at)?, kind.get(at..)?);
    (SCALARS.contains(&element) && matches!(width, "2" | "3" | "4")).then_some((element, width))
}

fn is_vector(kind: &str) -> bool {
    vector(kind).is_some()
}

fn is_matrix(kind: &str) -> bool {
    let kind = bare(kind);
    let name = ["float", "half", "bfloat"].iter().find_map(|e| kind.strip_prefix(e));
    kind.starts_with("matrix<") || name.is_some_and(|n| n.len() == 3 && n.as_bytes()[1] == b'x')
}

fn ambiguous(m: &str) -> Option<&'static str> {
    let name = quoted(m).next()?;
    if m.starts_with("reference to") {
        return Some("library-type-name");
    }
    Some(match name {
        "min" | "max" | "fmin" | "fmax" | "min3" | "max3" => "ambiguous-min-max",
        "clamp" => "ambiguous-clamp",
        "isnan" | "isinf" | "isfinite" | "isnormal" | "signbit" => "ambiguous-classification",
        "fma" => "ambiguous-fma",
        "mix" | "step" | "smoothstep" => "ambiguous-mix",
        _ if m.contains("call to") => "ambiguous-math",
        _ => return None,
    })
}

/// What clang says when the element of a vector, which is a property in the strict pass, should be
/// referred to.
pub(super) const PROPERTY: &str =
    "reference in default address space to object in address space '__private'";

fn no_function(c: &Complaint<'_>) -> Option<&'static str> {
    let name = quoted(c.message).next()?;
    Some(match name {
        "threadgroup_barrier" | "simdgroup_barrier" => "barrier-flags",
        "simd_and" | "simd_or" | "simd_xor" => "simd-bitwise-types",
        "simdgroup_load" | "simdgroup_store" => "simdgroup-load-element",
        "dot" | "distance" | "distance_squared" | "cross" => "dot-widths",
        "length" | "length_squared" | "normalize" | "reflect" => "geometric-types",
        "as_type" => "as-type-size",
        _ if name.starts_with("simd_") || name.starts_with("quad_") => "simd-types",
        _ if name.starts_with("atomic_") => "atomic-operand",
        _ if c.notes.contains(PROPERTY) => "vector-element-reference",
        _ if c.notes.contains("address space") => "space-mixed-call",
        _ => return None,
    })
}

fn unknown_name(m: &str) -> Option<&'static str> {
    let name = quoted(m).next()?;
    let digits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
    let stem = &name[..name.len() - digits.len()];
    Some(match name {
        "std" => "standard-library",
        _ if name.starts_with("atomic_") => "atomic-implicit",
        _ if name.starts_with("packed_bool") => "packed-bool",
        _ if digits.contains('x') && SCALARS.contains(&stem) => {
            if matches!(stem, "float" | "half") { "matrix-size" } else { "matrix-element" }
        }
        _ if !digits.is_empty() && SCALARS.contains(&stem) => "vector-width",
        _ => return None,
    })
}

/// `invalid operands to binary expression ('A' and 'B')`
fn operands(c: &Complaint<'_>) -> Option<&'static str> {
    let kinds: Vec<&str> =
        quoted(c.message).filter(|k| k.starts_with(char::is_alphabetic)).collect();
    let (a, b) = (*kinds.first()?, *kinds.get(1)?);
    if kinds.iter().any(|k| k.contains("atomic")) {
        return Some("atomic-arithmetic");
    }
    let shift = c.rest.starts_with("<<") || c.rest.starts_with(">>");
    if is_matrix(a) || is_matrix(b) {
        return Some("matrix-product");
    }
    let floating = |k: &str| matches!(bare(k), "float" | "half" | "bfloat");
    match (vector(a), vector(b)) {
        (Some((_, n)), Some((_, m))) if n != m => Some("vector-lengths"),
        (Some(_), Some(_)) => Some("vector-operands"),
        (None, Some(_)) if shift => Some("shift-by-vector"),
        (Some((e, _)), None) | (None, Some((e, _)))
            if floating(a) || floating(b) || floating(e) =>
        {
            Some("vector-scalar-float")
        }
        (None, None) if c.rest.starts_with('%') => Some("modulo-float"),
        (None, None) if shift || c.rest.starts_with(['&', '|', '^', '~']) => Some("bitwise-float"),
        (None, None)
            if bare(a) == "bfloat" && bare(b) == "half"
                || bare(a) == "half" && bare(b) == "bfloat" =>
        {
            Some("bfloat-half")
        }
        _ => None,
    }
}

/// Values that do not become what is asked for.
fn conversion(m: &str) -> Option<&'static str> {
    let kinds: Vec<&str> = quoted(m).collect();
    let made = m.contains("no matching constructor") || m.contains("functional-style cast");
    if made {
        let to = *kinds.last()?;
        if is_matrix(to) {
            return Some("matrix-constructor");
        }
        fn wide(kind: &str) -> Option<&str> {
            vector(kind).map(|(_, n)| n)
        }
        let from = kinds.first().filter(|_| kinds.len() > 1);
        let longer = from.and_then(|f| wide(f)).zip(wide(to)).is_some_and(|(f, t)| f > t);
        return is_vector(to).then_some(if longer {
            "vector-shortened"
        } else {
            "vector-constructor"
        });
    }
    let changes =
        ["no viable conversion", "cannot initialize", "assigning to", "no known conversion"];
    if !changes.iter().any(|w| m.contains(w)) {
        return None;
    }
    let to_bool = kinds.contains(&"bool") && kinds.iter().any(|k| is_vector(k));
    if to_bool {
        return Some("vector-condition");
    }
    if kinds.iter().any(|k| is_matrix(k)) {
        return Some("matrix-implicit");
    }
    let vectors = kinds.iter().filter(|k| is_vector(k)).count();
    match vectors {
        0 if kinds.iter().any(|k| bare(k) == "bfloat") => Some("bfloat-implicit"),
        0 => None,
        1 => Some("vector-to-scalar"),
        _ => {
            let lengths: Vec<_> = kinds.iter().filter_map(|k| vector(k)).map(|(_, n)| n).collect();
            Some(if lengths.iter().all(|n| *n == lengths[0]) {
                "vector-implicit"
            } else {
                "swizzle-length"
            })
        }
    }
}
