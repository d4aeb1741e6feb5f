// A conversation is a tree: what is edited or answered again becomes another branch, and none is lost.
// What is shown is the way from the first message to `leaf`.

export function create(model) {
  const now = Date.now();
  return { id: crypto.randomUUID?.() ?? `${now}-${Math.random()}`, title: "", created: now, updated: now, model, nodes: {}, leaf: null };
}

/** A new message after `parent`, which becomes the last. */
export function add(conversation, parent, role, content, more = {}) {
  const id = `${Date.now().toString(36)}${Math.random().toString(36).slice(2, 8)}`;
  const node = { id, parent, role, content, at: Date.now(), ...more };
  conversation.nodes[id] = node;
  conversation.leaf = id;
  conversation.updated = Date.now();
  if (!conversation.title && role === "user") {
    conversation.title = content.trim().replace(/\s+/g, " ").slice(0, 80);
  }
  return node;
}

/** The messages that are shown, oldest first. */
export function path(conversation) {
  const nodes = [];
  for (let id = conversation.leaf; id; id = conversation.nodes[id].parent) {
    nodes.unshift(conversation.nodes[id]);
  }
  return nodes;
}

/** Messages in the same place, oldest first. */
export function siblings(conversation, node) {
  const same = (other) => other.parent === node.parent && other.role === node.role;
  return Object.values(conversation.nodes).filter(same).sort((a, b) => a.at - b.at);
}

/** Shows the branch of `node`, down to its latest message. */
export function follow(conversation, node) {
  let last = node;
  for (;;) {
    const next = Object.values(conversation.nodes)
      .filter((other) => other.parent === last.id)
      .sort((a, b) => b.at - a.at)[0];
    if (!next) break;
    last = next;
  }
  conversation.leaf = last.id;
}
