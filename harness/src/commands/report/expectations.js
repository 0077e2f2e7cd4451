"use strict";

// The comparison with a head or a length that was kept elsewhere.

/**
 * Answers the form that compares with what was kept elsewhere.
 * @param {Outcome} outcome
 * @param {Uint8Array} bytes
 */
function answerExpectations(outcome, bytes) {
  const answer = part("expect-answer");
  const say = (/** @type {boolean | null} */ good, /** @type {string} */ text) => {
    answer.className = `answer ${good === null ? "" : good ? "good" : "bad"}`;
    answer.replaceChildren(text);
  };
  part("expect").addEventListener("submit", (/** @type {Event} */ event) => {
    event.preventDefault();
    const head = part("expect-head").value.replace(/\s/g, "").toLowerCase();
    const entries = part("expect-entries").value.replace(/[\s,.']/g, "");
    if (head === "" && entries === "")
      return say(null, "Give a head, a number of records, or both.");
    if (head !== "" && !/^[0-9a-f]{64}$/.test(head)) {
      return say(
        false,
        `A head has 64 hexadecimal digits; this is something else (${count(head.length, "character")}).`,
      );
    }
    if (entries !== "" && !/^[1-9][0-9]{0,14}$/.test(entries)) {
      return say(false, "The number of records is a whole number from 1.");
    }
    if (outcome.fault) {
      return say(false, `The ledger is not good, whatever its head: ${outcome.fault.verdict}.`);
    }
    const fault = unexpected(outcome, bytes, {
      entries: entries === "" ? null : Number(entries),
      head: head === "" ? null : head,
    });
    if (fault) {
      const where = `record ${grouped(fault.sequence)} at byte ${grouped(fault.offset)}`;
      return say(false, `✗ ${fault.verdict}, ${where}: ${fault.reason}.`);
    }
    return say(true, "✓ As expected: this is the ledger whose head or length you kept.");
  });
}
