// Line charts over the last minutes, drawn by hand.

import { el, svg } from "./dom.js";

const WIDTH = 480;
const HEIGHT = 150;
const LEFT = 44;
const BOTTOM = 20;
const TOP = 8;

/** A number in few characters. */
export function short(value) {
  if (value == null || Number.isNaN(value)) return "–";
  if (Number.isInteger(value) && value < 10_000) return String(value);
  if (value >= 10_000) return `${(value / 1000).toFixed(0)}k`;
  if (value >= 100) return value.toFixed(0);
  if (value >= 10) return value.toFixed(1);
  return value >= 0.1 ? value.toFixed(2) : value.toPrecision(2);
}

/** The next round number, for the top of an axis. */
function ceiling(value) {
  const power = 10 ** Math.floor(Math.log10(value || 1));
  return [1, 2, 2.5, 5, 10].map((step) => step * power).find((step) => step >= value) ?? value;
}

/** A card with a chart; `lines` are `{name, values}` with a value (or null) for each time. */
export function card({ title, unit, lines, times, most, note }) {
  const all = lines.flatMap((line) => line.values).filter((value) => value != null);
  const top = most ?? ceiling(Math.max(...all, 1e-9));
  const latest = lines.map(({ name, values }) => ({ name, value: values.at(-1) }));
  const x = (at) => LEFT + ((WIDTH - LEFT - 4) * at) / Math.max(times.length - 1, 1);
  const y = (value) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - Math.min(1, value / top));
  const drawing = svg("svg", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    role: "img",
    "aria-label": `${title}: ${latest.map(({ name, value }) => `${name} ${short(value)} ${unit}`).join(", ")}`,
  });
  for (const share of [0, 0.5, 1]) {
    const height = y(top * share);
    drawing.append(
      svg("line", { class: "grid", x1: LEFT, x2: WIDTH, y1: height, y2: height }),
      svg("text", { class: "axis", x: LEFT - 8, y: height + 4, "text-anchor": "end" }, short(top * share)),
    );
  }
  if (times.length > 1) {
    const ago = Math.round((times.at(-1) - times[0]) / 1000);
    drawing.append(
      svg("text", { class: "axis", x: LEFT, y: HEIGHT - 4 }, `${ago} s ago`),
      svg("text", { class: "axis", x: WIDTH - 2, y: HEIGHT - 4, "text-anchor": "end" }, "now"),
    );
  }
  lines.forEach(({ values }, at) => {
    const points = values.map((value, i) => (value == null ? null : [x(i), y(value)]));
    const known = points.filter((point) => point);
    if (known.length === 0) return;
    const path = known.map(([px, py], i) => `${i ? "L" : "M"}${px.toFixed(1)} ${py.toFixed(1)}`).join("");
    if (at === 0) {
      const area = `${path}L${known.at(-1)[0]} ${y(0)}L${known[0][0]} ${y(0)}Z`;
      drawing.append(svg("path", { class: `area line-${at}`, d: area }));
    }
    drawing.append(svg("path", { class: `line line-${at}`, d: path }));
    const [px, py] = known.at(-1);
    drawing.append(svg("circle", { class: `dot line-${at}`, cx: px, cy: py, r: 3 }));
  });
  const key = latest.map(({ name, value }, at) =>
    el("li", {}, el(`span.swatch.line-${at}`), el("span", {}, name), el("strong", {}, short(value))),
  );
  return el(
    "article.card",
    {},
    el("header", {}, el("h2", {}, title), el("span.unit", {}, unit)),
    drawing,
    el("ul.key", {}, ...key),
    note ? el("p.note", {}, note) : null,
  );
}
