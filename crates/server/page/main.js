// Puts the page together.

import * as api from "./api.js";
import * as chat from "./chat.js";
import { $, el } from "./dom.js";
import * as metrics from "./metrics.js";
import * as settings from "./settings.js";
import * as sidebar from "./sidebar.js";
import * as store from "./store.js";

let models = [];

const SUGGESTIONS = [
  ["Tell me a story", "Tell me a short story about a lighthouse keeper."],
  ["Explain something", "Explain in simple words how a Bessemer converter makes steel."],
  ["Write some code", "Write a Rust function that reverses the words of a sentence."],
  ["Make a table", "Make a table of the planets with their diameters."],
];

async function loadModels() {
  try {
    models = await api.models();
    chat.notice(null);
  } catch (error) {
    const asks = error.status === 401;
    chat.notice(asks ? "This server asks for an API key: enter it in the settings." : error.message);
    return;
  }
  const select = $("model");
  const wanted = chat.current()?.model ?? store.setting("model", null);
  select.replaceChildren(...models.map(({ id }) => el("option", { value: id }, id)));
  if (models.some(({ id }) => id === wanted)) select.value = wanted;
  welcome();
}

function welcome() {
  const name = $("model").value;
  $("welcome-model").textContent = name ? `You are talking to ${name}, on this server.` : "";
}

/** Once a model has answered, its context is known. */
async function refreshModels() {
  try {
    models = await api.models();
  } catch {
    // The next answer will tell.
  }
}

const redraw = () => sidebar.draw(chat.current()?.id, open, removed);

function open(conversation) {
  if (conversation && models.some(({ id }) => id === conversation.model)) $("model").value = conversation.model;
  showMetrics(false);
  chat.open(conversation);
  sidebar.drawer(false);
  redraw();
  welcome();
  $("input").focus();
}

function removed(conversation) {
  if (conversation.id === chat.current()?.id) open(null);
  else redraw();
}

function showMetrics(is) {
  $("chat").hidden = is;
  $("show-metrics").setAttribute("aria-pressed", is);
  metrics.show(is);
}

function keys(event) {
  const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName);
  if (event.key === "Escape" && chat.isBusy() && !$("settings").open) chat.stop();
  else if ((event.ctrlKey || event.metaKey) && event.shiftKey && event.key.toLowerCase() === "o") {
    event.preventDefault();
    open(null);
  } else if (event.key === "/" && !typing && !$("settings").open) {
    event.preventDefault();
    $("input").focus();
  }
}

function listen() {
  $("composer").addEventListener("submit", (event) => {
    event.preventDefault();
    if (chat.isBusy()) chat.stop();
    else chat.send();
  });
  const input = $("input");
  input.addEventListener("input", () => {
    chat.grow();
    store.set("draft", input.value);
  });
  input.addEventListener("keydown", (event) => {
    // On a phone the key is for a new line; the button sends.
    const phone = matchMedia("(pointer: coarse)").matches;
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing && !phone) {
      event.preventDefault();
      chat.send();
    }
  });
  $("new-chat").addEventListener("click", () => open(null));
  $("open-sidebar").addEventListener("click", () => sidebar.drawer(true));
  $("close-sidebar").addEventListener("click", () => sidebar.drawer(false));
  $("backdrop").addEventListener("click", () => sidebar.drawer(false));
  $("show-metrics").addEventListener("click", () => {
    showMetrics($("metrics").hidden);
    sidebar.drawer(false);
  });
  $("model").addEventListener("change", () => {
    store.set("model", $("model").value);
    welcome();
  });
  document.addEventListener("keydown", keys);
  const suggestion = ([title, text]) =>
    el(
      "button.suggestion",
      {
        type: "button",
        onclick: () => {
          input.value = text;
          chat.grow();
          input.focus();
        },
      },
      el("strong", {}, title),
      el("span", {}, text),
    );
  $("suggestions").replaceChildren(...SUGGESTIONS.map(suggestion));
}

settings.themes();
settings.build(loadModels);
chat.connect({
  contextOf: (model) => models.find(({ id }) => id === model)?.context,
  changed: async () => {
    await refreshModels();
    redraw();
  },
});
chat.watchScroll();
listen();
await loadModels();
const last = store.setting("open", null);
open((await store.all()).find(({ id }) => id === last) ?? null);
