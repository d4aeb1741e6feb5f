//! Values of flags that several commands have: which ones there are, and what is said of others.

use bessemer::{DType, DeviceChoice};
use clap::builder::{PossibleValuesParser, RangedU64ValueParser, TypedValueParser};

/// A whole number.
pub(crate) fn whole(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| "not a whole number of at least 0".to_owned())
}

/// The number of threads a thread pool may have.
pub(crate) fn threads() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..=4096)
}

/// A device by its name.
pub(crate) fn device() -> impl TypedValueParser<Value = DeviceChoice> {
    PossibleValuesParser::new(DeviceChoice::ALL.map(DeviceChoice::name))
        .try_map(|name| name.parse::<DeviceChoice>())
}

/// How keys and values may be stored.
pub(crate) fn cache() -> impl TypedValueParser<Value = DType> {
    PossibleValuesParser::new(["f16", "f32", "q8_0"]).try_map(|name| name.parse::<DType>())
}
