"use strict";

// The verdict at the top, and the two that it is made of: the command's and the browser's.

/**
 * @typedef {object} Command what the command found, as it stands in the page
 * @property {string} generator
 * @property {string} file
 * @property {number} size
 * @property {string} sha256
 * @property {{verdict: string, checks: Check[], not_compared: string[],
 *   unjudged_oracles: {oracle_id: string, answers: number}[]}} audit
 * @property {{verdict: string, entries?: number, head?: string, sequence?: number, offset?: number,
 *   reason?: string}} verify
 * @property {{verdict: string | null, sequence?: number}} replay no verdict where there was none
 * @property {Summary | null} summary in place of a ledger that is too long for a page
 *
 * @typedef {{subject: string, result: string, finding: string, details: string[]}} Check of an audit
 */

/**
 * Shows a verdict: a mark and its name, and good or bad by class.
 * @param {HTMLElement} place
 * @param {string} verdict
 * @param {boolean} [isCalm] whether there is nothing to look at: a verdict that is OK above violations is not green
 */
function showVerdict(place, verdict, isCalm = true) {
  const good = verdict === "OK";
  const mark = good ? (isCalm ? "✓" : null) : "✗";
  place.replaceChildren(
    mark ? el("span", { class: "mark", "aria-hidden": true }, mark) : "",
    verdict,
  );
  place.className = `said ${good ? (isCalm ? "good" : "noted") : "bad"}`;
}

/** What the first word of the page says. @type {Record<string, string>} */
const JUDGEMENTS = {
  OK: "Every check of axilog audit was made and passed, and your browser found the same of the chain.",
  FAILED: "A check failed, or the command and your browser contradict each other.",
  INCOMPLETE: "No check failed, and at least one could not be made.",
};

/**
 * Where a fault is and what it is.
 * @param {{sequence?: number, offset?: number, reason?: string}} fault
 */
function place({ sequence, offset, reason }) {
  const where = `Record ${grouped(sequence ?? 0)} at byte ${grouped(offset ?? 0)}: `;
  return el("p", {}, where, visible(reason ?? ""), ".");
}

/**
 * Shows the one verdict over everything, the first word of the page, and what it means.
 * @param {string} verdict
 * @param {string[]} events what the ledger records that a person should look at, as numbers of things
 * @param {Record<string, string>} [meanings]
 */
function showJudgement(verdict, events, meanings = JUDGEMENTS) {
  showVerdict(part("judgement"), verdict, events.length === 0);
  const recorded =
    verdict === "OK" && events.length > 0
      ? ` The verdict is about the ledger, not about the answers in it: the ledger records ${enumerated(events)}.`
      : "";
  part("judgement-told").replaceChildren((meanings[verdict] ?? "") + recorded);
  const [, ...named] = document.title.split(" – ");
  document.title = [verdict, ...named].join(" – ");
}

/**
 * The one verdict over what the command's audit found and what the browser found, as an audit judges:
 * a failure outweighs a check that could not be made.
 * @param {Outcome} outcome
 * @param {Command} command
 * @param {string} digest of the ledger in this page
 * @param {number[]} different the policy records that are not what the configuration gives
 */
function judge(outcome, command, digest, different) {
  const { fault, sealedHead } = outcome;
  // A writer that was killed leaves a torn line, but not after a seal.
  const isInterrupted = fault?.verdict === "TORN" && fault.sequence > 0 && sealedHead === null;
  const isWrong = (fault !== null && !isInterrupted) || different.length > 0;
  if (isWrong || !agrees(outcome, command, digest)) return "FAILED";
  const { verdict } = command.audit;
  if (verdict !== "OK" && verdict !== "INCOMPLETE") return "FAILED";
  return isInterrupted ? "INCOMPLETE" : verdict;
}

/**
 * The checks that did not pass; those of which the same is to be said are one.
 * @param {Check[]} checks
 */
function openChecks(checks) {
  /** @type {Map<string, {subjects: string[], result: string, finding: string, details: string[]}>} */
  const open = new Map();
  for (const { subject, result, finding, details } of checks) {
    if (result === "passed") continue;
    const key = JSON.stringify([result, finding, details]);
    const known = open.get(key);
    if (known) known.subjects.push(subject);
    else open.set(key, { subjects: [subject], result, finding, details });
  }
  return Array.from(open.values());
}

/** @param {Command} command */
function showCommand({ audit, generator }) {
  showVerdict(part("command").querySelector(".said"), audit.verdict);
  const passed = audit.checks.filter(({ result }) => result === "passed");
  const limits = [
    ...audit.unjudged_oracles.map(
      ({ oracle_id: oracle, answers }) =>
        `${count(answers, "answer")} of oracle ${JSON.stringify(oracle)}: no policy covers them`,
    ),
    ...audit.not_compared,
  ];
  const told = [
    ...openChecks(audit.checks).map(({ subjects, result, finding, details }) =>
      el(
        "div",
        {},
        el(
          "p",
          {},
          el("strong", { class: "bad" }, `${enumerated(subjects)} ${result}: `),
          visible(finding),
        ),
        listed(details),
      ),
    ),
    folded(
      count(passed.length, "check passed", "checks passed"),
      passed.map(({ subject, finding }) => `${subject}: ${finding}`),
    ),
    folded("Not judged, and not compared with anything", limits),
    el("p", { class: "hint" }, `Found by ${generator} when it wrote this page.`),
  ];
  part("command-told").replaceChildren(...told.filter((child) => child !== null));
}

/**
 * A list of what is text from a ledger; nothing where it is empty.
 * @param {string[]} lines
 */
function listed(lines) {
  return lines.length === 0
    ? null
    : el("ul", {}, ...lines.map((line) => el("li", {}, visible(line))));
}

/**
 * A list that is shown on demand; nothing where it is empty.
 * @param {string} summary
 * @param {string[]} lines
 */
function folded(summary, lines) {
  const list = listed(lines);
  return list && el("details", {}, el("summary", {}, summary), list);
}

/**
 * @param {Outcome} outcome
 * @param {Command} command
 * @param {string} digest of the ledger in this page
 * @param {(row: number) => void} go shows a row
 */
function showOutcome(outcome, command, digest, go) {
  const { fault } = outcome;
  const told = part("browser-told");
  showVerdict(part("browser-verdict"), fault?.verdict ?? "OK");
  part("progress").hidden = true;
  const good = `${count(outcome.entries, "record")}${outcome.sealedHead ? ", sealed" : ""}; `;
  told.replaceChildren(
    fault
      ? place(fault)
      : el(
          "p",
          {},
          good,
          "every hash and every link of the chain recomputed, every line in canonical form.",
        ),
    el("p", { class: "hint" }, "Computed just now by the scripts in this page."),
  );
  if (fault) {
    const label = `Show record ${grouped(fault.sequence)}`;
    told.append(el("p", {}, link(fault.sequence, go, label)));
  }
  part("agreement").replaceWith(agreement(outcome, command, digest, go));
}

/**
 * Whether the command found of the chain what the browser finds, in the same bytes.
 * @param {Outcome} outcome
 * @param {Command} command
 * @param {string} digest of the ledger in this page
 */
function agrees({ fault, head, entries }, { verify, sha256: expected }, digest) {
  const same = fault
    ? verify.sequence === fault.sequence && verify.offset === fault.offset
    : verify.head === head && verify.entries === entries;
  return same && verify.verdict === (fault?.verdict ?? "OK") && digest === expected;
}

/**
 * How the two verdicts go together, in a sentence.
 * @param {Outcome} outcome
 * @param {Command} command
 * @param {string} digest of the ledger in this page
 * @param {(row: number) => void} go shows a row
 */
function agreement(outcome, command, digest, go) {
  const { replay } = command;
  if (!agrees(outcome, command, digest)) {
    const text =
      "The two do not agree: the bytes in this page, or the page itself, " +
      "are not what the command wrote.";
    return el("p", { id: "agreement", class: "bad" }, text);
  }
  if (replay.verdict === null || replay.verdict === "OK") {
    return el(
      "p",
      { id: "agreement" },
      "Both looked at the same bytes and found the same of the chain.",
    );
  }
  const row = replay.sequence ?? 0;
  return el(
    "p",
    { id: "agreement", class: "bad" },
    `✗ The chain is good, but replay found ${replay.verdict} at record ${grouped(row)}. `,
    link(row, go, `Show record ${grouped(row)}`),
  );
}

/**
 * What the browser recomputed.
 * @param {Outcome} outcome
 * @param {{compared: number, different: number[]} | null} compared with the rules
 */
function showChecks({ entries, counts, fault, sealedHead }, compared) {
  const observations = counts["AX:OBS:v1"];
  const decisions = counts["AX:POLICY:v1"] + counts["AX:TRANS:v1"];
  const checks = [
    `${count(entries, "line")}: canonical form, and the sequence from 0 without a gap`,
    `${count(entries, "commit")} and ${count(entries, "chain value")} recomputed`,
    `${count(observations, "obs_hash", "obs_hashes")} recomputed; text in UTF-8 and NFC, no controls below U+0020`,
    `${count(decisions, "decision record")} bound to the observation before`,
    "one model for every oracle",
    sealedHead
      ? "the seal: its count and its head"
      : "no seal: nothing says that the ledger is complete",
  ];
  if (compared) {
    const { different, compared: number } = compared;
    checks.push(
      different.length === 0
        ? `${count(number, "policy result")}: value, limit and operator of the configuration give what is recorded`
        : `${count(different.length, "policy result")} of ${grouped(number)} not what the configuration gives: record ${different.slice(0, 20).map(grouped).join(", ")}`,
    );
  }
  const until = fault
    ? el("p", {}, `Up to record ${grouped(fault.sequence)}, which is not good:`)
    : "";
  part("checks-made").replaceChildren(until, el("ul", {}, ...checks.map((c) => el("li", {}, c))));
  if (compared && compared.different.length > 0) part("checks").open = true;
}
