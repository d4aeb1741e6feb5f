//! How much memory was used, and how much of a model each token reads.

use bessemer_llm::files::ModelFile;

/// The most bytes of this process that were in memory at once; `None` where the system does not
/// tell.
pub(super) fn peak_resident() -> Option<u64> {
    if cfg!(target_os = "linux") {
        return of_status(&std::fs::read_to_string("/proc/self/status").ok()?);
    }
    of_usage()
}

/// The peak in `/proc/self/status`.
fn of_status(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(target_os = "macos")]
fn of_usage() -> Option<u64> {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::uninit();
    // SAFETY: `getrusage` writes a whole `rusage` to the place it is given if it returns 0.
    let usage = unsafe {
        (libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr()) == 0).then(|| usage.assume_init())
    };
    usage.and_then(|usage| u64::try_from(usage.ru_maxrss).ok())
}

#[cfg(windows)]
fn of_usage() -> Option<u64> {
    use windows_sys::Win32::System::{
        ProcessStatus::{K32GetProcessMemoryInfo, PROCESS_MEMORY_COUNTERS},
        Threading::GetCurrentProcess,
    };
    let mut counters = PROCESS_MEMORY_COUNTERS::default();
    let bytes = size_of::<PROCESS_MEMORY_COUNTERS>() as u32;
    // SAFETY: it writes no more than `bytes` to the structure, which lives until the call is over. The
    // handle of this process is no resource and is not closed.
    let told = unsafe { K32GetProcessMemoryInfo(GetCurrentProcess(), &mut counters, bytes) } != 0;
    told.then_some(counters.PeakWorkingSetSize as u64)
}

#[cfg(not(any(target_os = "macos", windows)))]
fn of_usage() -> Option<u64> {
    None
}

/// The bytes of weights that go through the processor for each token: all matrices, but of a table
/// of embeddings that is nothing else only a row, and of experts only those that are asked.
pub(super) fn weights_per_token(file: &ModelFile) -> u64 {
    let tensors = file.tensors();
    let has_output = ["output.weight", "lm_head.weight"].iter().any(|n| tensors.get(n).is_some());
    let experts = experts(file);
    let bytes = tensors.iter().map(|tensor| {
        let bytes = tensor.range.len() as u64;
        let name = tensor.name.as_str();
        if has_output && matches!(name, "token_embd.weight" | "model.embed_tokens.weight") {
            bytes / tensor.shape.first().map_or(1, |&rows| rows.max(1) as u64)
        } else if name.contains("_exps.") || name.contains(".experts.") {
            experts.map_or(bytes, |(used, all)| bytes * used / all.max(1))
        } else {
            bytes
        }
    });
    bytes.sum()
}

/// How many experts a token asks, of how many.
fn experts(file: &ModelFile) -> Option<(u64, u64)> {
    match file {
        ModelFile::Gguf(file) => {
            let metadata = file.metadata();
            let architecture = metadata.get::<&str>("general.architecture").ok()??;
            let get = |name: &str| metadata.get::<u64>(&format!("{architecture}.{name}")).ok()?;
            get("expert_used_count").zip(get("expert_count"))
        }
        ModelFile::Safetensors(files) => {
            let config = files.config()?;
            let all = ["num_local_experts", "num_experts"];
            let all = all.iter().find_map(|key| config.get::<u64>(key).ok()?);
            config.get::<u64>("num_experts_per_tok").ok()?.zip(all)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_is_read_and_is_something() {
        let status = "Name:\tx\nVmPeak:\t  99 kB\nVmHWM:\t    1234 kB\nThreads:\t1\n";
        assert_eq!(of_status(status), Some(1234 * 1024));
        assert_eq!(of_status("Name:\tx\n"), None);
        if cfg!(any(target_os = "linux", target_os = "macos", windows)) {
            assert!(peak_resident().unwrap() > 1 << 20);
        }
    }
}
