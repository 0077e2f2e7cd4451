"use strict";

// The table of records, grouped by step and paged: at most PAGE steps are in the document at once.

const PAGE = 40;

/** How many records are printed at most: about 350 sheets. */
const MAX_PRINTED = 5000;

/** How many characters of an answer stand in its row, on the screen and on paper. */
const EXCERPT = 80;
const PRINTED_EXCERPT = 1000;

const KINDS = {
  genesis: "State",
  observation: "Observation",
  policy: "Policy",
  transition: "Transition",
  raw: "Raw answer",
  seal: "Proof",
};

/** The table, its filters and its pages. */
class Steps {
  /** @param {Model} model */
  constructor(model) {
    this.model = model;
    this.calendar = model.calendar;
    /** The groups that the filters leave. */
    this.listed = model.groups;
    this.page = 0;
    /** The rows that are shown with their bytes, on whatever page. @type {Set<number>} */
    this.opened = new Set();
    /** How many characters of an answer stand in its row. */
    this.excerptLength = EXCERPT;
    const oracles = Array.from(model.oracles.values(), ({ oracle }) => oracle);
    const known = Array.from(new Set(oracles)).sort().slice(0, MAX_LISTED);
    part("filter-oracle").append(
      ...known.map((oracle) => el("option", { value: oracle }, visible(excerpt(oracle, 40)))),
    );
    for (const id of ["filter-outcome", "filter-oracle"]) {
      part(id).addEventListener("change", () => this.#filter());
    }
    part("filters").addEventListener("submit", (/** @type {Event} */ event) => {
      event.preventDefault();
      const row = part("go-to").value.replace(/\s/g, "");
      if (/^[0-9]{1,15}$/.test(row) && Number(row) < model.rows.length) this.go(Number(row));
      else this.#say(`There is no record ${excerpt(row, 20)}.`);
    });
    const turn = (/** @type {string} */ id, /** @type {() => number} */ to) =>
      part(id).addEventListener("click", () => this.#show(to()));
    turn("first-page", () => 0);
    turn("previous-page", () => this.page - 1);
    turn("next-page", () => this.page + 1);
    turn("last-page", () => this.#pages() - 1);
    this.#filter();
  }

  /**
   * Shows a row, opened and focused, whatever is filtered.
   * @param {number} row
   */
  go(row) {
    const group = this.model.groups[this.model.groupOf(row)];
    if (!group || row >= this.model.rows.length) {
      const why =
        this.model.unlisted > 0
          ? `is not listed: the list ends ${grouped(MAX_REST)} lines after the last good record`
          : "is not there: the file ends before it";
      this.#say(`Record ${grouped(row)} ${why}.`);
      part("records").focus();
      return;
    }
    if (!this.listed.includes(group)) {
      part("filter-outcome").value = "all";
      part("filter-oracle").value = "";
      this.#filter();
    }
    this.#show(Math.floor(this.listed.indexOf(group) / PAGE));
    const button = part(`bytes-${row}`);
    if (button.getAttribute("aria-expanded") === "false") button.click();
    button.focus({ preventScroll: true });
    button.closest("tr").scrollIntoView({ block: "center" });
  }

  #pages() {
    return Math.max(1, Math.ceil(this.listed.length / PAGE));
  }

  /** @param {string} text */
  #say(text) {
    part("listed").replaceChildren(text);
  }

  #filter() {
    const outcome = part("filter-outcome").value;
    const oracle = part("filter-oracle").value;
    this.listed = this.model.groups.filter(
      (group) =>
        (oracle === "" || group.oracle === oracle) &&
        (outcome !== "alarming" || group.alarming) &&
        (outcome !== "doubtful" || group.standing !== "good"),
    );
    const records = this.listed.reduce((sum, group) => sum + group.count, 0);
    const { unlisted } = this.model;
    const more = unlisted > 0 ? ` ${count(unlisted, "byte")} after them are not listed.` : "";
    this.#say(`${count(this.listed.length, "step")} with ${count(records, "record")}.${more}`);
    this.#show(0);
  }

  /** @param {number} page */
  #show(page) {
    const pages = this.#pages();
    this.page = Math.min(Math.max(0, page), pages - 1);
    this.#fill(this.listed.slice(this.page * PAGE, (this.page + 1) * PAGE));
    part("page").replaceChildren(`Page ${grouped(this.page + 1)} of ${grouped(pages)}`);
    const ends = {
      "first-page": 0,
      "previous-page": 0,
      "next-page": pages - 1,
      "last-page": pages - 1,
    };
    for (const [id, end] of Object.entries(ends)) part(id).disabled = this.page === end;
  }

  /**
   * Fills the table for paper: with all steps that are listed, up to MAX_PRINTED records, whatever page is shown. Says
   * what that is.
   */
  fillForPaper() {
    let records = 0;
    const groups = [];
    for (const group of this.listed) {
      if (records + group.count > MAX_PRINTED) break;
      records += group.count;
      groups.push(group);
    }
    this.excerptLength = PRINTED_EXCERPT;
    this.#fill(groups);
    this.excerptLength = EXCERPT;
    const { rows, unlisted } = this.model;
    const chosen = ["filter-outcome", "filter-oracle"]
      .filter((id) => part(id).selectedIndex > 0)
      .map((id) => part(id).selectedOptions[0].textContent);
    const all = records === rows.length && unlisted === 0;
    const listed = this.listed.reduce((sum, group) => sum + group.count, 0);
    part("printed").replaceChildren(
      all
        ? `Printed: all ${count(records, "record")}.`
        : `Printed: ${grouped(records)} of ${count(rows.length, "record")}`,
      chosen.length > 0 ? `, in the steps that were chosen: ${chosen.join("; ")}` : "",
      all ? "" : ".",
      records < listed
        ? ` ${count(listed - records, "record")} that were chosen too are left out, because a page prints ${grouped(MAX_PRINTED)}: choose fewer steps.`
        : "",
      unlisted > 0 ? ` ${count(unlisted, "byte")} after them are not listed.` : "",
      ` An answer is printed up to its ${grouped(PRINTED_EXCERPT)}th character, and whole where its bytes are shown on the screen.`,
    );
  }

  /** Fills the table with the page that was shown before it was filled for paper. */
  fillForScreen() {
    this.#show(this.page);
  }

  /** @param {Group[]} groups */
  #fill(groups) {
    part("table")
      .querySelectorAll("tbody")
      .forEach((/** @type {Element} */ body) => body.remove());
    part("table").append(...groups.map((group) => this.#group(group)));
  }

  /** @param {Group} group */
  #group(group) {
    const { first, standing, alarming, time } = group;
    const doubt = { good: null, bad: "✗ NOT GOOD", unchecked: "? NOT CHECKED" }[standing];
    const badge = (/** @type {string} */ text, /** @type {string} */ kind) =>
      el("span", { class: `badge ${kind}` }, text);
    const heading = el(
      "th",
      { role: "rowheader", scope: "rowgroup", colspan: 6 },
      el(
        "bdi",
        { class: "title" },
        time === null ? visible(group.title) : `Time ${this.calendar.tell(time)}`,
      ),
      doubt ? badge(doubt, standing) : null,
      group.outcome
        ? badge(`${alarming ? "× " : ""}${group.outcome}`, alarming ? "warn" : "")
        : null,
      group.states ? el("span", { class: "states" }, group.states) : null,
    );
    const rows = Array.from({ length: group.count }, (_, n) => this.#row(first + n)).flat();
    const heads = el("tr", { role: "row", class: "step" }, heading);
    return el("tbody", { role: "rowgroup", class: `is-${standing}` }, heads, ...rows);
  }

  /**
   * A record's row, and after it the row with everything about the record where that is open.
   * @param {number} number
   */
  #row(number) {
    const row = this.model.row(number);
    const { said, entry, standing } = row;
    const [whom, what, why] = told(said, this.excerptLength);
    const kind = said ? KINDS[said.kind] : (entry?.tag ?? "unreadable");
    const mark = { good: "", bad: "✗ ", unchecked: "? " }[standing];
    const cell = (/** @type {string} */ label, /** @type {string} */ text) =>
      el(
        "td",
        { role: "cell", "data-label": label, class: text === "" ? "empty" : null },
        el("bdi", {}, visible(text)),
      );
    const id = `bytes-${number}`;
    const toggle = (/** @type {{currentTarget: HTMLElement}} */ { currentTarget: button }) => {
      const open = button.getAttribute("aria-expanded") === "true";
      button.setAttribute("aria-expanded", String(!open));
      if (open) {
        this.opened.delete(number);
        part(`${id}-shown`)?.remove();
      } else {
        this.opened.add(number);
        button.closest("tr")?.after(recordInFull(this.model, row, `${id}-shown`));
      }
    };
    const label = `Bytes of record ${number}`;
    const show = {
      type: "button",
      id,
      class: "link",
      "aria-expanded": String(this.opened.has(number)),
      "aria-label": label,
      click: toggle,
    };
    const warns =
      (said?.kind === "policy" && said.breach) || (said?.kind === "transition" && said.violation);
    const shown = el(
      "tr",
      { role: "row", class: `record is-${standing} ${warns ? "warn" : ""}` },
      el(
        "th",
        {
          role: "rowheader",
          scope: "row",
          class: "number",
          "data-label": "Record",
          id: `record-${number}`,
        },
        mark,
        el("a", { href: fragmentOf(number) }, grouped(number)),
      ),
      cell("Kind", kind),
      cell("Of", whom),
      cell("Says", what),
      cell("Why", why),
      el("td", { role: "cell" }, el("button", show, "bytes")),
    );
    return this.opened.has(number)
      ? [shown, recordInFull(this.model, row, `${id}-shown`)]
      : [shown];
  }
}

/**
 * Whom a record is about, what it says, and why, in a few words each.
 * @param {Said | null} said
 * @param {number} length how many characters of an answer
 * @returns {[string, string, string]}
 */
function told(said, length) {
  switch (said?.kind) {
    case "genesis":
      return ["genesis", "", ""];
    case "observation": {
      const whom = said.oracle === said.model ? said.oracle : `${said.oracle} / ${said.model}`;
      const size = said.failure ? "" : `, ${count(said.outputSize, "byte")}`;
      const what = `${said.completion}${size}`;
      return [excerpt(whom, 80), what, said.failure ?? excerpt(said.output, length)];
    }
    case "policy": {
      const actual = said.actual === NO_VALUE ? "no value" : decimal(said.actual);
      const result = said.breach ? "× BREACH" : "PERMITTED";
      return [said.policy, result, `${actual}, limit ${decimal(said.threshold)}`];
    }
    case "transition": {
      const { inputClass, previous, next, violation } = said;
      return [inputClass, `${previous} → ${next}`, violation ? `× ${violation}` : ""];
    }
    case "raw":
      return ["raw answer", count(said.bytes, "byte"), `sha256 ${said.sha256.slice(0, 16)}…`];
    case "seal":
      return ["seal", count(said.entries, "record"), ""];
    default:
      return ["", "not in canonical form", ""];
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
  if (standing === "unchecked")
    pairs.push(["Standing", "not checked: it follows one that is not good"]);
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
      ["Input, SHA-256", mono(said.inputHash)],
      ["obs_hash", mono(said.obsHash)],
      ["Parameters, raw", raw || "none"],
      [
        "Answer",
        el(
          "pre",
          { tabindex: 0, class: "answer-text", dir: "auto" },
          visible(said.output, { lines: true }),
        ),
      ],
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
  return el("tr", { role: "row", class: "full", id }, el("td", { role: "cell", colspan: 6 }, list));
}
