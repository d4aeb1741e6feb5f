//! The instructions of a program as WGSL statements.

use super::{inst, type_name};
use crate::{Atomic, Fold, Index, Inst, Operand, Place, Program, Scope, Type};
use std::{collections::BTreeSet, fmt::Write};

/// Statements, and what they call that has to be written too.
pub(super) struct Body<'p> {
    program: &'p Program,
    pub(super) text: String,
    depth: usize,
    /// Reductions over threads.
    pub(super) folds: BTreeSet<(Scope, Fold, Type)>,
    /// Atomic instructions, and the memory they are used on.
    pub(super) atomics: BTreeSet<(Atomic, String)>,
}

impl<'p> Body<'p> {
    /// All of `program`, with its registers.
    pub(super) fn new(program: &'p Program) -> Body<'p> {
        let mut body = Body {
            program,
            text: String::new(),
            depth: 1,
            folds: BTreeSet::new(),
            atomics: BTreeSet::new(),
        };
        for (i, ty) in program.registers().iter().enumerate() {
            body.line(&format!("var r{i}: {};", type_name(*ty)));
        }
        body.block(program.body());
        body
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{:1$}{line}", "", 4 * self.depth);
    }

    fn operand(&self, operand: Operand) -> String {
        inst::operand(self.program, operand)
    }

    fn block(&mut self, block: &[Inst]) {
        for inst in block {
            self.inst(inst);
        }
    }

    fn inst(&mut self, inst: &Inst) {
        let of = |operand: &Operand| self.program.type_of(*operand);
        let value = match inst {
            Inst::Mov { a, .. } => self.operand(*a),
            Inst::Unary { op, a, .. } => inst::unary(*op, of(a), &self.operand(*a)),
            Inst::Binary { op, a, b, .. } => {
                inst::binary(*op, of(a), &self.operand(*a), &self.operand(*b))
            }
            Inst::Compare { op, a, b, .. } => {
                inst::compare(*op, of(a), &self.operand(*a), &self.operand(*b))
            }
            Inst::Fma { a, b, c, .. } => {
                let [a, b, c] = [a, b, c].map(|operand| self.operand(*operand));
                format!("fma({a}, {b}, {c})")
            }
            Inst::Select { cond, a, b, .. } => {
                let [cond, a, b] = [cond, a, b].map(|operand| self.operand(*operand));
                format!("select({b}, {a}, {cond})")
            }
            Inst::Convert { to, a, .. } => inst::convert(of(a), *to, &self.operand(*a)),
            Inst::Bits { to, a, .. } => {
                format!("bitcast<{}>({})", type_name(*to), self.operand(*a))
            }
            Inst::Index { index, .. } => thread(*index).to_owned(),
            Inst::Load { from, .. } => self.load(from),
            Inst::Atomic { op, at, value, .. } => self.atomic(*op, at, *value),
            Inst::Reduce { op, scope, a, .. } => {
                self.folds.insert((*scope, *op, of(a)));
                format!("{scope}_{op}_{}({})", of(a), self.operand(*a))
            }
            Inst::Store { to, value } => return self.store(to, *value),
            Inst::Barrier => {
                self.line("storageBarrier();");
                return self.line("workgroupBarrier();");
            }
            Inst::If { cond, then, other } => {
                let cond = self.operand(*cond);
                self.nested(&format!("if {cond} {{"), then);
                if !other.is_empty() {
                    self.nested("} else {", other);
                }
                return self.line("}");
            }
            Inst::Loop { body } => {
                self.nested("loop {", body);
                return self.line("}");
            }
            Inst::Break { cond } => {
                let cond = self.operand(*cond);
                return self.line(&format!("if {cond} {{ break; }}"));
            }
            Inst::Continue { cond } => {
                let cond = self.operand(*cond);
                return self.line(&format!("if {cond} {{ continue; }}"));
            }
            Inst::Yield { value } => {
                let value = self.operand(*value);
                return self.line(&format!("yielded = {value};"));
            }
        };
        let dst = inst.dst().expect("all others assign a register").index();
        self.line(&format!("r{dst} = {value};"));
    }

    fn nested(&mut self, head: &str, block: &[Inst]) {
        self.line(head);
        self.depth += 1;
        self.block(block);
        self.depth -= 1;
    }

    /// An index as `i32`.
    fn index(&self, index: Operand) -> String {
        let text = self.operand(index);
        match self.program.type_of(index) {
            Type::I32 => text,
            _ => format!("bitcast<i32>({text})"),
        }
    }

    fn load(&self, place: &Place) -> String {
        match place {
            Place::Here(param) => format!("load_p{0}(at_p{0})", param.index()),
            Place::Buffer(param, index) => {
                format!("load_inside_p{}({})", param.index(), self.index(*index))
            }
            Place::Shared(shared, index) => {
                let (name, index) = (shared.index(), self.index(*index));
                format!("load_shared{name}({index})")
            }
        }
    }

    fn store(&mut self, place: &Place, value: Operand) {
        let value = self.operand(value);
        let line = match place {
            Place::Here(param) => format!("store_p{0}(at_p{0}, {value});", param.index()),
            Place::Buffer(param, index) => {
                format!("store_inside_p{}({}, {value});", param.index(), self.index(*index))
            }
            Place::Shared(shared, index) => {
                format!("store_shared{}({}, {value});", shared.index(), self.index(*index))
            }
        };
        self.line(&line);
    }

    fn atomic(&mut self, op: Atomic, at: &Place, value: Operand) -> String {
        let value = self.operand(value);
        let (name, index) = match at {
            Place::Here(param) => (format!("p{}", param.index()), "0".to_owned()),
            Place::Buffer(param, index) => (format!("p{}", param.index()), self.index(*index)),
            Place::Shared(shared, index) => {
                (format!("shared{}", shared.index()), self.index(*index))
            }
        };
        let call = format!("{op}_{name}({index}, {value})");
        self.atomics.insert((op, name));
        call
    }
}

/// Where a thread is.
fn thread(index: Index) -> &'static str {
    match index {
        Index::Element => "element",
        Index::ThreadX => "thread.x",
        Index::ThreadY => "thread.y",
        Index::ThreadZ => "thread.z",
        Index::GroupX => "group.x",
        Index::GroupY => "group.y",
        Index::GroupZ => "group.z",
        Index::GlobalX => "(group.x * BLOCK.x + thread.x)",
        Index::GlobalY => "(group.y * BLOCK.y + thread.y)",
        Index::GlobalZ => "(group.z * BLOCK.z + thread.z)",
        Index::BlockX => "BLOCK.x",
        Index::BlockY => "BLOCK.y",
        Index::BlockZ => "BLOCK.z",
        Index::GridX => "grid.x",
        Index::GridY => "grid.y",
        Index::GridZ => "grid.z",
        Index::Linear => "linear",
        Index::Lane => "(linear % 32u)",
        Index::Simdgroup => "(linear / 32u)",
    }
}

/// Which parameters and threadgroup memory are used by atomic instructions.
pub(super) fn atomics(program: &Program) -> (BTreeSet<usize>, BTreeSet<usize>) {
    fn look(block: &[Inst], params: &mut BTreeSet<usize>, shared: &mut BTreeSet<usize>) {
        for inst in block {
            match inst {
                Inst::Atomic { at: Place::Here(p) | Place::Buffer(p, _), .. } => {
                    params.insert(p.index());
                }
                Inst::Atomic { at: Place::Shared(s, _), .. } => {
                    shared.insert(s.index());
                }
                _ => inst.blocks().into_iter().for_each(|block| look(block, params, shared)),
            }
        }
    }
    let (mut params, mut shared) = (BTreeSet::new(), BTreeSet::new());
    look(program.body(), &mut params, &mut shared);
    (params, shared)
}
