//! Arrays as text, as NumPy writes them.

mod complex;
mod float;
mod layout;

use crate::{Array, Item, Result};
use bessemer_core::DType;
use float::Floats;
use layout::Style;
use std::fmt;

/// Arrays of more elements show only the first and last of each axis.
const THRESHOLD: usize = 1000;
/// How many those are.
const EDGE: usize = 3;

/// The elements in brackets, aligned, as NumPy prints them: `{:.3}` shows at most three digits
/// after the point (else eight), and large arrays show their edges. An array that carries an error
/// shows its text.
impl fmt::Display for Array {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.to_text(f.precision(), Style::TEXT);
        let text = text.unwrap_or_else(|error| format!("error: {error}"));
        f.write_str(&text)
    }
}

/// What it is, without its elements: nothing is computed.
impl fmt::Debug for Array {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.error() {
            Some(error) => write!(f, "Array (error: {error})"),
            None => {
                let lazy = if self.is_evaluated() { "" } else { ", lazy" };
                let device = self.device().info().kind;
                write!(f, "Array ({} {} on {device}{lazy})", self.dtype(), self.shape())
            }
        }
    }
}

impl Array {
    /// The elements as a nested list with commas, in lines that leave room for `before` characters at
    /// their beginning and `after` at their end: what NumPy puts between `array(` and `)`.
    ///
    /// ```
    /// # use bessemer_array::{Array, Error};
    /// # use std::sync::Arc;
    /// # let device: Arc<dyn bessemer_core::Device> = Arc::new(bessemer_cpu::Reference::new());
    /// let a = Array::new(&device, [[1, 2], [3, 4]])?;
    /// assert_eq!(a.list_text(6, 1)?, "[[1, 2],\n       [3, 4]]");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn list_text(&self, before: usize, after: usize) -> Result<String> {
        self.to_text(None, Style { separator: ",", before, after })
    }

    fn to_text(&self, precision: Option<usize>, style: Style) -> Result<String> {
        self.check()?;
        if self.elements() == 0 {
            return Ok("[]".into());
        }
        let summary = self.elements() > THRESHOLD;
        let shown = if summary { self.edges()? } else { self.clone() };
        // In a list a number is an element like others: `0.`, not `0.0`.
        let alone = self.rank() == 0 && style.separator.is_empty();
        let words = shown.words(alone, precision)?;
        Ok(match words.as_slice() {
            [word] if self.rank() == 0 => word.trim().to_owned(),
            words => layout::lay_out(self.shape(), shown.shape(), words, style),
        })
    }

    /// Each element as text: all equally long, or one by itself.
    fn words(&self, alone: bool, precision: Option<usize>) -> Result<Vec<String>> {
        fn integers<T: Item + std::fmt::Display>(array: &Array) -> Result<Vec<String>> {
            let words = array.to_vec::<T>()?.iter().map(T::to_string).collect::<Vec<_>>();
            let width = words.iter().map(String::len).max().unwrap_or(0);
            Ok(words.into_iter().map(|word| format!("{word:>width$}")).collect())
        }
        fn floats<T: Item + Into<f64>>(array: &Array) -> Result<Vec<f64>> {
            Ok(array.to_vec::<T>()?.into_iter().map(T::into).collect())
        }
        let values = match self.dtype() {
            DType::F64 => self.to_vec()?,
            DType::F32 => floats::<f32>(self)?,
            DType::F16 => floats::<half::f16>(self)?,
            DType::BF16 => floats::<half::bf16>(self)?,
            DType::Complex64 => return Ok(complex::words(&self.to_vec()?, alone, precision)),
            DType::I8 => return integers::<i8>(self),
            DType::I16 => return integers::<i16>(self),
            DType::I32 => return integers::<i32>(self),
            DType::I64 => return integers::<i64>(self),
            DType::U8 => return integers::<u8>(self),
            DType::U16 => return integers::<u16>(self),
            DType::U32 => return integers::<u32>(self),
            DType::U64 => return integers::<u64>(self),
            _ => {
                let word = |x: bool| match (x, alone) {
                    (true, true) => "True".to_owned(),
                    (true, false) => " True".to_owned(),
                    (false, _) => "False".to_owned(),
                };
                return Ok(self.to_vec()?.into_iter().map(word).collect());
            }
        };
        if alone {
            let scalar = |&x: &f64| float::scalar(self.dtype(), x, precision);
            return Ok(values.iter().map(scalar).collect());
        }
        let floats = Floats::new(self.dtype(), &values, precision, false);
        Ok(values.iter().map(|&x| floats.word(x)).collect())
    }

    /// Only the first and last elements of each long axis.
    fn edges(&self) -> Result<Array> {
        let mut array = self.clone();
        for axis in 0..self.rank() {
            let size = self.shape()[axis];
            if size > 2 * EDGE {
                let (first, last) =
                    (array.part(axis, 0, EDGE), array.part(axis, size - EDGE, EDGE));
                array = Array::concat(&[&first, &last], axis as isize)?;
            }
        }
        Ok(array)
    }
}
