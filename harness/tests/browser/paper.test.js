// The page as people print it, read back from the PDF.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { after, afterEach, test } from "node:test";
import { recordsOf, stage } from "./support.js";

const { bench, url: rich, viewer, close } = await stage();

after(close);

afterEach(async () => {
  assert.deepEqual(viewer.found(), []);
  for (const context of viewer.browser.contexts()) await context.close();
});

/** A4, in points. */
const SHEET = { width: 595, height: 842 };

/** @type {Record<string, string>} */
const ENTITIES = { quot: '"', lt: "<", gt: ">", amp: "&" };

/**
 * The words on each sheet of a page that is printed on A4, with their places in points.
 * @param {import("playwright-core").Page} page
 * @returns {Promise<{text: string, left: number, right: number, top: number, bottom: number}[][]>}
 */
async function printed(page) {
  bench.write("page.pdf", await page.pdf({ preferCSSPageSize: true }));
  const { stdout, error } = spawnSync("pdftotext", ["-bbox", bench.path("page.pdf"), "-"]);
  if (error) throw error;
  return stdout
    .toString()
    .split("<page ")
    .slice(1)
    .map((sheet) =>
      Array.from(
        sheet.matchAll(/<word xMin="(.+?)" yMin="(.+?)" xMax="(.+?)" yMax="(.+?)">(.*?)<\/word>/g),
        ([, left, top, right, bottom, text]) => ({
          text: text.replace(/&(quot|lt|gt|amp);/g, (_, name) => ENTITIES[name]),
          left: Number(left),
          right: Number(right),
          top: Number(top),
          bottom: Number(bottom),
        }),
      ),
    );
}

/** @param {{text: string}[]} words */
const joined = (words) => words.map(({ text }) => text).join(" ");

/**
 * A ledger of some hundred records, with breaches all the way.
 * @param {string} name
 */
function longLedger(name) {
  bench.run(["init", name, "--time", "1000"]);
  for (let n = 0; n < 45; n++) {
    bench.observe(name, `{"value": ${n % 9 === 8 ? 71 : n}, "step": "step${n}"}`);
    if (n % 9 !== 8) continue;
    bench.run(["control", "mitigate", "--ledger", name]);
    bench.run(["control", "reset", "--ledger", name]);
    bench.run(["time", String(1001 + n), "--ledger", name]);
  }
  return recordsOf(bench.read(name)).length;
}

test("every record is printed, whatever page of them is on the screen", async () => {
  const records = longLedger("long.jsonl");
  assert.ok(records > 160);
  const page = await viewer.open(bench.report("long.jsonl"));
  const onScreen = await page.locator("tr.record").count();
  assert.ok(onScreen < records);
  const sheets = await printed(page);
  const all = joined(sheets.flat());
  assert.match(all, new RegExp(`Printed: all ${records} records\\.`));
  const first = sheets.findIndex((words) => / State the beginning /.test(joined(words)));
  const rows = joined(sheets.slice(first).flat());
  for (let n = 1; n < records; n++) {
    assert.match(rows, new RegExp(` ${n} (Observation|Policy|Transition) `), `record ${n}`);
  }
  for (let n = 0; n < 45; n++) assert.ok(all.includes(`step${n}"`), `answer ${n}`);
  // The titles of the columns stand on every sheet that has records.
  for (const words of sheets.slice(first)) {
    const text = joined(words);
    if (/(Observation|Policy|Transition) /.test(text)) assert.match(text, /Record Kind /);
  }
  // Each sheet says which of how many it is.
  sheets.forEach((words, n) => assert.ok(joined(words).includes(`${n + 1} / ${sheets.length}`)));
  // The screen is as it was.
  assert.equal(await page.locator("tr.record").count(), onScreen);
  assert.equal(await page.locator("details[open]").count(), 0);
});

test("nothing is beyond the sheet, and drawings show their last record", async () => {
  bench.run(["demo", "--ledger", "demo.jsonl"]);
  const last = recordsOf(bench.read("demo.jsonl")).length - 1;
  const page = await viewer.open(bench.report("demo.jsonl"));
  const sheets = await printed(page);
  for (const { text, left, right, top, bottom } of sheets.flat()) {
    const within = left >= 0 && right <= SHEET.width && top >= 0 && bottom <= SHEET.height;
    assert.ok(within, `${text} from ${left} ${top} to ${right} ${bottom}`);
  }
  const drawn = await page.evaluate(() => {
    /** @type {{width: number, dots: number, sheet: number}[]} */
    let found = [];
    const look = () => {
      found = Array.from(document.querySelectorAll(".plot svg"), (svg) => ({
        width: Number(svg.getAttribute("width")),
        dots: svg.querySelectorAll("path").length,
        sheet: (210 - 2 * 14) * (96 / 25.4),
      }));
    };
    dispatchEvent(new Event("beforeprint"));
    look();
    dispatchEvent(new Event("afterprint"));
    return found;
  });
  assert.ok(drawn.length >= 4);
  for (const { width, sheet } of drawn) assert.ok(width <= sheet, `${width} on ${sheet}`);
  // The axis of each drawing reaches the end of the ledger.
  const states = sheets.find((words) => joined(words).includes("State of the agent 35"));
  const ticks = states?.filter(({ text }) => text === "100") ?? [];
  assert.ok(last > 100 && ticks.length > 0 && ticks[0].right < SHEET.width);
});

test("what is chosen is printed, and said", async () => {
  const page = await viewer.open(bench.report("long.jsonl"));
  await page.locator("#filter-outcome").selectOption("alarming");
  const listed = (await page.locator("#listed").innerText()).match(/with (\d+) records/)?.[1];
  const all = joined((await printed(page)).flat());
  const total = recordsOf(bench.read("long.jsonl")).length;
  assert.ok(
    all.includes(
      `Printed: ${listed} of ${total} records, in the steps that were chosen: result with a breach or a violation.`,
    ),
    all.match(/Printed:.{100}/)?.[0],
  );
  assert.doesNotMatch(all, /step3"/);
  assert.match(all, /step8"/);
});

test("bytes that are shown are printed whole, and so is what is folded", async () => {
  const page = await viewer.open(rich);
  await page.locator("#bytes-3").click();
  const all = joined((await printed(page)).flat()).replaceAll(/\s/g, "");
  assert.ok(all.includes(recordsOf(bench.read("rich.jsonl"))[3].record.toString()));
  assert.match(all, /checkspassed.*chain:.*Notcheckedhere/);
  assert.equal(await page.locator("#bytes-3-shown").count(), 1);
});

test("paper has every fact and no controls", async () => {
  const page = await viewer.open(rich);
  await page.emulateMedia({ media: "print" });
  for (const id of ["#filters", "#next-page", "#drop", "#expect", "#save"]) {
    assert.equal(await page.locator(id).isVisible(), false, id);
  }
  for (const id of ["#verdict", "#facts", "#states", "#table"]) {
    assert.equal(await page.locator(id).isVisible(), true, id);
  }
});
