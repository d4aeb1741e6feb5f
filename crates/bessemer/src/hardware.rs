//! Whether this machine has a GPU at all: a look at files, so that `auto` does not load drivers for nothing.

use std::{fs, path::Path};

/// How the kernel names GPUs in `/dev`: render nodes, Nvidia's own driver and that of its boards, Windows'
/// GPU in WSL, AMD's for compute, and those of phones.
const NODES: [&str; 8] = ["dri", "nvidia", "nvgpu", "nvhost", "dxg", "kfd", "mali", "kgsl"];

/// Whether there may be a GPU. Only Linux can say no: elsewhere a driver must be asked.
pub(crate) fn may_have_gpu() -> bool {
    !cfg!(target_os = "linux") || has_gpu(Path::new("/dev"))
}

fn has_gpu(devices: &Path) -> bool {
    // A folder that can't be read says nothing.
    let Ok(entries) = fs::read_dir(devices) else { return true };
    entries.flatten().any(|entry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        NODES.iter().any(|node| name.starts_with(node))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gpu_is_known_by_its_node() {
        let with = |name: &str| {
            let folder = tempfile::tempdir().unwrap();
            fs::write(folder.path().join(name), "").unwrap();
            has_gpu(folder.path())
        };
        assert!(!with("null") && !with("tty0"));
        assert!(with("dri") && with("nvidia0") && with("dxg"));
        assert!(has_gpu(Path::new("/nowhere")));
    }
}
