"use strict";

// The page about a ledger that is too long for a page: what the command counted, and how to see more.

/**
 * @typedef {object} Summary
 * @property {number} limit the longest ledger that is put into a page, in MiB
 * @property {Counts} counts
 *
 * @typedef {object} Counts what `axilog stats` counts
 * @property {Record<string, number>} tags
 * @property {{oracle_id: string, model_id: string, observations: number, complete: number, truncated: number,
 *   error: number, failures: Record<string, number>}[]} oracles
 * @property {{policy_id: string, evaluated: number, breaches: number, no_value: number}[]} policies
 * @property {Record<string, number>} violations
 * @property {{first: number, last: number} | null} times
 */

/** What a page without its ledger does not have. */
const ABSENT_PARTS = ["timeline", "records", "hashes", "save-ledger", "checks", "agreement"];

/**
 * Shows the summary.
 * @param {Command} command with a summary
 */
function showSummary(command) {
  const { limit, counts } = /** @type {Summary} */ (command.summary);
  for (const id of ABSENT_PARTS) part(id).hidden = true;
  part("expect").hidden = true;
  part("progress").hidden = true;
  showVerdict(part("browser-verdict"), "NOT CHECKED");
  part("browser-told").replaceChildren(
    el(
      "p",
      {},
      "This page does not hold the ledger. Give it the file below, and the scripts of this page check its chain.",
    ),
  );
  const size = grouped(Math.ceil(command.size / 2 ** 20));
  part("summary-why").replaceChildren(
    `The ledger has ${size} MiB, and a page holds up to ${grouped(limit)} MiB. So there is no record here, and your browser checks nothing: what follows was counted by the command.`,
  );
  const more = [
    ...(limit < 256
      ? [
          [
            "axilog report --limit 256 LEDGER -o page.html",
            "a page with all records, up to 256 MiB",
          ],
        ]
      : []),
    ["axilog show LEDGER --breaches", "each breach and each violation"],
    ["axilog show LEDGER --seq 1000..2000", "some records"],
    [
      "axilog export LEDGER --format csv -o answers.csv",
      "every answer, with what was decided on it",
    ],
  ];
  part("summary-more").replaceChildren(
    ...more.map(([words, what]) => el("li", {}, el("code", {}, words), ` gives ${what}.`)),
  );
  part("summary").hidden = false;
  const events = summaryEvents(counts);
  const [recorded, open] = [summarySentences(counts), openSentences(command)];
  showFindings({ wrong: failedSentences(command), recorded, open, events });
  showSummaryFacts(command, counts);
  showOracles(
    counts.oracles.map(({ oracle_id: oracle, model_id: model, ...answers }) => ({
      oracle,
      model,
      all: answers.observations,
      COMPLETE: answers.complete,
      TRUNCATED: answers.truncated,
      ERROR: answers.error,
    })),
  );
  offerOtherFiles(command.sha256);
  const { verdict } = command.audit;
  const known = Object.hasOwn(JUDGEMENTS, verdict) ? verdict : "FAILED";
  showJudgement(known, events, SUMMARY_JUDGEMENTS);
  document.body.dataset.checked = "summary";
}

/** What the first word of a summary says. @type {Record<string, string>} */
const SUMMARY_JUDGEMENTS = {
  OK: "Every check of axilog audit was made and passed. Your browser checks nothing here.",
  FAILED: "A check of axilog audit failed.",
  INCOMPLETE: "No check of axilog audit failed, and at least one could not be made.",
};

/**
 * What was recorded, as numbers of things.
 * @param {Counts} counts
 */
function summaryEvents({ oracles, policies, violations }) {
  const sum = (/** @type {number[]} */ numbers) => numbers.reduce((all, n) => all + n, 0);
  /** @type {[number, string, string][]} */
  const things = [
    [sum(Object.values(violations)), "violation", "violations"],
    [sum(policies.map(({ breaches }) => breaches)), "breach", "breaches"],
    [
      sum(oracles.map(({ truncated, error }) => truncated + error)),
      "answer that is not whole",
      "answers that are not whole",
    ],
  ];
  return things.filter(([n]) => n > 0).map(([n, one, many]) => count(n, one, many));
}

/**
 * @param {Counts} counts
 * @returns {Child[][]}
 */
function summarySentences({ oracles, policies, violations }) {
  /** @type {Map<string, number>} */
  const lost = new Map();
  for (const { truncated, failures } of oracles) {
    for (const [what, number] of [["TRUNCATED", truncated], ...Object.entries(failures)]) {
      lost.set(String(what), (lost.get(String(what)) ?? 0) + Number(number));
    }
  }
  const breached = policies.filter(({ breaches }) => breaches > 0);
  const sentences = [
    ...Object.entries(violations).map(([violation, number]) => [
      `${count(number, "violation")} `,
      el("code", {}, violation),
      `, because ${VIOLATIONS_TOLD[violation] ?? "of what its name says"}.`,
    ]),
    ...breached
      .slice(0, MAX_PLOTS)
      .map(({ policy_id: id, evaluated, breaches, no_value: without }) => [
        `${count(breaches, "breach", "breaches")} of ${id} in ${count(evaluated, "evaluation")}; ${grouped(without)} of these found no such number.`,
      ]),
    ...Array.from(lost)
      .filter(([what, number]) => number > 0 && Object.hasOwn(LOSSES, what))
      .map(([what, number]) => [`${count(number, ...LOSSES[what])} (`, el("code", {}, what), ")."]),
  ];
  const more = breached.length - MAX_PLOTS;
  if (more > 0)
    sentences.push([`${count(more, "more policy was", "more policies were")} breached.`]);
  return sentences.length > 0
    ? sentences
    : [["No breach and no violation is recorded, and every answer came whole."]];
}

/**
 * @param {Command} command
 * @param {Counts} counts
 */
function showSummaryFacts({ size, sha256: digest, verify }, { tags, times }) {
  const records = Object.values(tags).reduce((all, n) => all + n, 0);
  const accepted = times ? [times.first, times.last].map((time) => ({ time: BigInt(time) })) : [];
  const calendar = new Calendar(accepted);
  const told = accepted.map(({ time }) => calendar.tell(time)).join(" to ");
  const mono = (/** @type {string} */ text) => el("span", { class: "mono digest" }, text);
  showPairs(part("facts"), [
    [verify.verdict === "OK" ? "Records" : "Good records", `${grouped(records)}, genesis included`],
    ["Size", `${grouped(size)} bytes`],
    ["Times", told || "none"],
    ["SHA-256 of the file", mono(digest)],
    ["Head", mono(verify.head ?? "none")],
  ]);
}
