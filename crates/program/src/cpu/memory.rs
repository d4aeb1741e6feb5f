//! Moving the elements of views into lanes and back, from any dtype and strides.

use super::{
    domain::Here,
    kernels::{Lanes, Word},
};
use bessemer_core::DType;
use bessemer_simd::{Arch, Isa, Kernel, convert};

/// Fills `to`, row by row, with the elements of a box of `window`.
///
/// # Safety
/// They must be there, of a dtype that has lanes of `W` in registers, and nobody may write to them
/// meanwhile.
pub(super) unsafe fn load_box<W: Elements>(
    isa: Isa,
    here: Here,
    window: (usize, usize),
    to: &mut [W],
) {
    isa.run(Load { here, window, to });
}

/// Replaces the elements of a box of `window` by `from`, row by row; where there is a `mask`,
/// only those it marks.
///
/// # Safety
/// They must be there, of a dtype that has lanes of `W` in registers, and nobody may touch them
/// meanwhile.
pub(super) unsafe fn store_box<W: Elements>(
    isa: Isa,
    here: Here,
    window: (usize, usize),
    from: Lanes<'_, W>,
    mask: Option<&[u32]>,
) {
    isa.run(Store { here, window, from, mask });
}

/// Elements as they are stored, and as lanes.
trait Stored: Copy {
    type Lane: Word;
    fn lane(self) -> Self::Lane;
    fn from_lane(lane: Self::Lane) -> Self;
}

macro_rules! stored {
    ($name:ident($type:ty) $word:ty, |$x:ident| $to:expr, |$lane:ident| $from:expr) => {
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        struct $name($type);

        impl Stored for $name {
            type Lane = $word;

            #[inline(always)]
            fn lane(self) -> $word {
                let $x = self.0;
                $to
            }

            #[inline(always)]
            fn from_lane($lane: $word) -> $name {
                $name($from)
            }
        }
    };
}

stored!(Plain(u32) u32, |x| x, |lane| lane);
stored!(Half(u16) u32, |x| convert::f32_from_f16_bits(x).to_bits(), |lane| {
    convert::f16_bits_from_f32(f32::from_bits(lane))
});
stored!(Brain(u16) u32, |x| u32::from(x) << 16, |lane| {
    convert::bf16_bits_from_f32(f32::from_bits(lane))
});
stored!(Byte(u8) u32, |x| u32::from(x), |lane| lane as u8);
stored!(SignedByte(i8) u32, |x| i32::from(x) as u32, |lane| lane as i8);
stored!(Short(u16) u32, |x| u32::from(x), |lane| lane as u16);
stored!(SignedShort(i16) u32, |x| i32::from(x) as u32, |lane| lane as i16);
stored!(Truth(u8) u32, |x| u32::from(x != 0).wrapping_neg(), |lane| (lane & 1) as u8);
stored!(Wide(u64) u64, |x| x, |lane| lane);

/// Lanes, and the dtypes whose elements they can be.
pub(super) trait Elements: Word {
    fn load<A: Arch>(load: Load<'_, Self>);
    fn store<A: Arch>(store: Store<'_, Self>);
}

impl Elements for u32 {
    #[inline(always)]
    fn load<A: Arch>(load: Load<'_, u32>) {
        match load.here.dtype {
            DType::F16 => load.load::<Half>(),
            DType::BF16 => load.load::<Brain>(),
            DType::U8 => load.load::<Byte>(),
            DType::I8 => load.load::<SignedByte>(),
            DType::U16 => load.load::<Short>(),
            DType::I16 => load.load::<SignedShort>(),
            DType::Bool => load.load::<Truth>(),
            _ => load.load::<Plain>(),
        }
    }

    #[inline(always)]
    fn store<A: Arch>(store: Store<'_, u32>) {
        match store.here.dtype {
            DType::F16 => store.store::<Half>(),
            DType::BF16 => store.store::<Brain>(),
            DType::U8 => store.store::<Byte>(),
            DType::I8 => store.store::<SignedByte>(),
            DType::U16 => store.store::<Short>(),
            DType::I16 => store.store::<SignedShort>(),
            DType::Bool => store.store::<Truth>(),
            _ => store.store::<Plain>(),
        }
    }
}

impl Elements for u64 {
    #[inline(always)]
    fn load<A: Arch>(load: Load<'_, u64>) {
        load.load::<Wide>();
    }

    #[inline(always)]
    fn store<A: Arch>(store: Store<'_, u64>) {
        store.store::<Wide>();
    }
}

pub(super) struct Load<'a, W> {
    here: Here,
    window: (usize, usize),
    to: &'a mut [W],
}

impl<W: Elements> Kernel for Load<'_, W> {
    type Output = ();

    #[inline(always)]
    fn run<A: Arch>(self) {
        W::load::<A>(self);
    }
}

impl<W: Word> Load<'_, W> {
    #[inline(always)]
    fn load<T: Stored<Lane = W>>(self) {
        let (rows, columns) = self.window;
        let Here { row_step, column_step, .. } = self.here;
        let first = self.here.first.cast::<T>();
        let element = |row: usize, column: usize| {
            let offset = row as isize * row_step + column as isize * column_step;
            first.wrapping_offset(offset)
        };
        // SAFETY: `load_box` asks for every element of the box to be there.
        let get = |row, column| unsafe { *element(row, column) };
        // SAFETY: as above, for what lies one after another.
        let run =
            |row, column, len| unsafe { std::slice::from_raw_parts(element(row, column), len) };
        if column_step == 1 {
            for (row, to) in self.to.chunks_exact_mut(columns.max(1)).enumerate() {
                let from: &[T] = run(row, 0, columns);
                for (to, from) in to.iter_mut().zip(from) {
                    *to = from.lane();
                }
            }
        } else if row_step == 1 && rows > 1 {
            // Neighbours lie in columns: a column at a time uses whole cache lines.
            for column in 0..columns {
                let from: &[T] = run(0, column, rows);
                let to = self.to[column..].iter_mut().step_by(columns);
                for (to, from) in to.zip(from) {
                    *to = from.lane();
                }
            }
        } else {
            for (row, to) in self.to.chunks_exact_mut(columns.max(1)).enumerate() {
                if column_step == 0 {
                    to.fill(get(row, 0).lane());
                } else {
                    for (column, to) in to.iter_mut().enumerate() {
                        *to = get(row, column).lane();
                    }
                }
            }
        }
    }
}

pub(super) struct Store<'a, W> {
    here: Here,
    window: (usize, usize),
    from: Lanes<'a, W>,
    mask: Option<&'a [u32]>,
}

impl<W: Elements> Kernel for Store<'_, W> {
    type Output = ();

    #[inline(always)]
    fn run<A: Arch>(self) {
        W::store::<A>(self);
    }
}

impl<W: Word> Store<'_, W> {
    #[inline(always)]
    fn store<T: Stored<Lane = W>>(self) {
        let (rows, columns) = self.window;
        let Here { row_step, column_step, .. } = self.here;
        let first = self.here.first.cast::<T>();
        let element = |row: usize, column: usize| {
            let offset = row as isize * row_step + column as isize * column_step;
            first.wrapping_offset(offset)
        };
        // SAFETY: `store_box` asks for every element of the box to be there.
        let put = |row, column, value| unsafe { *element(row, column) = value };
        for row in 0..rows {
            let lanes = row * columns..(row + 1) * columns;
            match (self.from, self.mask) {
                (Lanes::Many(from), None) if column_step == 1 => {
                    // SAFETY: as above, for a row that lies one after another.
                    let to = unsafe { std::slice::from_raw_parts_mut(element(row, 0), columns) };
                    for (to, from) in to.iter_mut().zip(&from[lanes]) {
                        *to = T::from_lane(*from);
                    }
                }
                (Lanes::One(from), None) if column_step == 1 => {
                    // SAFETY: as above, for a row that lies one after another.
                    let to = unsafe { std::slice::from_raw_parts_mut(element(row, 0), columns) };
                    to.fill(T::from_lane(from));
                }
                (from, mask) => {
                    for (column, lane) in lanes.enumerate() {
                        if mask.is_none_or(|mask| mask[lane] != 0) {
                            let value = match from {
                                Lanes::Many(from) => from[lane],
                                Lanes::One(from) => from,
                            };
                            put(row, column, T::from_lane(value));
                        }
                    }
                }
            }
        }
    }
}
