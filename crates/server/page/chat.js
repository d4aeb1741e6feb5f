// The conversation that is open: sending, stopping, answering again, editing, branches.

import { Refused, answer } from "./api.js";
import { $, say } from "./dom.js";
import * as messages from "./messages.js";
import { request, system } from "./settings.js";
import * as store from "./store.js";
import * as tree from "./tree.js";

let conversation = null;
let running = null;
let changed = () => {};
let contextOf = () => null;

/** What the rest of the page provides: to hear of changes, and to know the context of a model. */
export function connect(options) {
  ({ changed, contextOf } = options);
}

export const current = () => conversation;

/** Opens a conversation, or a new one. */
export function open(other) {
  stop();
  conversation = other;
  store.set("open", other?.id ?? null);
  draw();
  $("input").value = store.setting("draft", "");
  grow();
}

const act = {
  branch(node) {
    tree.follow(conversation, node);
    keep();
    draw();
  },
  again(node) {
    if (running) return;
    conversation.leaf = node.parent;
    reply();
  },
  edit(node) {
    if (running) return;
    const item = document.querySelector(`[data-id="${node.id}"]`);
    messages.editor(item, node.content, (text) => {
      if (text?.trim() && text !== node.content) {
        tree.add(conversation, node.parent, "user", text);
        reply();
      } else {
        draw();
        document.querySelector(`[data-id="${node.id}"] [aria-label="Edit"]`)?.focus();
      }
    });
  },
};

function draw() {
  const nodes = conversation ? tree.path(conversation) : [];
  messages.show(conversation, nodes, act);
  $("welcome").hidden = nodes.length > 0;
  $("chat").classList.toggle("empty", nodes.length === 0);
  document.title = conversation?.title ? `${conversation.title} · bessemer` : "bessemer";
  showContext(nodes.findLast((node) => node.stats)?.stats);
  toEnd(true);
}

async function keep() {
  try {
    // What is being written is not kept: after a reload there is nobody to write on.
    const nodes = Object.fromEntries(
      Object.entries(conversation.nodes).map(([id, { writing, ...node }]) => [id, node]),
    );
    await store.save({ ...conversation, nodes });
  } catch {
    notice("This browser has no room to keep the conversation.");
  }
  changed();
}

/** Sends what is in the box. */
export function send() {
  const input = $("input");
  const text = input.value.trim();
  if (running || !text) return;
  input.value = "";
  store.set("draft", "");
  grow();
  if (!conversation) {
    conversation = tree.create($("model").value);
    store.set("open", conversation.id);
  }
  tree.add(conversation, conversation.leaf, "user", text);
  reply();
}

/** Asks for an answer to the last message. */
async function reply() {
  const controller = new AbortController();
  const model = $("model").value;
  const asked = tree.path(conversation).map(({ role, content }) => ({ role, content }));
  const told = system();
  if (told) asked.unshift({ role: "system", content: told });
  const of = conversation;
  const node = tree.add(of, of.leaf, "assistant", "", { model, writing: true });
  running = { controller, node };
  of.model = model;
  notice(null);
  busy(true);
  draw();
  await keep();
  const started = performance.now();
  let tokens = 0;
  let first = 0;
  let saved = started;
  try {
    for await (const chunk of answer({ model, messages: asked, ...request() }, controller.signal)) {
      const choice = chunk.choices?.[0];
      const { content, reasoning_content } = choice?.delta ?? {};
      if (content || reasoning_content) {
        tokens += 1;
        first ||= (performance.now() - started) / 1000;
        node.content += content ?? "";
        if (reasoning_content) node.thinking = (node.thinking ?? "") + reasoning_content;
        redraw(node);
        const seconds = (performance.now() - started) / 1000 - first;
        if (tokens > 2) $("speed").textContent = `${(tokens / Math.max(seconds, 1e-3)).toFixed(1)} tokens/s`;
        if (performance.now() - saved > 1000) {
          saved = performance.now();
          keep();
        }
      }
      if (choice?.finish_reason) {
        const { predicted_n, predicted_per_second, cache_n } = chunk.timings ?? {};
        node.stats = { tokens: predicted_n ?? tokens, speed: predicted_per_second, first, cached: cache_n, reason: choice.finish_reason };
      }
      if (chunk.usage) node.stats = { ...node.stats, used: chunk.usage.total_tokens };
    }
    say(`Answer complete. ${node.content.slice(0, 500)}`);
  } catch (error) {
    if (error.name === "AbortError") {
      node.stats = { tokens, first, speed: 0, reason: "stopped" };
      say("Stopped");
    } else {
      node.error = error instanceof Refused ? error.message : "The connection was lost before the end of the answer.";
      if (error.status === 401) notice("This server asks for an API key: enter it in the settings.");
    }
  }
  delete node.writing;
  running = null;
  $("speed").textContent = "";
  busy(false);
  await store.save({ ...of });
  changed();
  if (of === conversation) finish(node);
}

/** Ends an answer that is being written. */
export function stop() {
  running?.controller.abort();
}

export const isBusy = () => running !== null;

function busy(is) {
  $("composer").classList.toggle("busy", is);
  $("send").setAttribute("aria-label", is ? "Stop" : "Send");
  $("messages").setAttribute("aria-busy", is);
}

let frame = 0;

/** The message that is being written, at most once a frame, and less often the longer it is. */
function redraw(node) {
  if (frame) return;
  const wait = Math.min(400, node.content.length / 100);
  const draw = () => {
    frame = 0;
    const body = document.querySelector(`[data-id="${node.id}"] .body`);
    if (!body || !node.writing) return;
    const end = isAtEnd();
    messages.fill(body, node);
    if (end) toEnd(true);
  };
  frame = setTimeout(() => requestAnimationFrame(draw), wait);
}

function finish(node) {
  clearTimeout(frame);
  frame = 0;
  const item = document.querySelector(`[data-id="${node.id}"]`);
  const end = isAtEnd();
  item?.replaceWith(messages.message(conversation, node, act));
  showContext(node.stats);
  if (end) toEnd(true);
}

/** How much of the context the conversation takes. */
function showContext(stats) {
  const all = contextOf(conversation?.model);
  const used = stats?.used;
  $("context").hidden = !used || !all;
  if (!used || !all) return;
  const share = Math.min(1, used / all);
  const length = 2 * Math.PI * 8;
  $("context-ring").style.strokeDasharray = `${share * length} ${length}`;
  $("context").classList.toggle("full", share > 0.85);
  $("context-text").textContent = `${used.toLocaleString()} of ${all.toLocaleString()} tokens`;
  $("context").title = "How much of the model's context this conversation takes";
}

/** Says what is wrong, over the box. */
export function notice(text) {
  $("notice").hidden = !text;
  $("notice").textContent = text ?? "";
}

/** As high as what is in it, up to a limit. */
export function grow() {
  const input = $("input");
  input.style.height = "auto";
  input.style.height = `${Math.min(input.scrollHeight, 240)}px`;
}

const isAtEnd = () => {
  const scroll = $("scroll");
  return scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 80;
};

export function toEnd(now) {
  const scroll = $("scroll");
  scroll.scrollTo({ top: scroll.scrollHeight, behavior: now ? "instant" : "smooth" });
}

export function watchScroll() {
  $("scroll").addEventListener("scroll", () => ($("to-end").hidden = isAtEnd()), { passive: true });
  $("to-end").addEventListener("click", () => toEnd(false));
}
