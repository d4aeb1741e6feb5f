//! A logarithmic axis in whole decades.

/// Values from a power of ten to another, along a line on the page.
pub(crate) struct Axis {
    first: i32,
    last: i32,
    from: f64,
    to: f64,
}

impl Axis {
    /// An axis with room for all `values` that are positive, from `from` to `to` on the page.
    pub(crate) fn new(values: impl IntoIterator<Item = f64>, from: f64, to: f64) -> Axis {
        let logs = values.into_iter().filter(|value| *value > 0.0 && value.is_finite());
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for log in logs.map(f64::log10) {
            low = low.min(log);
            high = high.max(log);
        }
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        let first = low.floor() as i32;
        Axis { first, last: (high.ceil() as i32).max(first + 1), from, to }
    }

    /// The lowest value.
    pub(crate) fn low(&self) -> f64 {
        10f64.powi(self.first)
    }

    /// Where a positive value lies on the page.
    pub(crate) fn at(&self, value: f64) -> f64 {
        let share = (value.log10() - f64::from(self.first)) / f64::from(self.last - self.first);
        self.from + share * (self.to - self.from)
    }

    /// Each power of ten with its name.
    pub(crate) fn ticks(&self, unit: &str) -> Vec<(f64, String)> {
        let name = |power: i32| match power.div_euclid(3) {
            _ if power < 0 => format!("{}", 10f64.powi(power)),
            0 => format!("{}{unit}", 10i32.pow(power as u32)),
            thousands => {
                let letter = [' ', 'K', 'M', 'G', 'T', 'P', 'E'];
                let letter = letter.get(thousands as usize).copied().unwrap_or('?');
                format!("{}{letter}{unit}", 10i32.pow(power.rem_euclid(3) as u32))
            }
        };
        (self.first..=self.last).map(|power| (10f64.powi(power), name(power))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decades_are_evenly_spaced() {
        let axis = Axis::new([0.2, 50.0], 0.0, 300.0);
        assert_eq!(axis.low(), 0.1);
        assert!((axis.at(1.0) - 100.0).abs() < 1e-9 && (axis.at(100.0) - 300.0).abs() < 1e-9);
        let names: Vec<_> = axis.ticks("").into_iter().map(|(_, name)| name).collect();
        assert_eq!(names, ["0.1", "1", "10", "100"]);
        let names: Vec<_> = Axis::new([1e9, 1e12], 0.0, 1.0).ticks("/s");
        assert_eq!(names[1].1, "10G/s");
        assert_eq!(Axis::new([], 0.0, 1.0).ticks("").len(), 2);
    }
}
