//! What is measured: each op on shapes as models and people have them.

use super::{operands::Operands, products};
use bessemer::{
    DType::{self, F16, F32, Q8_0},
    Operation, Result,
    ops::{
        Activation, AddRmsNorm, Attention, Concat, Copy, Gated, Gather, LayerNorm, Map, Reduce,
        ReduceKind, RmsNorm, Rope, RopePairs, Scatter, Softmax, TopK,
    },
    program::Program,
};
use std::sync::Arc;

/// An op on operands of some size.
pub(crate) struct Work {
    pub(crate) op: &'static str,
    pub(crate) name: String,
    /// Whether its arithmetic is 8-bit integer dot products.
    pub(crate) integer: bool,
    make: Box<Make>,
}

type Make = dyn Fn(&mut Operands<'_>) -> Result<Arc<dyn Operation>>;

impl Work {
    pub(super) fn new<O: Operation + 'static>(
        op: &'static str,
        name: impl Into<String>,
        make: impl Fn(&mut Operands<'_>) -> Result<O> + 'static,
    ) -> Work {
        let make = move |o: &mut Operands<'_>| Ok(Arc::new(make(o)?) as Arc<dyn Operation>);
        Work { op, name: name.into(), integer: false, make: Box::new(make) }
    }

    /// The same, with arithmetic in 8-bit integers.
    pub(super) fn in_integers(mut self) -> Work {
        self.integer = true;
        self
    }

    /// The op with operands of its own.
    pub(crate) fn make(&self, operands: &mut Operands<'_>) -> Result<Arc<dyn Operation>> {
        (self.make)(operands)
    }
}

/// All of it.
pub(crate) fn all() -> Vec<Work> {
    let mut all = vec![
        map("add", ADD, 2, 1 << 24),
        map("exp", EXP, 1, 1 << 24),
        map("tanh", TANH, 1, 1 << 24),
        reduce("relu(a * b + c)", RELU_FMA, 3, &[0], &[1 << 24]),
        reduce("a", SELF, 1, &[1], &[4096, 4096]),
        reduce("a", SELF, 1, &[0], &[4096, 4096]),
        rms_norm(F32, [512, 4096]),
        rms_norm(F16, [512, 4096]),
        add_rms_norm([512, 4096]),
        layer_norm([512, 4096]),
        softmax([1024, 2048]),
        rope([512, 32, 128]),
        gated([512, 11008]),
        attention(F16, 1, 2048),
        attention(Q8_0, 1, 2048),
        attention(F16, 256, 1024),
        gather(F16, [32000, 4096], 512),
        scatter([8, 2048, 128], 512),
        copy(F32, F32, [4096, 4096], false),
        copy(F32, F16, [4096, 4096], false),
        copy(F32, F32, [4096, 4096], true),
        concat([2048, 4096]),
        top_k([64, 128_256], 40),
    ];
    all.extend(products::all());
    all
}

const ADD: &str = "program add(in view a: f32, in view b: f32, out view c: f32) {
    %a = load a[@]
    %b = load b[@]
    %c = add %a, %b
    store c[@], %c
}";

const EXP: &str = "program exp(in view a: f32, out view c: f32) {
    %a = load a[@]
    %c = exp %a
    store c[@], %c
}";

const TANH: &str = "program tanh(in view a: f32, out view c: f32) {
    %a = load a[@]
    %c = tanh %a
    store c[@], %c
}";

const RELU_FMA: &str = "program relu_fma(in view a: f32, in view b: f32, in view c: f32) {
    %a = load a[@]
    %b = load b[@]
    %c = load c[@]
    %d = fma %a, %b, %c
    %e = max %d, 0.0
    yield %e
}";

const SELF: &str = "program same(in view a: f32) {
    %a = load a[@]
    yield %a
}";

/// A program over vectors of `f32`.
fn map(name: &str, text: &'static str, inputs: usize, elements: usize) -> Work {
    Work::new("map", format!("{name}, f32 [{elements}]"), move |o| {
        let program = parse(text)?;
        let views = (0..inputs).map(|_| Ok(o.input(F32, &[elements])?.into()));
        let inputs = views.collect::<Result<_>>()?;
        Ok(Map { program, inputs, outputs: vec![o.output(F32, &[elements])?] })
    })
}

/// The sum of a program's values along some dimensions.
fn reduce(
    name: &str,
    text: &'static str,
    inputs: usize,
    axes: &'static [usize],
    dims: &'static [usize],
) -> Work {
    Work::new("sum", format!("{name}, f32 {dims:?} along {axes:?}"), move |o| {
        let left: Vec<usize> = (0..dims.len()).filter(|a| !axes.contains(a)).collect();
        let left: Vec<usize> = left.into_iter().map(|axis| dims[axis]).collect();
        let views = (0..inputs).map(|_| Ok(o.input(F32, dims)?.into()));
        Ok(Reduce {
            program: parse(text)?,
            kind: ReduceKind::Sum,
            axes: axes.to_vec(),
            keepdim: false,
            inputs: views.collect::<Result<_>>()?,
            output: o.output(F32, &left)?,
        })
    })
}

fn parse(text: &str) -> Result<Program> {
    Ok(Program::parse("bench", text)?)
}

fn rms_norm(dtype: DType, dims: [usize; 2]) -> Work {
    Work::new("rms_norm", format!("{dtype} {dims:?}"), move |o| {
        Ok(RmsNorm {
            x: o.input(dtype, &dims)?,
            weight: o.input(F32, &dims[1..])?,
            epsilon: 1e-5,
            out: o.output(dtype, &dims)?,
        })
    })
}

pub(crate) fn add_rms_norm(dims: [usize; 2]) -> Work {
    Work::new("add_rms_norm", format!("f32 {dims:?}"), move |o| {
        Ok(AddRmsNorm {
            x: o.input(F32, &dims)?,
            y: o.input(F32, &dims)?,
            weight: o.input(F32, &dims[1..])?,
            epsilon: 1e-5,
            sum: o.output(F32, &dims)?,
            out: o.output(F32, &dims)?,
        })
    })
}

fn layer_norm(dims: [usize; 2]) -> Work {
    Work::new("layer_norm", format!("f32 {dims:?}"), move |o| {
        Ok(LayerNorm {
            x: o.input(F32, &dims)?,
            weight: Some(o.input(F32, &dims[1..])?),
            bias: Some(o.input(F32, &dims[1..])?),
            epsilon: 1e-5,
            out: o.output(F32, &dims)?,
        })
    })
}

fn softmax(dims: [usize; 2]) -> Work {
    Work::new("softmax", format!("f32 {dims:?}"), move |o| {
        let (x, out) = (o.input(F32, &dims)?, o.output(F32, &dims)?);
        Ok(Softmax { x, scale: 0.1, mask: None, log: false, out })
    })
}

fn rope(dims: [usize; 3]) -> Work {
    Work::new("rope", format!("f32 {dims:?}"), move |o| {
        Ok(Rope {
            x: o.input(F32, &dims)?,
            positions: o.indices(&dims[..1], 4096)?,
            frequencies: o.input(F32, &[dims[2] / 2])?,
            magnitude: 1.0,
            pairs: RopePairs::Halves,
            out: o.output(F32, &dims)?,
        })
    })
}

fn gated(dims: [usize; 2]) -> Work {
    Work::new("gated", format!("f32 {dims:?} silu"), move |o| {
        Ok(Gated {
            gate: o.input(F32, &dims)?,
            up: o.input(F32, &dims)?,
            activation: Activation::Silu,
            out: o.output(F32, &dims)?,
        })
    })
}

/// 32 heads of 128 over 8 of keys and values, as models of 8 billion parameters have them.
pub(crate) fn attention(cache: DType, rows: usize, tokens: usize) -> Work {
    let (heads, kv_heads, size) = (32, 8, 128);
    Work::new("attention", format!("{cache} cache, {rows} rows, {tokens} tokens"), move |o| {
        Ok(Attention {
            q: o.input(F32, &[rows, heads, size])?,
            k: o.input(cache, &[kv_heads, tokens, size])?,
            v: o.input(cache, &[kv_heads, tokens, size])?,
            pages: None,
            positions: None,
            window: None,
            scale: 1.0 / (size as f32).sqrt(),
            soft_cap: None,
            out: o.output(F32, &[rows, heads, size])?,
        })
    })
}

fn gather(dtype: DType, table: [usize; 2], rows: usize) -> Work {
    Work::new("gather", format!("{dtype} {rows} of {table:?}"), move |o| {
        Ok(Gather {
            table: o.input(dtype, &table)?,
            indices: o.indices(&[rows], table[0])?,
            axis: 0,
            out: o.output(F32, &[rows, table[1]])?,
        })
    })
}

fn scatter(cache: [usize; 3], rows: usize) -> Work {
    Work::new("scatter", format!("f32 {rows} into f16 {cache:?}"), move |o| {
        Ok(Scatter {
            x: o.input(F32, &[cache[0], rows, cache[2]])?,
            indices: o.indices(&[rows], cache[1])?,
            axis: 1,
            table: o.output(F16, &cache)?,
        })
    })
}

fn copy(from: DType, to: DType, dims: [usize; 2], transposed: bool) -> Work {
    let how = if transposed { " transposed" } else { "" };
    Work::new("copy", format!("{from} → {to} {dims:?}{how}"), move |o| {
        let (x, out) = (o.input(from, &dims)?, o.output(to, &dims)?);
        Ok(Copy { x: if transposed { x.transpose()? } else { x }, out })
    })
}

fn concat(dims: [usize; 2]) -> Work {
    Work::new("concat", format!("f32 two of {dims:?}"), move |o| {
        Ok(Concat {
            inputs: vec![o.input(F32, &dims)?, o.input(F32, &dims)?],
            axis: 1,
            out: o.output(F32, &[dims[0], 2 * dims[1]])?,
        })
    })
}

fn top_k(dims: [usize; 2], k: usize) -> Work {
    Work::new("top_k", format!("f32 {k} of {dims:?}"), move |o| {
        Ok(TopK {
            x: o.input(F32, &dims)?,
            values: o.output(F32, &[dims[0], k])?,
            indices: o.output(DType::U32, &[dims[0], k])?,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use bessemer::{Device, DeviceOptions};

    #[test]
    fn every_op_can_be_made_and_may_run() {
        // Room for one of them at a time is enough.
        let options = DeviceOptions { threads: Some(1), ..Default::default() };
        let device = Device::open_with("cpu", &options).unwrap();
        for work in all() {
            let op = work.make(&mut Operands::new(&device)).unwrap();
            op.check().unwrap_or_else(|error| panic!("{} {}: {error}", work.op, work.name));
            assert_eq!(op.name(), work.op);
            assert!(op.cost().bytes > 0);
        }
    }
}
