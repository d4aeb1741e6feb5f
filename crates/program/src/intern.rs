//! The cache of programs: equal programs are verified and compiled once.

use crate::{Inst, Operand, Place, Program, Reg, Result, program::Source, verify};
use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

/// How many programs are kept. A process has few; one that makes ever new ones starts over.
const KEPT: usize = 4096;

/// The program of `source`: the one that is known, or a new one if the verifier agrees.
pub(crate) fn program(mut source: Source) -> Result<Program> {
    static KNOWN: Mutex<Option<HashMap<Source, Program>>> = Mutex::new(None);
    renumber(&mut source);
    let lock = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(program) = lock().get_or_insert_default().get(&source) {
        return Ok(program.clone());
    }
    let (form, yields) = verify::verify(&source)?;
    let program = Program::new(source.clone(), form, yields);
    let mut known = lock();
    let known = known.get_or_insert_default();
    if known.len() >= KEPT {
        known.clear();
    }
    known.insert(source, program.clone());
    Ok(program)
}

/// Numbers registers in the order of their first assignment and drops those never used: equal
/// programs are equal however they were made.
fn renumber(source: &mut Source) {
    let mut order = Order { new: vec![None; source.registers.len()], count: 0 };
    let mut body = std::mem::take(&mut source.body);
    order.block(&mut body);
    source.body = body;
    let mut registers = source.registers.clone();
    for (old, new) in order.new.iter().enumerate() {
        if let Some(new) = new {
            registers[usize::from(*new)] = source.registers[old];
        }
    }
    registers.truncate(order.count.into());
    source.registers = registers;
}

struct Order {
    new: Vec<Option<u16>>,
    count: u16,
}

impl Order {
    fn block(&mut self, block: &mut [Inst]) {
        for inst in block {
            inst.for_each_operand_mut(|operand| {
                if let Operand::Reg(reg) = operand {
                    self.reg(reg);
                }
            });
            if let Some(dst) = inst.dst_mut() {
                self.reg(dst);
            }
            match inst {
                Inst::If { then, other, .. } => {
                    self.block(then);
                    self.block(other);
                }
                Inst::Loop { body } => self.block(body),
                _ => {}
            }
        }
    }

    fn reg(&mut self, reg: &mut Reg) {
        // Registers of another program keep their number: the verifier refuses them.
        if let Some(new) = self.new.get_mut(reg.index()) {
            reg.0 = *new.get_or_insert_with(|| {
                self.count += 1;
                self.count - 1
            });
        }
    }
}

impl Inst {
    fn dst_mut(&mut self) -> Option<&mut Reg> {
        match self {
            Inst::Mov { dst, .. }
            | Inst::Unary { dst, .. }
            | Inst::Binary { dst, .. }
            | Inst::Compare { dst, .. }
            | Inst::Fma { dst, .. }
            | Inst::Select { dst, .. }
            | Inst::Convert { dst, .. }
            | Inst::Bits { dst, .. }
            | Inst::Index { dst, .. }
            | Inst::Load { dst, .. }
            | Inst::Atomic { dst, .. }
            | Inst::Reduce { dst, .. } => Some(dst),
            _ => None,
        }
    }

    fn for_each_operand_mut(&mut self, mut f: impl FnMut(&mut Operand)) {
        match self {
            Inst::Mov { a, .. }
            | Inst::Unary { a, .. }
            | Inst::Convert { a, .. }
            | Inst::Bits { a, .. }
            | Inst::Reduce { a, .. } => f(a),
            Inst::Binary { a, b, .. } | Inst::Compare { a, b, .. } => {
                f(a);
                f(b);
            }
            Inst::Fma { a, b, c, .. } | Inst::Select { cond: a, a: b, b: c, .. } => {
                f(a);
                f(b);
                f(c);
            }
            Inst::Load { from, .. } => {
                if let Place::Buffer(_, index) | Place::Shared(_, index) = from {
                    f(index);
                }
            }
            Inst::Store { to: at, value } | Inst::Atomic { at, value, .. } => {
                if let Place::Buffer(_, index) | Place::Shared(_, index) = at {
                    f(index);
                }
                f(value);
            }
            Inst::If { cond, .. } | Inst::Break { cond } | Inst::Continue { cond } => f(cond),
            Inst::Yield { value } => f(value),
            Inst::Index { .. } | Inst::Barrier | Inst::Loop { .. } => {}
        }
    }
}
