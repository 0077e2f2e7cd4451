"use strict";

// The verdict at the top, the facts, and the comparison with what is known from elsewhere.

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
 *
 * @typedef {{subject: string, result: string, finding: string, details: string[]}} Check of an audit
 */

/** How many oracles are listed; a ledger may be made to have any number. */
const MAX_LISTED = 200;

/**
 * Shows a verdict: a mark and its name, and good or bad by class.
 * @param {HTMLElement} place
 * @param {string} verdict
 */
function showVerdict(place, verdict) {
  const good = verdict === "OK";
  const mark = el("span", { class: "mark", "aria-hidden": true }, good ? "✓" : "✗");
  place.replaceChildren(mark, verdict);
  place.className = `said ${good ? "good" : "bad"}`;
}

/**
 * Where a fault is and what it is.
 * @param {{sequence?: number, offset?: number, reason?: string}} fault
 */
function place({ sequence, offset, reason }) {
  const where = `Record ${grouped(sequence ?? 0)} at byte ${grouped(offset ?? 0)}: `;
  return el("p", {}, where, visible(reason ?? ""), ".");
}

/**
 * Shows the one verdict over everything, the first word of the page.
 * @param {string} verdict
 */
function showJudgement(verdict) {
  showVerdict(part("judgement"), verdict);
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

/** @param {Command} command */
function showCommand({ audit, generator }) {
  showVerdict(part("command").querySelector(".said"), audit.verdict);
  const open = audit.checks.filter(({ result }) => result !== "passed");
  const passed = audit.checks.filter(({ result }) => result === "passed");
  const limits = [
    ...audit.unjudged_oracles.map(
      ({ oracle_id: oracle, answers }) =>
        `${count(answers, "answer")} of oracle ${JSON.stringify(oracle)}: no policy covers them`,
    ),
    ...audit.not_compared,
  ];
  const told = [
    ...open.map(({ subject, result, finding, details }) =>
      el(
        "div",
        {},
        el("p", {}, el("strong", { class: "bad" }, `${subject} ${result}: `), visible(finding)),
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
    const show = () => go(fault.sequence);
    const label = `Show record ${grouped(fault.sequence)}`;
    told.append(el("p", {}, el("button", { type: "button", click: show }, label)));
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
    el("button", { type: "button", click: () => go(row) }, `Show record ${grouped(row)}`),
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

/**
 * @param {Outcome} outcome
 * @param {Model} model
 * @param {Command} command
 * @param {string} digest
 * @param {boolean} rulesKnown
 * @param {{name?: string, note?: string} | null | undefined} manifest as `readManifest` gives it
 */
function showFacts(outcome, model, command, digest, rulesKnown, manifest) {
  const { sealedHead, entries, head, fault } = outcome;
  const mono = (/** @type {string} */ text) => el("span", { class: "mono digest" }, text);
  const last = model.states.at(-1);
  const times = model.times;
  const kept = rulesKnown ? "in this page" : "not in this page";
  /** @type {[string, Child][]} */
  const facts = [
    ["File", el("bdi", {}, visible(command.file))],
    ["Size", `${grouped(outcome.size)} bytes`],
    ["SHA-256 of the file", mono(digest)],
    [fault ? "Good records" : "Records", `${grouped(entries)}, genesis included`],
    [fault ? "Head of the good part" : "Head", head ? mono(head) : "none"],
    ["Seal", sealedHead ? `seals ${grouped(entries - 1)} records` : "none"],
    ["State of the agent", last ? last.state : "UNINIT"],
    ["Profile", outcome.profiles.join(", ") || "none"],
    ["Times", times.length > 0 ? `${times[0].time} to ${times[times.length - 1].time}` : "none"],
    [
      "Configuration",
      model.configuration ? el("span", {}, mono(model.configuration), ` ${kept}`) : "none named",
    ],
  ];
  if (manifest === null) facts.push(["Manifest", "named by the configuration, not in this page"]);
  if (manifest?.name !== undefined) facts.push(["Name", el("bdi", {}, visible(manifest.name))]);
  if (manifest?.note !== undefined) facts.push(["Note", el("bdi", {}, visible(manifest.note))]);
  part("facts").replaceChildren(
    ...facts.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))),
  );
  const columns = ["Oracle", "Model", "Observations", "Complete", "Cut", "Failed"];
  const rows = Array.from(model.oracles.values())
    .slice(0, MAX_LISTED)
    .map((answers) => {
      const { oracle, model: name, all, COMPLETE, TRUNCATED, ERROR } = answers;
      return el(
        "tr",
        {},
        el("th", { scope: "row" }, el("bdi", {}, visible(oracle))),
        el("td", {}, el("bdi", {}, visible(name))),
        ...[all, COMPLETE, TRUNCATED, ERROR].map((n) => el("td", { class: "number" }, grouped(n))),
      );
    });
  const names = el("tr", {}, ...columns.map((name) => el("th", { scope: "col" }, name)));
  part("oracles").replaceChildren(
    el("table", {}, el("thead", {}, names), el("tbody", {}, ...rows)),
    model.oracles.size > rows.length
      ? `${count(model.oracles.size - rows.length, "pair")} more, not listed.`
      : "",
  );
}

/**
 * Answers the form that compares with what was kept elsewhere.
 * @param {Outcome} outcome
 * @param {Uint8Array} bytes
 */
function answerExpectations(outcome, bytes) {
  const answer = part("expect-answer");
  const say = (/** @type {boolean | null} */ good, /** @type {string} */ text) => {
    answer.className = `answer ${good === null ? "" : good ? "good" : "bad"}`;
    answer.replaceChildren(text);
  };
  part("expect").addEventListener("submit", (/** @type {Event} */ event) => {
    event.preventDefault();
    const head = part("expect-head").value.replace(/\s/g, "").toLowerCase();
    const entries = part("expect-entries").value.replace(/[\s,.']/g, "");
    if (head === "" && entries === "")
      return say(null, "Give a head, a number of records, or both.");
    if (head !== "" && !/^[0-9a-f]{64}$/.test(head)) {
      return say(
        false,
        `A head has 64 hexadecimal digits; this is something else (${count(head.length, "character")}).`,
      );
    }
    if (entries !== "" && !/^[1-9][0-9]{0,14}$/.test(entries)) {
      return say(false, "The number of records is a whole number from 1.");
    }
    if (outcome.fault) {
      return say(false, `The ledger is not good, whatever its head: ${outcome.fault.verdict}.`);
    }
    const fault = unexpected(outcome, bytes, {
      entries: entries === "" ? null : Number(entries),
      head: head === "" ? null : head,
    });
    if (fault) {
      const where = `record ${grouped(fault.sequence)} at byte ${grouped(fault.offset)}`;
      return say(false, `✗ ${fault.verdict}, ${where}: ${fault.reason}.`);
    }
    return say(true, "✓ As expected: this is the ledger whose head or length you kept.");
  });
}
