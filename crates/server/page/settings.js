// Settings: what the model is told to be, how it chooses words, the key, and the colours.

import { $, el, iconButton } from "./dom.js";
import * as store from "./store.js";

const SAMPLING = [
  { name: "temperature", label: "Temperature", help: "0 always takes the likeliest word; more is wilder.", min: 0, max: 2, step: 0.05, usual: 0.8 },
  { name: "top_p", label: "Top P", help: "Choose among the likeliest words that make up this share.", min: 0, max: 1, step: 0.01, usual: 0.95 },
  { name: "min_p", label: "Min P", help: "Leave out words less likely than this share of the likeliest.", min: 0, max: 1, step: 0.01, usual: 0.05 },
  { name: "top_k", label: "Top K", help: "Choose among so many of the likeliest words; 0 is all.", min: 0, max: 200, step: 1, usual: 40 },
  { name: "repeat_penalty", label: "Repeat penalty", help: "Makes recent words less likely; 1 is off.", min: 1, max: 2, step: 0.01, usual: 1 },
];

const LIMITS = [
  { name: "max_tokens", label: "Longest answer", help: "In tokens; empty is as long as the context allows.", min: 1 },
  { name: "seed", label: "Seed", help: "The same seed gives the same answer; empty is random.", min: 0 },
];

/** What the model is told to be. */
export const system = () => store.setting("system", "").trim();

/** The settings that differ from the server's own. */
export function request() {
  const settings = store.setting("sampling", {});
  const all = [...SAMPLING, ...LIMITS];
  const chosen = all.filter(({ name, usual }) => settings[name] != null && settings[name] !== usual);
  return Object.fromEntries(chosen.map(({ name }) => [name, settings[name]]));
}

function change(name, value) {
  const settings = store.setting("sampling", {});
  if (value == null || Number.isNaN(value)) delete settings[name];
  else settings[name] = value;
  store.set("sampling", settings);
}

function slider({ name, label, help, min, max, step, usual }) {
  const id = `setting-${name}`;
  const value = store.setting("sampling", {})[name] ?? usual;
  const shown = el("output", { for: id }, String(value));
  const input = el("input", { id, type: "range", min, max, step, value, "aria-describedby": `${id}-help` });
  input.addEventListener("input", () => {
    shown.textContent = input.value;
    change(name, Number(input.value));
  });
  return el(
    "div.field",
    {},
    el("div.field-head", {}, el("label", { for: id }, label), shown),
    input,
    el("p", { id: `${id}-help` }, help),
  );
}

function number({ name, label, help, min }) {
  const id = `setting-${name}`;
  const value = store.setting("sampling", {})[name] ?? "";
  const input = el("input", { id, type: "number", min, step: 1, value, inputmode: "numeric", "aria-describedby": `${id}-help` });
  input.addEventListener("input", () => change(name, input.value === "" ? null : Number(input.value)));
  return el("div.field", {}, el("label", { for: id }, label), input, el("p", { id: `${id}-help` }, help));
}

/** Builds the dialog; `keyed` is called when there is another key. */
export function build(keyed) {
  const dialog = $("settings");
  const close = () => dialog.close();
  const draw = () => {
    const told = el("textarea", { id: "setting-system", rows: 5, placeholder: "You are a helpful assistant." });
    told.value = store.setting("system", "");
    told.addEventListener("input", () => store.set("system", told.value));
    const key = el("input", { id: "setting-key", type: "password", autocomplete: "off", placeholder: "None" });
    key.value = store.setting("key", "");
    key.addEventListener("change", () => {
      store.set("key", key.value.trim());
      keyed();
    });
    const reset = () => {
      store.set("sampling", {});
      draw();
    };
    dialog.replaceChildren(
      el("header", {}, el("h1", { id: "settings-title" }, "Settings"), iconButton("close", "Close", close)),
      el(
        "div.settings-body",
        {},
        el(
          "div.field",
          {},
          el("label", { for: "setting-system" }, "System prompt"),
          told,
          el("p", {}, "What the model is told before every conversation."),
        ),
        el("fieldset", {}, el("legend", {}, "Sampling"), ...SAMPLING.map(slider)),
        el("fieldset.pair", {}, el("legend", {}, "Limits"), ...LIMITS.map(number)),
        el(
          "div.field",
          {},
          el("label", { for: "setting-key" }, "API key"),
          key,
          el("p", {}, "Only if the server asks for one. It is kept in this browser."),
        ),
      ),
      el(
        "footer",
        {},
        el("button.quiet", { type: "button", onclick: reset }, "Reset sampling"),
        el("button.primary", { type: "button", onclick: close }, "Done"),
      ),
    );
  };
  // Outside of it is closing too.
  dialog.addEventListener("click", (event) => event.target === dialog && close());
  $("open-settings").addEventListener("click", () => {
    draw();
    dialog.showModal();
  });
}

const THEMES = { system: "System", light: "Light", dark: "Dark" };

/** The button for the colours. */
export function themes() {
  const show = () => {
    const theme = store.setting("theme", "system");
    document.documentElement.dataset.theme = theme;
    $("theme-name").textContent = THEMES[theme];
    $("theme").setAttribute("aria-label", `Colours: ${THEMES[theme]}`);
  };
  $("theme").addEventListener("click", () => {
    const names = Object.keys(THEMES);
    const next = names[(names.indexOf(store.setting("theme", "system")) + 1) % names.length];
    store.set("theme", next);
    show();
  });
  show();
}
