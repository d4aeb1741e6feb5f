//! The shared source of kernels that sum along rows of weights. Everything in registers has its own
//! name: rows and columns are numbers known as it is written.

use bessemer_core::DType;
use std::fmt::Write;

/// Sums that are made at once: of each row with each column.
pub(crate) struct Columns {
    pub(crate) rows: usize,
    pub(crate) columns: Vec<Column>,
    pub(crate) puts: Vec<Put>,
}

/// A row of some weights.
pub(crate) struct Column {
    /// The name of the weights.
    pub(crate) operand: &'static str,
    pub(crate) dtype: DType,
    /// Where the row starts.
    pub(crate) row: String,
}

/// What becomes of sums: `put(row, place, sums)`.
pub(crate) struct Put {
    /// Which output.
    pub(crate) place: String,
    /// The columns whose sums it is made of.
    pub(crate) columns: Vec<usize>,
}

impl Columns {
    /// `w{column}` and `sum{row}_{column}`.
    pub(super) fn setup(&self) -> String {
        let mut text = String::new();
        for (c, column) in self.columns.iter().enumerate() {
            let _ = writeln!(text, "    let w{c} = {};", column.row);
            for r in 0..self.rows {
                let _ = writeln!(text, "    var sum{r}_{c} = 0.0;");
            }
        }
        text
    }

    /// The names of the weights and their dtypes, each once.
    pub(super) fn operands(&self) -> Vec<(&'static str, DType)> {
        let mut all: Vec<_> = self.columns.iter().map(|c| (c.operand, c.dtype)).collect();
        all.dedup();
        all
    }

    /// All calls of `put` for a row that is called `row`.
    pub(super) fn puts(&self, r: usize, row: &str) -> Vec<String> {
        let sum = |c: &usize| format!("sum{r}_{c}");
        let put = |put: &Put| {
            let sums: Vec<_> = put.columns.iter().map(sum).collect();
            format!("put({row}, {}, {});", put.place, sums.join(", "))
        };
        self.puts.iter().map(put).collect()
    }
}
