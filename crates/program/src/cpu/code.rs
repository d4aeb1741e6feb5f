//! Programs compiled for the CPU: registers become slots of a small register file, and each step
//! stores what can be computed once.

use super::slots::Slots;
use crate::{
    Atomic, Binary, Compare, Fold, Index, Inst, Operand, ParamId, ParamKind, Place, Program, Scope,
    Type, Unary, program::Source,
};
use bessemer_simd::Isa;

/// A program compiled for an instruction set.
#[derive(Debug)]
pub struct Code {
    /// The program's name.
    pub(super) name: String,
    pub(super) isa: Isa,
    pub(super) body: Vec<Step>,
    /// Its steps, those in blocks too.
    pub(super) weight: usize,
    /// How many slots the file needs.
    pub(super) slots: usize,
    /// The threadgroup memory.
    pub(super) shared: Vec<SharedAt>,
    /// Whether no slots are needed when all views can be used in place.
    pub(super) streams: bool,
    /// Whether elements ask for their number.
    pub(super) numbers: bool,
    /// Whether it yields values of 64 bits.
    pub(super) yields_wide: bool,
    /// Stores to views in the program; too many to count if there are blocks.
    pub(super) stores: usize,
}

/// A piece of threadgroup memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct SharedAt {
    /// Where it starts, in words of 64 bits.
    pub(super) start: usize,
    /// How many elements it has.
    pub(super) len: usize,
    pub(super) wide: bool,
}

impl SharedAt {
    /// The words of 64 bits it takes.
    pub(super) fn words(self) -> usize {
        if self.wide { self.len } else { self.len.div_ceil(2) }
    }
}

/// What a step reads.
#[derive(Clone, Copy, Debug)]
pub(super) enum Arg {
    Slot(u16),
    Bits(u64),
    Uniform(u8),
}

/// What a step assigns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dst {
    pub(super) slot: u16,
    /// Whether its lanes have 64 bits, and so two slots.
    pub(super) wide: bool,
    /// Whether lanes that are not active may be overwritten: nobody will read them.
    pub(super) whole: bool,
    /// The view that the next step stores this to, for which alone it is made.
    pub(super) out: Option<ParamId>,
}

/// One instruction, ready to run.
#[derive(Debug)]
pub(super) enum Step {
    Mov {
        dst: Dst,
        a: Arg,
    },
    Unary {
        op: Unary,
        ty: Type,
        dst: Dst,
        a: Arg,
    },
    Binary {
        op: Binary,
        ty: Type,
        dst: Dst,
        a: Arg,
        b: Arg,
    },
    Compare {
        op: Compare,
        ty: Type,
        dst: Dst,
        a: Arg,
        b: Arg,
    },
    Fma {
        ty: Type,
        dst: Dst,
        args: [Arg; 3],
    },
    Select {
        dst: Dst,
        cond: Arg,
        a: Arg,
        b: Arg,
    },
    Convert {
        from: Type,
        to: Type,
        dst: Dst,
        a: Arg,
    },
    Index {
        index: Index,
        dst: Dst,
    },
    /// `held`: a store lies between this and the last use of the register.
    LoadView {
        view: ParamId,
        dst: Dst,
        held: bool,
    },
    LoadBuffer {
        param: ParamId,
        dst: Dst,
        index: Arg,
        signed: bool,
    },
    LoadShared {
        shared: usize,
        dst: Dst,
        index: Arg,
        signed: bool,
    },
    StoreView {
        view: ParamId,
        wide: bool,
        value: Arg,
    },
    StoreBuffer {
        param: ParamId,
        index: Arg,
        signed: bool,
        wide: bool,
        value: Arg,
    },
    StoreShared {
        shared: usize,
        index: Arg,
        signed: bool,
        wide: bool,
        value: Arg,
    },
    Atomic {
        op: Atomic,
        ty: Type,
        dst: Dst,
        at: AtomicPlace,
        index: Arg,
        signed: bool,
        value: Arg,
    },
    Reduce {
        op: Fold,
        ty: Type,
        scope: Scope,
        dst: Dst,
        a: Arg,
    },
    If {
        cond: Arg,
        then: Vec<Step>,
        other: Vec<Step>,
    },
    Loop {
        body: Vec<Step>,
        /// Its number among the instructions.
        number: usize,
        /// The steps of its body, those in blocks too.
        weight: usize,
    },
    Break {
        cond: Arg,
    },
    Continue {
        cond: Arg,
    },
    Yield {
        value: Arg,
    },
}

/// Memory that atomics change.
#[derive(Clone, Copy, Debug)]
pub(super) enum AtomicPlace {
    Buffer(ParamId),
    Shared(usize),
}

impl Code {
    pub(crate) fn new(program: &Program, isa: Isa) -> Code {
        let source = program.source();
        let slots = Slots::new(source);
        let mut compiler = Compiler { source, slots: &slots, number: 0 };
        let body = compiler.block(&source.body, true);
        let mut start = 0;
        let shared = source.shared.iter().map(|shared| {
            let at = SharedAt { start, len: shared.len as usize, wide: shared.ty.is_wide() };
            start += at.words();
            at
        });
        let shared = shared.collect();
        let straight = body.iter().all(|step| !matches!(step, Step::If { .. } | Step::Loop { .. }));
        let stores = |step: &&Step| matches!(step, Step::StoreView { .. });
        let stores = body.iter().filter(stores).count();
        Code {
            name: source.name.clone(),
            numbers: uses_numbers(&source.body),
            yields_wide: program.yields().is_some_and(Type::is_wide),
            isa,
            weight: weight(&body),
            slots: slots.count(),
            shared,
            streams: stores == 1 && body.iter().all(Step::streams),
            stores: if straight { stores } else { usize::MAX },
            body,
        }
    }
}

fn weight(steps: &[Step]) -> usize {
    let each = |step: &Step| match step {
        Step::If { then, other, .. } => 1 + weight(then) + weight(other),
        Step::Loop { weight, .. } => 1 + weight,
        _ => 1,
    };
    steps.iter().map(each).sum()
}

fn uses_numbers(block: &[Inst]) -> bool {
    block.iter().any(|inst| match inst {
        Inst::Index { index, .. } => *index == Index::Element,
        _ => inst.blocks().into_iter().any(uses_numbers),
    })
}

impl Step {
    /// Whether it needs no slot when views can be used in place.
    fn streams(&self) -> bool {
        match self {
            Step::LoadView { .. } | Step::StoreView { .. } => true,
            Step::Unary { dst, .. }
            | Step::Binary { dst, .. }
            | Step::Compare { dst, .. }
            | Step::Fma { dst, .. }
            | Step::Convert { dst, .. }
            | Step::Select { dst, .. } => dst.out.is_some(),
            _ => false,
        }
    }
}

struct Compiler<'s> {
    source: &'s Source,
    slots: &'s Slots,
    number: usize,
}

impl Compiler<'_> {
    fn block(&mut self, block: &[Inst], top: bool) -> Vec<Step> {
        let mut steps = Vec::with_capacity(block.len());
        for (i, inst) in block.iter().enumerate() {
            let number = self.number;
            self.number += 1;
            let out = block.get(i + 1).and_then(|next| self.out(inst, next, top));
            steps.extend(self.step(inst, number, out));
        }
        steps
    }

    /// The view that `next` stores the register of `inst` to, if that is all that becomes of it.
    fn out(&self, inst: &Inst, next: &Inst, top: bool) -> Option<ParamId> {
        let (dst, Inst::Store { to: Place::Here(view), value }) = (inst.dst()?, next) else {
            return None;
        };
        let plain = super::is_plain(self.source.params[view.index()].dtype);
        let only = *value == Operand::Reg(dst) && self.slots.accesses(dst) == 2;
        (top && plain && only).then_some(*view)
    }

    fn step(&mut self, inst: &Inst, number: usize, out: Option<ParamId>) -> Option<Step> {
        let ty = |operand: &Operand| self.source.type_of(*operand);
        let arg = |operand: &Operand| match *operand {
            Operand::Reg(reg) => Arg::Slot(self.slots.slot(reg)),
            Operand::Literal(literal) => Arg::Bits(literal.bits()),
            Operand::Uniform(param) => Arg::Uniform(param.0),
        };
        let dst = |reg: &crate::Reg| Dst {
            slot: self.slots.slot(*reg),
            wide: self.source.registers[reg.index()].is_wide(),
            whole: self.slots.is_whole(*reg, number),
            out,
        };
        let signed = |index: &Operand| ty(index) == Type::I32;
        Some(match inst {
            Inst::Mov { dst: d, a } | Inst::Bits { dst: d, a, .. } => {
                Step::Mov { dst: dst(d), a: arg(a) }
            }
            Inst::Unary { op, dst: d, a } => {
                Step::Unary { op: *op, ty: ty(a), dst: dst(d), a: arg(a) }
            }
            Inst::Binary { op, dst: d, a, b } => {
                Step::Binary { op: *op, ty: ty(a), dst: dst(d), a: arg(a), b: arg(b) }
            }
            Inst::Compare { op, dst: d, a, b } => {
                Step::Compare { op: *op, ty: ty(a), dst: dst(d), a: arg(a), b: arg(b) }
            }
            Inst::Fma { dst: d, a, b, c } => {
                Step::Fma { ty: ty(a), dst: dst(d), args: [arg(a), arg(b), arg(c)] }
            }
            Inst::Select { dst: d, cond, a, b } => {
                Step::Select { dst: dst(d), cond: arg(cond), a: arg(a), b: arg(b) }
            }
            // Integers of the other sign keep their bits.
            Inst::Convert { to, dst: d, a }
                if ty(a) == *to
                    || ty(a).is_integer() && to.is_integer() && ty(a).is_wide() == to.is_wide() =>
            {
                Step::Mov { dst: dst(d), a: arg(a) }
            }
            Inst::Convert { to, dst: d, a } => {
                Step::Convert { from: ty(a), to: *to, dst: dst(d), a: arg(a) }
            }
            Inst::Index { index, dst: d } => Step::Index { index: *index, dst: dst(d) },
            Inst::Load { dst: d, from } => match from {
                Place::Here(view) => Step::LoadView {
                    view: *view,
                    dst: dst(d),
                    held: self.slots.is_held(*d, number),
                },
                Place::Buffer(param, i) => Step::LoadBuffer {
                    param: *param,
                    dst: dst(d),
                    index: arg(i),
                    signed: signed(i),
                },
                Place::Shared(shared, i) => Step::LoadShared {
                    shared: shared.index(),
                    dst: dst(d),
                    index: arg(i),
                    signed: signed(i),
                },
            },
            Inst::Store { to, value } => match to {
                Place::Here(view) => {
                    Step::StoreView { view: *view, wide: ty(value).is_wide(), value: arg(value) }
                }
                Place::Buffer(param, i) => Step::StoreBuffer {
                    param: *param,
                    index: arg(i),
                    signed: signed(i),
                    wide: ty(value).is_wide(),
                    value: arg(value),
                },
                Place::Shared(shared, i) => Step::StoreShared {
                    shared: shared.index(),
                    index: arg(i),
                    signed: signed(i),
                    wide: ty(value).is_wide(),
                    value: arg(value),
                },
            },
            Inst::Atomic { op, dst: d, at, value } => {
                let (at, index) = match at {
                    Place::Buffer(param, index) => (AtomicPlace::Buffer(*param), index),
                    Place::Shared(shared, index) => (AtomicPlace::Shared(shared.index()), index),
                    Place::Here(_) => return None,
                };
                Step::Atomic {
                    op: *op,
                    ty: ty(value),
                    dst: dst(d),
                    at,
                    index: arg(index),
                    signed: signed(index),
                    value: arg(value),
                }
            }
            Inst::Reduce { op, scope, dst: d, a } => {
                Step::Reduce { op: *op, ty: ty(a), scope: *scope, dst: dst(d), a: arg(a) }
            }
            // Threads of a group run in lockstep: they are all here.
            Inst::Barrier => return None,
            Inst::If { cond, then, other } => {
                let cond = arg(cond);
                let then = self.block(then, false);
                let other = self.block(other, false);
                Step::If { cond, then, other }
            }
            Inst::Loop { body } => {
                let body = self.block(body, false);
                Step::Loop { weight: weight(&body), body, number }
            }
            Inst::Break { cond } => Step::Break { cond: arg(cond) },
            Inst::Continue { cond } => Step::Continue { cond: arg(cond) },
            Inst::Yield { value } => Step::Yield { value: arg(value) },
        })
    }
}

impl Program {
    /// The parameters that are views, with their numbers.
    pub fn views(&self) -> impl Iterator<Item = (usize, &crate::Param)> {
        let params = self.params().iter().enumerate();
        params.filter(|(_, param)| matches!(param.kind, ParamKind::View(_)))
    }
}
