//! Our `metal_stdlib`: the headers, built into the crate, laid out where clang can read them.

use super::cache::{Cache, digest, own_folder};
use crate::error::{Result, io};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

macro_rules! header {
    ($name:literal) => {
        ($name, include_str!(concat!("../../stdlib/softmetal/", $name)))
    };
}

const HEADERS: &[(&str, &str)] = &[
    header!("atomic.h"),
    header!("base.h"),
    header!("bfloat.h"),
    header!("check.h"),
    header!("common.h"),
    header!("each.h"),
    header!("entry.h"),
    header!("integer.h"),
    header!("internals.h"),
    header!("limits.h"),
    header!("log.h"),
    header!("math.h"),
    header!("matrix.h"),
    header!("misc.h"),
    header!("pack.h"),
    header!("prelude.h"),
    header!("runtime.h"),
    header!("simd.h"),
    header!("simdgroup_matrix.h"),
    header!("texture.h"),
    header!("traits.h"),
    header!("vec.h"),
    header!("vecops.h"),
];

const MACROS: &str = include_str!("../../stdlib/macros/metal_stdlib");

/// What lenient compilation adds to the headers.
pub(super) const LENIENT: &str = include_str!("../../stdlib/lenient.h");

/// The parts of `<metal_stdlib>` that can be included alone.
const PARTS: &[&str] = &[
    "metal_array",
    "metal_assert",
    "metal_atomic",
    "metal_common",
    "metal_compute",
    "metal_config",
    "metal_extended_vector",
    "metal_float32",
    "metal_geometric",
    "metal_integer",
    "metal_limits",
    "metal_logging",
    "metal_math",
    "metal_matrix",
    "metal_numeric",
    "metal_pack",
    "metal_packed_vector",
    "metal_quadgroup",
    "metal_relational",
    "metal_simdgroup",
    "metal_simdgroup_matrix",
    "metal_texture",
    "metal_types",
    "metal_type_traits",
    "metal_uniform",
    "metal_utility",
    "metal_vector",
    "simd/simd.h",
];

/// The headers on disk.
pub(super) struct Installed {
    pub(super) digest: String,
    files: Vec<(String, String)>,
    cached: Option<PathBuf>,
    folder: OnceLock<PathBuf>,
}

impl Installed {
    pub(super) fn new(cache: &Cache) -> Installed {
        let mut files: Vec<(String, String)> = HEADERS
            .iter()
            .map(|(name, text)| (format!("softmetal/{name}"), (*text).to_string()))
            .collect();
        files.push(("softmetal/swizzles.h".into(), swizzles()));
        files.push(("macros/metal_stdlib".into(), MACROS.into()));
        for part in PARTS {
            files.push((format!("macros/{part}"), "#include <metal_stdlib>\n".into()));
        }
        let digest = digest(&files.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>());
        let cached = cache.folder().map(|f| f.join(format!("stdlib-{digest}")));
        Installed { digest, files, cached, folder: OnceLock::new() }
    }

    /// The folder with the headers: in the cache, or one of this process where that fails.
    /// Written when first asked for, which is when something has to be compiled.
    pub(super) fn folder(&self) -> Result<&Path> {
        if let Some(folder) = self.folder.get() {
            return Ok(folder);
        }
        let found = match &self.cached {
            Some(f) if whole(f, &self.files) || install(f, &self.files).is_ok() => f.clone(),
            _ => {
                let f = own_folder()?.join(format!("stdlib-{}", self.digest));
                install(&f, &self.files)
                    .map_err(|e| io(format!("writing the Metal headers to {}", f.display()), e))?;
                f
            }
        };
        Ok(self.folder.get_or_init(|| found))
    }

    pub(super) fn macros(&self) -> Result<PathBuf> {
        Ok(self.folder()?.join("macros"))
    }

    pub(super) fn prelude(&self) -> Result<PathBuf> {
        Ok(self.folder()?.join("softmetal/prelude.h"))
    }
}

/// Whether every header is there as it was written.
fn whole(folder: &Path, files: &[(String, String)]) -> bool {
    files.iter().all(|(name, text)| {
        std::fs::read(folder.join(name)).is_ok_and(|bytes| bytes == text.as_bytes())
    })
}

fn install(folder: &Path, files: &[(String, String)]) -> std::io::Result<()> {
    // Another process may be doing the same: each writes its own folder, one of them wins.
    let mine = folder.with_extension(format!("{}", std::process::id()));
    std::fs::create_dir_all(mine.join("softmetal"))?;
    std::fs::create_dir_all(mine.join("macros/simd"))?;
    let written = files.iter().try_for_each(|(name, text)| std::fs::write(mine.join(name), text));
    let placed = written.and_then(|()| {
        std::fs::rename(&mine, folder).or_else(|e| {
            if whole(folder, files) {
                return Err(e);
            }
            // What is there is damaged: it makes room.
            std::fs::remove_dir_all(folder)?;
            std::fs::rename(&mine, folder)
        })
    });
    let _ = std::fs::remove_dir_all(&mine);
    if whole(folder, files) { Ok(()) } else { placed }
}

/// Every swizzle of 2, 3 and 4 elements, in both spellings, as properties of the vector; and single
/// elements, for the pass that refuses references to them.
fn swizzles() -> String {
    const NAMES: [&[u8; 4]; 2] = [b"xyzw", b"rgba"];
    let mut out = String::from("// Made by softmetal: swizzles as properties.\n");
    for n in 2..=4usize {
        for k in 1..=4u32 {
            match k {
                1 => write!(out, "#define __SM_ELEMENTS_{n} "),
                2 => write!(out, "\n#define __SM_SWIZZLES_{n} "),
                _ => Ok(()),
            }
            .unwrap_or_default();
            let kind = if k == 1 { "T".to_string() } else { format!("vec<T,{k}>") };
            for code in 0..n.pow(k) {
                let picks: Vec<usize> = (0..k).map(|d| code / n.pow(d) % n).collect();
                let spell =
                    |set: usize| picks.iter().map(|&p| NAMES[set][p] as char).collect::<String>();
                let name = spell(0);
                let from: Vec<String> = picks.iter().map(|p| format!("e[{p}]")).collect();
                let _ = writeln!(
                    out,
                    "constexpr __sm_inline {kind} __g_{name}() const {{ return {kind}({}); }} \\",
                    from.join(",")
                );
                let distinct = (1..picks.len()).all(|i| !picks[..i].contains(&picks[i]));
                if distinct {
                    let value = |j: usize| if k == 1 { "v".into() } else { format!("v.e[{j}]") };
                    let body: String = picks
                        .iter()
                        .enumerate()
                        .map(|(j, p)| format!("e[{p}]={};", value(j)))
                        .collect();
                    let _ = writeln!(
                        out,
                        "constexpr __sm_inline void __p_{name}({kind} v) {{ {body} }} \\"
                    );
                }
                let put = if distinct { format!(",put=__p_{name}") } else { String::new() };
                for set in 0..2 {
                    let _ = writeln!(
                        out,
                        "__declspec(property(get=__g_{name}{put})) {kind} {}; \\",
                        spell(set)
                    );
                }
            }
        }
        out.push('\n');
    }
    out
}
