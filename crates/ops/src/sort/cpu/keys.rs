//! Elements as signed integers of the same order, and back.

use bessemer_core::{DType, Element};

/// The bits of an element, of 32 or 64.
pub(super) trait Word: Element {
    /// A signed integer of as many bits.
    type Key: Copy + Ord + Send + Sync + Element;
    /// A key with the place of its element, in the order of both.
    type Pair: Copy + Ord + Send + Sync;

    fn key(self, code: Code) -> Self::Key;
    fn element(key: Self::Key, code: Code) -> Self;
    /// Negative floats turned around: all of their bits but the sign. Twice is not at all.
    fn turn(bits: Self::Key, code: Code) -> Self::Key;
    /// The bits that are turned: the first of unsigned numbers, all of them for descending order.
    fn turned(code: Code) -> Self::Key;
    fn pair(self, place: usize, code: Code) -> Self::Pair;
    fn place(pair: Self::Pair) -> usize;
}

/// How the bits of an element become its key: negative floats are turned around, then some bits.
/// Whatever the order, NaN has the largest key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Code {
    floats: bool,
    unsigned: bool,
    descending: bool,
}

impl Code {
    /// The code of a dtype; those narrower than 32 bits are sorted as `f32`.
    pub(super) fn new(dtype: DType, descending: bool) -> Code {
        let wide = dtype.block_bytes() >= 4;
        let unsigned = wide && dtype.is_unsigned_integer();
        Code { floats: !(wide && dtype.is_integer()), unsigned, descending }
    }

    /// Whether keys and elements differ.
    pub(super) fn changes(self) -> bool {
        self.floats || self.unsigned || self.descending
    }
}

macro_rules! word {
    ($word:ty, $key:ty, $pair:ty, $infinite:expr, |$make:ident, $at:ident| $both:expr, |$made:ident| $place:expr) => {
        impl Word for $word {
            type Key = $key;
            type Pair = $pair;

            #[inline(always)]
            fn key(self, code: Code) -> $key {
                let bits = self as $key;
                let key = Self::turn(bits, code) ^ Self::turned(code);
                let nan = code.floats && bits & <$key>::MAX > $infinite;
                if nan { <$key>::MAX } else { key }
            }

            #[inline(always)]
            fn element(key: $key, code: Code) -> $word {
                Self::turn(key ^ Self::turned(code), code) as $word
            }

            #[inline(always)]
            fn turn(bits: $key, code: Code) -> $key {
                let below = if code.floats { bits >> (<$key>::BITS - 1) } else { 0 };
                bits ^ (below as $word >> 1) as $key
            }

            #[inline(always)]
            fn turned(code: Code) -> $key {
                let first = if code.unsigned { <$key>::MIN } else { 0 };
                if code.descending { !first } else { first }
            }

            #[inline(always)]
            fn pair(self, $at: usize, code: Code) -> $pair {
                // Both zeros have one key here, so that their places count.
                let zero = code.floats && self == 1 << (<$key>::BITS - 1);
                let $make = (if zero { 0 } else { self }).key(code);
                $both
            }

            #[inline(always)]
            fn place($made: $pair) -> usize {
                $place
            }
        }
    };
}

word!(u32, i32, i64, 0x7f80_0000, |key, place| i64::from(key) << 32 | place as i64, |pair| pair
    as u32
    as usize);
word!(u64, i64, [i64; 2], 0x7ff0_0000_0000_0000, |key, place| [key, place as i64], |pair| pair[1]
    as usize);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_in_the_order_of_elements_and_lead_back_to_them() {
        let some = [f32::NEG_INFINITY, -2.5, -1e-40, -0.0, 0.0, 1e-40, 2.5, f32::INFINITY];
        for descending in [false, true] {
            let code = Code::new(DType::F32, descending);
            let mut keys = some.map(|x| x.to_bits().key(code));
            assert_eq!(keys.map(|key| u32::element(key, code)), some.map(f32::to_bits));
            let wide = Code::new(DType::F64, descending);
            let doubles = some.map(|x| f64::from(x).to_bits());
            assert_eq!(doubles.map(|x| u64::element(x.key(wide), wide)), doubles);
            assert_eq!(doubles.map(|x| x.key(wide)).is_sorted(), !descending);
            if descending {
                keys.reverse();
            }
            assert!(keys.is_sorted());
            for nan in [f32::NAN, -f32::NAN] {
                let key = nan.to_bits().key(code);
                assert!(key > keys[7] && f32::from_bits(u32::element(key, code)).is_nan());
            }
            let zeros = [0.0f32, -0.0].map(|x| u32::place(x.to_bits().pair(9, code)));
            assert_eq!(zeros, [9, 9]);
            assert!((-0.0f32).to_bits().pair(1, code) < 0f32.to_bits().pair(2, code));
        }
        let code = Code::new(DType::U32, false);
        assert!(3u32.key(code) < u32::MAX.key(code) && u32::element(7u32.key(code), code) == 7);
        let code = Code::new(DType::U64, true);
        assert!(u64::MAX.key(code) < 3u64.key(code) && u64::element(7u64.key(code), code) == 7);
    }
}
