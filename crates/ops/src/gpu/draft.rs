//! A launch in the making: views bound and their types named in one go, and numbers by the names
//! that the kernel has for them.

use super::{Members, Rows, msl_type, too_large};
use bessemer_core::{
    Result, View,
    gpu::{Binding, GpuTraits, Kernel, Launch, Source},
};
use std::{borrow::Cow, fmt::Display, ops::Range};

/// A launch in the making. What is too large for a kernel is an error at the end.
///
/// Numbers are the members of the kernel's `struct Params`, in its order and without the first,
/// `uint leads[…]`: where in each buffer the first element lies.
pub(crate) struct Draft {
    op: &'static str,
    kernel: Kernel,
    bindings: Vec<Binding>,
    /// Where the first element of each binding is.
    leads: Vec<usize>,
    members: Members,
    fits: bool,
}

impl Draft {
    /// A launch of `entry` of `source` for `op`, told what the GPU lacks.
    pub(crate) fn new(
        op: &'static str,
        source: Source,
        entry: &'static str,
        gpu: &GpuTraits,
    ) -> Draft {
        let mut kernel = Kernel::new(source, entry);
        if !super::has_simd(gpu) {
            kernel = kernel.define("NO_SIMD", "1");
        }
        Draft {
            op,
            kernel,
            bindings: Vec::new(),
            leads: Vec::new(),
            members: Members::default(),
            fits: true,
        }
    }

    /// The next buffer is `view`, which is only read; its type is called `name`.
    pub(crate) fn read(self, name: &'static str, view: &View) -> Draft {
        self.read_as(name, msl_type(view.dtype()), view)
    }

    /// The next buffer is `view`, which is written; its type is called `name`.
    pub(crate) fn write(self, name: &'static str, view: &View) -> Draft {
        self.write_as(name, msl_type(view.dtype()), view)
    }

    /// As [`Draft::read`], with elements taken for others of their size.
    pub(crate) fn read_as(self, name: &'static str, like: &'static str, view: &View) -> Draft {
        self.read_another(view).define(name, like)
    }

    /// As [`Draft::write`], with elements taken for others of their size.
    pub(crate) fn write_as(self, name: &'static str, like: &'static str, view: &View) -> Draft {
        self.write_another(view).define(name, like)
    }

    /// The next buffer is `view`, of a type that has a name already.
    pub(crate) fn read_another(mut self, view: &View) -> Draft {
        self.leads.push(view.lead());
        self.bindings.push(Binding::Read(view.clone()));
        self
    }

    /// The next buffer is `view`, which is written, of a type that has a name already.
    pub(crate) fn write_another(mut self, view: &View) -> Draft {
        self.leads.push(view.lead());
        self.bindings.push(Binding::Write(view.clone()));
        self
    }

    /// The next buffer is `view` if there is one (its type is then called `name`), and `other` if
    /// not.
    pub(crate) fn maybe(self, name: &'static str, view: Option<&View>, other: &View) -> Draft {
        match view {
            Some(view) => self.read(name, view),
            None => self.read_another(other),
        }
    }

    /// The next buffer is memory between launches.
    pub(crate) fn scratch(mut self, range: Range<usize>, write: bool) -> Draft {
        self.leads.push(0);
        self.bindings.push(Binding::Scratch { range, write });
        self
    }

    /// A name in the source.
    pub(crate) fn define(
        mut self,
        name: &'static str,
        text: impl Into<Cow<'static, str>>,
    ) -> Draft {
        self.kernel = self.kernel.define(name, text);
        self
    }

    /// A name in the source, if something holds.
    pub(crate) fn define_if(self, holds: bool, name: &'static str) -> Draft {
        if holds { self.define(name, "1") } else { self }
    }

    /// `uint NAME;`: a size.
    pub(crate) fn size(mut self, name: impl Display, size: usize) -> Draft {
        self.fits &= size <= i32::MAX as usize;
        self.members = self.members.uint(name, size as u32);
        self
    }

    /// `uint NAME;`: any 32 bits.
    pub(crate) fn word(mut self, name: impl Display, word: u32) -> Draft {
        self.members = self.members.uint(name, word);
        self
    }

    /// `uint NAME;`: 1 if something holds, else 0.
    pub(crate) fn flag(self, name: impl Display, holds: bool) -> Draft {
        self.size(name, usize::from(holds))
    }

    /// `int NAME;`: a step between elements.
    pub(crate) fn step(mut self, name: impl Display, step: isize) -> Draft {
        self.fits &= i32::try_from(step).is_ok();
        self.members = self.members.int(name, step as i32);
        self
    }

    /// `int NAME;`: the step of the last dimension of a view.
    pub(crate) fn last_step(self, name: impl Display, view: &View) -> Draft {
        let single = view.shape().width() <= 1;
        let step = view.strides().last().copied();
        self.step(name, step.filter(|_| !single).unwrap_or(1))
    }

    /// `int NAME;`: the step of one dimension of a view.
    pub(crate) fn step_of(self, name: impl Display, view: &View, axis: usize) -> Draft {
        self.step(name, if view.shape()[axis] <= 1 { 0 } else { view.strides()[axis] })
    }

    /// `float NAME;`
    pub(crate) fn float(mut self, name: impl Display, value: f32) -> Draft {
        self.members = self.members.float(name, value);
        self
    }

    /// `Rows<N> NAME;`
    pub(crate) fn rows<const N: usize>(mut self, name: impl Display, rows: &Rows<N>) -> Draft {
        self.fits &= rows.fit();
        self.members = rows.fill(name, self.members);
        self
    }

    /// The launch, in so many threads that know nothing of each other, in threadgroups of the
    /// device's choice.
    pub(crate) fn over(self, threads: [usize; 3]) -> Result<Launch> {
        self.grid(threads, Launch::FREE)
    }

    /// The launch, in so many threadgroups of so many threads.
    pub(crate) fn grid(self, groups: [usize; 3], threads: [u32; 3]) -> Result<Launch> {
        let Draft { op, kernel, bindings, leads, members, fits } = self;
        let fits = fits && leads.iter().all(|&lead| lead <= i32::MAX as usize);
        if !fits || groups.iter().any(|&count| count > i32::MAX as usize) {
            return Err(too_large(op));
        }
        let leads = leads.iter().map(|&lead| lead as u32);
        let members = Members::default().uints("leads", leads).then(members);
        let params = members.finish(&kernel, bindings.len());
        Ok(Launch { kernel, bindings, params, groups: groups.map(|count| count as u32), threads })
    }
}
