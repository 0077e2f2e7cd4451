"use strict";

// The questions of the answers. A record names its question by hash only; where the command had it, the page holds its
// bytes, and believes them only if they have that hash.

/**
 * @typedef {object} KnownQuestions what the command had of them
 * @property {string[]} questions in Base64
 * @property {number} left_out distinct questions that would have made the page too long
 * @property {number} missing distinct questions that were not beside the ledger
 */

const NO_QUESTION = hex(sha256());

class Questions {
  /** @param {KnownQuestions} [known] */
  constructor({ questions, left_out, missing } = { questions: [], left_out: 0, missing: 0 }) {
    this.leftOut = left_out;
    this.missing = missing;
    /** By their hash. @type {Map<string, Uint8Array>} */
    this.byHash = new Map();
    for (const base64 of questions) {
      const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
      this.byHash.set(hex(sha256(bytes)), bytes);
    }
  }

  /**
   * The question of an observation, null where the page does not have it, undefined where nothing was asked.
   * @param {Observation} said
   */
  find({ oracle, inputHash }) {
    if (isReserved(oracle) || inputHash === NO_QUESTION) return undefined;
    return this.byHash.get(inputHash) ?? null;
  }

  /** Why the page lacks questions, in words. */
  get absence() {
    const reasons = [];
    if (this.missing > 0) {
      reasons.push(
        `${count(this.missing, "question was", "questions were")} not beside the ledger as recorded`,
      );
    }
    if (this.leftOut > 0) {
      reasons.push(`${grouped(this.leftOut)} would have made the page too long`);
    }
    return reasons.join(", and ");
  }
}

/**
 * Whether an oracle's observations are the time or control inputs, and no answers.
 * @param {string} oracle
 */
function isReserved(oracle) {
  return oracle === "ax.time" || oracle === "ax.control";
}

/**
 * Whether an oracle's observations are what the ledger computes itself, over the answers of others.
 * @param {string} oracle
 */
function isRunningValue(oracle) {
  return /^ax\.(sum|count|change)\./.test(oracle);
}

const LOSSY = new TextDecoder();

/**
 * A question as text; what is no UTF-8 in it is replaced.
 * @param {Uint8Array} question
 */
function textOf(question) {
  return LOSSY.decode(question);
}
