//! Shared by the WGSL kernels of all ops: how operands are declared and addressed, and how a
//! workgroup sums. Each kernel is in the folder of its op.
//!
//! A kernel's source names its operands by functions (`load_x`, `store_out`, `row_x`) and its numbers
//! by `params.width`; the word `OPERANDS` in it stands for all of their declarations, which are
//! made here for the dtypes and ranks at hand. `MATHS` stands for the functions of programs,
//! `FOLDS` for sums over a workgroup.

mod held;
mod operands;
mod programs;
mod quads;
mod shared;

pub(crate) use programs::{bindings, fill, launch_over, merged};
pub(crate) use shared::Shared;

use operands::{Bound, How, Operand};

use bessemer_core::{
    DType, DeviceKind, Error, Layout, Result, View,
    gpu::{Binding, GpuTraits, Kernel, Launch, Params, Source},
};
use bessemer_program::{
    Type,
    wgsl::{MATHS, PACKED, Use, Words, type_name},
};
use std::{borrow::Cow, fmt::Write, ops::Range};

/// A launch in the making.
pub(crate) struct Build<'g> {
    gpu: &'g GpuTraits,
    source: Source,
    operands: String,
    fields: String,
    bound: Vec<Operand>,
    params: Params,
    defines: Vec<(&'static str, Cow<'static, str>)>,
    /// What is bound for the next operand, if more than it.
    whole: Option<View>,
    /// Whether the kernel branches on what its folds give.
    branches: bool,
}

/// Whether the adapter is a CPU with vectors of 8, one subgroup to a vector: GPUs have wider ones,
/// or change their width. There, registers and what subgroups hand around are fast; every access to
/// memory, shared or not, is made thread by thread, and a barrier costs as much as all of them.
pub(crate) fn has_lanes(gpu: &GpuTraits) -> bool {
    gpu.simd_reduce && gpu.simd_width == 8
}

/// Workgroups of a row of the grid; more rows follow in y.
const ROW: u32 = 32768;

/// Enough workgroups for `groups`, in x and y: a kernel finds its number as
/// `group.y * 32768u + group.x`.
pub(crate) fn grid(groups: usize) -> [u32; 3] {
    let groups = u32::try_from(groups).unwrap_or(u32::MAX);
    [groups.min(ROW), groups.div_ceil(ROW).max(1), 1]
}

/// The ranges of dimension `axis` that can each be bound at once: one, mostly.
pub(crate) fn parts(gpu: &GpuTraits, view: &View, axis: usize) -> Vec<Range<usize>> {
    let len = view.shape()[axis];
    let room = gpu.part_bytes as usize - gpu.offset_alignment as usize;
    let bytes = view.range().len();
    if bytes <= room || len == 0 {
        return std::iter::once(0..len).collect();
    }
    // As if all of it lay along the axis; if it does not, the device says what is too large.
    let each = (len / bytes.div_ceil(room)).max(1);
    (0..len).step_by(each).map(|start| start..len.min(start + each)).collect()
}

/// The elements of a block and the halves of words it takes.
pub(crate) fn blocks_of(dtype: DType) -> (usize, usize) {
    (dtype.block_len(), dtype.block_bytes() / 2)
}

/// A size as kernels count.
pub(crate) fn size(op: &'static str, size: usize) -> Result<u32> {
    let why = "it has more than 2^31 elements; use `cpu`";
    let fits = u32::try_from(size).ok().filter(|&size| size <= i32::MAX as u32);
    fits.ok_or(Error::NoKernel { op, device: DeviceKind::WebGpu, why })
}

/// A step, or a place, as kernels count.
pub(crate) fn step(op: &'static str, step: isize) -> Result<i32> {
    let why = "its strides are larger than 2^31; use `cpu`";
    i32::try_from(step).map_err(|_| Error::NoKernel { op, device: DeviceKind::WebGpu, why })
}

/// What an element of `dtype` is when it is loaded: integers of 64 bits, and what is only moved as
/// such, are pairs of words.
pub(crate) fn element_type(dtype: DType) -> &'static str {
    match Type::of(dtype) {
        Some(ty) => type_name(ty),
        None if dtype.is_complex() => type_name(Type::U64),
        None => type_name(Type::F32),
    }
}

/// `number_of(index, len)`: an index of so many things, of which those below 0 count from the end;
/// `len` or more if there is no such.
pub(crate) fn wgsl_index(dtype: DType) -> &'static str {
    match dtype {
        DType::I64 => {
            "fn number_of(index: vec2<u32>, len: u32) -> u32 {
    if index.y == 0u { return index.x; }
    // From the end; no more than there are.
    let back = 0u - index.x;
    if index.y == 0xffffffffu && back != 0u && back <= len { return len - back; }
    return 0xffffffffu;
}
"
        }
        DType::I32 => {
            "fn number_of(index: i32, len: u32) -> u32 {
    return select(u32(index), u32(index + i32(len)), index < 0);
}
"
        }
        _ => "fn number_of(index: u32, len: u32) -> u32 { return index; }\n",
    }
}

/// Where the first element of a view lies from where its binding starts, in elements; for blocks
/// in halves of words.
pub(crate) fn at(gpu: &GpuTraits, view: &View) -> i32 {
    at_in(gpu, view, view)
}

/// The same where `whole` is bound, of which the view is a part.
fn at_in(gpu: &GpuTraits, view: &View, whole: &View) -> i32 {
    let align = gpu.offset_alignment as usize;
    let bytes = view.offset() - whole.range().start / align * align;
    let unit = if view.dtype().is_block() { 2 } else { view.dtype().block_bytes() };
    // What is bound is less than 2^31 bytes long.
    (bytes / unit) as i32
}

impl<'g> Build<'g> {
    /// The kernel `text`, called `name` in messages.
    pub(crate) fn new(gpu: &'g GpuTraits, name: &'static str, text: &'static str) -> Build<'g> {
        Build {
            gpu,
            source: Source::File { name, text },
            operands: String::new(),
            fields: String::new(),
            bound: Vec::new(),
            params: Params::new(),
            defines: Vec::new(),
            whole: None,
            branches: false,
        }
    }

    /// The next operand is bound with all of `whole`, if there is such, which it is a part of: other
    /// parts lie at a distance of it.
    pub(crate) fn within(mut self, whole: Option<&View>) -> Build<'g> {
        self.whole = whole.cloned();
        self
    }

    /// An operand that is read: `load_NAME(i)`.
    pub(crate) fn read(self, name: &str, view: &View) -> Build<'g> {
        self.operand(name, view, Use::Read, How::Each)
    }

    /// An operand that is written: `store_NAME(i, value)`.
    pub(crate) fn write(self, name: &str, view: &View) -> Build<'g> {
        self.operand(name, view, Use::Write, How::Each)
    }

    /// Floats of the scratch memory, as an array of that name.
    pub(crate) fn scratch(mut self, name: &str, range: Range<usize>, write: bool) -> Build<'g> {
        let binding = Binding::Scratch { range, write };
        self.bound.push(Operand::Scratch { name: name.to_owned(), words: Words::F32, binding });
        self
    }

    /// Whole numbers of the scratch memory, as an array of that name.
    pub(crate) fn scratch_words(
        mut self,
        name: &str,
        range: Range<usize>,
        write: bool,
    ) -> Build<'g> {
        let binding = Binding::Scratch { range, write };
        self.bound.push(Operand::Scratch { name: name.to_owned(), words: Words::U32, binding });
        self
    }

    fn operand(mut self, name: &str, view: &View, usage: Use, how: How) -> Build<'g> {
        let (name, view, whole) = (name.to_owned(), view.clone(), self.whole.take());
        self.bound.push(Operand::View(Bound {
            name,
            view,
            whole,
            usage,
            how,
            quads: None,
            same: false,
        }));
        self
    }

    /// The kernel branches on elements of the last operand, which all threads read at once:
    /// `same_NAME(i, thread)`.
    pub(crate) fn same(mut self) -> Build<'g> {
        if let Some(Operand::View(bound)) = self.bound.last_mut() {
            bound.same = true;
        }
        self
    }

    /// The kernel branches on what `FOLDS` give, and folds again inside: WGSL must know that all
    /// threads go the same way.
    pub(crate) fn branches(mut self) -> Build<'g> {
        self.branches = true;
        self
    }

    /// Where rows of an operand start: `row_NAME(row)`, counted over all dimensions but the last,
    /// and `params.NAME_step`, the step inside a row.
    pub(crate) fn rows(self, op: &'static str, name: &str, view: &View) -> Result<Build<'g>> {
        let last = view.shape().rank().saturating_sub(1);
        let inside = view.strides().get(last).copied().unwrap_or(1);
        let inside = if view.shape().width() == 1 { 1 } else { inside };
        let build = self.i32(&format!("{name}_step"), step(op, inside)?);
        build.places(op, &format!("row_{name}"), &view.shape()[..last], &view.strides()[..last])
    }

    /// The same for rows of blocks: `row_NAME(row)` counts in halves of words.
    pub(crate) fn block_rows(self, op: &'static str, name: &str, view: &View) -> Result<Build<'g>> {
        let last = view.shape().rank().saturating_sub(1);
        let (len, halves) = (view.dtype().block_len(), view.dtype().block_bytes() / 2);
        let steps = view.strides()[..last].iter();
        let steps: Vec<isize> = steps.map(|step| step / len as isize * halves as isize).collect();
        self.places(op, &format!("row_{name}"), &view.shape()[..last], &steps)
    }

    /// Threads for a row of so many elements: one for each few of them, as a power of two.
    pub(crate) fn row_threads(&self, width: usize) -> u32 {
        let most = self.gpu.max_threads.min(256);
        (width.div_ceil(4).next_power_of_two() as u32).clamp(self.gpu.simd_width.max(8), most)
    }

    /// A function that says where element `i` of these dimensions, row-major, lies.
    pub(crate) fn places(
        mut self,
        op: &'static str,
        function: &str,
        sizes: &[usize],
        steps: &[isize],
    ) -> Result<Build<'g>> {
        let layout = Layout::new(sizes, [steps]);
        let mut text = format!("fn {function}(i: u32) -> i32 {{\n");
        let (mut rest, mut terms) = ("i".to_owned(), Vec::new());
        for axis in (0..layout.rank()).rev() {
            let field = format!("{function}_s{axis}");
            self = self.i32(&field, step(op, layout.stride(0, axis))?);
            if axis == 0 {
                terms.push(format!("i32({rest}) * params.{field}"));
                break;
            }
            let count = format!("{function}_n{axis}");
            self = self.u32(&count, size(op, layout.sizes()[axis])?);
            terms.push(format!("i32({rest} % params.{count}) * params.{field}"));
            let _ = writeln!(text, "    let rest{axis} = {rest} / params.{count};");
            rest = format!("rest{axis}");
        }
        let sum = if terms.is_empty() { "0".to_owned() } else { terms.join(" + ") };
        let _ = write!(text, "    return {sum};\n}}\n");
        self.operands.push_str(&text);
        Ok(self)
    }

    /// A number: `params.NAME`.
    pub(crate) fn u32(mut self, name: &str, value: u32) -> Build<'g> {
        let _ = writeln!(self.fields, "    {name}: u32,");
        self.params = self.params.u32(value);
        self
    }

    /// A number: `params.NAME`.
    pub(crate) fn i32(mut self, name: &str, value: i32) -> Build<'g> {
        let _ = writeln!(self.fields, "    {name}: i32,");
        self.params = self.params.i32(value);
        self
    }

    /// A number: `params.NAME`.
    pub(crate) fn f32(mut self, name: &str, value: f32) -> Build<'g> {
        let _ = writeln!(self.fields, "    {name}: f32,");
        self.params = self.params.f32(value);
        self
    }

    /// A word of the text, replaced.
    pub(crate) fn define(mut self, name: &'static str, text: impl Into<Cow<'static, str>>) -> Self {
        self.defines.push((name, text.into()));
        self
    }

    /// More text, among the declarations.
    pub(crate) fn also(mut self, text: &str) -> Self {
        self.operands.push_str(text);
        self
    }

    /// The function `main` in so many workgroups of `threads`, which the text knows as `THREADS`.
    pub(crate) fn launch(self, groups: [u32; 3], threads: u32) -> Result<Launch> {
        let (build, bindings) = self.declare()?;
        Ok(build.finish(bindings, groups, threads))
    }

    fn finish(self, bindings: Vec<Binding>, groups: [u32; 3], threads: u32) -> Launch {
        let binding = bindings.len();
        let numbers = format!(
            "struct Params {{\n{}}}\n@group(0) @binding({binding}) var<uniform> params: Params;\n",
            self.fields
        );
        let one = self.gpu.simd_reduce && threads == self.gpu.simd_width && !self.branches;
        let reduce = self.gpu.simd_reduce && !one;
        let folds = match (one, reduce) {
            (true, _) => include_str!("folds_one.wgsl"),
            (false, true) => include_str!("folds_subgroups.wgsl"),
            (false, false) => include_str!("folds_portable.wgsl"),
        };
        let inputs = match reduce {
            true => {
                ", @builtin(subgroup_id) in_subgroup: u32, @builtin(num_subgroups) in_subgroups: \
                 u32, @builtin(subgroup_invocation_id) in_lane: u32"
            }
            false => "",
        };
        let start = match reduce {
            true => "subgroup = in_subgroup; subgroups = in_subgroups; lane = in_lane;",
            false => "",
        };
        let folds = folds.replace("THREADS", &format!("{threads}u"));
        let mut kernel = Kernel::new(self.source, "main")
            .define("OPERANDS", format!("{}{numbers}{PACKED}", self.operands))
            .define("MATHS", MATHS)
            .define("FOLDS", folds)
            .define("INPUTS", inputs)
            .define("START", start)
            .define("THREADS", format!("{threads}u"));
        kernel.defines.extend(self.defines);
        let params = self.params;
        Launch { kernel, bindings, params, groups, threads: [threads, 1, 1] }
    }
}
