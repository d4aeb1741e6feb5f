//! The `softmetal` command.

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    softmetal::cli::main()
}

#[cfg(not(unix))]
fn main() -> std::process::ExitCode {
    eprintln!("softmetal: this system has no signals to catch the faults of kernels; use Linux");
    std::process::ExitCode::FAILURE
}
