//! The text form of programs (`.bp` files): printing and parsing. `docs/programs.md` describes it.

mod lexer;
mod parser;
mod print;

use crate::{Program, Result};

impl Program {
    /// Reads a program from its text form. `file` names the text in errors.
    ///
    /// ```
    /// use bessemer_program::Program;
    ///
    /// let text = "
    ///     // Every element times k, plus one.
    ///     program scale(in view a: f32, out view c: f32, uniform k: f32) {
    ///         %x = load a[@]
    ///         %y = fma %x, k, 1.0
    ///         store c[@], %y
    ///     }";
    /// let program = Program::parse("scale.bp", text)?;
    /// assert_eq!(Program::parse("again", &program.to_string())?, program);
    ///
    /// let error = Program::parse("bad.bp", "program p() {\n    %x = add 1.0, 2\n}").unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "bad.bp:2:5: `%0 = add 1.0, 2`: its operands are f32 and i32, and must be of one type"
    /// );
    /// # Ok::<(), bessemer_program::Error>(())
    /// ```
    pub fn parse(file: &str, text: &str) -> Result<Program> {
        parser::parse(file, text)
    }
}
