//! The roofline as an SVG: operations per byte against operations per second, both logarithmic.
//!
//! Points carry numbers, and the list beside the plot says what they are: names of dozens of ops
//! on one slope could not be read. Colours follow the reader's light or dark scheme.

mod axis;
mod labels;
pub(super) mod model;

use super::{
    limits::Limits,
    measure::Measurement,
    share::{IN_CACHE_MEANS, Share},
};
use axis::Axis;
use bessemer::DeviceInfo;
use labels::{Labels, Rect};
use std::fmt::Write;

const LEFT: f64 = 64.0;
const RIGHT: f64 = 600.0;
const TOP: f64 = 64.0;
const LEGEND: f64 = 630.0;
const LINE: f64 = 17.0;
/// What a character takes at most on average, in the fonts that readers have: of 11, 12 and 16 pixels.
const SMALL_LETTER: f64 = 6.2;
const LETTER: f64 = 7.0;
const TITLE_LETTER: f64 = 9.5;

const STYLE: &str = "\
  text { font: 12px system-ui, sans-serif; fill: #24292f }
  .back { fill: #ffffff } .title { font-size: 16px; font-weight: 600 }
  .small { font-size: 11px; fill: #57606a } .number { font-size: 11px; font-weight: 600 }
  .end { text-anchor: end } .middle { text-anchor: middle }
  .grid { stroke: #d0d7de; stroke-width: 1 } .roof { stroke: #57606a; stroke-width: 2; fill: none }
  .lead { stroke: #8c959f; stroke-width: 1 }
  .high { fill: #1a7f37 } .fair { fill: #0969da } .low { fill: #bc4c00 }
  .cached { fill: #8c959f }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .back { fill: #0d1117 } .small { fill: #9198a1 }
    .grid { stroke: #30363d } .roof { stroke: #9198a1 } .lead { stroke: #6e7681 }
    .high { fill: #3fb950 } .fair { fill: #58a6ff } .low { fill: #f0883e }
  }
";

/// Draws `results` under the roofs of `limits`.
pub(crate) fn draw(info: &DeviceInfo, limits: &Limits, results: &[Measurement]) -> String {
    let heading = format!(
        "How near ops come to the limit: {} · {} · {} · {} threads",
        info.kind,
        info.name,
        info.features.join(" "),
        limits.threads
    );
    let width = width(results, &heading);
    let height = (TOP + 40.0 + LINE * (results.len() + 2) as f64).max(560.0);
    let bottom = height - 52.0;
    let drawn = || results.iter().filter(|result| result.flops > 0);
    let peak = limits.int8_ops.max(limits.f32_flops);
    let ridge = peak / limits.read_bytes;
    let x = Axis::new(drawn().map(Measurement::intensity).chain([0.1, 2.0 * ridge]), LEFT, RIGHT);
    let lowest = drawn().map(Measurement::flops_per_second);
    let y = Axis::new(lowest.chain([limits.read_bytes * x.low(), 1.5 * peak]), bottom, TOP);

    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         width=\"{width}\" height=\"{height}\" role=\"img\">\n<title>Roofline of the ops</title>\n\
         <style>\n{STYLE}</style>\n<rect class=\"back\" width=\"100%\" height=\"100%\"/>\n"
    );
    text(&mut svg, "title", LEFT, 28.0, &heading);
    grid(&mut svg, &x, &y, bottom);
    let mut labels = Labels::within(Rect::new(LEFT, TOP, RIGHT, bottom));
    roofs(&mut svg, &mut labels, &x, &y, limits);

    let points: Vec<Option<(f64, f64)>> = results
        .iter()
        .map(|r| (r.flops > 0).then(|| (x.at(r.intensity()), y.at(r.flops_per_second()))))
        .collect();
    for &(x, y) in points.iter().flatten() {
        labels.block(Rect::around(x, y, 5.0, 5.0));
    }
    for (i, (result, point)) in results.iter().zip(&points).enumerate() {
        if let Some((x, y)) = *point {
            mark(&mut svg, &mut labels, x, y, i + 1, result);
        }
    }
    legend(&mut svg, results, width);
    svg.push_str("</svg>\n");
    svg
}

/// The width of the page: room for the longest name beside its share.
fn width(results: &[Measurement], heading: &str) -> f64 {
    let names = results.iter().map(|result| name(result).chars().count());
    let list = LEGEND + 22.0 + LETTER * names.max().unwrap_or(0) as f64 + 80.0;
    let note = LEGEND + SMALL_LETTER * IN_CACHE_MEANS.chars().count() as f64;
    let title = LEFT + TITLE_LETTER * heading.chars().count() as f64;
    list.max(note).max(title).ceil()
}

fn name(result: &Measurement) -> String {
    format!("{} {}", result.op, result.work)
}

fn grid(svg: &mut String, x: &Axis, y: &Axis, bottom: f64) {
    for (value, label) in x.ticks("") {
        let at = x.at(value);
        line(svg, "grid", (at, TOP), (at, bottom));
        text(svg, "small middle", at, bottom + 17.0, &label);
    }
    for (value, label) in y.ticks("/s") {
        let at = y.at(value);
        line(svg, "grid", (LEFT, at), (RIGHT, at));
        text(svg, "small end", LEFT - 6.0, at + 4.0, &label);
    }
    let middle = (LEFT + RIGHT) / 2.0;
    text(svg, "middle", middle, bottom + 38.0, "operations per byte that must be moved");
    text(svg, "small", LEFT, TOP - 10.0, "operations per second");
}

/// The slope of memory and the flat tops of arithmetic.
fn roofs(svg: &mut String, labels: &mut Labels, x: &Axis, y: &Axis, limits: &Limits) {
    let tops = [
        (limits.int8_ops, format!("8-bit dot {:.0} GOP/s", limits.int8_ops / 1e9)),
        (limits.f32_flops, format!("f32 {:.0} GFLOP/s", limits.f32_flops / 1e9)),
    ];
    // On devices without 8-bit dot products both are one line.
    let tops = if limits.int8_ops == limits.f32_flops { &tops[1..] } else { &tops[..] };
    for (peak, label) in tops {
        let (from, at) = (x.at(peak / limits.read_bytes), y.at(*peak));
        line(svg, "roof", (from, at), (RIGHT, at));
        // Under a higher roof it is below the line, if it would be on the slope or on that one's label.
        let width = SMALL_LETTER * label.chars().count() as f64;
        let reaches = RIGHT - width < from + 8.0;
        let below =
            tops.iter().any(|(other, _)| other > peak && (reaches || at - y.at(*other) < LINE));
        let base = if below { at + 13.0 } else { at - 5.0 };
        text(svg, "small end", RIGHT - 4.0, base, label);
        labels.block(Rect::new(RIGHT - width, base - 11.0, RIGHT, base + 2.0));
    }
    let (low, ridge) = (x.low(), limits.int8_ops.max(limits.f32_flops) / limits.read_bytes);
    let start = (x.at(low), y.at(low * limits.read_bytes));
    let end = (x.at(ridge), y.at(ridge * limits.read_bytes));
    line(svg, "roof", start, end);
    let angle = (end.1 - start.1).atan2(end.0 - start.0);
    // Above the slope near its foot, along it.
    let label = format!("read {:.1} GB/s", limits.read_bytes / 1e9);
    let foot =
        (start.0 + 12.0 + 6.0 * angle.sin(), start.1 + 12.0 * angle.tan() - 6.0 * angle.cos());
    let _ = writeln!(
        svg,
        "<text class=\"small\" transform=\"translate({:.1} {:.1}) rotate({:.1})\">{label}</text>",
        foot.0,
        foot.1,
        angle.to_degrees()
    );
    for i in 0..12 {
        let along = 8.0 * f64::from(i);
        let (x, y) = (foot.0 + along * angle.cos(), foot.1 + along * angle.sin());
        labels.block(Rect::around(x, y - 4.0, 6.0, 6.0));
    }
}

fn mark(
    svg: &mut String,
    labels: &mut Labels,
    x: f64,
    y: f64,
    number: usize,
    result: &Measurement,
) {
    let number = number.to_string();
    let width = 7.0 * number.len() as f64;
    let place = labels.place(x, y, width, 11.0);
    if (place.0 - x).hypot(place.1 - y) > 14.0 {
        line(svg, "lead", (x, y), place);
    }
    let _ = writeln!(
        svg,
        "<circle class=\"{}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"><title>{}</title></circle>",
        class(result),
        escape(&format!("{}: {}", name(result), result.share()))
    );
    text(svg, "number middle", place.0, place.1 + 4.0, &number);
}

fn legend(svg: &mut String, results: &[Measurement], width: f64) {
    let right = width - 20.0;
    text(svg, "small end", right, TOP, "of the limit");
    for (i, result) in results.iter().enumerate() {
        let y = TOP + LINE * (i + 1) as f64;
        text(svg, "number end", LEGEND + 14.0, y, &(i + 1).to_string());
        text(svg, "", LEGEND + 22.0, y, &name(result));
        let share = result.share().to_string();
        text(svg, &format!("number end {}", class(result)), right, y, &share);
    }
    if results.iter().any(|result| result.share() == Share::InCache) {
        let y = TOP + LINE * (results.len() + 2) as f64;
        text(svg, "small", LEGEND, y, IN_CACHE_MEANS);
    }
}

fn class(result: &Measurement) -> &'static str {
    match result.share() {
        Share::InCache => "cached",
        Share::Of(share) if share >= 0.7 => "high",
        Share::Of(share) if share >= 0.3 => "fair",
        Share::Of(_) => "low",
    }
}

fn line(svg: &mut String, class: &str, from: (f64, f64), to: (f64, f64)) {
    let _ = writeln!(
        svg,
        "<line class=\"{class}\" x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\"/>",
        from.0, from.1, to.0, to.1
    );
}

fn text(svg: &mut String, class: &str, x: f64, y: f64, words: &str) {
    let words = escape(words);
    let _ = writeln!(svg, "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{words}</text>");
}

fn escape(words: &str) -> String {
    words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use bessemer::Device;

    const LIMITS: Limits = Limits { threads: 2, read_bytes: 2e10, f32_flops: 2e11, int8_ops: 8e11 };

    fn result(op: &'static str, bytes: u64, flops: u64, share: f64) -> Measurement {
        let cost = bessemer::Cost { bytes, flops };
        let seconds = LIMITS.least_seconds(cost, false) / share;
        let work = "f32 <a & b>".to_owned();
        Measurement {
            op,
            work,
            seconds,
            bytes,
            flops,
            integer: false,
            share_of_limit: share,
            bound_by_memory: LIMITS.is_memory(cost, false),
        }
    }

    #[test]
    fn draws_every_point_and_names_every_op() {
        let device = Device::open("reference").unwrap();
        let mut results: Vec<_> = (0..30).map(|i| result("map", 1000, 100 + i, 0.8)).collect();
        results.push(result("copy", 1000, 0, 0.9));
        results.push(result("matmul", 10, 100_000, 0.01));
        let svg = draw(device.info(), &LIMITS, &results);
        assert_eq!(svg.matches("<circle").count(), 31);
        assert!(svg.contains("copy f32 &lt;a &amp; b&gt;") && svg.contains("prefers-color-scheme"));
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        let (open, close) = (svg.matches("<text").count(), svg.matches("</text>").count());
        assert_eq!(open, close);
        assert!(!draw(device.info(), &LIMITS, &[]).contains("NaN"));
    }

    #[test]
    fn names_leave_room_for_shares_and_no_share_is_above_100() {
        let device = Device::open("reference").unwrap();
        let mut long = result("expert_linear", 1000, 10, 2.32);
        long.work = "q4_k 8 of [128, 768, 2048], rows of f32: 512".repeat(2);
        let svg = draw(device.info(), &LIMITS, &[long.clone(), result("map", 10, 10_000, 1.2)]);
        assert!(
            svg.contains("in cache") && svg.contains("100 %") && !svg.contains("232 %"),
            "{svg}"
        );
        let page = width(&[long.clone()], "");
        assert!(LEGEND + LETTER * name(&long).len() as f64 + 60.0 < page, "{page}");
        // One line, one label, where there are no dot products of their own.
        let same = Limits { int8_ops: LIMITS.f32_flops, ..LIMITS };
        assert!(!draw(device.info(), &same, &[]).contains("8-bit dot"));
    }
}
