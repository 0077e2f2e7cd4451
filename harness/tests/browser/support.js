// What the tests share: the command, ledgers, and a browser that may not reach anything.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const AXILOG = process.env.AXILOG;
if (!AXILOG) throw new Error("AXILOG must name the command to test");

const BROWSER = {
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
};

/** A directory of its own, and the command in it. */
export class Bench {
  constructor() {
    this.dir = mkdtempSync(join(tmpdir(), "axilog-report-"));
  }

  /** @param {string} name */
  path(name) {
    return join(this.dir, name);
  }

  /**
   * Runs the command.
   * @param {string[]} words
   * @param {string | Uint8Array} [input]
   */
  run(words, input = "") {
    const { status, stdout, stderr, error } = spawnSync(AXILOG, words, { cwd: this.dir, input });
    if (error) throw error;
    return { code: status, stdout: stdout.toString(), stderr: stderr.toString() };
  }

  /**
   * Observes an answer into a ledger.
   * @param {string} ledger
   * @param {string | Uint8Array} answer
   * @param {string[]} [whom] oracle and model
   */
  observe(ledger, answer, [oracle, model] = ["planner", "planner-1"]) {
    const ids = ["--oracle-id", oracle, "--model-id", model];
    return this.run(["observe", "--ledger", ledger, ...ids], answer);
  }

  /**
   * The verdict of `axilog verify` on some bytes.
   * @param {Uint8Array} bytes
   * @param {string[]} [options]
   */
  verdict(bytes, options = []) {
    writeFileSync(this.path("case.jsonl"), bytes);
    const { stdout } = this.run(["verify", "case.jsonl", "--json", ...options]);
    const { verdict, sequence, offset, entries, head } = JSON.parse(stdout);
    return verdict === "OK" ? `OK ${entries} ${head}` : `${verdict} ${sequence} ${offset}`;
  }

  /**
   * Writes the report on a ledger, and gives its URL.
   * @param {string} ledger
   * @param {string[]} [options]
   */
  report(ledger, options = []) {
    const page = ledger.replace(/jsonl$/, "html");
    const { code, stderr } = this.run(["report", ledger, "-o", page, ...options]);
    if (code > 1) throw new Error(stderr);
    return pathToFileURL(this.path(page)).href;
  }

  /** @param {string} name */
  read(name) {
    return new Uint8Array(readFileSync(this.path(name)));
  }

  /**
   * @param {string} name
   * @param {Uint8Array} bytes
   */
  write(name, bytes) {
    writeFileSync(this.path(name), bytes);
  }

  remove() {
    rmSync(this.dir, { recursive: true });
  }
}

/**
 * A ledger with every kind of record and with answers that would like to be more than text.
 * @param {Bench} bench
 * @param {string} name
 */
function richLedger(bench, name) {
  const control = (/** @type {string} */ input) => bench.run(["control", input, "--ledger", name]);
  const time = (/** @type {number} */ at) => bench.run(["time", String(at), "--ledger", name]);
  bench.run(["init", name, "--time", "1000"]);
  for (const value of [12.5, 33, 55.25, 69]) bench.observe(name, `{"value": ${value}}`);
  time(1010);
  bench.observe(name, HOSTILE);
  control("mitigate");
  control("reset");
  time(1020);
  for (const value of [61, 70]) bench.observe(name, `{"value": ${value}}`);
  bench.observe(name, '{"value": 42,\n "why": "Café \u202e"}', ["<b>second</b>-oracle", "m&m"]);
  bench.observe(name, '{"value": 71}');
  bench.observe(name, Uint8Array.of(0xff, 0xfe));
  control("mitigate");
  control("reset");
  time(1100);
  bench.observe(name, '{"value": 20}');
  bench.run(["seal", name]);
}

export const HOSTILE =
  '</script><script>document.title="owned"</script><img src=x onerror="document.title=1">' +
  "<!-- \u2028\u202e evil \u200b\x7f ${1} &lt;";

const sha256 = (/** @type {(string | Uint8Array)[]} */ ...parts) => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
};

const le64 = (/** @type {number} */ number) => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(number));
  return bytes;
};

const commitment = (/** @type {string} */ tag, /** @type {Uint8Array} */ record) =>
  sha256(tag, le64(record.length), record);

/**
 * A ledger whose chain is right, whatever its records hold.
 * @param {{tag: string, record: Buffer}[]} records
 */
export function chained(records) {
  let previous = Buffer.alloc(0);
  const lines = records.map(({ tag, record }, seq) => {
    const commit = commitment(tag, record);
    previous = sha256("AX:LEDGER:v1", previous, commit);
    const head = `{"chain":"${previous.toString("hex")}","commit":"${commit.toString("hex")}","record":`;
    return Buffer.concat([
      Buffer.from(head),
      record,
      Buffer.from(`,"seq":${seq},"tag":"${tag}"}\n`),
    ]);
  });
  return Buffer.concat(lines);
}

/**
 * The records of a ledger file.
 * @param {Uint8Array} bytes
 */
export function recordsOf(bytes) {
  const lines = Buffer.from(bytes).toString("latin1").split("\n").slice(0, -1);
  return lines.map((line) => {
    const end = line.lastIndexOf(',"seq":');
    const record = line.slice(line.indexOf('"record":') + 9, end);
    return { tag: line.slice(end).split('"')[5], record: Buffer.from(record, "latin1") };
  });
}

/**
 * An observation with the obs_hash that is its own.
 * @param {string | Buffer} record with "HASH" where the digits go
 * @param {boolean} [tagged]
 */
export function observation(record, tagged = false) {
  const text = Buffer.from(record).toString("latin1");
  const empty = Buffer.from(text.replace("HASH", ""), "latin1");
  const hash = tagged ? commitment("AX:OBS:v1", empty) : sha256(empty);
  return {
    tag: "AX:OBS:v1",
    record: Buffer.from(text.replace("HASH", hash.toString("hex")), "latin1"),
  };
}

/**
 * Numbers from 0 to 1 that are the same for the same seed.
 * @param {number} seed
 */
export function random(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/**
 * A list with some items replaced.
 * @template T
 * @param {T[]} list
 * @param {number} at
 * @param {number} removed
 * @param {...T} added
 */
export function spliced(list, at, removed, ...added) {
  return [...list.slice(0, at), ...added, ...list.slice(at + removed)];
}

/** A browser that lists what pages ask for, and what goes wrong in them. */
export class Viewer {
  static async start() {
    return new Viewer(await chromium.launch(BROWSER));
  }

  /** @param {import("playwright-core").Browser} browser */
  constructor(browser) {
    this.browser = browser;
    /** @type {string[]} */
    this.requests = [];
    /** Why requests failed. @type {string[]} */
    this.refused = [];
    /** @type {string[]} */
    this.errors = [];
  }

  /**
   * Opens a page and waits until it has verified its ledger.
   * @param {string} url
   * @param {import("playwright-core").BrowserContextOptions} [options]
   */
  async open(url, options = {}) {
    const context = await this.browser.newContext({ reducedMotion: "reduce", ...options });
    const page = await context.newPage();
    page.on("request", (request) => this.requests.push(request.url()));
    page.on("requestfailed", (request) => this.refused.push(request.failure()?.errorText ?? ""));
    page.on("pageerror", (error) => this.errors.push(error.message));
    page.on("console", (message) => this.errors.push(message.text()));
    await page.goto(url);
    await page.locator("body[data-checked]").waitFor({ timeout: 120_000 });
    return page;
  }

  /** Everything that was asked for besides the pages themselves, and every error. */
  found() {
    return [...this.requests.filter((url) => !/^file:.*\.html$/.test(url)), ...this.errors];
  }

  async stop() {
    await this.browser.close();
  }
}

/** What a file of tests begins with: a rich ledger, the page about it, and a browser. */
export async function stage() {
  const bench = new Bench();
  richLedger(bench, "rich.jsonl");
  const viewer = await Viewer.start();
  const close = async () => {
    await viewer.stop();
    bench.remove();
  };
  return {
    bench,
    ledger: bench.read("rich.jsonl"),
    url: bench.report("rich.jsonl"),
    viewer,
    close,
  };
}

/** Runs in the page: its own verifier on files given in Base64. */
function verdictsInPage(/** @type {string[]} */ files) {
  return files.map((file) => {
    const bytes = Uint8Array.from(atob(file), (c) => c.charCodeAt(0));
    const { fault, entries, head } = verifyLedger(bytes);
    return fault ? `${fault.verdict} ${fault.sequence} ${fault.offset}` : `OK ${entries} ${head}`;
  });
}

/**
 * Asserts that page and command agree on every case, and counts the verdicts.
 * @param {import("playwright-core").Page} page
 * @param {Bench} bench
 * @param {{name: string, bytes: Uint8Array}[]} cases
 */
export async function agree(page, bench, cases) {
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

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/**
 * What bars people with a screen reader, a keyboard or weak eyes from a page, as axe-core finds it.
 * @param {import("playwright-core").Page} page
 * @returns {Promise<{barriers: string[], passed: number}>} `passed` is the number of rules that hold
 */
export async function findBarriers(page) {
  await page.evaluate(axe);
  const { violations, passes } = await page.evaluate(() => axe.run());
  const barriers = violations.map(
    (/** @type {any} */ v) =>
      `${v.impact} ${v.id}: ${v.nodes.map((/** @type {any} */ n) => n.html).join("\n")}`,
  );
  return { barriers, passed: passes.length };
}
