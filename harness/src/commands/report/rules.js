"use strict";

// The configuration that a ledger was made under. A ledger names it by hash only; where the command
// had it, the page holds its bytes, and believes them only if they have that hash.

/**
 * @typedef {"GT" | "LT" | "GE" | "LE"} Comparison
 * @typedef {{selector: string, comparison: Comparison, threshold: number, enabled: boolean}} Rule
 */

/** When a value breaches. @type {Record<Comparison, string>} */
const BREACHES = {
  GT: "breaches above",
  LT: "breaches below",
  GE: "breaches at or above",
  LE: "breaches at or below",
};

/**
 * The rules by policy, or null where the bytes are not those that the ledger names.
 * @param {Uint8Array | null} bytes the canonical configuration
 * @param {string | null} hash that the ledger names
 * @returns {Map<string, Rule> | null}
 */
function readRules(bytes, hash) {
  if (bytes === null || hash === null || hex(sha256(bytes)) !== hash) return null;
  const rules = new Map();
  const { policies } = JSON.parse(UTF8.decode(bytes));
  for (const [selector, entries] of Object.entries(policies)) {
    for (const { policy_id: id, comparison, threshold, enabled } of entries) {
      rules.set(id, { selector, comparison, threshold, enabled });
    }
  }
  return rules;
}

/**
 * What else the ledger is bound to: its name and a note. `undefined` where the configuration names no manifest,
 * `null` where the bytes are not the ones that it names.
 * @param {Uint8Array | null} bytes the manifest
 * @param {Uint8Array | null} configuration the canonical configuration
 * @param {string | null} hash of the configuration that the ledger names
 * @returns {{name?: string, note?: string} | null | undefined}
 */
function readManifest(bytes, configuration, hash) {
  if (configuration === null || hash === null || hex(sha256(configuration)) !== hash) {
    return undefined;
  }
  const { manifest } = JSON.parse(UTF8.decode(configuration));
  if (manifest === undefined) return undefined;
  if (bytes === null || hex(sha256(bytes)) !== manifest) return null;
  return JSON.parse(UTF8.decode(bytes));
}

/**
 * Whether a rule judges the observations of an oracle. A selector is `[oracle#]path`, and all path where
 * it begins with a slash.
 * @param {Rule} rule
 * @param {string} oracle
 */
function judges({ selector }, oracle) {
  if (selector === "elapsed") return oracle === "ax.time";
  if (oracle === "ax.time" || oracle === "ax.control") return false;
  const end = selector.startsWith("/") ? -1 : selector.indexOf("#");
  return end < 0 || selector.slice(0, end) === oracle;
}

/**
 * Whether a value breaches a rule.
 * @param {Rule} rule
 * @param {number | null} actual raw Q16.16; null where there is none, which always breaches
 */
function breaches({ comparison, threshold }, actual) {
  if (actual === null) return true;
  switch (comparison) {
    case "GT":
      return actual > threshold;
    case "LT":
      return actual < threshold;
    case "GE":
      return actual >= threshold;
    case "LE":
      return actual <= threshold;
    default:
      return true;
  }
}

/**
 * Compares every policy record with the rules: its oracle, its threshold, and its result.
 * @param {Model} model
 * @param {Map<string, Rule>} rules
 * @returns {{compared: number, different: number[]}} `different` are sequences
 */
function compareWithRules(model, rules) {
  let compared = 0;
  const different = [];
  for (const [id, judgements] of model.policies) {
    const rule = rules.get(id);
    for (const { at, oracle, actual, threshold, breach } of judgements) {
      compared += 1;
      const agrees =
        rule?.enabled &&
        judges(rule, oracle) &&
        rule.threshold === threshold &&
        breaches(rule, actual) === breach;
      if (!agrees) different.push(at);
    }
  }
  return { compared, different: different.sort((a, b) => a - b) };
}
