//! A device that fails when it is told to, for tests of what happens then.

use bessemer_core::{
    Batch, Buffer, Device, DeviceInfo, Error, HostMemory, Result, Slice, Stats, Ticket,
    gpu::CompiledKernel,
};
use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

/// A device in front of another that fails once, at a call that the test chooses.
///
/// Only calls that may fail are counted: `alloc`, `adopt`, `write`, `read`, `submit` and `wait`.
#[derive(Debug)]
pub struct Faulty {
    device: Arc<dyn Device>,
    info: DeviceInfo,
    /// Calls since it was told when to fail.
    calls: AtomicU64,
    /// The call that fails; `u64::MAX` for none.
    fails_at: AtomicU64,
}

impl Faulty {
    /// In front of `device`; nothing fails until [`Faulty::fail_at`].
    pub fn new(device: Arc<dyn Device>) -> Faulty {
        let info = device.info().clone();
        Faulty { device, info, calls: AtomicU64::new(0), fails_at: AtomicU64::new(u64::MAX) }
    }

    /// The same, and it says of itself that it can be lost, as GPUs can.
    pub fn losable(device: Arc<dyn Device>) -> Faulty {
        let mut faulty = Faulty::new(device);
        faulty.info.capabilities.can_be_lost = true;
        faulty
    }

    /// Starts to count anew, and fails at call number `call`, the first being 0; `None` fails none.
    pub fn fail_at(&self, call: Option<u64>) {
        self.calls.store(0, Ordering::SeqCst);
        self.fails_at.store(call.unwrap_or(u64::MAX), Ordering::SeqCst);
    }

    /// Whether the call that was to fail has come.
    pub fn has_failed(&self) -> bool {
        self.calls.load(Ordering::SeqCst) > self.fails_at.load(Ordering::SeqCst)
    }

    fn call(&self, op: &'static str) -> Result<()> {
        let call = self.calls.fetch_add(1, Ordering::SeqCst);
        if call != self.fails_at.load(Ordering::SeqCst) {
            return Ok(());
        }
        let why = format!("call {call} was told to fail");
        Err(Error::Failed { device: "faulty".into(), op, why })
    }
}

impl Device for Faulty {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn alloc(&self, bytes: usize) -> Result<Buffer> {
        self.call("alloc")?;
        self.device.alloc(bytes)
    }

    fn adopt(&self, host: HostMemory) -> Result<Buffer> {
        self.call("adopt")?;
        self.device.adopt(host)
    }

    fn write(&self, dst: &Slice, bytes: &[u8]) -> Result<()> {
        self.call("write")?;
        self.device.write(dst, bytes)
    }

    fn read(&self, src: &Slice, out: &mut [u8]) -> Result<()> {
        self.call("read")?;
        self.device.read(src, out)
    }

    fn submit(&self, batch: &Batch) -> Result<Ticket> {
        self.call("submit")?;
        self.device.submit(batch)
    }

    fn wait(&self, ticket: Ticket) -> Result<()> {
        // The work is done either way: what fails is to hear of it.
        self.device.wait(ticket)?;
        self.call("wait")
    }

    fn stats(&self) -> Stats {
        self.device.stats()
    }

    fn trim(&self) {
        self.device.trim();
    }

    fn prepare(&self, batch: &Batch) {
        self.device.prepare(batch);
    }

    fn encode_ahead(&self, batch: &Batch) {
        self.device.encode_ahead(batch);
    }

    fn details(&self) -> Vec<String> {
        self.device.details()
    }

    fn kernels(&self) -> Vec<CompiledKernel> {
        self.device.kernels()
    }
}
