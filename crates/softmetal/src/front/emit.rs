//! The file that goes to clang: values of function constants, the entries asked for, the text.

use super::{Arg, ArgKind, Constant, Entry, Unit};
use std::collections::HashMap;
use std::fmt::Write;

/// Values of function constants, as C++ expressions, by index.
pub(crate) type ConstantValues = HashMap<u32, String>;

/// How kernels are going to be run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Loops over threads where possible.
    Fast,
    /// One thread at a time, with every access reported.
    Checked,
    /// Not at all: only to find references to elements of vectors.
    Strict,
    /// Not at all: only to count the registers of a thread.
    Counted,
}

/// Writes the file with the given entries compiled in.
pub(crate) fn render(unit: &Unit, wanted: &[usize], values: &ConstantValues, mode: Mode) -> String {
    let mut out = String::with_capacity(unit.text.len() + 4096);
    for c in &unit.constants {
        let zero = || format!("{}(0)", cpp_type(c));
        let value = values.get(&c.id).cloned().unwrap_or_else(zero);
        let _ = writeln!(out, "#define __SM_FC_{} {value}", c.id);
        let _ =
            writeln!(out, "#define __SM_FCDEF_{} {}", c.id, u8::from(values.contains_key(&c.id)));
    }
    for (n, entry) in unit.entries.iter().enumerate() {
        let _ = write!(out, "#define __SM_E{n} ");
        if wanted.contains(&n) {
            write_entry(&mut out, n, entry, mode);
        }
        out.push('\n');
    }
    // Threadgroup records are read between the symbols the linker makes for this section.
    out.push_str(
        "static const __global __attribute__((used, section(\"sm_shared\"))) __sm_shared_record __sm_rec_none = {0, 0, 0, 0, 0};\n\
         extern \"C\" { extern const __global __sm_shared_record __start_sm_shared; extern const __global __sm_shared_record __stop_sm_shared; }\n\
         __sm_export void __sm_shared_range(ulong *out) { out[0] = (ulong)&__start_sm_shared; out[1] = (ulong)&__stop_sm_shared; }\n",
    );
    out.push_str(&unit.text);
    out.push('\n');
    out
}

fn write_entry(out: &mut String, n: usize, entry: &Entry, mode: Mode) {
    let f = format!("({})", entry.expression);
    let args: String = entry.args.iter().map(|a| format!(", {}", argument(a))).collect();
    let _ = write!(out, "__SM_FACTS_ENTRY({n}, {f}) ");
    if let Some(tag) = &entry.tag {
        let _ = write!(out, "__sm_export ulong __sm_tag_{n}() {{ return (ulong)&{tag}::v; }} ");
    }
    let conditions: Vec<&str> = entry.args.iter().filter_map(|a| a.condition.as_deref()).collect();
    if !conditions.is_empty() {
        let _ = write!(out, "__sm_export void __sm_present_{n}(uint *out) {{ ");
        for (k, c) in conditions.iter().enumerate() {
            let _ = write!(out, "out[{k}] = bool({c}); ");
        }
        out.push_str("} ");
    }
    let kind = match mode {
        _ if entry.meets || mode == Mode::Counted => "THREAD",
        Mode::Fast | Mode::Strict => "LOOP",
        Mode::Checked | Mode::Counted => "WALK",
    };
    let _ = write!(out, "__SM_{kind}_ENTRY({n}, {f}{args})");
}

fn argument(arg: &Arg) -> String {
    match &arg.kind {
        ArgKind::Buffer { index, .. } => format!("__sm_pointer_arg{{c->buffers[{index}]}}"),
        ArgKind::Threadgroup { index } => format!("__sm_pointer_arg{{c->threadgroup[{index}]}}"),
        ArgKind::Builtin(name) => format!("__SM_AT_{name}"),
    }
}

/// The type of a function constant, spelled so that `type(value)` parses.
pub(crate) fn cpp_type(c: &Constant) -> String {
    match c.type_name.as_str() {
        "unsigned" | "unsigned int" => "uint".into(),
        "unsigned short" => "ushort".into(),
        "unsigned char" => "uchar".into(),
        "unsigned long" => "ulong".into(),
        other => other.into(),
    }
}
