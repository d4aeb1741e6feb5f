//! A GPU that is lost in the middle of a text: an error that names it, and the text goes on
//! elsewhere. A missing adapter is a failure here, not a skip.
#![cfg(all(feature = "webgpu", target_os = "linux"))]

use bessemer::{
    Batch, DType, Device, Shape, View,
    core::Device as Core,
    llm::{GenerateOptions, Llm, sampling::Sampling, tiny},
    ops::Copy,
};
use bessemer_webgpu::{WebGpu, WebGpuOptions};
use std::sync::Arc;

fn gpu() -> Arc<WebGpu> {
    Arc::new(WebGpu::open(WebGpuOptions::default()).unwrap())
}

fn options(temperature: f32) -> GenerateOptions {
    GenerateOptions {
        max_tokens: Some(10),
        sampling: Sampling { temperature, seed: 7, ..Sampling::default() },
        ignore_end: true,
        ..Default::default()
    }
}

#[test]
fn a_text_goes_on_on_the_cpu() {
    let cpu = Llm::from_bytes(tiny::gguf(), &Device::open("cpu").unwrap()).unwrap();
    let tokens = [1, 5, 9, 3, 7];
    for (temperature, lost_after) in [(0.0, 0), (0.0, 1), (0.0, 4), (0.9, 3)] {
        let options = options(temperature);
        let wanted = cpu.complete(&tokens[..], &options).unwrap();
        let gpu = gpu();
        let device: Arc<dyn Core> = Arc::clone(&gpu) as _;
        let llm = Llm::from_bytes(tiny::gguf(), &device).unwrap();
        let mut session = llm.session(Default::default()).unwrap();
        let mut text = llm.generate(&mut session, &tokens[..], &options).unwrap();
        let mut found = String::new();
        while text.tokens().len() < lost_after {
            found += &text.next().unwrap().unwrap();
        }
        gpu.close();
        // Pieces that were on their way may still come; then the error, and then nothing.
        let error = loop {
            match text.next().unwrap() {
                Ok(piece) => found += &piece,
                Err(error) => break error.to_string(),
            }
        };
        assert!(error.contains("lost") && error.contains(&gpu.info().name), "{error}");
        assert!(text.next().is_none());
        text.move_to(cpu.model()).unwrap();
        let answer = text.finish().unwrap();
        assert_eq!(answer.tokens, wanted.tokens, "lost after {lost_after}");
        assert_eq!(found + &answer.text, wanted.text);
        // The next text of the session is made on the CPU too.
        let again = llm.generate(&mut session, &tokens[..], &options).unwrap();
        assert_eq!(again.finish().unwrap().tokens, wanted.tokens);
    }
}

#[test]
fn a_text_does_not_move_to_another_model() {
    let cpu = Device::open("cpu").unwrap();
    let llm = Llm::from_bytes(tiny::gguf(), &cpu).unwrap();
    let other = tiny::Tiny { context: 128, ..Default::default() };
    let other = Llm::from_bytes(other.gguf(|_, _| {}), &cpu).unwrap();
    let mut session = llm.session(Default::default()).unwrap();
    session.extend(&[1, 2]).unwrap();
    assert!(session.move_to(other.model()).is_err());
    assert_eq!(session.tokens(), [1, 2]);
    session.extend(&[3]).unwrap();
}

#[test]
fn who_waits_when_the_device_is_lost_is_told() {
    let gpu = gpu();
    let shape = Shape::new(&[1 << 20]).unwrap();
    let view = || View::new(&gpu.alloc(4 << 20).unwrap(), DType::F32, shape).unwrap();
    let (x, out) = (view(), view());
    let mut batch = Batch::new();
    batch.push(Copy { x, out: out.clone() }).unwrap();
    let worker = {
        let gpu = Arc::clone(&gpu);
        std::thread::spawn(move || -> bessemer::Result<()> {
            let mut bytes = vec![0; 4 << 20];
            loop {
                let ticket = gpu.submit(&batch)?;
                gpu.wait(ticket)?;
                gpu.read(&out.slice()?, &mut bytes)?;
            }
        })
    };
    std::thread::sleep(std::time::Duration::from_millis(200));
    gpu.close();
    let error = worker.join().unwrap().unwrap_err().to_string();
    assert!(error.contains("lost") && error.contains(&gpu.info().name), "{error}");
}
