//! Operands for cases: the same numbers on every device.

use super::variation::{Layout, Variation};
use bessemer_core::{Buffer, DType, Device, Real, Result, Shape, Slice, Strides, View};
use bessemer_formats as formats;
use half::{bf16, f16};
use std::sync::LazyLock;

/// Makes the operands of a case on a device.
pub struct Fixture<'d> {
    device: &'d dyn Device,
    state: u64,
    /// How many normal numbers were made, and whether no others were.
    drawn: usize,
    only_normal: bool,
    variation: Variation,
    /// Operands made so far.
    made: usize,
}

/// Where the sequence of numbers starts.
const SEED: u64 = 0x9E37_79B9_7F4A_7C15;

/// Bytes before and after each operand, to catch what strays.
const MARGIN: usize = 512;

/// What margins and outputs hold before an op runs. As floats these are small odd numbers.
const FILLER: u8 = 0xA5;

impl<'d> Fixture<'d> {
    pub(super) fn new(device: &'d dyn Device, variation: Variation) -> Fixture<'d> {
        Fixture { device, state: SEED, drawn: 0, only_normal: true, variation, made: 0 }
    }

    /// The next of a fixed sequence of numbers, even in `0.0..1.0`.
    pub fn uniform(&mut self) -> f64 {
        self.only_normal = false;
        uniform(&mut self.state)
    }

    /// The next of a fixed sequence of numbers, normal with mean 0 and deviation 1.
    pub fn normal(&mut self) -> f64 {
        // Most cases ask for nothing else, and so all for the same numbers.
        static FIRST: LazyLock<Vec<(f64, u64)>> = LazyLock::new(|| {
            let mut state = SEED;
            (0..8192).map(|_| (normal(&mut state), state)).collect()
        });
        let known = if self.only_normal { FIRST.get(self.drawn) } else { None };
        self.drawn += 1;
        match known {
            Some(&(value, state)) => {
                self.state = state;
                value
            }
            None => normal(&mut self.state),
        }
    }

    /// An operand of normal numbers; small whole ones for integers, 0 and 1 for `Bool`.
    pub fn random(&mut self, dtype: DType, dims: &[usize]) -> Result<View> {
        self.operand(dtype, dims, |f, _| match dtype {
            DType::Bool => f.uniform().round(),
            dtype if dtype.is_unsigned_integer() => (f.uniform() * 100.0).floor(),
            dtype if dtype.is_integer() => (f.uniform() * 200.0 - 100.0).floor(),
            _ => f.normal(),
        })
    }

    /// An operand of an integer dtype, whose element `i`, in row-major order, is the low bits of
    /// `value(fixture, i)`: doubles do not hold all integers of 64 bits.
    pub fn integers(
        &mut self,
        dtype: DType,
        dims: &[usize],
        mut value: impl FnMut(&mut Self, usize) -> u64,
    ) -> Result<View> {
        let view = self.output(dtype, dims)?;
        if self.variation.blank {
            return Ok(view);
        }
        let size = view.dtype().block_bytes();
        let values = (0..view.elements()).map(|i| value(self, i).to_le_bytes());
        let bytes: Vec<u8> = values.flat_map(|bytes| bytes.into_iter().take(size)).collect();
        self.put(&view, &bytes)?;
        Ok(view)
    }

    /// An operand whose element `i`, in row-major order, is `value(fixture, i)`. Of complex numbers
    /// the parts are counted, the real one first.
    pub fn operand(
        &mut self,
        dtype: DType,
        dims: &[usize],
        mut value: impl FnMut(&mut Self, usize) -> f64,
    ) -> Result<View> {
        let view = self.output(dtype, dims)?;
        if self.variation.blank {
            return Ok(view);
        }
        let parts = if view.dtype().is_complex() { 2 } else { 1 };
        let count = view.elements() * parts;
        let mut values: Vec<f64> = (0..count).map(|i| value(self, i)).collect();
        values.iter_mut().for_each(|value| *value = self.variation.number(*value));
        self.put(&view, &to_bytes(view.dtype(), &values))?;
        Ok(view)
    }

    fn put(&mut self, view: &View, bytes: &[u8]) -> Result<()> {
        match view.is_contiguous() {
            true => self.device.write(&view.slice()?, bytes),
            false => self.write_strided(view, bytes),
        }
    }

    /// An operand of given values.
    pub fn values(&mut self, dtype: DType, dims: &[usize], values: &[f64]) -> Result<View> {
        self.operand(dtype, dims, |_, i| values[i])
    }

    /// An output: gapless, at an odd place of its buffer, filled with a pattern.
    pub fn output(&mut self, dtype: DType, dims: &[usize]) -> Result<View> {
        let shape = Shape::new(dims)?;
        let dtype = self.next_dtype(dtype);
        // The least aligned place the dtype allows within a margin.
        let odd = MARGIN + dtype.alignment();
        let Some(seed) = self.variation.layout else {
            let bytes = bessemer_core::estimate::tensor(dtype, shape.rows(), shape.width())?;
            let buffer = self.filled(bytes + 2 * MARGIN)?;
            return View::at(&buffer, dtype, shape, shape.strides(), odd);
        };
        // A sequence of its own for each operand: numbers stay those of the case.
        let mut state = seed ^ (self.made as u64) << 48;
        let layout = Layout::new(dtype, dims, |n| (split_mix(&mut state) % n as u64) as usize);
        let bytes = bessemer_core::estimate::tensor(dtype, 1, layout.elements)?;
        let buffer = self.filled(bytes + 2 * MARGIN)?;
        let start = bessemer_core::estimate::tensor(dtype, 1, layout.start)?;
        View::at(&buffer, dtype, shape, Strides::new(&layout.strides)?, odd + start)
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
        let dtype = self.next_dtype(dtype);
        let room = bessemer_core::estimate::tensor(dtype, 1, elements)?;
        let buffer = self.filled(room + 2 * MARGIN)?;
        let start = bessemer_core::estimate::tensor(dtype, 1, start)?;
        View::at(&buffer, dtype, Shape::new(dims)?, Strides::new(strides)?, MARGIN + start)
    }

    fn next_dtype(&mut self, asked: DType) -> DType {
        self.made += 1;
        self.variation.dtype(self.made - 1, asked)
    }

    fn filled(&mut self, bytes: usize) -> Result<Buffer> {
        let buffer = self.device.alloc(bytes)?;
        if !self.variation.blank {
            self.device.write(&Slice::all(&buffer), &vec![FILLER; bytes])?;
        }
        Ok(buffer)
    }

    /// Writes the elements, or the rows of blocks, of a view with gaps to a buffer that is filled
    /// with the pattern.
    fn write_strided(&mut self, view: &View, bytes: &[u8]) -> Result<()> {
        let dtype = view.dtype();
        let mut all = vec![FILLER; view.buffer().bytes()];
        let unit = if dtype.is_block() { view.shape().width() } else { 1 };
        let Some(unit_bytes) = dtype.bytes_for(unit).filter(|&bytes| bytes > 0) else {
            return Ok(());
        };
        let dims = &view.shape()[..view.shape().rank() - usize::from(dtype.is_block())];
        for (i, bytes) in bytes.chunks(unit_bytes).enumerate() {
            let (mut rest, mut place) = (i, 0isize);
            for (&size, &step) in dims.iter().zip(&**view.strides()).rev() {
                place += (rest % size) as isize * step;
                rest /= size;
            }
            let place = place / dtype.block_len() as isize * dtype.block_bytes() as isize;
            let start = view.offset().wrapping_add_signed(place);
            all[start..start + bytes.len()].copy_from_slice(bytes);
        }
        self.device.write(&Slice::all(view.buffer()), &all)
    }
}

fn uniform(state: &mut u64) -> f64 {
    (split_mix(state) >> 11) as f64 / (1u64 << 53) as f64
}

fn normal(state: &mut u64) -> f64 {
    let radius = (-2.0 * (1.0 - uniform(state)).ln()).sqrt();
    radius * (std::f64::consts::TAU * uniform(state)).cos()
}

/// The next of a sequence of well mixed numbers (SplitMix64).
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// Numbers as the bytes of `dtype`.
fn to_bytes(dtype: DType, values: &[f64]) -> Vec<u8> {
    fn each<T: Real>(values: &[f64]) -> Vec<u8> {
        let values: Vec<T> = values.iter().map(|&x| T::from_f64(x)).collect();
        T::as_bytes(&values).to_vec()
    }
    match dtype {
        DType::F32 | DType::Complex64 => each::<f32>(values),
        DType::F16 => each::<f16>(values),
        DType::BF16 => each::<bf16>(values),
        DType::I32 => each::<i32>(values),
        DType::U32 => each::<u32>(values),
        DType::U8 | DType::Bool => each::<u8>(values),
        DType::F64 => each::<f64>(values),
        DType::I8 => each::<i8>(values),
        DType::I16 => each::<i16>(values),
        DType::I64 => each::<i64>(values),
        DType::U16 => each::<u16>(values),
        DType::U64 => each::<u64>(values),
        _ => {
            let values: Vec<f32> = values.iter().map(|&x| x as f32).collect();
            let mut bytes = vec![0; values.len() / dtype.block_len() * dtype.block_bytes()];
            formats::encode(dtype, &values, &mut bytes);
            bytes
        }
    }
}
