//! `softmetal check`: compiles everything and says what is there.

use super::{complain, say};
use crate::{ArgumentKind, ComputePipeline, Device, Error};
use serde_json::{Value, json};
use std::process::ExitCode;

#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    source: super::Source,
}

pub(super) fn check(args: &Args) -> anyhow::Result<ExitCode> {
    let device = Device::with_options(args.source.device()?)?;
    let options = args.source.options()?;
    let library = match device.new_library_with_file(&args.source.file, &options) {
        Ok(library) => library,
        Err(e) => return failed(&e, args.source.json),
    };
    let constants = args.source.constants()?;
    let made = match library.all_pipelines(&constants) {
        Ok(made) => made,
        Err(e) => return failed(&e, args.source.json),
    };
    let kernels = made.iter().flatten().map(|p| describe(p, args.source.json));
    let kernels: Vec<Value> = kernels.collect::<anyhow::Result<_>>()?;
    // A kernel over a limit is no reason not to list the others.
    let over: Vec<String> =
        made.iter().filter_map(|m| m.as_ref().err()).map(Error::to_string).collect();
    let not_run = library.functions_not_run();
    if args.source.json {
        let others: Vec<Value> = not_run
            .iter()
            .map(|(name, why, compiled)| json!({"name": name, "why": why, "compiled": compiled}))
            .collect();
        let constants: Vec<Value> = library
            .function_constants()
            .into_iter()
            .map(|(index, name, kind)| json!({"index": index, "name": name, "type": kind}))
            .collect();
        say!(
            "{}",
            json!({"kernels": kernels, "function_constants": constants, "not_run": others, "errors": messages(&over)})
        )?;
    } else {
        for (index, name, kind) in library.function_constants() {
            say!("function_constant({index}) {kind} {name}")?;
        }
        for (name, why, compiled) in &not_run {
            if *compiled {
                say!("kernel {name}: compiles; cannot run here: {why}")?;
            } else {
                say!("{name}: left out: {why}")?;
            }
        }
        say!("{} kernels", kernels.len())?;
        over.iter().for_each(complain);
    }
    Ok(if over.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn messages(list: &[String]) -> Vec<Value> {
    list.iter().map(|m| json!({"message": m})).collect()
}

pub(super) fn failed(e: &Error, json: bool) -> anyhow::Result<ExitCode> {
    if json {
        let list: Vec<Value> = match e {
            Error::Compile(list) => list
                .iter()
                .map(|d| json!({"file": d.file, "line": d.line, "column": d.column, "message": d.message}))
                .collect(),
            Error::Checked(list) => list.iter().map(report).collect(),
            other => vec![json!({"message": other.to_string()})],
        };
        say!("{}", json!({"errors": list}))?;
    } else {
        complain(e);
    }
    Ok(ExitCode::from(1))
}

fn report(r: &crate::Report) -> Value {
    let side = |s: &crate::Side| json!({"file": s.file, "line": s.line, "group": s.group, "thread": s.thread, "action": s.action});
    json!({
        "kind": r.kind.name(), "kernel": r.kernel, "binding": r.binding, "offset": r.offset, "size": r.size,
        "side": side(&r.side), "other": r.other.as_ref().map(side), "detail": r.detail, "message": r.to_string(),
    })
}

fn describe(p: &ComputePipeline, json: bool) -> anyhow::Result<Value> {
    let mut args = Vec::new();
    if !json {
        say!(
            "kernel {}: at most {} threads, {} bytes of threadgroup memory",
            p.name(),
            p.max_total_threads_per_threadgroup(),
            p.static_threadgroup_memory_length()
        )?;
    }
    for a in p.arguments() {
        let place = match &a.kind {
            ArgumentKind::Buffer { index, .. } => format!("buffer({index})"),
            ArgumentKind::Threadgroup { index } => format!("threadgroup({index})"),
            ArgumentKind::Builtin(name) => name.clone(),
        };
        let access = match &a.kind {
            ArgumentKind::Buffer { writable: true, .. } => "read and write",
            ArgumentKind::Buffer { .. } => "read",
            _ => "",
        };
        if !json {
            let size = if a.data_size > 0 {
                format!(", {} bytes each", a.data_size)
            } else {
                String::new()
            };
            let note = if a.active { "" } else { ", left out by a function constant" };
            let access = if access.is_empty() { String::new() } else { format!(", {access}") };
            say!("  {place}: {} {}{size}{access}{note}", a.type_name, a.name)?;
        }
        args.push(json!({
            "name": a.name, "type": a.type_name, "place": place, "size": a.data_size, "alignment": a.data_alignment,
            "access": access, "active": a.active,
        }));
    }
    Ok(json!({
        "name": p.name(), "arguments": args, "max_threads": p.max_total_threads_per_threadgroup(),
        "threadgroup_memory": p.static_threadgroup_memory_length(), "width": p.thread_execution_width(),
    }))
}
