//! Bandwidth and arithmetic speed of GPUs by name: Metal reports neither the number of cores nor their
//! speed.

/// A GPU, as its maker describes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Chip {
    /// Cores of the largest one sold by that name.
    pub(crate) cores: u32,
    /// Bytes in a second that its memory moves.
    pub(crate) bandwidth: f64,
    /// Whether the maker says so, or it is a guess that is rather too low.
    pub(crate) known: bool,
}

/// Arithmetic of a core of Apple's in a second: 128 lanes, two operations each, at the clock of the
/// slowest of them (M1).
const FLOPS_OF_A_CORE: f64 = 0.3e12;

/// The class of a chip of the M series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Plain,
    Pro,
    Max,
    Ultra,
}

/// Generation, class, cores, gigabytes in a second.
const M_SERIES: [(u32, Class, u32, f64); 18] = [
    (1, Class::Plain, 8, 68.0),
    (1, Class::Pro, 16, 200.0),
    (1, Class::Max, 32, 400.0),
    (1, Class::Ultra, 64, 800.0),
    (2, Class::Plain, 10, 100.0),
    (2, Class::Pro, 19, 200.0),
    (2, Class::Max, 38, 400.0),
    (2, Class::Ultra, 76, 800.0),
    (3, Class::Plain, 10, 100.0),
    (3, Class::Pro, 18, 150.0),
    (3, Class::Max, 40, 400.0),
    (3, Class::Ultra, 80, 819.0),
    (4, Class::Plain, 10, 120.0),
    (4, Class::Pro, 20, 273.0),
    (4, Class::Max, 40, 546.0),
    (5, Class::Plain, 10, 153.0),
    (5, Class::Pro, 20, 307.0),
    (5, Class::Max, 40, 614.0),
];

/// Generation, whether it is a Pro (or an X or a Z of older iPads), cores, gigabytes in a second.
const A_SERIES: [(u32, bool, u32, f64); 12] = [
    (11, false, 3, 30.0),
    (12, false, 4, 34.0),
    (12, true, 8, 68.0),
    (13, false, 4, 34.0),
    (14, false, 4, 34.0),
    (15, false, 5, 34.0),
    (16, false, 5, 51.0),
    (17, true, 6, 51.0),
    (18, false, 5, 60.0),
    (18, true, 6, 60.0),
    (19, false, 5, 68.0),
    (19, true, 6, 76.0),
];

impl Chip {
    /// The chip that Metal calls `name`: `Apple M2 Max`, `Apple A17 Pro GPU`, `AMD Radeon Pro 5500M`.
    pub(crate) fn of(name: &str) -> Chip {
        let guess =
            |cores, gigabytes: f64| Chip { cores, bandwidth: gigabytes * 1e9, known: false };
        let words: Vec<&str> = name.split_whitespace().collect();
        match words.as_slice() {
            ["Apple", chip, rest @ ..] => {
                of_apple(chip, rest.first().copied()).unwrap_or_else(|| guess(4, 30.0))
            }
            // Macs before Apple's own chips: graphics cards, and what is part of a processor.
            [maker, ..] if maker.eq_ignore_ascii_case("amd") => guess(20, 120.0),
            _ => guess(6, 30.0),
        }
    }

    /// Arithmetic in a second, at the best.
    pub(crate) fn flops(&self) -> f64 {
        f64::from(self.cores) * FLOPS_OF_A_CORE
    }
}

/// A chip of Apple's by its own word and the one after it.
fn of_apple(chip: &str, next: Option<&str>) -> Option<Chip> {
    let series = chip.chars().next().filter(|letter| matches!(letter, 'A' | 'M'))?;
    let digits: String = chip[1..].chars().take_while(char::is_ascii_digit).collect();
    let generation: u32 = digits.parse().ok()?;
    let suffix = &chip[1 + digits.len()..];
    if series == 'A' {
        let pro = next == Some("Pro") || !suffix.is_empty();
        let exact =
            |&&(number, is_pro, ..): &&(u32, bool, u32, f64)| (number, is_pro) == (generation, pro);
        let like = |&&(_, is_pro, ..): &&(u32, bool, u32, f64)| is_pro == pro;
        let known = A_SERIES.iter().find(exact);
        let &(_, _, cores, gigabytes) = known.or(A_SERIES.iter().rev().find(like))?;
        return Some(Chip { cores, bandwidth: gigabytes * 1e9, known: known.is_some() });
    }
    let class = match next {
        Some("Pro") => Class::Pro,
        Some("Max") => Class::Max,
        Some("Ultra") => Class::Ultra,
        _ => Class::Plain,
    };
    let exact =
        |&&(number, its, ..): &&(u32, Class, u32, f64)| (number, its) == (generation, class);
    let like = |&&(_, its, ..): &&(u32, Class, u32, f64)| its == class;
    let known = M_SERIES.iter().find(exact);
    // What is newer than this list is at least like the last of its class.
    let &(_, _, cores, gigabytes) = known.or(M_SERIES.iter().rev().find(like))?;
    Some(Chip { cores, bandwidth: gigabytes * 1e9, known: known.is_some() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_chip_of_apples_is_known() {
        let chips = [
            ("Apple M1", 8, 68e9),
            ("Apple M1 Ultra", 64, 800e9),
            ("Apple M2", 10, 100e9),
            ("Apple M2 Max", 38, 400e9),
            ("Apple M3 Pro", 18, 150e9),
            ("Apple M3 Ultra", 80, 819e9),
            ("Apple M4 Max", 40, 546e9),
            ("Apple M5", 10, 153e9),
            ("Apple M5 Pro", 20, 307e9),
            ("Apple M5 Max", 40, 614e9),
            ("Apple A12Z GPU", 8, 68e9),
            ("Apple A15 GPU", 5, 34e9),
            ("Apple A17 Pro GPU", 6, 51e9),
            ("Apple A18 Pro", 6, 60e9),
        ];
        for (name, cores, bandwidth) in chips {
            assert_eq!(Chip::of(name), Chip { cores, bandwidth, known: true }, "{name}");
        }
    }

    #[test]
    fn what_is_not_known_is_guessed() {
        let like = |name: &str, other: &str| {
            let (chip, other) = (Chip::of(name), Chip::of(other));
            assert_eq!((chip.cores, chip.known), (other.cores, false), "{name}");
        };
        like("Apple M7", "Apple M5");
        like("Apple M6 Pro", "Apple M5 Pro");
        like("Apple M6 Ultra", "Apple M3 Ultra");
        like("Apple A21 Pro GPU", "Apple A19 Pro GPU");
        for other in
            ["AMD Radeon Pro 5500M", "Intel(R) UHD Graphics 630", "Apple Paravirtual device"]
        {
            let chip = Chip::of(other);
            assert!(!chip.known && (4..=20).contains(&chip.cores), "{other}: {chip:?}");
        }
        for odd in ["", "Apple", "Apple M", "Apple Mx Max", "M2", "Apple é1"] {
            assert!(Chip::of(odd).cores > 0, "{odd}");
        }
    }
}
