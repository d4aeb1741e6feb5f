//! The one list of block formats.

/// Calls a macro with its arguments (one token tree) and then, for every block format, its module,
/// its type and what it is.
///
/// Everything that must know all formats is made from this list: the variants of
/// [`DType`](crate::DType), [`with_format!`](crate::with_format), the MSL that has them all, and the
/// tests.
#[doc(hidden)]
#[macro_export]
macro_rules! each_format {
    ($call:ident $args:tt) => {
        $call! { $args
            [q4_0 Q4_0 "32 × 4 bits with one scale."]
            [q4_1 Q4_1 "32 × 4 bits with one scale and one minimum."]
            [q5_0 Q5_0 "32 × 5 bits with one scale."]
            [q5_1 Q5_1 "32 × 5 bits with one scale and one minimum."]
            [q8_0 Q8_0 "32 × 8 bits with one scale."]
            [iq4_nl IQ4_NL "32 × 4 bits, which number the values of a book, with one scale."]
            [q3_k Q3_K "256 × 3 bits; 16 scales of 6 bits."]
            [q4_k Q4_K "256 × 4 bits; 8 scales and minima of 6 bits."]
            [q5_k Q5_K "256 × 5 bits; 8 scales and minima of 6 bits."]
            [q6_k Q6_K "256 × 6 bits; 16 scales of 8 bits."]
        }
    };
}

/// Evaluates an expression with a type for the block format that a dtype is.
///
/// ```
/// use bessemer_formats::{DType, Format, with_format};
///
/// assert_eq!(with_format!(DType::Q8_0, F => F::GGUF), 8);
/// ```
///
/// # Panics
/// If the dtype is no block format.
#[macro_export]
macro_rules! with_format {
    ($dtype:expr, $format:ident => $value:expr) => {{
        use $crate::__match_format;
        $crate::each_format! { __match_format ($dtype, $format, $value) }
    }};
}

#[doc(hidden)]
#[macro_export]
macro_rules! __match_format {
    (($dtype:expr, $format:ident, $value:expr) $([$module:ident $name:ident $doc:literal])*) => {
        match $dtype {
            $($crate::DType::$name => {
                type $format = $crate::$name;
                $value
            })*
            dtype => panic!("{dtype} is not a block format"),
        }
    };
}
