//! Philox 4×32-10 (Salmon, Moraes, Dror and Shaw 2011): a counter and a key become four words, without
//! any state. Many counters are done at once, so that the loops become vector code.

/// Words that one counter gives.
pub(super) const WORDS: usize = 4;
/// Counters of a [`group`].
pub(super) const GROUP: usize = 32;

const MULTIPLIERS: [u32; 2] = [0xd251_1f53, 0xcd9e_8d57];
const WEYL: [u32; 2] = [0x9e37_79b9, 0xbb67_ae85];

/// The words of counters `first`, `first + 1`, …; the upper half of each counter is `stream`.
#[inline(always)]
pub(super) fn group(seed: u64, stream: u32, first: u64) -> [[u32; GROUP]; WORDS] {
    let (mut a, mut b) = ([0; GROUP], [0; GROUP]);
    for i in 0..GROUP {
        let counter = first.wrapping_add(i as u64);
        a[i] = counter as u32;
        b[i] = (counter >> 32) as u32;
    }
    let (mut c, mut d) = ([stream; GROUP], [0; GROUP]);
    let mut key = [seed as u32, (seed >> 32) as u32];
    for _ in 0..10 {
        for i in 0..GROUP {
            let (p, q) = (wide(MULTIPLIERS[0], a[i]), wide(MULTIPLIERS[1], c[i]));
            a[i] = (q >> 32) as u32 ^ b[i] ^ key[0];
            b[i] = q as u32;
            c[i] = (p >> 32) as u32 ^ d[i] ^ key[1];
            d[i] = p as u32;
        }
        key = [key[0].wrapping_add(WEYL[0]), key[1].wrapping_add(WEYL[1])];
    }
    [a, b, c, d]
}

#[inline(always)]
fn wide(a: u32, b: u32) -> u64 {
    u64::from(a) * u64::from(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first of the known answers that its authors publish.
    #[test]
    fn zeros_give_what_they_should() {
        let words = group(0, 0, 0).map(|words| words[0]);
        assert_eq!(words, [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
    }

    #[test]
    fn a_counter_does_not_depend_on_its_group() {
        let (some, later) = (group(7, 3, 100), group(7, 3, 131));
        assert_eq!(some.map(|words| words[31]), later.map(|words| words[0]));
        assert_ne!(group(7, 4, 100), some);
        assert_ne!(group(8, 3, 100), some);
        assert_ne!(group(7 << 32, 3, 100), some);
    }
}
