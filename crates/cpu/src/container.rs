//! What control groups, which are what containers are made of on Linux, let this process have.

use std::{fs, path::Path};

/// The least of the limits of all groups that this process is in.
pub(crate) fn memory() -> usize {
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let limits = groups.lines().filter_map(|line| limit(Path::new("/sys/fs/cgroup"), line));
    limits.min().unwrap_or(usize::MAX)
}

/// The limit by a line of the list of groups, where it is about memory: `0::/a/b` (version 2) or
/// `4:memory:/a/b` (version 1). Groups above may have less; paths that are not here are those of
/// groups outside of the container.
fn limit(root: &Path, line: &str) -> Option<usize> {
    let (_, line) = line.split_once(':')?;
    let (controllers, path) = line.split_once(':')?;
    let (root, file) = match controllers {
        "" => (root.to_owned(), "memory.max"),
        _ if controllers.split(',').any(|name| name == "memory") => {
            (root.join("memory"), "memory.limit_in_bytes")
        }
        _ => return None,
    };
    let group = root.join(path.trim_start_matches('/'));
    let groups = group.ancestors().take_while(|group| group.starts_with(&root));
    groups.filter_map(|group| fs::read_to_string(group.join(file)).ok()?.trim().parse().ok()).min()
}

#[cfg(test)]
mod tests {
    use super::limit;
    use std::fs;

    #[test]
    fn the_least_limit_above_a_group_counts() {
        let root = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let found = |line| limit(root.path(), line);
        assert_eq!(found("0::/a/b"), None);
        write("a/memory.max", "5000\n");
        write("a/b/memory.max", "max\n");
        assert_eq!(found("0::/a/b"), Some(5000));
        write("a/b/memory.max", "3000\n");
        assert_eq!(found("0::/a/b"), Some(3000));
        assert_eq!(found("0::/"), None);
        write("memory/memory.limit_in_bytes", "7000\n");
        assert_eq!(found("4:cpu,memory:/elsewhere"), Some(7000));
        assert_eq!(found("4:cpu:/elsewhere"), None);
        assert_eq!(found("nonsense"), None);
    }
}
