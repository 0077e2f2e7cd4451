"use strict";

// What a person should look at, as sentences that lead to the records: first what is wrong with the ledger, then what it
// records of breaches, alarms, violations and lost answers, then what nobody compared.

/** How many policies and oracles are named one by one; all are counted. */
const MAX_SENTENCES = 12;

/** What each violation says. @type {Record<string, string>} */
const VIOLATIONS_TOLD = {
  POLICY_BREACH: "a policy was breached",
  TIME_ROLLBACK: "a time was not after the one before",
  PROTOCOL_VIOLATION: "an input came that the state does not permit",
  FAULT_BUDGET_EXCEEDED: "there were more faults than are permitted",
  GENESIS_MISMATCH: "the ledger does not begin as it must",
  COMMIT_FAILURE: "a record could not be written",
  SEQUENCE_ORDER: "records came out of order",
  TERMINALITY: "something followed the end",
};

/** What became of an answer that is not whole. @type {Record<string, [string, string]>} */
const LOSSES = {
  TRUNCATED: ["answer was cut off", "answers were cut off"],
  TIMEOUT: ["answer did not come in time", "answers did not come in time"],
  TRANSPORT_ERROR: ["answer was lost on its way", "answers were lost on their way"],
  INVALID_OUTPUT: [
    "answer was refused, because it is not admissible text",
    "answers were refused, because they are not admissible text",
  ],
};

/**
 * @typedef {object} Findings
 * @property {Child[][]} wrong sentences about the ledger itself
 * @property {Child[][]} recorded sentences about what it records
 * @property {Child[][]} open sentences about what nobody compared
 * @property {string[]} events the recorded ones as numbers of things
 *
 * @typedef {object} Examined what was found of a ledger
 * @property {Model} model
 * @property {Outcome} outcome
 * @property {Command} command
 * @property {boolean} agreed whether the command found what the browser found
 * @property {Map<string, Rule> | null} rules
 * @property {{compared: number, different: number[]} | null} compared with the rules
 */

/**
 * Finds what a person should look at.
 * @param {Examined} examined
 * @param {(row: number) => void} go shows a row
 * @returns {Findings}
 */
function findWhatToLookAt(examined, go) {
  const { model, command } = examined;
  /** @type {string[]} */
  const events = [];
  const recorded = [
    ...violationSentences(model, events, go),
    ...breachSentences(model, examined.rules, events, go),
    ...lossSentences(model, events, go),
  ];
  if (recorded.length === 0) {
    recorded.push([
      "No breach, no alarm and no violation is recorded, and every answer came whole.",
    ]);
  }
  const last = model.states.at(-1)?.state ?? "UNINIT";
  if (last !== "ENABLED") recorded.push([`At the end the agent is in ${last}, not in ENABLED.`]);
  const open = [...questionSentences(model, go), ...openSentences(command)];
  return { wrong: wrongSentences(examined, go), recorded, open, events };
}

/**
 * What nobody judged or compared.
 * @param {Command} command
 * @returns {Child[][]}
 */
function openSentences(command) {
  const { not_compared: others, unjudged_oracles: unjudged } = command.audit;
  return [
    ...unjudged
      .slice(0, MAX_SENTENCES)
      .map(({ oracle_id: oracle, answers }) => [
        `No policy judges the ${count(answers, "answer")} of `,
        el("bdi", {}, visible(excerpt(oracle, 80))),
        ".",
      ]),
    ...(unjudged.length > MAX_SENTENCES
      ? [[`Nor those of ${count(unjudged.length - MAX_SENTENCES, "more oracle")}.`]]
      : []),
    ...(others.length > 0
      ? [
          [
            `${count(others.length, "thing was", "things were")} not compared, because nobody said what to expect: `,
            el("a", { href: "#command" }, "the list"),
            ", ",
            el("a", { href: "#limits" }, "and how to compare them"),
            ".",
          ],
        ]
      : []),
  ];
}

/**
 * What the audit found wrong, or could not find.
 * @param {Command} command
 * @returns {Child[][]}
 */
function failedSentences({ audit }) {
  return openChecks(audit.checks).map(({ subjects, result, finding }) => [
    `The audit’s ${subjects.length === 1 ? "check" : "checks"} of `,
    el("strong", {}, enumerated(subjects)),
    result === "failed" ? " failed: " : " could not be made: ",
    visible(excerpt(finding, 300)),
    ".",
  ]);
}

/**
 * @param {Examined} examined
 * @param {(row: number) => void} go
 * @returns {Child[][]}
 */
function wrongSentences({ model, outcome, command, agreed, compared }, go) {
  const { fault } = outcome;
  const different = compared?.different ?? [];
  const faulty = model.derivations.faulty().map(({ at }) => at);
  return [
    ...(fault
      ? [
          [
            "Record ",
            link(fault.sequence, go),
            " is ",
            `${fault.verdict}: `,
            visible(fault.reason),
            ".",
          ],
        ]
      : []),
    ...(agreed
      ? []
      : [["The command and your browser ", el("a", { href: "#agreement" }, "do not agree"), "."]]),
    ...failedSentences(command),
    ...(different.length > 0
      ? [
          [
            `${count(different.length, "result of a policy is", "results of policies are")} not what the configuration gives: `,
            ...links(different, go),
            ".",
          ],
        ]
      : []),
    ...(faulty.length > 0
      ? [
          [
            `${count(faulty.length, "question was", "questions were")} made from what is no earlier answer, or may not be acted on: `,
            ...links(faulty, go),
            ".",
          ],
        ]
      : []),
  ];
}

/**
 * @param {Model} model
 * @param {string[]} events
 * @param {(row: number) => void} go
 * @returns {Child[][]}
 */
function violationSentences({ states }, events, go) {
  /** By the violation and the state that followed. @type {Map<string, number[]>} */
  const kinds = new Map();
  /** @type {Record<string, number[]>} */
  const entered = { ALARM: [], STOPPED: [] };
  for (const { at, previous, state, violation } of states) {
    if (violation !== null) {
      const kind = `${violation} ${state}`;
      const rows = kinds.get(kind);
      if (rows) rows.push(at);
      else kinds.set(kind, [at]);
    } else if (previous !== state) entered[state]?.push(at);
  }
  const all = states.filter(({ violation }) => violation !== null).length;
  if (all > 0) events.push(count(all, "violation"));
  return [
    ...Array.from(kinds, ([kind, rows]) => {
      const [violation, state] = kind.split(" ");
      return [
        `${count(rows.length, "violation")} `,
        el("code", {}, violation),
        `, because ${VIOLATIONS_TOLD[violation]}; ${state} after ${rows.length === 1 ? "it" : "each"}: `,
        ...links(rows, go),
        ".",
      ];
    }),
    ...Object.entries(entered)
      .filter(([, rows]) => rows.length > 0)
      .map(([state, rows]) => {
        const times = `${count(rows.length, "time")} into ${state} without a violation`;
        events.push(times);
        return [`The agent went ${times}: `, ...links(rows, go), "."];
      }),
  ];
}

/**
 * @param {Model} model
 * @param {Map<string, Rule> | null} rules
 * @param {string[]} events
 * @param {(row: number) => void} go
 * @returns {Child[][]}
 */
function breachSentences({ policies, valueless }, rules, events, go) {
  const breached = Array.from(policies, ([id, judgements]) => ({
    id,
    limit: limitOf(judgements),
    breaches: judgements.filter(({ breach }) => breach),
  })).filter(({ breaches }) => breaches.length > 0);
  const all = breached.reduce((sum, { breaches }) => sum + breaches.length, 0);
  if (all > 0) events.push(count(all, "breach", "breaches"));
  const more = breached.length - MAX_SENTENCES;
  const sentences = breached.slice(0, MAX_SENTENCES).map(({ id, limit, breaches }) => {
    const rule = rules?.get(id);
    const without = breaches.filter(({ actual }) => actual === null).length;
    return [
      `${count(breaches.length, "breach", "breaches")} of ${id} (`,
      ...(rule
        ? [el("code", {}, visible(rule.selector)), ` ${BREACHES[rule.comparison]} ${limit}`]
        : [`limit ${limit}`]),
      without === 0
        ? "): "
        : `), ${grouped(without)} of them because the answer held no such number: `,
      ...links(
        breaches.map(({ at }) => at),
        go,
      ),
      ".",
    ];
  });
  if (more > 0)
    sentences.push([`${count(more, "more policy was", "more policies were")} breached.`]);
  if (valueless.size > 0) {
    sentences.push([
      `${count(valueless.size, "answer", "answers")} held no number for any policy, which is a breach of each that judges: `,
      ...links(Array.from(valueless), go),
      ".",
    ]);
  }
  return sentences;
}

/**
 * @param {Model} model
 * @param {string[]} events
 * @param {(row: number) => void} go
 * @returns {Child[][]}
 */
function lossSentences({ incomplete, groups }, events, go) {
  const all = Array.from(incomplete.values()).reduce((sum, rows) => sum + rows.length, 0);
  if (all > 0) {
    events.push(count(all, "answer that is not whole", "answers that are not whole"));
  }
  const sentences = Array.from(incomplete, ([what, rows]) => {
    const [one, many] = LOSSES[what];
    return [
      `${count(rows.length, one, many)} (`,
      el("code", {}, what),
      "): ",
      ...links(rows, go),
      ".",
    ];
  });
  const undecided = groups
    .filter(({ outcome, standing }) => outcome === "RECORDED ONLY" && standing === "good")
    .map(({ first }) => first);
  if (undecided.length > 0) {
    events.push(count(undecided.length, "input without a decision", "inputs without a decision"));
    sentences.push([
      `${count(undecided.length, "input was", "inputs were")} recorded without a decision: `,
      ...links(undecided, go),
      ".",
    ]);
  }
  return sentences;
}

/**
 * @param {Model} model
 * @param {(row: number) => void} go
 * @returns {Child[][]}
 */
function questionSentences({ unasked, questions }, go) {
  if (unasked.length === 0) return [];
  const why = questions.absence === "" ? "" : ` (${questions.absence})`;
  return [
    [
      `The page does not have the question of ${count(unasked.length, "answer")}${why}: `,
      ...links(unasked, go),
      ".",
    ],
  ];
}

/**
 * Shows what a person should look at.
 * @param {Findings} findings
 */
function showFindings({ wrong, recorded, open }) {
  const items = (/** @type {Child[][]} */ sentences, /** @type {string} */ kind) =>
    sentences.map((sentence) => el("li", { class: kind }, ...sentence));
  part("findings").replaceChildren(
    ...items(wrong, "is-wrong"),
    ...items(recorded, "is-recorded"),
    ...items(open, "is-open"),
  );
  part("look").hidden = false;
}
