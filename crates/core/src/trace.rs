//! Timelines: what ran when, in the trace format that Chrome and Perfetto show. Written once, for
//! every device; each device finds out itself when its ops ran.

use crate::{Cost, DeviceKind, Error, Result};
use std::{
    fmt::Write as _,
    fs::File,
    io::Write as _,
    ops::Range,
    path::Path,
    sync::{Mutex, PoisonError},
};

/// A timeline that is written to its file when it is dropped.
pub struct Trace {
    file: File,
    bandwidth: Option<f64>,
    events: Mutex<Vec<TraceEvent>>,
}

/// An op that has run, or one of its dispatches.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceEvent {
    /// The op.
    pub op: &'static str,
    /// The kernels it ran, separated by spaces.
    pub kernels: String,
    /// What it had to move and compute; no arithmetic if that is not known.
    pub cost: Cost,
    /// From when to when, in seconds of any one clock.
    pub seconds: Range<f64>,
}

impl Trace {
    /// Opens the file, so that what is wrong with it is told now. `bandwidth` is what the memory of
    /// the device can move in a second, in bytes, if that is known.
    pub fn new(path: &Path, device: DeviceKind, bandwidth: Option<f64>) -> Result<Trace> {
        let file = File::create(path).map_err(|error| Error::Unavailable {
            device: device.name().into(),
            why: format!("cannot write the trace {}: {error}", path.display()),
        })?;
        Ok(Trace { file, bandwidth, events: Mutex::default() })
    }

    /// An op has run.
    pub fn add(&self, event: TraceEvent) {
        self.events.lock().unwrap_or_else(PoisonError::into_inner).push(event);
    }

    fn text(&self) -> String {
        let events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        let first = events.iter().map(|event| event.seconds.start).fold(f64::INFINITY, f64::min);
        let mut text = String::from("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
        for (number, TraceEvent { op, kernels, cost, seconds }) in events.iter().enumerate() {
            let took = (seconds.end - seconds.start).max(0.0);
            let comma = if number == 0 { "" } else { "," };
            let _ = write!(
                text,
                "{comma}\n{{\"name\":\"{op}\",\"ph\":\"X\",\"pid\":1,\"tid\":1,\
                 \"ts\":{:.3},\"dur\":{:.3},\"args\":{{\"kernels\":\"{}\",\"bytes\":{}",
                (seconds.start - first) * 1e6,
                took * 1e6,
                plain(kernels),
                cost.bytes,
            );
            if cost.flops > 0 {
                let _ = write!(text, ",\"flops\":{}", cost.flops);
            }
            if let Some(limit) = self.bandwidth
                && took > 0.0
            {
                let share = cost.bytes as f64 / took / limit;
                let _ = write!(text, ",\"share of bandwidth\":{share:.3}");
            }
            text.push_str("}}");
        }
        text.push_str("\n]}\n");
        text
    }
}

/// What needs no escapes in JSON: names of kernels come from files and programs.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c == '"' || c == '\\' || c.is_control() { ' ' } else { c }).collect()
}

impl Drop for Trace {
    fn drop(&mut self) {
        let text = self.text();
        // Nobody is left to be told of a full disk.
        let _ = self.file.write_all(text.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timeline_is_json_with_a_share_where_the_bandwidth_is_known() {
        let path = std::env::temp_dir().join(format!("bessemer-{}.trace", std::process::id()));
        let trace = Trace::new(&path, DeviceKind::Metal, Some(400e9)).unwrap();
        let cost = Cost { bytes: 4_000_000, flops: 10 };
        let event =
            |op, kernels: &str, seconds| TraceEvent { op, kernels: kernels.into(), cost, seconds };
        trace.add(event("map", "a \"name\"", 5.0..5.00002));
        trace.add(event("sum", "fold join", 5.00002..5.00004));
        drop(trace);
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert!(text.contains("\"name\":\"map\",\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":0.000"));
        assert!(text.contains("\"kernels\":\"a  name \""), "{text}");
        assert!(text.contains("\"kernels\":\"fold join\",\"bytes\":4000000"), "{text}");
        assert_eq!(text.matches("\"share of bandwidth\":0.500").count(), 2, "{text}");
        let error = Trace::new(Path::new("/nowhere/at/all"), DeviceKind::WebGpu, None).err();
        assert!(error.unwrap().to_string().contains("webgpu"));
    }
}
