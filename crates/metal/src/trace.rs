//! Timelines: what ran when, in the trace format that Chrome and Perfetto show.

use crate::hal::Times;
use bessemer_core::{Cost, Error, Result};
use std::{
    fmt::Write as _,
    fs::File,
    io::Write as _,
    path::Path,
    sync::{Mutex, PoisonError},
};

/// A timeline that is written to its file when it is dropped.
pub(crate) struct Trace {
    file: File,
    /// Bytes per second that the memory of the GPU can move, if that is known.
    bandwidth: Option<f64>,
    events: Mutex<Vec<Event>>,
}

struct Event {
    op: &'static str,
    kernels: String,
    cost: Cost,
    times: Times,
}

impl Trace {
    /// Opens the file, so that what is wrong with it is told now.
    pub(crate) fn new(path: &Path, gpu: &str) -> Result<Trace> {
        let file = File::create(path).map_err(|error| Error::Unavailable {
            device: "metal".into(),
            why: format!("the trace {} cannot be written: {error}", path.display()),
        })?;
        Ok(Trace { file, bandwidth: bandwidth(gpu), events: Mutex::default() })
    }

    /// An op has run.
    pub(crate) fn add(&self, op: &'static str, kernels: String, cost: Cost, times: Times) {
        let event = Event { op, kernels, cost, times };
        self.events.lock().unwrap_or_else(PoisonError::into_inner).push(event);
    }

    fn text(&self) -> String {
        let events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        let first = events.iter().map(|event| event.times.start).fold(f64::INFINITY, f64::min);
        let mut text = String::from("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
        for (number, Event { op, kernels, cost, times }) in events.iter().enumerate() {
            let seconds = (times.end - times.start).max(0.0);
            let comma = if number == 0 { "" } else { "," };
            let _ = write!(
                text,
                "{comma}\n{{\"name\":\"{op}\",\"ph\":\"X\",\"pid\":1,\"tid\":1,\
                 \"ts\":{:.3},\"dur\":{:.3},\"args\":{{\"kernels\":\"{kernels}\",\"bytes\":{},\
                 \"flops\":{}",
                (times.start - first) * 1e6,
                seconds * 1e6,
                cost.bytes,
                cost.flops
            );
            if let Some(limit) = self.bandwidth
                && seconds > 0.0
            {
                let share = cost.bytes as f64 / seconds / limit;
                let _ = write!(text, ",\"share of bandwidth\":{share:.3}");
            }
            text.push_str("}}");
        }
        text.push_str("\n]}\n");
        text
    }
}

impl Drop for Trace {
    fn drop(&mut self) {
        let text = self.text();
        // Nobody is left to be told of a full disk.
        let _ = self.file.write_all(text.as_bytes());
    }
}

/// What the memory of Apple's chips can move, as Apple says.
fn bandwidth(gpu: &str) -> Option<f64> {
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
    fn a_timeline_is_json_with_a_share_where_the_chip_is_known() {
        let path = std::env::temp_dir().join(format!("bessemer-{}.trace", std::process::id()));
        let trace = Trace::new(&path, "Apple M2 Max").unwrap();
        let cost = Cost { bytes: 4_000_000, flops: 10 };
        trace.add("map", "run".into(), cost, Times { start: 5.0, end: 5.00002 });
        trace.add("sum", "fold join".into(), cost, Times { start: 5.00002, end: 5.00004 });
        drop(trace);
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert!(text.contains("\"name\":\"map\",\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":0.000"));
        assert!(text.contains("\"kernels\":\"fold join\",\"bytes\":4000000"), "{text}");
        assert_eq!(text.matches("\"share of bandwidth\":0.500").count(), 2, "{text}");
        assert!(Trace::new(Path::new("/nowhere/at/all"), "").is_err());
    }
}
