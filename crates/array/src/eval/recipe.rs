//! What a group computes, independent of its inputs: equal recipes share one program.

use super::plan::{Group, MapId, Plan, Role};
use crate::{
    Array,
    axis_map::AxisMap,
    constant,
    node::{Kind, MapOp},
    reduce::Fold,
};
use bessemer_core::{DType, Number};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// The steps of a program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Recipe {
    /// The dtypes of what is read.
    pub(super) inputs: SmallVec<[DType; 8]>,
    /// The dtypes of numbers given at launch.
    pub(super) uniforms: SmallVec<[DType; 4]>,
    /// Numbers written in the program, as they are stored, with their dtypes.
    pub(super) literals: SmallVec<[(u64, DType); 1]>,
    pub(super) steps: SmallVec<[Step; 8]>,
    pub(super) result: Arg,
    /// What is written.
    pub(super) dtype: DType,
    /// How the results become one, if they do.
    pub(super) fold: Option<Fold>,
}

/// One step: an op, what it takes and what it gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Step {
    pub(super) op: MapOp,
    pub(super) args: [Arg; 3],
    pub(super) dtype: DType,
}

/// What a step takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Arg {
    /// The element of an input.
    Input(u8),
    /// What an earlier step gave.
    Step(u8),
    /// A number given at launch.
    Uniform(u8),
    /// A number written in the program.
    Literal(u8),
}

/// More numbers than this are written in the program: devices bind few parameters.
const MAX_UNIFORMS: usize = 8;

/// What a recipe is used with.
#[derive(Default)]
pub(super) struct Operands {
    pub(super) inputs: SmallVec<[Input; 4]>,
    /// As they are stored.
    pub(super) uniforms: SmallVec<[u64; 4]>,
}

/// An input of a group.
pub(super) struct Input {
    pub(super) source: Source,
    /// How it is seen; `None` for as it is.
    pub(super) map: Option<Box<AxisMap>>,
    /// How many steps use it.
    pub(super) uses: usize,
    /// Whether one of those steps may be asked for again.
    pub(super) retained: bool,
}

/// Where an input comes from.
pub(super) enum Source {
    /// It was known before.
    Known(Array),
    /// A node of the plan.
    Slot(usize),
}

impl Plan {
    /// The recipe of a group and what goes into it.
    pub(super) fn recipe(&mut self, group: usize, epoch: u64) -> (Recipe, Operands) {
        let Group { result, ref steps, .. } = self.groups[group];
        let node = &self.nodes[result];
        let fold = match &node.expr.kind {
            Kind::Reduce(reduction) => Some(reduction.fold),
            _ => None,
        };
        let mut writer = Writer {
            recipe: Recipe {
                inputs: smallvec![],
                uniforms: smallvec![],
                literals: smallvec![],
                steps: smallvec![],
                result: Arg::Step(0),
                dtype: node.array.dtype(),
                fold,
            },
            operands: Operands::default(),
        };
        let steps = steps.clone();
        for &slot in steps.iter().rev() {
            let arg = writer.step(self, slot as usize, group, epoch);
            self.nodes[slot as usize].arg = arg;
            writer.recipe.result = arg;
        }
        (writer.recipe, writer.operands)
    }
}

struct Writer {
    recipe: Recipe,
    operands: Operands,
}

impl Writer {
    fn step(&mut self, plan: &Plan, slot: usize, group: usize, epoch: u64) -> Arg {
        let node = &plan.nodes[slot];
        let map = match node.role {
            Role::Step(_, map) => map,
            _ => None,
        };
        let op = match node.expr.kind {
            Kind::Map(op) => op,
            Kind::Fill(value) => return self.constant(value, node.array.dtype()),
            // What is folded, or seen in another way, is the input itself.
            _ => return self.arg(plan, slot, 0, map, group, epoch),
        };
        let mut args = [Arg::Step(0); 3];
        for (i, arg) in args.iter_mut().enumerate().take(node.expr.inputs.len()) {
            *arg = self.arg(plan, slot, i, map, group, epoch);
        }
        let dtype = node.array.dtype();
        self.recipe.steps.push(Step { op, args, dtype });
        Arg::Step(self.recipe.steps.len() as u8 - 1)
    }

    /// Input `i` of a step, as the program knows it.
    fn arg(
        &mut self,
        plan: &Plan,
        slot: usize,
        i: usize,
        map: MapId,
        group: usize,
        epoch: u64,
    ) -> Arg {
        let (array, found) = (&plan.nodes[slot].expr.inputs[i], plan.input(slot, i, epoch));
        if let Some(input) = found {
            let input = &plan.nodes[input];
            if let Kind::Fill(value) = input.expr.kind {
                return self.constant(value, array.dtype());
            }
            if matches!(input.role, Role::Step(joined, _) if joined == group) {
                return input.arg;
            }
        }
        let map = plan.edge(slot, i, map);
        let retained = plan.nodes[slot].retained && matches!(plan.nodes[slot].role, Role::Step(..));
        let inputs = &mut self.operands.inputs;
        let same = |input: &Input| {
            let source = match (&input.source, found) {
                (Source::Known(known), None) => Arc::ptr_eq(&known.node, &array.node),
                (Source::Slot(slot), Some(found)) => *slot == found,
                _ => false,
            };
            source && input.map.as_deref() == map.as_ref()
        };
        let index = inputs.iter().position(same).unwrap_or_else(|| {
            self.recipe.inputs.push(array.dtype());
            inputs.push(Input {
                source: found.map_or_else(|| Source::Known(array.clone()), Source::Slot),
                map: map.map(Box::new),
                uses: 0,
                retained: false,
            });
            inputs.len() - 1
        });
        inputs[index].uses += 1;
        inputs[index].retained |= retained;
        Arg::Input(index as u8)
    }

    fn constant(&mut self, value: u64, dtype: DType) -> Arg {
        // These are in most programs, and worth a program of their own.
        let plain = value == 0 || value == constant::nearest(dtype, Number::Integer(1));
        // A complex number is two.
        let twice = self.recipe.uniforms.iter().filter(|dtype| dtype.is_complex()).count();
        let count = self.recipe.uniforms.len() + twice + usize::from(dtype.is_complex());
        let values = &mut self.operands.uniforms;
        let known = values.iter().zip(&self.recipe.uniforms);
        let same = |(known, of): (&u64, &DType)| *known == value && *of == dtype;
        match known.map(same).position(|same| same) {
            _ if plain || dtype == DType::Bool => {}
            Some(index) => return Arg::Uniform(index as u8),
            None if count < MAX_UNIFORMS => {
                values.push(value);
                self.recipe.uniforms.push(dtype);
                return Arg::Uniform(values.len() as u8 - 1);
            }
            None => {}
        }
        let (literals, literal) = (&mut self.recipe.literals, (value, dtype));
        let known = literals.iter().position(|known| *known == literal);
        Arg::Literal(known.unwrap_or_else(|| {
            literals.push(literal);
            literals.len() - 1
        }) as u8)
    }
}
