// What the page asks of the server.

import { setting } from "./store.js";

/** An error that the server explains. */
export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

function headers() {
  const key = setting("key", "");
  return { "content-type": "application/json", ...(key && { authorization: `Bearer ${key}` }) };
}

async function ask(path, options = {}) {
  let response;
  try {
    response = await fetch(path, { ...options, headers: headers() });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused(0, "The server does not answer. Is it still running?");
  }
  if (response.ok) return response;
  let message = `The server answered ${response.status}.`;
  try {
    message = (await response.json()).error.message;
  } catch {
    // It was no JSON: the status has to do.
  }
  throw new Refused(response.status, message);
}

export async function models() {
  return (await (await ask("v1/models")).json()).data;
}

export async function metrics() {
  return (await ask("metrics")).text();
}

/** Asks for an answer; gives the events of the stream as they come. */
export async function* answer(body, signal) {
  const response = await ask("v1/chat/completions", {
    method: "POST",
    body: JSON.stringify({ ...body, stream: true, stream_options: { include_usage: true } }),
    signal,
  });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let held = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    held += value;
    const events = held.split("\n\n");
    held = events.pop();
    for (const event of events) {
      const data = event.startsWith("data: ") ? event.slice(6) : "";
      if (data === "[DONE]") return;
      if (!data) continue;
      const json = JSON.parse(data);
      if (json.error) throw new Refused(500, json.error.message);
      yield json;
    }
  }
}
