"use strict";

// The page on paper: drawings as wide as a sheet, all records in place of a page of them, and what is folded away on
// the screen.

/** The width of A4 between the margins of the style sheet, in pixels. */
const PAPER_WIDTH = 640;

/**
 * Prepares the page whenever it is printed, and restores it after that.
 * @param {Steps} steps
 * @param {(width: number) => void} draw
 */
function offerPaper(steps, draw) {
  /** @type {HTMLDetailsElement[]} */
  let unfolded = [];
  window.addEventListener("beforeprint", () => {
    unfolded = Array.from(document.querySelectorAll("details:not([open])"));
    for (const details of unfolded) details.open = true;
    steps.fillForPaper();
    draw(PAPER_WIDTH);
  });
  window.addEventListener("afterprint", () => {
    for (const details of unfolded) details.open = false;
    steps.fillForScreen();
    draw(part("states").clientWidth);
  });
}
