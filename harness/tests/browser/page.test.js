// The page about good, damaged and forged ledgers: what it finds, and what it tells.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { after, afterEach, test } from "node:test";
import { HOSTILE, chained, random, recordsOf, spliced, stage } from "./support.js";

const { bench, url: rich, viewer, close } = await stage();

after(close);

// Whatever a test does, no page asks for anything and no script fails.
afterEach(async () => {
  assert.deepEqual(viewer.found(), []);
  for (const context of viewer.browser.contexts()) await context.close();
});

/**
 * The first word of a page, which its title begins with too.
 * @param {import("playwright-core").Page} page
 */
const judgementOf = async (page) => {
  const shown = await page.locator("body").innerText();
  const word = shown.replace("Skip to the records", "").match(/[A-Z]+/)?.[0];
  assert.equal((await page.title()).split(" – ")[0], word);
  return word;
};

/** @param {import("playwright-core").Page} page */
const verdictOf = (page) => page.locator("#browser-verdict").innerText();

test("a good ledger is good, and the facts are the command's", async () => {
  const page = await viewer.open(rich);
  assert.match(await verdictOf(page), /OK$/);
  assert.equal(await page.locator("#browser .said.good").count(), 1);
  const { entries, head } = JSON.parse(bench.run(["verify", "rich.jsonl", "--json"]).stdout);
  const facts = await page.locator("#facts").innerText();
  assert.ok(facts.includes(`${entries}, genesis included`));
  // Hashes are folded away.
  assert.equal(await page.locator("#digests").isVisible(), false);
  await page.locator("#hashes summary").click();
  assert.ok((await page.locator("#digests").innerText()).includes(head));
  assert.match(facts, new RegExp(`seals ${entries - 1} records`));
  assert.equal(
    await page.locator("#agreement").innerText(),
    "Both looked at the same bytes and found the same of the chain.",
  );
  assert.equal(await judgementOf(page), "OK");
  assert.match(await page.locator("#command-told").innerText(), /11 checks passed/);
  assert.equal(await page.locator("#progress:visible, #unscripted").count(), 0);
  assert.equal(await page.locator(".is-bad, .is-unchecked").count(), 0);
  await page.locator("#checks summary").click();
  const policies = JSON.parse(bench.run(["stats", "rich.jsonl", "--json"]).stdout).policies[0];
  const compared = `${policies.evaluated} policy results: value, limit and operator of the configuration give`;
  assert.ok((await page.locator("#checks").innerText()).includes(compared));
  const figure = page.locator("#plots figure");
  assert.equal(await figure.count(), 1);
  assert.match(await figure.innerText(), /value breaches above 70/);
  assert.match(await figure.innerText(), new RegExp(`${policies.breaches} breaches`));
  // Every record is listed, with its exact bytes.
  const records = recordsOf(bench.read("rich.jsonl"));
  assert.equal(await page.locator("tr.record").count(), records.length);
  for (const number of [0, 1, records.length - 1]) {
    await page.locator(`#bytes-${number}`).click();
    const shown = await page.locator(`#bytes-${number}-shown .bytes`).innerText();
    assert.equal(shown, records[number].record.toString());
  }
});

test("policy results are compared with the rules on the oracle that answered", async () => {
  const entry = (/** @type {string} */ id, /** @type {number} */ units) => ({
    comparison: "GT",
    enabled: true,
    policy_id: id,
    threshold: units * 65536,
  });
  const policies = {
    "/deep/a~1b/0": [entry("A", 5)],
    elapsed: [entry("B", 100)],
    "planner#value": [entry("C", 70)],
    "tool.x#/deep#1": [entry("D", 1)],
  };
  bench.write("scoped.json", Buffer.from(JSON.stringify(policies)));
  const init = ["init", "scoped.jsonl", "--policies", "scoped.json", "--time", "1"];
  assert.equal(bench.run(init).code, 0);
  const answer = '{"value":70,"deep":{"a/b":[5]},"deep#1":9}';
  assert.equal(bench.observe("scoped.jsonl", answer).code, 0);
  assert.equal(bench.observe("scoped.jsonl", answer, ["other", "other-1"]).code, 0);
  assert.equal(bench.observe("scoped.jsonl", '{"deep":{"a/b":[6]}}', ["tool.x", "x-1"]).code, 1);
  const page = await viewer.open(bench.report("scoped.jsonl"));
  assert.match(await verdictOf(page), /OK$/);
  await page.locator("#checks summary").click();
  const checks = await page.locator("#checks").innerText();
  // B on the time; A and C, A, and A and D on the answers.
  assert.ok(
    checks.includes("6 policy results: value, limit and operator of the configuration give"),
  );
  assert.match(await page.locator("#plots").innerText(), /planner#value breaches above 70/);

  /** @type {[string, string, boolean][]} policy, oracle, whether the rules let it judge there */
  const cases = [
    ["A", "planner", true],
    ["A", "tool.x", true],
    ["A", "ax.time", false],
    ["A", "ax.control", false],
    ["B", "ax.time", true],
    ["B", "planner", false],
    ["C", "planner", true],
    ["C", "planner2", false],
    ["C", "value", false],
    ["D", "tool.x", true],
    ["D", "tool.x#/deep", false],
    ["E", "planner", false],
  ];
  const agreed = await page.evaluate(
    ([cases, text]) => {
      const bytes = new TextEncoder().encode(text);
      const rules = readRules(bytes, hex(sha256(bytes)));
      return cases.map(([policy, oracle]) => {
        const { threshold = 0 } = rules.get(policy) ?? {};
        const judgement = { at: 1, oracle, actual: threshold, threshold, breach: false };
        const model = { policies: new Map([[policy, [judgement]]]) };
        return compareWithRules(model, rules).different.length === 0;
      });
    },
    /** @type {[typeof cases, string]} */ ([cases, JSON.stringify({ policies })]),
  );
  assert.deepEqual(
    agreed,
    cases.map(([, , agrees]) => agrees),
  );
});

test("the name and the note that a ledger is bound to are shown, if they are the ones it names", async () => {
  bench.run(["init", "named.jsonl", "--name", "plant/pump-3", "--note", "trial \u202eA"]);
  const facts = async () =>
    (await viewer.open(bench.report("named.jsonl"))).locator("#facts").innerText();
  const good = await facts();
  assert.match(good, /Name\s+plant\/pump-3/);
  assert.match(good, /Note\s+trial \\u\{202e\}A/);
  const { manifest_hash: hash } = JSON.parse(bench.run(["head", "named.jsonl", "--json"]).stdout);
  bench.write(`named.jsonl.blobs/${hash.slice(0, 2)}/${hash}`, '{"name":"plant/pump-4"}');
  const other = await facts();
  assert.match(other, /Manifest\s+named by the configuration, not in this page/);
  assert.doesNotMatch(other, /pump-4/);
});

test("one edited byte in the page's ledger is bad at the right record", async () => {
  const html = readFileSync(new URL(rich), "utf8");
  const ledger = bench.read("rich.jsonl");
  const next = random(3);
  for (let n = 0; n < 8; n++) {
    const at = Math.floor(next() * ledger.length);
    const edited = Uint8Array.from(ledger);
    edited[at] ^= 1;
    // Only the data is edited, as by somebody who has the page and not the ledger.
    const block = (/** @type {Uint8Array} */ bytes) =>
      `id="ledger">${Buffer.from(bytes).toString("base64")}<`;
    bench.write("edited.html", Buffer.from(html.replace(block(ledger), block(edited))));
    const page = await viewer.open(rich.replace("rich.html", "edited.html"));
    const [verdict, sequence, offset] = bench.verdict(edited).split(" ");
    assert.ok((await verdictOf(page)).endsWith(verdict), `byte ${at}`);
    assert.equal(await page.locator("#browser .said.bad").count(), 1);
    const told = (await page.locator("#browser-told").innerText()).replaceAll("\u202f", "");
    assert.ok(told.includes(`Record ${sequence} at byte ${offset}:`), told);
    // The command had found the ledger good.
    assert.match(await page.locator("#command .said").innerText(), /OK$/);
    assert.equal(await judgementOf(page), "FAILED");
    assert.match(await page.locator("#agreement").innerText(), /do not agree/);
    await page
      .getByRole("link", { name: `Show record ${sequence}` })
      .first()
      .click();
    const row = page.locator("tr.record.is-bad");
    assert.equal(await row.count(), 1);
    assert.match(await row.locator("th").innerText(), new RegExp(`^✗ ${sequence}$`));
    assert.equal(await row.evaluate((element) => element.contains(document.activeElement)), true);
    assert.equal(await page.locator(`#bytes-${sequence}-shown`).isVisible(), true);
    await page.context().close();
  }
});

test("damaged ledgers show what could be read", async () => {
  const ledger = bench.read("rich.jsonl");
  const lines = Buffer.from(ledger)
    .toString("latin1")
    .split(/(?<=\n)/);
  /** @type {[string, string, string][]} */
  const cases = [
    ["torn", lines.join("").slice(0, -10), "TORN"],
    ["reordered", spliced(lines, 7, 1).join(""), "REORDERED"],
    ["unreadable", spliced(lines, 9, 1, "{}\n").join(""), "NON_CANONICAL"],
    ["binary", "\x00\xff\xfe\n\n\r\n", "NON_CANONICAL"],
    ["empty", "", "TRUNCATED"],
    ["endless", "x".repeat(300_000), "NON_CANONICAL"],
  ];
  for (const [name, text, verdict] of cases) {
    const bytes = Buffer.from(text, "latin1");
    bench.write(`${name}.jsonl`, bytes);
    const page = await viewer.open(bench.report(`${name}.jsonl`));
    assert.ok((await verdictOf(page)).endsWith(verdict), name);
    assert.match(await page.locator("#agreement").innerText(), /found the same/);
    assert.equal(await judgementOf(page), verdict === "TORN" ? "INCOMPLETE" : "FAILED", name);
    const listed = bytes.length === 0 ? 0 : text.split(/(?<=\n)/).length;
    assert.equal(await page.locator("tr.record").count(), listed, name);
    assert.equal(await page.locator("tr.record.is-bad").count(), Math.min(listed, 1), name);
    await page
      .getByRole("link", { name: /^Show record/ })
      .first()
      .click();
    await page.context().close();
  }
});

test("decisions that do not follow are told, although the chain is good", async () => {
  const records = recordsOf(bench.read("rich.jsonl"));
  const at = records.findIndex(({ tag }) => tag === "AX:POLICY:v1");
  const { tag, record } = records[at];
  const raised = record.toString().replace(/"threshold":\d+/, '"threshold":6553600');
  const forged = spliced(records, at, 1, { tag, record: Buffer.from(raised) }).slice(0, -1);
  bench.write("forged.jsonl", chained(forged));
  const page = await viewer.open(bench.report("forged.jsonl"));
  assert.match(await verdictOf(page), /OK$/);
  const found = await page.locator("#command-told").innerText();
  assert.match(found, /decisions failed: DIVERGED: record/);
  assert.equal(await judgementOf(page), "FAILED");
  const told = await page.locator("#agreement").innerText();
  assert.ok(told.includes(`replay found DIVERGED at record ${at}.`), told);
  // The browser finds by itself that the limit is not the configuration's.
  assert.equal(await page.locator("#checks").getAttribute("open"), "");
  const checks = await page.locator("#checks-made").innerText();
  assert.match(
    checks,
    new RegExp(`1 policy result of \\d+ not what the configuration gives: record ${at}`),
  );
  await page.locator("#agreement a").click();
  assert.equal(await page.evaluate(() => document.activeElement?.id), `bytes-${at}`);
});

test("what a ledger says is text and nothing else", async () => {
  const page = await viewer.open(rich);
  assert.equal(await page.title(), "OK – rich.jsonl – axilog report");
  assert.equal(await page.locator("img, b, iframe, object").count(), 0);
  const row = page.locator("tr.record", { hasText: "</script>" });
  await row.getByRole("button").click();
  const answer = page.locator(".answer-text");
  const escaped = (/** @type {string} */ text) =>
    text.replace(/[\u2028\u202e\u200b\x7f]/g, (c) => `\\u{${c.charCodeAt(0).toString(16)}}`);
  assert.equal(await answer.innerText(), escaped(HOSTILE));
  assert.equal(await answer.locator(".escape").count(), 4);
  assert.ok((await page.locator("#oracles").innerText()).includes("<b>second</b>-oracle"));
  assert.equal(
    await page.locator("#filter-oracle option", { hasText: "<b>second</b>" }).count(),
    1,
  );
  const unseen = await page.evaluate(() =>
    /[\u2028\u202e\u200b\x7f]/.test(document.body.innerText),
  );
  assert.equal(unseen, false);
});

test("scripts of others do not run, should one ever get in", async () => {
  const html = readFileSync(new URL(rich), "utf8");
  const scripts = '<script>document.title="owned"</script><img src="x" onerror="document.title=1">';
  bench.write("more.html", Buffer.from(html.replace("<main>", `${scripts}<main>`)));
  const page = await viewer.open(rich.replace("rich.html", "more.html"));
  assert.equal(await page.title(), "OK – rich.jsonl – axilog report");
  // The browser reports what it refused, and asks nobody for anything.
  assert.deepEqual(viewer.refused, ["csp"]);
  viewer.requests = viewer.requests.filter((url) => !url.endsWith("/x"));
  const refused = viewer.errors.splice(0);
  assert.ok(
    refused.length >= 2 && refused.every((error) => /Content Security Policy/.test(error)),
    refused.join(),
  );
});

test("without scripts, or with broken data, nothing passes for checked", async () => {
  const context = await viewer.browser.newContext({ javaScriptEnabled: false });
  const still = await context.newPage();
  await still.goto(rich);
  assert.equal(await verdictOf(still), "Not checked");
  assert.match(await still.locator("#command .said").innerText(), /^OK$/);
  assert.equal(await still.locator("#unscripted").isVisible(), true);

  const html = readFileSync(new URL(rich), "utf8");
  const broken = html.replace(/id="ledger">[^<]{8}/, 'id="ledger">????????');
  bench.write("broken.html", Buffer.from(broken));
  const page = await (await viewer.browser.newContext()).newPage();
  await page.goto(rich.replace("rich.html", "broken.html"));
  await page.getByText("The scripts of this page failed").waitFor();
  assert.match(await verdictOf(page), /NOT CHECKED$/);
  assert.equal(await page.locator("#browser .said.bad").count(), 1);
  assert.equal(await judgementOf(page), "INCOMPLETE");
});

test("what the page says of the command is believed only where it is a verdict", async () => {
  const html = readFileSync(new URL(rich), "utf8");
  for (const [said, word] of [
    ["INCOMPLETE", "INCOMPLETE"],
    ["FAILED", "FAILED"],
    ["FINE", "FAILED"],
  ]) {
    const changed = html.replace(/("audit":\{.*?"verdict":)"OK"/, `$1"${said}"`);
    assert.notEqual(changed, html);
    bench.write("said.html", Buffer.from(changed));
    const page = await viewer.open(rich.replace("rich.html", "said.html"));
    assert.match(await verdictOf(page), /OK$/);
    assert.equal(await judgementOf(page), word);
    await page.context().close();
  }
});

test("a ledger without its blobs has no page that says OK first", async () => {
  bench.run(["init", "bare.jsonl", "--time", "1000"]);
  bench.observe("bare.jsonl", '{"value": 12.5}');
  bench.write("bare-answer.jsonl", bench.read("bare.jsonl"));
  const page = await viewer.open(bench.report("bare-answer.jsonl"));
  assert.equal(await judgementOf(page), "FAILED");
  assert.match(await verdictOf(page), /OK$/);
  assert.match(await page.locator("#command-told").innerText(), /blobs failed: .* 1 missing/);
});

test("the page judges forged ledgers as the audit does", async () => {
  const directory = process.env.AXILOG_FORGERIES;
  assert.ok(directory, "AXILOG_FORGERIES names the ledgers that the test `forgeries` left");
  /** @type {Record<string, number>} */
  const seen = {};
  for (const name of readdirSync(directory)) {
    const verdict = readFileSync(`${directory}/${name}/verdict`, "utf8");
    const { code } = bench.run(["report", `${directory}/${name}/l.jsonl`, "-o", "forgery.html"]);
    assert.equal(code, verdict === "OK" ? 0 : 1, name);
    const page = await viewer.open(rich.replace("rich.html", "forgery.html"));
    assert.equal(await judgementOf(page), verdict, name);
    seen[verdict] = (seen[verdict] ?? 0) + 1;
    await page.context().close();
  }
  console.log("forgeries:", seen);
  for (const verdict of ["OK", "FAILED", "INCOMPLETE"]) assert.ok(seen[verdict] > 0, verdict);
});

test("what was kept elsewhere is compared", async () => {
  const page = await viewer.open(rich);
  const { entries, head } = JSON.parse(bench.run(["verify", "rich.jsonl", "--json"]).stdout);
  const answer = page.locator("#expect-answer");
  const compare = async (/** @type {string} */ headGiven, /** @type {string} */ count) => {
    await page.getByLabel("Expected head").fill(headGiven);
    await page.getByLabel("Expected records").fill(count);
    await page.getByRole("button", { name: "Compare" }).click();
    return answer.innerText();
  };
  assert.match(await compare(head, ""), /^✓/);
  assert.match(await compare(head.toUpperCase(), String(entries - 1)), /^✓/);
  assert.match(await compare("0".repeat(64), ""), /^✗ TRUNCATED/);
  assert.match(await compare("0".repeat(64), String(entries - 1)), /^✗ ALTERED/);
  assert.match(
    await compare("", "1000"),
    /^✗ TRUNCATED.*the ledger has \d+ records, expected 1000/,
  );
  assert.match(await compare("12ab", ""), /64 hexadecimal digits/);
  assert.match(await compare("", "many"), /whole number/);
  assert.match(await compare("", ""), /Give a head/);
});

test("another file is checked by the same scripts", async () => {
  const page = await viewer.open(rich);
  const answer = page.locator("#other-answer");
  const input = page.getByLabel("Ledger file");
  await input.setInputFiles(bench.path("rich.jsonl"));
  await answer.getByText("the same bytes as the ledger in this page").waitFor();
  assert.match(await answer.innerText(), /✓\s*OK/);
  const edited = bench.read("rich.jsonl");
  edited[5000] ^= 1;
  bench.write("other.jsonl", edited);
  await input.setInputFiles(bench.path("other.jsonl"));
  await answer.getByText("other bytes than the ledger in this page").waitFor();
  const [verdict, sequence, offset] = bench.verdict(edited).split(" ");
  const told = (await answer.innerText()).replaceAll("\u202f", "");
  assert.ok(told.includes(verdict) && told.includes(`Record ${sequence} at byte ${offset}`), told);
});

test("the ledger comes out of the page as it went in", async () => {
  const page = await viewer.open(rich);
  const waiting = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save the ledger’s bytes" }).click();
  const saved = await (await waiting).path();
  assert.deepEqual(new Uint8Array(readFileSync(saved)), bench.read("rich.jsonl"));
  viewer.requests = viewer.requests.filter((url) => !url.startsWith("blob:"));
});
