"use strict";

// What the drawings share: the axis of records, the region that is not verified, thinning.

/** Room for labels around a drawing, in pixels. */
const MARGIN = { left: 92, right: 14, top: 26, bottom: 56 };

/** How far the lines of text below a drawing are from it and from each other, in pixels. */
const LINE = 16;

/**
 * A drawing over the records of a ledger.
 * @typedef {object} Frame
 * @property {number} width
 * @property {number} height
 * @property {(at: number) => number} x where a record is
 * @property {number} bottom where the axis is
 * @property {Element} root
 */

/**
 * A drawing with its axis.
 * @param {HTMLElement} place
 * @param {Model} model
 * @param {{width: number, height: number}} size
 * @param {{name: string, axis: string}} named what it shows, for those who do not see it, and what its height means
 * @returns {Frame}
 */
function frame(place, model, size, { name, axis }) {
  const { height } = size;
  const width = Math.max(280, Math.floor(size.width));
  const last = Math.max(1, model.rows.length - 1);
  const inner = width - MARGIN.left - MARGIN.right;
  const x = (/** @type {number} */ at) => round(MARGIN.left + (at / last) * inner);
  const bottom = height - MARGIN.bottom;
  const root = svg("svg", {
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
    role: "img",
    "aria-label": name,
  });
  place.replaceChildren(root);
  const write = (
    /** @type {number} */ line,
    /** @type {number} */ at,
    /** @type {string} */ text,
  ) => {
    // A character is about eight pixels wide.
    const beyond = x(at) + 4 * text.length > width;
    const label = beyond ? { class: "tick end", x: width } : { class: "tick middle", x: x(at) };
    root.append(svg("text", { ...label, y: bottom + line * LINE }, text));
  };
  const { calendar } = model;
  let dated = "";
  for (const at of ticks(0, last, Math.max(2, Math.floor(inner / 90)))) {
    if (!Number.isInteger(at)) continue;
    root.append(svg("path", { class: "grid", d: `M${x(at)} ${MARGIN.top}V${bottom}` }));
    write(1, at, grouped(at));
    const time = at < model.good ? model.timeAt(at) : null;
    if (time === null) continue;
    const parts = calendar.split(time);
    write(2, at, parts?.clock ?? String(time));
    if (parts && parts.date !== dated) write(3, at, (dated = parts.date));
  }
  const title = { class: "tick end strong", x: MARGIN.left - 8 };
  root.append(
    svg("text", { class: "tick strong", x: 0, y: 14 }, visible(axis)),
    svg("text", { ...title, y: bottom + LINE }, "record"),
  );
  if (model.times.length > 0) {
    const unit = calendar.isInSeconds ? "time, UTC" : "time";
    root.append(svg("text", { ...title, y: bottom + 2 * LINE }, unit));
  }
  return { width, height, x, bottom, root };
}

/**
 * Hatches the records that are not verified, over everything drawn before.
 * @param {Frame} frame
 * @param {Model} model
 */
function hatchUnverified({ width, x, bottom, root }, model) {
  if (model.good >= model.rows.length) return;
  const right = width - MARGIN.right;
  const from = Math.min(x(Math.max(0, model.good - 0.5)), right - 4);
  const size = { x: from, y: MARGIN.top, width: right - from, height: bottom - MARGIN.top };
  const label = { class: "tick end strong", x: right - 4, y: MARGIN.top + 13 };
  root.append(
    svg("rect", { class: "unknown", ...size }),
    svg("rect", { class: "unverified", ...size }),
    svg("text", label, "not verified"),
  );
}

/**
 * Round numbers over a range, about as many as wanted.
 * @param {number} from
 * @param {number} to
 * @param {number} wanted
 */
function ticks(from, to, wanted) {
  const rough = (to - from) / wanted || 1;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((n) => n * unit).find((n) => n >= rough) ?? rough;
  const found = [];
  for (let n = Math.ceil(from / step); n * step <= to; n++) found.push(n * step);
  return found;
}

/** @param {number} number */
function round(number) {
  return Math.round(number * 10) / 10;
}

/**
 * The line through points, at most four of them per pixel: first, least, greatest, last.
 * @param {{x: number, y: number}[]} points from left to right
 * @param {boolean} steps whether it goes to the next point by a step
 */
function linePath(points, steps) {
  let path = "";
  let n = 0;
  while (n < points.length) {
    const column = Math.round(points[n].x);
    let end = n;
    let [least, greatest] = [points[n].y, points[n].y];
    while (end < points.length && Math.round(points[end].x) === column) {
      least = Math.min(least, points[end].y);
      greatest = Math.max(greatest, points[end].y);
      end += 1;
    }
    const ys = end - n > 1 ? [points[n].y, least, greatest, points[end - 1].y] : [points[n].y];
    const { x } = points[n];
    path += path === "" ? `M${x} ${ys[0]}` : steps ? `H${x}V${ys[0]}` : `L${x} ${ys[0]}`;
    path += ys
      .slice(1)
      .map((y) => `V${y}`)
      .join("");
    n = end;
  }
  return path;
}

/**
 * Those points that are not on a pixel of one before.
 * @template {{x: number, y: number}} P
 * @param {P[]} points
 */
function apart(points) {
  const taken = new Set();
  return points.filter(({ x, y }) => {
    const pixel = `${Math.round(x / 2)} ${Math.round(y / 2)}`;
    return !taken.has(pixel) && taken.add(pixel);
  });
}

/**
 * The mark of what breaches.
 * @param {{x: number, y: number}} point
 */
function cross({ x, y }) {
  return `M${round(x - 4)} ${round(y - 4)}l8 8m0-8l-8 8`;
}
