//! One dispatch: what is bound, and how it is given to the executor and the checker.

use super::Device;
use super::buffer::Buffer;
use super::command_buffer::Held;
use super::pipeline::{ArgumentKind, PipelineInner};
use crate::check::{Binding, Counters, Kind, Launched, Map, Report, Run, Shadow, Side};
use crate::error::{Error, Result, invalid};
use crate::exec::abi::meeting;
use crate::exec::{Extent, Fault, Lacks, Launch, Symbols};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

/// What is bound at an index.
#[derive(Clone)]
pub(crate) enum Bound {
    Buffer { held: Held, offset: usize },
    Bytes(Arc<Vec<u128>>, usize),
}

/// How large a dispatch is: known, or read from a buffer when it runs.
#[derive(Clone)]
pub(crate) enum Grid {
    Threads([u64; 3]),
    Groups([u64; 3]),
    Indirect { held: Held, offset: usize },
}

pub(crate) struct Dispatch {
    pub(crate) pipeline: Arc<PipelineInner>,
    pub(crate) bound: HashMap<u32, Bound>,
    pub(crate) resources: Vec<Held>,
    pub(crate) threadgroup: [u32; 31],
    pub(crate) grid: Grid,
    pub(crate) tpg: [u64; 3],
}

impl Dispatch {
    /// Every buffer it may touch.
    pub(crate) fn held(&self) -> impl Iterator<Item = &Held> {
        let bound = self.bound.values().filter_map(|b| match b {
            Bound::Buffer { held, .. } => Some(held),
            Bound::Bytes(..) => None,
        });
        let indirect = match &self.grid {
            Grid::Indirect { held, .. } => Some(held),
            _ => None,
        };
        bound.chain(&self.resources).chain(indirect)
    }
}

/// What is ordered before what, in checked mode.
pub(crate) struct Order {
    device: Device,
    concurrent: bool,
    /// The first epoch that is not ordered before the next dispatch, in general and per buffer.
    since: u32,
    since_buffer: HashMap<u64, u32>,
    /// The dispatches of the concurrent encoder at hand.
    earlier: Vec<Launched>,
}

impl Order {
    pub(crate) fn new(device: &Device) -> Order {
        Order {
            device: device.clone(),
            concurrent: false,
            since: u32::MAX,
            since_buffer: HashMap::new(),
            earlier: Vec::new(),
        }
    }

    pub(crate) fn encoder(&mut self, concurrent: bool) {
        self.concurrent = concurrent;
        self.since = if concurrent { self.device.inner.coming_epoch() } else { u32::MAX };
        self.since_buffer.clear();
        self.earlier.clear();
    }

    /// A memory barrier, for all buffers or for some.
    pub(crate) fn barrier(&mut self, buffers: Option<&[u64]>) {
        if !self.concurrent {
            return;
        }
        let now = self.device.inner.coming_epoch();
        match buffers {
            None => {
                self.since = now;
                self.since_buffer.clear();
            }
            Some(ids) => {
                for id in ids {
                    self.since_buffer.insert(*id, now);
                }
            }
        }
    }

    fn since(&self, buffer: u64) -> u32 {
        self.since_buffer.get(&buffer).copied().unwrap_or(self.since)
    }
}

/// Runs a dispatch; checked ones give their counters back.
pub(crate) fn run(
    d: &Dispatch,
    order: &mut Order,
    freed: &dyn Fn(String) -> Error,
) -> Result<Option<Counters>> {
    let p = &d.pipeline;
    let Some(extent) = extent(d, freed)? else {
        return Ok(None);
    };
    let mut addresses = [0usize; 31];
    let mut bindings = Vec::new();
    let mut alive = Vec::new();
    let writable = writable(d);
    // Whether it matters when in its life a thread does something.
    let ordered = p.meets || p.fences;
    for (argument, read_only) in p.arguments.iter().zip(&p.facts.read_only) {
        let ArgumentKind::Buffer { index, .. } = argument.kind else {
            continue;
        };
        let Some(bound) = d.bound.get(&index) else {
            continue;
        };
        let name = format!("buffer({index}) '{}'", argument.name);
        match bound {
            Bound::Buffer { held, offset } => {
                let buffer = held.get().map_err(freed)?;
                addresses[index as usize] = buffer.address() + offset;
                if p.checked {
                    let end = buffer.address() + buffer.length();
                    let fixed = *read_only
                        && writable.iter().all(|w| w.end <= buffer.address() || end <= w.start);
                    let place = (name, Some(index), *offset);
                    bindings.push(binding(&buffer, place, fixed, ordered, order));
                }
                alive.push(buffer);
            }
            Bound::Bytes(bytes, length) => {
                let start = bytes.as_ptr() as usize;
                addresses[index as usize] = start;
                let range = start..start + length;
                bindings.push(Binding {
                    fixed: *read_only,
                    map: read_only.then(|| Map::new(&range)),
                    range,
                    name,
                    index: Some(index),
                    shadow: Some(Arc::new(Shadow::new(*length, false))),
                    unmet: !ordered,
                    shadow_offset: 0,
                    unordered_since: u32::MAX,
                });
            }
        }
    }
    for held in &d.resources {
        let buffer = held.get().map_err(freed)?;
        if p.checked {
            let place = (buffer.describe(), None, 0);
            bindings.push(binding(&buffer, place, false, ordered, order));
        }
        alive.push(buffer);
    }
    let options = order.device.inner.options.clone();
    let groups = [0, 1, 2].map(|i| extent.grid[i].div_ceil(extent.tpg[i].max(1)));
    let check = p.checked.then(|| {
        let launched = Launched {
            kernel: p.name.clone(),
            module: p.module.clone(),
            extent,
            groups,
            epoch: order.device.inner.next_epoch(),
        };
        let earlier = order.earlier.clone();
        if order.concurrent {
            order.earlier.push(launched.clone());
        }
        Arc::new(Run::new(launched, bindings, earlier))
    });
    let mut launch = Launch::new(
        p.module.clone(),
        &p.facts,
        p.meets,
        addresses,
        d.threadgroup,
        extent,
        options.seed,
        check.clone(),
    );
    let profile = order.device.inner.profile();
    launch.lacks = Lacks { simd: !profile.simd_reduce, matrix: !profile.simd_matrix };
    let outcome = launch.execute(options.time_limit);
    drop(alive);
    if let Some(check) = &check {
        check.settle();
        let mut reports = check.take_reports();
        if let Err(fault @ Fault::Diverged { .. }) = &outcome {
            reports.push(divergence(p, fault, extent));
        }
        if !reports.is_empty() {
            return Err(Error::Checked(reports));
        }
    }
    match outcome {
        Ok(counts) => Ok(check.map(|c| c.counters(counts.barriers, counts.simd_operations))),
        Err(fault) => Err(Error::Fault {
            kernel: p.name.clone(),
            what: explain(p, &fault, extent, options.time_limit, profile.name),
        }),
    }
}

/// The memory that a dispatch may write, as far as the types of its arguments tell.
fn writable(d: &Dispatch) -> Vec<Range<usize>> {
    let p = &d.pipeline;
    let bound = p.arguments.iter().zip(&p.facts.read_only).filter_map(|(a, read_only)| {
        match (&a.kind, read_only) {
            (ArgumentKind::Buffer { index, .. }, false) => match d.bound.get(index)? {
                Bound::Buffer { held, .. } => Some(held),
                Bound::Bytes(..) => None,
            },
            _ => None,
        }
    });
    let buffers = bound.chain(&d.resources).filter_map(|held| held.get().ok());
    buffers.map(|b| b.address()..b.address() + b.length()).collect()
}

/// A buffer as the checker sees it, from an offset on.
fn binding(
    buffer: &Buffer,
    (name, index, offset): (String, Option<u32>, usize),
    fixed: bool,
    ordered: bool,
    order: &Order,
) -> Binding {
    let range = buffer.address() + offset..buffer.address() + buffer.length();
    // What dispatches that overlap with this one do must be held against single words.
    let simple = !order.concurrent && buffer.shadow().is_whole(offset / 4);
    Binding {
        fixed,
        map: (fixed && simple).then(|| Map::new(&range)),
        range,
        name,
        index,
        shadow: Some(buffer.shadow().clone()),
        unmet: simple && !ordered,
        shadow_offset: offset,
        unordered_since: order.since(buffer.inner.id),
    }
}

/// Reads and checks the size of a dispatch; `None` when it is empty.
fn extent(d: &Dispatch, freed: &dyn Fn(String) -> Error) -> Result<Option<Extent>> {
    let grid = match &d.grid {
        Grid::Threads(t) => *t,
        Grid::Groups(g) => [0, 1, 2].map(|i| g[i].saturating_mul(d.tpg[i])),
        Grid::Indirect { held, offset } => {
            let buffer = held.get().map_err(freed)?;
            let mut words = [0u32; 3];
            for (i, w) in words.iter_mut().enumerate() {
                // SAFETY: the encoder has checked that twelve bytes are there.
                *w = unsafe {
                    std::ptr::read_unaligned((buffer.address() + offset + i * 4) as *const u32)
                };
            }
            [0, 1, 2].map(|i| u64::from(words[i]).saturating_mul(d.tpg[i]))
        }
    };
    if grid.contains(&0) {
        return Ok(None);
    }
    let groups: u128 = (0..3).map(|i| u128::from(grid[i].div_ceil(d.tpg[i]))).product();
    if grid.iter().any(|&n| n > u64::from(u32::MAX)) || groups > u128::from(u32::MAX) {
        return invalid("dispatch", format!("a grid of {grid:?} threads is too large"));
    }
    Ok(Some(Extent { grid: grid.map(|n| n as u32), tpg: d.tpg.map(|n| n as u32) }))
}

fn divergence(p: &PipelineInner, fault: &Fault, extent: Extent) -> Report {
    let symbols = Symbols::new(&p.module);
    let Fault::Diverged { kind, sites, group, gone, what } = fault else {
        unreachable!("only called for divergence")
    };
    let side = |(index, site): (u32, usize)| {
        let place = symbols.place(site);
        Side {
            file: place.file,
            line: place.line,
            group: *group,
            thread: extent.thread(*group, index),
            action: format!("{} reached", meeting(*kind)),
        }
    };
    let detail = match gone {
        Some(gone) => {
            let [x, y, z] = extent.thread(*group, *gone);
            format!("{what}: thread ({x}, {y}, {z})")
        }
        None => (*what).to_string(),
    };
    Report {
        kind: Kind::Divergence,
        kernel: p.name.clone(),
        binding: String::new(),
        offset: 0,
        size: 0,
        side: sites.first().copied().map(side).unwrap_or_default(),
        other: sites.get(1).copied().map(side),
        detail,
    }
}

fn explain(p: &PipelineInner, fault: &Fault, extent: Extent, limit: Duration, gpu: &str) -> String {
    let symbols = Symbols::new(&p.module);
    match fault {
        Fault::Message(m) => m.clone(),
        Fault::TooLong { pc: 0 } => format!("it took longer than {} s", limit.as_secs_f64()),
        Fault::TooLong { pc } => {
            format!(
                "it took longer than {} s; it was at {}",
                limit.as_secs_f64(),
                symbols.place(*pc + 1)
            )
        }
        Fault::Diverged { .. } => divergence(p, fault, extent).to_string(),
        Fault::Lacks { what, pc } => {
            format!("{}: {what} are not there on a GPU like '{gpu}'", symbols.place(*pc))
        }
        Fault::Stopped => "it was stopped by the checker".into(),
        Fault::Trap { signal, address, pc, overflow, group, thread } => {
            let what = match *signal {
                _ if *overflow => "stack overflow".to_string(),
                libc::SIGFPE => "integer division by zero".to_string(),
                libc::SIGILL => {
                    "an instruction that cannot be reached was reached (undefined behaviour)"
                        .to_string()
                }
                _ => format!(
                    "access to address {address:#x}, where there is nothing (run it in checked mode to see which binding)"
                ),
            };
            format!(
                "{what} at {}, thread {thread:?} of threadgroup {group:?}",
                symbols.place(*pc + 1)
            )
        }
    }
}
