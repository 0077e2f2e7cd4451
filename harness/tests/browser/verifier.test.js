// The page's verifier against `axilog verify`: the same verdict, record and byte for the same bytes.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, test } from "node:test";
import { Bench, Viewer, chained, observation, random, recordsOf, richLedger } from "./support.js";

/** @type {Bench} */
let bench;
/** @type {Viewer} */
let viewer;
/** @type {import("playwright-core").Page} */
let page;
/** @type {Uint8Array} */
let ledger;

before(async () => {
  bench = new Bench();
  richLedger(bench, "rich.jsonl");
  ledger = bench.read("rich.jsonl");
  viewer = await Viewer.start();
  page = await viewer.open(bench.report("rich.jsonl"));
});

after(async () => {
  await viewer.stop();
  bench.remove();
});

/** Runs in the page: its own verifier on files given in Base64. */
function verdictsInPage(/** @type {string[]} */ files) {
  return files.map((file) => {
    const bytes = Uint8Array.from(atob(file), (c) => c.charCodeAt(0));
    // @ts-ignore: a function of the page
    const { fault, entries, head } = verifyLedger(bytes);
    return fault ? `${fault.verdict} ${fault.sequence} ${fault.offset}` : `OK ${entries} ${head}`;
  });
}

/**
 * Asserts that page and command agree on every case, and counts the verdicts.
 * @param {{name: string, bytes: Uint8Array}[]} cases
 */
async function agree(cases) {
  /** @type {Record<string, number>} */
  const seen = {};
  const size = 25;
  for (let at = 0; at < cases.length; at += size) {
    const batch = cases.slice(at, at + size);
    const files = batch.map(({ bytes }) => Buffer.from(bytes).toString("base64"));
    const found = await page.evaluate(verdictsInPage, files);
    batch.forEach(({ name, bytes }, n) => {
      const expected = bench.verdict(bytes);
      assert.equal(found[n], expected, name);
      const verdict = expected.split(" ")[0];
      seen[verdict] = (seen[verdict] ?? 0) + 1;
    });
  }
  return seen;
}

test("SHA-256 is that of the standard", async () => {
  const known = {
    "": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    abc: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq:
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
  };
  const lengths = [...Array(200).keys(), 1000, 65536, 1_000_000];
  const digests = await page.evaluate(
    ([texts, lengths]) => {
      // @ts-ignore: functions of the page
      const digest = (...parts) => hex(sha256(...parts));
      const bytes = (length) => Uint8Array.from({ length }, (_, n) => (7 * n + 3) % 256);
      return {
        texts: texts.map((text) => digest(new TextEncoder().encode(text))),
        lengths: lengths.map((length) => digest(bytes(length))),
        parts: lengths.map((n) => digest(bytes(n).subarray(0, n / 3), bytes(n).subarray(n / 3))),
      };
    },
    /** @type {[string[], number[]]} */ ([Object.keys(known), lengths]),
  );
  assert.deepEqual(digests.texts, Object.values(known));
  const expected = lengths.map((length) => {
    const bytes = Uint8Array.from({ length }, (_, n) => (7 * n + 3) % 256);
    return createHash("sha256").update(bytes).digest("hex");
  });
  assert.deepEqual(digests.lengths, expected);
  assert.deepEqual(digests.parts, expected);
});

test("any edit of the file earns the verdict of the command", async () => {
  const next = random(1);
  const below = (/** @type {number} */ n) => Math.floor(next() * n);
  const lines = Buffer.from(ledger).toString("latin1").split(/(?<=\n)/);
  const joined = (/** @type {string[]} */ some) => Buffer.from(some.join(""), "latin1");
  const cases = [{ name: "untouched", bytes: ledger }];
  for (let n = 0; n < 400; n++) {
    const at = below(ledger.length);
    const bytes = Uint8Array.from(ledger);
    bytes[at] = n % 2 ? bytes[at] ^ (1 << below(8)) : below(256);
    cases.push({ name: `byte ${at} is ${bytes[at]}`, bytes });
  }
  for (let n = 0; n < 60; n++) {
    const at = below(ledger.length);
    cases.push({ name: `cut at ${at}`, bytes: ledger.subarray(0, at) });
    const inserted = [...ledger.subarray(0, at), below(256), ...ledger.subarray(at)];
    cases.push({ name: `a byte more at ${at}`, bytes: Uint8Array.from(inserted) });
  }
  for (let n = 0; n < lines.length; n++) {
    cases.push(
      { name: `without line ${n}`, bytes: joined(lines.toSpliced(n, 1)) },
      { name: `line ${n} twice`, bytes: joined(lines.toSpliced(n, 0, lines[n])) },
      { name: `line ${n} moved`, bytes: joined(lines.toSpliced(n, 1).toSpliced(below(lines.length), 0, lines[n])) },
      { name: `up to line ${n}`, bytes: joined(lines.slice(0, n)) },
    );
  }
  for (const extra of ["\n", "x", "x".repeat(131_295) + "\n", "x".repeat(131_296), "x".repeat(200_000) + "\n"]) {
    cases.push({ name: `${extra.length} bytes behind the seal`, bytes: joined([...lines, extra]) });
    cases.push({ name: `${extra.length} bytes behind record 9`, bytes: joined([...lines.slice(0, 10), extra]) });
  }
  const seen = await agree(cases);
  console.log(`${cases.length} edits:`, seen);
  for (const verdict of ["OK", "ALTERED", "REORDERED", "TRUNCATED", "TORN", "NON_CANONICAL"]) {
    assert.ok(seen[verdict] > 0, verdict);
  }
});

test("forged records in a right chain earn the verdict of the command", async () => {
  const next = random(2);
  const below = (/** @type {number} */ n) => Math.floor(next() * n);
  const records = recordsOf(ledger);
  const cases = [{ name: "rebuilt", bytes: chained(records) }];
  assert.deepEqual(new Uint8Array(cases[0].bytes), ledger);
  for (let n = 0; n < 400; n++) {
    const which = below(records.length);
    const { tag, record } = records[which];
    const changed = Buffer.from(record);
    changed[below(record.length)] = n % 2 ? below(256) : "0123456789\"\\,{}-nA".charCodeAt(below(18));
    cases.push({
      name: `record ${which} is ${changed}`,
      bytes: chained(records.with(which, { tag, record: changed })),
    });
  }
  for (let n = 0; n < records.length; n++) {
    cases.push(
      { name: `without record ${n}`, bytes: chained(records.toSpliced(n, 1)) },
      { name: `record ${n} twice`, bytes: chained(records.toSpliced(n, 0, records[n])) },
      { name: `another tag on ${n}`, bytes: chained(records.with(n, { ...records[n], tag: "AX:TRANS:v1" })) },
      { name: `an unknown tag on ${n}`, bytes: chained(records.with(n, { ...records[n], tag: "AX:LEDGER:v1" })) },
    );
  }
  const seen = await agree(cases);
  console.log(`${cases.length} forgeries:`, seen);
  for (const verdict of ["OK", "ALTERED", "REORDERED", "TRUNCATED", "NON_CANONICAL", "UNWITNESSED"]) {
    assert.ok(seen[verdict] > 0, verdict);
  }
});

test("every field at its limits earns the verdict of the command", async () => {
  const genesis = recordsOf(ledger)[0];
  /** @param {Record<string, string | number>} fields of an observation, as they stand in it */
  const written = (fields) => {
    const size = Buffer.byteLength(String(fields.output ?? "").replace(/\\u000a|\\./g, "x"));
    const f = {
      state: "COMPLETE", failure: "null", seq: 1, model: "m", oracle: "o", output: "", size,
      tokens: "null", seed: "null", temperature: "null", top: "null", ...fields,
    };
    return (
      `{"completion_state":"${f.state}","failure_type":${f.failure},"input_hash":"${"0".repeat(64)}",` +
      `"ledger_seq":${f.seq},"model_id":"${f.model}","obs_hash":"HASH","oracle_id":"${f.oracle}",` +
      `"output":"${f.output}","output_size":${f.size},"params":{"max_tokens":${f.tokens},"seed":${f.seed},` +
      `"temperature":${f.temperature},"top_p":${f.top}},"schema_version":"AX:OBS:v1"}`
    );
  };
  const integers = [
    "0", "1", "-1", "-0", "00", "01", "+1", "1.0", "1e3", "", "null", '"1"', " 1", "65536", "65537",
    "2147483647", "2147483648", "4294967295", "4294967296", "9223372036854775807",
    "9223372036854775808", "18446744073709551615", "18446744073709551616", "99999999999999999999999",
  ];
  const grave = "\u0316";
  const texts = [
    "plain", "é", "e\u0301", "\u0301", "\u0340", "\u212b", "\uac00\u11a8", "\u1100\u1161", "\u09cb",
    "\u09c7\u09be", "\u0903".repeat(40), `a${grave.repeat(30)}`, `a${grave.repeat(31)}`,
    `a${grave.repeat(30)}\u0903${grave.repeat(30)}`, `a${"\u0334".repeat(31)}`, `a${"\u0345".repeat(31)}`,
    "a\u0345\u0316", "a\u0316\u0345", "\u{1f468}\u200d\u{1f469}", "\ufeffx", "x\x7f", "x\x80", "\u2028",
    "\t", "\x00", "\\t", "\\u0009", "\\/", "\\u0041", "\\\"", "\\\\", "\\", "\\n", "\\u000a", "\\u000A",
    "\\n\\u000a", "a\\nb\\nc", "a\\u000ab\\u000ac", "é\\n\u0301", '"', "\u{10ffff}", "\ufdd0", "x".repeat(255),
    "x".repeat(256), "x".repeat(257), "é".repeat(128), "é".repeat(129), "x".repeat(65_200), "x".repeat(66_000),
    `${"x".repeat(66_000)}\\u000a`, "x".repeat(131_000),
  ];
  const bad = ["ff", "c080", "c3", "eda080", "f4908080", "e282", "f0808080"];
  /** @type {[string, string | Buffer][]} */
  const variants = [];
  for (const n of integers) {
    for (const field of ["seq", "size", "tokens", "seed", "temperature", "top"]) {
      variants.push([`${field} ${n}`, written({ [field]: n })]);
    }
  }
  for (const text of texts) {
    for (const field of ["output", "oracle", "model"]) {
      variants.push([`${field} ${text.slice(0, 50)}`, written({ [field]: text })]);
    }
    const errors = { state: "ERROR", failure: '"TIMEOUT"', output: text };
    variants.push([`error ${text.slice(0, 50)}`, written(errors)]);
    variants.push([`error, size 0 ${text.slice(0, 50)}`, written({ ...errors, size: 0 })]);
    variants.push([`cut ${text.slice(0, 50)}`, written({ state: "TRUNCATED", output: text, size: 70_000 })]);
  }
  for (const digits of bad) {
    const text = Buffer.from(written({ output: "@@" }), "latin1").toString("latin1");
    variants.push([`bytes ${digits}`, Buffer.from(text.replace("@@", Buffer.from(digits, "hex").toString("latin1")), "latin1")]);
  }
  for (const state of ["COMPLETE", "TRUNCATED", "ERROR", "complete"]) {
    for (const failure of ["null", '"TIMEOUT"', '"INVALID_OUTPUT"', '"TRANSPORT_ERROR"', '"OTHER"']) {
      variants.push([`${state} ${failure}`, written({ state, failure })]);
    }
  }
  const cases = variants.flatMap(([name, record]) =>
    [false, true].map((tagged) => ({
      name: `${name}${tagged ? ", tagged" : ""}`,
      bytes: chained([genesis, observation(record, tagged)]),
    })),
  );
  /** @param {number} seq @param {string} oracle @param {string} model */
  const of = (seq, oracle, model) => observation(written({ seq, oracle, model }));
  const oracles = Array.from({ length: 40 }, (_, n) => of(n + 1, `o${n}`, "m"));
  cases.push(
    { name: "two models", bytes: chained([genesis, of(1, "o", "m"), of(2, "o", "n")]) },
    { name: "two oracles", bytes: chained([genesis, of(1, "o", "m"), of(2, "p", "m")]) },
    { name: "a reserved oracle", bytes: chained([genesis, of(1, "ax.time", "m")]) },
    { name: "a sequence twice", bytes: chained([genesis, of(1, "o", "m"), of(1, "o", "m")]) },
    { name: "40 oracles", bytes: chained([genesis, ...oracles]) },
    { name: "40 oracles, then another model of the 2nd", bytes: chained([genesis, ...oracles, of(41, "o1", "n")]) },
    { name: "40 oracles, then another model of the 39th", bytes: chained([genesis, ...oracles, of(41, "o38", "n")]) },
  );
  const seen = await agree(cases);
  console.log(`${cases.length} records at their limits:`, seen);
  for (const verdict of ["OK", "ALTERED", "REORDERED", "NON_CANONICAL", "MODEL_MISMATCH"]) {
    assert.ok(seen[verdict] > 0, verdict);
  }
});

test("a head and a length from elsewhere earn the verdict of the command", async () => {
  const bytes = ledger.subarray(0, ledger.lastIndexOf(10, ledger.length - 2) + 1);
  for (const file of [ledger, bytes]) {
    const lines = Buffer.from(file).toString("latin1").split("\n").slice(0, -1);
    const heads = [0, 5, lines.length - 2, lines.length - 1].map((n) => lines[n].slice(10, 74));
    const expectations = [null, "0".repeat(64), ...heads].flatMap((head) =>
      [null, 1, 5, lines.length - 1, lines.length, 1000].map((entries) => ({ head, entries })),
    );
    const found = await page.evaluate(
      ([base64, expectations]) => {
        const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
        // @ts-ignore: functions of the page
        const outcome = verifyLedger(bytes);
        return expectations.map((expected) => {
          // @ts-ignore: a function of the page
          const fault = unexpected(outcome, bytes, expected);
          const { entries, head } = outcome;
          return fault ? `${fault.verdict} ${fault.sequence} ${fault.offset}` : `OK ${entries} ${head}`;
        });
      },
      /** @type {[string, typeof expectations]} */ ([Buffer.from(file).toString("base64"), expectations]),
    );
    expectations.forEach(({ head, entries }, n) => {
      const options = [
        ...(head === null ? [] : ["--expect-head", head]),
        ...(entries === null ? [] : ["--expect-entries", String(entries)]),
      ];
      assert.equal(found[n], bench.verdict(file, options), options.join(" "));
    });
  }
});
