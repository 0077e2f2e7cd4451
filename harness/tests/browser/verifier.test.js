// The page's verifier against `axilog verify`: the same verdict, record and byte for the same bytes.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, test } from "node:test";
import { agree, chained, random, recordsOf, spliced, stage } from "./support.js";

const { bench, ledger, url, viewer, close } = await stage();
const page = await viewer.open(url);

after(close);

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
  const lines = Buffer.from(ledger)
    .toString("latin1")
    .split(/(?<=\n)/);
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
      { name: `without line ${n}`, bytes: joined(spliced(lines, n, 1)) },
      { name: `line ${n} twice`, bytes: joined(spliced(lines, n, 0, lines[n])) },
      {
        name: `line ${n} moved`,
        bytes: joined(spliced(spliced(lines, n, 1), below(lines.length), 0, lines[n])),
      },
      { name: `up to line ${n}`, bytes: joined(lines.slice(0, n)) },
    );
  }
  for (const extra of [
    "\n",
    "x",
    "x".repeat(131_295) + "\n",
    "x".repeat(131_296),
    "x".repeat(200_000) + "\n",
  ]) {
    cases.push({ name: `${extra.length} bytes after the seal`, bytes: joined([...lines, extra]) });
    cases.push({
      name: `${extra.length} bytes after record 9`,
      bytes: joined([...lines.slice(0, 10), extra]),
    });
  }
  const seen = await agree(page, bench, cases);
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
    changed[below(record.length)] =
      n % 2 ? below(256) : '0123456789"\\,{}-nA'.charCodeAt(below(18));
    cases.push({
      name: `record ${which} is ${changed}`,
      bytes: chained(spliced(records, which, 1, { tag, record: changed })),
    });
  }
  for (let n = 0; n < records.length; n++) {
    cases.push(
      { name: `without record ${n}`, bytes: chained(spliced(records, n, 1)) },
      { name: `record ${n} twice`, bytes: chained(spliced(records, n, 0, records[n])) },
      {
        name: `another tag on ${n}`,
        bytes: chained(spliced(records, n, 1, { ...records[n], tag: "AX:TRANS:v1" })),
      },
      {
        name: `an unknown tag on ${n}`,
        bytes: chained(spliced(records, n, 1, { ...records[n], tag: "AX:LEDGER:v1" })),
      },
    );
  }
  // The RAW record of the refused answer, after every other record and of every other observation.
  const raw = records.findIndex(({ record }) => Buffer.from(record).includes('"kind":"RAW"'));
  assert.ok(raw > 0);
  const { tag, record } = records[raw];
  for (let n = 1; n < records.length; n++) {
    const moved = spliced(spliced(records, raw, 1), n, 0, records[raw]);
    const text = Buffer.from(record)
      .toString()
      .replace(/"ledger_seq":\d+/, `"ledger_seq":${n}`);
    cases.push(
      { name: `the RAW record at ${n}`, bytes: chained(moved) },
      {
        name: `the RAW record of observation ${n}`,
        bytes: chained(spliced(records, raw, 1, { tag, record: Buffer.from(text) })),
      },
    );
  }
  const seen = await agree(page, bench, cases);
  console.log(`${cases.length} forgeries:`, seen);
  for (const verdict of [
    "OK",
    "ALTERED",
    "REORDERED",
    "TRUNCATED",
    "NON_CANONICAL",
    "UNWITNESSED",
  ]) {
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
        const outcome = verifyLedger(bytes);
        return expectations.map((expected) => {
          const fault = unexpected(outcome, bytes, expected);
          const { entries, head } = outcome;
          return fault
            ? `${fault.verdict} ${fault.sequence} ${fault.offset}`
            : `OK ${entries} ${head}`;
        });
      },
      /** @type {[string, typeof expectations]} */ ([
        Buffer.from(file).toString("base64"),
        expectations,
      ]),
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
