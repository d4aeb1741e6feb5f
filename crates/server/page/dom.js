// Making elements. Text is always text: nothing here takes HTML.

export const $ = (id) => document.getElementById(id);

/** An element with attributes, listeners (`on…`) and children. */
export function el(name, attributes = {}, ...children) {
  const [tag, ...classes] = name.split(".");
  const element = document.createElement(tag || "div");
  if (classes.length) element.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value != null) element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child != null));
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

/** An element of a drawing. */
export function svg(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

const ICONS = {
  copy: "M9 9h10v11H9zM5 15V4h10",
  check: "M5 13l4 4L19 7",
  again: "M4 12a8 8 0 1 0 2.5-5.8M4 4v4.5h4.5",
  edit: "M5 19l1-4L16 5l3 3L9 18zM14 7l3 3",
  bin: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13",
  left: "M14 6l-6 6 6 6",
  right: "M10 6l6 6-6 6",
  close: "M6 6l12 12M18 6 6 18",
};

export function icon(name) {
  return svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d: ICONS[name] }));
}

/** A small button with only an icon. */
export function iconButton(name, label, onclick, more = {}) {
  return el("button.icon-button", { type: "button", "aria-label": label, title: label, onclick, ...more }, icon(name));
}

/** Tells people who listen to the page. */
export function say(text) {
  $("status").textContent = text;
}

/** Copies text, and says so on the button. */
export async function copy(text, button) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Pages without HTTPS have no clipboard.
    const area = el("textarea.hidden", { "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  say("Copied");
  const before = button.querySelector("svg");
  if (!before || button.dataset.copied) return;
  button.dataset.copied = "yes";
  const after = icon("check");
  before.replaceWith(after);
  setTimeout(() => {
    after.replaceWith(before);
    delete button.dataset.copied;
  }, 1500);
}
