//! Layers that are computed by one launch of sums: side by side, or a gate and an up projection.

use super::{
    Column, Columns, Put,
    lanes::{self, lanes},
    sum_threads, sums,
    sums::ends,
};
use crate::{
    Activation, Linear,
    gated::{wgsl_maths, wgsl_name},
    wgsl::{Build, blocks_of, has_lanes, parts, size, step},
};
use bessemer_core::{
    DType, Result, Shape, Strides, View,
    gpu::{GpuTraits, Launch},
};
use std::{fmt::Write, ops::Range};

const NAME: &str = "linear";
const WEIGHTS: [&str; 2] = ["wa", "wb"];

/// A layer, or the part of it that some of the weights make.
#[derive(Clone)]
pub(super) struct Part {
    pub(super) x: View,
    pub(super) weight: View,
    pub(super) bias: Option<View>,
    pub(super) activation: Option<Activation>,
    pub(super) out: View,
}

impl Part {
    /// The layer in as few parts as can be bound.
    pub(super) fn all(
        linear: &Linear,
        activation: Option<Activation>,
        gpu: &GpuTraits,
    ) -> Result<Vec<Part>> {
        let last = linear.out.shape().rank() - 1;
        let part = |range: Range<usize>| -> Result<Part> {
            let bias = linear.bias.as_ref().map(|bias| bias.narrow(0, range.clone()));
            Ok(Part {
                x: linear.x.clone(),
                weight: linear.weight.narrow(0, range.clone())?,
                bias: bias.transpose()?,
                activation,
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

/// Layers whose `x` have the same shape.
pub(super) struct Layers<'a> {
    parts: &'a [Part],
    /// What all `x` are bound as, if they are several.
    all_x: Option<View>,
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
        let first = &parts[0];
        let room = (gpu.part_bytes as usize).saturating_sub(gpu.offset_alignment as usize);
        // x, the weights and, of each, a bias and a result.
        let mut buffers = 3 + first.biases();
        let mut count = 1;
        for part in &parts[1..] {
            buffers += 1 + part.biases();
            // What is known of the first, and how it is read, is so of the others.
            let alike = alike(&part.weight, &first.weight)
                && part.x.shape() == first.x.shape()
                && alike(&part.x, &first.x);
            let here = &parts[..=count];
            let fits = span(here, |part| &part.weight).len() <= room
                && span(here, |part| &part.x).len() <= room
                && buffers <= gpu.max_buffers as usize;
            if !alike || !fits {
                break;
            }
            count += 1;
        }
        count
    }

    /// Side by side, as [`Layers::fitting`] says they can be.
    pub(super) fn beside(parts: &'a [Part]) -> Result<Layers<'a>> {
        let bytes = |view: fn(&Part) -> &View| -> Result<View> {
            let range = span(parts, view);
            let (shape, strides) = (Shape::new(&[range.len()])?, Strides::new(&[1])?);
            View::at(view(&parts[0]).buffer(), DType::U8, shape, strides, range.start)
        };
        let shared = parts.iter().all(|part| part.x.offset() == parts[0].x.offset());
        let all_x = if shared { None } else { Some(bytes(|part| &part.x)?) };
        Ok(Layers { parts, all_x, how: How::Beside(bytes(|part| &part.weight)?) })
    }

    /// A gate and what passes through it.
    pub(super) fn gated(parts: &'a [Part], activation: Activation, out: &'a View) -> Layers<'a> {
        Layers { parts, all_x: None, how: How::Gated(activation, out) }
    }

    /// The launch.
    pub(super) fn launch(&self, gpu: &GpuTraits) -> Result<Launch> {
        let x = &self.parts[0].x;
        let rows = x.shape().rows();
        let (text, each) = self.columns(gpu, rows);
        let x = (x, self.all_x.as_ref());
        let mut build = match has_lanes(gpu) {
            true => lanes(gpu, x, &text)?,
            false => {
                let setup = |row: usize| format!("    let x{row} = row_x({row}u) + x_base;\n");
                sums(NAME, gpu, x, &text, &(0..rows).map(setup).collect::<String>())?
            }
        };
        for ((name, _), part) in text.operands().into_iter().zip(self.parts) {
            if let How::Beside(weights) = &self.how {
                build = build.within(Some(weights));
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
            "    var layer = 0u;\n    var start = 0u;\n    var n = params.n0;\n    var base = 0;\n    \
             var x_base = 0;\n"
                .to_owned();
        if let How::Beside(_) = &self.how {
            let unit = match blocks_of(first.weight.dtype()) {
                (1, _) => first.weight.dtype().block_bytes(),
                _ => 2,
            };
            for (i, part) in self.parts.iter().enumerate().skip(1) {
                let apart = |view: &View, first: &View, unit: usize| {
                    let bytes = view.offset() as isize - first.offset() as isize;
                    step(NAME, bytes / unit as isize)
                };
                build = build
                    .u32(&format!("n{i}"), size(NAME, part.outputs())?)
                    .u32(&format!("start{i}"), size(NAME, groups)?)
                    .i32(&format!("base{i}"), apart(&part.weight, &first.weight, unit)?);
                let mut x_base = String::new();
                if self.all_x.is_some() {
                    let apart = apart(&part.x, &first.x, first.x.dtype().block_bytes())?;
                    build = build.i32(&format!("x_base{i}"), apart);
                    x_base = format!("        x_base = params.x_base{i};\n");
                }
                let _ = write!(
                    text,
                    "    if group.x >= params.start{i} {{
        layer = {i}u;
        start = params.start{i};
        n = params.n{i};
        base = params.base{i};
{x_base}    }}
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
                if self.parts.iter().any(|part| part.activation.is_some()) {
                    build = build.also(&wgsl_maths());
                }
                text += "fn put(row: u32, layer: u32, output: u32, sum: f32) {\n";
                text += "    if row >= params.m { return; }\n";
                for (i, part) in self.parts.iter().enumerate() {
                    let name = format!("out{i}");
                    build = build.write(&name, &part.out).rows(NAME, &name, &part.out)?;
                    let value = value_of(part.activation, &format!("sum + bias{i}_of(output)"));
                    let store = store(&name, &value);
                    let here = format!("layer == {i}u && output < params.n{i}");
                    let _ = writeln!(text, "    if {here} {{ {store} }}");
                }
            }
            How::Gated(activation, out) => {
                let active = wgsl_name(activation);
                build = build.write("out", out).rows(NAME, "out", out)?.also(&wgsl_maths());
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

/// Whether two views are read the same way and can be bound as one.
fn alike(one: &View, other: &View) -> bool {
    one.dtype() == other.dtype()
        && one.buffer().id() == other.buffer().id()
        && one.strides() == other.strides()
        && one.offset().abs_diff(other.offset()).is_multiple_of(16)
}

/// All bytes from the first of some views of one buffer to the last.
fn span(parts: &[Part], view: impl Fn(&Part) -> &View) -> Range<usize> {
    let ranges = || parts.iter().map(|part| view(part).range());
    let start = ranges().map(|range| range.start).min().unwrap_or(0);
    start..ranges().map(|range| range.end).max().unwrap_or(0)
}

/// The activation of a value.
fn value_of(activation: Option<Activation>, value: &str) -> String {
    match activation {
        None => value.to_owned(),
        Some(activation) => format!("{}({value})", wgsl_name(activation)),
    }
}

/// The same in a kernel that has no activations yet.
pub(super) fn activated<'g>(
    build: Build<'g>,
    activation: Option<Activation>,
    value: &str,
) -> (Build<'g>, String) {
    let build = if activation.is_some() { build.also(&wgsl_maths()) } else { build };
    (build, value_of(activation, value))
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
