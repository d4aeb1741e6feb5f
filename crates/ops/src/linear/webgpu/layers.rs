//! Layers that are computed by one launch of sums: side by side, or a gate and an up projection.

use super::{
    Column, Columns, Put,
    lanes::{self, lanes},
    sum_threads, sums,
    sums::ends,
};
use crate::{
    Activation, Linear,
    wgsl::{Build, blocks_of, has_lanes, parts, size, step},
};
use bessemer_core::{
    DType, Result, Shape, Strides, View,
    gpu::{GpuTraits, Launch},
};
use bessemer_program::wgsl::MATHS;
use std::fmt::Write;

const NAME: &str = "linear";
const WEIGHTS: [&str; 2] = ["wa", "wb"];

/// A layer, or the part of it that some of the weights make.
#[derive(Clone)]
pub(super) struct Part {
    pub(super) weight: View,
    pub(super) bias: Option<View>,
    pub(super) out: View,
}

impl Part {
    /// The layer in as few parts as can be bound.
    pub(super) fn all(linear: &Linear, gpu: &GpuTraits) -> Result<Vec<Part>> {
        let last = linear.out.shape().rank() - 1;
        let part = |range: std::ops::Range<usize>| -> Result<Part> {
            let bias = linear.bias.as_ref().map(|bias| bias.narrow(0, range.clone()));
            Ok(Part {
                weight: linear.weight.narrow(0, range.clone())?,
                bias: bias.transpose()?,
                out: linear.out.narrow(last, range)?,
            })
        };
        parts(gpu, &linear.weight, 0).into_iter().map(part).collect()
    }

    pub(super) fn outputs(&self) -> usize {
        self.weight.shape()[0]
    }

    /// What its bias binds.
    pub(super) fn biases(&self) -> usize {
        usize::from(self.bias.is_some())
    }
}

/// Layers that have the same `x`.
pub(super) struct Layers<'a> {
    x: &'a View,
    parts: &'a [Part],
    how: How<'a>,
}

/// How they go together.
enum How<'a> {
    /// Workgroups of one, then of the next. Their weights are bound as one.
    Beside(View),
    /// Each thread has outputs of both.
    Gated(Activation, &'a View),
}

impl<'a> Layers<'a> {
    /// How many of `parts`, from the first on, one launch can have side by side.
    pub(super) fn fitting(parts: &[Part], gpu: &GpuTraits) -> usize {
        let first = &parts[0].weight;
        // x, the weights and, of each, a bias and a result.
        let mut buffers = 3 + parts[0].biases();
        let (mut start, mut end) = (first.range().start, first.range().end);
        let mut count = 1;
        for part in &parts[1..] {
            let (weight, range) = (&part.weight, part.weight.range());
            (start, end) = (start.min(range.start), end.max(range.end));
            buffers += 1 + part.biases();
            // What is known of the first, and how it is read, is so of the others.
            let alike = weight.dtype() == first.dtype()
                && weight.buffer().id() == first.buffer().id()
                && weight.strides() == first.strides()
                && weight.offset().abs_diff(first.offset()).is_multiple_of(16);
            let room = (gpu.part_bytes as usize).saturating_sub(gpu.offset_alignment as usize);
            if !alike || end - start > room || buffers > gpu.max_buffers as usize {
                break;
            }
            count += 1;
        }
        count
    }

    /// Side by side, as [`Layers::fitting`] says they can be.
    pub(super) fn beside(x: &'a View, parts: &'a [Part]) -> Result<Layers<'a>> {
        let ranges = || parts.iter().map(|part| part.weight.range());
        let start = ranges().map(|range| range.start).min().unwrap_or(0);
        let end = ranges().map(|range| range.end).max().unwrap_or(0);
        let (shape, strides) = (Shape::new(&[end - start])?, Strides::new(&[1])?);
        let buffer = parts[0].weight.buffer();
        let whole = View::at(buffer, DType::U8, shape, strides, start)?;
        Ok(Layers { x, parts, how: How::Beside(whole) })
    }

    /// A gate and what passes through it.
    pub(super) fn gated(
        x: &'a View,
        parts: &'a [Part],
        activation: Activation,
        out: &'a View,
    ) -> Layers<'a> {
        Layers { x, parts, how: How::Gated(activation, out) }
    }

    /// The launch.
    pub(super) fn launch(&self, gpu: &GpuTraits) -> Result<Launch> {
        let rows = self.x.shape().rows();
        let (text, each) = self.columns(gpu, rows);
        let mut build = match has_lanes(gpu) {
            true => lanes(gpu, self.x, &text)?,
            false => {
                let setup = |row: usize| format!("    let x{row} = row_x({row}u);\n");
                sums(NAME, gpu, self.x, &text, &(0..rows).map(setup).collect::<String>())?
            }
        };
        for ((name, _), part) in text.operands().into_iter().zip(self.parts) {
            if let How::Beside(whole) = &self.how {
                build = build.within(whole);
            }
            build = weights(build, name, &part.weight, has_lanes(gpu))?;
        }
        build = self.outputs(build.u32("m", size(NAME, rows)?))?;
        let (build, groups) = self.place(build, each, has_lanes(gpu))?;
        let (down, threads) = match has_lanes(gpu) {
            true => (rows.div_ceil(text.rows), lanes::LANES as u32),
            false => (1, sum_threads(gpu)),
        };
        build.launch([size(NAME, groups)?, size(NAME, down)?, 1], threads)
    }

    /// What is summed at once, and the outputs of a workgroup.
    fn columns(&self, gpu: &GpuTraits, rows: usize) -> (Columns, usize) {
        let gated = matches!(self.how, How::Gated(..));
        // As many sums as a thread has registers for; on a CPU, a lane has every eighth output.
        let (rows, sums, apart) = match (has_lanes(gpu), rows) {
            (true, _) => (rows.min(lanes::ROWS).next_power_of_two(), 2, lanes::LANES),
            (false, 1) => (rows, 8, 1),
            (false, 2..=4) => (rows, 4, 1),
            (false, _) => (rows, 2, 1),
        };
        let (outputs, layers) = if gated { (sums / 2, 2) } else { (sums, 1) };
        let mut text = Columns { rows, columns: Vec::new(), puts: Vec::new() };
        for (layer, operand) in WEIGHTS.into_iter().enumerate().take(layers) {
            for o in 0..outputs {
                let row = format!("row_{operand}(min(first + {}u, n - 1u)) + base", o * apart);
                let dtype = self.parts[layer].weight.dtype();
                text.columns.push(Column { operand, dtype, row });
            }
        }
        for o in 0..outputs {
            let columns = (0..layers).map(|layer| layer * outputs + o).collect();
            text.puts.push(Put { place: format!("layer, first + {}u", o * apart), columns });
        }
        (text, outputs * apart)
    }

    /// `PLACE`, for workgroups of `each` outputs, and how many of them there are.
    fn place<'g>(
        &self,
        mut build: Build<'g>,
        each: usize,
        lanes: bool,
    ) -> Result<(Build<'g>, usize)> {
        let first = &self.parts[0];
        build = build.u32("n0", size(NAME, first.outputs())?);
        let mut groups = first.outputs().div_ceil(each);
        let mut text =
            "    var layer = 0u;\n    var start = 0u;\n    var n = params.n0;\n    var base = 0;\n"
                .to_owned();
        if let How::Beside(_) = self.how {
            let unit = match blocks_of(first.weight.dtype()) {
                (1, _) => first.weight.dtype().block_bytes(),
                _ => 2,
            };
            for (i, part) in self.parts.iter().enumerate().skip(1) {
                let apart = part.weight.offset() as isize - first.weight.offset() as isize;
                build = build
                    .u32(&format!("n{i}"), size(NAME, part.outputs())?)
                    .u32(&format!("start{i}"), size(NAME, groups)?)
                    .i32(&format!("base{i}"), step(NAME, apart / unit as isize)?);
                let _ = write!(
                    text,
                    "    if group.x >= params.start{i} {{
        layer = {i}u;
        start = params.start{i};
        n = params.n{i};
        base = params.base{i};
    }}
"
                );
                groups += part.outputs().div_ceil(each);
            }
        }
        let lane = if lanes { " + lane" } else { "" };
        let _ = writeln!(text, "    let first = {each}u * (group.x - start){lane};");
        Ok((build.define("PLACE", text), groups))
    }

    /// `put`, and all it needs.
    fn outputs<'g>(&self, mut build: Build<'g>) -> Result<Build<'g>> {
        for (i, part) in self.parts.iter().enumerate() {
            build = bias(build, &format!("bias{i}"), part.bias.as_ref())?;
        }
        let store = |name: &str, value: &str| {
            format!("store_{name}(row_{name}(row) + i32(output) * params.{name}_step, {value});")
        };
        let mut text = String::new();
        match self.how {
            How::Beside(_) => {
                text += "fn put(row: u32, layer: u32, output: u32, sum: f32) {\n";
                text += "    if row >= params.m { return; }\n";
                for (i, part) in self.parts.iter().enumerate() {
                    let name = format!("out{i}");
                    build = build.write(&name, &part.out).rows(NAME, &name, &part.out)?;
                    let store = store(&name, &format!("sum + bias{i}_of(output)"));
                    let here = format!("layer == {i}u && output < params.n{i}");
                    let _ = writeln!(text, "    if {here} {{ {store} }}");
                }
            }
            How::Gated(activation, out) => {
                let active = match activation {
                    Activation::Silu => "silu_f32",
                    Activation::Gelu => "gelu_f32",
                    Activation::GeluTanh => "gelu_tanh_f32",
                };
                build = build.write("out", out).rows(NAME, "out", out)?.also(MATHS);
                let _ = write!(
                    text,
                    "fn put(row: u32, layer: u32, output: u32, gate_sum: f32, up_sum: f32) {{
    if row >= params.m || output >= params.n0 {{ return; }}
    let gate = gate_sum + bias0_of(output);
    let up = up_sum + bias1_of(output);
    {}
",
                    store("out", &format!("{active}(gate) * up"))
                );
            }
        }
        Ok(build.also(&(text + "}\n")))
    }
}

/// The weights, for the kernel of lanes or for that of sums.
fn weights<'g>(build: Build<'g>, name: &str, weight: &View, lanes: bool) -> Result<Build<'g>> {
    if lanes && weight.dtype().is_block() {
        return build.read_held(NAME, name, weight);
    }
    let build = build.read_rows(NAME, name, weight)?;
    let dense = !weight.dtype().is_block();
    Ok(if dense { build.also(&ends(name, weight.shape().width())) } else { build })
}

/// `NAME_of(i)`: the bias, or 0.
pub(super) fn bias<'g>(build: Build<'g>, name: &str, bias: Option<&View>) -> Result<Build<'g>> {
    Ok(match bias {
        None => build.also(&format!("fn {name}_of(i: u32) -> f32 {{ return 0.0; }}\n")),
        Some(bias) => build.read(name, bias).rows(NAME, name, bias)?.also(&format!(
            "fn {name}_of(i: u32) -> f32 {{ return load_{name}(i32(i) * params.{name}_step); }}\n"
        )),
    })
}
