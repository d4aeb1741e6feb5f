//! Operands for cases: the same numbers on every device.

use bessemer_core::{Buffer, DType, Device, Element, Result, Shape, Slice, Strides, View, blocks};
use half::{bf16, f16};

/// Makes the operands of a case on a device.
pub struct Fixture<'d> {
    device: &'d dyn Device,
    state: u64,
}

/// Bytes before and after each operand, to catch what strays.
const MARGIN: usize = 512;

/// What margins and outputs hold before an op runs. As floats these are small odd numbers.
const FILLER: u8 = 0xA5;

impl<'d> Fixture<'d> {
    pub(super) fn new(device: &'d dyn Device) -> Fixture<'d> {
        Fixture { device, state: 0x9E37_79B9_7F4A_7C15 }
    }

    /// The next of a fixed sequence of numbers, even in `0.0..1.0`.
    pub fn uniform(&mut self) -> f64 {
        // SplitMix64.
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// The next of a fixed sequence of numbers, normal with mean 0 and deviation 1.
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// An operand of normal numbers; small whole ones for integers, 0 and 1 for `Bool`.
    pub fn random(&mut self, dtype: DType, dims: &[usize]) -> Result<View> {
        self.operand(dtype, dims, |f, _| match dtype {
            DType::Bool => f.uniform().round(),
            DType::U8 | DType::U32 => (f.uniform() * 100.0).floor(),
            DType::I32 => (f.uniform() * 200.0 - 100.0).floor(),
            _ => f.normal(),
        })
    }

    /// An operand whose element `i`, in row-major order, is `value(fixture, i)`.
    pub fn operand(
        &mut self,
        dtype: DType,
        dims: &[usize],
        mut value: impl FnMut(&mut Self, usize) -> f64,
    ) -> Result<View> {
        let view = self.output(dtype, dims)?;
        let values: Vec<f64> = (0..view.elements()).map(|i| value(self, i)).collect();
        self.device.write(&view.slice()?, &to_bytes(dtype, &values))?;
        Ok(view)
    }

    /// An operand of given values.
    pub fn values(&mut self, dtype: DType, dims: &[usize], values: &[f64]) -> Result<View> {
        self.operand(dtype, dims, |_, i| values[i])
    }

    /// An output: gapless, at an odd place of its buffer, filled with a pattern.
    pub fn output(&mut self, dtype: DType, dims: &[usize]) -> Result<View> {
        let shape = Shape::new(dims)?;
        let bytes = bessemer_core::estimate::tensor(dtype, shape.rows(), shape.width())?;
        let buffer = self.filled(bytes + 2 * MARGIN)?;
        // The least aligned place the dtype allows within a margin.
        let offset = MARGIN + dtype.alignment();
        View::at(&buffer, dtype, shape, shape.strides(), offset)
    }

    /// An output with any strides that lie within `elements` elements of room from `start` on.
    pub fn strided_output(
        &mut self,
        dtype: DType,
        dims: &[usize],
        strides: &[isize],
        start: usize,
        elements: usize,
    ) -> Result<View> {
        let room = bessemer_core::estimate::tensor(dtype, 1, elements)?;
        let buffer = self.filled(room + 2 * MARGIN)?;
        let start = bessemer_core::estimate::tensor(dtype, 1, start)?;
        View::at(&buffer, dtype, Shape::new(dims)?, Strides::new(strides)?, MARGIN + start)
    }

    fn filled(&mut self, bytes: usize) -> Result<Buffer> {
        let buffer = self.device.alloc(bytes)?;
        self.device.write(&Slice::all(&buffer), &vec![FILLER; bytes])?;
        Ok(buffer)
    }
}

/// Numbers as the bytes of `dtype`.
fn to_bytes(dtype: DType, values: &[f64]) -> Vec<u8> {
    fn each<T: Element>(values: &[f64]) -> Vec<u8> {
        let values: Vec<T> = values.iter().map(|&x| T::from_f64(x)).collect();
        T::as_bytes(&values).to_vec()
    }
    match dtype {
        DType::F32 => each::<f32>(values),
        DType::F16 => each::<f16>(values),
        DType::BF16 => each::<bf16>(values),
        DType::I32 => each::<i32>(values),
        DType::U32 => each::<u32>(values),
        DType::U8 | DType::Bool => each::<u8>(values),
        _ => {
            let values: Vec<f32> = values.iter().map(|&x| x as f32).collect();
            let mut bytes = vec![0; values.len() / dtype.block_len() * dtype.block_bytes()];
            blocks::encode(dtype, &values, &mut bytes);
            bytes
        }
    }
}
