//! The chart: each row's result over its goal, on a scale of doublings.

use super::Line;
use std::fmt::Write;

/// Pixels from one row to the next.
const ROW: usize = 22;
/// Pixels above the rows.
const TOP: usize = 34;
/// Pixels beside them, for their names.
const NAMES: f64 = 270.0;
/// Pixels of twice as much.
const DOUBLING: f64 = 90.0;
/// The ends of the scale, in doublings of the goal.
const LOWEST: f64 = -1.0;
const HIGHEST: f64 = 4.0;

/// An SVG picture.
pub(super) fn draw(lines: &[Line]) -> String {
    let (width, height) = (at(HIGHEST) + 70.0, TOP + ROW * lines.len() + 10);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
    );
    let marks = ["half the goal", "goal", "2×", "4×", "8×", "16×"];
    for (i, mark) in marks.iter().enumerate() {
        let x = at(LOWEST + i as f64);
        let colour = if *mark == "goal" { "#444444" } else { "#dddddd" };
        let (top, bottom) = (TOP - 8, height - 10);
        let _ = writeln!(
            svg,
            "<line x1=\"{x}\" y1=\"{top}\" x2=\"{x}\" y2=\"{bottom}\" stroke=\"{colour}\"/>\
             <text x=\"{x}\" y=\"20\" text-anchor=\"middle\" fill=\"#444444\">{mark}</text>",
        );
    }
    for (i, line) in lines.iter().enumerate() {
        let (start, end) = (at(LOWEST), at(line.goal.score(line.ratio).log2()));
        let (y, name, value) = (TOP + ROW * i, start - 8.0, end + 5.0);
        let (length, thickness, base) = (end - start, ROW - 7, y + 12);
        let colour = if line.passed { "#2a7f62" } else { "#b5483a" };
        let _ = writeln!(
            svg,
            "<text x=\"{name}\" y=\"{base}\" text-anchor=\"end\">{}</text>\
             <rect x=\"{start}\" y=\"{y}\" width=\"{length:.1}\" height=\"{thickness}\" \
             fill=\"{colour}\"/><text x=\"{value:.1}\" y=\"{base}\">{:.2}×</text>",
            line.work, line.ratio,
        );
    }
    svg + "</svg>\n"
}

/// Where on the scale something lies.
fn at(doublings: f64) -> f64 {
    NAMES + (doublings.clamp(LOWEST, HIGHEST) - LOWEST) * DOUBLING
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Goal;

    #[test]
    fn bars_end_at_the_result_over_the_goal() {
        let line = |ratio| Line::sized("work", "peer", Goal::AtLeast(1.5), ratio);
        let svg = draw(&[line(3.0), line(0.1)]);
        let bar = |length: f64| format!("width=\"{length:.1}\"");
        assert!(svg.contains(&bar(2.0 * DOUBLING)), "twice the goal: {svg}");
        assert!(svg.contains(&bar(0.0)), "less than the scale has: {svg}");
        assert_eq!(svg.matches("3.00×").count(), 1);
    }
}
