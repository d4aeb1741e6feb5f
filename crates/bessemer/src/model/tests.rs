//! A device that has no memory for a model, or fails in the middle of a text.

use super::*;
use bessemer_core::{
    Batch, Buffer, Capabilities, Device as Core, DeviceInfo, DeviceKind, HostMemory, Slice, Stats,
    Ticket,
};
use bessemer_llm::{GenerateOptions, files::Gguf, sampling::Sampling, tiny};
use std::sync::{
    Mutex,
    atomic::{AtomicUsize, Ordering},
};

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
    fn made(kind: DeviceKind, submissions: usize, full: bool) -> Device {
        let cpu = Device::open_with("cpu", &one_thread()).unwrap();
        let capabilities = match kind {
            DeviceKind::Reference | DeviceKind::Cpu => Capabilities::HOST,
            DeviceKind::Metal | DeviceKind::WebGpu => Capabilities::GPU,
        };
        let info = DeviceInfo { kind, capabilities, ..cpu.info().clone() };
        let made: Arc<dyn Core> =
            Arc::new(Failing { cpu, info, left: AtomicUsize::new(submissions), full });
        made.into()
    }

    fn open(kind: DeviceKind, submissions: usize) -> Device {
        Failing::made(kind, submissions, false)
    }

    fn full(kind: DeviceKind) -> Device {
        Failing::made(kind, 0, true)
    }
}

impl Core for Failing {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn alloc(&self, bytes: usize) -> bessemer_core::Result<Buffer> {
        self.cpu.alloc(bytes)
    }

    fn adopt(&self, host: HostMemory) -> bessemer_core::Result<Buffer> {
        if self.full {
            let (device, why) = ("a GPU".to_owned(), "no memory".to_owned());
            return Err(bessemer_core::Error::Failed { device, op: "adopt", why });
        }
        self.cpu.adopt(host)
    }

    fn write(&self, dst: &Slice, bytes: &[u8]) -> bessemer_core::Result<()> {
        self.cpu.write(dst, bytes)
    }

    fn read(&self, src: &Slice, out: &mut [u8]) -> bessemer_core::Result<()> {
        self.cpu.read(src, out)
    }

    fn submit(&self, batch: &Batch) -> bessemer_core::Result<Ticket> {
        let left =
            self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1));
        match left {
            Ok(_) => self.cpu.submit(batch),
            Err(_) => {
                let (device, why) = ("a GPU".to_owned(), "it is lost".to_owned());
                Err(bessemer_core::Error::Failed { device, op: "linear", why })
            }
        }
    }

    fn wait(&self, ticket: Ticket) -> bessemer_core::Result<()> {
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

fn file() -> Arc<ModelFile> {
    Arc::new(ModelFile::Gguf(Box::new(Gguf::from_bytes(tiny::gguf()).unwrap())))
}

/// The text that `device` writes, with what comes to its help, and what is told of that.
fn text(device: &Device) -> (Result<String, LlmError>, Vec<String>) {
    let told = Arc::new(Mutex::new(Vec::new()));
    let by_tell = Arc::clone(&told);
    let options = LlmOptions::new()
        .on(device)
        .device_options(one_thread())
        .on_fallback(move |why| by_tell.lock().unwrap().push(why.to_owned()));
    let llm = options.open_file(&file()).unwrap();
    let mut session = llm.session(Default::default()).unwrap();
    let options = GenerateOptions {
        max_tokens: Some(8),
        sampling: Sampling::greedy(),
        ignore_end: true,
        ..Default::default()
    };
    let text = llm.generate(&mut session, "Once upon", &options).unwrap().collect();
    let told = told.lock().unwrap().clone();
    (text, told)
}

#[test]
fn a_text_goes_on_when_its_gpu_fails() {
    let wanted = text(&Failing::open(DeviceKind::Cpu, usize::MAX)).0.unwrap();
    for kind in [DeviceKind::Metal, DeviceKind::WebGpu] {
        for submissions in [0, 1, 4] {
            let (found, told) = text(&Failing::open(kind, submissions));
            assert_eq!(found.unwrap(), wanted);
            let [told] = &told[..] else { panic!("{told:?}") };
            assert!(told.contains("it is lost; going on with `cpu`"), "{told}");
        }
    }
}

#[test]
fn nothing_comes_to_the_help_of_a_cpu() {
    let (text, told) = text(&Failing::open(DeviceKind::Cpu, 3));
    assert!(text.unwrap_err().to_string().contains("it is lost") && told.is_empty());
}

#[test]
fn a_model_that_a_gpu_has_no_memory_for_goes_to_the_cpu_if_that_is_for_us_to_choose() {
    let on = |kind, choice| {
        let options = LlmOptions::new().device(choice).device_options(one_thread());
        options.on(&Failing::full(kind)).open_file(&file())
    };
    let llm = on(DeviceKind::WebGpu, DeviceChoice::Auto).unwrap();
    assert_eq!(llm.model().device().info().kind, DeviceKind::Cpu);
    for (kind, choice) in
        [(DeviceKind::WebGpu, DeviceChoice::WebGpu), (DeviceKind::Cpu, DeviceChoice::Auto)]
    {
        let error = on(kind, choice).unwrap_err().to_string();
        assert!(
            ["loading `", "bytes", "a GPU", "no memory"].iter().all(|part| error.contains(part)),
            "{error}"
        );
    }
}

#[test]
fn models_are_found_by_name() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("Tiny.gguf"), tiny::gguf()).unwrap();
    let options = LlmOptions::new().device(DeviceChoice::Cpu).store(Store::at(folder.path()));
    let llm = options.open("tiny").unwrap();
    assert_eq!(llm.session(Default::default()).unwrap().capacity(), 256);
    let error = options.open("tinny").unwrap_err().to_string();
    assert!(error.contains("did you mean \"Tiny\"?"), "{error}");
    let error = options.open("smollm2").unwrap_err().to_string();
    assert!(error.contains("bessemer pull smollm2"), "{error}");
}
