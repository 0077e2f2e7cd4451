// The page of the gateway: what /axilog/ledgers says, and the calls that /axilog/calls tells as they end. Texts are set as
// texts; nothing of a call becomes markup.

/**
 * @typedef {{ limit: string, most: number, spent: number }} Limit
 * @typedef {{ name: string, path: string, begun: boolean, state: string | null, takes_calls: boolean,
 *             records: number | null, head: string | null, limits: Limit[], report: boolean }} Ledger
 * @typedef {{ time: number, ledger: string, interface: string, model: string, stream: boolean, end: string,
 *             status: number, ledger_seq: number | null, state: string | null, milliseconds: number,
 *             why: string | null }} Call
 */

const MOST_CALLS = 200;

/** What became of a call, in words. */
const ENDS = new Map([
  ["released", "released"],
  ["flagged", "released, though it may not be acted on"],
  ["breach", "kept back"],
  ["provider_error", "the provider's error, passed on"],
  ["provider_failure", "no answer of the provider"],
  ["budget", "refused: the budget is used up"],
  ["not_enabled", "refused: the ledger takes no calls"],
  ["not_recorded", "refused: it cannot be recorded"],
  ["refused", "refused"],
]);

const LIMITS = new Map([
  ["calls", "calls"],
  ["tokens", "tokens"],
  ["window_calls", "calls in this window"],
  ["window_tokens", "tokens in this window"],
]);

/**
 * An element of the page.
 * @template {HTMLElement} T
 * @param {string} id
 * @param {new () => T} kind
 * @returns {T}
 */
function find(id, kind) {
  const element = document.getElementById(id);
  if (!(element instanceof kind)) throw new Error(`the page has no ${id}`);
  return element;
}

/**
 * A new element with a text.
 * @param {string} name
 * @param {string} [text]
 * @param {string} [className]
 */
function make(name, text = "", className = "") {
  const element = document.createElement(name);
  element.textContent = text;
  element.className = className;
  return element;
}

const link = find("link", HTMLElement);
const ledgerCards = find("ledgers", HTMLElement);
const table = find("calls", HTMLTableElement);
const rows = table.tBodies[0];
const none = find("none", HTMLElement);
const ofLedger = find("of-ledger", HTMLSelectElement);
const withheld = find("withheld", HTMLInputElement);

/** @type {Call[]} the newest first */
let calls = [];
let asksForLedgers = false;
/** What the ledgers are shown by, as it came. */
let ledgersText = "";

const number = new Intl.NumberFormat();
const time = new Intl.DateTimeFormat(undefined, { dateStyle: "short", timeStyle: "medium" });

/** @param {Ledger} ledger */
function describeState(ledger) {
  if (!ledger.begun) return "not begun: it begins with its first call";
  if (ledger.state === null) return "cannot be written: the next call tries again";
  return ledger.takes_calls
    ? ledger.state
    : `${ledger.state}: takes no calls until an operator has acted`;
}

/** @param {Ledger} ledger */
function makeCard(ledger) {
  const kind = ledger.takes_calls ? (ledger.begun ? "takes" : "") : "waits";
  const card = make("article", "", `ledger ${kind}`);
  card.append(make("h3", ledger.name));
  card.append(make("p", describeState(ledger), `state ${ledger.takes_calls ? "" : "bad"}`));
  if (ledger.records !== null && ledger.head !== null) {
    const durable = make("p", `${number.format(ledger.records)} records are durable, head `);
    durable.append(make("code", ledger.head));
    card.append(durable);
  }
  for (const { limit, most, spent } of ledger.limits) {
    const words = `${number.format(spent)} of ${number.format(most)} ${LIMITS.get(limit) ?? limit}`;
    const meter = document.createElement("meter");
    meter.max = Math.max(most, 1);
    meter.value = spent;
    meter.setAttribute("aria-label", words);
    const line = make("p", words);
    line.append(meter);
    card.append(line);
  }
  if (ledger.begun) {
    const report = make("p", "", "hint");
    report.append(ledger.report ? makeReportLink(ledger.name) : "Report for auditors", ": ");
    report.append(make("code", `axilog report ${quote(ledger.path)} -o ${ledger.name}.html`));
    card.append(report);
  }
  return card;
}

/** @param {string} name of a ledger */
function makeReportLink(name) {
  const anchor = document.createElement("a");
  anchor.textContent = "Report for auditors";
  anchor.href = `/axilog/ledgers/${encodeURIComponent(name)}/report`;
  return anchor;
}

/**
 * A word as a shell reads it.
 * @param {string} word
 */
function quote(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** @param {Call} call */
function makeRow(call) {
  const row = document.createElement("tr");
  const cells = /** @type {[string, string, string][]} */ ([
    ["Time", time.format(new Date(call.time * 1000)), "number short"],
    ["Ledger", call.ledger, call.ledger.length > 20 ? "" : "short"],
    ["Record", call.ledger_seq === null ? "none" : String(call.ledger_seq), "number"],
    ["Model", call.model, ""],
    ["End", ENDS.get(call.end) ?? call.end, colour(call)],
    ["Milliseconds", number.format(call.milliseconds), "number"],
  ]);
  for (const [label, text, className] of cells) {
    const cell = make("td", text, className);
    cell.dataset.label = label;
    row.append(cell);
    if (label === "End" && call.why !== null) cell.append(make("div", call.why, "hint"));
  }
  return row;
}

/** @param {Call} call */
function colour(call) {
  if (call.end === "released") return "good";
  return call.end === "flagged" || call.end === "provider_error" ? "warn" : "bad";
}

function showCalls() {
  const shown = calls.filter(
    (call) =>
      (ofLedger.value === "" || call.ledger === ofLedger.value) &&
      !(withheld.checked && (call.end === "released" || call.end === "flagged")),
  );
  rows.replaceChildren(...shown.map(makeRow));
  table.hidden = shown.length === 0;
  none.hidden = shown.length > 0;
  none.textContent = calls.length === 0 ? "No call has ended yet." : "None of these calls.";
}

/** @param {Ledger[]} ledgers */
function showLedgers(ledgers) {
  ledgerCards.replaceChildren(...ledgers.map(makeCard));
  const names = new Set(Array.from(ofLedger.options, (option) => option.value));
  for (const { name } of ledgers) if (!names.has(name)) ofLedger.append(new Option(name, name));
}

/** Asks for the ledgers, once at a time. */
async function updateLedgers() {
  if (asksForLedgers) return;
  asksForLedgers = true;
  try {
    const response = await fetch("/axilog/ledgers");
    const text = response.ok ? await response.text() : ledgersText;
    // What has not changed stays as it is, with what somebody has selected in it.
    if (text !== ledgersText) showLedgers(JSON.parse(text).ledgers);
    ledgersText = text;
  } catch {
    // The stream of calls says that the gateway does not answer.
  } finally {
    asksForLedgers = false;
  }
}

let isDrawingPlanned = false;

/** Draws what has changed, at most once in a frame of the screen. */
function planDrawing() {
  if (isDrawingPlanned) return;
  isDrawingPlanned = true;
  requestAnimationFrame(() => {
    isDrawingPlanned = false;
    showCalls();
    void updateLedgers();
  });
}

const stream = new EventSource("/axilog/calls");

stream.addEventListener("begin", () => {
  calls = [];
  link.textContent = "Live";
  link.className = "good";
  planDrawing();
});

stream.addEventListener("call", (event) => {
  calls = [JSON.parse(event.data), ...calls].slice(0, MOST_CALLS);
  planDrawing();
});

stream.addEventListener("missed", (event) => {
  link.textContent = `Live; ${event.data} calls came too fast for this page`;
});

stream.addEventListener("error", () => {
  link.textContent = "The gateway does not answer. This page tries again.";
  link.className = "bad";
});

ofLedger.addEventListener("change", showCalls);
withheld.addEventListener("change", showCalls);
setInterval(() => void updateLedgers(), 5000);
