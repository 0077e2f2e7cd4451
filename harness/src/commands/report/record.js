"use strict";

// One record: in a row of the table, and in full.

const KINDS = {
  genesis: "State",
  observation: "Observation",
  policy: "Policy",
  transition: "Transition",
  raw: "Raw answer",
  seal: "Proof",
};

/**
 * @typedef {object} RecordRow what a row of the table says of a record
 * @property {[string, string]} subject what the record is about, after its name
 * @property {string} result
 * @property {[string, string][]} contents each after its name, where it needs one
 */

/**
 * What a record says, in a row.
 * @param {Said | null} said
 * @param {Uint8Array | null | undefined} question as `Questions.find` gives it
 * @param {number} length how many characters of a question and of an answer
 * @returns {RecordRow}
 */
function describeRow(said, question, length) {
  switch (said?.kind) {
    case "genesis":
      return { subject: ["", ""], result: "", contents: [["", "the beginning of the ledger"]] };
    case "observation": {
      const whom = said.oracle === said.model ? said.oracle : `${said.oracle} / ${said.model}`;
      const size = said.failure ? "" : `, ${count(said.outputSize, "byte")}`;
      /** @type {[string, string][]} */
      const contents = [];
      if (question) contents.push(["Question", excerpt(textOf(question), length)]);
      if (question === null) contents.push(["Question", "not in this page"]);
      const named = isReserved(said.oracle) ? "" : "Answer";
      contents.push([named, said.failure ?? excerpt(said.output, length)]);
      return {
        subject: ["Oracle", excerpt(whom, 80)],
        result: `${said.completion}${size}`,
        contents,
      };
    }
    case "policy": {
      const value = said.actual === NO_VALUE ? "no value" : `value ${decimal(said.actual)}`;
      return {
        subject: ["Policy", said.policy],
        result: said.breach ? "× BREACH" : "PERMITTED",
        contents: [["", `${value}, limit ${decimal(said.threshold)}`]],
      };
    }
    case "transition": {
      const { inputClass, previous, next, violation } = said;
      return {
        subject: ["Input", inputClass],
        result: `${previous} → ${next}`,
        contents: violation ? [["", `× ${violation}`]] : [],
      };
    }
    case "raw":
      return {
        subject: ["", "the whole answer, beside the ledger"],
        result: count(said.bytes, "byte"),
        contents: [["SHA-256", `${said.sha256.slice(0, 16)}…`]],
      };
    case "seal":
      return {
        subject: ["", "the end of the ledger"],
        result: count(said.entries, "record"),
        contents: [],
      };
    default:
      return { subject: ["", ""], result: "not in canonical form", contents: [] };
  }
}

/**
 * A row of the table with everything about a record.
 * @param {Model} model
 * @param {ReturnType<Model["row"]>} row
 * @param {string} id
 */
function recordInFull(model, { number, offset, line, standing, entry, said }, id) {
  const mono = (/** @type {string} */ text) => el("span", { class: "mono digest" }, text);
  /** @type {[string, Child][]} */
  const pairs = [["Line", `at byte ${grouped(offset)}, ${count(line.length, "byte")} long`]];
  if (standing === "bad") pairs.push(["Standing", "the first that is not good"]);
  if (standing === "unchecked") {
    pairs.push(["Standing", "not checked: it stands after one that is not good"]);
  }
  if (entry) {
    const found = hex(commitment(entry.tag, entry.record));
    const differs =
      found === entry.commit ? null : el("strong", { class: "bad" }, `recomputed: ${found}`);
    pairs.push(
      ["Commit", el("span", {}, mono(entry.commit), " ", differs)],
      ["Chain", mono(entry.chain)],
    );
    if (entry.sequence !== BigInt(number)) pairs.push(["Sequence", grouped(entry.sequence)]);
  }
  if (said?.kind === "observation") {
    const params = Object.entries(said.params).filter(([, value]) => value !== null);
    const raw = params.map(([name, value]) => `${name} ${value}`).join(", ");
    pairs.push(
      ["Question, SHA-256", mono(said.inputHash)],
      ["obs_hash", mono(said.obsHash)],
      ["Parameters, raw", raw || "none"],
    );
  }
  const shown = entry ? entry.record : line;
  const name = entry ? "Record, exact bytes" : "Line, exact bytes";
  // A line can be as long as the file where it is none.
  const cut = shown.subarray(0, MAX_LINE_BYTES);
  const left = shown.length - cut.length;
  const more = left > 0 ? ` … and ${count(left, "byte")} more` : null;
  pairs.push([
    name,
    el("pre", { tabindex: 0, class: "bytes", dir: "ltr" }, visibleBytes(cut), more),
  ]);
  const list = el(
    "dl",
    { class: "facts" },
    ...pairs.map(([term, value]) => el("div", {}, el("dt", {}, term), el("dd", {}, value))),
  );
  const exchange = said?.kind === "observation" ? exchangeOf(said, model.questions) : null;
  const cell = el("td", { role: "cell", colspan: 6 }, exchange, list);
  return el("tr", { role: "row", class: "full", id }, cell);
}

/**
 * An answer in full, and the question beside it.
 * @param {Observation} said
 * @param {Questions} questions
 */
function exchangeOf(said, questions) {
  const question = questions.find(said);
  const text = (/** @type {string} */ kind, /** @type {Child} */ child) =>
    el("pre", { tabindex: 0, class: kind, dir: "auto" }, child);
  const pair = (/** @type {string} */ name, /** @type {Child} */ child) =>
    el("div", {}, el("dt", {}, name), el("dd", {}, child));
  const answer = visible(said.output, { lines: true });
  return el(
    "dl",
    { class: "exchange" },
    question ? pair("Question", text("question-text", questionShown(question))) : null,
    question === null
      ? pair(
          "Question",
          `This page does not have it: ${questions.absence || "its hash is unknown"}.`,
        )
      : null,
    pair(isReserved(said.oracle) ? "Input" : "Answer", text("answer-text", answer)),
  );
}

/**
 * A question as text, or as bytes where it is no text.
 * @param {Uint8Array} question
 */
function questionShown(question) {
  try {
    return visible(UTF8.decode(question), { lines: true });
  } catch {
    return visibleBytes(question);
  }
}
