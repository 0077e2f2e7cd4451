// The page of `axilog gateway`: calls appear while it is open, and nothing that a model says becomes markup.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { after, afterEach, test } from "node:test";
import { Bench, Viewer, findBarriers } from "./support.js";

const OPERATOR = "operator-key-0123456789";
const PHONE = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };
const MARKUP = "<img/src=x/onerror=alert(1)>";

const bench = new Bench();
const viewer = await Viewer.start();

/** A provider that answers with the text that it is asked for. */
const provider = createServer((request, response) => {
  let body = "";
  request.on("data", (piece) => (body += piece));
  request.on("end", () => {
    const { model, messages } = JSON.parse(body);
    const message = { role: "assistant", content: messages[0].content };
    const usage = { prompt_tokens: 2, completion_tokens: 3, total_tokens: 5 };
    const choices = [{ index: 0, message, finish_reason: "stop" }];
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ id: "c", object: "chat.completion", model, choices, usage }));
  });
});
await once(provider.listen(0, "127.0.0.1"), "listening");

/** Starts the gateway at a port, which may be 0 for any. @param {string} port */
async function startGateway(port) {
  const { port: ofProvider } = /** @type {import("node:net").AddressInfo} */ (provider.address());
  const text = (/** @type {string} */ t) => new TextEncoder().encode(t);
  const key = createHash("sha256").update(OPERATOR).digest("hex");
  bench.write("policies.toml", text('[SPEED]\noracle = "llm"\npath = "speed"\nmax = "70"\n'));
  bench.write(
    "gateway.toml",
    text(
      `listen = "127.0.0.1:${port}"\nledgers = "ledgers"\nreports = true\n` +
        `[upstream]\nbase_url = "http://127.0.0.1:${ofProvider}/v1"\n[operator]\nkey_sha256 = ["${key}"]\n` +
        `[ledger.default]\npolicies = "policies.toml"\n[ledger.default.budget]\ncalls = 100\n[ledger.open]\n[ledger.markup]\n`,
    ),
  );
  const words = ["gateway", "serve", "gateway.toml", "--json"];
  const gateway = spawn(process.env.AXILOG ?? "", words, { cwd: bench.dir });
  const [line] = await once(createInterface(gateway.stdout), "line");
  return { gateway, address: JSON.parse(line).address };
}

let { gateway, address } = await startGateway("0");

after(async () => {
  gateway.kill();
  provider.close();
  await viewer.stop();
  bench.remove();
});

afterEach(async () => {
  for (const context of viewer.browser.contexts()) await context.close();
});

/** Asks the gateway for an answer, and gives the status. @param {string} content @param {string} [ledger] */
async function ask(content, ledger = "default") {
  const model = content === MARKUP ? MARKUP : "model-1";
  const response = await fetch(`http://${address}/l/${ledger}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content }] }),
  });
  return response.status;
}

/** Opens the page, and waits until it is live. @param {import("playwright-core").BrowserContextOptions} [options] */
async function openPage(options = {}) {
  const context = await viewer.browser.newContext({ reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  page.on("request", (request) => viewer.requests.push(request.url()));
  page.on("pageerror", (error) => viewer.errors.push(error.message));
  // Such as what the content security policy refuses; but one test has the gateway end.
  page.on("console", (message) => {
    if (!message.text().includes("net::ERR_")) viewer.errors.push(message.text());
  });
  await page.goto(`http://${address}/`);
  await page.getByText("Live", { exact: true }).waitFor();
  await page.locator(".ledger").first().waitFor();
  return page;
}

const rowsOf = (/** @type {import("playwright-core").Page} */ page) =>
  page.locator("#calls tbody tr");

test("calls appear as they end, and the ledgers with them", async () => {
  const page = await openPage();
  assert.match(await page.locator("#ledgers").innerText(), /not begun/);
  await page.getByText("No call has ended yet.").waitFor();

  assert.equal(await ask('{"speed": 12}'), 200);
  assert.equal(await ask('{"speed": 71}'), 403);
  assert.equal(await ask("a", "open"), 200);
  await page.waitForFunction(() => document.querySelectorAll("#calls tbody tr").length === 3);
  const rows = await rowsOf(page).allInnerTexts();
  assert.match(rows[0], /open[^]*released/);
  assert.match(rows[1], /default[^]*kept back[^]*71/);
  assert.match(rows[2], /default[^]*released/);

  const alarm = page.locator(".ledger", { hasText: "ALARM" });
  await alarm.waitFor();
  const { entries, head } = JSON.parse(
    bench.run(["head", "ledgers/default.jsonl", "--json"]).stdout,
  );
  const card = await alarm.innerText();
  assert.ok(card.includes(head) && card.includes(`${entries} records`), card);
  assert.match(card, /2 of 100 calls/);
  assert.match(card, /until an operator has acted/);

  // The command that the card names makes the report.
  const command = await alarm.locator("p:last-child code").innerText();
  assert.equal(bench.run(command.split(" ").slice(1)).code, 0);

  await page.getByLabel("only calls without an answer").check();
  assert.equal(await rowsOf(page).count(), 1);
  await page.getByLabel("Ledger", { exact: true }).selectOption("open");
  await page.getByText("None of these calls.").waitFor();
});

test("a ledger that is begun has a link to its report, whose scripts reach nothing of the gateway", async () => {
  const page = await openPage();
  const card = page.locator(".ledger", { hasText: "ALARM" });
  const link = card.getByRole("link", { name: "Report for auditors" });
  const unbegun = page.locator(".ledger", { hasText: "not begun" });
  assert.equal(await unbegun.count(), 1);
  assert.equal(await unbegun.getByRole("link").count(), 0);
  await link.click();
  await page.waitForURL(`http://${address}/axilog/ledgers/default/report`);
  // It verifies the ledger by itself.
  await page.locator("body[data-checked]").waitFor();
  assert.match(await page.locator("#browser-verdict").innerText(), /OK/);
  assert.match(await page.locator("#command .said").innerText(), /OK$/);
  assert.equal(await page.evaluate(() => origin), "null");
  const { barriers } = await findBarriers(page);
  assert.deepEqual(barriers, []);
  // What a record would try, if it became a script.
  page.removeAllListeners("console");
  for (const path of ["/axilog/ledgers", "/metrics", "/v1/models"]) {
    const url = `http://${address}${path}`;
    assert.equal(await page.evaluate((url) => fetch(url).catch(() => "refused"), url), "refused");
  }
  await page.goBack();
  await card.waitFor();
});

test("what a model or a client says stays text", async () => {
  const page = await openPage();
  assert.equal(await ask(MARKUP, "markup"), 200);
  await rowsOf(page).filter({ hasText: MARKUP }).first().waitFor();
  assert.equal(await page.locator("img").count(), 0);
});

for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
  for (const [device, options] of /** @type {const} */ ([
    ["desk", {}],
    ["phone", PHONE],
  ])) {
    test(`nothing bars anybody: axe-core, ${colorScheme}, ${device}`, async () => {
      const page = await openPage({ colorScheme, ...options });
      await rowsOf(page).first().waitFor();
      const { barriers, passed } = await findBarriers(page);
      assert.deepEqual(barriers, []);
      assert.ok(passed > 10);
      const [width, shown] = await page.evaluate(() => [
        document.documentElement.scrollWidth,
        innerWidth,
      ]);
      assert.ok(width <= shown, `${width} > ${shown}`);
      if (process.env.AXILOG_SCREENSHOTS) {
        const path = `${process.env.AXILOG_SCREENSHOTS}/gateway-${colorScheme}-${device}.png`;
        await page.screenshot({ path, fullPage: true });
      }
    });
  }
}

test("a gateway that ends is said so, and comes back", async () => {
  const page = await openPage();
  gateway.kill();
  await once(gateway, "exit");
  await page.getByText("The gateway does not answer.").waitFor();
  ({ gateway, address } = await startGateway(address.split(":")[1]));
  await page.getByText("Live", { exact: true }).waitFor();
  await page.locator(".ledger", { hasText: "ALARM" }).waitFor();
});

test("nothing was asked of anybody else, and no script failed", () => {
  assert.deepEqual(viewer.errors, []);
  assert.ok(viewer.requests.length > 0);
  assert.deepEqual(
    viewer.requests.filter((url) => !url.startsWith(`http://${address}/`)),
    [],
  );
});
