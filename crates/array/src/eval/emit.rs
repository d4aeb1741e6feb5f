//! A plan as batches of ops, more than one if something is computed on the host: allocates memory, and
//! reuses it.

use super::{
    lower,
    ops::{in_two, one_of, push_map, push_reduce},
    plan::{Plan, Role},
    recipe::{Input, Operands, Recipe, Source},
};
use crate::{Array, Result, call::HostCall, node::Kind};
use bessemer_core::{Batch, Buffer, DType, Device, Shape, View};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// The ops of a plan, and where each node will lie when they have run.
pub(super) struct Emitted {
    /// Functions on the host, in order, each after a batch.
    pub(super) stages: Vec<Stage>,
    /// What runs after all of them.
    pub(super) batch: Batch,
    pub(super) views: SmallVec<[Option<View>; 2]>,
    /// How many batches and functions on the host are done when each node is there.
    pub(super) made_after: SmallVec<[usize; 2]>,
}

/// A batch, and then a function on the host.
pub(super) struct Stage {
    pub(super) batch: Batch,
    pub(super) call: Arc<dyn HostCall>,
    pub(super) inputs: Vec<View>,
    pub(super) out: View,
}

/// Turns a plan into ops. Nothing has run, and nothing is changed, if it fails.
pub(super) fn emit(plan: &mut Plan, device: &dyn Device, epoch: u64) -> Result<Emitted> {
    let recipes: SmallVec<[_; 1]> = (0..plan.groups.len()).map(|i| plan.recipe(i, epoch)).collect();
    let mut emitter = Emitter {
        device,
        readers: readers(plan, &recipes, epoch),
        views: smallvec![None; plan.nodes.len()],
        owns: smallvec![false; plan.nodes.len()],
        free: Vec::new(),
        stages: Vec::new(),
        batch: Batch::new(),
        made_after: smallvec![0; plan.nodes.len()],
        plan,
        epoch,
    };
    for slot in 0..emitter.plan.nodes.len() {
        let stages = emitter.stages.len();
        match emitter.plan.nodes[slot].role {
            Role::Result(group) => emitter.group(slot, &recipes[group])?,
            Role::Call => emitter.call(slot)?,
            Role::View => emitter.view(slot)?,
            Role::Step(..) | Role::Constant => {}
        }
        // The function of a stage makes its own result; the batch that is being filled makes the others.
        let is_batched = emitter.stages.len() == stages;
        emitter.made_after[slot] = 2 * emitter.stages.len() + usize::from(is_batched);
    }
    let Emitter { stages, batch, views, made_after, .. } = emitter;
    Ok(Emitted { stages, batch, views, made_after })
}

/// How many ops and views will read each node.
fn readers(plan: &Plan, recipes: &[(Recipe, Operands)], epoch: u64) -> SmallVec<[u32; 8]> {
    let mut readers = smallvec![0; plan.nodes.len()];
    for (_, operands) in recipes {
        for slot in slots(operands) {
            readers[slot] += 1;
        }
    }
    for (slot, node) in plan.nodes.iter().enumerate() {
        if matches!(node.role, Role::View | Role::Call) {
            for i in 0..node.expr.inputs.len() {
                if let Some(input) = plan.input(slot, i, epoch) {
                    readers[input] += 1;
                }
            }
        }
    }
    readers
}

/// The nodes of the plan among the inputs of a group; those read in two ways come twice.
fn slots(operands: &Operands) -> impl Iterator<Item = usize> {
    operands.inputs.iter().filter_map(|input| match input.source {
        Source::Slot(slot) => Some(slot),
        Source::Known(_) => None,
    })
}

struct Emitter<'a> {
    plan: &'a Plan,
    epoch: u64,
    device: &'a dyn Device,
    stages: Vec<Stage>,
    batch: Batch,
    made_after: SmallVec<[usize; 2]>,
    /// Where nodes lie.
    views: SmallVec<[Option<View>; 2]>,
    /// Whether that memory is the node's own.
    owns: SmallVec<[bool; 8]>,
    /// What is still to read them.
    readers: SmallVec<[u32; 8]>,
    /// Memory of nodes that nobody reads any more.
    free: Vec<Buffer>,
}

impl Emitter<'_> {
    fn group(&mut self, slot: usize, (recipe, operands): &(Recipe, Operands)) -> Result<()> {
        let (shape, dtype) = self.place(slot);
        let in_place = match recipe.fold {
            None => {
                operands.inputs.iter().position(|input| self.may_overwrite(input, operands, dtype))
            }
            Some(_) => None,
        };
        let mut inputs: SmallVec<[View; 4]> = SmallVec::new();
        for input in &operands.inputs {
            let view = match &input.source {
                Source::Known(array) => self.known(array)?,
                Source::Slot(slot) => self.made(*slot)?,
            };
            inputs.push(match &input.map {
                Some(map) => map.apply(view)?,
                None => view.clone(),
            });
        }
        let out = match in_place {
            Some(i) => {
                let view = &inputs[i];
                View::at(view.buffer(), dtype, shape, *view.strides(), view.offset())?
            }
            None => self.memory(shape, dtype)?,
        };
        if out.elements() > 0 {
            self.push(slot, recipe, operands, &mut inputs, &out)?;
        }
        self.views[slot] = Some(out);
        self.owns[slot] = true;
        for (i, input) in operands.inputs.iter().enumerate() {
            match input.source {
                // Its memory has a new owner.
                Source::Slot(slot) if in_place == Some(i) => self.owns[slot] = false,
                Source::Slot(slot) => self.release(slot),
                Source::Known(_) => {}
            }
        }
        Ok(())
    }

    /// Adds the ops of a group.
    fn push(
        &mut self,
        slot: usize,
        recipe: &Recipe,
        operands: &Operands,
        inputs: &mut SmallVec<[View; 4]>,
        out: &View,
    ) -> Result<()> {
        let expr = &self.plan.nodes[slot].expr;
        let Kind::Reduce(reduction) = expr.kind else {
            let program = lower::program(recipe)?;
            return push_map(&mut self.batch, program, inputs.drain(..), recipe, operands, out);
        };
        if !inputs.is_empty() {
            let program = lower::program(recipe)?;
            let batch = &mut self.batch;
            return push_reduce(batch, program, reduction, inputs.drain(..), recipe, operands, out);
        }
        let (domain, dtype) = (*expr.inputs[0].shape(), expr.inputs[0].dtype());
        let (one, many) = in_two(recipe, dtype);
        let number = self.memory(one_of(&domain)?, dtype)?;
        push_map(&mut self.batch, lower::program(&one)?, [], &one, operands, &number)?;
        let all = [number.broadcast_to(domain)?];
        let (program, none) = (lower::program(&many)?, Operands::default());
        push_reduce(&mut self.batch, program, reduction, all, &many, &none, out)
    }

    fn call(&mut self, slot: usize) -> Result<()> {
        let (shape, dtype) = self.place(slot);
        let node = &self.plan.nodes[slot];
        let mut inputs = Vec::with_capacity(node.expr.inputs.len());
        for i in 0..node.expr.inputs.len() {
            inputs.push(self.input(slot, i)?.clone());
        }
        let out = self.memory(shape, dtype)?;
        match &node.expr.kind {
            _ if out.elements() == 0 => {}
            Kind::Call(call) => {
                for (i, input) in inputs.iter_mut().enumerate() {
                    if call.has_gapless_rows(i) && !input.has_contiguous_rows() {
                        *input = self.copied(input)?;
                    }
                }
                call.push(&inputs, &out, &mut self.batch)?;
            }
            Kind::Host(call) => {
                for input in inputs.iter_mut().filter(|input| !input.is_contiguous()) {
                    *input = self.copied(input)?;
                }
                let (batch, call) = (std::mem::take(&mut self.batch), Arc::clone(call));
                self.stages.push(Stage { batch, call, inputs, out: out.clone() });
            }
            _ => {}
        }
        self.views[slot] = Some(out);
        self.owns[slot] = true;
        for i in 0..node.expr.inputs.len() {
            if let Some(input) = self.plan.input(slot, i, self.epoch) {
                self.release(input);
            }
        }
        Ok(())
    }

    fn view(&mut self, slot: usize) -> Result<()> {
        let (shape, dtype) = self.place(slot);
        let view = self.input(slot, 0)?.clone();
        let seen = match &self.plan.nodes[slot].expr.kind {
            Kind::Remap(map) => Some(map.apply(&view)?),
            _ => view.reshape(shape)?,
        };
        self.views[slot] = Some(match seen {
            Some(seen) => seen,
            None => {
                let copy = self.copied(&view)?;
                self.owns[slot] = true;
                if let Some(input) = self.plan.input(slot, 0, self.epoch) {
                    self.release(input);
                }
                View::new(copy.buffer(), dtype, shape)?
            }
        });
        Ok(())
    }

    /// The same elements in memory without gaps.
    fn copied(&mut self, view: &View) -> Result<View> {
        let copy = self.memory(*view.shape(), view.dtype())?;
        self.batch.push(bessemer_ops::Copy { x: view.clone(), out: copy.clone() })?;
        Ok(copy)
    }

    /// Whether the result of a group may take the place of one of its inputs, each element that
    /// of the element it is made of.
    fn may_overwrite(&self, input: &Input, operands: &Operands, dtype: DType) -> bool {
        let fits = |view: &View| {
            let complex = view.dtype().is_complex() || dtype.is_complex();
            !complex
                && view.dtype().block_bytes() == dtype.block_bytes()
                && view.is_contiguous()
                && view.buffer().is_writable()
                // A small part of a large buffer would keep all of it.
                && view.stored_bytes() >= view.buffer().bytes() / 8 * 7
        };
        if input.map.is_some() {
            return false;
        }
        match &input.source {
            Source::Slot(slot) => {
                self.owns[*slot]
                    && self.readers[*slot] == 1
                    && !self.plan.nodes[*slot].retained
                    && self.views[*slot].as_ref().is_some_and(fits)
            }
            Source::Known(array) => {
                // All handles to it are those of the steps that use it here, and the one of this
                // list; then nobody can ask for it again.
                let same = |other: &&Input| match &other.source {
                    Source::Known(other) => Arc::ptr_eq(&other.node, &array.node),
                    Source::Slot(_) => false,
                };
                operands.inputs.iter().filter(same).count() == 1
                    && !input.retained
                    && Arc::strong_count(&array.node) == input.uses + 1
                    && array.known().is_some_and(|view| view.buffer().is_unique() && fits(view))
            }
        }
    }

    /// One reader of a node is done. Memory that nobody reads is free for what comes next: ops
    /// take effect in order.
    fn release(&mut self, mut slot: usize) {
        loop {
            self.readers[slot] -= 1;
            if self.readers[slot] > 0 || self.plan.nodes[slot].retained {
                return;
            }
            if self.owns[slot] {
                self.free.extend(self.views[slot].as_ref().map(|view| view.buffer().clone()));
                return;
            }
            // A view: what it is a view of has one reader less.
            match self.plan.nodes[slot].role {
                Role::View => match self.plan.input(slot, 0, self.epoch) {
                    Some(input) => slot = input,
                    None => return,
                },
                _ => return,
            }
        }
    }

    /// Memory for a result, used before or new.
    fn memory(&mut self, shape: Shape, dtype: DType) -> Result<View> {
        let bytes = dtype.bytes_for(shape.elements()).ok_or_else(|| {
            bessemer_core::Error::view(format!("{dtype} {shape} has too many bytes"))
        })?;
        let fits = |buffer: &Buffer| buffer.bytes() >= bytes && buffer.bytes() - bytes <= bytes / 8;
        let buffer = match self.free.iter().rposition(fits) {
            Some(used) => self.free.swap_remove(used),
            None => self.device.alloc(bytes)?,
        };
        Ok(View::new(&buffer, dtype, shape)?)
    }

    fn place(&self, slot: usize) -> (Shape, DType) {
        let array = &self.plan.nodes[slot].array;
        (*array.shape(), array.dtype())
    }

    fn input(&self, slot: usize, i: usize) -> Result<&View> {
        match self.plan.input(slot, i, self.epoch) {
            Some(input) => self.made(input),
            None => self.known(&self.plan.nodes[slot].expr.inputs[i]),
        }
    }

    fn made(&self, slot: usize) -> Result<&View> {
        let missing = || bessemer_core::Error::view("a node is planned before what is made of it");
        Ok(self.views[slot].as_ref().ok_or_else(missing)?)
    }

    fn known<'b>(&self, array: &'b Array) -> Result<&'b View> {
        let missing = || bessemer_core::Error::view("an input is known before it is used");
        Ok(array.known().ok_or_else(missing)?)
    }
}
