"use strict";

// Each policy's values against its limit. A breach is a cross, so that nobody needs to see colours; a text beside the
// drawing names the records. An answer without a value has no place in a drawing of values: the text counts it.

/**
 * What one policy said, in words and as a drawing.
 * @param {string} id
 * @param {Judgement[]} judgements
 * @param {Rule | undefined} rule
 * @param {(row: number) => void} go
 */
function policyFigure(id, judgements, rule, go) {
  const breached = judgements.filter(({ breach }) => breach).map(({ at }) => at);
  const without = judgements.filter(({ actual }) => actual === null).length;
  const meaning = rule
    ? [
        el("code", {}, visible(rule.selector)),
        ` ${BREACHES[rule.comparison]} ${limitOf(judgements)}`,
      ]
    : [
        `limit ${limitOf(judgements)}; the operator is in the configuration, which this page does not have`,
      ];
  const undrawn =
    without > 0 ? ` (but for ${grouped(without)} without a value, which have no place here)` : "";
  const place = el("div", { class: "plot" });
  const figure = el(
    "figure",
    {},
    el(
      "figcaption",
      {},
      el("h3", {}, id),
      el("p", {}, ...meaning, ". ", `${count(judgements.length, "evaluation")}.`),
      el(
        "p",
        {},
        ...(breached.length === 0
          ? ["No breach."]
          : [
              `${count(breached.length, "breach", "breaches")}, marked ×${undrawn}: `,
              ...links(breached, go),
            ]),
      ),
    ),
    place,
  );
  const draw = (/** @type {Model} */ model, /** @type {number} */ width) =>
    drawPolicy(place, model, width, id, judgements, rule);
  return { figure, draw };
}

/**
 * The limit that a policy had, or how many it had.
 * @param {Judgement[]} judgements
 */
function limitOf(judgements) {
  const limits = new Set(judgements.map(({ threshold }) => threshold));
  return limits.size === 1 ? decimal(judgements[0].threshold) : count(limits.size, "limit");
}

/**
 * @param {HTMLElement} place
 * @param {Model} model
 * @param {number} width
 * @param {string} id
 * @param {Judgement[]} judgements at least one
 * @param {Rule | undefined} rule
 */
function drawPolicy(place, model, width, id, judgements, rule) {
  const size = { width, height: 220 };
  const name = `Values judged by ${id} against its limit`;
  const axis = rule ? excerpt(rule.selector, 40) : "value";
  const drawing = frame(place, model, size, { name, axis });
  const { x, bottom } = drawing;
  const scale = valueScale(judgements, bottom);
  const limits = judgements.map(({ at, threshold }) => ({ x: x(at), y: scale.y(threshold) }));
  const lastLimit = judgements[judgements.length - 1].threshold;
  drawLimits(drawing, limits, scale, rule, `limit ${excerpt(decimal(lastLimit), 6)}`);
  /** By oracle, in runs of answers that each had a value. @type {Map<string, DrawnValue[][]>} */
  const runs = new Map();
  for (const { at, oracle, actual, breach } of judgements) {
    let known = runs.get(oracle);
    if (!known) runs.set(oracle, (known = [[]]));
    if (actual === null) known.push([]);
    else known[known.length - 1].push({ x: x(at), y: scale.y(actual), breach });
  }
  drawValues(drawing, Array.from(runs.values()).flat());
  hatchUnverified(drawing, model);
}

/**
 * Room for every value and limit.
 * @param {Judgement[]} judgements
 * @param {number} floor where the lowest value may be
 */
function valueScale(judgements, floor) {
  let [least, greatest] = [Infinity, -Infinity];
  for (const { actual, threshold } of judgements) {
    least = Math.min(least, threshold, actual ?? threshold);
    greatest = Math.max(greatest, threshold, actual ?? threshold);
  }
  const room = (greatest - least || 65536) * 0.12;
  const from = least - room;
  const to = greatest + room;
  const y = (/** @type {number} */ raw) =>
    round(floor - ((raw - from) / (to - from)) * (floor - MARGIN.top));
  return { from, to, floor, y };
}

/**
 * The limit, the side of it that breaches, and the axis of values.
 * @param {Frame} drawing
 * @param {{x: number, y: number}[]} limits
 * @param {ReturnType<typeof valueScale>} scale
 * @param {Rule | undefined} rule
 * @param {string} label
 */
function drawLimits({ width, root }, limits, { from, to, floor, y }, rule, label) {
  const right = width - MARGIN.right;
  const last = limits[limits.length - 1].y;
  const steady = limits.every((point) => point.y === last);
  if (rule && steady) {
    const above = rule.comparison === "GT" || rule.comparison === "GE";
    const [top, bottom] = above ? [MARGIN.top, last] : [last, floor];
    const size = { x: MARGIN.left, y: top, width: right - MARGIN.left, height: bottom - top };
    root.append(svg("rect", { class: "forbidden", ...size }));
  }
  for (const tick of ticks(from / 65536, to / 65536, 4)) {
    const at = y(tick * 65536);
    if (Math.abs(at - last) < 13) continue;
    const text = String(Number(tick.toPrecision(6)));
    root.append(
      svg("path", { class: "grid", d: `M${MARGIN.left} ${at}H${right}` }),
      svg("text", { class: "tick end", x: MARGIN.left - 8, y: at + 4 }, text),
    );
  }
  const line = steady
    ? `M${MARGIN.left} ${last}H${right}`
    : linePath([...limits, { x: right, y: last }], true);
  root.append(
    svg("path", { class: "limit", d: line }),
    svg("text", { class: "tick end strong", x: MARGIN.left - 8, y: last + 4 }, label),
  );
}

/**
 * @typedef {{x: number, y: number, breach: boolean}} DrawnValue
 *
 * @param {Frame} drawing
 * @param {DrawnValue[][]} runs of answers that one oracle gave one after the other: only these does a line join
 */
function drawValues({ root }, runs) {
  const values = runs.flat();
  const marks = (/** @type {boolean} */ breach) =>
    apart(values.filter((value) => value.breach === breach));
  const dot = (/** @type {DrawnValue} */ { x, y }) =>
    `M${round(x - 2.5)} ${y}a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0`;
  root.append(
    svg("path", { class: "values", d: runs.map((run) => linePath(run, false)).join("") }),
    svg("path", { class: "dot", d: marks(false).map(dot).join("") }),
    svg("path", { class: "breach", d: marks(true).map(cross).join("") }),
  );
}
