"use strict";

// Which answers fed which questions. A question that was made from answers names their obs_hashes,
// and an observation names its question by hash: the page has the questions, and computes the hashes.

/**
 * @typedef {object} Questions what the command had of the questions that were made from answers
 * @property {string[]} questions
 * @property {number} left_out calls whose question would have made the page too long
 * @property {number} unread calls whose question was not beside the ledger
 *
 * @typedef {object} DerivedCall
 * @property {number} at the record of its answer
 * @property {string} oracle
 * @property {(number | null)[] | null} sources the records of the answers that its question names, null
 *   for one that is no earlier observation; null where they cannot be read
 */

/** How many calls the page lists. */
const MAX_CALLS_LISTED = 50;

/** How many oracles have a row of their own in the drawing; the last row is for all others. */
const MAX_LANES = 12;

class Derivations {
  /** @param {Questions} known */
  constructor(known) {
    this.known = known;
    /** By input_hash. @type {Map<string, string[] | null>} */
    this.questions = new Map(
      known.questions.map((text) => [hex(sha256(bytesOf(text))), sourcesIn(text)]),
    );
    const named = Array.from(this.questions.values()).flatMap((sources) => sources ?? []);
    this.named = new Set(named);
    /** The first observation with an obs_hash that a question names. @type {Map<string, {at: number, oracle: string}>} */
    this.places = new Map();
    /** @type {DerivedCall[]} */
    this.calls = [];
  }

  /**
   * Takes the next observation.
   * @param {Observation} said
   * @param {number} at its record
   */
  take(said, at) {
    const sources = this.questions.get(said.inputHash);
    if (sources !== undefined) {
      const found = sources && sources.map((hash) => this.places.get(hash)?.at ?? null);
      this.calls.push({ at, oracle: said.oracle, sources: found });
    }
    if (this.named.has(said.obsHash) && !this.places.has(said.obsHash)) {
      this.places.set(said.obsHash, { at, oracle: said.oracle });
    }
  }
}

/**
 * The obs_hashes that a question names; null where they cannot be read.
 * @param {string} question
 * @returns {string[] | null}
 */
function sourcesIn(question) {
  try {
    const sources = JSON.parse(question).derived_from;
    const isHash = (/** @type {unknown} */ source) =>
      typeof source === "string" && /^[0-9a-f]{64}$/.test(source);
    return Array.isArray(sources) && sources.every(isHash) ? sources : null;
  } catch {
    return null;
  }
}

/**
 * Shows the derivations: in words, in a list, and as a drawing that is made by the result.
 * @param {Model} model
 * @param {(row: number) => void} go shows a row
 * @returns {() => void} draws
 */
function showDerivations(model, go) {
  const { calls, known } = model.derivations;
  const lacking = known.left_out + known.unread;
  if (calls.length === 0 && lacking === 0) return () => {};
  part("derivations").hidden = false;
  const faulty = calls.filter(({ sources }) => !sources || sources.includes(null));
  part("derivations-told").replaceChildren(
    calls.length === 0 ? "None is known. " : `${count(calls.length, "question")}. `,
    ...(faulty.length === 0
      ? []
      : [
          "Names what is no earlier answer of this ledger, marked ×: ",
          ...links(
            faulty.map(({ at }) => at),
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
    ...calls.slice(0, MAX_CALLS_LISTED).map((call) => derivedItem(call, go)),
    more > 0 ? el("li", {}, `${grouped(more)} more, not listed.`) : "",
  );
  return () => drawDerivations(part("derivations-drawn"), model);
}

/**
 * @param {DerivedCall} call
 * @param {(row: number) => void} go
 */
function derivedItem({ at, oracle, sources }, go) {
  const known = (sources ?? []).filter((source) => source !== null);
  const unknown = (sources ?? []).length - known.length;
  return el(
    "li",
    {},
    ...links([at], go),
    "of ",
    visible(oracle),
    sources ? ", asked with " : ": the answers that its question names cannot be read.",
    ...links(known, go),
    unknown > 0 ? `${count(unknown, "answer")} that this ledger does not have before it` : "",
  );
}

/**
 * @param {HTMLElement} place
 * @param {Model} model
 */
function drawDerivations(place, model) {
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
    height,
    "Which answers fed which questions, a row for each oracle",
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
  const arrows = [];
  for (const call of calls) {
    const to = { x: x(call.at), y: y(call.oracle) };
    for (const at of call.sources ?? []) {
      if (at === null) continue;
      arrows.push(arrow({ x: x(at), y: y(oracleAt.get(at) ?? "") }, to));
    }
  }
  const answers = [...oracleAt].map(([at, oracle]) => ({ x: x(at), y: y(oracle) }));
  const asked = calls.map(({ at, oracle }) => ({ x: x(at), y: y(oracle) }));
  const faulty = calls.filter(({ sources }) => !sources || sources.includes(null));
  const marks = apart(faulty.map(({ at, oracle }) => ({ x: x(at), y: y(oracle) })));
  const dot = (/** @type {{x: number, y: number}} */ at) =>
    `M${round(at.x - 3)} ${at.y}a3 3 0 1 0 6 0a3 3 0 1 0-6 0`;
  root.append(
    svg("path", { class: "feeds", d: Array.from(new Set(arrows)).join("") }),
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
