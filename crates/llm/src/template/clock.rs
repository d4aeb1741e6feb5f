//! The time, for `strftime_now`.

use jiff::{Timestamp, Zoned, fmt::strtime, tz::TimeZone};
use std::time::SystemTime;

/// Formats `now` in UTC, or the machine's time in its own zone.
pub(super) fn format(now: Option<SystemTime>, format: &str) -> Result<String, String> {
    let refused = |e: jiff::Error| e.to_string();
    let now = match now {
        Some(now) => Timestamp::try_from(now).map_err(refused)?.to_zoned(TimeZone::UTC),
        None => Zoned::now(),
    };
    strtime::format(format, &now).map_err(refused)
}
