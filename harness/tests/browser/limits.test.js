// Observations with every field at its limits, in a right chain: the page's verifier against
// `axilog verify`.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { agree, chained, observation, recordsOf, stage } from "./support.js";

const { bench, ledger, url, viewer, close } = await stage();
const page = await viewer.open(url);

after(close);

/** @param {Record<string, string | number>} fields of an observation, as they stand in it */
const written = (fields) => {
  const size = Buffer.byteLength(String(fields.output ?? "").replace(/\\u000a|\\./g, "x"));
  const f = {
    state: "COMPLETE",
    failure: "null",
    seq: 1,
    model: "m",
    oracle: "o",
    output: "",
    size,
    tokens: "null",
    seed: "null",
    temperature: "null",
    top: "null",
    ...fields,
  };
  return (
    `{"completion_state":"${f.state}","failure_type":${f.failure},"input_hash":"${"0".repeat(64)}",` +
    `"ledger_seq":${f.seq},"model_id":"${f.model}","obs_hash":"HASH","oracle_id":"${f.oracle}",` +
    `"output":"${f.output}","output_size":${f.size},"params":{"max_tokens":${f.tokens},"seed":${f.seed},` +
    `"temperature":${f.temperature},"top_p":${f.top}},"schema_version":"AX:OBS:v1"}`
  );
};
const integers = [
  "0",
  "1",
  "-1",
  "-0",
  "00",
  "01",
  "+1",
  "1.0",
  "1e3",
  "",
  "null",
  '"1"',
  " 1",
  "65536",
  "65537",
  "2147483647",
  "2147483648",
  "4294967295",
  "4294967296",
  "9223372036854775807",
  "9223372036854775808",
  "18446744073709551615",
  "18446744073709551616",
  "99999999999999999999999",
];
const grave = "\u0316";
const texts = [
  "plain",
  "é",
  "e\u0301",
  "\u0301",
  "\u0340",
  "\u212b",
  "\uac00\u11a8",
  "\u1100\u1161",
  "\u09cb",
  "\u09c7\u09be",
  "\u0903".repeat(40),
  `a${grave.repeat(30)}`,
  `a${grave.repeat(31)}`,
  `a${grave.repeat(30)}\u0903${grave.repeat(30)}`,
  `a${"\u0334".repeat(31)}`,
  `a${"\u0345".repeat(31)}`,
  "a\u0345\u0316",
  "a\u0316\u0345",
  "\u{1f468}\u200d\u{1f469}",
  "\ufeffx",
  "x\x7f",
  "x\x80",
  "\u2028",
  "\t",
  "\x00",
  "\\t",
  "\\u0009",
  "\\/",
  "\\u0041",
  '\\"',
  "\\\\",
  "\\",
  "\\n",
  "\\u000a",
  "\\u000A",
  "\\n\\u000a",
  "a\\nb\\nc",
  "a\\u000ab\\u000ac",
  "é\\n\u0301",
  '"',
  "\u{10ffff}",
  "\ufdd0",
  "x".repeat(255),
  "x".repeat(256),
  "x".repeat(257),
  "é".repeat(128),
  "é".repeat(129),
  "x".repeat(65_200),
  "x".repeat(66_000),
  `${"x".repeat(66_000)}\\u000a`,
  "x".repeat(131_000),
];
const bad = ["ff", "c080", "c3", "eda080", "f4908080", "e282", "f0808080"];

test("every field at its limits earns the verdict of the command", async () => {
  const genesis = recordsOf(ledger)[0];
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
    variants.push([
      `cut ${text.slice(0, 50)}`,
      written({ state: "TRUNCATED", output: text, size: 70_000 }),
    ]);
  }
  for (const digits of bad) {
    const text = Buffer.from(written({ output: "@@" }), "latin1").toString("latin1");
    variants.push([
      `bytes ${digits}`,
      Buffer.from(text.replace("@@", Buffer.from(digits, "hex").toString("latin1")), "latin1"),
    ]);
  }
  for (const state of ["COMPLETE", "TRUNCATED", "ERROR", "complete"]) {
    for (const failure of [
      "null",
      '"TIMEOUT"',
      '"INVALID_OUTPUT"',
      '"TRANSPORT_ERROR"',
      '"OTHER"',
    ]) {
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
    {
      name: "40 oracles, then another model of the 2nd",
      bytes: chained([genesis, ...oracles, of(41, "o1", "n")]),
    },
    {
      name: "40 oracles, then another model of the 39th",
      bytes: chained([genesis, ...oracles, of(41, "o38", "n")]),
    },
  );
  const seen = await agree(page, bench, cases);
  console.log(`${cases.length} records at their limits:`, seen);
  for (const verdict of ["OK", "ALTERED", "REORDERED", "NON_CANONICAL", "MODEL_MISMATCH"]) {
    assert.ok(seen[verdict] > 0, verdict);
  }
});
