//! Operands: numbers that both sides of a comparison can make.

/// `count` numbers between -1 and 1, without a pattern; other ones for another `seed`.
pub(crate) fn numbers(seed: u32, count: usize) -> Vec<f32> {
    (0..count).map(|i| number(seed, i as u32)).collect()
}

fn number(seed: u32, index: u32) -> f32 {
    let mut bits = index.wrapping_add(seed.wrapping_mul(0x9E37_79B9));
    for (shift, factor) in [(16, 0x7FEB_352D), (15, 0x846C_A68B)] {
        bits = (bits ^ bits >> shift).wrapping_mul(factor);
    }
    ((bits ^ bits >> 16) as f64 / f64::from(1u32 << 31) - 1.0) as f32
}

/// What tells whether two results are of the same work: the sum of all magnitudes.
pub(crate) fn magnitude(values: &[f32]) -> f64 {
    values.iter().map(|&value| f64::from(value).abs()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_that_numpy_makes() {
        assert_eq!(numbers(1, 3), [-0.984_469_7, 0.244_639_19, -0.940_450_8]);
    }

    #[test]
    fn all_signs_count_alike() {
        assert_eq!(magnitude(&[1.0, -2.0, 0.0]), 3.0);
    }
}
