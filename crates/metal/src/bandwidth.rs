//! What the memory of a GPU can move: what the ops of a timeline are held against.

/// What the memory of Apple's chips can move, as Apple says.
pub(crate) fn bandwidth(gpu: &str) -> Option<f64> {
    let chips = [
        ("M1 Ultra", 800.0),
        ("M1 Max", 400.0),
        ("M1 Pro", 200.0),
        ("M1", 68.0),
        ("M2 Ultra", 800.0),
        ("M2 Max", 400.0),
        ("M2 Pro", 200.0),
        ("M2", 100.0),
        ("M3 Ultra", 819.0),
        ("M3 Max", 400.0),
        ("M3 Pro", 150.0),
        ("M3", 100.0),
        ("M4 Max", 546.0),
        ("M4 Pro", 273.0),
        ("M4", 120.0),
    ];
    chips.iter().find(|(name, _)| gpu.contains(name)).map(|(_, gigabytes)| gigabytes * 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_name_counts() {
        assert_eq!(bandwidth("Apple M2 Max"), Some(400e9));
        assert_eq!(bandwidth("Apple M2"), Some(100e9));
        assert_eq!(bandwidth("softmetal"), None);
    }
}
