//! Kernel-form programs over a grid of threadgroups, and buffers addressed by number.

use super::{
    code::Code,
    domain::Binding,
    kernels::{Lanes, Word},
    lanes::File,
    machine::Machine,
};
use crate::{Atomic, Index, LaunchConfig, Literal, ParamKind, Program, SIMD_WIDTH, Type, scalar};
use bessemer_core::{DType, Deadline};
use bessemer_simd::{Isa, convert};
use std::{
    cell::RefCell,
    ops::Range,
    sync::{
        OnceLock,
        atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed},
    },
};

/// A buffer: where its elements are and how many.
///
/// Threadgroups run at the same time, so elements are read and written as relaxed atomics: what
/// a program that races finds there is unspecified, but nothing worse happens.
#[derive(Clone, Copy, Debug)]
pub struct BufferAt {
    /// The address of the first element.
    pub first: *mut u8,
    /// How elements are stored.
    pub dtype: DType,
    /// How many elements.
    pub len: usize,
}

impl BufferAt {
    pub(super) const NOWHERE: BufferAt =
        BufferAt { first: std::ptr::null_mut(), dtype: DType::U32, len: 0 };

    /// Memory that holds lanes.
    pub(super) fn of_lanes(words: &mut [u64], len: usize, wide: bool) -> BufferAt {
        let dtype = if wide { DType::U64 } else { DType::U32 };
        BufferAt { first: words.as_mut_ptr().cast(), dtype, len }
    }

    /// Fills the active lanes of `d` with the elements at `index`; the first index that is
    /// outside is an error.
    ///
    /// # Safety
    /// The elements must be there.
    pub(super) unsafe fn load<W: Word>(
        &self,
        d: &mut [W],
        index: Lanes<'_>,
        signed: bool,
        mask: Option<&[u32]>,
    ) -> Result<(), i64> {
        for (lane, d) in d.iter_mut().enumerate().filter(|(lane, _)| active(mask, *lane)) {
            let at = self.at(index, lane, signed)?;
            // SAFETY: within the buffer, as just seen.
            *d = W::of(unsafe { self.get(at) });
        }
        Ok(())
    }

    /// Replaces the elements at `index` by the active ones of `lanes` values.
    ///
    /// # Safety
    /// The elements must be there and writable.
    pub(super) unsafe fn store<W: Word>(
        &self,
        lanes: usize,
        index: Lanes<'_>,
        signed: bool,
        value: Lanes<'_, W>,
        mask: Option<&[u32]>,
    ) -> Result<(), i64> {
        for lane in (0..lanes).filter(|&lane| active(mask, lane)) {
            let at = self.at(index, lane, signed)?;
            // SAFETY: within the buffer, as just seen.
            unsafe { self.put(at, value.get(lane).bits()) };
        }
        Ok(())
    }

    /// Changes elements at once, lane after lane, and fills `d` with what was there before.
    ///
    /// # Safety
    /// The elements must be there, writable, and of 32 bits.
    #[allow(clippy::too_many_arguments)]
    pub(super) unsafe fn atomic(
        &self,
        op: Atomic,
        ty: Type,
        d: &mut [u32],
        index: Lanes<'_>,
        signed: bool,
        value: Lanes<'_>,
        mask: Option<&[u32]>,
    ) -> Result<(), i64> {
        for (lane, d) in d.iter_mut().enumerate().filter(|(lane, _)| active(mask, *lane)) {
            let at = self.at(index, lane, signed)?;
            // SAFETY: within the buffer, as just seen; aligned, as elements are.
            let element = unsafe { AtomicU32::from_ptr(self.first.cast::<u32>().add(at)) };
            let literal = |bits: u32| Literal::from_bits(ty, bits.into());
            let value = literal(value.get(lane));
            let change = |old| scalar::atomic(op, literal(old), value).low();
            *d = element.update(Relaxed, Relaxed, change);
        }
        Ok(())
    }

    fn at(&self, index: Lanes<'_>, lane: usize, signed: bool) -> Result<usize, i64> {
        let index = index.get(lane);
        let wide = if signed { i64::from(index as i32) } else { i64::from(index) };
        match usize::try_from(wide) {
            Ok(at) if at < self.len => Ok(at),
            _ => Err(wide),
        }
    }

    /// # Safety
    /// `at` must be within the buffer.
    #[inline(always)]
    unsafe fn get(&self, at: usize) -> u64 {
        // SAFETY: the caller's promise, here and below; elements are aligned.
        unsafe {
            let byte = || AtomicU8::from_ptr(self.first.add(at)).load(Relaxed);
            let half = || AtomicU16::from_ptr(self.first.cast::<u16>().add(at)).load(Relaxed);
            let lane = match self.dtype {
                DType::F16 => convert::f32_from_f16_bits(half()).to_bits(),
                DType::BF16 => u32::from(half()) << 16,
                DType::U8 => byte().into(),
                DType::I8 => i32::from(byte() as i8) as u32,
                DType::U16 => half().into(),
                DType::I16 => i32::from(half() as i16) as u32,
                DType::Bool => u32::from(byte() != 0).wrapping_neg(),
                DType::F64 | DType::I64 | DType::U64 => {
                    return AtomicU64::from_ptr(self.first.cast::<u64>().add(at)).load(Relaxed);
                }
                _ => AtomicU32::from_ptr(self.first.cast::<u32>().add(at)).load(Relaxed),
            };
            lane.into()
        }
    }

    /// # Safety
    /// `at` must be within the buffer, which must be writable.
    #[inline(always)]
    unsafe fn put(&self, at: usize, bits: u64) {
        let lane = bits as u32;
        // SAFETY: the caller's promise, here and below; elements are aligned.
        unsafe {
            let byte = |x: u8| AtomicU8::from_ptr(self.first.add(at)).store(x, Relaxed);
            let half =
                |x: u16| AtomicU16::from_ptr(self.first.cast::<u16>().add(at)).store(x, Relaxed);
            match self.dtype {
                DType::F16 => half(convert::f16_bits_from_f32(f32::from_bits(lane))),
                DType::BF16 => half(convert::bf16_bits_from_f32(f32::from_bits(lane))),
                DType::U8 | DType::I8 => byte(lane as u8),
                DType::U16 | DType::I16 => half(lane as u16),
                DType::Bool => byte((lane & 1) as u8),
                DType::F64 | DType::I64 | DType::U64 => {
                    AtomicU64::from_ptr(self.first.cast::<u64>().add(at)).store(bits, Relaxed);
                }
                _ => AtomicU32::from_ptr(self.first.cast::<u32>().add(at)).store(lane, Relaxed),
            }
        }
    }
}

fn active(mask: Option<&[u32]>, lane: usize) -> bool {
    mask.is_none_or(|mask| mask[lane] != 0)
}

/// Where a threadgroup is.
#[derive(Clone, Copy, Default)]
pub(super) struct Place {
    grid: [u32; 3],
    block: [u32; 3],
    group: [u32; 3],
}

impl Place {
    /// The value of an index that all threads of the group share.
    pub(super) fn same_for_all(&self, index: Index) -> Option<u32> {
        Some(match index {
            Index::GroupX => self.group[0],
            Index::GroupY => self.group[1],
            Index::GroupZ => self.group[2],
            Index::BlockX => self.block[0],
            Index::BlockY => self.block[1],
            Index::BlockZ => self.block[2],
            Index::GridX => self.grid[0],
            Index::GridY => self.grid[1],
            Index::GridZ => self.grid[2],
            _ => return None,
        })
    }

    /// The value of any other index, for each thread.
    pub(super) fn indices(&self, index: Index, d: &mut [u32]) {
        let [bx, by, _] = self.block.map(|size| size.max(1));
        for (linear, d) in d.iter_mut().enumerate() {
            let linear = linear as u32;
            let thread = [linear % bx, linear / bx % by, linear / bx / by];
            let global = |axis: usize| self.group[axis] * self.block[axis] + thread[axis];
            *d = match index {
                Index::ThreadX => thread[0],
                Index::ThreadY => thread[1],
                Index::ThreadZ => thread[2],
                Index::GlobalX => global(0),
                Index::GlobalY => global(1),
                Index::GlobalZ => global(2),
                Index::Lane => linear % SIMD_WIDTH as u32,
                Index::Simdgroup => linear / SIMD_WIDTH as u32,
                _ => linear,
            };
        }
    }
}

/// A kernel-form program bound to its operands, ready to run.
pub struct Grid<'p> {
    code: &'p Code,
    launch: LaunchConfig,
    buffers: Vec<BufferAt>,
    uniforms: Vec<u64>,
    /// What went wrong first.
    failed: OnceLock<String>,
    deadline: &'p Deadline,
}

// SAFETY: addresses with their layout; what may be done with them is said where they are used.
unsafe impl Sync for Grid<'_> {}
// SAFETY: as above.
unsafe impl Send for Grid<'_> {}

thread_local! {
    /// The registers and the threadgroup memory.
    static FILE: RefCell<(File, Vec<u64>)> = const { RefCell::new((File::new(), Vec::new())) };
}

impl<'p> Grid<'p> {
    /// Binds `program` to operands, one per parameter.
    ///
    /// # Panics
    /// If a binding is not of its parameter's kind, or the launch breaks its limits: callers
    /// check that.
    pub fn new(
        program: &'p Program,
        isa: Isa,
        launch: LaunchConfig,
        bindings: &[Binding],
    ) -> Grid<'p> {
        assert_eq!(program.params().len(), bindings.len(), "one binding per parameter");
        assert!(launch.check(program.name()).is_ok(), "{launch:?}");
        let (mut buffers, mut uniforms) = (Vec::new(), Vec::new());
        for (param, binding) in program.params().iter().zip(bindings) {
            let (buffer, uniform) = match (param.kind, binding) {
                (ParamKind::Buffer(_), Binding::Buffer(at)) => (*at, 0),
                (ParamKind::Uniform, Binding::Uniform(value)) => (BufferAt::NOWHERE, value.bits()),
                _ => panic!("parameter {} is bound to {binding:?}", param.name),
            };
            buffers.push(buffer);
            uniforms.push(uniform);
        }
        let (code, failed) = (program.code(isa), OnceLock::new());
        Grid { code, launch, buffers, uniforms, failed, deadline: Deadline::none() }
    }

    /// The same program, to be stopped when `deadline` is over.
    #[must_use]
    pub fn until(self, deadline: &'p Deadline) -> Grid<'p> {
        Grid { deadline, ..self }
    }

    /// Runs threadgroups `range`, counted along x, then y, then z. An error says what the
    /// program did wrong; what ran before it has been written. After one the grid runs no more.
    ///
    /// # Safety
    /// Buffers must be where they are said to be, for all their elements, and be written only by
    /// launches of the same grid meanwhile.
    pub unsafe fn run(&self, range: Range<usize>) -> Result<(), String> {
        FILE.with_borrow_mut(|(file, shared)| {
            let LaunchConfig { grid, block } = self.launch;
            let len = self.code.shared.iter().map(|shared| shared.words()).sum();
            shared.resize(len, 0);
            let (uniforms, buffers) = (&self.uniforms, &self.buffers);
            let mut machine = Machine::new(
                self.code,
                file,
                uniforms,
                buffers,
                shared,
                &self.failed,
                self.deadline,
            );
            machine.lanes = self.launch.threads();
            for number in range {
                if let Some(why) = self.failed.get() {
                    return Err(why.clone());
                }
                let number = number as u32;
                let group =
                    [number % grid[0], number / grid[0] % grid[1], number / grid[0] / grid[1]];
                machine.place = Place { grid, block, group };
                machine.shared.fill(0);
                // SAFETY: the caller's promise.
                unsafe { machine.run()? };
            }
            Ok(())
        })
    }
}
