//! A device that fails in the middle of a text.

use super::*;
use bessemer::{
    Batch, Buffer, DeviceInfo, Error, HostMemory, Slice, Stats, Ticket, core::Device as Core,
};
use bessemer_llm::{GenerateOptions, files::Gguf, sampling::Sampling, tiny};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A CPU that says it is something else, and is lost after some submissions.
#[derive(Debug)]
struct Failing {
    cpu: Device,
    info: DeviceInfo,
    left: AtomicUsize,
    /// Whether there is no memory for weights.
    full: bool,
}

impl Failing {
    fn made(kind: DeviceKind, submissions: usize, full: bool) -> Arc<dyn Core> {
        let cpu = Device::open_with("cpu", &one_thread()).unwrap();
        let info = DeviceInfo { kind, ..cpu.info().clone() };
        Arc::new(Failing { cpu, info, left: AtomicUsize::new(submissions), full })
    }

    fn open(kind: DeviceKind, submissions: usize) -> Arc<dyn Core> {
        Failing::made(kind, submissions, false)
    }

    fn full(kind: DeviceKind) -> Arc<dyn Core> {
        Failing::made(kind, 0, true)
    }
}

impl Core for Failing {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn alloc(&self, bytes: usize) -> bessemer::Result<Buffer> {
        self.cpu.alloc(bytes)
    }

    fn adopt(&self, host: HostMemory) -> bessemer::Result<Buffer> {
        if self.full {
            let (device, why) = ("a GPU".to_owned(), "no memory".to_owned());
            return Err(Error::Failed { device, op: "adopt", why });
        }
        self.cpu.adopt(host)
    }

    fn write(&self, dst: &Slice, bytes: &[u8]) -> bessemer::Result<()> {
        self.cpu.write(dst, bytes)
    }

    fn read(&self, src: &Slice, out: &mut [u8]) -> bessemer::Result<()> {
        self.cpu.read(src, out)
    }

    fn submit(&self, batch: &Batch) -> bessemer::Result<Ticket> {
        let left =
            self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1));
        match left {
            Ok(_) => self.cpu.submit(batch),
            Err(_) => {
                let (device, why) = ("a GPU".to_owned(), "it is lost".to_owned());
                Err(Error::Failed { device, op: "linear", why })
            }
        }
    }

    fn wait(&self, ticket: Ticket) -> bessemer::Result<()> {
        self.cpu.wait(ticket)
    }

    fn stats(&self) -> Stats {
        self.cpu.stats()
    }

    fn trim(&self) {
        self.cpu.trim();
    }
}

fn one_thread() -> DeviceOptions {
    DeviceOptions { threads: Some(1), ..Default::default() }
}

/// The text that `device` writes, with what comes to its help.
fn text(device: &Arc<dyn Core>) -> Result<String, Fault> {
    let file = ModelFile::Gguf(Box::new(Gguf::from_bytes(tiny::gguf()).unwrap()));
    let llm = Llm::from_file(&file, device).unwrap();
    let loaded = Loaded { name: "tiny".into(), llm, file, seconds: 0.0, options: one_thread() };
    let mut session = loaded.llm.session(SessionOptions::default()).unwrap();
    let options = GenerateOptions {
        max_tokens: Some(8),
        sampling: Sampling { temperature: 0.0, ..Sampling::default() },
        ignore_end: true,
        ..Default::default()
    };
    let mut text = String::new();
    let mut generation = loaded.llm.generate(&mut session, "Once upon", &options).unwrap();
    loaded.show(&mut generation, |piece| {
        text.push_str(piece);
        Ok(())
    })?;
    Ok(text)
}

#[test]
fn a_text_goes_on_when_its_gpu_fails() {
    let wanted = text(&Failing::open(DeviceKind::Cpu, usize::MAX)).unwrap();
    for kind in [DeviceKind::Metal, DeviceKind::WebGpu] {
        for submissions in [0, 1, 4] {
            assert_eq!(text(&Failing::open(kind, submissions)).unwrap(), wanted);
        }
    }
}

#[test]
fn nothing_comes_to_the_help_of_a_cpu() {
    let fault = text(&Failing::open(DeviceKind::Cpu, 3)).unwrap_err();
    assert!(matches!(fault, Fault::Failed(error) if error.to_string().contains("it is lost")));
}

#[test]
fn a_model_that_a_gpu_has_no_memory_for_goes_to_the_cpu_if_that_is_for_us_to_choose() {
    let file = ModelFile::Gguf(Box::new(Gguf::from_bytes(tiny::gguf()).unwrap()));
    let on = |kind, auto| load(&file, &Failing::full(kind), auto, &one_thread());
    let llm = on(DeviceKind::WebGpu, true).unwrap();
    assert_eq!(llm.model().device().info().kind, DeviceKind::Cpu);
    for (kind, auto) in [(DeviceKind::WebGpu, false), (DeviceKind::Cpu, true)] {
        let Err(Fault::Failed(error)) = on(kind, auto) else { panic!("{kind:?}, {auto}") };
        let error = error.to_string();
        assert!(
            ["loading `", "bytes", "a GPU", "no memory"].iter().all(|part| error.contains(part)),
            "{error}"
        );
    }
}
