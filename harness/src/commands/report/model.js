"use strict";

// What the page shows of a ledger: its records grouped by step, and series to draw. Only records
// that were found good are counted and drawn; those from the first bad one on are listed as such.

/**
 * @typedef {"good" | "bad" | "unchecked"} Standing
 *
 * @typedef {object} Group an observation and what follows from it, or a record that stands alone
 * @property {number} first its first row
 * @property {number} count of its rows
 * @property {string} title
 * @property {string | null} oracle
 * @property {string | null} outcome in a word or two
 * @property {string | null} states before and after
 * @property {string | null} state after it
 * @property {boolean} breached whether a policy breached
 * @property {string | null} violation
 * @property {string | null} completion of its observation
 * @property {bigint | null} time of an observation of the time
 * @property {Standing} standing
 *
 * @typedef {object} Judgement a policy's decision on an observation
 * @property {number} at the record's sequence
 * @property {number} observation that was judged, the sequence of its record
 * @property {string} oracle whose observation was judged
 * @property {number | null} actual raw Q16.16
 * @property {number} threshold raw Q16.16
 * @property {boolean} breach
 *
 * @typedef {{all: number, COMPLETE: number, TRUNCATED: number, ERROR: number, model: string}} Answers
 */

/** The most records of a step: an observation, a record for each of 64 policies, a transition. */
const MAX_STEP = 66;

/** How many lines are listed from the first bad one on: a ledger may be made to have millions. */
const MAX_REST = 1000;

class Model {
  /**
   * @param {Uint8Array} bytes the file
   * @param {Questions} [questions] those that the page has
   */
  constructor(bytes, questions = new Questions()) {
    this.bytes = bytes;
    this.questions = questions;
    this.derivations = new Derivations(questions);
    /** The answers whose question the page does not have. @type {number[]} */
    this.unasked = [];
    /** Where each row's line begins. @type {number[]} */
    this.rows = [];
    /** How many rows are good; the first of the others, if any, is the bad one. */
    this.good = 0;
    /** How many bytes follow the last row. */
    this.unlisted = 0;
    /** @type {Group[]} */
    this.groups = [];
    /** @type {Map<string, Judgement[]>} */
    this.policies = new Map();
    /** @type {{at: number, previous: string, state: string, violation: string | null}[]} */
    this.states = [];
    /** Observations without a whole answer, by what became of it. @type {Map<string, number[]>} */
    this.incomplete = new Map();
    /** Judged observations in which no policy found its number. @type {Set<number>} */
    this.valueless = new Set();
    /** Accepted times. @type {{at: number, time: bigint}[]} */
    this.times = [];
    /** By oracle and model. @type {Map<string, Answers & {oracle: string}>} */
    this.oracles = new Map();
    /** SHA-256 of the configuration that the first reset names. @type {string | null} */
    this.configuration = null;
    /** The timestamp of the last observation. @type {bigint | null} */
    this.time = null;
    /** The observation that the last policy record judged. @type {number | null} */
    this.judged = null;
    /** The last observation. */
    this.observation = { at: 0, oracle: "" };
  }

  /**
   * Takes a good record; a `See` of the verification.
   * @param {Entry} entry
   * @param {Said} said
   * @param {number} offset
   */
  take(entry, said, offset) {
    const at = this.rows.length;
    this.#list(said, offset, "good");
    this.good = this.rows.length;
    switch (said.kind) {
      case "observation":
        this.#count(said, at);
        this.derivations.take(said, at);
        break;
      case "policy":
        this.#judge(said, at);
        break;
      case "transition":
        this.states.push({
          at,
          previous: said.previous,
          state: said.next,
          violation: said.violation,
        });
        this.derivations.decide(said);
        this.#accept(said, at);
        break;
    }
  }

  /**
   * Lists what follows the last good record, as far as it can be read, MAX_REST lines of it.
   * @returns {Generator<number, void, void>}
   */
  *takeRest() {
    let offset = this.rows.length > 0 ? this.#end(this.rows.length - 1) : 0;
    const most = this.good + MAX_REST;
    while (offset < this.bytes.length && this.rows.length < most) {
      const line = lineAt(this.bytes, offset);
      this.#list(
        understood(line).said,
        offset,
        this.good === this.rows.length ? "bad" : "unchecked",
      );
      offset += line.length;
      yield offset;
    }
    this.unlisted = this.bytes.length - offset;
  }

  /**
   * The row with this number, read again.
   * @param {number} number
   */
  row(number) {
    const offset = this.rows[number];
    const line = lineAt(this.bytes, offset);
    /** @type {Standing} */
    const standing = number < this.good ? "good" : number === this.good ? "bad" : "unchecked";
    return { number, offset, line, standing, ...understood(line) };
  }

  /**
   * The group that holds a row.
   * @param {number} row
   */
  groupOf(row) {
    return this.groups.findLastIndex((group) => group.first <= row);
  }

  /**
   * The unit of the accepted times, and how they are told.
   */
  get calendar() {
    return new Calendar(this.times);
  }

  /**
   * The last accepted time before a record.
   * @param {number} at
   */
  timeAt(at) {
    return this.times.findLast((time) => time.at <= at)?.time ?? null;
  }

  /** @param {number} row */
  #end(row) {
    return this.rows[row] + lineAt(this.bytes, this.rows[row]).length;
  }

  /**
   * @param {Said | null} said
   * @param {number} offset
   * @param {Standing} standing
   */
  #list(said, offset, standing) {
    const group = this.#joined(said, standing);
    if (group) {
      group.count += 1;
      if (group.standing === "good") group.standing = standing;
      if (said?.kind === "policy") group.breached ||= said.breach;
      if (said?.kind === "transition") this.#decide(group, said);
    } else {
      this.groups.push({
        first: this.rows.length,
        count: 1,
        title: title(said),
        oracle: said?.kind === "observation" ? said.oracle : null,
        outcome: said?.kind === "observation" ? "RECORDED ONLY" : null,
        states: null,
        state: null,
        breached: false,
        violation: null,
        completion: said?.kind === "observation" ? said.completion : null,
        time: said?.kind === "observation" ? timestamp(said) : null,
        standing,
      });
    }
    this.rows.push(offset);
  }

  /**
   * The group that a record goes on with, if it does.
   * @param {Said | null} said
   * @param {Standing} standing
   */
  #joined(said, standing) {
    const last = this.groups.at(-1);
    if (!last || !["raw", "policy", "transition"].includes(said?.kind ?? "")) return null;
    if (last.oracle === null && last.standing === "good") return null;
    if (last.count < MAX_STEP) return last;
    // More than any step has: a ledger may be made to look so.
    const title = last.title.replace(/( \(continued\))?$/, " (continued)");
    const next = { ...last, title, first: this.rows.length, count: 0, standing };
    this.groups.push(next);
    return next;
  }

  /**
   * @param {Group} group
   * @param {Transition} said
   */
  #decide(group, said) {
    const { previous, next, violation, inputClass } = said;
    group.violation = violation;
    group.state = next;
    group.outcome = violation ?? (inputClass === "LLM_OBS" ? "PERMITTED" : null);
    group.states = previous === next ? next : `${previous} → ${next}`;
  }

  /**
   * @param {Observation} said
   * @param {number} at
   */
  #count(said, at) {
    const key = JSON.stringify([said.oracle, said.model]);
    const { oracle, model } = said;
    const none = { oracle, model, all: 0, COMPLETE: 0, TRUNCATED: 0, ERROR: 0 };
    const counts = this.oracles.get(key) ?? none;
    counts.all += 1;
    counts[/** @type {"COMPLETE" | "TRUNCATED" | "ERROR"} */ (said.completion)] += 1;
    this.oracles.set(key, counts);
    this.time = timestamp(said);
    this.observation = { at, oracle };
    if (this.questions.find(said) === null) this.unasked.push(at);
    if (said.completion !== "COMPLETE") {
      const what = said.failure ?? said.completion;
      const known = this.incomplete.get(what);
      if (known) known.push(at);
      else this.incomplete.set(what, [at]);
    }
    // A reset is the only control input whose own input is not empty.
    if (oracle === "ax.control" && said.inputHash !== hex(sha256())) {
      this.configuration ??= said.inputHash;
    }
  }

  /**
   * @param {Policy} said
   * @param {number} at
   */
  #judge(said, at) {
    const { at: observation, oracle } = this.observation;
    const actual = said.actual === NO_VALUE ? null : said.actual;
    let series = this.policies.get(said.policy);
    if (!series) this.policies.set(said.policy, (series = []));
    series.push({
      at,
      observation,
      oracle,
      actual,
      threshold: said.threshold,
      breach: said.breach,
    });
    if (actual !== null) this.valueless.delete(observation);
    else if (this.judged !== observation) this.valueless.add(observation);
    this.judged = observation;
  }

  /**
   * @param {Transition} said
   * @param {number} at
   */
  #accept(said, at) {
    const refused = ["TIME_ROLLBACK", "PROTOCOL_VIOLATION"].includes(said.violation ?? "");
    if (this.time !== null && said.inputClass === "TIME_OBS" && !refused) {
      this.times.push({ at, time: this.time });
    }
    this.time = null;
  }
}

/**
 * What a line says, as far as it is canonical; nothing is said of its hashes.
 * @param {Uint8Array} line
 * @returns {{entry: Entry | null, said: Said | null}}
 */
function understood(line) {
  let entry = null;
  try {
    entry = readLine(line);
    return { entry, said: readRecord(entry.tag, entry.record) };
  } catch (error) {
    if (!(error instanceof NotCanonical)) throw error;
    return { entry, said: null };
  }
}

/**
 * The timestamp of an observation of the time.
 * @param {Observation} said
 */
function timestamp(said) {
  const digits = /^\{"timestamp":(0|[1-9][0-9]{0,19})\}$/.exec(said.output)?.[1];
  return said.oracle === "ax.time" && digits ? BigInt(digits) : null;
}

/**
 * What a group is about.
 * @param {Said | null} said its first record
 */
function title(said) {
  switch (said?.kind) {
    case "genesis":
      return "Genesis";
    case "seal":
      return "Seal";
    case "raw":
      return "A raw answer without its observation";
    case "observation": {
      const time = timestamp(said);
      if (time !== null) return `Time ${time}`;
      if (said.oracle === "ax.control") {
        const named = /^\{"input_class":"([A-Z_]+)"\}$/.exec(said.output);
        return `Control ${named ? named[1] : "input"}`;
      }
      return `Answer of ${said.oracle}`;
    }
    case "policy":
    case "transition":
      return "A decision without its observation";
    default:
      return "A line that no record can be read from";
  }
}
