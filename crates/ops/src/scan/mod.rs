//! Scans: sums, products and extremes of all elements up to each one.

mod cases;
mod cpu;
mod metal;
mod reference;
mod webgpu;

pub(crate) use cases::cases;

use crate::check::Check;
use bessemer_core::{
    Access, Cost, DType, Host, Number, Operation, Result, View,
    cpu::CpuContext,
    gpu::{GpuTraits, Launches},
};

/// `out[.., i] = x[.., 0] ∘ … ∘ x[.., i]` along the last dimension, which may have any stride.
///
/// If `initial`, rows of `out` are one element longer and start with what changes nothing (0, 1, the
/// largest or the smallest value of the dtype). Integers wrap. Sums and products of floats are
/// accumulated in at least single precision, as sums of parts of a row: the error does not
/// grow with each element. A NaN goes on to the end of the row.
///
/// ```
/// use bessemer_core::{Batch, DType, Device, View};
/// use bessemer_ops::{Scan, ScanKind};
///
/// let device = bessemer_cpu::Reference::new();
/// let x = View::from_slice(&device, &[1, 2, 3, 4], &[4])?;
/// let out = View::alloc(&device, DType::I32, &[4])?;
/// let mut batch = Batch::new();
/// batch.push(Scan { x, kind: ScanKind::Sum, initial: false, out: out.clone() })?;
/// device.wait(device.submit(&batch)?)?;
/// assert_eq!(out.to_vec::<i32>(&device)?, [1, 3, 6, 10]);
/// # Ok::<(), bessemer_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Scan {
    /// The rows: floats, or integers of 32 or 64 bits.
    pub x: View,
    /// How elements are put together.
    pub kind: ScanKind,
    /// Whether rows of the output start with the neutral element.
    pub initial: bool,
    /// The output, of the dtype of `x`.
    pub out: View,
}

/// How a scan puts elements together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScanKind {
    /// Their sum.
    Sum,
    /// Their product.
    Prod,
    /// The smallest.
    Min,
    /// The largest.
    Max,
}

impl ScanKind {
    /// All of them.
    pub const ALL: [ScanKind; 4] = [ScanKind::Sum, ScanKind::Prod, ScanKind::Min, ScanKind::Max];

    fn name(self) -> &'static str {
        match self {
            ScanKind::Sum => "cumulative_sum",
            ScanKind::Prod => "cumulative_prod",
            ScanKind::Min => "cumulative_min",
            ScanKind::Max => "cumulative_max",
        }
    }

    /// What changes nothing.
    fn neutral(self, dtype: DType) -> Number {
        let (least, most) = match dtype {
            DType::I32 => (Number::Integer(i32::MIN.into()), Number::Integer(i32::MAX.into())),
            DType::U32 => (Number::Integer(0), Number::Integer(u32::MAX.into())),
            DType::I64 => (Number::Integer(i64::MIN.into()), Number::Integer(i64::MAX.into())),
            DType::U64 => (Number::Integer(0), Number::Integer(u64::MAX.into())),
            _ => (Number::Float(f64::NEG_INFINITY), Number::Float(f64::INFINITY)),
        };
        match self {
            ScanKind::Sum => Number::Integer(0),
            ScanKind::Prod => Number::Integer(1),
            ScanKind::Min => most,
            ScanKind::Max => least,
        }
    }
}

impl Operation for Scan {
    fn name(&self) -> &'static str {
        self.kind.name()
    }

    fn check(&self) -> Result<()> {
        let Scan { x, out, initial, .. } = self;
        let check = Check::new(self.name(), [("x", x), ("out", out)]);
        let whole = matches!(x.dtype(), DType::I32 | DType::U32 | DType::I64 | DType::U64);
        check.dtype(x, x.dtype().is_float() || whole, "a float, or an integer of 32 or 64 bits")?;
        check.same_dtype(out, x)?;
        check.rank_at_least(x, 1)?;
        let mut wanted = x.shape().to_vec();
        if let Some(width) = wanted.last_mut() {
            *width += usize::from(*initial);
        }
        let why =
            if *initial { "that of x, with one element more in each row" } else { "that of x" };
        check.shape(out, &wanted, why)
    }

    fn access(&self) -> Access {
        Access::new(&[&self.x], &[&self.out])
    }

    fn cost(&self) -> Cost {
        Cost::of(&self.access(), self.x.elements() as u64)
    }

    fn reference(&self, host: &mut Host<'_>) {
        reference::scan(self, host);
    }

    fn cpu(&self, cpu: &CpuContext<'_>) {
        cpu::scan(self, cpu);
    }

    fn metal(&self, gpu: &GpuTraits) -> Result<Launches> {
        metal::scan(self, gpu)
    }

    fn webgpu(&self, gpu: &GpuTraits) -> Result<Launches> {
        webgpu::launches(self, gpu)
    }
}
