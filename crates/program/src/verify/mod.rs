//! Whether a program may run: types, limits, form, then assignment and uniform flow.

mod assigned;
mod uniform;

use crate::{
    Direction, Error, Form, Index, Inst, Param, ParamKind, Place, Result, Type, program::Source,
    rules,
};

/// The most bytes of threadgroup memory.
pub const MAX_SHARED_BYTES: u64 = 32 << 10;

/// The form of a program and what it yields, or the first rule that it breaks.
pub(crate) fn verify(source: &Source) -> Result<(Form, Option<Type>)> {
    whole(source).map_err(|rule| Error::Program { program: source.name.clone(), rule })?;
    let mut walk = Walk { form: form(source), ..Walk::default() };
    let result = walk.block(source, &source.body, Inside::default());
    let result =
        result.and_then(|()| assigned::check(source)).and_then(|()| uniform::check(source));
    result.map_err(|Broken { number, rule }| Error::Instruction {
        program: source.name.clone(),
        number,
        instruction: nth(&source.body, number).map_or(String::new(), |i| source.inst_to_string(i)),
        rule,
    })?;
    Ok((walk.form, walk.yields))
}

/// A rule that instruction `number` breaks.
struct Broken {
    number: usize,
    rule: String,
}

impl Broken {
    fn new(number: usize, rule: impl Into<String>) -> Broken {
        let rule = rule.into();
        Broken { number, rule }
    }
}

/// Instruction `number` in the order of the text.
fn nth(block: &[Inst], number: usize) -> Option<&Inst> {
    fn find<'i>(block: &'i [Inst], left: &mut usize) -> Option<&'i Inst> {
        for inst in block {
            if *left == 0 {
                return Some(inst);
            }
            *left -= 1;
            for inner in inst.blocks() {
                if let Some(found) = find(inner, left) {
                    return Some(found);
                }
            }
        }
        None
    }
    let mut left = number;
    find(block, &mut left)
}

/// What holds for names, parameters and threadgroup memory.
fn whole(source: &Source) -> Result<(), String> {
    let params = source.params.iter().map(|param| &param.name);
    let names: Vec<&String> = params.chain(source.shared.iter().map(|s| &s.name)).collect();
    for name in names.iter().copied().chain([&source.name]) {
        if !is_name(name) {
            return Err(format!(
                "`{name}` is not a name; use up to 64 letters, digits and _, with a letter or _ first"
            ));
        }
    }
    for (i, name) in names.iter().enumerate() {
        if names[..i].contains(name) {
            return Err(format!("`{name}` is declared twice"));
        }
    }
    for Param { name, kind, dtype } in &source.params {
        let fits = match kind {
            ParamKind::Uniform => Type::ALL.iter().any(|ty| ty.dtype() == *dtype),
            _ => Type::of(*dtype).is_some(),
        };
        if !fits {
            return Err(format!("parameter `{name}` cannot be {dtype}"));
        }
    }
    let shared = source.shared.iter();
    let bytes = shared.map(|s| u64::from(s.len) * if s.ty.is_wide() { 8 } else { 4 });
    let bytes: u64 = bytes.sum();
    if bytes > MAX_SHARED_BYTES {
        return Err(format!(
            "{bytes} bytes of threadgroup memory are too many; at most {MAX_SHARED_BYTES} are supported"
        ));
    }
    Ok(())
}

fn is_name(name: &str) -> bool {
    let literal = matches!(name, "true" | "false" | "nan" | "inf" | "nan64" | "inf64");
    name.len() <= 64
        && !literal
        && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn form(source: &Source) -> Form {
    fn of_element(block: &[Inst]) -> bool {
        block.iter().any(|inst| match inst {
            Inst::Yield { .. } => true,
            Inst::Index { index, .. } => *index == Index::Element,
            _ => inst.blocks().into_iter().any(of_element),
        })
    }
    let view = |param: &Param| matches!(param.kind, ParamKind::View(_));
    if source.params.iter().any(view) || of_element(&source.body) {
        Form::Map
    } else {
        Form::Kernel
    }
}

/// Where an instruction stands.
#[derive(Clone, Copy, Default)]
struct Inside {
    block: bool,
    in_loop: bool,
}

struct Walk {
    form: Form,
    yields: Option<Type>,
    number: usize,
}

impl Default for Walk {
    fn default() -> Walk {
        Walk { form: Form::Kernel, yields: None, number: 0 }
    }
}

impl Walk {
    fn block(&mut self, source: &Source, block: &[Inst], inside: Inside) -> Result<(), Broken> {
        for inst in block {
            let number = self.number;
            self.number += 1;
            let broken = |rule| Broken { number, rule };
            self.inst(source, inst, inside).map_err(broken)?;
            let inner = Inside {
                block: true,
                in_loop: inside.in_loop || matches!(inst, Inst::Loop { .. }),
            };
            for block in inst.blocks() {
                self.block(source, block, inner)?;
            }
        }
        Ok(())
    }

    fn inst(&mut self, source: &Source, inst: &Inst, inside: Inside) -> Result<(), String> {
        let found = rules::result_type(source, inst)?;
        if let (Some(found), Some(dst)) = (found, inst.dst()) {
            if dst.index() >= source.registers.len() {
                return Err(format!("register {} belongs to another program", dst.index()));
            }
            let wanted = source.type_of(dst.into());
            if found != wanted {
                return Err(format!("the result is {found}, but the register is {wanted}"));
            }
        }
        match inst {
            Inst::Break { .. } | Inst::Continue { .. } if !inside.in_loop => {
                return Err("the instruction is outside of any loop".into());
            }
            Inst::Yield { .. } if inside.block => {
                return Err("the yield is inside a block; move it to the end of the program".into());
            }
            Inst::Yield { .. } if self.yields.is_some() => {
                return Err("this is the second yield; a program has at most one".into());
            }
            Inst::Yield { value } => self.yields = Some(source.type_of(*value)),
            _ => {}
        }
        match self.form {
            Form::Map => map_form(source, inst),
            Form::Kernel => Ok(()),
        }
    }
}

/// What a program over the elements of a domain can't have: other threads.
fn map_form(source: &Source, inst: &Inst) -> Result<(), String> {
    let what = match inst {
        Inst::Barrier => "barriers",
        Inst::Reduce { .. } => "reductions",
        Inst::Atomic { .. } => "atomics",
        Inst::Index { index, .. } if *index != Index::Element => "thread indices",
        Inst::Load { from: at, .. } | Inst::Store { to: at, .. } => match at {
            Place::Shared(..) => "threadgroup memory",
            Place::Buffer(param, _)
                if source.params[param.index()].direction() != Some(Direction::In) =>
            {
                "buffers that are written"
            }
            _ => return Ok(()),
        },
        _ => return Ok(()),
    };
    Err(format!(
        "{what} cannot be used in a program over elements (one with views, a yield or `element`)"
    ))
}
