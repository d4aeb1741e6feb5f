//! The text form of programs (`.bp` files): printing and parsing. `docs/programs.md` describes it.

mod format;
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
    ///     "bad.bp:2:5: `%0 = add 1.0, 2`: the operands are f32 and i32, but must be of one type"
    /// );
    /// # Ok::<(), bessemer_program::Error>(())
    /// ```
    pub fn parse(file: &str, text: &str) -> Result<Program> {
        parser::parse(file, text)
    }

    /// The text of a program in the usual layout: its indentation, spacing, line breaks and blank lines
    /// change; its instructions, names, numbers and comments stay. `file` names the text in errors,
    /// which are those of [`Program::parse`].
    ///
    /// ```
    /// use bessemer_program::Program;
    ///
    /// let text = "program p(inout view a:f32){ // in place
    /// %sum=load a[ @ ]
    ///
    ///
    ///   // Only what is positive.
    ///   %c=gt %sum,0.0
    ///   if %c { store a[@], %sum }
    /// }";
    /// let formatted = "program p(inout view a: f32) { // in place
    ///     %sum = load a[@]
    ///
    ///     // Only what is positive.
    ///     %c = gt %sum, 0.0
    ///     if %c {
    ///         store a[@], %sum
    ///     }
    /// }
    /// ";
    /// assert_eq!(Program::format("p.bp", text)?, formatted);
    /// # Ok::<(), bessemer_program::Error>(())
    /// ```
    pub fn format(file: &str, text: &str) -> Result<String> {
        format::format(file, text)
    }
}
