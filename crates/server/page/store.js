// Conversations and settings, kept in this browser: conversations in IndexedDB, settings in localStorage.
// Where the browser keeps nothing (private windows of some), they last as long as the page.

const NAME = "bessemer";
let opened;
const memory = new Map();

function open() {
  opened ??= new Promise((resolve) => {
    let request;
    try {
      request = indexedDB.open(NAME, 1);
    } catch {
      resolve(null);
      return;
    }
    request.onupgradeneeded = () => request.result.createObjectStore("conversations", { keyPath: "id" });
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => resolve(null);
    request.onblocked = () => resolve(null);
  });
  return opened;
}

async function run(mode, act) {
  const database = await open();
  if (!database) return undefined;
  return new Promise((resolve, reject) => {
    const transaction = database.transaction("conversations", mode);
    const request = act(transaction.objectStore("conversations"));
    transaction.oncomplete = () => resolve(request.result);
    transaction.onerror = () => reject(transaction.error);
    transaction.onabort = () => reject(transaction.error);
  });
}

/** All conversations, the latest first. */
export async function all() {
  const kept = (await run("readonly", (store) => store.getAll())) ?? [...memory.values()];
  return kept.sort((a, b) => b.updated - a.updated);
}

export async function save(conversation) {
  memory.set(conversation.id, conversation);
  await run("readwrite", (store) => store.put(conversation));
}

export async function remove(id) {
  memory.delete(id);
  await run("readwrite", (store) => store.delete(id));
}

/** A setting, or what it is if nobody has set it. */
export function setting(name, usual) {
  try {
    const text = localStorage.getItem(`${NAME}.${name}`);
    return text === null ? usual : JSON.parse(text);
  } catch {
    return usual;
  }
}

export function set(name, value) {
  try {
    localStorage.setItem(`${NAME}.${name}`, JSON.stringify(value));
  } catch {
    // It then holds for this page only.
  }
}
