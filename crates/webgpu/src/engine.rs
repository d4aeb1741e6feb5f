//! State under the device's lock: prepared ops, submissions, counters.

use crate::{
    launch::{Dispatch, Maker},
    pages::Pages,
    pipelines::Pipelines,
    readback::Readback,
    source::Dialect,
    timeline::Timeline,
    uploads::Uploads,
    watches::Watches,
};
use bessemer_core::{Batch, Error, Operation, Result, gpu::GpuTraits};
use rustc_hash::FxHashMap;
use std::{
    collections::VecDeque,
    sync::{Arc, Weak},
};

/// The changing part of a device.
pub(crate) struct Engine {
    pub(crate) gpu: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    pub(crate) pipelines: Pipelines,
    pub(crate) pages: Pages,
    pub(crate) uploads: Uploads,
    pub(crate) readback: Readback,
    pub(crate) watches: Watches,
    /// What every op is timed for, if somebody asked.
    timeline: Option<Timeline>,
    /// The most bytes of a buffer.
    max_buffer: u64,
    /// Ops by where they lie. An entry holds a weak handle, so no other op can come to lie there.
    ready: FxHashMap<usize, Ready>,
    /// How many entries may be there before those of dropped ops are taken out.
    ready_limit: usize,
    scratch: Option<wgpu::Buffer>,
    pub(crate) submissions: u64,
    pub(crate) dispatches: u64,
    /// The last submissions, to wait for.
    running: VecDeque<(u64, wgpu::SubmissionIndex)>,
}

/// An op of a batch and what it launches.
pub(crate) struct Step<'a> {
    pub(crate) op: &'a dyn Operation,
    pub(crate) dispatches: &'a [Dispatch],
}

impl Step<'_> {
    pub(crate) fn encode(&self, pass: &mut wgpu::ComputePass<'_>) {
        for dispatch in self.dispatches {
            pass.set_pipeline(&dispatch.pipeline.pipeline);
            pass.set_bind_group(0, &dispatch.group, &[]);
            let [x, y, z] = dispatch.groups;
            pass.dispatch_workgroups(x, y, z);
        }
    }
}

/// An op with all that it launches.
struct Ready {
    op: Weak<dyn Operation>,
    dispatches: Vec<Dispatch>,
    /// Whether its bind groups name the scratch memory.
    scratch: bool,
}

/// Submissions that can be told apart when waited for; older ones are done when these are.
const REMEMBERED: usize = 64;
/// Ops kept ready before the first look for dropped ones.
const READY: usize = 1024;

impl Engine {
    pub(crate) fn new(
        gpu: wgpu::Device,
        queue: wgpu::Queue,
        dialect: Dialect,
        limits: &wgpu::Limits,
        timeline: Option<Timeline>,
    ) -> Engine {
        Engine {
            pipelines: Pipelines::new(gpu.clone(), dialect),
            pages: Pages::new(limits.min_uniform_buffer_offset_alignment),
            uploads: Uploads::new(limits.max_buffer_size),
            readback: Readback::new(limits.max_buffer_size),
            watches: Watches::new(),
            max_buffer: limits.max_buffer_size,
            timeline,
            ready: FxHashMap::default(),
            ready_limit: READY,
            scratch: None,
            submissions: 0,
            dispatches: 0,
            running: VecDeque::new(),
            gpu,
            queue,
        }
    }

    /// Makes every op ready, then sends them as one command buffer.
    pub(crate) fn submit(&mut self, name: &str, traits: &GpuTraits, batch: &Batch) -> Result<u64> {
        for step in batch.steps() {
            self.prepare(name, traits, &step.op)?;
        }
        self.pages.flush(&self.queue);
        let steps = batch.steps().iter().map(|step| Step {
            op: &*step.op,
            dispatches: &self.ready[&place(&step.op)].dispatches,
        });
        let mut encoder = self.gpu.create_command_encoder(&Default::default());
        match &self.timeline {
            None => {
                let mut pass = encoder.begin_compute_pass(&Default::default());
                for step in steps {
                    step.encode(&mut pass);
                    self.dispatches += step.dispatches.len() as u64;
                }
            }
            Some(timeline) => {
                let steps: Vec<_> = steps.filter(|step| !step.dispatches.is_empty()).collect();
                self.dispatches += steps.iter().map(|s| s.dispatches.len() as u64).sum::<u64>();
                let ran = timeline.run(&self.gpu, &self.queue, &mut self.readback, &steps);
                let op = steps.first().map_or("submit", |step| step.op.name());
                let failed = |why| Error::Failed { device: name.to_owned(), op, why };
                ran.map_err(failed)?;
            }
        }
        let Engine { gpu, queue, readback, watches, .. } = self;
        let planned = watches.plan(gpu, &mut encoder, batch, readback);
        let planned = planned.map_err(|why| {
            let op = batch.steps().first().map_or("submit", |step| step.op.name());
            Error::Failed { device: name.to_owned(), op, why }
        })?;
        let index = queue.submit([encoder.finish()]);
        watches.submitted(planned, &index);
        self.submissions += 1;
        self.running.push_back((self.submissions, index));
        if self.running.len() > REMEMBERED {
            self.running.pop_front();
        }
        self.forget_dropped();
        Ok(self.submissions)
    }

    /// What to wait for so that submission `number` is done; `None` if nothing was submitted.
    pub(crate) fn index(&self, number: u64) -> Option<wgpu::SubmissionIndex> {
        let found = self.running.iter().find(|(here, _)| *here >= number);
        found.map(|(_, index)| index.clone())
    }

    fn prepare(&mut self, name: &str, traits: &GpuTraits, op: &Arc<dyn Operation>) -> Result<()> {
        if self.ready.contains_key(&place(op)) {
            return Ok(());
        }
        let launches = op.webgpu(traits)?;
        if launches.scratch > 0 {
            self.grow_scratch(name, op.name(), traits, launches.scratch)?;
        }
        let mut maker = Maker {
            gpu: &self.gpu,
            queue: &self.queue,
            traits,
            pipelines: &mut self.pipelines,
            pages: &mut self.pages,
            scratch: self.scratch.as_ref(),
        };
        let mut dispatches = Vec::with_capacity(launches.launches.len());
        for launch in launches.launches.iter().filter(|launch| !launch.groups.contains(&0)) {
            let made = maker.make(op.name(), launch);
            let failed = |why| Error::Failed { device: name.to_owned(), op: op.name(), why };
            dispatches.push(made.map_err(failed)?);
        }
        let ready = Ready { op: Arc::downgrade(op), dispatches, scratch: launches.scratch > 0 };
        self.ready.insert(place(op), ready);
        Ok(())
    }

    /// Ops share one piece of scratch memory: the queue keeps them apart.
    fn grow_scratch(
        &mut self,
        name: &str,
        op: &'static str,
        traits: &GpuTraits,
        bytes: usize,
    ) -> Result<()> {
        let have = self.scratch.as_ref().map_or(0, wgpu::Buffer::size);
        let bytes = bytes as u64;
        if bytes <= have {
            return Ok(());
        }
        let failed = |why| Error::Failed { device: name.to_owned(), op, why };
        if bytes > traits.max_binding_bytes {
            return Err(failed(format!("it needs {bytes} bytes of scratch memory, all at once")));
        }
        let size = bytes.next_power_of_two().min(traits.max_binding_bytes);
        let descriptor = wgpu::BufferDescriptor {
            label: None,
            size,
            usage: wgpu::BufferUsages::STORAGE,
            mapped_at_creation: false,
        };
        let made = crate::fault::caught(&self.gpu, || self.gpu.create_buffer(&descriptor));
        self.scratch = Some(made.map_err(failed)?);
        // Those that name the old one are made again when they come.
        self.ready.retain(|_, ready| !ready.scratch);
        Ok(())
    }

    fn forget_dropped(&mut self) {
        if self.ready.len() > self.ready_limit {
            self.ready.retain(|_, ready| ready.op.strong_count() > 0);
            self.ready_limit = READY.max(2 * self.ready.len());
        }
    }

    /// Takes all out that is kept for later.
    pub(crate) fn forget_all(&mut self) {
        self.ready.clear();
        self.scratch = None;
        self.uploads = Uploads::new(self.max_buffer);
        self.readback = Readback::new(self.max_buffer);
        self.watches = Watches::new();
    }
}

fn place(op: &Arc<dyn Operation>) -> usize {
    Arc::as_ptr(op).cast::<()>().addr()
}
