"use strict";

// Files that are saved from the page: the ledger's bytes, and the steps that are listed, as `axilog export` writes them.

/** The columns of `axilog export`, and two more. */
const COLUMNS = [
  "sequence",
  "oracle_id",
  "model_id",
  "completion_state",
  "failure_type",
  "input_hash",
  "obs_hash",
  "output",
  "output_size",
  "params",
  "policies",
  "input_class",
  "prev_state",
  "next_state",
  "violation",
  "verified",
  "time",
  "question",
];

/** The signs that a spreadsheet takes for the beginning of a formula, in full width too. */
const FORMULA = /^(?:[\t\r\n]|\s*[=+\-@＝＋－＠])/u;

/**
 * Saves a file.
 * @param {BlobPart[]} pieces
 * @param {string} name
 * @param {string} type
 */
function saveFile(pieces, name, type) {
  const href = URL.createObjectURL(new Blob(pieces, { type }));
  el("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60000);
}

/**
 * Lets the ledger's bytes be saved.
 * @param {Uint8Array} bytes
 * @param {string} name
 */
function offerBytes(bytes, name) {
  const save = () => saveFile([/** @type {BlobPart} */ (bytes)], name, "application/octet-stream");
  part("save").addEventListener("click", save);
}

/**
 * Lets the listed steps be saved.
 * @param {Steps} steps
 * @param {string} name of the ledger
 * @param {boolean} isReplayed whether the command replayed the ledger that the browser finds good
 */
function offerListed(steps, name, isReplayed) {
  const { model } = steps;
  const save = async (/** @type {"csv" | "jsonl"} */ format) => {
    const write = format === "csv" ? csvLine : jsonLine;
    const rows = await paced(exporting(model, steps.listed, isReplayed, write), 1, () => {});
    const head = format === "csv" ? [`${COLUMNS.join(",")}\n`] : [];
    const type = format === "csv" ? "text/csv" : "application/jsonl";
    saveFile([...head, ...rows], `${name.replace(/\.jsonl$/, "")}-listed.${format}`, type);
  };
  part("save-csv").addEventListener("click", () => save("csv"));
  part("save-jsonl").addEventListener("click", () => save("jsonl"));
}

/**
 * Writes the observations among steps, a line each.
 * @param {Model} model
 * @param {Group[]} groups
 * @param {boolean} isReplayed
 * @param {(row: Record<string, unknown>) => string} write
 * @returns {Generator<number, string[], void>}
 */
function* exporting(model, groups, isReplayed, write) {
  const lines = [];
  for (const group of groups) {
    const row = exportRow(model, group, isReplayed);
    if (row) lines.push(write(row));
    yield 0;
  }
  return lines;
}

/**
 * The observation of a step with what was decided on it; null where the step has none.
 * @param {Model} model
 * @param {Group} group
 * @param {boolean} isReplayed
 * @returns {Record<string, unknown> | null}
 */
function exportRow(model, { first, count: records, standing }, isReplayed) {
  const { said, entry } = model.row(first);
  if (said?.kind !== "observation" || !entry) return null;
  const policies = [];
  /** @type {Transition | null} */
  let transition = null;
  for (let row = first + 1; row < first + records; row++) {
    const next = model.row(row).said;
    if (next?.kind === "policy" && next.boundTo === said.ledgerSeq) {
      policies.push({
        actual: next.actual === NO_VALUE ? null : next.actual,
        policy_id: next.policy,
        result: next.breach ? "BREACH" : "PERMITTED",
        threshold: next.threshold,
      });
    }
    if (next?.kind === "transition" && next.boundTo === said.ledgerSeq) transition = next;
  }
  const question = model.questions.find(said);
  return {
    sequence: entry.sequence,
    oracle_id: said.oracle,
    model_id: said.model,
    completion_state: said.completion,
    failure_type: said.failure,
    input_hash: said.inputHash,
    obs_hash: said.obsHash,
    output: said.output,
    output_size: said.outputSize,
    params: said.params,
    policies,
    input_class: transition?.inputClass ?? null,
    prev_state: transition?.previous ?? null,
    next_state: transition?.next ?? null,
    violation: transition?.violation ?? null,
    verified: isReplayed && standing === "good" && transition !== null,
    time: model.timeAt(first + records - 1),
    question: question ? textOf(question) : null,
  };
}

/**
 * Canonical JSON of what a row holds.
 * @param {unknown} value
 * @returns {string}
 */
function canonical(value) {
  if (typeof value === "bigint") return String(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(",")}}`;
}

/**
 * A row as a line of JSON, in which everything unseen is an escape.
 * @param {Record<string, unknown>} row
 */
function jsonLine(row) {
  const escaped = canonical(row).replace(UNSEEN, (character) =>
    Array.from({ length: character.length }, (_, n) => {
      const unit = character.charCodeAt(n).toString(16).padStart(4, "0");
      return `\\u${unit}`;
    }).join(""),
  );
  return `${escaped}\n`;
}

/**
 * A row as a line of CSV: nothing for null, everything unseen in a text as an escape, and an apostrophe before a text
 * that a spreadsheet would take for a formula.
 * @param {Record<string, unknown>} row
 */
function csvLine(row) {
  const cells = COLUMNS.map((name) => {
    const value = row[name];
    if (value === null) return "";
    if (typeof value !== "string") return canonical(value);
    return `${FORMULA.test(value) ? "'" : ""}${escapedText(value)}`;
  });
  const quoted = cells.map((cell) =>
    /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell,
  );
  return `${quoted.join(",")}\n`;
}

/** @param {string} text */
function escapedText(text) {
  return text.replace(UNSEEN, (character) => {
    if (character === "\n") return character;
    if (character === "\t") return "\\t";
    if (character === "\r") return "\\r";
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });
}
