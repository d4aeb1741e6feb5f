// The official Node client of OpenAI's API: node clients.mjs http://localhost:PORT [CHAT MODEL]

import assert from "node:assert/strict";
import OpenAI from "openai";

const [url, model = "ember"] = process.argv.slice(2);
const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 0 });
const messages = [{ role: "user", content: "Tell me a story." }];
const ask = { model, messages, max_tokens: 24, temperature: 0 };

const listed = [];
for await (const one of client.models.list()) listed.push(one.id);
assert(listed.includes(model));

const whole = await client.chat.completions.create(ask);
const said = whole.choices[0].message.content;
assert(said.length > 0);

let text = "";
let usage = null;
for await (const chunk of await client.chat.completions.create({ ...ask, stream: true, stream_options: { include_usage: true } })) {
  text += chunk.choices[0]?.delta.content ?? "";
  usage = chunk.usage ?? usage;
}
assert.equal(text, said);
assert(usage.completion_tokens > 0);

const parameters = {
  type: "object",
  properties: { on: { type: "boolean" } },
  required: ["on"],
  additionalProperties: false,
};
const tools = [{ type: "function", function: { name: "light", parameters } }];
const one = { tools, tool_choice: "required", parallel_tool_calls: false };
const called = await client.chat.completions.create({ ...ask, max_tokens: 400, ...one });
assert.equal(called.choices[0].message.tool_calls[0].function.name, "light");

const response = await client.responses.create({ model, input: "Tell me a story.", max_output_tokens: 24, temperature: 0 });
assert(response.output_text.length > 0);
let deltas = "";
for await (const event of await client.responses.create({ model, input: "Tell me a story.", max_output_tokens: 24, temperature: 0, stream: true })) {
  if (event.type === "response.output_text.delta") deltas += event.delta;
}
assert.equal(deltas, response.output_text);

// Base64 is what this client asks for by itself.
const vectors = await client.embeddings.create({ model, input: ["a cat", "a dog"] });
assert(Math.abs(vectors.data[0].embedding.reduce((sum, x) => sum + x * x, 0) - 1) < 1e-3);

const stream = await client.chat.completions.create({ ...ask, max_tokens: 4000, stream: true, ignore_eos: true });
for await (const _ of stream) break;
stream.controller.abort();

await assert.rejects(client.chat.completions.create({ ...ask, temperature: -1 }), (error) => error.param === "temperature");
await assert.rejects(client.chat.completions.create({ ...ask, model: "none" }), (error) => error.status === 404);
console.log("the checks of the Node client passed");
