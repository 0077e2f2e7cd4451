// Which answers fed which questions, as the page tells and draws it.

import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { after, afterEach, test } from "node:test";
import { findBarriers, stage } from "./support.js";

const { bench, viewer, close } = await stage();

after(close);

afterEach(async () => {
  assert.deepEqual(viewer.found(), []);
  for (const context of viewer.browser.contexts()) await context.close();
});

/**
 * Observes an answer whose question was made from the observations with these sequences.
 * @param {string} ledger
 * @param {string} oracle
 * @param {number[]} sources
 * @param {string} [answer]
 * @param {string[]} [options]
 */
function derive(ledger, oracle, sources, answer = '{"value":1}', options = []) {
  const ids = ["--oracle-id", oracle, "--model-id", "m-1"];
  const words = ["observe", "--ledger", ledger, ...ids, "--json"];
  const from = sources.length > 0 ? ["--derived-from", ...sources.map(String)] : [];
  const { stdout, stderr } = bench.run([...words, ...from, ...options], answer);
  assert.ok(stdout, stderr);
  return Number(JSON.parse(stdout).ledger_seq);
}

/** @param {string} name */
function chain(name) {
  assert.equal(bench.run(["init", name, "--time", "1"]).code, 0);
  const sensor = derive(name, "sensor", []);
  const camera = derive(name, "camera", [], '{"value":2}');
  const planner = derive(name, "planner", [sensor, camera]);
  const checker = derive(name, "<b>check\u{2d}er</b>", [planner]);
  return { sensor, camera, planner, checker };
}

test("each question is told with the answers that it was made from, and drawn", async () => {
  const { sensor, camera, planner, checker } = chain("chain.jsonl");
  const page = await viewer.open(bench.report("chain.jsonl"));
  const items = page.locator("#derived li");
  assert.equal(await items.count(), 2);
  assert.equal(
    await items.nth(0).innerText(),
    `${planner} of planner, asked with ${sensor}, ${camera}`,
  );
  assert.equal(
    await items.nth(1).innerText(),
    `${checker} of <b>check-er</b>, asked with ${planner}`,
  );
  assert.equal((await page.locator("#derivations-told").innerText()).trim(), "2 questions.");
  // Three arrows, each with its head.
  const feeds = await page.locator("#derivations-drawn .feeds").getAttribute("d");
  assert.equal(feeds?.match(/C/g)?.length, 3);
  const drawn = page.getByRole("img", { name: "Which answers fed which questions" });
  assert.equal(await drawn.count(), 1);
  assert.match(await drawn.innerHTML(), /sensor.*camera.*planner/s);
  // A button leads to the record.
  await items
    .nth(0)
    .getByRole("link", { name: `Show record ${sensor}` })
    .click();
  await page.locator(`#bytes-${sensor}`).waitFor();
  await page.setViewportSize({ width: 375, height: 740 });
  await page.waitForFunction(() => part("derivations-drawn").firstChild.clientWidth <= 375);
});

test("nothing bars anybody from them", async () => {
  chain("barriers.jsonl");
  for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
    const page = await viewer.open(bench.report("barriers.jsonl"), { colorScheme });
    assert.deepEqual((await findBarriers(page)).barriers, []);
  }
});

test("a ledger without such questions has no place for them", async () => {
  bench.run(["init", "plain.jsonl", "--time", "1"]);
  bench.observe("plain.jsonl", '{"value":1}');
  const page = await viewer.open(bench.report("plain.jsonl"));
  assert.equal(await page.locator("#derivations:visible").count(), 0);
});

test("a question of a hundred thousand answers floods no page", async () => {
  const { sensor } = chain("long.jsonl");
  const { obs_hash: hash } = JSON.parse(
    bench.run(["show", "long.jsonl", "--seq", String(sensor), "--json"]).stdout,
  );
  bench.write(
    "long.json",
    Buffer.from(JSON.stringify({ derived_from: Array(100_000).fill(hash) })),
  );
  const options = ["--input", "long.json", "--input-kind", "json"];
  for (let n = 0; n < 12; n++) derive("long.jsonl", "planner", [], '{"value":1}', options);
  const page = await viewer.open(bench.report("long.jsonl"));
  const told = await page.locator("#derived li").last().innerText();
  assert.match(told, /and 99\u202f900 answers more, not listed$/);
  const elements = await page.evaluate(() => document.querySelectorAll("*").length);
  assert.ok(elements < 10_000, `${elements} elements`);
});

test("what is not known is said", async () => {
  chain("lost.jsonl");
  rmSync(bench.path("lost.jsonl.blobs"), { recursive: true });
  const page = await viewer.open(bench.report("lost.jsonl"));
  assert.equal(
    (await page.locator("#derivations-told").innerText()).trim(),
    "None is known. The page does not have the questions of 2 answers; what those were made from is not known here.",
  );
});

test("a question that names what is no earlier answer is marked", async () => {
  chain("chain2.jsonl");
  const page = await viewer.open(bench.report("chain2.jsonl"));
  const unknown = "ab".repeat(32);
  const told = await page.evaluate((unknown) => {
    const call = (/** @type {string} */ question) => {
      const known = new Questions({ questions: [btoa(question)], left_out: 0, missing: 0 });
      const derivations = new Derivations(known);
      const said = { inputHash: hex(sha256(bytesOf(question))), obsHash: unknown, oracle: "o" };
      derivations.take(/** @type {any} */ (said), 7);
      if (derivations.faulty().length !== 1) throw new Error(`not marked: ${question}`);
      const [derived] = derivations.calls;
      return derived.derivation && derivations.sources(derived);
    };
    return [
      // An answer is no source of its own question.
      call(`{"derived_from":["${unknown}"]}`),
      call('{"derived_from":["x"]}'),
      call('{"derived_from":7}'),
      call('{"derived_from":[]}'),
      call('{"derived_from":['),
    ];
  }, unknown);
  assert.deepEqual(told, [[null], null, null, null, null]);
});

test("a running value is no question, and refuses the answer before it", async () => {
  const limit = { comparison: "GT", enabled: true, policy_id: "SUM", threshold: 65536 };
  bench.write("sum.json", JSON.stringify({ "ax.sum.spend#value": [limit] }));
  bench.write("values.json", '{"ax.sum.spend":{"oracle":"pay","path":"value"}}');
  const options = ["--policies", "sum.json", "--running-values", "values.json", "--time", "1"];
  assert.equal(bench.run(["init", "running.jsonl", ...options]).code, 0);
  const refused = derive("running.jsonl", "pay", [], '{"value":2}');
  const asked = derive("running.jsonl", "planner", [refused], "{}", ["--even-refused"]);
  const page = await viewer.open(bench.report("running.jsonl"));
  const why = "it was permitted, and a running value after it was not";
  assert.equal(
    await page.locator("#derived li").innerText(),
    `${asked} of planner, asked with ${refused}; ${refused} may not be acted on, as the question says: ${why}`,
  );
});

test("a question that a refused answer fed is marked, and so is what it says of that", async () => {
  assert.equal(bench.run(["init", "refused.jsonl", "--time", "1"]).code, 0);
  const breach = derive("refused.jsonl", "sensor", [], '{"value":32000}');
  const planner = derive("refused.jsonl", "planner", [breach], '{"value":1}', ["--even-refused"]);
  const page = await viewer.open(bench.report("refused.jsonl"));
  assert.equal(
    (await page.locator("#derivations-told").innerText()).trim(),
    `1 question. Made from answers that may not be acted on, as the question says: ${planner}.`,
  );
  assert.equal(
    await page.locator("#derived li").innerText(),
    `${planner} of planner, asked with ${breach}; ${breach} may not be acted on, as the question says: it is a breach`,
  );
  const drawn = await page.locator("#derivations-drawn .feeds-refused").getAttribute("d");
  assert.equal(drawn?.match(/C/g)?.length, 1);
  // The same without the question's word, and with the time, which is no answer whatever is said.
  const faulty = await page.evaluate(() =>
    [
      ["sensor", "POLICY_BREACH", "ALARM", false],
      ["sensor", null, "ALARM", false],
      ["sensor", null, "ENABLED", false],
      ["sensor", null, null, true],
      ["ax.time", null, "ENABLED", true],
    ].map(([oracle, violation, next, evenRefused]) => {
      const source = "ab".repeat(32);
      const question = JSON.stringify({ derived_from: [source], even_refused: evenRefused });
      const known = new Questions({ questions: [btoa(question)], left_out: 0, missing: 0 });
      const derivations = new Derivations(known);
      const take = (/** @type {object} */ said, /** @type {number} */ at) =>
        derivations.take(/** @type {any} */ (said), at);
      take({ inputHash: "", obsHash: source, oracle }, 5);
      if (next) derivations.decide(/** @type {any} */ ({ next, violation }));
      take({ inputHash: hex(sha256(bytesOf(question))), obsHash: "", oracle: "planner" }, 8);
      return derivations.faulty().length;
    }),
  );
  assert.deepEqual(faulty, [1, 1, 0, 0, 1]);
});
