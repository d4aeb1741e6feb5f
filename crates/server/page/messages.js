// The messages of a conversation, as elements. What happens when their buttons are pressed is in `chat`.

import { $, copy, el, icon, iconButton } from "./dom.js";
import { render } from "./markdown.js";
import { siblings } from "./tree.js";

/** Shows messages; `act` has what the buttons do. */
export function show(conversation, nodes, act) {
  $("messages").replaceChildren(...nodes.map((node) => message(conversation, node, act)));
}

/** One message. */
export function message(conversation, node, act) {
  const item = el(`li.message.${node.role}`, { "data-id": node.id });
  const who = node.role === "user" ? "You" : (node.model ?? "Assistant");
  item.append(el("h2.who", {}, who));
  const body = el("div.body");
  item.append(body);
  fill(body, node);
  item.append(foot(conversation, node, act));
  return item;
}

/** The words of a message. */
export function fill(body, node) {
  if (node.role === "user") {
    body.replaceChildren(el("p.said", {}, node.content));
    return;
  }
  const parts = [];
  if (node.thinking) {
    const open = body.querySelector("details")?.open ?? !node.content;
    const inner = el("div.thoughts");
    render(inner, node.thinking);
    parts.push(el("details.thinking", { open }, el("summary", {}, node.content ? "Thoughts" : "Thinking…"), inner));
  }
  const text = el("div.prose");
  if (node.content) render(text, node.content);
  else if (node.writing && !node.thinking) text.append(el("span.pulse", { "aria-label": "Waiting for the answer" }));
  parts.push(text);
  if (node.error) parts.push(el("p.failed", { role: "alert" }, node.error));
  body.replaceChildren(...parts);
}

function foot(conversation, node, act) {
  const bar = el("div.actions");
  const branches = siblings(conversation, node);
  if (branches.length > 1) {
    const at = branches.indexOf(node);
    const go = (to) => () => act.branch(branches[to]);
    bar.append(
      el(
        "span.branches",
        {},
        iconButton("left", "Earlier version", go(at - 1), { disabled: at === 0 }),
        el("span", { "aria-label": `Version ${at + 1} of ${branches.length}` }, `${at + 1}/${branches.length}`),
        iconButton("right", "Later version", go(at + 1), { disabled: at === branches.length - 1 }),
      ),
    );
  }
  bar.append(iconButton("copy", "Copy", (event) => copy(node.content, event.currentTarget)));
  if (node.role === "user") bar.append(iconButton("edit", "Edit", () => act.edit(node)));
  else bar.append(iconButton("again", "Answer again", () => act.again(node)));
  if (node.stats) bar.append(el("span.stats", {}, statistics(node.stats)));
  return bar;
}

function statistics({ tokens, speed, first, cached, reason }) {
  const parts = [`${tokens} tokens`];
  if (speed) parts.push(`${speed.toFixed(1)} tokens/s`);
  if (first) parts.push(`first after ${first < 10 ? first.toFixed(2) : first.toFixed(0)} s`);
  if (cached) parts.push(`${cached} of the prompt cached`);
  if (reason === "length") parts.push("cut off at the limit");
  if (reason === "stopped") parts.push("stopped");
  return parts.join(" · ");
}

/** Puts a box for new words in place of a message. */
export function editor(item, text, done) {
  const area = el("textarea", { "aria-label": "Edit the message", rows: Math.min(12, text.split("\n").length + 1) });
  area.value = text;
  const cancel = el("button.quiet", { type: "button", onclick: () => done(null) }, "Cancel");
  const form = el(
    "form.editor",
    {
      onsubmit: (event) => {
        event.preventDefault();
        done(area.value);
      },
      onkeydown: (event) => {
        if (event.key === "Escape") done(null);
        if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
          event.preventDefault();
          done(area.value);
        }
      },
    },
    area,
    el("div.editor-buttons", {}, cancel, el("button.primary", { type: "submit" }, icon("check"), "Send")),
  );
  item.replaceChildren(form);
  area.focus();
  area.setSelectionRange(text.length, text.length);
}
