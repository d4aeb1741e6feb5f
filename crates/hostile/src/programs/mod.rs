//! Programs: any text through the parser, the formatter and every CPU device, and programs of random
//! instructions whose results must be the same on all of them.

mod built;
mod run;

pub use built::program_built;

use bessemer_program::Program;

/// The longest text that is tried.
const LONGEST: usize = 1 << 16;

/// Any bytes as the text of a program. One that is read is printed, formatted and run.
pub fn program_text(data: &[u8]) {
    let text = String::from_utf8_lossy(&data[..data.len().min(LONGEST)]);
    let Ok(program) = Program::parse("fuzz.bp", &text) else {
        return;
    };
    let parse = |text: &str| Program::parse("again.bp", text).expect("a program as we write it");
    assert_eq!(parse(&program.to_string()), program);
    let formatted = Program::format("fuzz.bp", &text).expect("its text was just read");
    assert_eq!(parse(&formatted), program, "{formatted}");
    assert_eq!(Program::format("again.bp", &formatted).as_ref(), Ok(&formatted));
    for device in run::devices() {
        let _ = run::run(&program, &*device);
    }
}
