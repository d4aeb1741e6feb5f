//! Barriers and reductions need all threads of a group: they stand where flow is uniform.
//!
//! A register is varying if threads of one group may have different values in it. Flow is
//! uniform unless a condition on the way to it varies. Assuming all uniform at first, varying
//! registers are added until nothing changes.

use super::Broken;
use crate::{Direction, Index, Inst, Operand, Place, Scope, program::Source};

pub(super) fn check(source: &Source) -> Result<(), Broken> {
    if !source.body.iter().any(meets) {
        return Ok(());
    }
    let mut flow = Flow {
        source,
        varying: vec![false; source.registers.len()],
        changed: true,
        number: 0,
        broken: None,
    };
    while std::mem::take(&mut flow.changed) {
        flow.number = 0;
        flow.broken = None;
        flow.block(&source.body, false);
    }
    flow.broken.map_or(Ok(()), Err)
}

/// Whether an instruction has threads wait for each other.
fn meets(inst: &Inst) -> bool {
    matches!(inst, Inst::Barrier | Inst::Reduce { .. })
        || inst.blocks().into_iter().flatten().any(meets)
}

struct Flow<'s> {
    source: &'s Source,
    varying: Vec<bool>,
    changed: bool,
    number: usize,
    broken: Option<Broken>,
}

impl Flow<'_> {
    fn block(&mut self, block: &[Inst], divergent: bool) {
        for inst in block {
            let number = self.number;
            self.number += 1;
            if divergent
                && self.broken.is_none()
                && matches!(inst, Inst::Barrier | Inst::Reduce { .. })
            {
                self.broken = Some(Broken::new(
                    number,
                    "not all threads of the group may get here: a condition before it differs \
                     between them",
                ));
            }
            match inst {
                Inst::If { cond, then, other } => {
                    let divergent = divergent || self.varies(*cond);
                    self.block(then, divergent);
                    self.block(other, divergent);
                }
                Inst::Loop { body } => {
                    let divergent = divergent || self.leaves_apart(body, false);
                    self.block(body, divergent);
                }
                _ => {}
            }
            if let Some(dst) = inst.dst()
                && !self.varying[dst.index()]
                && (divergent || self.gives_varying(inst))
            {
                self.varying[dst.index()] = true;
                self.changed = true;
            }
        }
    }

    /// Whether threads may leave, or skip a part of, the loop with this body at different times.
    fn leaves_apart(&self, body: &[Inst], divergent: bool) -> bool {
        body.iter().any(|inst| match inst {
            Inst::Break { cond } | Inst::Continue { cond } => divergent || self.varies(*cond),
            Inst::If { cond, then, other } => {
                let divergent = divergent || self.varies(*cond);
                self.leaves_apart(then, divergent) || self.leaves_apart(other, divergent)
            }
            // Its breaks are its own.
            _ => false,
        })
    }

    fn varies(&self, operand: Operand) -> bool {
        matches!(operand, Operand::Reg(reg) if self.varying[reg.index()])
    }

    fn gives_varying(&self, inst: &Inst) -> bool {
        let mut operands = false;
        inst.for_each_operand(|operand| operands |= self.varies(operand));
        match inst {
            Inst::Reduce { scope, .. } => *scope == Scope::Simd,
            Inst::Index { index, .. } => match index {
                Index::GroupX | Index::GroupY | Index::GroupZ => false,
                Index::BlockX | Index::BlockY | Index::BlockZ => false,
                Index::GridX | Index::GridY | Index::GridZ => false,
                Index::Element | Index::Linear | Index::Lane | Index::Simdgroup => true,
                Index::ThreadX | Index::ThreadY | Index::ThreadZ => true,
                Index::GlobalX | Index::GlobalY | Index::GlobalZ => true,
            },
            // What other threads write may be seen by some and not yet by others.
            Inst::Load { from, .. } => match from {
                Place::Buffer(param, _) => {
                    let direction = self.source.params[param.index()].direction();
                    operands || direction != Some(Direction::In)
                }
                Place::Here(_) | Place::Shared(..) => true,
            },
            Inst::Atomic { .. } => true,
            _ => operands,
        }
    }
}
