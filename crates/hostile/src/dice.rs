//! Damage to files: a small generator of random numbers, so that every run of a test tries the same.

/// Random numbers from a seed.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// Dice that always roll the same for the same seed.
    pub fn new(seed: u64) -> Dice {
        Dice(seed)
    }

    /// A number below `sides`; 0 if there are none.
    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % sides.max(1)
    }

    /// Damages a file in one of the ways files get damaged, or are made to lie; `other` is a file to
    /// take pieces from.
    pub fn damage(&mut self, bytes: &mut Vec<u8>, other: &[u8]) {
        let at = self.roll(bytes.len());
        let len = self.roll(24).min(bytes.len() - at.min(bytes.len()));
        match self.roll(8) {
            0 => bytes.truncate(at),
            1 if !bytes.is_empty() => bytes[at] ^= 1 << self.roll(8),
            2 if !bytes.is_empty() => {
                bytes[at] = [0, 1, 0x7F, 0x80, 0xFF, b'"', b'0'][self.roll(7)];
            }
            3 if bytes.len() >= at + 8 => {
                let lies = [0, 1, 7, 1 << 16, 1 << 31, 1 << 40, u64::MAX >> 1, u64::MAX];
                bytes[at..at + 8].copy_from_slice(&lies[self.roll(8)].to_le_bytes());
            }
            4 => drop(bytes.drain(at..at + len)),
            5 => {
                let copy = bytes[at..at + len].to_vec();
                let to = self.roll(bytes.len());
                bytes.splice(to..to, copy);
            }
            6 => {
                let from = self.roll(other.len());
                let copy = other[from..(from + len).min(other.len())].to_vec();
                bytes.splice(at..at, copy);
            }
            _ if !bytes.is_empty() => bytes[at] = b' ' + self.roll(95) as u8,
            _ => {}
        }
    }
}
