//! Which nodes are computed together. What the groups compute is in `recipe`, how they run in
//! `emit`.

use super::recipe::Arg;
use crate::{
    Array, Error, Result,
    axis_map::AxisMap,
    node::{Expr, Kind, MapOp},
};
use bessemer_core::Shape;
use smallvec::SmallVec;
use std::sync::Arc;

/// The most steps of one group: enough for anything people write, few enough for registers.
const MAX_STEPS: usize = 64;
/// The most inputs of one group, on a device that takes as many.
const MAX_INPUTS: usize = 16;

/// What is to be done to know some arrays.
#[derive(Default)]
pub(super) struct Plan {
    /// All nodes that are not known yet, inputs before what is made of them.
    pub(super) nodes: SmallVec<[Planned; 2]>,
    pub(super) groups: SmallVec<[Group; 1]>,
    /// Ways in which members of groups see the group's domain.
    pub(super) maps: Vec<AxisMap>,
    /// The most inputs of a group.
    max_inputs: usize,
}

/// A node of the plan.
pub(super) struct Planned {
    pub(super) array: Array,
    /// Taken out of the node for as long as the plan lives.
    pub(super) expr: Expr,
    /// How often expressions of the plan use it.
    uses: u32,
    /// Who needs it, as far as is known.
    needed: Need,
    pub(super) role: Role,
    /// What it is within the program of its group.
    pub(super) arg: Arg,
    /// Whether somebody can still ask for it when the plan is done.
    pub(super) retained: bool,
}

/// Who needs a node.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Need {
    Nobody,
    /// Members of one group, in one way.
    Group(usize, MapId),
    /// Several groups, or somebody who needs it in memory.
    Memory,
}

/// How a group's domain is seen: all of it as it is, or through a map.
pub(super) type MapId = Option<u32>;

/// What becomes of a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Role {
    /// The number goes into the programs that use it.
    Constant,
    /// The last step of a group: it gets memory.
    Result(usize),
    /// A step within a group.
    Step(usize, MapId),
    /// A view of memory that another node has.
    View,
    /// An op that is no program, or a function on the host: it gets memory.
    Call,
}

/// Nodes that are computed by one program.
pub(super) struct Group {
    /// The node it computes.
    pub(super) result: usize,
    /// The shape it is computed over.
    pub(super) domain: Shape,
    /// Its steps, the last first.
    pub(super) steps: SmallVec<[u32; 4]>,
    /// Views it reads so far, counted at least as high as they are.
    inputs: usize,
    /// Views it writes.
    results: usize,
}

impl Plan {
    /// A plan to know `roots`, whose expressions it holds until they are put back.
    pub(super) fn new(roots: &[&Array], epoch: u64) -> Result<Plan> {
        let operands = roots.first().map_or(usize::MAX, |root| root.device().info().max_operands);
        // One is the result. Single steps, with up to three inputs, can't be split.
        let max_inputs = operands.saturating_sub(1).min(MAX_INPUTS);
        let mut plan = Plan { max_inputs, ..Plan::default() };
        if let Err(error) = plan.discover(roots, epoch) {
            plan.put_back();
            return Err(error);
        }
        plan.group(roots, epoch);
        Ok(plan)
    }

    /// Gives all expressions back to their nodes, as if nothing had been planned.
    pub(super) fn put_back(self) {
        for node in self.nodes {
            *node.array.node.expr() = Some(node.expr);
        }
    }

    /// Finds all nodes that are not known, and takes their expressions.
    fn discover(&mut self, roots: &[&Array], epoch: u64) -> Result<()> {
        // A list of its own instead of recursion: chains can be longer than the stack.
        struct Open {
            array: Array,
            expr: Expr,
            next: usize,
        }
        let mut open: SmallVec<[Open; 2]> = SmallVec::new();
        let mut failed = None;
        for root in roots {
            let mut enter = Some((*root).clone());
            loop {
                if let Some(array) = enter.take() {
                    match self.look_at(&array, epoch) {
                        Ok(Some(expr)) => open.push(Open { array, expr, next: 0 }),
                        Ok(None) => {}
                        Err(error) => failed = failed.or(Some(error)),
                    }
                }
                let Some(top) = open.last_mut() else { break };
                if let Some(input) = top.expr.inputs.get(top.next).filter(|_| failed.is_none()) {
                    top.next += 1;
                    enter = Some(input.clone());
                } else if let Some(Open { array, expr, .. }) = open.pop() {
                    array.node.mark.set(epoch, self.nodes.len() as u32);
                    self.nodes.push(Planned::new(array, expr));
                }
            }
        }
        failed.map_or(Ok(()), Err)
    }

    /// The expression of a node that is met for the first time.
    fn look_at(&mut self, array: &Array, epoch: u64) -> Result<Option<Expr>> {
        match array.node.value.get() {
            Some(Ok(_)) => return Ok(None),
            Some(Err(error)) => return Err(error.clone()),
            None => {}
        }
        if array.node.mark.get(epoch).is_some() {
            return Ok(None);
        }
        // Inputs come first, so a node that is open can't be met again.
        let expr = array.node.expr().take();
        expr.map(Some).ok_or_else(|| {
            Error::rule("eval", "the array is already being computed", &[("array", array)])
        })
    }

    /// Decides what becomes of each node: those who need it before itself.
    fn group(&mut self, roots: &[&Array], epoch: u64) {
        for slot in 0..self.nodes.len() {
            for i in 0..self.nodes[slot].expr.inputs.len() {
                if let Some(input) = self.input(slot, i, epoch) {
                    self.nodes[input].uses += 1;
                }
            }
        }
        for root in roots {
            if let Some(slot) = root.node.mark.get(epoch).filter(|_| root.known().is_none()) {
                self.nodes[slot as usize].needed = Need::Memory;
            }
        }
        for slot in (0..self.nodes.len()).rev() {
            let node = &mut self.nodes[slot];
            // One handle is the plan's, the others are of expressions or of people.
            let handles = Arc::strong_count(&node.array.node) as u32;
            node.retained |= handles > node.uses + 1;
            let role = self.role(slot, epoch);
            self.nodes[slot].role = role;
            self.tell_inputs(slot, role, epoch);
        }
    }

    fn role(&mut self, slot: usize, epoch: u64) -> Role {
        let node = &self.nodes[slot];
        match (&node.expr.kind, node.needed) {
            (Kind::Fill(_), Need::Memory) => self.result(slot),
            (Kind::Fill(_), _) => Role::Constant,
            (Kind::Call(_) | Kind::Host(_), _) => Role::Call,
            (Kind::Reduce(_), _) => self.result(slot),
            (Kind::Reshape, _) => Role::View,
            (Kind::Map(_), Need::Group(group, map)) if self.joins(slot, group) => {
                self.join(slot, group);
                Role::Step(group, map)
            }
            (Kind::Map(_), _) => self.result(slot),
            (Kind::Remap(remap), Need::Group(group, map)) => {
                // A view that repeats elements would have them computed again and again.
                let input = &node.expr.inputs[0];
                let repeats = remap.shape().elements() > input.elements();
                if repeats || input.known().is_some() || !self.joins(slot, group) {
                    return Role::View;
                }
                self.join(slot, group);
                Role::Step(group, map)
            }
            // Only the part that is asked for is computed, if nobody needs the whole.
            (Kind::Remap(remap), Need::Memory) if self.is_only_use(slot, epoch) => {
                let input = &node.expr.inputs[0];
                match remap.shape().elements() > input.elements() {
                    true => Role::View,
                    false => self.result(slot),
                }
            }
            (Kind::Remap(_), _) => Role::View,
        }
    }

    /// Whether the input of a node is a map that nobody else can ever ask for.
    fn is_only_use(&self, slot: usize, epoch: u64) -> bool {
        self.input(slot, 0, epoch).is_some_and(|input| {
            let input = &self.nodes[input];
            let handles = Arc::strong_count(&input.array.node);
            matches!(input.expr.kind, Kind::Map(_)) && input.uses == 1 && handles == 2
        })
    }

    fn result(&mut self, slot: usize) -> Role {
        let node = &self.nodes[slot];
        let results = views(&node.array);
        let domain = match node.expr.kind {
            Kind::Reduce(_) => *node.expr.inputs[0].shape(),
            _ => *node.array.shape(),
        };
        self.groups.push(Group {
            result: slot,
            domain,
            steps: SmallVec::from_slice(&[slot as u32]),
            inputs: 0,
            results,
        });
        Role::Result(self.groups.len() - 1)
    }

    /// Whether a node that only `group` needs is computed within it.
    fn joins(&self, slot: usize, group: usize) -> bool {
        let (node, group) = (&self.nodes[slot], &self.groups[group]);
        let inputs: usize = node.expr.inputs.iter().map(views).sum();
        // One of the views of the result is counted already.
        let views = group.inputs - views(&node.array) + inputs + group.results - 1;
        let fits = group.steps.len() < MAX_STEPS && views <= self.max_inputs;
        // What was computed before and not kept would be computed a third time next; so now it is
        // kept, unless what uses it was computed before as well and will be kept itself.
        let again =
            node.array.node.mark.passed() && !self.nodes[group.result].array.node.mark.passed();
        // Registers hold floats in single precision: what is to be rounded goes through memory.
        let dtype = node.array.dtype();
        let rounds = matches!(node.expr.kind, Kind::Map(MapOp::Cast))
            && dtype.is_float()
            && dtype.block_bytes() < 4;
        fits && !again && !rounds
    }

    fn join(&mut self, slot: usize, group: usize) {
        let joining = views(&self.nodes[slot].array);
        let group = &mut self.groups[group];
        group.steps.push(slot as u32);
        group.inputs -= joining;
    }

    /// Tells the inputs of a node who needs them.
    fn tell_inputs(&mut self, slot: usize, role: Role, epoch: u64) {
        let (group, map) = match role {
            Role::Result(group) => (Some(group), None),
            Role::Step(group, map) => (Some(group), map),
            Role::View | Role::Call => (None, None),
            Role::Constant => return,
        };
        let keeps = self.nodes[slot].retained && matches!(role, Role::Step(..));
        for i in 0..self.nodes[slot].expr.inputs.len() {
            let Some(input) = self.input(slot, i, epoch) else {
                // Known already: an input of the group for sure.
                if let Some(group) = group {
                    self.count_known(slot, i, (group, map), epoch);
                }
                continue;
            };
            self.nodes[input].retained |= keeps;
            let need = match group {
                // Any number of programs can have the same constant.
                Some(_) if matches!(self.nodes[input].expr.kind, Kind::Fill(_)) => continue,
                Some(group) => self.need_within(slot, i, group, map),
                None => Need::Memory,
            };
            let node = &mut self.nodes[input];
            if let Some(group) = group
                && (need == Need::Memory || need != node.needed)
            {
                self.groups[group].inputs += views(&node.array);
            }
            node.needed = match node.needed {
                Need::Nobody => need,
                before if before == need => need,
                _ => Need::Memory,
            };
        }
    }

    /// How a member of a group needs input `i`.
    fn need_within(&mut self, slot: usize, i: usize, group: usize, map: MapId) -> Need {
        let node = &self.nodes[slot];
        let is_map = matches!(node.expr.kind, Kind::Map(_));
        if is_map && node.expr.inputs[i].elements() < node.array.elements() {
            // A broadcast: its elements would be computed again and again.
            return Need::Memory;
        }
        match self.edge(slot, i, map) {
            Some(edge) => {
                let known = self.maps.iter().position(|known| *known == edge);
                let id = known.unwrap_or_else(|| {
                    self.maps.push(edge);
                    self.maps.len() - 1
                });
                Need::Group(group, Some(id as u32))
            }
            None => Need::Group(group, None),
        }
    }

    /// The way from input `i` of a member to the group's domain; `None` if it is all of it as it
    /// is.
    pub(super) fn edge(&self, slot: usize, i: usize, map: MapId) -> Option<AxisMap> {
        let node = &self.nodes[slot];
        let outer = map.map(|id| &self.maps[id as usize]);
        let after = |inner: AxisMap| outer.map_or(inner, |outer| inner.then(outer));
        match &node.expr.kind {
            Kind::Remap(remap) => Some(after(**remap)),
            Kind::Map(_) if node.expr.inputs[i].shape() != node.array.shape() => {
                let from = node.expr.inputs[i].shape();
                Some(after(AxisMap::broadcast(from, node.array.shape())))
            }
            _ => outer.copied(),
        }
    }

    /// Counts a known input: as it is once per group, if nobody else counted it in between; seen
    /// through a map each time, as it is bound once for each way in which it is seen.
    fn count_known(&mut self, slot: usize, i: usize, (group, map): (usize, MapId), epoch: u64) {
        let node = &self.nodes[slot];
        let input = &node.expr.inputs[i];
        let remaps = matches!(node.expr.kind, Kind::Remap(_));
        let mapped = map.is_some() || remaps || input.shape() != node.array.shape();
        let mark = &input.node.mark;
        if !mapped && mark.get(epoch) == Some(group as u32) {
            return;
        }
        if !mapped {
            mark.set(epoch, group as u32);
        }
        let views = views(input);
        self.groups[group].inputs += views;
    }

    /// The slot of input `i` of a node, if it is not known already.
    pub(super) fn input(&self, slot: usize, i: usize, epoch: u64) -> Option<usize> {
        let input = &self.nodes[slot].expr.inputs[i];
        match input.node.value.get() {
            Some(_) => None,
            None => input.node.mark.get(epoch).map(|slot| slot as usize),
        }
    }
}

/// The views that an array is for programs.
fn views(array: &Array) -> usize {
    if array.dtype().is_complex() { 2 } else { 1 }
}

impl Planned {
    fn new(array: Array, expr: Expr) -> Planned {
        Planned {
            array,
            expr,
            uses: 0,
            needed: Need::Nobody,
            role: Role::Constant,
            arg: Arg::Step(0),
            retained: false,
        }
    }
}
