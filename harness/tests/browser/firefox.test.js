// The page of `axilog report` in Firefox, which the other tests look at in Chromium.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import puppeteer from "puppeteer-core";
import { Bench, random } from "./support.js";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const bench = new Bench();
bench.run(["demo", "--ledger", "demo.jsonl"]);
const demo = bench.report("demo.jsonl");
const papers = mkdtempSync(join(tmpdir(), "axilog-firefox-"));
const screenshots = process.env.AXILOG_SCREENSHOTS;

/** Firefox with a look of the system: 0 is light, 1 is dark. */
const start = (/** @type {0 | 1} */ dark) =>
  puppeteer.launch({
    browser: "firefox",
    executablePath: process.env.FIREFOX ?? "/usr/bin/firefox-esr",
    extraPrefsFirefox: {
      "ui.systemUsesDarkTheme": dark,
    },
  });

const browsers = { light: await start(0), dark: await start(1) };

after(async () => {
  for (const browser of Object.values(browsers)) await browser.close();
  bench.remove();
  rmSync(papers, { recursive: true });
});

/**
 * Opens a page and waits until it has verified its ledger; what it asks for and what goes wrong fails the test.
 * @param {string} url
 * @param {keyof browsers} look
 * @param {import("puppeteer-core").Viewport} [viewport]
 */
async function open(url, look = "light", viewport = { width: 1280, height: 800 }) {
  const page = await browsers[look].newPage();
  /** @type {string[]} */
  const found = [];
  page.on("request", (request) => {
    if (!/^(file:.*\.html$|data:|blob:)/.test(request.url().split("#")[0]))
      found.push(request.url());
  });
  page.on("pageerror", (error) => found.push(String(error)));
  page.on("console", (message) => found.push(message.text()));
  await page.setViewport(viewport);
  await page.goto(url);
  await page.waitForSelector("body[data-checked]", { timeout: 120_000 });
  return { page, found };
}

/** @param {import("puppeteer-core").Page} page */
const text = (page, /** @type {string} */ selector) =>
  page.$eval(selector, (element) => /** @type {HTMLElement} */ (element).innerText);

test("the first screen, the drawings and the records are there", async () => {
  const { page, found } = await open(demo);
  assert.equal(await text(page, "#judgement"), "OK");
  assert.match(await text(page, "#findings"), /^7 violations POLICY_BREACH/);
  const drawn = await page.$$eval("main svg", (drawings) =>
    drawings.map((drawing) => drawing.getBoundingClientRect()).filter(({ height }) => height > 100),
  );
  assert.ok(drawn.length >= 2, `${drawn.length} drawings`);
  assert.ok((await page.$$("#table tbody")).length > 0);
  await page.click("#bytes-5");
  await page.waitForSelector("#bytes-5-shown");
  assert.deepEqual(found, []);
  await page.close();
});

test("its verifier has the verdicts of the command", async () => {
  const { page, found } = await open(demo);
  const ledger = bench.read("demo.jsonl");
  const next = random(3);
  const cases = [ledger];
  for (let n = 0; n < 60; n++) {
    const bytes = Uint8Array.from(ledger);
    bytes[Math.floor(next() * bytes.length)] ^= 1 << Math.floor(next() * 8);
    cases.push(bytes, ledger.subarray(0, Math.floor(next() * ledger.length)));
  }
  const files = cases.map((bytes) => Buffer.from(bytes).toString("base64"));
  const verdicts = await page.evaluate(
    (files) =>
      files.map((file) => {
        const bytes = Uint8Array.from(atob(file), (c) => c.charCodeAt(0));
        const { fault, entries, head } = verifyLedger(bytes);
        return fault
          ? `${fault.verdict} ${fault.sequence} ${fault.offset}`
          : `OK ${entries} ${head}`;
      }),
    files,
  );
  assert.deepEqual(
    verdicts,
    cases.map((bytes) => bench.verdict(bytes)),
  );
  assert.equal(new Set(verdicts.map((verdict) => verdict.split(" ")[0])).size > 2, true);
  assert.deepEqual(found, []);
  await page.close();
});

test("what is chosen is listed, and nothing else", async () => {
  const { page, found } = await open(demo);
  await page.select("#filter-outcome", "violated");
  await page.waitForFunction(() =>
    document.getElementById("listed")?.innerText.startsWith("7 steps"),
  );
  assert.equal((await page.$$("#table tbody")).length, 7);
  assert.deepEqual(found, []);
  await page.close();
});

for (const look of /** @type {const} */ (["light", "dark"])) {
  for (const [device, viewport] of Object.entries({
    desktop: { width: 1280, height: 800 },
    phone: { width: 375, height: 740 },
  })) {
    test(`nothing bars anybody, and nothing is too wide: ${look}, ${device}`, async () => {
      const { page, found } = await open(demo, look, viewport);
      assert.equal(
        await page.evaluate(() => matchMedia("(prefers-color-scheme: dark)").matches),
        look === "dark",
      );
      await page.click("#bytes-5");
      await page.evaluate(axe);
      // @ts-expect-error: axe-core defines it in the page
      const { violations, passes } = await page.evaluate(() => axe.run());
      assert.deepEqual(
        violations.map((/** @type {any} */ { id, nodes }) => `${id}: ${nodes[0].html}`),
        [],
      );
      assert.ok(passes.length > 20);
      assert.ok(
        await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth),
      );
      if (screenshots)
        await page.screenshot({ path: join(screenshots, `firefox-${look}-${device}.png`) });
      assert.deepEqual(found, []);
      await page.close();
    });
  }
}

test("on paper all records are there", async () => {
  const { page } = await open(demo);
  const file = join(papers, "paper.pdf");
  writeFileSync(file, await page.pdf({ format: "A4" }));
  const { stdout } = spawnSync("pdftotext", ["-layout", file, "-"]);
  const printed = stdout.toString();
  const { stdout: shown } = bench.run(["show", "demo.jsonl", "--json", "--tag", "trans"]);
  const transitions = shown
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line).seq);
  const missing = transitions.filter((seq) => !new RegExp(`\\b${seq}\\b`).test(printed));
  assert.ok(transitions.length > 20);
  assert.deepEqual(missing, []);
  await page.close();
});
