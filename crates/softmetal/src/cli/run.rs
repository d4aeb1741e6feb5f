//! `softmetal run`: one kernel on arrays, in a child process so that a crash is an error.

use super::{arrays, check, complain, npy, say};
use crate::{ArgumentKind, Counters, Device, DeviceOptions, Size, StorageMode};
use anyhow::{Context, Result, bail};
use serde_json::json;
use std::process::{Command, ExitCode};
use std::time::Duration;

#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    source: super::Source,
    /// The kernel's name.
    kernel: String,
    /// Threads in the grid: X, X,Y or X,Y,Z.
    #[arg(long, value_name = "X,Y,Z")]
    grid: String,
    /// Threads per threadgroup.
    #[arg(long, value_name = "X,Y,Z", default_value = "256")]
    group: String,
    /// What is bound, in order or as INDEX=…: a.npy, zeros such as f32[64,64], values such as u32:1,2.
    #[arg(long = "buffer", value_name = "ARRAY")]
    buffers: Vec<String>,
    /// Write a buffer to a file afterwards.
    #[arg(long = "out", value_name = "INDEX=FILE.npy")]
    out: Vec<String>,
    /// Bytes of a threadgroup argument.
    #[arg(long = "threadgroup", value_name = "INDEX=BYTES")]
    threadgroup: Vec<String>,
    /// Find races, stray accesses and divergence.
    #[arg(long)]
    checked: bool,
    /// Print what was read and written (implies --checked).
    #[arg(long)]
    counters: bool,
    /// Run threads in an order picked by a seed.
    #[arg(long)]
    seed: Option<u64>,
    /// Seconds the kernel may take.
    #[arg(long, default_value_t = 60.0)]
    time_limit: f64,
}

const CHILD: &str = "SOFTMETAL_RUN_CHILD";

pub(super) fn run(args: &Args) -> Result<ExitCode> {
    if std::env::var_os(CHILD).is_some() {
        return here(args);
    }
    let me = std::env::current_exe().context("finding the softmetal command")?;
    let status = Command::new(me)
        .args(std::env::args_os().skip(1))
        .env(CHILD, "1")
        .status()
        .context("starting the run")?;
    match status.code() {
        Some(code) => Ok(ExitCode::from(code as u8)),
        None => {
            use std::os::unix::process::ExitStatusExt;
            let signal = status.signal().unwrap_or(0);
            let message = format!(
                "kernel '{}' crashed its process (signal {signal}); run it with --checked",
                args.kernel
            );
            if args.source.json {
                say!("{}", json!({"errors": [{"message": message}]}))?;
            } else {
                complain(message);
            }
            Ok(ExitCode::from(1))
        }
    }
}

fn size(text: &str, what: &str) -> Result<Size> {
    let mut n = [1u64; 3];
    let parts: Vec<&str> = text.split([',', 'x']).collect();
    if parts.len() > 3 {
        bail!("{what} takes one to three numbers, not '{text}'");
    }
    for (slot, part) in n.iter_mut().zip(&parts) {
        *slot = part.trim().parse().with_context(|| format!("'{part}' in {what} is no number"))?;
    }
    Ok(Size::new(n[0], n[1], n[2]))
}

fn pair<'a>(text: &'a str, what: &str) -> Result<(u32, &'a str)> {
    let (index, value) =
        text.split_once('=').with_context(|| format!("{what} takes INDEX=…, not '{text}'"))?;
    Ok((index.parse().with_context(|| format!("'{index}' in {what} is no index"))?, value))
}

fn here(args: &Args) -> Result<ExitCode> {
    let checked = args.checked || args.counters;
    let limit = Duration::try_from_secs_f64(args.time_limit)
        .context("--time-limit is a number of seconds")?;
    let device = Device::with_options(DeviceOptions {
        checked,
        seed: args.seed,
        time_limit: limit,
        ..args.source.device()?
    })?;
    let library = match device.new_library_with_file(&args.source.file, &args.source.options()?) {
        Ok(library) => library,
        Err(e) => return check::failed(&e, args.source.json),
    };
    let function = library.function_with_constants(&args.kernel, &args.source.constants()?)?;
    let pipeline = match device.new_compute_pipeline(&function) {
        Ok(pipeline) => pipeline,
        Err(e) => return check::failed(&e, args.source.json),
    };
    let mut bound = Vec::new();
    for (position, text) in args.buffers.iter().enumerate() {
        let (index, array) = arrays::parse(text, position as u32)?;
        let buffer = device
            .new_buffer_with_bytes(&array.bytes, StorageMode::Shared)
            .with_context(|| format!("--buffer {text}"))?;
        bound.push((index, array, buffer));
    }
    let queue = device.new_command_queue();
    let commands = queue.command_buffer();
    let mut encoder = commands.compute_encoder()?;
    encoder.set_pipeline(&pipeline);
    for (index, _, buffer) in &bound {
        encoder.set_buffer(*index, buffer, 0)?;
    }
    for t in &args.threadgroup {
        let (index, bytes) = pair(t, "--threadgroup")?;
        encoder.set_threadgroup_memory_length(
            index,
            bytes.parse().context("--threadgroup takes INDEX=BYTES")?,
        )?;
    }
    encoder.dispatch_threads(size(&args.grid, "--grid")?, size(&args.group, "--group")?)?;
    encoder.end_encoding();
    commands.commit()?;
    if let Err(e) = commands.wait_until_completed() {
        return check::failed(&e, args.source.json);
    }
    for (_, array, buffer) in &mut bound {
        buffer.read(0, &mut array.bytes)?;
    }
    for o in &args.out {
        let (index, path) = pair(o, "--out")?;
        let (_, array, _) = bound
            .iter()
            .find(|(i, _, _)| *i == index)
            .with_context(|| format!("--out {o}: no such --buffer"))?;
        npy::write(std::path::Path::new(path), array)?;
    }
    let seconds = commands.gpu_end_time() - commands.gpu_start_time();
    print(args, &pipeline, &bound, seconds, commands.counters())?;
    Ok(ExitCode::SUCCESS)
}

fn print(
    args: &Args,
    pipeline: &crate::ComputePipeline,
    bound: &[(u32, npy::Array, crate::Buffer)],
    seconds: f64,
    counters: Vec<Counters>,
) -> Result<()> {
    let written = |index: u32| {
        pipeline.arguments().iter().any(|a| matches!(a.kind, ArgumentKind::Buffer { index: i, writable: true, .. } if i == index))
    };
    if args.source.json {
        let counters: Vec<_> = counters.iter().map(counters_json).collect();
        say!("{}", json!({"errors": [], "seconds": seconds, "counters": counters}))?;
        return Ok(());
    }
    for (index, array, _) in bound.iter().filter(|(i, _, _)| written(*i)) {
        say!("buffer({index}) {:?}: {}", array.shape, arrays::preview(array, 8))?;
    }
    say!("{seconds:.6} s")?;
    for c in counters.iter().filter(|_| args.counters) {
        for b in &c.bindings {
            say!(
                "{}: read {} bytes ({} different), written {} ({} different)",
                b.name,
                b.read,
                b.unique_read,
                b.written,
                b.unique_written
            )?;
        }
        say!(
            "threadgroup memory: read {}, written {}; barriers {}, SIMD-group operations {}",
            c.threadgroup_read,
            c.threadgroup_written,
            c.barriers,
            c.simd_operations
        )?;
    }
    Ok(())
}

fn counters_json(c: &Counters) -> serde_json::Value {
    let bindings: Vec<_> = c
        .bindings
        .iter()
        .map(|b| {
            json!({
                "name": b.name, "index": b.index, "read": b.read, "written": b.written,
                "unique_read": b.unique_read, "unique_written": b.unique_written,
            })
        })
        .collect();
    json!({
        "kernel": c.kernel, "bindings": bindings, "threadgroup_read": c.threadgroup_read,
        "threadgroup_written": c.threadgroup_written, "barriers": c.barriers, "simd_operations": c.simd_operations,
    })
}
