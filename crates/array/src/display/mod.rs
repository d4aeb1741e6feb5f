//! Arrays as text, as NumPy writes them.

mod float;
mod layout;

use crate::{Array, Result};
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
        let text = self
            .to_text(f.precision(), Style::TEXT)
            .unwrap_or_else(|error| format!("error: {error}"));
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
        let values = shown.to_f64()?;
        if self.rank() == 0 && style.separator.is_empty() {
            return Ok(scalar(self.dtype(), values[0], precision));
        }
        let words = words(self.dtype(), &values, precision);
        if self.rank() == 0 {
            // In a list it is an element like others: `0.`, not `0.0`.
            return Ok(words[0].trim().to_owned());
        }
        Ok(layout::lay_out(self.shape(), shown.shape(), &words, style))
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

/// Each value as text, all equally long.
fn words(dtype: DType, values: &[f64], precision: Option<usize>) -> Vec<String> {
    match dtype {
        DType::Bool => {
            values.iter().map(|&x| if x == 0.0 { "False" } else { " True" }.into()).collect()
        }
        _ if dtype.is_float() => {
            let floats = Floats::new(dtype, values, precision);
            values.iter().map(|&x| floats.word(x)).collect()
        }
        _ => {
            let words: Vec<String> = values.iter().map(|x| (*x as i64).to_string()).collect();
            let width = words.iter().map(String::len).max().unwrap_or(0);
            words.into_iter().map(|word| format!("{word:>width$}")).collect()
        }
    }
}

/// A value by itself.
fn scalar(dtype: DType, value: f64, precision: Option<usize>) -> String {
    match dtype {
        DType::Bool => if value == 0.0 { "False" } else { "True" }.into(),
        _ if dtype.is_float() => float::scalar(dtype, value, precision),
        _ => (value as i64).to_string(),
    }
}
