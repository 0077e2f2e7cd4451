"use strict";

// Which steps are listed: by words in them, by their result, oracle, policy, state and time.

/**
 * @typedef {object} Chosen
 * @property {string} text in small letters; empty for any
 * @property {string} outcome
 * @property {string} oracle
 * @property {string} policy
 * @property {string} state
 * @property {bigint | null} from
 * @property {bigint | null} until
 */

/** The steps with a result. @type {Record<string, (group: Group) => boolean>} */
const OUTCOMES = {
  all: () => true,
  alarming: (group) => group.breached || group.violation !== null,
  permitted: ({ outcome }) => outcome === "PERMITTED",
  breached: ({ breached }) => breached,
  violated: ({ violation }) => violation !== null,
  incomplete: ({ completion }) => completion !== null && completion !== "COMPLETE",
  undecided: ({ outcome }) => outcome === "RECORDED ONLY",
  doubtful: ({ standing }) => standing !== "good",
};

/** The controls that choose from a list. */
const LISTS = ["filter-outcome", "filter-oracle", "filter-policy", "filter-state"];

/** The controls that are written into. */
const TEXTS = ["filter-text", "filter-from", "filter-until"];

/**
 * Fills the lists of the filters.
 * @param {Model} model
 */
function furnishFilters(model) {
  const fill = (/** @type {string} */ id, /** @type {Iterable<string>} */ names) =>
    part(id).append(
      ...Array.from(new Set(names))
        .slice(0, MAX_LISTED)
        .map((name) => el("option", { value: name }, visible(excerpt(name, 40)))),
    );
  fill("filter-oracle", Array.from(model.oracles.values(), ({ oracle }) => oracle).sort());
  fill("filter-policy", Array.from(model.policies.keys()).sort());
  fill("filter-state", STATE_ROWS);
  const { isInSeconds } = model.calendar;
  part("filter-times").replaceChildren(
    isInSeconds ? "as 2026-01-31 or 2026-01-31 12:00:00, UTC" : "as the ledger counts it",
  );
}

/**
 * What the filters ask for, or in words what cannot be read.
 * @returns {Chosen | string}
 */
function readFilters() {
  const value = (/** @type {string} */ id) => part(id).value.trim();
  const [from, until] = ["filter-from", "filter-until"].map((id) =>
    readTime(value(id), id === "filter-until"),
  );
  if (from === undefined || until === undefined) {
    const text = value(from === undefined ? "filter-from" : "filter-until");
    return `No time can be read from ${excerpt(text, 30)}.`;
  }
  const [outcome, oracle, policy, state] = LISTS.map((id) => part(id).value);
  const text = value("filter-text").toLowerCase();
  return { text, outcome, oracle, policy, state, from, until };
}

/**
 * A time that somebody wrote: a number, or a date in UTC with or without the time of day; null for nothing, undefined
 * for what is none.
 * @param {string} text
 * @param {boolean} isEnd whether the last second of a day or of a minute is meant
 */
function readTime(text, isEnd) {
  if (text === "") return null;
  if (/^[0-9]{1,20}$/.test(text)) return BigInt(text);
  const found = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d)(:\d\d)?)?(?: ?UTC|Z)?$/.exec(text);
  if (!found) return undefined;
  const [, day, minute = isEnd ? "23:59" : "00:00", second = isEnd ? ":59" : ":00"] = found;
  const milliseconds = Date.parse(`${day}T${minute}${second}Z`);
  return Number.isNaN(milliseconds) || milliseconds < 0 ? undefined : BigInt(milliseconds) / 1000n;
}

/** What is chosen, in words; nothing where all steps are. */
function tellFilters() {
  const name = (/** @type {string} */ id) =>
    document.querySelector(`label[for="${id}"]`)?.textContent?.toLowerCase() ?? "";
  const lists = LISTS.filter((id) => part(id).selectedIndex > 0).map(
    (id) => `${name(id)} ${part(id).selectedOptions[0].textContent}`,
  );
  const texts = TEXTS.filter((id) => part(id).value.trim() !== "").map(
    (id) => `${name(id)} ${excerpt(part(id).value.trim(), 60)}`,
  );
  return [...lists, ...texts].join("; ");
}

/** Chooses all steps again. */
function clearFilters() {
  for (const id of LISTS) part(id).selectedIndex = 0;
  for (const id of TEXTS) part(id).value = "";
}

/**
 * Chooses steps; yields how many groups are done while it searches texts.
 * @param {Model} model
 * @param {Chosen} chosen
 * @returns {Generator<number, Group[], void>}
 */
function* choosing(model, chosen) {
  const { text, outcome, oracle, policy, state, from, until } = chosen;
  const judged = policy === "" ? null : stepsJudgedBy(model, policy, outcome === "breached");
  const isWanted = OUTCOMES[outcome];
  const found = [];
  let [done, accepted] = [0, 0];
  for (const group of model.groups) {
    const end = group.first + group.count;
    while (accepted < model.times.length && model.times[accepted].at < end) accepted += 1;
    const time = model.times[accepted - 1]?.time;
    done += 1;
    const fits =
      isWanted(group) &&
      (oracle === "" || group.oracle === oracle) &&
      (judged === null || judged.has(group)) &&
      (state === "" || group.state === state) &&
      (from === null || (time !== undefined && time >= from)) &&
      (until === null || (time !== undefined && time <= until));
    if (!fits) continue;
    if (text !== "") {
      yield done;
      if (!holdsText(model, group, text)) continue;
    }
    found.push(group);
  }
  return found;
}

/**
 * The steps in which a policy judged.
 * @param {Model} model
 * @param {string} policy
 * @param {boolean} breachedOnly whether only those that it found to breach
 */
function stepsJudgedBy(model, policy, breachedOnly) {
  const judgements = model.policies.get(policy) ?? [];
  const wanted = judgements.filter(({ breach }) => breach || !breachedOnly);
  return new Set(wanted.map(({ at }) => model.groups[model.groupOf(at)]));
}

/**
 * Whether a text stands in a step's records or in its question, in whatever letters.
 * @param {Model} model
 * @param {Group} group
 * @param {string} text in small letters
 */
function holdsText(model, group, text) {
  for (let row = group.first; row < group.first + group.count; row++) {
    const line = LOSSY.decode(lineAt(model.bytes, model.rows[row]));
    const plain = line.replace(/\\(u000a|n|"|\\)/g, (_, escaped) =>
      escaped === '"' || escaped === "\\" ? escaped : "\n",
    );
    if (plain.toLowerCase().includes(text)) return true;
    const hash = /"input_hash":"([0-9a-f]{64})"/.exec(line)?.[1];
    const question = hash && model.questions.byHash.get(hash);
    if (question && textOf(question).toLowerCase().includes(text)) return true;
  }
  return false;
}
