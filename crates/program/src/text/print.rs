//! Programs as text.

use crate::{Inst, Operand, Param, ParamKind, Place, Program, program::Source};
use std::fmt::{self, Write};

/// The text form, which [`Program::parse`] reads back as an equal program.
impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let source = self.source();
        write!(f, "program {}(", source.name)?;
        for (i, param) in source.params.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            let Param { name, dtype, .. } = param;
            match param.kind {
                ParamKind::View(d) => write!(f, "{comma}{} view {name}: {dtype}", d.name())?,
                ParamKind::Buffer(d) => write!(f, "{comma}{} buffer {name}: {dtype}", d.name())?,
                ParamKind::Uniform => write!(f, "{comma}uniform {name}: {dtype}")?,
            }
        }
        writeln!(f, ") {{")?;
        for shared in &source.shared {
            writeln!(f, "    shared {}: {}[{}]", shared.name, shared.ty, shared.len)?;
        }
        source.print_block(f, &source.body, 1)?;
        write!(f, "}}")
    }
}

impl Source {
    /// The first line of an instruction.
    pub(crate) fn inst_to_string(&self, inst: &Inst) -> String {
        let mut text = String::new();
        let _ = self.print_head(&mut text, inst);
        text
    }

    fn print_block(&self, f: &mut dyn Write, block: &[Inst], depth: usize) -> fmt::Result {
        for inst in block {
            write!(f, "{:1$}", "", depth * 4)?;
            self.print_head(f, inst)?;
            match inst {
                Inst::If { then, other, .. } => {
                    writeln!(f, " {{")?;
                    self.print_block(f, then, depth + 1)?;
                    if !other.is_empty() {
                        writeln!(f, "{:1$}}} else {{", "", depth * 4)?;
                        self.print_block(f, other, depth + 1)?;
                    }
                    write!(f, "{:1$}}}", "", depth * 4)?;
                }
                Inst::Loop { body } => {
                    writeln!(f, " {{")?;
                    self.print_block(f, body, depth + 1)?;
                    write!(f, "{:1$}}}", "", depth * 4)?;
                }
                _ => {}
            }
            writeln!(f)?;
        }
        Ok(())
    }

    fn print_head(&self, f: &mut dyn Write, inst: &Inst) -> fmt::Result {
        let show = |operand: &Operand| Shown(self, *operand);
        if let Some(dst) = inst.dst() {
            write!(f, "%{} = ", dst.index())?;
        }
        match inst {
            Inst::Mov { a, .. } => write!(f, "mov {}", show(a)),
            Inst::Unary { op, a, .. } => write!(f, "{op} {}", show(a)),
            Inst::Binary { op, a, b, .. } => write!(f, "{op} {}, {}", show(a), show(b)),
            Inst::Compare { op, a, b, .. } => write!(f, "{op} {}, {}", show(a), show(b)),
            Inst::Fma { a, b, c, .. } => write!(f, "fma {}, {}, {}", show(a), show(b), show(c)),
            Inst::Select { cond, a, b, .. } => {
                write!(f, "select {}, {}, {}", show(cond), show(a), show(b))
            }
            Inst::Convert { to, a, .. } => write!(f, "{to} {}", show(a)),
            Inst::Bits { to, a, .. } => write!(f, "bits_{to} {}", show(a)),
            Inst::Index { index, .. } => write!(f, "{index}"),
            Inst::Load { from, .. } => {
                write!(f, "load ")?;
                self.print_place(f, from)
            }
            Inst::Store { to, value } => {
                write!(f, "store ")?;
                self.print_place(f, to)?;
                write!(f, ", {}", show(value))
            }
            Inst::Atomic { op, at, value, .. } => {
                write!(f, "atomic_{op} ")?;
                self.print_place(f, at)?;
                write!(f, ", {}", show(value))
            }
            Inst::Reduce { op, scope, a, .. } => write!(f, "{scope}_{op} {}", show(a)),
            Inst::Barrier => write!(f, "barrier"),
            Inst::If { cond, .. } => write!(f, "if {}", show(cond)),
            Inst::Loop { .. } => write!(f, "loop"),
            Inst::Break { cond } => write!(f, "break {}", show(cond)),
            Inst::Continue { cond } => write!(f, "continue {}", show(cond)),
            Inst::Yield { value } => write!(f, "yield {}", show(value)),
        }
    }

    fn print_place(&self, f: &mut dyn Write, place: &Place) -> fmt::Result {
        // Ids of other programs are shown too: an error may be about them.
        let param = |id: usize| self.params.get(id).map_or("?", |param| &param.name);
        let shared = |id: usize| self.shared.get(id).map_or("?", |shared| &shared.name);
        match place {
            Place::Here(id) => write!(f, "{}[@]", param(id.index())),
            Place::Buffer(id, index) => write!(f, "{}[{}]", param(id.index()), Shown(self, *index)),
            Place::Shared(id, index) => {
                write!(f, "{}[{}]", shared(id.index()), Shown(self, *index))
            }
        }
    }
}

/// An operand with the names of its program.
struct Shown<'a>(&'a Source, Operand);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.1 {
            Operand::Reg(reg) => write!(f, "%{}", reg.index()),
            Operand::Literal(literal) => write!(f, "{literal}"),
            Operand::Uniform(id) => {
                let name = self.0.params.get(id.index()).map_or("?", |param| &param.name);
                write!(f, "{name}")
            }
        }
    }
}
