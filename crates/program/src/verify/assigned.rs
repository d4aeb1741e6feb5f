//! Every register has a value before it is read, on every path.

use super::Broken;
use crate::{Inst, Operand, program::Source};

pub(super) fn check(source: &Source) -> Result<(), Broken> {
    let mut check = Check { number: 0, exits: Vec::new() };
    let mut assigned = Set::new(source.registers.len());
    check.block(&source.body, &mut assigned)
}

struct Check {
    number: usize,
    /// For each open loop: what is assigned at all of its breaks so far.
    exits: Vec<Option<Set>>,
}

impl Check {
    fn block(&mut self, block: &[Inst], assigned: &mut Set) -> Result<(), Broken> {
        for inst in block {
            let number = self.number;
            self.number += 1;
            let mut missing = None;
            inst.for_each_operand(|operand| match operand {
                Operand::Reg(reg) if !assigned.has(reg.index()) => missing = Some(reg),
                _ => {}
            });
            if let Some(reg) = missing {
                let rule = format!("%{} may have no value yet", reg.index());
                return Err(Broken { number, rule });
            }
            match inst {
                Inst::If { then, other, .. } => {
                    let mut at_else = assigned.clone();
                    self.block(then, assigned)?;
                    self.block(other, &mut at_else)?;
                    assigned.keep(&at_else);
                }
                Inst::Loop { body } => {
                    self.exits.push(None);
                    self.block(body, &mut assigned.clone())?;
                    match self.exits.pop().flatten() {
                        Some(exit) => *assigned = exit,
                        None => {
                            return Err(Broken::new(
                                number,
                                "the loop has no break, so it never ends",
                            ));
                        }
                    }
                }
                Inst::Break { .. } => {
                    if let Some(exit) = self.exits.last_mut() {
                        match exit {
                            Some(exit) => exit.keep(assigned),
                            None => *exit = Some(assigned.clone()),
                        }
                    }
                }
                _ => {}
            }
            if let Some(dst) = inst.dst() {
                assigned.add(dst.index());
            }
        }
        Ok(())
    }
}

/// A set of registers.
#[derive(Clone)]
struct Set(Vec<u64>);

impl Set {
    fn new(registers: usize) -> Set {
        Set(vec![0; registers.div_ceil(64)])
    }

    fn has(&self, reg: usize) -> bool {
        self.0[reg / 64] >> (reg % 64) & 1 == 1
    }

    fn add(&mut self, reg: usize) {
        self.0[reg / 64] |= 1 << (reg % 64);
    }

    /// Keeps what is in both.
    fn keep(&mut self, other: &Set) {
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            *a &= b;
        }
    }
}
