//! The speed of writing over the context, under what memory allows, as an SVG.

use super::{STYLE, line, text};
use crate::commands::bench::{
    model::Findings,
    share::{self, Share},
};
use bessemer::DeviceInfo;
use std::{fmt::Write, path::Path};

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 444.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 600.0;
const TOP: f64 = 88.0;
const BOTTOM: f64 = 384.0;

/// Tokens that are averaged for a point, so that the line can be read.
const SMOOTH: usize = 8;

/// Draws what was found.
pub(crate) fn draw(info: &DeviceInfo, found: &Findings) -> String {
    let points = points(found);
    let in_cache = found.share() == Some(Share::InCache);
    let limit = found.read_bytes_per_s.filter(|_| !in_cache);
    let limit = limit.map(|read| read / found.weight_bytes_per_token.max(1) as f64);
    let fastest = points.iter().map(|point| point.1).chain(limit).fold(1.0, f64::max);
    let step = round_step(fastest / 5.0);
    let top = (fastest / step).ceil() * step;
    let first = found.depth as f64;
    let longest = (found.depth + found.decode_ms.len()) as f64;
    let x = |at: f64| LEFT + (RIGHT - LEFT) * (at - first) / (longest - first).max(1.0);
    let y = |speed: f64| BOTTOM - (BOTTOM - TOP) * speed / top;

    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         width=\"{WIDTH}\" height=\"{HEIGHT}\" role=\"img\">\n\
         <title>Speed of {}</title>\n<style>\n{STYLE}  .line {{ fill: none; stroke: #0969da; \
         stroke-width: 2 }}\n  @media (prefers-color-scheme: dark) {{ .line {{ stroke: #58a6ff }} \
         }}\n</style>\n<rect class=\"back\" width=\"100%\" height=\"100%\"/>\n",
        super::escape(&found.model)
    );
    let threads = crate::text::count(found.threads, "thread");
    let device = format!("{} · {} · {threads}", info.kind, info.name);
    text(&mut svg, "title", LEFT, 28.0, &short(&found.model));
    text(&mut svg, "small", LEFT, 46.0, &device);
    let what = match found.repetitions {
        1 => "decoded tokens per second".to_owned(),
        runs => format!("decoded tokens per second, fastest of {runs} runs"),
    };
    text(&mut svg, "small", LEFT, TOP - 10.0, &what);
    let mut tick = 0.0;
    while tick <= top * 1.0001 {
        line(&mut svg, "grid", (LEFT, y(tick)), (RIGHT, y(tick)));
        text(&mut svg, "small end", LEFT - 6.0, y(tick) + 4.0, &format!("{tick}"));
        tick += step;
    }
    let step = round_step((longest - first) / 6.0).max(1.0);
    let mut at = (first / step).ceil() * step;
    while at <= longest {
        text(&mut svg, "small middle", x(at), BOTTOM + 17.0, &format!("{at:.0}"));
        at += step;
    }
    text(&mut svg, "middle", (LEFT + RIGHT) / 2.0, BOTTOM + 40.0, "tokens of context");
    if let Some(limit) = limit {
        line(&mut svg, "roof", (LEFT, y(limit)), (RIGHT, y(limit)));
        let label = format!("what memory allows: {limit:.0}");
        text(&mut svg, "small end", RIGHT - 4.0, y(limit) - 6.0, &label);
    }
    let path: Vec<String> =
        points.iter().map(|&(at, speed)| format!("{:.1},{:.1}", x(at), y(speed))).collect();
    let _ = writeln!(svg, "<polyline class=\"line\" points=\"{}\"/>", path.join(" "));
    figures(&mut svg, found);
    svg.push_str("</svg>\n");
    svg
}

/// What a model is called in a heading: of a path the file alone, and not more than there is room for.
fn short(model: &str) -> String {
    const MOST: usize = 64;
    let name = match Path::new(model).file_name() {
        Some(file) if model.ends_with(".gguf") => file.to_string_lossy().into_owned(),
        _ => model.to_owned(),
    };
    let end: Vec<char> = name.chars().rev().take(MOST).collect();
    let end: String = end.into_iter().rev().collect();
    if end.len() < name.len() { format!("…{end}") } else { end }
}

/// The figures beside the plot.
fn figures(svg: &mut String, found: &Findings) {
    let mut rows = vec![
        (
            format!("prefill {}", found.prompt_tokens),
            format!("{:.1}/s", found.prefill_tokens_per_s),
        ),
        (format!("decode {}", found.decode_tokens), format!("{:.1}/s", found.decode_tokens_per_s)),
        ("first token".to_owned(), format!("{:.1} ms", found.first_token_ms)),
        ("load".to_owned(), format!("{:.1} ms", found.load_ms)),
    ];
    if let Some(bytes) = found.peak_rss_bytes {
        rows.push(("peak memory".to_owned(), crate::text::bytes(bytes as usize)));
    }
    match found.share() {
        Some(Share::InCache) => rows.push(("weights".to_owned(), share::IN_CACHE.to_owned())),
        Some(share) => rows.push(("of the bandwidth".to_owned(), share.to_string())),
        None => {}
    }
    for (i, (name, figure)) in rows.iter().enumerate() {
        let y = TOP + 24.0 * (i + 1) as f64;
        text(svg, "", RIGHT + 24.0, y, name);
        text(svg, "number end", WIDTH - 20.0, y, figure);
    }
}

/// Where in the context, and how fast there.
fn points(found: &Findings) -> Vec<(f64, f64)> {
    let groups = found.decode_ms.chunks(SMOOTH).enumerate();
    groups
        .map(|(i, times)| {
            let mean = times.iter().sum::<f64>() / times.len() as f64;
            let at = found.depth + 1 + i * SMOOTH + times.len() / 2;
            (at as f64, 1e3 / mean.max(1e-6))
        })
        .collect()
}

/// 1, 2 or 5 times a power of ten, at least `step`.
fn round_step(step: f64) -> f64 {
    let power = 10f64.powf(step.max(1e-9).log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|m| m * power).find(|x| *x >= step).unwrap_or(power)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bessemer::Device;

    #[test]
    fn draws_the_line_and_the_limit() {
        let device = Device::open("reference").unwrap();
        let mut found = Findings {
            model: "a <b>".into(),
            architecture: "llama".into(),
            parameters: 10,
            device: "cpu".into(),
            hardware: "x".into(),
            threads: 2,
            prompt_tokens: 512,
            decode_tokens: 20,
            depth: 0,
            repetitions: 1,
            load_ms: 1.0,
            load_to_first_token_ms: 2.0,
            first_token_ms: 1.0,
            prefill_tokens_per_s: 1000.0,
            decode_tokens_per_s: 100.0,
            peak_rss_bytes: Some(1 << 20),
            weight_bytes_per_token: 100,
            read_bytes_per_s: Some(20_000.0),
            bandwidth_share: Some(0.5),
            decode_ms: vec![10.0; 20],
        };
        let svg = draw(device.info(), &found);
        assert!(svg.contains("what memory allows: 200") && svg.contains("a &lt;b&gt;"), "{svg}");
        assert!(svg.contains("<polyline") && !svg.contains("NaN"));
        found.bandwidth_share = Some(2.32);
        let svg = draw(device.info(), &found);
        assert!(svg.contains("in cache") && !svg.contains("what memory allows"), "{svg}");
        assert!(!svg.contains("232 %"), "{svg}");
        found.decode_ms = vec![1.0];
        assert!(!draw(device.info(), &found).contains("NaN"));
        let long = format!("{}/tiny.gguf", "folder/".repeat(30));
        assert_eq!((short(&long), short("a/b")), ("tiny.gguf".into(), "a/b".into()));
        assert_eq!(short(&"é".repeat(99)).chars().count(), 65);
        assert_eq!((round_step(3.0), round_step(0.7), round_step(100.0)), (5.0, 1.0, 100.0));
    }
}
