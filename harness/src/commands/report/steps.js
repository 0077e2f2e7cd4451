"use strict";

// The table of records, grouped by step and paged: at most PAGE steps are in the document at once.

const PAGE = 40;

/** How many records are printed at most: about 350 sheets. */
const MAX_PRINTED = 5000;

/** How many characters of a question and of an answer stand in a row, on the screen and on paper. */
const EXCERPT = 80;
const PRINTED_EXCERPT = 1000;

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
    /** How many characters of a question and of an answer stand in a row. */
    this.excerptLength = EXCERPT;
    /** Counts the searches, of which the last one is shown. */
    this.search = 0;
    furnishFilters(model);
    for (const id of [...LISTS, ...TEXTS]) {
      part(id).addEventListener("change", () => this.#filter());
    }
    part("filters").addEventListener("submit", (/** @type {Event} */ event) => {
      event.preventDefault();
      this.#filter();
    });
    part("clear").addEventListener("click", () => {
      clearFilters();
      this.#filter();
    });
    part("go").addEventListener("submit", (/** @type {Event} */ event) => {
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
      clearFilters();
      this.#list(this.model.groups);
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

  /** Lists the steps that the filters ask for: at once, or after a search through all texts. */
  async #filter() {
    const turn = (this.search += 1);
    const chosen = readFilters();
    if (typeof chosen === "string") return this.#say(chosen);
    const { model } = this;
    const work = choosing(model, chosen);
    if (chosen.text === "") {
      const step = work.next();
      if (step.done) this.#list(step.value);
      return;
    }
    const progress = (/** @type {number} */ done) =>
      this.#say(`Searching… ${Math.round(100 * done)} %`);
    const found = await paced(work, model.groups.length, (done) => {
      if (turn === this.search) progress(done);
    });
    if (turn === this.search) this.#list(found);
  }

  /** @param {Group[]} groups */
  #list(groups) {
    this.search += 1;
    this.listed = groups;
    const records = groups.reduce((sum, group) => sum + group.count, 0);
    const { unlisted } = this.model;
    const more = unlisted > 0 ? ` ${count(unlisted, "byte")} after them are not listed.` : "";
    this.#say(`${count(groups.length, "step")} with ${count(records, "record")}.${more}`);
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
    const chosen = tellFilters();
    const listed = this.listed.reduce((sum, group) => sum + group.count, 0);
    const told =
      records === rows.length
        ? `all ${count(records, "record")}`
        : `${grouped(records)} of ${count(rows.length, "record")}`;
    part("printed").replaceChildren(
      `Printed: ${told}`,
      chosen !== "" ? `, in the steps that were chosen: ${chosen}.` : ".",
      records < listed
        ? ` ${count(listed - records, "record")} that were chosen too are left out, because a page prints ${grouped(MAX_PRINTED)}: choose fewer steps.`
        : "",
      unlisted > 0 ? ` ${count(unlisted, "byte")} after them are not listed.` : "",
      ` Questions and answers are printed up to ${grouped(PRINTED_EXCERPT)} characters of each, and whole where a record is shown in full on the screen.`,
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
    const { first, standing, time } = group;
    const alarming = OUTCOMES.alarming(group);
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
    const question = said?.kind === "observation" ? this.model.questions.find(said) : undefined;
    const { subject, result, contents } = describeRow(said, question, this.excerptLength);
    const kind = said ? KINDS[said.kind] : (entry?.tag ?? "unreadable");
    const mark = { good: "", bad: "✗ ", unchecked: "? " }[standing];
    const cell = (/** @type {string} */ label, /** @type {Child[]} */ ...children) =>
      el(
        "td",
        {
          role: "cell",
          "data-label": label === "" ? null : label,
          class: children.length === 0 ? "empty" : null,
        },
        ...children,
      );
    const text = (/** @type {string} */ value) =>
      value === "" ? [] : [el("bdi", {}, visible(value))];
    const named = contents.map(([name, value]) =>
      el(
        "div",
        {},
        name === "" ? null : el("span", { class: "name" }, `${name}: `),
        ...text(value),
      ),
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
    const label = `Record ${number} in full`;
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
      cell("", ...text(kind)),
      cell(subject[0], ...text(subject[1])),
      cell("Result", ...text(result)),
      cell("", ...named),
      el("td", { role: "cell" }, el("button", show, "in full")),
    );
    return this.opened.has(number)
      ? [shown, recordInFull(this.model, row, `${id}-shown`)]
      : [shown];
  }
}
