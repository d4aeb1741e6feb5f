//! What a kernel declares: the struct that it takes its numbers as, read from its text.

use super::{
    Field, Scalar,
    preprocess::{Names, Preprocessed},
};
use bessemer_core::gpu::Kernel;

/// The numbers of a kernel as its text declares them.
pub(super) struct Declared {
    /// The buffer that holds them.
    pub(super) buffer: usize,
    /// The members of its struct, those of structs in it one by one.
    pub(super) fields: Vec<Field>,
}

/// Reads the declarations of `kernel`.
pub(super) fn of(kernel: &Kernel) -> Result<Declared, String> {
    let msl = kernel.msl();
    let Preprocessed { text, names } = Preprocessed::new(&msl)?;
    let (_, signature) =
        text.split_once(&format!("void {}(", kernel.entry)).ok_or("it is not there")?;
    let signature = signature.split('{').next().unwrap_or(signature);
    // `constant Params &p [[buffer(3)]]`
    let (ty, buffer) = signature
        .split_once("constant ")
        .and_then(|(_, rest)| rest.split_once('&'))
        .and_then(|(ty, rest)| Some((ty.trim(), rest.split_once("[[buffer(")?.1)))
        .and_then(|(ty, rest)| Some((ty, rest.split_once(")]]")?.0)))
        .ok_or("it takes no numbers")?;
    let mut fields = Vec::new();
    members(&text, &names, ty, "", &mut fields)?;
    Ok(Declared { buffer: names.value(buffer)?, fields })
}

/// The members of `ty`, a struct of `text`, each after `path`.
fn members(
    text: &str,
    names: &Names<'_>,
    ty: &str,
    path: &str,
    fields: &mut Vec<Field>,
) -> Result<(), String> {
    let (name, argument) = match ty.strip_suffix('>').and_then(|ty| ty.split_once('<')) {
        Some((name, argument)) => (name, Some(argument)),
        None => (ty, None),
    };
    let start = format!("struct {name} {{");
    let (before, body) = text.split_once(&start).ok_or(format!("`{ty}` is not declared"))?;
    let body = body.split('}').next().unwrap_or(body);
    let given;
    let names = match argument {
        None => names,
        Some(argument) => {
            // `template <int VIEWS> struct Rows {`
            let head = before.rsplit('\n').next().unwrap_or(before).trim();
            let parameter =
                head.strip_prefix("template <int ").and_then(|rest| rest.strip_suffix('>'));
            given = names.with(parameter.ok_or(format!("`{name}` is no template"))?, argument);
            &given
        }
    };
    for declaration in body.split(';').map(str::trim).filter(|text| !text.is_empty()) {
        let unknown = || format!("`{declaration};` in `{ty}` is nothing that a launch can fill in");
        let (ty, declared) = declaration.split_once(char::is_whitespace).ok_or_else(unknown)?;
        for member in declared.split(',').map(str::trim) {
            let (name, lengths) = member.split_once('[').map_or((member, None), |(name, rest)| {
                (name, Some(rest.strip_suffix(']').unwrap_or(rest).split("][")))
            });
            let lengths =
                lengths.map(|lengths| lengths.map(|length| names.value(length)).product());
            let array: Option<usize> = lengths.transpose()?;
            let path = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
            let scalar = match ty {
                "uint" => Some(Scalar::Uint),
                "int" => Some(Scalar::Int),
                "float" => Some(Scalar::Float),
                _ => None,
            };
            match (scalar, array) {
                (Some(scalar), _) => fields.push(Field { scalar, path, array }),
                (None, None) => members(text, names, ty, &path, fields)?,
                (None, Some(len)) => {
                    for i in 0..len {
                        members(text, names, ty, &format!("{path}[{i}]"), fields)?;
                    }
                }
            }
        }
    }
    Ok(())
}
