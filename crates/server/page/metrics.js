// Live metrics: what Prometheus would read, every two seconds, as charts of the last five minutes.

import { metrics } from "./api.js";
import { card, short } from "./charts.js";
import { $, el } from "./dom.js";

const EVERY = 2000;
const KEPT = 150;
const samples = [];
let timer = 0;

/** The numbers of a text for Prometheus, summed over models: by name, and by bucket where there are. */
function parse(text) {
  const sums = {};
  const buckets = {};
  for (const line of text.split("\n")) {
    const found = /^bessemer_(\w+?)(?:\{(.*)\})? (\S+)/.exec(line);
    if (!found) continue;
    const [, name, labels = "", number] = found;
    const value = Number(number);
    if (name.endsWith("_bucket")) {
      const bound = /le="([^"]*)"/.exec(labels)?.[1];
      const of = (buckets[name.slice(0, -7)] ??= {});
      of[bound] = (of[bound] ?? 0) + value;
    } else {
      sums[name] = (sums[name] ?? 0) + value;
      if (name === "kv_cache_utilization") sums.kv_most = Math.max(sums.kv_most ?? 0, value);
    }
  }
  return { time: Date.now(), sums, buckets };
}

/** A quantile of what was observed between two samples. */
function quantile(name, from, to, share) {
  const now = to.buckets[name];
  if (!now) return null;
  const before = from.buckets[name] ?? {};
  const counts = Object.entries(now)
    .map(([bound, count]) => [bound === "+Inf" ? Infinity : Number(bound), count - (before[bound] ?? 0)])
    .sort((a, b) => a[0] - b[0]);
  const all = counts.at(-1)?.[1] ?? 0;
  if (all <= 0) return null;
  let [low, below] = [0, 0];
  for (const [bound, count] of counts) {
    if (count >= share * all) {
      if (bound === Infinity) return low;
      return low + ((bound - low) * (share * all - below)) / Math.max(count - below, 1);
    }
    [low, below] = [bound, count];
  }
  return low;
}

const per = (name) => (from, to) =>
  Math.max(0, ((to.sums[name] ?? 0) - (from.sums[name] ?? 0)) / ((to.time - from.time) / 1000));
const gauge = (name, times = 1) => (_, to) => (to.sums[name] ?? 0) * times;
const ms = (name, share) => (from, to) => {
  const seconds = quantile(name, from, to, share);
  return seconds == null ? null : seconds * 1000;
};

const CHARTS = [
  {
    title: "Throughput",
    unit: "tokens/s",
    lines: [
      { name: "generated", of: per("generated_tokens_total") },
      { name: "prompts", of: per("prompt_tokens_total") },
    ],
  },
  {
    title: "Requests",
    unit: "now",
    lines: [
      { name: "running", of: gauge("requests_running") },
      { name: "waiting", of: gauge("requests_waiting") },
    ],
  },
  {
    title: "Time to first token",
    unit: "ms",
    span: 15,
    lines: [
      { name: "median", of: ms("time_to_first_token_seconds", 0.5) },
      { name: "95th percentile", of: ms("time_to_first_token_seconds", 0.95) },
    ],
  },
  {
    title: "Time between tokens",
    unit: "ms",
    span: 5,
    lines: [
      { name: "median", of: ms("time_between_tokens_seconds", 0.5) },
      { name: "99th percentile", of: ms("time_between_tokens_seconds", 0.99) },
    ],
  },
  {
    title: "KV cache in use",
    unit: "%",
    most: 100,
    lines: [{ name: "fullest model", of: gauge("kv_most", 100) }],
  },
  {
    title: "Time in the queue",
    unit: "ms",
    span: 15,
    lines: [
      { name: "median", of: ms("queue_seconds", 0.5) },
      { name: "95th percentile", of: ms("queue_seconds", 0.95) },
    ],
  },
];

function draw() {
  const times = samples.slice(1).map((sample) => sample.time);
  const cards = CHARTS.map(({ lines, span = 1, ...chart }) =>
    card({
      ...chart,
      times,
      lines: lines.map(({ name, of }) => ({
        name,
        values: samples.slice(1).map((to, at) => of(samples[Math.max(0, at + 1 - span)], to)),
      })),
    }),
  );
  const { sums } = samples.at(-1);
  const cached = sums.cached_tokens_total / Math.max(sums.prompt_tokens_total, 1);
  const figures = [
    ["Answers", short(sums.answers_total ?? 0)],
    ["Tokens generated", short(sums.generated_tokens_total ?? 0)],
    ["Prompt tokens cached", `${short((cached || 0) * 100)} %`],
    ["Models loaded", short(sums.models_loaded ?? 0)],
    ["Connections", short(sums.connections ?? 0)],
  ];
  $("metrics").replaceChildren(
    el("h1", {}, "Metrics"),
    el("dl.figures", {}, ...figures.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value)))),
    el("div.cards", {}, ...cards),
    el("p.note", {}, "Of all models together, since this tab was opened. Prometheus reads the same at /metrics."),
  );
}

async function sample() {
  try {
    samples.push(parse(await metrics()));
    if (samples.length > KEPT) samples.shift();
    draw();
  } catch (error) {
    $("metrics").replaceChildren(el("h1", {}, "Metrics"), el("p.failed", { role: "alert" }, error.message));
  }
}

/** Shows the metrics, or hides them. */
export function show(is) {
  $("metrics").hidden = !is;
  clearInterval(timer);
  if (!is) return;
  sample();
  timer = setInterval(sample, EVERY);
}
