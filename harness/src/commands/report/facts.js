"use strict";

// What the ledger is: its length, its times, its oracles, and on demand its hashes.

/** How many oracles are listed; a ledger may be made to have any number. */
const MAX_LISTED = 200;

/**
 * Shows what the ledger is.
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
  const { times, calendar } = model;
  const kept = rulesKnown ? "in this page" : "not in this page";
  /** @type {[string, Child][]} */
  const facts = [
    [fault ? "Good records" : "Records", `${grouped(entries)}, genesis included`],
    ["Seal", sealedHead ? `seals ${grouped(entries - 1)} records` : "none"],
    ["State at the end", last ? last.state : "UNINIT"],
    [
      "Times",
      times.length > 0
        ? `${calendar.tell(times[0].time)} to ${calendar.tell(times[times.length - 1].time)}`
        : "none",
    ],
  ];
  if (calendar.isInSeconds) {
    const [first, end] = [times[0].time, times[times.length - 1].time];
    facts.push(["As recorded", `${first} to ${end}, read as seconds since 1970`]);
  }
  if (manifest === null) facts.push(["Manifest", "named by the configuration, not in this page"]);
  if (manifest?.name !== undefined) facts.push(["Name", el("bdi", {}, visible(manifest.name))]);
  if (manifest?.note !== undefined) facts.push(["Note", el("bdi", {}, visible(manifest.note))]);
  /** @type {[string, Child][]} */
  const digests = [
    ["Size", `${grouped(outcome.size)} bytes`],
    ["SHA-256 of the file", mono(digest)],
    [fault ? "Head of the good part" : "Head", head ? mono(head) : "none"],
    [
      "Configuration",
      model.configuration ? el("span", {}, mono(model.configuration), ` ${kept}`) : "none named",
    ],
    ["Profile", outcome.profiles.join(", ") || "none"],
  ];
  showPairs(part("facts"), facts);
  showPairs(part("digests"), digests);
  showOracles(Array.from(model.oracles.values()));
}

/**
 * Shows things after their names.
 * @param {HTMLElement} list
 * @param {[string, Child][]} pairs
 */
function showPairs(list, pairs) {
  list.replaceChildren(
    ...pairs.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))),
  );
}

/**
 * Shows who answered, and how often.
 * @param {(Answers & {oracle: string})[]} oracles
 */
function showOracles(oracles) {
  const columns = ["Oracle", "Model", "Observations", "Complete", "Cut off", "Failed"];
  const rows = oracles.slice(0, MAX_LISTED).map((answers) => {
    const { oracle, model: name, all, COMPLETE, TRUNCATED, ERROR } = answers;
    const cells = [name, ...[all, COMPLETE, TRUNCATED, ERROR].map(grouped)];
    return el(
      "tr",
      { role: "row" },
      el("th", { role: "rowheader", scope: "row" }, el("bdi", {}, visible(oracle))),
      ...cells.map((text, n) =>
        el(
          "td",
          { role: "cell", "data-label": columns[n + 1], class: n > 0 ? "number" : null },
          el("bdi", {}, visible(text)),
        ),
      ),
    );
  });
  const names = columns.map((name) => el("th", { role: "columnheader", scope: "col" }, name));
  const head = el("thead", { role: "rowgroup" }, el("tr", { role: "row" }, ...names));
  part("oracles").replaceChildren(
    el(
      "table",
      { role: "table", "aria-label": "Oracles and models" },
      head,
      el("tbody", { role: "rowgroup" }, ...rows),
    ),
    oracles.length > rows.length
      ? `${count(oracles.length - rows.length, "pair")} more, not listed.`
      : "",
  );
}
