//! What is measured: each op on shapes as models and people have them.

use super::operands::Operands;
use bessemer::{
    DType::{self, F16, F32},
    Operation, Result,
    ops::RmsNorm,
};
use std::sync::Arc;

/// An op on operands of some size.
pub(crate) struct Work {
    pub(crate) op: &'static str,
    pub(crate) name: String,
    /// Whether its arithmetic is 8-bit integer dot products.
    pub(crate) integer: bool,
    make: Box<Make>,
}

type Make = dyn Fn(&mut Operands<'_>) -> Result<Arc<dyn Operation>>;

impl Work {
    fn new<O: Operation + 'static>(
        op: &'static str,
        name: impl Into<String>,
        make: impl Fn(&mut Operands<'_>) -> Result<O> + 'static,
    ) -> Work {
        let make = move |o: &mut Operands<'_>| Ok(Arc::new(make(o)?) as Arc<dyn Operation>);
        Work { op, name: name.into(), integer: false, make: Box::new(make) }
    }

    /// The op with operands of its own.
    pub(crate) fn make(&self, operands: &mut Operands<'_>) -> Result<Arc<dyn Operation>> {
        (self.make)(operands)
    }
}

/// All of it.
pub(crate) fn all() -> Vec<Work> {
    let mut all = Vec::new();
    for dtype in [F32, F16] {
        all.push(rms_norm(dtype, [512, 4096]));
    }
    all
}

fn rms_norm(dtype: DType, dims: [usize; 2]) -> Work {
    Work::new("rms_norm", format!("{dtype} {dims:?}"), move |o| {
        Ok(RmsNorm {
            x: o.input(dtype, &dims)?,
            weight: o.input(F32, &dims[1..])?,
            epsilon: 1e-5,
            out: o.output(dtype, &dims)?,
        })
    })
}
