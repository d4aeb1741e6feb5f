//! Operands for measurements: large, quickly made, of ordinary numbers.

use bessemer::{DType, Device, Result, Shape, Slice, View, core::estimate, formats};

/// Makes operands on a device.
pub(crate) struct Operands<'d> {
    device: &'d Device,
    state: u32,
}

impl<'d> Operands<'d> {
    pub(crate) fn new(device: &'d Device) -> Operands<'d> {
        Operands { device, state: 1 }
    }

    /// An output; zeros, so that its pages are there before anything is measured.
    pub(crate) fn output(&mut self, dtype: DType, dims: &[usize]) -> Result<View> {
        self.repeat(dtype, dims, &[0; 1 << 16])
    }

    /// An operand of numbers between -1 and 1; small whole ones for integers.
    pub(crate) fn input(&mut self, dtype: DType, dims: &[usize]) -> Result<View> {
        let bytes = self.numbers(dtype, 100);
        self.repeat(dtype, dims, &bytes)
    }

    /// An operand of whole numbers below `end`.
    pub(crate) fn indices(&mut self, dims: &[usize], end: usize) -> Result<View> {
        let bytes = self.numbers(DType::U32, end);
        self.repeat(DType::U32, dims, &bytes)
    }

    /// Some whole blocks of numbers; speed does not depend on which.
    fn numbers(&mut self, dtype: DType, end: usize) -> Vec<u8> {
        const COUNT: usize = 1 << 14;
        let mut unit = || {
            self.state = self.state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (self.state >> 8) as f32 / (1 << 24) as f32
        };
        let floats: Vec<f32> = (0..COUNT).map(|_| 2.0 * unit() - 1.0).collect();
        match dtype {
            DType::F32 => floats.iter().flat_map(|x| x.to_le_bytes()).collect(),
            DType::F16 => {
                floats.iter().flat_map(|&x| half::f16::from_f32(x).to_le_bytes()).collect()
            }
            DType::BF16 => {
                floats.iter().flat_map(|&x| half::bf16::from_f32(x).to_le_bytes()).collect()
            }
            DType::I32 | DType::U32 => {
                (0..COUNT).flat_map(|_| ((unit() * end as f32) as u32).to_le_bytes()).collect()
            }
            DType::U8 | DType::Bool => (0..COUNT).map(|_| u8::from(unit() < 0.5)).collect(),
            _ => {
                let mut bytes = vec![0; COUNT / dtype.block_len() * dtype.block_bytes()];
                formats::encode(dtype, &floats, &mut bytes);
                bytes
            }
        }
    }

    /// A gapless view filled with `pattern` over and over.
    fn repeat(&mut self, dtype: DType, dims: &[usize], pattern: &[u8]) -> Result<View> {
        let shape = Shape::new(dims)?;
        let bytes = estimate::tensor(dtype, shape.rows(), shape.width())?;
        let buffer = self.device.alloc(bytes)?;
        for start in (0..bytes).step_by(pattern.len()) {
            let end = bytes.min(start + pattern.len());
            self.device.write(&Slice::new(&buffer, start..end)?, &pattern[..end - start])?;
        }
        Ok(View::new(&buffer, dtype, shape)?)
    }
}
