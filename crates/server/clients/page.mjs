// The chat page in a real Chromium: node page.mjs http://localhost:PORT FOLDER [CHROMIUM]
// Screenshots are left in FOLDER.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { AxeBuilder } from "@axe-core/playwright";
import { chromium } from "playwright-core";

const [url, folder, executablePath = "/usr/bin/chromium"] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
const SLOW = { timeout: 120_000 };

/** A page whose errors are failures. */
async function open(options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  page.problems = [];
  page.on("pageerror", (error) => page.problems.push(String(error)));
  page.on("console", (message) => message.type() === "error" && page.problems.push(message.text()));
  page.on("request", (request) => {
    if (!request.url().startsWith(url) && !/^(data|blob):/.test(request.url())) page.problems.push(`asked ${request.url()}`);
  });
  await page.goto(url);
  await page.waitForFunction(() => document.querySelector("#model").options.length > 0);
  return page;
}

async function accessible(page, what) {
  const { violations } = await new AxeBuilder({ page }).analyze();
  const grave = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  const said = grave.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`);
  assert.deepEqual(said, [], `axe: ${what}`);
}

/** Answers in place of the server's model. */
async function fake(page, pieces, wait = 0) {
  const chunk = (delta, more = {}) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: null, ...more }] })}\n\n`;
  const timings = { predicted_n: 342, predicted_per_second: 61.4, cache_n: 24 };
  const end = `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }], timings })}\n\n`;
  const usage = `data: ${JSON.stringify({ choices: [], usage: { total_tokens: 1310 } })}\n\ndata: [DONE]\n\n`;
  const body = pieces.map((content) => chunk({ content })).join("") + end + usage;
  await page.route("**/v1/chat/completions", async (route) => {
    if (wait) await new Promise((resolve) => setTimeout(resolve, wait));
    await route.fulfill({ contentType: "text/event-stream", body });
  });
}

async function ask(page, text) {
  await page.fill("#input", text);
  await page.press("#input", "Enter");
}

const done = (page) => page.waitForFunction(() => !document.querySelector("#composer").classList.contains("busy"));

// A conversation with the real model, to its end; a reload keeps it.
{
  const page = await open();
  await page.screenshot({ path: join(folder, "welcome-light.png") });
  await accessible(page, "the first view");
  await page.click("#open-settings");
  await page.fill("#setting-max_tokens", "60");
  await page.fill("#setting-system", "You tell stories.");
  await page.screenshot({ path: join(folder, "settings-light.png") });
  await accessible(page, "the settings");
  await page.click("text=Done");
  await ask(page, "Tell me a story.");
  await done(page);
  const answer = await page.textContent(".message.assistant .prose");
  assert(answer.length > 20, answer);
  assert.match(await page.textContent(".message.assistant .stats"), /\d+ tokens · [\d.]+ tokens\/s/);
  await page.reload();
  await page.waitForSelector(".message.assistant .prose");
  assert.equal(await page.textContent(".message.assistant .prose"), answer);
  assert.equal(await page.locator(".entry").count(), 1);
  // Another answer is another branch; the first is not lost.
  await page.click("[aria-label='Answer again']");
  await done(page);
  assert.equal(await page.locator("[aria-label='Version 2 of 2']").count(), 1);
  await page.click("[aria-label='Earlier version']");
  assert.equal(await page.textContent(".message.assistant .prose"), answer);
  // So is an edited message.
  await page.click(".message.user [aria-label='Edit']");
  await page.fill(".editor textarea", "Tell me another.");
  await page.click(".editor .primary");
  await done(page);
  assert.equal(await page.textContent(".message.user .said"), "Tell me another.");
  assert.equal(await page.locator(".message.user [aria-label='Version 2 of 2']").count(), 1);
  // The metrics show what was done.
  await page.click("#show-metrics");
  await page.waitForTimeout(5000);
  assert.equal(await page.locator(".card").count(), 6);
  await accessible(page, "the metrics");
  await page.screenshot({ path: join(folder, "metrics-light.png") });
  assert.deepEqual(page.problems, []);
  await page.context().close();
}

// Stop ends an answer, and what has come of it stays.
{
  const page = await open();
  await page.route("**/v1/chat/completions", async (route) => {
    const request = { ...route.request().postDataJSON(), ignore_eos: true, max_tokens: 3000 };
    await route.continue({ postData: JSON.stringify(request) });
  });
  await ask(page, "Tell me a long story.");
  await page.waitForFunction(() => document.querySelector(".message.assistant .prose")?.textContent.length > 40);
  await page.click("#send");
  await done(page);
  assert.match(await page.textContent(".message.assistant .stats"), /stopped/);
  assert((await page.textContent(".message.assistant .prose")).length > 40);
  await page.context().close();
}

// A hostile answer does nothing.
{
  const page = await open();
  const rows = Array.from({ length: 3000 }, (_, row) => `| ${row} | a | b |`).join("\n");
  const hostile = [
    "<script>window.owned = 1</script>\n\n<img src=x onerror='window.owned = 2'>\n\n",
    "<svg/onload=\"window.owned = 3\"> <iframe srcdoc=\"<script>parent.owned = 4</script>\"></iframe>\n\n",
    "[click](javascript:window.owned=5) [data](data:text/html,<script>1</script>) ![x](http://evil.example/x.png)\n\n",
    "<a href=\"x\" onclick=\"window.owned = 6\">y</a> <style>body { display: none }</style>\n\n",
    "```html\"><script>window.owned = 7</script>\n</code></pre><script>window.owned = 8</script>\n```\n\n",
    `| n | x | y |\n|---|---|---|\n${rows}\n`,
  ];
  await fake(page, hostile);
  await ask(page, "<img src=x onerror='window.owned = 9'>");
  await done(page);
  await page.waitForTimeout(500);
  assert.equal(await page.evaluate(() => window.owned), undefined);
  const found = await page.evaluate(() => {
    const said = document.querySelector("#messages");
    const bad = said.querySelectorAll("script, img, iframe, style, [onclick], [onerror], [onload], object, embed, form.x");
    const links = [...said.querySelectorAll("a")].map((a) => a.getAttribute("href") ?? "");
    return { bad: bad.length, links, shown: getComputedStyle(document.body).display };
  });
  assert.equal(found.bad, 0);
  assert.deepEqual(found.links.filter((link) => /^(javascript|data):/i.test(link)), []);
  assert.notEqual(found.shown, "none");
  assert.deepEqual(page.problems, []);
  await page.context().close();
}

const RICH = `A **Bessemer converter** makes steel from molten pig iron. Air is blown through the melt, and the oxygen burns out carbon, silicon and manganese. [Read more](https://example.org).

## How it works

1. The vessel is tilted and *charged* with molten iron.
2. Air is blown in through the bottom.
3. The flame tells when the carbon is gone.

| Element | Before | After |
| --- | --- | --- |
| Carbon | 4.0 % | 0.1 % |
| Silicon | 1.5 % | 0.02 % |
| Manganese | 1.0 % | 0.05 % |

\`\`\`rust
/// How long the blow takes, in minutes.
fn blow(carbon: f64, air: f64) -> f64 {
    let needed = carbon * 1.33; // tonnes of oxygen
    (needed / air).clamp(10.0, 25.0)
}
\`\`\`

> The process takes about twenty minutes and needs no fuel.

Ask if you want to know about the \`lining\` of the vessel.`;

// How it looks: light and dark, on a desktop and on a phone.
const looks = [
  ["light", { colorScheme: "light" }],
  ["dark", { colorScheme: "dark" }],
  ["phone-light", { colorScheme: "light", viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 }],
  ["phone-dark", { colorScheme: "dark", viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 }],
];
for (const [name, options] of looks) {
  const page = await open(options);
  await page.screenshot({ path: join(folder, `welcome-${name}.png`) });
  await fake(page, [RICH]);
  await page.fill("#input", "How does a Bessemer converter make steel?");
  await page.click("#send");
  await done(page);
  await page.waitForTimeout(300);
  await page.evaluate(() => (document.querySelector("#scroll").scrollTop = 0));
  await page.screenshot({ path: join(folder, `chat-${name}.png`) });
  await accessible(page, `a conversation, ${name}`);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  assert.equal(wide, false, `${name} scrolls sideways`);
  if (options.isMobile) {
    await page.click("#open-sidebar");
    await page.waitForTimeout(400);
    await page.screenshot({ path: join(folder, `list-${name}.png`) });
  }
  assert.deepEqual(page.problems, []);
  await page.context().close();
}

await browser.close();
console.log("the page's checks passed");
