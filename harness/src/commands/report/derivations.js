"use strict";

// Which answers fed which questions. A question that was made from answers names their obs_hashes.

/**
 * @typedef {object} DerivedCall
 * @property {number} at the record of its answer
 * @property {string} oracle
 * @property {Derivation | null} derivation what its question says; null where that cannot be read
 * @property {number} missing how many distinct answers its question names that do not stand before it
 *
 * @typedef {object} Derivation what a question says of the answers that it was made from. Many calls may
 *   have one question, which may name very many answers, so they are counted once for all calls.
 * @property {string[]} sources their obs_hashes
 * @property {boolean} evenRefused whether there are refused ones among them
 * @property {number} missing how many of them, each counted once, are of no observation so far
 */

/** What is said of the time and of control inputs, which feed no question. */
const NO_ANSWER = "it is the time or a control input, and no answer";

/** What is said of a permitted answer after which the ledger computed a value that was refused. */
const OVER_LIMIT = "it was permitted, and a running value after it was not";

/** How many calls the page lists. */
const MAX_CALLS_LISTED = 50;

/** How many answers of one question the page lists and draws. */
const MAX_SOURCES = 100;

/** How many oracles have a row of their own in the drawing; the last row is for all others. */
const MAX_LANES = 12;

class Derivations {
  /** @param {Questions} known */
  constructor(known) {
    /** Those that were made from answers, by input_hash. @type {Map<string, Derivation | null>} */
    this.questions = new Map();
    for (const [hash, question] of known.byHash) {
      const derivation = derivationIn(question);
      if (derivation !== undefined) this.questions.set(hash, derivation);
    }
    /** The questions that name an observation, by its obs_hash. @type {Map<string, Derivation[]>} */
    this.named = new Map();
    for (const derivation of this.questions.values()) {
      for (const hash of new Set(derivation?.sources)) {
        const naming = this.named.get(hash) ?? [];
        if (derivation) naming.push(derivation);
        this.named.set(hash, naming);
      }
    }
    /** The first observation with an obs_hash that a question names. @type {Map<string, {at: number, oracle: string}>} */
    this.places = new Map();
    /** Why an observation that a question names may not be acted on, by record. @type {Map<number, string>} */
    this.refusals = new Map();
    /** The last observation, where a question names it and nothing was decided on it yet. @type {number | null} */
    this.undecided = null;
    /** The last answer of an oracle, by record, where a question names it. @type {number | null} */
    this.answer = null;
    /** The answer after which a running value waits for its decision, likewise. @type {number | null} */
    this.limited = null;
    /** @type {DerivedCall[]} */
    this.calls = [];
  }

  /**
   * Takes the next observation.
   * @param {Observation} said
   * @param {number} at its record
   */
  take(said, at) {
    const computed = isRunningValue(said.oracle);
    this.limited = computed ? this.answer : null;
    if (computed) {
      // The ledger computed it, and nobody asked.
      this.undecided = null;
      return;
    }
    const derivation = this.questions.get(said.inputHash);
    if (derivation !== undefined) {
      const missing = derivation?.missing ?? 0;
      this.calls.push({ at, oracle: said.oracle, derivation, missing });
    }
    this.undecided = null;
    if (this.named.has(said.obsHash) && !this.places.has(said.obsHash)) {
      this.places.set(said.obsHash, { at, oracle: said.oracle });
      for (const derivation of this.named.get(said.obsHash) ?? []) derivation.missing -= 1;
      const reserved = isReserved(said.oracle);
      this.refusals.set(at, reserved ? NO_ANSWER : "no decision was made on it");
      this.undecided = reserved ? null : at;
    }
    this.answer = this.undecided;
  }

  /**
   * Takes the transition after the last observation.
   * @param {{next: string, violation: string | null}} said
   */
  decide({ next, violation }) {
    if (this.limited !== null && (violation !== null || next !== "ENABLED")) {
      this.refusals.set(this.limited, OVER_LIMIT);
    }
    this.limited = null;
    if (this.undecided === null) return;
    const state = `it was permitted, and the agent was in ${next} after it`;
    if (violation !== null) this.refusals.set(this.undecided, "it is a breach");
    else if (next !== "ENABLED") this.refusals.set(this.undecided, state);
    else this.refusals.delete(this.undecided);
    this.undecided = null;
  }

  /**
   * The records of the first answers that a call's question names, null for one that is no earlier
   * observation.
   * @param {DerivedCall} call
   */
  sources({ at, derivation }) {
    return (derivation?.sources ?? []).slice(0, MAX_SOURCES).map((hash) => {
      const place = this.places.get(hash)?.at ?? null;
      return place !== null && place < at ? place : null;
    });
  }

  /**
   * Whether a question may be made from an answer that stands in this record: one that may be acted on, or
   * one that may not where the question says so.
   * @param {Derivation | null} derivation
   * @param {number} source
   */
  admits(derivation, source) {
    const refusal = this.refusals.get(source);
    return refusal === undefined || (derivation?.evenRefused && refusal !== NO_ANSWER);
  }

  /**
   * Finds the calls whose question names at least one answer of this ledger of which something is so.
   * @param {(derivation: Derivation, at: number) => boolean} isSo
   * @returns {(call: DerivedCall) => boolean} whether a call is one of them; each question is looked at once
   */
  someSource(isSo) {
    /** @type {Map<Derivation | null, boolean>} */
    const known = new Map();
    return ({ derivation }) => {
      const found = known.get(derivation);
      if (found !== undefined || derivation === null) return found ?? false;
      const some = derivation.sources.some((hash) => {
        const place = this.places.get(hash);
        return place !== undefined && isSo(derivation, place.at);
      });
      known.set(derivation, some);
      return some;
    };
  }

  /** The calls whose question was made from what no question may be made from. */
  faulty() {
    const refuses = this.someSource((derivation, at) => !this.admits(derivation, at));
    return this.calls.filter(
      (call) => call.derivation === null || call.missing > 0 || refuses(call),
    );
  }
}

/**
 * What a question says of the answers that it was made from; null where that cannot be read, undefined where it names
 * none.
 * @param {Uint8Array} question
 * @returns {Derivation | null | undefined}
 */
function derivationIn(question) {
  if (!textOf(question).includes('"derived_from"')) return undefined;
  let members;
  try {
    members = JSON.parse(UTF8.decode(question));
  } catch {
    // What begins like an object and cannot be read could hide the names.
    return question[0] === 0x7b ? null : undefined;
  }
  const isObject = typeof members === "object" && !Array.isArray(members) && members !== null;
  if (!isObject || !Object.hasOwn(members, "derived_from")) return undefined;
  const { derived_from: sources, even_refused: evenRefused } = members;
  const isHash = (/** @type {unknown} */ source) =>
    typeof source === "string" && /^[0-9a-f]{64}$/.test(source);
  const isReadable = Array.isArray(sources) && sources.length > 0 && sources.every(isHash);
  if (!isReadable) return null;
  return { sources, evenRefused: evenRefused === true, missing: new Set(sources).size };
}

/**
 * Shows the derivations: in words, in a list, and as a drawing that is made by the result.
 * @param {Model} model
 * @param {(row: number) => void} go shows a row
 * @returns {(width: number) => void} draws
 */
function showDerivations(model, go) {
  const { calls } = model.derivations;
  const lacking = model.unasked.length;
  if (calls.length === 0 && lacking === 0) return () => {};
  part("derivations").hidden = false;
  const { derivations } = model;
  const faulty = derivations.faulty();
  const isFaulty = new Set(faulty);
  const hasRefused = derivations.someSource((_, at) => derivations.refusals.has(at));
  const said = calls.filter((call) => !isFaulty.has(call) && hasRefused(call));
  part("derivations-told").replaceChildren(
    calls.length === 0 ? "None is known. " : `${count(calls.length, "question")}. `,
    ...(faulty.length === 0
      ? []
      : [
          "Made from what is no earlier answer of this ledger, or may not be acted on, marked ×: ",
          ...links(
            faulty.map(({ at }) => at),
            go,
          ),
          ". ",
        ]),
    ...(said.length === 0
      ? []
      : [
          "Made from answers that may not be acted on, as the question says: ",
          ...links(
            said.map(({ at }) => at),
            go,
          ),
          ". ",
        ]),
    lacking === 0
      ? ""
      : `The page does not have the questions of ${count(lacking, "answer")}; what those were made from is not known here.`,
  );
  const more = calls.length - MAX_CALLS_LISTED;
  part("derived").replaceChildren(
    ...calls.slice(0, MAX_CALLS_LISTED).map((call) => derivedItem(derivations, call, go)),
    more > 0 ? el("li", {}, `${grouped(more)} more, not listed.`) : "",
  );
  return (width) => drawDerivations(part("derivations-drawn"), model, width);
}

/**
 * @param {Derivations} derivations
 * @param {DerivedCall} call
 * @param {(row: number) => void} go
 */
function derivedItem(derivations, call, go) {
  const { at, oracle, derivation } = call;
  const sources = derivations.sources(call);
  const known = sources.filter((source) => source !== null);
  const unknown = sources.length - known.length;
  const more = (derivation?.sources.length ?? 0) - sources.length;
  return el(
    "li",
    {},
    link(at, go),
    " of ",
    visible(oracle),
    derivation ? ", asked with " : ": the answers that its question names cannot be read.",
    ...links(known, go),
    unknown > 0
      ? `${known.length > 0 ? ", " : ""}${count(unknown, "answer")} that this ledger does not have before it`
      : "",
    more > 0 ? ` and ${count(more, "answer")} more, not listed` : "",
    ...known.map((source) => refusalNote(derivations, call, source)),
  );
}

/**
 * What is said of a source that may not be acted on; nothing of one that may.
 * @param {Derivations} derivations
 * @param {DerivedCall} call
 * @param {number} source
 */
function refusalNote(derivations, call, source) {
  const refusal = derivations.refusals.get(source);
  if (refusal === undefined) return "";
  const said = derivations.admits(call.derivation, source) ? ", as the question says" : "";
  return `; ${grouped(source)} may not be acted on${said}: ${refusal}`;
}

/**
 * @param {HTMLElement} place
 * @param {Model} model
 * @param {number} width
 */
function drawDerivations(place, model, width) {
  const { calls, places } = model.derivations;
  if (calls.length === 0) return;
  const oracleAt = new Map(Array.from(places.values(), ({ at, oracle }) => [at, oracle]));
  const oracles = Array.from(new Set([...oracleAt.values(), ...calls.map(({ oracle }) => oracle)]));
  const lanes = oracles.slice(0, oracles.length > MAX_LANES ? MAX_LANES - 1 : MAX_LANES);
  const names = lanes.length < oracles.length ? [...lanes, "others"] : lanes;
  const lane = 26;
  const height = MARGIN.top + names.length * lane + MARGIN.bottom;
  const drawing = frame(
    place,
    model,
    { width, height },
    { name: "Which answers fed which questions, a row for each oracle", axis: "oracle" },
  );
  const { x, root } = drawing;
  const y = (/** @type {string} */ oracle) => {
    const row = lanes.indexOf(oracle);
    return MARGIN.top + ((row < 0 ? lanes.length : row) + 0.5) * lane;
  };
  names.forEach((name, row) => {
    const label = { class: "tick end", x: MARGIN.left - 8, y: MARGIN.top + (row + 0.5) * lane + 4 };
    root.append(svg("text", label, visible(excerpt(name, 10))));
  });
  const { refusals } = model.derivations;
  /** @type {string[]} */
  const arrows = [];
  /** @type {string[]} */
  const refused = [];
  for (const call of calls) {
    const to = { x: x(call.at), y: y(call.oracle) };
    for (const at of model.derivations.sources(call)) {
      if (at === null) continue;
      const drawn = arrow({ x: x(at), y: y(oracleAt.get(at) ?? "") }, to);
      (refusals.has(at) ? refused : arrows).push(drawn);
    }
  }
  const answers = [...oracleAt].map(([at, oracle]) => ({ x: x(at), y: y(oracle) }));
  const asked = calls.map(({ at, oracle }) => ({ x: x(at), y: y(oracle) }));
  const faulty = model.derivations.faulty();
  const marks = apart(faulty.map(({ at, oracle }) => ({ x: x(at), y: y(oracle) })));
  const dot = (/** @type {{x: number, y: number}} */ at) =>
    `M${round(at.x - 3)} ${at.y}a3 3 0 1 0 6 0a3 3 0 1 0-6 0`;
  root.append(
    svg("path", { class: "feeds", d: Array.from(new Set(arrows)).join("") }),
    svg("path", { class: "feeds-refused", d: Array.from(new Set(refused)).join("") }),
    svg("path", {
      class: "dot",
      d: apart([...answers, ...asked])
        .map(dot)
        .join(""),
    }),
    svg("path", { class: "breach", d: marks.map(cross).join("") }),
  );
  hatchUnverified(drawing, model);
}

/**
 * A line from an answer to what was asked with it, with a head.
 * @param {{x: number, y: number}} from
 * @param {{x: number, y: number}} to
 */
function arrow(from, to) {
  const bend = Math.max(8, (to.x - from.x) / 2);
  // In one row the line would hide behind the dots, so it goes above them.
  const lift = from.y === to.y ? 11 : 0;
  const curve = `C${round(from.x + bend)} ${from.y - lift} ${round(to.x - bend)} ${to.y - lift} ${round(to.x - 4)} ${to.y}`;
  return `M${from.x} ${from.y}${curve}m-5-3l5 3l-5 3`;
}
