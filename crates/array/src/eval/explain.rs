//! The evaluation plan as text.

use super::{
    lock, lower,
    plan::{Plan, Role},
    recipe::{Operands, Recipe, Source},
};
use crate::{Array, Result, constant, node::Kind};
use std::fmt::Write;

impl Array {
    /// What computing it would do: each fused program with the shape it runs over and what it
    /// reads, and the ops between them, in order. Nothing is computed.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let (a, b) = (Array::arange(&device, 0, 6, 0.5), Array::arange(&device, 0, 12, 1));
    /// let y = (&a * &b).relu().sum_all();
    /// let text = y.explain();
    /// assert!(text.starts_with("#1 astype, mul, max, sum: f32 [12] -> f32 [1]\n"), "{text}");
    /// assert!(text.contains("yield"));
    /// ```
    pub fn explain(&self) -> String {
        if let Some(error) = self.error() {
            return format!("error: {error}\n");
        }
        if self.is_evaluated() {
            return format!("{} {} is known: nothing to do\n", self.dtype(), self.shape());
        }
        let epoch = lock(self);
        let mut plan = match Plan::new(&[self], *epoch) {
            Ok(plan) => plan,
            Err(error) => return format!("error: {error}\n"),
        };
        let text = Explanation::of(&mut plan, *epoch);
        plan.put_back();
        text.unwrap_or_else(|error| format!("error: {error}\n"))
    }
}

struct Explanation<'a> {
    plan: &'a Plan,
    epoch: u64,
    text: String,
    /// The number of the step that computes each node.
    numbers: Vec<usize>,
    last: usize,
}

impl Explanation<'_> {
    fn of(plan: &mut Plan, epoch: u64) -> Result<String> {
        let recipes: Vec<_> = (0..plan.groups.len()).map(|i| plan.recipe(i, epoch)).collect();
        let numbers = vec![0; plan.nodes.len()];
        let mut it = Explanation { plan, epoch, text: String::new(), numbers, last: 0 };
        for slot in 0..it.plan.nodes.len() {
            match it.plan.nodes[slot].role {
                Role::Result(group) => it.group(slot, group, &recipes[group])?,
                Role::Call => it.call(slot),
                Role::View => {
                    let number = it.plan.input(slot, 0, epoch).map_or(0, |input| it.numbers[input]);
                    it.numbers[slot] = number;
                }
                Role::Step(..) | Role::Constant => {}
            }
        }
        if it.last == 0 {
            it.text.push_str("a view of memory: nothing to do\n");
        }
        Ok(it.text)
    }

    fn group(
        &mut self,
        slot: usize,
        group: usize,
        (recipe, operands): &(Recipe, Operands),
    ) -> Result<()> {
        let program = lower::program(recipe)?;
        let mut names: Vec<&str> = recipe.steps.iter().map(|step| step.op.name()).collect();
        names.extend(recipe.fold.map(|fold| fold.name()));
        let names = if names.is_empty() { "copy".to_owned() } else { names.join(", ") };
        let domain = self.plan.groups[group].domain;
        let array = &self.plan.nodes[slot].array;
        let (dtype, shape) = (array.dtype(), array.shape());
        let from = match recipe.fold {
            Some(_) => format!("{} {domain} -> ", self.folded(slot)),
            None => String::new(),
        };
        self.number(slot, &format!("{names}: {from}{dtype} {shape}"));
        for (i, input) in operands.inputs.iter().enumerate() {
            let (what, array) = match &input.source {
                Source::Known(array) => ("memory".to_owned(), array),
                Source::Slot(slot) => {
                    (format!("#{}", self.numbers[*slot]), &self.plan.nodes[*slot].array)
                }
            };
            let name = lower::letter(i);
            let seen = match &input.map {
                Some(map) => format!(" seen as {}", map.shape()),
                None => String::new(),
            };
            let _ = writeln!(
                self.text,
                "   {name}: {} {} of {what}{seen}",
                array.dtype(),
                array.shape()
            );
        }
        for (i, (&value, &dtype)) in operands.uniforms.iter().zip(&recipe.uniforms).enumerate() {
            let value = constant::text(dtype, value);
            let _ = writeln!(self.text, "   c{i}: {value}");
        }
        for line in program.to_string().lines() {
            let _ = writeln!(self.text, "   | {line}");
        }
        Ok(())
    }

    fn call(&mut self, slot: usize) {
        let node = &self.plan.nodes[slot];
        let inputs: Vec<String> = (0..node.expr.inputs.len())
            .map(|i| {
                let input = &node.expr.inputs[i];
                let from = match self.plan.input(slot, i, self.epoch) {
                    Some(slot) => format!("#{}", self.numbers[slot]),
                    None => "memory".into(),
                };
                format!("{} {} of {from}", input.dtype(), input.shape())
            })
            .collect();
        let (dtype, shape) = (node.array.dtype(), node.array.shape());
        let name = node.expr.kind.name();
        let mut what = format!("{name} ({}): {dtype} {shape}", inputs.join(", "));
        if matches!(node.expr.kind, Kind::Host(_)) {
            let bytes = |array: &Array| array.dtype().bytes_for(array.elements()).unwrap_or(0);
            let from: usize = node.expr.inputs.iter().map(bytes).sum();
            let to = bytes(&node.array);
            let _ = write!(
                what,
                "\n   on the host: {from} bytes are copied from the device and {to} to it"
            );
        }
        self.number(slot, &what);
    }

    /// The dtype of what a reduction folds.
    fn folded(&self, slot: usize) -> bessemer_core::DType {
        let expr = &self.plan.nodes[slot].expr;
        debug_assert!(matches!(expr.kind, Kind::Reduce(_)));
        expr.inputs[0].dtype()
    }

    fn number(&mut self, slot: usize, what: &str) {
        self.last += 1;
        self.numbers[slot] = self.last;
        let _ = writeln!(self.text, "#{} {what}", self.last);
    }
}
