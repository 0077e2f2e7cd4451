"use strict";

// The state of the agent over the ledger. Nothing is told by colour alone: states have heights,
// violations are crosses, and the drawing has its text.

/** States from the best to the worst, top to bottom. */
const STATE_ROWS = ["ENABLED", "INIT", "UNINIT", "DEGRADED", "ALARM", "STOPPED"];

/** How many policies are drawn, which is as many as there can be under one configuration. */
const MAX_PLOTS = 64;

/**
 * Draws everything, and again whenever the page's width changes.
 * @param {Model} model
 * @param {Map<string, Rule> | null} rules
 * @param {(row: number) => void} go shows a row
 * @returns {(width: number) => void} draws everything at another width, until the page's changes
 */
function showTimeline(model, rules, go) {
  const states = part("states");
  const plots = Array.from(model.policies)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .slice(0, MAX_PLOTS)
    .map(([id, judgements]) => policyFigure(id, judgements, rules?.get(id), go));
  const more = model.policies.size - plots.length;
  part("plots").replaceChildren(
    ...plots.map(({ figure }) => figure),
    more > 0 ? el("p", {}, `${count(more, "policy", "policies")} more, not drawn.`) : "",
  );
  part("states-told").replaceChildren(...statesTold(model, go));
  const drawFeeds = showDerivations(model, go);
  let drawn = 0;
  const draw = (/** @type {number} */ width) => {
    drawn = width;
    drawStates(states, model, width);
    for (const plot of plots) plot.draw(model, width);
    drawFeeds(width);
  };
  draw(states.clientWidth);
  const fit = () => {
    if (states.clientWidth !== drawn) draw(states.clientWidth);
  };
  new ResizeObserver(fit).observe(states);
  return draw;
}

/**
 * @param {Model} model
 * @param {(row: number) => void} go
 * @returns {Child[]}
 */
function statesTold(model, go) {
  if (model.states.length === 0) return ["No transition is recorded; the agent is UNINIT."];
  const violations = model.states.filter(({ violation }) => violation !== null).map(({ at }) => at);
  const last = model.states[model.states.length - 1];
  const end = model.good < model.rows.length ? "where verification ends" : "at the end";
  const told = `${count(model.states.length, "transition")}; ${last.state} ${end}. `;
  return violations.length === 0
    ? [told, "No violation."]
    : [told, `${count(violations.length, "violation")}, marked ×: `, ...links(violations, go)];
}

/**
 * @param {HTMLElement} place
 * @param {Model} model
 * @param {number} width
 */
function drawStates(place, model, width) {
  const lane = 20;
  const height = MARGIN.top + STATE_ROWS.length * lane + MARGIN.bottom;
  const name = "The agent’s state over the records of the ledger";
  const drawing = frame(place, model, { width, height }, { name, axis: "state" });
  const { x, root } = drawing;
  const y = (/** @type {string} */ state) => MARGIN.top + (STATE_ROWS.indexOf(state) + 0.5) * lane;
  for (const state of STATE_ROWS) {
    root.append(svg("text", { class: "tick end", x: MARGIN.left - 8, y: y(state) + 4 }, state));
  }
  const changes = [{ at: 0, state: "UNINIT" }, ...model.states];
  const end = Math.max(0, model.good - 1);
  /** @type {Map<string, string>} */
  const bands = new Map();
  for (let n = 0; n < changes.length; n++) {
    const { at, state } = changes[n];
    while (changes[n + 1]?.state === state) n += 1;
    const until = changes[n + 1]?.at ?? end;
    // At least two pixels, so that the shortest state is seen.
    const wide = Math.max(2, x(until) - x(at));
    bands.set(
      state,
      `${bands.get(state) ?? ""}M${x(at)} ${y(state) - 7}h${round(wide)}v14h${-round(wide)}z`,
    );
  }
  for (const [state, d] of bands)
    root.append(svg("path", { class: `state ${state.toLowerCase()}`, d }));
  const points = [...changes, { at: end, state: changes[changes.length - 1].state }];
  const d = linePath(
    points.map(({ at, state }) => ({ x: x(at), y: y(state) })),
    true,
  );
  root.append(svg("path", { class: "line", d }));
  const violations = model.states.filter(({ violation }) => violation !== null);
  const marks = apart(violations.map(({ at, state }) => ({ x: x(at), y: y(state) })));
  const crosses = marks.map(cross).join("");
  root.append(
    svg("path", { class: "halo", d: crosses }),
    svg("path", { class: "breach", d: crosses }),
  );
  hatchUnverified(drawing, model);
}
