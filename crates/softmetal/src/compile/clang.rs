//! Finding clang and running it, within a limit of time and output.

use super::cache::Scratch;
use super::headers::Headers;
use super::stdlib::Installed;
use super::{ClangError, Options};
use crate::error::{Error, Result, io};
use crate::front::Mode;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How hard clang tries to make kernels fast. Checked kernels are always compiled the same way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Optimization {
    /// `-O1`.
    Less,
    /// `-O2`.
    #[default]
    Usual,
    /// `-O3`.
    More,
}

/// A clang that can be used.
pub(crate) struct Clang {
    path: PathBuf,
    pub(super) optimization: Optimization,
    /// Tells this compiler from another: path, size and time of the binary.
    pub(super) identity: String,
}

/// The oldest that is tried, and the newest name looked for.
const VERSIONS: std::ops::RangeInclusive<u32> = 14..=30;
/// No warnings, but what clang refuses by default stays refused (`-w` would take over the rest), and
/// so does a variable that needs code to run before there is a kernel.
const REFUSED: [&str; 11] = [
    "-Wno-everything",
    "-Werror=c++11-narrowing",
    "-Werror=address-of-temporary",
    "-Werror=reserved-user-defined-literal",
    "-Werror=register",
    "-Werror=return-mismatch",
    "-Werror=invalid-constexpr",
    "-Werror=enum-constexpr-conversion",
    "-Werror=incompatible-function-pointer-types",
    "-Werror=non-pod-varargs",
    "-Werror=global-constructors",
];
/// Macros that never end produce output without end.
const MAX_OUTPUT: u64 = 64 << 20;

impl Clang {
    /// `SOFTMETAL_CLANG`, or the newest `clang-N` on the path, or `clang`.
    pub(crate) fn find(optimization: Optimization) -> Result<Clang> {
        if let Some(path) = std::env::var_os("SOFTMETAL_CLANG").filter(|v| !v.is_empty()) {
            let path = PathBuf::from(path);
            if !path.is_file() {
                return Err(Error::NoCompiler {
                    looked: format!("SOFTMETAL_CLANG={}", path.display()),
                });
            }
            return Ok(Clang::at(path, optimization));
        }
        let folders: Vec<PathBuf> = std::env::var_os("PATH")
            .map(|p| std::env::split_paths(&p).collect())
            .unwrap_or_default();
        let names = VERSIONS.rev().map(|v| format!("clang-{v}")).chain(["clang".to_string()]);
        for name in names {
            let brew = PathBuf::from("/opt/homebrew/opt/llvm/bin");
            if let Some(path) =
                folders.iter().chain([&brew]).map(|f| f.join(&name)).find(|p| p.is_file())
            {
                return Ok(Clang::at(path, optimization));
            }
        }
        Err(Error::NoCompiler {
            looked: "clang-30 down to clang-14, and clang, on the PATH".into(),
        })
    }

    fn at(path: PathBuf, optimization: Optimization) -> Clang {
        let real = path.canonicalize().unwrap_or_else(|_| path.clone());
        let facts = std::fs::metadata(&real)
            .map(|m| format!("{} {:?}", m.len(), m.modified().ok()))
            .unwrap_or_default();
        Clang { identity: format!("{} {facts}", real.display()), path, optimization }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Expands macros and includes, in MSL's terms.
    pub(super) fn preprocess(
        &self,
        source: &str,
        o: &Options,
        lib: &Installed,
    ) -> std::result::Result<String, ClangError> {
        let mut c = Command::new(&self.path);
        c.args([
            "-E",
            "-x",
            "c++",
            "-std=c++14",
            "-undef",
            "-nostdinc",
            "-Wno-pragma-once-outside-header",
        ]);
        let version = o.version.to_string();
        let math = u8::from(o.fast_math).to_string();
        for (name, value) in [
            ("__METAL__", "1"),
            ("__METAL_VERSION__", version.as_str()),
            ("__METAL_MACOS__", "1"),
            ("__clang__", "1"),
            ("__CHAR_BIT__", "8"),
            ("__SCHAR_MAX__", "127"),
            ("__SHRT_MAX__", "32767"),
            ("__INT_MAX__", "2147483647"),
            ("__LONG_MAX__", "9223372036854775807L"),
            ("__UINT32_MAX__", "4294967295u"),
            ("__FLT_MAX__", "3.40282347e+38F"),
            ("__FLT_MIN__", "1.17549435e-38F"),
            ("__FLT_EPSILON__", "1.19209290e-7F"),
            ("__LITTLE_ENDIAN__", "1"),
            ("__ORDER_LITTLE_ENDIAN__", "1234"),
            ("__ORDER_BIG_ENDIAN__", "4321"),
            ("__BYTE_ORDER__", "1234"),
            ("__cpp_variable_templates", "201304L"),
            ("__SOFTMETAL__", "1"),
            ("__FAST_MATH__", math.as_str()),
            ("TARGET_OS_OSX", "1"),
        ] {
            c.arg(format!("-D{name}={value}"));
        }
        if o.bfloat && o.version >= 310 {
            c.arg("-D__HAVE_BFLOAT__=1");
        }
        for (name, value) in &o.defines {
            c.arg(format!("-D{name}={value}"));
        }
        let file = Path::new(&o.name);
        if let Some(folder) = file.parent().filter(|f| !f.as_os_str().is_empty()) {
            c.arg("-iquote").arg(folder);
        }
        for folder in &o.include {
            c.arg("-I").arg(folder);
        }
        c.arg("-isystem").arg(lib.macros().map_err(ClangError::Other)?).arg("-");
        let marked =
            format!("# 1 \"{}\"\n{source}\n", o.name.replace('\\', "\\\\").replace('"', "\\\""));
        let out = run(c, marked.as_bytes(), Duration::from_secs(60))?;
        let text = String::from_utf8_lossy(&out).into_owned();
        if text.trim().is_empty() {
            return Err(self.made_nothing());
        }
        Ok(text)
    }

    /// A command with every option that decides how our headers are understood.
    pub(super) fn language(&self, mode: Mode) -> Command {
        let mut c = Command::new(&self.path);
        c.args([
            "-x",
            "clcpp",
            "-cl-std=clc++2021",
            "-cl-no-stdinc",
            "-fdeclspec",
            "-fno-math-errno",
            "-fsigned-char",
        ]);
        c.args([
            "-ffp-contract=on",
            "-fPIC",
            "-fvisibility=hidden",
            "-ferror-limit=12",
            "-fno-color-diagnostics",
            "-fno-elide-type",
            "-fno-diagnostics-show-option",
        ]);
        c.args([
            "-fno-finite-loops",
            "-fno-strict-aliasing",
            "-ftemplate-depth=2048",
            "-fconstexpr-steps=2000000",
        ]);
        // Clang 19 takes `fabs(x) > 0` for `x > 0` when it asks which numbers `x` can be, and then
        // drops the `fabs` of what such a comparison chose: the largest magnitude of a list with a
        // negative first element comes out wrong. It asks nothing of the kind when it may not know
        // how the machine treats subnormal numbers; the code it makes is the same otherwise.
        c.arg("-fdenormal-fp-math=dynamic");
        // What is counted is the same on every machine.
        #[cfg(target_arch = "x86_64")]
        if mode != Mode::Counted {
            c.args(["-march=native", "-fstack-clash-protection"]);
        }
        #[cfg(not(target_arch = "x86_64"))]
        c.args(["-Xclang", "-cl-ext=+all"]);
        // The cache is shared: names in it must not depend on the folder it was filled from.
        c.arg("-fdebug-compilation-dir=.");
        c.args(REFUSED);
        match mode {
            Mode::Fast => {
                c.args([
                    match self.optimization {
                        Optimization::Less => "-O1",
                        Optimization::Usual => "-O2",
                        Optimization::More => "-O3",
                    },
                    "-gline-tables-only",
                ]);
            }
            Mode::Strict => {
                c.args(["-O2", "-D__SM_STRICT", "-ferror-limit=0"]);
            }
            Mode::Counted => {
                c.args(["-w", "-O2", "-fno-vectorize", "-fno-slp-vectorize"]);
                // As GPUs do it: nothing is called, and loops over private arrays are unrolled.
                for option in ["-inline-threshold=100000", "-unroll-threshold=2000"] {
                    c.args(["-mllvm", option]);
                }
            }
            Mode::Checked => {
                c.args(["-D__SM_CHECKED", "-g", "-gno-column-info"]);
                // Optimised, but not so that accesses are merged or moved between threads.
                c.args(["-O1", "-funroll-loops", "-fno-vectorize", "-fno-slp-vectorize"]);
                c.args([
                    "-fsanitize=kernel-address,alignment,array-bounds,float-cast-overflow",
                    "-fno-sanitize-link-runtime",
                    // What was never written holds no number, in registers too.
                    "-ftrivial-auto-var-init=pattern",
                    "-Werror=uninitialized",
                ]);
                for option in [
                    "-asan-instrumentation-with-call-threshold=0",
                    // check.h keeps the maps of stacks: it is told of every change by a call.
                    "-asan-stack=1",
                    "-asan-max-inline-poisoning-size=0",
                    "-asan-mapping-offset=0",
                    "-asan-instrument-dynamic-allocas=0",
                    "-asan-globals=1",
                    // The order in which tables are filled is no matter of kernels.
                    "-asan-initialization-order=0",
                    "-asan-instrument-atomics=0",
                    "-asan-opt=0",
                    "-asan-kernel-mem-intrinsic-prefix=1",
                ] {
                    c.args(["-mllvm", option]);
                }
            }
        }
        c
    }

    /// Only finds errors.
    pub(super) fn check(
        &self,
        text: &str,
        mode: Mode,
        headers: &Headers,
    ) -> std::result::Result<(), ClangError> {
        let mut c = self.language(mode);
        headers.include(&mut c);
        c.args(["-fsyntax-only", "-"]);
        run(c, text.as_bytes(), Duration::from_secs(300)).map(|_| ())
    }

    /// Optimises it, and gives LLVM's text of it back.
    pub(super) fn intermediate(
        &self,
        text: &str,
        headers: &Headers,
    ) -> std::result::Result<String, ClangError> {
        let mut c = self.language(Mode::Counted);
        headers.include(&mut c);
        c.args(["-S", "-emit-llvm", "-o", "-", "-"]);
        let made = run(c, text.as_bytes(), Duration::from_secs(300))?;
        Ok(String::from_utf8_lossy(&made).into_owned())
    }

    /// Makes a shared object.
    pub(super) fn compile(
        &self,
        text: &str,
        mode: Mode,
        o: &Options,
        headers: &Headers,
    ) -> std::result::Result<Vec<u8>, ClangError> {
        let mut c = self.language(mode);
        headers.include(&mut c);
        let vector_maths = mode == Mode::Fast && o.fast_math;
        if vector_maths && cfg!(all(target_arch = "x86_64", target_os = "linux")) && libmvec() {
            c.args(["-fveclib=libmvec", "-l:libmvec.so.1"]);
        }
        let output = Scratch::new("so").map_err(ClangError::Other)?;
        c.args(["-shared", "-nostdlib", "-"]);
        if cfg!(target_os = "linux") {
            c.args(["-x", "none", "-l:libm.so.6", "-l:libc.so.6"]);
        } else {
            c.args(["-x", "none", "-lSystem"]);
        }
        c.arg("-o").arg(output.path());
        run(c, text.as_bytes(), Duration::from_secs(300))?;
        let made = output.read().map_err(ClangError::Other)?;
        if made.is_empty() { Err(self.made_nothing()) } else { Ok(made) }
    }

    /// It says that all is well, and there is no output.
    fn made_nothing(&self) -> ClangError {
        ClangError::Other(Error::Compiler(format!(
            "{} ended without an error and made nothing: is it clang?",
            self.path.display()
        )))
    }
}

fn libmvec() -> bool {
    ["/lib/x86_64-linux-gnu/libmvec.so.1", "/lib64/libmvec.so.1", "/usr/lib/libmvec.so.1"]
        .iter()
        .any(|p| Path::new(p).exists())
}

/// Limits the processor time of a command and of what it starts; the machine may be busy otherwise.
fn limit_time(command: &mut Command, limit: Duration) {
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        let seconds = limit.as_secs();
        // SAFETY: between fork and exec only `setrlimit` is called, which is safe there.
        unsafe {
            command.pre_exec(move || {
                let most = libc::rlimit { rlim_cur: seconds, rlim_max: seconds + 5 };
                libc::setrlimit(libc::RLIMIT_CPU, &most);
                Ok(())
            });
        }
    }
}

/// How much longer than its processor time a command may take.
const PATIENCE: u32 = 6;

/// Runs a command with `input` and gives its output back.
pub(super) fn run(
    mut command: Command,
    input: &[u8],
    limit: Duration,
) -> std::result::Result<Vec<u8>, ClangError> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    limit_time(&mut command, limit);
    let mut child = command.spawn().map_err(|e| {
        ClangError::Other(io(format!("running {}", command.get_program().to_string_lossy()), e))
    })?;
    let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (Some(mut stdin), Some(stdout), Some(stderr)) = pipes else {
        return Err(ClangError::Other(Error::Compiler("no pipes".into())));
    };
    let read = |from: Box<dyn Read + Send>, most: u64| {
        move || {
            let mut out = Vec::new();
            let _ = from.take(most).read_to_end(&mut out);
            out
        }
    };
    std::thread::scope(|scope| {
        // Clang may stop reading early; that is its error to report, not ours.
        scope.spawn(move || {
            let _ = stdin.write_all(input);
        });
        let out = scope.spawn(read(Box::new(stdout), MAX_OUTPUT));
        let err = scope.spawn(read(Box::new(stderr), 16 << 20));
        let status = wait(&mut child, limit * PATIENCE);
        let (out, err) = (out.join().unwrap_or_default(), err.join().unwrap_or_default());
        let err = String::from_utf8_lossy(&err).into_owned();
        let killed = err.contains("CPU time limit exceeded");
        match status.filter(|ok| *ok || !killed) {
            None => Err(ClangError::Other(Error::Compiler(format!(
                "it took longer than {} s",
                limit.as_secs()
            )))),
            _ if out.len() as u64 >= MAX_OUTPUT => Err(ClangError::Other(Error::Compiler(
                format!("macros expand to more than {} MiB of text", MAX_OUTPUT >> 20),
            ))),
            Some(true) => Ok(out),
            Some(false) if err.contains("error:") => Err(ClangError::Messages(err)),
            Some(false) => Err(ClangError::Other(Error::Compiler(
                err.lines().take(5).collect::<Vec<_>>().join(" / "),
            ))),
        }
    })
}

/// Whether a process was ended by the limit of its processor time.
fn is_timed_out(status: std::process::ExitStatus) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt;
        status.signal() == Some(libc::SIGXCPU)
    }
    #[cfg(not(unix))]
    {
        let _ = status;
        false
    }
}

/// Waits for a child; past the limit it is killed and the answer is `None`.
fn wait(child: &mut Child, limit: Duration) -> Option<bool> {
    let end = Instant::now() + limit;
    let mut pause = Duration::from_micros(500);
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return (!is_timed_out(status)).then(|| status.success()),
            Ok(None) if Instant::now() < end => std::thread::sleep(pause),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                return None;
            }
        }
        pause = (pause * 2).min(Duration::from_millis(8));
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn processor_time_is_limited() {
        let mut busy = Command::new("sh");
        busy.args(["-c", "while :; do :; done"]);
        let Err(ClangError::Other(e)) = run(busy, b"", Duration::from_secs(1)) else {
            panic!("it came back");
        };
        assert!(e.to_string().contains("longer than 1 s"), "{e}");
    }
}
