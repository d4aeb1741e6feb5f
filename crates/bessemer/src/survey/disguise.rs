//! A CPU device that pretends to be another, for tests of device selection.

use bessemer_core::{
    Batch, Buffer, Device, DeviceInfo, DeviceKind, HostMemory, Result, Slice, Stats, Ticket,
};
use bessemer_cpu::{Cpu, CpuOptions};

#[derive(Debug)]
pub(crate) struct Disguised {
    cpu: Cpu,
    info: DeviceInfo,
}

impl Disguised {
    pub(crate) fn new(kind: DeviceKind, software: bool) -> Disguised {
        let cpu = Cpu::open(CpuOptions { threads: Some(1), ..Default::default() }).unwrap();
        let info = DeviceInfo { kind, software, ..cpu.info().clone() };
        Disguised { cpu, info }
    }
}

impl Device for Disguised {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn alloc(&self, bytes: usize) -> Result<Buffer> {
        self.cpu.alloc(bytes)
    }

    fn adopt(&self, host: HostMemory) -> Result<Buffer> {
        self.cpu.adopt(host)
    }

    fn write(&self, dst: &Slice, bytes: &[u8]) -> Result<()> {
        self.cpu.write(dst, bytes)
    }

    fn read(&self, src: &Slice, out: &mut [u8]) -> Result<()> {
        self.cpu.read(src, out)
    }

    fn submit(&self, batch: &Batch) -> Result<Ticket> {
        self.cpu.submit(batch)
    }

    fn wait(&self, ticket: Ticket) -> Result<()> {
        self.cpu.wait(ticket)
    }

    fn stats(&self) -> Stats {
        self.cpu.stats()
    }

    fn trim(&self) {
        self.cpu.trim();
    }
}
