// The first screen: the verdict, and what a person should look at.

import assert from "node:assert/strict";
import { after, afterEach, test } from "node:test";
import { stage } from "./support.js";

const { bench, viewer, close } = await stage();

after(close);

afterEach(async () => {
  assert.deepEqual(viewer.found(), []);
  for (const context of viewer.browser.contexts()) await context.close();
});

const PHONE = { viewport: { width: 375, height: 740 }, isMobile: true, hasTouch: true };

bench.run(["demo", "--ledger", "demo.jsonl"]);
const demo = bench.report("demo.jsonl");

/**
 * The numbers of the records that `axilog show` finds.
 * @param {string} ledger
 * @param {(record: any) => boolean} isWanted
 */
function recordsWhere(ledger, isWanted) {
  const { stdout } = bench.run(["show", ledger, "--json"]);
  const records = stdout
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  return records.filter(isWanted).map(({ seq }) => seq);
}

test("the first screen has the verdict and what to look at, with links", async () => {
  const page = await viewer.open(demo);
  assert.equal(await page.locator("#judgement").innerText(), "OK");
  assert.match(
    await page.locator("#judgement-told").innerText(),
    /the ledger records 7 violations, 12 breaches and 3 answers that are not whole\.$/,
  );
  // A verdict above violations is neither huge nor green.
  const { size, colour, text } = await page.locator("#judgement").evaluate((word) => ({
    size: Number.parseFloat(getComputedStyle(word).fontSize),
    colour: getComputedStyle(word).color,
    text: getComputedStyle(document.body).color,
  }));
  assert.ok(size <= 24, `${size} pixels`);
  assert.equal(colour, text);
  const items = await page.locator("#findings > li").allInnerTexts();
  const violated = recordsWhere("demo.jsonl", ({ violation }) => violation === "POLICY_BREACH");
  assert.equal(
    items[0],
    `7 violations POLICY_BREACH, because a policy was breached; ALARM after each: ${violated.join(", ")}.`,
  );
  const breached = recordsWhere(
    "demo.jsonl",
    ({ policy_id: id, result }) => id === "POL-001-MAX-SPEED" && result === "BREACH",
  );
  assert.equal(
    items[1],
    "6 breaches of POL-001-MAX-SPEED (value breaches above 70), 5 of them because the answer held no such number: " +
      `${breached.join(", ")}.`,
  );
  assert.ok(items.includes("1 answer did not come in time (TIMEOUT): 68."), items.join("\n"));
  assert.match(items.at(-1) ?? "", /^3 things were not compared, because nobody said/);
  // All of it, and the verdicts that it comes from, stand before the hashes and on the first screen.
  const places = await page.evaluate(() =>
    ["judgement", "findings", "verdict", "facts", "hashes"].map(
      (id) => part(id).getBoundingClientRect().top,
    ),
  );
  assert.deepEqual(
    places,
    [...places].sort((a, b) => a - b),
  );
  assert.ok(places[2] < 720, `${places}`);
  // A link leads to the record, and the address names it.
  await page
    .locator("#findings")
    .getByRole("link", { name: "Show record 60", exact: true })
    .click();
  assert.equal(await page.evaluate(() => document.activeElement?.id), "bytes-60");
  assert.match(page.url(), /#record-60$/);
});

test("an address with a record opens the page there", async () => {
  const page = await viewer.open(`${demo}#record-93`);
  assert.equal(await page.locator("#bytes-93-shown").isVisible(), true);
  assert.equal(await page.evaluate(() => document.activeElement?.id), "bytes-93");
  await page.evaluate(() => (location.hash = "record-4"));
  await page.locator("#bytes-4-shown").waitFor();
  await page.evaluate(() => (location.hash = "record-4444"));
  await page.getByText("Record 4\u202f444 is not there").waitFor();
});

test("a ledger without breaches says so, and its verdict is green", async () => {
  bench.run(["init", "calm.jsonl", "--time", "1000"]);
  bench.observe("calm.jsonl", '{"value": 1}');
  const page = await viewer.open(bench.report("calm.jsonl"));
  assert.equal(await page.locator("#judgement.good").count(), 1);
  const items = await page.locator("#findings > li").allInnerTexts();
  assert.equal(
    items[0],
    "No breach, no alarm and no violation is recorded, and every answer came whole.",
  );
  assert.equal(await page.locator("#plots .breach").first().getAttribute("d"), "");
});

test("what is wrong with the ledger comes first", async () => {
  const edited = bench.read("demo.jsonl");
  edited[9000] ^= 1;
  bench.write("bad.jsonl", edited);
  const [verdict, sequence] = bench.verdict(edited).split(" ");
  const page = await viewer.open(bench.report("bad.jsonl"));
  const items = await page.locator("#findings > li.is-wrong").allInnerTexts();
  assert.ok(items[0].startsWith(`Record ${sequence} is ${verdict}: `), items[0]);
  assert.match(items[1], /^The audit’s check of chain failed: /);
  assert.match(
    items[2],
    /^The audit’s checks of rules, .* and end could not be made: the ledger is not good from record/,
  );
  assert.equal(items.length, 3);
  assert.match(await page.locator("#findings > li").first().innerText(), /^Record/);
  assert.match(await page.locator("#judgement").innerText(), /FAILED$/);
});

test("an agent that is stopped, and an oracle that nobody judges, are told", async () => {
  bench.write(
    "speed.json",
    Buffer.from(
      '{"planner#value":[{"comparison":"GT","enabled":true,"policy_id":"P","threshold":65536}]}',
    ),
  );
  bench.run(["init", "stopped.jsonl", "--policies", "speed.json", "--time", "1000"]);
  bench.observe("stopped.jsonl", '{"value": 1}', ["other", "other-1"]);
  bench.run(["time", "1000", "--force", "--ledger", "stopped.jsonl"]);
  const page = await viewer.open(bench.report("stopped.jsonl"));
  const told = (await page.locator("#findings > li").allInnerTexts()).join("\n");
  assert.match(
    told,
    /1 violation TIME_ROLLBACK, because a time was not after the one before; STOPPED after it: \d+\./,
  );
  assert.match(told, /At the end the agent is in STOPPED, not in ENABLED\./);
  assert.match(told, /No policy judges the 1 answer of other\./);
});

test("times are dates where they can be seconds, and numbers where not", async () => {
  const page = await viewer.open(demo);
  const facts = await page.locator("#facts").innerText();
  assert.match(facts, /Times\s+2026-01-01 00:00:00 UTC to 2026-01-01 00:01:10 UTC/);
  assert.match(facts, /1767225600 to 1767225670, read as seconds since 1970/);
  const drawn = await page.locator("#states text").allTextContents();
  assert.ok(drawn.includes("2026-01-01") && drawn.includes("00:00:10"), drawn.join());
  assert.ok(
    (await page.locator("#table .title").allInnerTexts()).includes("Time 2026-01-01 00:00:00 UTC"),
  );
  bench.run(["init", "ticks.jsonl", "--time", "1000"]);
  bench.observe("ticks.jsonl", '{"value": 1}');
  const ticks = await viewer.open(bench.report("ticks.jsonl"));
  assert.match(await ticks.locator("#facts").innerText(), /Times\s+1000 to 1000/);
});

test("drawings name their axes, in letters of 12 pixels or more, and join what is related", async () => {
  bench.run(["init", "two.jsonl", "--time", "1000"]);
  const oracles = [
    ["planner", "m"],
    ["camera", "m"],
  ];
  for (let n = 0; n < 6; n++)
    bench.observe("two.jsonl", `{"value": ${n % 2 ? 60 : 10}}`, oracles[n % 2]);
  bench.observe("two.jsonl", "no number", oracles[0]);
  for (const options of [{}, PHONE]) {
    const page = await viewer.open(bench.report("two.jsonl"), options);
    const texts = await page.locator("#plots svg text").allTextContents();
    for (const name of ["value", "record", "time"]) assert.ok(texts.includes(name), texts.join());
    assert.ok((await page.locator("#states svg text").allTextContents()).includes("state"));
    const least = await page.evaluate(() =>
      Math.min(
        ...Array.from(document.querySelectorAll(".plot svg"), (svg) => {
          const shown = svg.getBoundingClientRect().width / Number(svg.getAttribute("width"));
          const sizes = Array.from(svg.querySelectorAll("text"), (text) =>
            Number.parseFloat(getComputedStyle(text).fontSize),
          );
          return shown * Math.min(...sizes);
        }),
      ),
    );
    assert.ok(least >= 12, `${least} pixels`);
    // One line for each oracle, three values on each: none goes from one oracle to the other.
    const line = (await page.locator("#plots .values").getAttribute("d")) ?? "";
    const ys = line
      .split("M")
      .slice(1)
      .map((run) => new Set(run.match(/(?<= )[\d.]+/g)).size);
    assert.deepEqual(ys, [1, 1], line);
    // An answer without a value is counted, and has no place among values.
    assert.match(
      await page.locator("#plots").innerText(),
      /but for 1 without a value, which have no place/,
    );
    assert.equal(await page.locator("#plots .breach").getAttribute("d"), "");
  }
});

test("a phone shows every column, each with its title", async () => {
  const page = await viewer.open(demo, PHONE);
  const cells = await page.locator("#oracles td").evaluateAll((cells) =>
    cells.map((cell) => ({
      right: cell.getBoundingClientRect().right,
      title: getComputedStyle(cell, "::before").content,
    })),
  );
  assert.ok(cells.length >= 15);
  for (const { right, title } of cells) {
    assert.ok(right <= 375, `${right}`);
    assert.match(title, /^"(Model|Observations|Complete|Cut off|Failed): "/);
  }
});
