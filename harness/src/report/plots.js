"use strict";

// Each policy's values against its limit. A breach is a cross, or a triangle where there was no
// value, so that nobody needs to see colours; a text beside the drawing names the records.

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
  const limits = Array.from(new Set(judgements.map(({ threshold }) => threshold)));
  const limit = limits.length === 1 ? decimal(limits[0]) : `${count(limits.length, "limit")}`;
  const meaning = rule
    ? [el("code", {}, rule.selector), ` ${BREACHES[rule.comparison]} ${limit}`]
    : [`limit ${limit}; the operator is in the configuration, which this page does not have`];
  const marked = without > 0 ? "marked × (▽ where there was no value): " : "marked ×: ";
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
          : [`${count(breached.length, "breach", "breaches")}, ${marked}`, ...links(breached, go)]),
      ),
    ),
    place,
  );
  const draw = (/** @type {Model} */ model, /** @type {number} */ width) =>
    drawPolicy(place, model, width, id, judgements, rule);
  return { figure, draw };
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
  const size = { width, height: 190 };
  const drawing = frame(place, model, size, `Values judged by ${id} against its limit`);
  const { x, bottom } = drawing;
  // A lane at the bottom is for answers without a value.
  const floor = bottom - (judgements.some(({ actual }) => actual === null) ? 18 : 0);
  const scale = valueScale(judgements, floor);
  const limits = judgements.map(({ at, threshold }) => ({ x: x(at), y: scale.y(threshold) }));
  const points = judgements.map(({ at, actual, breach }) => ({
    x: x(at),
    y: actual === null ? bottom - 8 : scale.y(actual),
    mark: actual === null ? "triangle" : breach ? "cross" : "dot",
  }));
  const lastLimit = judgements[judgements.length - 1].threshold;
  drawLimits(drawing, limits, scale, rule, `limit ${excerpt(decimal(lastLimit), 6)}`);
  drawValues(drawing, points);
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
    if (Math.abs(at - last) < 11) continue;
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
 * @param {Frame} drawing
 * @param {{x: number, y: number, mark: string}[]} points
 */
function drawValues({ root }, points) {
  const marked = (/** @type {string} */ mark) => points.filter((point) => point.mark === mark);
  const draw = (
    /** @type {string} */ mark,
    /** @type {string} */ name,
    /** @type {(point: {x: number, y: number}) => string} */ shape,
  ) => root.append(svg("path", { class: name, d: apart(marked(mark)).map(shape).join("") }));
  const values = points.filter(({ mark }) => mark !== "triangle");
  root.append(svg("path", { class: "values", d: linePath(values, false) }));
  draw("dot", "dot", ({ x, y }) => `M${round(x - 2.5)} ${y}a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0`);
  draw("cross", "breach", cross);
  draw("triangle", "breach hollow", ({ x, y }) => `M${round(x - 5)} ${y - 4}h10l-5 9z`);
}
