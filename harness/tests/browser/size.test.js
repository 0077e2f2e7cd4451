// The page about ledgers with very many records, and with what is made to be too many.

import assert from "node:assert/strict";
import { after, afterEach, test } from "node:test";
import { chained, observation, recordsOf, stage } from "./support.js";

const { bench, viewer, close } = await stage();

after(close);

// Whatever a test does, no page asks for anything and no script fails.
afterEach(async () => {
  assert.deepEqual(viewer.found(), []);
  for (const context of viewer.browser.contexts()) await context.close();
});

/** @param {import("playwright-core").Page} page */
const verdictOf = (page) => page.locator("#browser-verdict").innerText();

test("10,000 records are usable", async () => {
  // A real ledger to begin with, and its observations and decisions again and again.
  const records = recordsOf(bench.read("rich.jsonl"));
  const step = records.slice(5, 8).map(({ tag, record }) => ({ tag, text: record.toString() }));
  const many = records.slice(0, 5);
  for (let seq = many.length; many.length < 10_000; seq += 3) {
    for (const { tag, text } of step) {
      const bound = text.replace(
        /"(obs_)?ledger_seq":\d+/g,
        (_, of = "") => `"${of}ledger_seq":${seq}`,
      );
      const hashed = bound.replace(/"obs_hash":"\w+"/, '"obs_hash":"HASH"');
      many.push(tag === "AX:OBS:v1" ? observation(hashed) : { tag, record: Buffer.from(bound) });
    }
  }
  bench.write("many.jsonl", chained(many));
  const url = bench.report("many.jsonl");
  const begun = Date.now();
  const page = await viewer.open(url);
  const verified = Date.now() - begun;
  assert.match(await verdictOf(page), /OK$/);
  const shown = await page.evaluate(() => document.querySelectorAll("tr.record").length);
  assert.ok(shown > 0 && shown <= 200, `${shown} rows at once`);
  const timed = async (/** @type {() => Promise<unknown>} */ what) => {
    const from = Date.now();
    await what();
    return Date.now() - from;
  };
  const last = await timed(() => page.getByRole("button", { name: "Last" }).click());
  assert.match(await page.locator("#page").innerText(), /^Page (\d+) of \1$/);
  await page.getByLabel("Record", { exact: true }).fill("6543");
  const go = await timed(() => page.getByRole("button", { name: "Show", exact: true }).click());
  assert.equal(await page.evaluate(() => document.activeElement?.id), "bytes-6543");
  const filter = await timed(() => page.locator("#filter-outcome").selectOption("alarming"));
  assert.match(await page.locator("#listed").innerText(), /^0 steps/);
  const drawn = await page.evaluate(
    () => document.querySelector("#plots svg")?.outerHTML.length ?? 0,
  );
  assert.ok(drawn < 200_000, `${drawn} bytes of drawing`);
  console.log(
    `${many.length} records: opened and verified in ${verified} ms; ` +
      `last page ${last} ms, one record ${go} ms, filter ${filter} ms`,
  );
});

test("a ledger that is made to flood the page does not", async () => {
  const records = recordsOf(bench.read("rich.jsonl"));
  const many = records.slice(0, 6);
  const policy = records[6].record.toString();
  for (let n = 0; n < 5000; n++) {
    const record = policy.replace(/"policy_id":"[^"]+"/, `"policy_id":"P-${n}"`);
    many.push({ tag: "AX:POLICY:v1", record: Buffer.from(record) });
  }
  const answer = records[5].record.toString().replace(/"obs_hash":"\w+"/, '"obs_hash":"HASH"');
  for (let n = 0; n < 1000; n++) {
    const numbered = answer.replace(/"ledger_seq":\d+/, `"ledger_seq":${many.length}`);
    many.push(observation(numbered.replace('"planner"', `"planner-${n}"`)));
  }
  bench.write("flood.jsonl", chained(many));
  const page = await viewer.open(bench.report("flood.jsonl"));
  assert.match(await verdictOf(page), /OK$/);
  const elements = await page.evaluate(() => document.querySelectorAll("*").length);
  assert.ok(elements < 100_000, `${elements} elements`);
  assert.ok((await page.locator("#plots").innerText()).endsWith("policies more, not drawn."));
  assert.ok((await page.locator("#oracles").innerText()).endsWith("pairs more, not listed."));
  assert.match(await page.locator("#checks-made").innerText(), /one model for every oracle/);
});

test("a ledger that was made to have millions of lines has a verdict", async () => {
  const good = bench.read("rich.jsonl");
  const flood = Buffer.alloc(60 << 20, "\n");
  for (const [name, bytes] of /** @type {[string, Uint8Array][]} */ ([
    ["flood", flood],
    ["after", Buffer.concat([good, flood])],
    ["line", Buffer.alloc(64 << 20, "x")],
  ])) {
    bench.write(`${name}.jsonl`, bytes);
    const page = await viewer.open(bench.report(`${name}.jsonl`));
    assert.match(await page.locator("#agreement").innerText(), /found the same/);
    assert.ok((await verdictOf(page)).endsWith("NON_CANONICAL"), name);
    const listed = (await page.locator("#listed").innerText()).replaceAll("\u202f", "");
    const lines = name === "line" ? 1 : 1000 + (name === "after" ? recordsOf(good).length : 0);
    assert.ok(listed.includes(`with ${lines} record`), listed);
    assert.equal(listed.includes("are not listed"), name !== "line", listed);
    await page.context().close();
  }
});
