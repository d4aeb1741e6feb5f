// Markdown to elements. What a model writes is never trusted: it goes through DOMPurify, which leaves no
// scripts, no handlers, no styles and nothing that is loaded from elsewhere; the server's policy forbids
// the same once more.

import { copy, el, icon } from "./dom.js";
import hljs from "./vendor/highlight.js";
import { Marked } from "./vendor/marked.js";
import createPurify from "./vendor/purify.js";

/** Beyond this, an answer is shown as it is: making tables of megabytes would stop the page. */
const LONGEST = 200_000;

/** Code beyond this is not coloured. */
const LONGEST_CODE = 20_000;

const purify = createPurify(window);

// Links open elsewhere, and learn nothing of this page.
purify.addHook("afterSanitizeAttributes", (node) => {
  if (node.tagName === "A") {
    node.setAttribute("target", "_blank");
    node.setAttribute("rel", "noopener noreferrer nofollow");
  }
  if (node.tagName === "INPUT") node.setAttribute("disabled", "");
});

const escape = (text) => text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);

const marked = new Marked({
  gfm: true,
  breaks: false,
  renderer: {
    code({ text, lang }) {
      const language = (lang ?? "").match(/^[\w+#-]*/)[0].toLowerCase();
      const known = hljs.getLanguage(language) && text.length < LONGEST_CODE;
      const inner = known ? hljs.highlight(text, { language }).value : escape(text);
      return `<pre data-language="${escape(language)}"><code>${inner}</code></pre>`;
    },
    // HTML of the model's is shown, not made.
    html({ text }) {
      return escape(text);
    },
    image({ href, text }) {
      return `<a href="${escape(href)}">${escape(text || "image")}</a>`;
    },
  },
});

const ALLOWED = {
  ALLOWED_TAGS: [
    "a", "blockquote", "br", "code", "del", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "input", "li",
    "ol", "p", "pre", "span", "strong", "sub", "sup", "table", "tbody", "td", "th", "thead", "tr", "ul",
  ],
  ALLOWED_ATTR: ["align", "checked", "class", "data-language", "disabled", "href", "start", "type"],
  ALLOWED_URI_REGEXP: /^(?:https?|mailto):/i,
  RETURN_TRUSTED_TYPE: true,
};

/** Puts Markdown into an element. */
export function render(into, text) {
  if (text.length > LONGEST) {
    into.replaceChildren(el("pre.plain", {}, text));
    return;
  }
  const holder = document.createElement("div");
  holder.innerHTML = purify.sanitize(marked.parse(text), ALLOWED);
  holder.querySelectorAll("table").forEach((table) => {
    const scroll = el("div.table", { tabindex: "0", role: "region", "aria-label": "Table" });
    table.replaceWith(scroll);
    scroll.append(table);
  });
  holder.querySelectorAll("pre").forEach(frame);
  into.replaceChildren(...holder.childNodes);
}

/** Code with its language and a button to copy it. */
function frame(pre) {
  const language = pre.dataset.language || "text";
  const button = el("button.copy-code", { type: "button", "aria-label": "Copy code" }, icon("copy"), "Copy");
  button.addEventListener("click", () => copy(pre.textContent, button));
  const figure = el("figure.code", {}, el("figcaption", {}, el("span", {}, language), button));
  pre.setAttribute("tabindex", "0");
  pre.replaceWith(figure);
  figure.append(pre);
}
