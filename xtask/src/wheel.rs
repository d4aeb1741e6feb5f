//! `cargo xtask wheel`: the Python package, built, checked, installed in a clean environment and tested
//! there. What it is made of is in `pyproject.toml` and `crates/python`.

use crate::{
    install,
    shell::{self, command, root, succeeds, target_dir},
    steps::Steps,
    summary::count_python_tests,
};
use anyhow::{Context, Result, bail};
use std::{
    env,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// How much to do.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Options {
    /// The build of the other tests, and fewer examples.
    pub(crate) quick: bool,
    /// Also the libraries that share arrays with ours.
    pub(crate) full: bool,
}

/// The oldest Python that the package is for.
const OLDEST: (u32, u32) = (3, 11);
/// What builds and audits wheels.
const TOOLS: [&str; 2] = ["maturin>=1.9.4,<2", "abi3audit"];
const TESTS: &str = "crates/python/tests";

/// The wheel alone.
pub(crate) fn run(options: Options) -> Result<()> {
    let mut all = Steps::default();
    let passed = steps(&mut all, options)?;
    eprintln!("\n{all}\n");
    println!("{passed} passed, 0 failed");
    Ok(())
}

/// Adds the steps of the Python package to others; returns how many tests passed.
pub(crate) fn steps(steps: &mut Steps, options: Options) -> Result<usize> {
    let tools = steps.run("python: tools", || {
        if options.quick && cfg!(unix) {
            // Its build has Metal in software, which the tests of the executor run on.
            install::clang()?;
        }
        let tools = Environment::new("tools")?;
        tools.install(&TOOLS)?;
        if cfg!(target_os = "linux") && !options.quick {
            tools.install(&["auditwheel"])?;
        }
        Ok(tools)
    })?;
    let wheel = steps.run("python: build", || build(&tools, options))?;
    steps.run("python: audit", || audit(&tools, &wheel, options))?;
    let clean = steps.run("python: install", || {
        let clean = Environment::fresh("clean")?;
        clean.install(&[wheel.to_string_lossy().as_ref()])?;
        clean.install(&["-r", &format!("{TESTS}/requirements.txt")])?;
        Ok(clean)
    })?;
    let mut passed = steps.run("python: tests", || test(&clean, options))?;
    steps.run("python: types", || types(&clean))?;
    if options.full {
        passed += steps.run("python: tests with torch, jax, Dask and Ray", || {
            clean.install(&["-r", &format!("{TESTS}/partners/requirements.txt")])?;
            let mut pytest = clean.module("pytest", &[&format!("{TESTS}/partners")]);
            count_python_tests(&mut pytest)
        })?;
    }
    Ok(passed)
}

/// An environment with the wheel of the quick build and nothing else.
pub(crate) fn quick(name: &str) -> Result<Environment> {
    let tools = Environment::new("tools")?;
    tools.install(&TOOLS)?;
    let wheel = build(&tools, Options { quick: true, full: false })?;
    let environment = Environment::fresh(name)?;
    environment.install(&[wheel.to_string_lossy().as_ref()])?;
    Ok(environment)
}

/// The wheel as people install it.
pub(crate) fn release() -> Result<PathBuf> {
    let tools = Environment::new("tools")?;
    tools.install(&TOOLS)?;
    build(&tools, Options::default())
}

/// Builds the wheel, and returns where it is.
fn build(tools: &Environment, options: Options) -> Result<PathBuf> {
    let out = folder().join(if options.quick { "quick" } else { "wheels" });
    // The only wheel in there is to be the one that is built now.
    if out.exists() {
        fs::remove_dir_all(&out).with_context(|| format!("removing {}", out.display()))?;
    }
    let mut maturin = tools.module("maturin", &["build", "--locked", "--out"]);
    maturin.arg(&out);
    match options.quick {
        // Dependencies are there already, from the other tests. Those have Metal in software.
        true if cfg!(unix) => {
            maturin.args(["--profile", "dev", "--features", "bessemer-python/softmetal"])
        }
        true => maturin.args(["--profile", "dev"]),
        false => maturin.arg("--release"),
    };
    shell::run(&mut maturin)?;
    let wheels = fs::read_dir(&out).with_context(|| format!("listing {}", out.display()))?;
    let wheel = wheels
        .flatten()
        .map(|entry| entry.path())
        .find(|path| path.extension().is_some_and(|extension| extension == "whl"));
    wheel.with_context(|| format!("maturin left no wheel in {}", out.display()))
}

/// Whether the wheel keeps to Python's stable interface, and to what every Linux has.
fn audit(tools: &Environment, wheel: &Path, options: Options) -> Result<()> {
    shell::run(tools.module("abi3audit", &["--strict", "--summary"]).arg(wheel))?;
    if cfg!(target_os = "linux") && !options.quick {
        shell::run(tools.module("auditwheel", &["show"]).arg(wheel))?;
    }
    Ok(())
}

fn test(clean: &Environment, options: Options) -> Result<usize> {
    let mut pytest = clean.module("pytest", &["-q"]);
    if options.quick {
        pytest.env("BESSEMER_EXAMPLES", "30").env("BESSEMER_HAMMER_SECONDS", "3");
        if cfg!(unix) {
            pytest.env("BESSEMER_SOFTMETAL", "1");
        }
    } else {
        pytest.env("BESSEMER_HAMMER_SECONDS", "60");
    }
    count_python_tests(&mut pytest)
}

/// Whether the stubs are right and complete, and our examples agree with them.
fn types(clean: &Environment) -> Result<()> {
    shell::run(&mut clean.module("mypy", &["crates/python/examples"]))?;
    shell::run(&mut clean.module("mypy", &["-p", "bessemer"]))?;
    let allowed = format!("{TESTS}/stubtest-allowlist.txt");
    let stubtest = ["bessemer", "--mypy-config-file", "pyproject.toml", "--allowlist", &allowed];
    let mut stubtest = clean.module("mypy.stubtest", &stubtest);
    shell::run(stubtest.arg("--ignore-unused-allowlist"))?;
    let python = clean.python.to_string_lossy();
    shell::run(&mut clean.module("pyright", &["--pythonpath", &python]))?;
    // Packages are found through the interpreter on the path: with `--verifytypes`, `--pythonpath` does nothing.
    let complete = ["--verifytypes", "bessemer", "--ignoreexternal"];
    shell::run(clean.module("pyright", &complete).env("PATH", clean.path()?))
}

/// Where environments and wheels are.
pub(crate) fn folder() -> PathBuf {
    let target = target_dir();
    // Commands run in the folder of the workspace, wherever they are started.
    if target.is_absolute() { target.join("python") } else { root().join(target).join("python") }
}

/// A virtual environment.
pub(crate) struct Environment {
    python: PathBuf,
}

impl Environment {
    /// The environment of this name, made if it is not there.
    fn new(name: &str) -> Result<Environment> {
        let place = folder().join(name);
        let python = match cfg!(windows) {
            true => place.join("Scripts").join("python.exe"),
            false => place.join("bin").join("python"),
        };
        if !succeeds(&mut command(&python, ["-m", "pip", "--version"])) {
            let system = interpreter()?;
            shell::run(command(system, ["-m", "venv", "--clear"]).arg(&place))?;
        }
        Ok(Environment { python })
    }

    /// The same with nothing in it.
    fn fresh(name: &str) -> Result<Environment> {
        let place = folder().join(name);
        if place.exists() {
            fs::remove_dir_all(&place).with_context(|| format!("removing {}", place.display()))?;
        }
        Environment::new(name)
    }

    /// The `PATH` of an environment that is activated.
    fn path(&self) -> Result<OsString> {
        let own = self.python.parent().map(Path::to_path_buf);
        let others = env::var_os("PATH").unwrap_or_default();
        Ok(env::join_paths(own.into_iter().chain(env::split_paths(&others)))?)
    }

    /// Runs a module, in the folder of the workspace.
    pub(crate) fn module(&self, name: &str, args: &[&str]) -> Command {
        let mut python = command(&self.python, ["-m", name]);
        python.args(args);
        python
    }

    pub(crate) fn install(&self, what: &[&str]) -> Result<()> {
        shell::run(
            self.module("pip", &["install", "--quiet", "--disable-pip-version-check"]).args(what),
        )
    }
}

/// The system's Python, or the one that `PYTHON` names.
fn interpreter() -> Result<PathBuf> {
    let check = format!("import sys; sys.exit(sys.version_info < {OLDEST:?})");
    let named = env::var_os("PYTHON").map(PathBuf::from);
    let names = if cfg!(windows) { ["python", "py"] } else { ["python3", "python"] };
    let all = named.into_iter().chain(names.map(PathBuf::from));
    let mut found = all.filter(|python| succeeds(&mut command(python, ["-c", &check])));
    let Some(python) = found.next() else {
        bail!("this needs Python {}.{} or newer; set PYTHON to its path", OLDEST.0, OLDEST.1);
    };
    Ok(python)
}
