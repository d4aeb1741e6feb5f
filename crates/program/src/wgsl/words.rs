//! What the words of a variable in memory are declared as, and how a value of any type is read from
//! and written to them.

use super::Use;
use crate::Type;
use bessemer_core::DType;

/// The elements of a variable: 32 bits, which is all that WGSL stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Words {
    /// `f32`
    F32,
    /// `i32`
    I32,
    /// `u32`
    U32,
    /// `atomic<i32>`
    AtomicI32,
    /// `atomic<u32>`
    AtomicU32,
}

impl Words {
    /// What suits one operand best.
    pub fn of(dtype: DType, usage: Use) -> Words {
        match (dtype, usage) {
            (DType::F32, _) => Words::F32,
            (DType::I32, Use::Atomic) => Words::AtomicI32,
            (DType::I32, _) => Words::I32,
            (DType::U32, Use::Atomic) => Words::AtomicU32,
            (DType::U32, _) | (_, Use::Read) => Words::U32,
            // Elements of 64 bits are two whole words.
            _ if is_wide(dtype) => Words::U32,
            // Elements smaller than a word are written by atomic instructions.
            _ => Words::AtomicU32,
        }
    }

    /// What serves several operands that lie in one variable; none if atomic instructions of
    /// programs need it to be both signed and not.
    ///
    /// ```
    /// use bessemer_core::DType;
    /// use bessemer_program::wgsl::{Use, Words};
    ///
    /// let words = Words::shared([(DType::F32, Use::Read), (DType::F16, Use::Write)]);
    /// assert_eq!(words, Some(Words::AtomicU32));
    /// ```
    pub fn shared(operands: impl IntoIterator<Item = (DType, Use)>) -> Option<Words> {
        let (mut all, mut asked): (Option<Words>, Option<Words>) = (None, None);
        for (dtype, usage) in operands {
            let words = Words::of(dtype, usage);
            if usage == Use::Atomic {
                if asked.is_some_and(|asked| asked != words) {
                    return None;
                }
                asked = Some(words);
            }
            all = Some(match all {
                None => words,
                Some(all) if all == words => words,
                Some(all) if all.is_atomic() || words.is_atomic() => Words::AtomicU32,
                Some(_) => Words::U32,
            });
        }
        asked.or(all)
    }

    fn is_atomic(self) -> bool {
        matches!(self, Words::AtomicI32 | Words::AtomicU32)
    }

    /// The type of a word that was loaded.
    fn ty(self) -> Type {
        match self {
            Words::F32 => Type::F32,
            Words::I32 | Words::AtomicI32 => Type::I32,
            Words::U32 | Words::AtomicU32 => Type::U32,
        }
    }

    /// The variable `memory`, bound as `binding`.
    pub fn variable(self, memory: &str, binding: usize, writes: bool) -> String {
        let access = if writes { "read_write" } else { "read" };
        let ty = self.ty();
        let element = if self.is_atomic() { format!("atomic<{ty}>") } else { ty.to_string() };
        format!(
            "@group(0) @binding({binding}) var<storage, {access}> {memory}: array<{element}>;\n"
        )
    }

    /// Word `index` of `memory` as a `ty`.
    pub fn load(self, memory: &str, index: &str, ty: Type) -> String {
        let word = match self.is_atomic() {
            true => format!("atomicLoad(&{memory}[{index}])"),
            false => format!("{memory}[{index}]"),
        };
        cast(ty, self.ty(), word)
    }

    /// The statement that makes `value`, a `ty`, word `index` of `memory`.
    pub(super) fn store(self, memory: &str, index: &str, ty: Type, value: &str) -> String {
        let value = cast(self.ty(), ty, value.to_owned());
        match self.is_atomic() {
            true => format!("atomicStore(&{memory}[{index}], {value});"),
            false => format!("{memory}[{index}] = {value};"),
        }
    }

    /// The statement that changes those bits of word `index` that are set in `bits`, an expression
    /// of type `u32`.
    pub(super) fn flip(self, memory: &str, index: &str, bits: &str) -> String {
        let bits = cast(self.ty(), Type::U32, bits.to_owned());
        format!("atomicXor(&{memory}[{index}], {bits});")
    }
}

/// Whether an element takes two words.
pub(super) fn is_wide(dtype: DType) -> bool {
    dtype.block_bytes() == 8 && !dtype.is_block()
}

/// `value`, which is a `from`, as a `to` of the same bits.
fn cast(to: Type, from: Type, value: String) -> String {
    if to == from { value } else { format!("bitcast<{to}>({value})") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_of_one_variable() {
        let (read, write) = (Use::Read, Use::Write);
        assert_eq!(Words::shared([(DType::F32, read), (DType::F32, write)]), Some(Words::F32));
        assert_eq!(Words::shared([(DType::F32, read), (DType::I32, write)]), Some(Words::U32));
        assert_eq!(Words::shared([(DType::U8, read), (DType::BF16, read)]), Some(Words::U32));
        let signed = [(DType::U8, write), (DType::I32, Use::Atomic), (DType::F32, read)];
        assert_eq!(Words::shared(signed), Some(Words::AtomicI32));
        let both = [(DType::I32, Use::Atomic), (DType::U32, Use::Atomic)];
        assert_eq!(Words::shared(both), None);
    }

    #[test]
    fn bits_stay_what_they_are() {
        let words = Words::AtomicI32;
        assert_eq!(words.load("m", "i", Type::F32), "bitcast<f32>(atomicLoad(&m[i]))");
        assert_eq!(words.store("m", "i", Type::I32, "x"), "atomicStore(&m[i], x);");
        assert_eq!(words.flip("m", "i", "x"), "atomicXor(&m[i], bitcast<i32>(x));");
        assert_eq!(Words::F32.load("m", "i", Type::F32), "m[i]");
    }
}
