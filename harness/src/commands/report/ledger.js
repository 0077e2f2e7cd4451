"use strict";

// Verification of a ledger: what `axilog verify` checks, in the same order, with the same verdicts
// and places. docs/ledger.md describes the format.

/** The longest line there can be, its line feed included. */
const MAX_LINE_BYTES = MAX_GATEWAY_RECORD_BYTES + 224;
/** How many oracles `axilog verify` holds to their models in its fixed memory. */
const MAX_ORACLES = 32;
/** How many oracles it compares after these. A ledger with more is refused. */
const MAX_FURTHER_ORACLES = 2 ** 18;
const LINE_FEED = 0x0a;

/** What a verdict says about the record it names. @type {Record<string, string>} */
const MEANING = {
  ALTERED: "its bytes do not match its commit, its obs_hash or the chain",
  REORDERED: "it stands where it cannot stand",
  TRUNCATED: "records are missing after it",
  NON_CANONICAL: "the record is not in its canonical form",
  UNWITNESSED: "a decision without the observation it rests on",
  MODEL_MISMATCH: "its oracle has another model elsewhere in this ledger",
};

/**
 * @typedef {object} Entry a line of a ledger file
 * @property {string} chain
 * @property {string} commit
 * @property {Uint8Array} record the exact bytes
 * @property {bigint} sequence
 * @property {string} tag
 *
 * @typedef {object} Fault
 * @property {string} verdict
 * @property {number} sequence of the first bad record, or of the first missing one
 * @property {number} offset where that record's line begins, or the end of the file; in bytes
 * @property {string} reason
 *
 * @typedef {object} Outcome
 * @property {Fault | null} fault the first thing that is wrong
 * @property {number} entries how many records are good
 * @property {number[]} offsets where each of them begins
 * @property {number} size bytes of the file
 * @property {string} head the chain value of the last good record
 * @property {string | null} sealedHead the chain value that the seal names
 * @property {string[]} profiles those that were found
 * @property {Record<string, number>} counts records by tag
 *
 * @typedef {(entry: Entry, said: Said, offset: number) => void} See sees every good record
 */

/** A record that is not good. */
class Refused extends Error {
  /**
   * @param {string} verdict
   * @param {string} [reason]
   */
  constructor(verdict, reason = MEANING[verdict]) {
    super(reason);
    this.verdict = verdict;
  }
}

/**
 * Reads a line, with or without its line feed. The record is the exact bytes between `"record":`
 * and the last `,"seq":`. Throws NotCanonical.
 * @param {Uint8Array} line
 * @returns {Entry}
 */
function readLine(line) {
  const ended = line[line.length - 1] === LINE_FEED;
  const reader = new Reader(ended ? line.subarray(0, -1) : line);
  reader.literal('{"chain":');
  const chain = reader.hash();
  reader.literal(',"commit":');
  const commit = reader.hash();
  reader.literal(',"record":');
  const start = reader.at;
  // A record may hold `,"seq":` in its text, what follows it cannot.
  reader.at = line.length;
  let end;
  do {
    end = reader.at > start ? reader.bytes.lastIndexOf(0x2c, reader.at - 1) : -1;
    if (end < start) throw new NotCanonical();
    reader.at = end;
  } while (!reader.skips(',"seq":'));
  const record = reader.bytes.subarray(start, end);
  const sequence = reader.u64();
  reader.literal(',"tag":"');
  const tag = reader.untilQuote();
  reader.literal("}");
  reader.end();
  const isObject = record[0] === 0x7b && record[record.length - 1] === 0x7d;
  if (!TAGS.includes(tag) || !isObject || record.includes(LINE_FEED)) throw new NotCanonical();
  return { chain, commit, record, sequence, tag };
}

/** A verification between two lines. */
class Verification {
  constructor() {
    /** @type {number[]} */
    this.offsets = [];
    this.head = "";
    /** The chain value as bytes. @type {Uint8Array} */
    this.chained = new Uint8Array(0);
    /** The last observation's sequence. */
    this.observed = 0n;
    /** Whether that observation's transition is still to come. */
    this.open = false;
    /** Whether the last record is an observation that a RAW record may follow. */
    this.unheld = false;
    /** @type {string | null} */
    this.sealedHead = null;
    /** @type {Map<string, string>} */
    this.models = new Map();
    /** The oracles of the observations from the one on that had no place. @type {Set<string>} */
    this.furtherOracles = new Set();
    /** @type {Set<string>} */
    this.profiles = new Set();
    /** @type {Record<string, number>} */
    this.counts = Object.fromEntries(TAGS.map((tag) => [tag, 0]));
  }

  /**
   * Takes the next line. Throws Refused or NotCanonical, and takes nothing then.
   * @param {Entry} entry
   * @param {number} offset
   * @returns {Said}
   */
  take(entry, offset) {
    const expected = this.offsets.length;
    if (this.sealedHead !== null) throw new Refused("REORDERED", "a record after the seal");
    if (entry.sequence !== BigInt(expected)) {
      const reason = `found the sequence number ${entry.sequence}, expected ${expected}`;
      throw new Refused("REORDERED", reason);
    }
    const committed = commitment(entry.tag, entry.record);
    const chained = sha256(bytesOf("AX:LEDGER:v1"), this.chained, committed);
    if (hex(committed) !== entry.commit || hex(chained) !== entry.chain) {
      throw new Refused("ALTERED");
    }
    if (expected === 0 && entry.tag !== "AX:STATE:v1") throw new Refused("REORDERED");
    if (expected > 0 && entry.tag === "AX:STATE:v1") throw new Refused("REORDERED");
    const said = readRecord(entry.tag, entry.record);
    this.#judge(said, entry);
    this.unheld = said.kind === "observation" && said.unheld;
    this.chained = chained;
    this.head = entry.chain;
    this.offsets.push(offset);
    this.counts[entry.tag] += 1;
    return said;
  }

  /**
   * Whether a canonical record may stand here.
   * @param {Said} said
   * @param {Entry} entry
   */
  #judge(said, entry) {
    switch (said.kind) {
      case "genesis":
        if (!sameBytes(entry.record, bytesOf(GENESIS))) throw new Refused("ALTERED");
        break;
      case "observation":
        if (said.profile === null) throw new Refused("ALTERED");
        if (said.profile === "RFC8785" && said.ledgerSeq !== entry.sequence) {
          const reason = `found the ledger_seq ${said.ledgerSeq}, expected ${entry.sequence}, its line's`;
          throw new Refused("REORDERED", reason);
        }
        if (said.ledgerSeq <= this.observed) throw new Refused("REORDERED");
        this.#holdToModel(said);
        this.observed = said.ledgerSeq;
        this.open = true;
        this.profiles.add(said.profile);
        break;
      case "policy":
      case "transition":
        if (!this.open || said.boundTo !== this.observed) throw new Refused("UNWITNESSED");
        if (said.kind === "policy" && said.ledgerSeq !== this.observed) {
          throw new Refused("REORDERED");
        }
        if (said.kind === "transition") this.open = false;
        break;
      case "raw":
        if (!this.unheld || said.boundTo !== this.observed) throw new Refused("REORDERED");
        break;
      case "seal":
        if (said.entries > entry.sequence) throw new Refused("TRUNCATED");
        if (said.entries !== entry.sequence || said.head !== this.head) {
          throw new Refused("ALTERED");
        }
        this.sealedHead = said.head;
        break;
    }
  }

  /**
   * One oracle has one model; a reserved id is its own.
   * @param {Observation} said
   */
  #holdToModel({ oracle, model }) {
    const reserved = oracle === "ax.time" || oracle === "ax.control";
    const known = reserved ? oracle : this.models.get(oracle);
    if (known === undefined) {
      this.models.set(oracle, model);
    } else if (known !== model) {
      throw new Refused("MODEL_MISMATCH");
    }
    if (this.models.size > MAX_ORACLES) {
      this.furtherOracles.add(oracle);
      if (this.furtherOracles.size > MAX_FURTHER_ORACLES) throw new Refused("MODEL_MISMATCH");
    }
  }
}

/**
 * Verifies a ledger line by line. After each line it yields how many bytes are done, so that a page
 * can show progress and stay alive; the outcome is what it returns.
 * @param {Uint8Array} bytes the file
 * @param {See} [see]
 * @returns {Generator<number, Outcome, void>}
 */
function* verifying(bytes, see = () => {}) {
  const state = new Verification();
  /** @type {Fault | null} */
  let fault = null;
  let offset = 0;
  while (offset < bytes.length && !fault) {
    const line = lineAt(bytes, offset);
    try {
      refuseUnlessWhole(line);
      const entry = asLine(line);
      see(entry, state.take(entry, offset), offset);
    } catch (error) {
      const { verdict, message } = asRefusal(error);
      fault = { verdict, sequence: state.offsets.length, offset, reason: message };
    }
    offset += line.length;
    yield offset;
  }
  if (state.offsets.length === 0 && !fault) {
    const reason = "the file is empty, not even a genesis";
    fault = { verdict: "TRUNCATED", sequence: 0, offset: 0, reason };
  }
  return {
    fault,
    entries: state.offsets.length,
    offsets: state.offsets,
    size: bytes.length,
    head: state.head,
    sealedHead: state.sealedHead,
    profiles: PROFILES.map(({ name }) => name).filter((name) => state.profiles.has(name)),
    counts: state.counts,
  };
}

/**
 * The line that begins at `offset`, its line feed included.
 * @param {Uint8Array} bytes
 * @param {number} offset
 */
function lineAt(bytes, offset) {
  const end = bytes.indexOf(LINE_FEED, offset);
  return bytes.subarray(offset, end < 0 ? bytes.length : end + 1);
}

/** @param {Uint8Array} line */
function refuseUnlessWhole(line) {
  const ended = line[line.length - 1] === LINE_FEED;
  if (line.length > MAX_LINE_BYTES || (!ended && line.length === MAX_LINE_BYTES)) {
    const reason = `the line is longer than ${MAX_LINE_BYTES} bytes, the most there can be`;
    throw new Refused("NON_CANONICAL", reason);
  }
  if (!ended) {
    const reason =
      `the last line is incomplete: ${line.length} bytes without a line feed; ` +
      "its write was interrupted, or the end was cut off";
    throw new Refused("TORN", reason);
  }
}

/** @param {Uint8Array} line */
function asLine(line) {
  try {
    return readLine(line);
  } catch (error) {
    if (!(error instanceof NotCanonical)) throw error;
    throw new Refused("NON_CANONICAL", "the line is not a ledger line in canonical form");
  }
}

/**
 * What a line was refused for; any other error is a defect of this page and goes on.
 * @param {unknown} error
 */
function asRefusal(error) {
  if (error instanceof Refused) return error;
  if (error instanceof NotCanonical) return new Refused("NON_CANONICAL");
  throw error;
}

/**
 * Verifies a ledger at once.
 * @param {Uint8Array} bytes the file
 * @returns {Outcome}
 */
function verifyLedger(bytes) {
  const run = verifying(bytes);
  for (;;) {
    const step = run.next();
    if (step.done) return step.value;
  }
}

/**
 * What a good ledger is found to be where its length or head is known from elsewhere, as
 * `axilog verify --expect-entries --expect-head` finds it.
 * @param {Outcome} outcome without a fault
 * @param {Uint8Array} bytes the file
 * @param {{entries: number | null, head: string | null}} expected entries without a seal
 * @returns {Fault | null}
 */
function unexpected(outcome, bytes, expected) {
  const { entries, offsets, head, sealedHead } = outcome;
  const counted = entries - (sealedHead === null ? 0 : 1);
  const last = { sequence: entries - 1, offset: offsets[entries - 1] };
  const missing = { sequence: entries, offset: outcome.size };
  if (expected.entries !== null && expected.entries !== counted) {
    const reason = `the ledger has ${counted} records, expected ${expected.entries}`;
    if (counted < expected.entries) return { verdict: "TRUNCATED", ...missing, reason };
    const surplus = { sequence: expected.entries, offset: offsets[expected.entries] };
    return { verdict: "ALTERED", ...surplus, reason };
  }
  if (expected.head === null || expected.head === head || expected.head === sealedHead) return null;
  const chainAt = (/** @type {number} */ offset) => new Reader(bytes.subarray(offset + 9)).hash();
  const found = offsets.findLastIndex((offset) => chainAt(offset) === expected.head);
  const place =
    found < 0 ? "no record has the expected one" : `record ${found} has the expected one`;
  const reason = `the head is ${head}; ${place}, ${expected.head}`;
  return expected.entries === null
    ? { verdict: "TRUNCATED", ...missing, reason }
    : { verdict: "ALTERED", ...last, reason };
}
