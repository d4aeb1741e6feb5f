//! What the checker says.

use std::fmt;

/// What kind of error was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// An access outside of everything that is bound.
    OutOfBounds,
    /// A pointer that is not aligned for its type.
    Misaligned,
    /// Two threads of a threadgroup touch the same bytes with no barrier between them.
    RaceInThreadgroup,
    /// Two threadgroups touch the same bytes.
    RaceBetweenThreadgroups,
    /// Two dispatches of a concurrent encoder touch the same bytes with no barrier between.
    MissingBarrier,
    /// A read of threadgroup or private-storage memory that was never written.
    Uninitialized,
    /// Threads that should meet do not.
    Divergence,
    /// A number that the integer type it is converted to does not have.
    Conversion,
    /// A buffer freed while a command buffer holds it.
    FreedInFlight,
    /// A buffer written by the CPU while a command buffer holds it.
    RewrittenInFlight,
}

impl Kind {
    /// The kind in words.
    pub fn name(self) -> &'static str {
        match self {
            Kind::OutOfBounds => "out-of-bounds access",
            Kind::Misaligned => "misaligned access",
            Kind::RaceInThreadgroup => "data race in a threadgroup",
            Kind::RaceBetweenThreadgroups => "data race between threadgroups",
            Kind::MissingBarrier => "missing barrier between concurrent dispatches",
            Kind::Uninitialized => "read of uninitialized memory",
            Kind::Divergence => "divergence",
            Kind::Conversion => "conversion out of range",
            Kind::FreedInFlight => "buffer freed in flight",
            Kind::RewrittenInFlight => "buffer rewritten in flight",
        }
    }
}

/// One thread's part in an error.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Side {
    /// The source file.
    pub file: String,
    /// The line, from 1; 0 when unknown.
    pub line: u32,
    /// The threadgroup's position in the grid.
    pub group: [u32; 3],
    /// The thread's position in its threadgroup.
    pub thread: [u32; 3],
    /// What it did: `read`, `write`, `atomic update`.
    pub action: String,
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([gx, gy, gz], [x, y, z]) = (self.group, self.thread);
        match self.line {
            0 => write!(f, "{} by", self.action)?,
            _ => write!(f, "{} at {}:{} by", self.action, self.file, self.line)?,
        }
        write!(f, " thread ({x}, {y}, {z}) of threadgroup ({gx}, {gy}, {gz})")
    }
}

/// One error the checker found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// What kind of error it is.
    pub kind: Kind,
    /// The kernel's name.
    pub kernel: String,
    /// What was accessed: a binding, or threadgroup memory.
    pub binding: String,
    /// Offset in the binding, in bytes; negative or past the end for accesses out of bounds.
    pub offset: i64,
    /// Bytes accessed.
    pub size: usize,
    /// Who did it.
    pub side: Side,
    /// The other side of a race.
    pub other: Option<Side>,
    /// More, if there is more to say.
    pub detail: String,
}

impl Report {
    /// Whether both are about the same lines of the same kernel.
    pub(crate) fn says_the_same(&self, other: &Report) -> bool {
        let place = |s: &Side| (s.file.clone(), s.line, s.action.clone());
        let places = |r: &Report| (place(&r.side), r.other.as_ref().map(place));
        self.side.line != 0
            && (self.kind, &self.kernel, &self.binding)
                == (other.kind, &other.kernel, &other.binding)
            && places(self) == places(other)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.side.line > 0 {
            write!(f, "{}:{}: ", self.side.file, self.side.line)?;
        }
        write!(f, "{} in kernel '{}'", self.kind.name(), self.kernel)?;
        match self.size {
            0 if self.binding.is_empty() => {}
            0 => write!(f, ": {}", self.binding)?,
            n => write!(f, ": {n} bytes at offset {} of {}", self.offset, self.binding)?,
        }
        if !self.detail.is_empty() {
            write!(f, " ({})", self.detail)?;
        }
        if !self.side.action.is_empty() {
            write!(f, "; {}", self.side)?;
        }
        if let Some(other) = &self.other {
            write!(f, "; {other}")?;
        }
        Ok(())
    }
}
