//! The `softmetal` command.

fn main() -> std::process::ExitCode {
    softmetal::cli::main()
}
