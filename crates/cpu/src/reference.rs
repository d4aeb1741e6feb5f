//! The reference device: one thread, scalar code in double precision, which defines the result of every op.

use crate::{machine, store::Store, submission::Submission};
use bessemer_core::{
    Access, Batch, Buffer, Capabilities, Device, DeviceId, DeviceInfo, DeviceKind, Error, Host,
    HostMemory, Result, Slice, Stats, Ticket, contract,
};
use std::{
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Mutex, PoisonError},
};

/// The device that all others are held to.
///
/// ```
/// use bessemer_core::{Device, DeviceKind};
/// use bessemer_cpu::Reference;
///
/// let reference = Reference::new();
/// assert_eq!(reference.info().kind, DeviceKind::Reference);
/// assert_eq!(reference.info().threads, 1);
/// ```
pub struct Reference {
    info: DeviceInfo,
    store: Store,
    /// Held whenever buffers are touched.
    counters: Mutex<Counters>,
}

#[derive(Default)]
struct Counters {
    submissions: u64,
    dispatches: u64,
}

impl Reference {
    /// Opens it.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Reference {
        let id = DeviceId::new();
        let memory_limit = machine::memory();
        let info = DeviceInfo {
            id,
            kind: DeviceKind::Reference,
            name: machine::processor(),
            features: vec!["scalar".into(), "f64".into()],
            threads: 1,
            memory_limit,
            max_operands: usize::MAX,
            software: false,
            capabilities: Capabilities::HOST,
        };
        let store = Store::new(id, "reference", memory_limit);
        Reference { info, store, counters: Mutex::default() }
    }

    /// Refuses operands that don't fit the memory as lists of doubles: views that repeat elements
    /// have more of those than bytes.
    fn has_room_for(&self, access: &Access) -> Result<()> {
        let (limit, held) = (self.info.memory_limit, self.store.pool_stats().live_bytes);
        // Twice: of what is read, results are made.
        let bytes = access.views().try_fold(0usize, |bytes, view| {
            bytes.checked_add(view.elements().checked_mul(2 * size_of::<f64>())?)
        });
        match bytes.unwrap_or(usize::MAX) {
            asked if asked > limit.saturating_sub(held) => {
                Err(Error::OutOfMemory { device: "reference".into(), asked, held, limit })
            }
            _ => Ok(()),
        }
    }
}

impl Device for Reference {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn alloc(&self, bytes: usize) -> Result<Buffer> {
        self.store.alloc(bytes)
    }

    fn adopt(&self, host: HostMemory) -> Result<Buffer> {
        self.store.adopt(host)
    }

    fn write(&self, dst: &Slice, bytes: &[u8]) -> Result<()> {
        let _alone = self.counters.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: ops only run under the lock.
        unsafe { self.store.write(dst, bytes) }
    }

    fn read(&self, src: &Slice, out: &mut [u8]) -> Result<()> {
        let _alone = self.counters.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: ops only run under the lock.
        unsafe { self.store.read(src, out) }
    }

    fn submit(&self, batch: &Batch) -> Result<Ticket> {
        contract::submittable(self.info.id, batch)?;
        let mut counters = self.counters.lock().unwrap_or_else(PoisonError::into_inner);
        let submission = Submission::new("reference", batch);
        for step in batch.steps() {
            submission.begin(step.op.name())?;
            self.has_room_for(&step.access)?;
            // SAFETY: all buffers are this device's, which only touches them under the lock.
            let mut host = unsafe { Host::new(&step.access) }.until(submission.deadline());
            let run = AssertUnwindSafe(|| step.op.reference(&mut host));
            catch_unwind(run).map_err(|panic| submission.failed(step.op.name(), &*panic))?;
            counters.dispatches += 1;
        }
        counters.submissions += 1;
        Ok(Ticket(counters.submissions))
    }

    fn wait(&self, _: Ticket) -> Result<()> {
        // `submit` returns when all is done.
        Ok(())
    }

    fn stats(&self) -> Stats {
        let counters = self.counters.lock().unwrap_or_else(PoisonError::into_inner);
        Stats {
            pool: self.store.pool_stats(),
            adopted_bytes: self.store.adopted_bytes(),
            submissions: counters.submissions,
            dispatches: counters.dispatches,
        }
    }

    fn trim(&self) {
        self.store.trim();
    }
}

impl fmt::Debug for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Reference")
    }
}
