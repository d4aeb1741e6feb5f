//! Elements as signed integers of the same order, and back.

use bessemer_core::DType;

/// How the 32 bits of an element become its key: negative floats are turned around, then some bits.
/// Whatever the order, NaN has the largest key.
#[derive(Clone, Copy, Debug)]
pub(super) struct Code {
    /// All bits for floats, where negative numbers count downwards.
    pub(super) floats: i32,
    /// Bits that are turned: the first one of unsigned numbers, all of them for descending order.
    pub(super) turned: i32,
}

/// The bits of a float without its sign, if it is infinite.
pub(super) const INFINITE: i32 = 0x7f80_0000;

impl Code {
    /// The code of a dtype; narrow ones are sorted as `f32`.
    pub(super) fn new(dtype: DType, descending: bool) -> Code {
        let (floats, turned) = match dtype {
            DType::I32 => (0, 0),
            DType::U32 => (0, i32::MIN),
            _ => (-1, 0),
        };
        Code { floats, turned: if descending { !turned } else { turned } }
    }

    /// The key of an element.
    #[inline(always)]
    pub(super) fn key(self, bits: u32) -> i32 {
        let bits = bits as i32;
        let key = self.turn(bits) ^ self.turned;
        if self.floats & (bits & i32::MAX) > INFINITE { i32::MAX } else { key }
    }

    /// The same with one key for both zeros.
    #[inline(always)]
    pub(super) fn key_of_value(self, bits: u32) -> i32 {
        let zero = self.floats != 0 && bits == 1 << 31;
        self.key(if zero { 0 } else { bits })
    }

    /// The element of a key.
    #[inline(always)]
    pub(super) fn element(self, key: i32) -> u32 {
        self.turn(key ^ self.turned) as u32
    }

    /// Whether keys and elements differ.
    pub(super) fn changes(self) -> bool {
        self.floats != 0 || self.turned != 0
    }

    #[inline(always)]
    fn turn(self, bits: i32) -> i32 {
        bits ^ ((bits >> 31) as u32 >> 1) as i32 & self.floats
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_in_the_order_of_elements_and_lead_back_to_them() {
        let some = [f32::NEG_INFINITY, -2.5, -1e-40, -0.0, 0.0, 1e-40, 2.5, f32::INFINITY];
        for descending in [false, true] {
            let code = Code::new(DType::F32, descending);
            let mut keys = some.map(|x| code.key(x.to_bits()));
            assert_eq!(keys.map(|key| code.element(key)), some.map(f32::to_bits));
            if descending {
                keys.reverse();
            }
            assert!(keys.is_sorted());
            for nan in [f32::NAN, -f32::NAN] {
                let key = code.key(nan.to_bits());
                assert!(key > keys[7] && f32::from_bits(code.element(key)).is_nan());
            }
            assert_eq!(code.key_of_value(1 << 31), code.key_of_value(0));
        }
        let code = Code::new(DType::U32, false);
        assert!(code.key(3) < code.key(u32::MAX) && code.element(code.key(7)) == 7);
    }
}
