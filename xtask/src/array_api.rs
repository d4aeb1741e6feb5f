//! `cargo xtask array-api`: the public test suite of the array API standard, run with a fresh wheel. It is not
//! on PyPI, so it takes a path to a checkout. What we leave out of it is listed here, with the reason.

use crate::{
    steps::Steps,
    summary::count_python_tests,
    wheel::{self, Environment},
};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

/// What to run, and on what.
#[derive(Debug)]
pub(crate) struct Options {
    /// The checkout of `data-apis/array-api-tests`, with its submodule.
    pub(crate) checkout: PathBuf,
    /// The device that new arrays are made on.
    pub(crate) device: String,
    /// Examples of each property.
    pub(crate) examples: usize,
    /// Only tests whose name contains this.
    pub(crate) only: Option<String>,
}

/// Tests that need a dtype we do not have, even for inputs of those we have: transforms of real `float64`,
/// whose results are `complex128`. They run again without `float64`.
const FROM_DOUBLE_TO_COMPLEX: [&str; 3] = [
    "array_api_tests/test_fft.py::test_rfft",
    "array_api_tests/test_fft.py::test_rfftn",
    "array_api_tests/test_fft.py::test_ihfft",
];

/// It reshapes to as many as 32 dimensions; arrays have at most 8, as their namespace's `capabilities` says.
const OF_MANY_DIMENSIONS: &str = "array_api_tests/test_manipulation_functions.py::test_reshape";

/// Dtypes that a device does not compute with, so that the suite must not use them there. Nothing needs to be
/// said about `complex128`: the suite leaves out what the package does not have.
fn left_out(device: &str) -> &'static [&'static str] {
    match device {
        "metal" | "webgpu" => &["float64"],
        _ => &[],
    }
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let checkout = &options.checkout;
    let checkout =
        checkout.canonicalize().with_context(|| format!("finding {}", checkout.display()))?;
    for (part, advice) in [
        ("array_api_tests", "clone https://github.com/data-apis/array-api-tests"),
        ("array-api/src", "run `git submodule update --init` there"),
    ] {
        if !checkout.join(part).exists() {
            bail!("{}: there is no {part}; {advice}", checkout.display());
        }
    }
    let mut steps = Steps::default();
    let environment = steps.run("array API: wheel", || {
        let environment = wheel::quick("array-api")?;
        let requirements = checkout.join("requirements.txt");
        environment.install(&["-r", requirements.to_string_lossy().as_ref(), "numpy"])?;
        Ok(environment)
    })?;
    let out = left_out(&options.device);
    let mut passed = steps.run("array API: tests", || {
        let deselected: &[&str] =
            if out.contains(&"float64") { &[] } else { &FROM_DOUBLE_TO_COMPLEX };
        suite(&environment, &checkout, options, out, &["array_api_tests"], deselected)
    })?;
    if !out.contains(&"float64") && options.only.is_none() {
        passed += steps.run("array API: tests without float64", || {
            suite(&environment, &checkout, options, &["float64"], &FROM_DOUBLE_TO_COMPLEX, &[])
        })?;
    }
    eprintln!("\n{steps}\n");
    println!("{passed} passed, 0 failed");
    Ok(())
}

fn suite(
    environment: &Environment,
    checkout: &Path,
    options: &Options,
    without: &[&str],
    tests: &[&str],
    deselected: &[&str],
) -> Result<usize> {
    let device = &options.device;
    let module = format!("exec('import bessemer as xp; xp.device(\"{device}\").__enter__()')");
    let mut pytest = environment.module("pytest", &["-q", "-p", "no:cacheprovider"]);
    pytest
        .current_dir(checkout)
        .args(["--disable-deadline", "--max-examples", &options.examples.to_string()])
        .args(tests)
        .env("ARRAY_API_TESTS_MODULE", module)
        .env("ARRAY_API_TESTS_SKIP_DTYPES", without.join(","))
        .env("HYPOTHESIS_STORAGE_DIRECTORY", wheel::folder().join("array-api-examples"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("BESSEMER_SOFTMETAL", "1");
    for test in deselected.iter().chain(&[OF_MANY_DIMENSIONS]) {
        pytest.args(["--deselect", test]);
    }
    if let Some(only) = &options.only {
        pytest.args(["-k", only]);
    }
    count_python_tests(&mut pytest)
}
