// The list of conversations.

import { $, el, iconButton, say } from "./dom.js";
import * as store from "./store.js";

const DAY = 24 * 60 * 60 * 1000;

function age(time) {
  const midnight = new Date().setHours(0, 0, 0, 0);
  if (time >= midnight) return "Today";
  if (time >= midnight - DAY) return "Yesterday";
  if (time >= midnight - 7 * DAY) return "Last 7 days";
  return "Older";
}

/** Draws the list; `open` and `removed` are called with a conversation. */
export async function draw(openId, open, removed) {
  const groups = new Map();
  for (const conversation of await store.all()) {
    const name = age(conversation.updated);
    groups.set(name, [...(groups.get(name) ?? []), conversation]);
  }
  const list = $("conversations");
  if (groups.size === 0) {
    list.replaceChildren(el("p.nothing", {}, "Conversations will be listed here. They stay in this browser."));
    return;
  }
  const entry = (conversation) => {
    const title = conversation.title || "New chat";
    const isOpen = conversation.id === openId;
    const remove = async (event) => {
      const button = event.currentTarget;
      if (button.dataset.sure) {
        await store.remove(conversation.id);
        say("Conversation deleted");
        removed(conversation);
        return;
      }
      button.dataset.sure = "yes";
      button.setAttribute("aria-label", `Delete ${title}: press again to confirm`);
      button.classList.add("sure");
      say("Press again to delete");
      setTimeout(() => {
        delete button.dataset.sure;
        button.classList.remove("sure");
        button.setAttribute("aria-label", `Delete ${title}`);
      }, 3000);
    };
    return el(
      `li.entry${isOpen ? ".open" : ""}`,
      {},
      el("button.title", { type: "button", "aria-current": isOpen && "page", onclick: () => open(conversation) }, title),
      iconButton("bin", `Delete ${title}`, remove),
    );
  };
  const group = ([name, conversations]) =>
    el("section", {}, el("h2", {}, name), el("ul", {}, ...conversations.map(entry)));
  list.replaceChildren(...[...groups].map(group));
}

/** On a phone the list is a drawer. */
export function drawer(is) {
  $("sidebar").classList.toggle("drawn", is);
  $("backdrop").hidden = !is;
  if (is) $("close-sidebar").focus();
}
