//! Why a program was rejected.

/// The result of everything here that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a program was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Its text can't be read, or what it says is refused.
    #[error("{file}:{line}:{column}: {what}")]
    Text {
        /// The name of the text.
        file: String,
        /// The line, from 1.
        line: usize,
        /// The character in the line, from 1.
        column: usize,
        /// What is wrong.
        what: String,
    },

    /// An instruction breaks a rule.
    #[error("program {program}: instruction {number} `{instruction}`: {rule}")]
    Instruction {
        /// The program's name.
        program: String,
        /// Its number, from 0, counted in the order of the text.
        number: usize,
        /// Its text.
        instruction: String,
        /// The rule.
        rule: String,
    },

    /// The program as a whole breaks a rule.
    #[error("program {program}: {rule}")]
    Program {
        /// The program's name.
        program: String,
        /// The rule.
        rule: String,
    },

    /// A launch that can't be.
    #[error("launch of {program}: {rule}")]
    Launch {
        /// The program's name.
        program: String,
        /// The rule.
        rule: String,
    },
}
