// Finding things in a ledger: questions beside answers, search, filters, and what is saved of them.

import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import { after, afterEach, test } from "node:test";
import { HOSTILE, findBarriers, stage } from "./support.js";

const { bench, viewer, close } = await stage();

after(close);

afterEach(async () => {
  viewer.requests = viewer.requests.filter((url) => !url.startsWith("blob:"));
  assert.deepEqual(viewer.found(), []);
  for (const context of viewer.browser.contexts()) await context.close();
});

const POLICIES = {
  "camera#value": [{ comparison: "GT", enabled: true, policy_id: "P-CAMERA", threshold: 5 << 16 }],
  value: [{ comparison: "GT", enabled: true, policy_id: "P-ALL", threshold: 70 << 16 }],
};
const START = 1767225600;

/**
 * Asks an oracle in a ledger.
 * @param {string} ledger
 * @param {string | Uint8Array} question
 * @param {string} answer
 * @param {string} oracle
 */
function ask(ledger, question, answer, oracle) {
  bench.write("question.txt", /** @type {Uint8Array} */ (Buffer.from(question)));
  const ids = ["--oracle-id", oracle, "--model-id", "m-1", "--input", "question.txt"];
  const { code, stderr } = bench.run(["observe", "--ledger", ledger, ...ids], answer);
  assert.ok(code !== null && code <= 1, stderr);
}

/** @param {string} name */
function asked(name) {
  bench.write("policies.json", Buffer.from(JSON.stringify(POLICIES)));
  const init = ["init", name, "--policies", "policies.json", "--time", String(START)];
  assert.equal(bench.run(init).code, 0);
  ask(name, "How fast is the pump?", '{"value": 10, "why": "=SUM(A1), \\"steady\\""}', "planner");
  ask(name, `Is this text? ${HOSTILE}`, '{"value": 4}', "camera");
  bench.run(["time", String(START + 3600), "--ledger", name]);
  ask(name, "How fast is the pump?", "Café \u202e, I cannot say", "planner");
  bench.run(["control", "mitigate", "--ledger", name]);
  bench.run(["control", "reset", "--ledger", name]);
  bench.run(["time", String(START + 90000), "--ledger", name]);
  ask(name, "Is the DOOR open?", '{"value": 71}', "camera");
}

asked("asked.jsonl");
const url = bench.report("asked.jsonl");

/**
 * The records of the ledger that are observations, as `axilog export` gives them.
 * @param {string} name
 */
function exported(name) {
  const { stdout } = bench.run(["export", name, "--format", "jsonl"]);
  return stdout
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

/** @param {import("playwright-core").Page} page */
const listed = (page) => page.locator("#table .title").allInnerTexts();

test("the question stands beside the answer, and is text", async () => {
  const page = await viewer.open(url);
  const [first, second] = exported("asked.jsonl").filter(
    ({ oracle_id: id }) => id !== "ax.time" && id !== "ax.control",
  );
  const row = page.locator(`tr.record:has(#record-${first.sequence})`);
  assert.match(await row.innerText(), /Question: How fast is the pump\?\s+Answer: \{"value": 10/);
  await page.locator(`#bytes-${first.sequence}`).click();
  const full = page.locator(`#bytes-${first.sequence}-shown`);
  assert.equal(await full.locator(".question-text").innerText(), "How fast is the pump?");
  const boxes = await full
    .locator(".exchange pre")
    .evaluateAll((texts) =>
      texts.map((text) => text.getBoundingClientRect()).map(({ left, top }) => ({ left, top })),
    );
  assert.equal(boxes.length, 2);
  assert.ok(boxes[0].left < boxes[1].left && boxes[0].top === boxes[1].top, "side by side");
  await page.locator(`#bytes-${second.sequence}`).click();
  const hostile = await page.locator(`#bytes-${second.sequence}-shown .question-text`).innerText();
  assert.ok(hostile.includes("</script><script>") && hostile.includes("\\u{202e}"), hostile);
  assert.equal(await page.locator("img").count(), 0);
  assert.equal(await page.title(), "OK – asked.jsonl – axilog report");
});

test("a question that is not the one that was asked is not shown, and its absence is told", async () => {
  asked("other.jsonl");
  const html = readFileSync(new URL(bench.report("other.jsonl")), "utf8");
  const real = Buffer.from("How fast is the pump?").toString("base64");
  assert.ok(html.includes(`"${real}"`));
  const forged = Buffer.from("How slow is the pump?").toString("base64");
  bench.write("forged.html", Buffer.from(html.replace(`"${real}"`, `"${forged}"`)));
  const page = await viewer.open(url.replace("asked.html", "forged.html"));
  assert.doesNotMatch(await page.locator("body").innerText(), /How slow/);
  assert.match(
    await page.locator("#findings").innerText(),
    /does not have the question of 2 answers: /,
  );
  // Beside a ledger without its blobs there is none.
  rmSync(bench.path("other.jsonl.blobs"), { recursive: true });
  const bare = await viewer.open(bench.report("other.jsonl", ["--policies", "policies.json"]));
  assert.match(
    await bare.locator("#findings").innerText(),
    /does not have the question of 4 answers \(3 questions were not beside the ledger as recorded\): /,
  );
  assert.match(await bare.locator("#table").innerText(), /Question: not in this page/);
  await bare
    .locator("tr.record", { hasText: "not in this page" })
    .first()
    .getByRole("button")
    .click();
  assert.match(
    await bare.locator(".exchange").innerText(),
    /This page does not have it: 3 questions were not beside the ledger as recorded\./,
  );
});

test("columns say what they hold", async () => {
  const page = await viewer.open(url);
  assert.deepEqual(await page.locator("#table thead th").allInnerTexts(), [
    "Record",
    "Kind",
    "Oracle, policy or input",
    "Result",
    "Question and answer, value, or violation",
    "All of it",
  ]);
});

test("a text is found in questions, answers and records", async () => {
  const page = await viewer.open(url);
  const search = async (/** @type {string} */ text) => {
    await page.getByLabel("Text", { exact: true }).fill(text);
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => /\d steps? with/.test(part("listed").textContent));
    return listed(page);
  };
  assert.deepEqual(await search("door OPEN"), ["Answer of camera"]);
  assert.deepEqual(await search("steady"), ["Answer of planner"]);
  assert.deepEqual(await search('\\"steady\\"'), ["Answer of planner"]);
  assert.deepEqual(await search("café"), ["Answer of planner"]);
  assert.deepEqual(await search("pump"), ["Answer of planner", "Answer of planner"]);
  assert.deepEqual(await search("RESET_REQUEST"), [
    "Control RESET_REQUEST",
    "Control RESET_REQUEST",
  ]);
  assert.deepEqual(await search("nowhere"), []);
  assert.match(await page.locator("#listed").innerText(), /^0 steps with 0 records/);
  await page.getByRole("button", { name: "All steps" }).click();
  assert.equal(await page.getByLabel("Text", { exact: true }).inputValue(), "");
  assert.ok((await listed(page)).length > 8);
});

test("steps are chosen by oracle, policy, result, state and time", async () => {
  const page = await viewer.open(url);
  /** @param {Record<string, string>} wanted */
  const choose = async (wanted) => {
    await page.getByRole("button", { name: "All steps" }).click();
    for (const [name, value] of Object.entries(wanted)) {
      const control = page.getByLabel(name, { exact: true });
      if (await control.evaluate((element) => element.tagName === "SELECT")) {
        await control.selectOption(value);
      } else {
        await control.fill(value);
        await control.press("Enter");
      }
    }
    return listed(page);
  };
  assert.deepEqual(await choose({ Oracle: "camera" }), ["Answer of camera", "Answer of camera"]);
  assert.deepEqual(await choose({ Policy: "P-CAMERA" }), ["Answer of camera", "Answer of camera"]);
  assert.deepEqual(await choose({ Policy: "P-CAMERA", Result: "breached" }), ["Answer of camera"]);
  assert.equal((await choose({ Policy: "P-ALL" })).length, 4);
  assert.deepEqual(await choose({ Result: "permitted", Oracle: "planner" }), ["Answer of planner"]);
  assert.equal((await choose({ Result: "violated" })).length, 2);
  assert.deepEqual(await choose({ Result: "incomplete" }), []);
  assert.deepEqual(await choose({ "State after it": "DEGRADED" }), ["Control POLICY_TRIGGER"]);
  const later = await choose({ From: "2026-01-01 01:00" });
  assert.deepEqual(later.slice(0, 2), ["Time 2026-01-01 01:00:00 UTC", "Answer of planner"]);
  const day = await choose({ From: "2026-01-01 01:00", Until: "2026-01-01" });
  assert.equal(day.at(-1), "Control RESET_REQUEST");
  assert.deepEqual(await choose({ From: String(START + 90000) }), [
    "Time 2026-01-02 01:00:00 UTC",
    "Answer of camera",
  ]);
  await choose({ From: "yesterday" });
  assert.match(await page.locator("#listed").innerText(), /^No time can be read from yesterday\./);
  // A link leads to a record that the filters leave out, and shows all steps again.
  await choose({ Oracle: "camera" });
  await page.locator("#findings a[href^='#record-']").first().click();
  assert.ok((await listed(page)).length > 8);
});

test("what is listed is saved as the command exports it", async () => {
  const page = await viewer.open(url);
  const save = async (/** @type {string} */ name) => {
    const waiting = page.waitForEvent("download");
    await page.getByRole("button", { name }).click();
    const download = await waiting;
    return {
      name: download.suggestedFilename(),
      text: readFileSync(await download.path(), "utf8"),
    };
  };
  const json = await save("as JSON lines");
  assert.equal(json.name, "asked-listed.jsonl");
  const lines = json.text.split("\n").slice(0, -1);
  const { stdout } = bench.run(["export", "asked.jsonl", "--format", "jsonl"]);
  // Byte for byte, but for the two columns that the command does not have.
  const without = lines.map((line) =>
    line.replace(/"question":(null|"(?:[^"\\]|\\.)*"),/, "").replace(/"time":(null|\d+),/, ""),
  );
  assert.equal(`${without.join("\n")}\n`, stdout);
  const rows = lines.map((line) => JSON.parse(line));
  assert.equal(rows.find(({ output }) => output === '{"value": 71}').time, START + 90000);
  assert.equal(rows.find(({ output }) => output === '{"value": 71}').question, "Is the DOOR open?");

  const csv = await save("Save what is listed as CSV");
  const table = bench.run(["export", "asked.jsonl", "--format", "csv", "--guard-formulas"]).stdout;
  // A cell may hold line feeds, so rows are compared as the beginnings of what is left.
  let rest = csv.text;
  for (const row of table.split(/(?<=,verified|,true|,false)\n/).slice(0, -1)) {
    assert.ok(rest.startsWith(`${row},`), `${row}\n${rest.slice(0, row.length + 20)}`);
    rest = rest
      .slice(row.length)
      .replace(/^,(?:time,question|\d*,(?:"(?:[^"]|"")*"|[^"\n]*))\n/, "");
  }
  assert.equal(rest, "");
  assert.ok(csv.text.includes("</script>") && !csv.text.includes("\u202e"));

  await page.getByLabel("Oracle", { exact: true }).selectOption("camera");
  const chosen = (await save("as JSON lines")).text.split("\n").slice(0, -1);
  assert.deepEqual(
    chosen.map((line) => JSON.parse(line).oracle_id),
    ["camera", "camera"],
  );
});

test("a text that a spreadsheet would take for a formula is guarded as by the command", async () => {
  const page = await viewer.open(url);
  const texts = ["=1+1", " \u00a0-2", "+3", "@x", "\tx", "\rx", "＝1", "1=1", "'=1", "x\n=1", ""];
  const cells = await page.evaluate(
    (texts) => texts.map((output) => csvLine({ output }).split(",")[7]),
    texts,
  );
  assert.deepEqual(
    cells.map((cell) => /^"?'/.test(cell)),
    texts.map((text) => /^[=+@\t\r＝']|^ \u00a0-/.test(text)),
  );
});

test("nothing bars anybody from finding things", async () => {
  for (const options of [{}, { viewport: { width: 375, height: 740 }, isMobile: true }]) {
    for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
      const page = await viewer.open(url, { colorScheme, ...options });
      for (const id of [6, 7]) await page.locator(`#bytes-${id}`).click();
      assert.deepEqual((await findBarriers(page)).barriers, []);
      assert.equal(
        await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
        true,
      );
    }
  }
});

test("a ledger that is too long for a page has a summary that says how to see more", async () => {
  bench.run(["demo", "--ledger", "long.jsonl"]);
  const ballast = "x".repeat(60_000);
  for (let n = 0; n < 20; n++) {
    bench.observe("long.jsonl", `{"value": 1, "ballast": "${ballast}"}`, [
      "demo-oracle",
      "scripted-1",
    ]);
  }
  const page = await viewer.open(bench.report("long.jsonl", ["--limit", "1"]));
  assert.equal(await page.locator("#judgement").innerText(), "OK");
  assert.match(
    await page.locator("#judgement-told").innerText(),
    /^Every check of axilog audit was made and passed\. Your browser checks nothing here\. .*7 violations, 12 breaches/,
  );
  const summary = await page.locator("#summary").innerText();
  assert.match(summary, /The ledger has 2 MiB, and a page holds up to 1 MiB\./);
  assert.match(summary, /axilog report --limit 256 LEDGER/);
  assert.match(summary, /axilog show LEDGER --breaches/);
  const told = await page.locator("#findings").innerText();
  assert.match(told, /7 violations POLICY_BREACH/);
  assert.match(told, /6 breaches of POL-001-MAX-SPEED in \d+ evaluations/);
  assert.match(told, /1 answer was cut off \(TRUNCATED\)/);
  assert.match(told, /3 things were not compared/);
  assert.match(await page.locator("#facts").innerText(), /2026-01-01 00:00:00 UTC to/);
  for (const id of ["#records", "#timeline", "#expect"]) {
    assert.equal(await page.locator(id).isVisible(), false, id);
  }
  assert.match(await page.locator("#browser-verdict").innerText(), /NOT CHECKED$/);
  // The scripts of the page check the ledger that they are given.
  await page.getByLabel("Ledger file").setInputFiles(bench.path("long.jsonl"));
  await page.locator("#other-answer").getByText("the same bytes as the ledger").waitFor();
  assert.deepEqual((await findBarriers(page)).barriers, []);
});
