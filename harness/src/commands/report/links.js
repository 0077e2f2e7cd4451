"use strict";

// Links to records: each record has a fragment of its own, with which a page opens too.

/** How many records a text names; all are counted. */
const MAX_NAMED = 12;

/** @param {number} row */
function fragmentOf(row) {
  return `#record-${row}`;
}

/**
 * A link that shows a record.
 * @param {number} row
 * @param {(row: number) => void} go shows a row
 * @param {string} [text]
 */
function link(row, go, text = grouped(row)) {
  const show = (/** @type {Event} */ event) => {
    event.preventDefault();
    // The browser scrolls to a fragment that is on this page of the table already; `go` opens the record in any case.
    location.hash = fragmentOf(row);
    go(row);
  };
  const label = text === grouped(row) ? `Show record ${row}` : null;
  return el("a", { href: fragmentOf(row), click: show, "aria-label": label }, text);
}

/**
 * Links that show records.
 * @param {number[]} records
 * @param {(row: number) => void} go shows a row
 * @returns {Child[]}
 */
function links(records, go) {
  const named = records
    .slice(0, MAX_NAMED)
    .flatMap((at, n) => (n > 0 ? [", ", link(at, go)] : [link(at, go)]));
  const more = records.length - MAX_NAMED;
  return more > 0 ? [...named, ` and ${grouped(more)} more`] : named;
}

/**
 * Shows the record that the page's address names, now and whenever that changes.
 * @param {(row: number) => void} go shows a row
 */
function followFragments(go) {
  const follow = () => {
    const row = /^#record-([0-9]{1,15})$/.exec(location.hash)?.[1];
    if (row !== undefined && document.activeElement?.id !== `bytes-${row}`) go(Number(row));
  };
  window.addEventListener("hashchange", follow);
  follow();
}
