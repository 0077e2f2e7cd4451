"use strict";

// Checking a file of the reader's own with the scripts of this page.

/**
 * @param {string} digest of the ledger in this page
 */
function offerOtherFiles(digest) {
  const input = part("other");
  const drop = part("drop");
  // Of several files chosen one after the other, the last one is answered.
  let latest = 0;
  const check = async (/** @type {File | undefined} */ file) => {
    if (!file) return;
    const turn = (latest += 1);
    const answer = part("other-answer");
    const bar = part("other-progress");
    const progress = (/** @type {number} */ done) => (bar.value = done);
    bar.hidden = false;
    answer.replaceChildren(`Checking ${grouped(file.size)} bytes…`);
    try {
      const bytes = new Uint8Array(await file.arrayBuffer());
      const found = await paced(hashing(bytes), bytes.length, progress);
      const outcome = await paced(verifying(bytes), bytes.length, progress);
      if (turn === latest) answer.replaceChildren(...otherTold(file.name, outcome, found, digest));
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      if (turn === latest) answer.replaceChildren("The file could not be checked: ", visible(why));
    }
    if (turn === latest) bar.hidden = true;
  };
  input.addEventListener("change", () => check(input.files[0]));
  const over = (/** @type {DragEvent} */ event) => {
    event.preventDefault();
    drop.classList.toggle("over", event.type === "dragover");
  };
  drop.addEventListener("dragover", over);
  drop.addEventListener("dragleave", over);
  drop.addEventListener("drop", (/** @type {DragEvent} */ event) => {
    over(event);
    check(event.dataTransfer?.files[0]);
  });
}

/**
 * @param {string} name
 * @param {Outcome} outcome
 * @param {string} found the file's SHA-256
 * @param {string} digest of the ledger in this page
 * @returns {Child[]}
 */
function otherTold(name, { fault, entries, head, sealedHead }, found, digest) {
  const verdict = el("p", {});
  showVerdict(verdict, fault?.verdict ?? "OK");
  const same =
    found === digest
      ? "the same bytes as the ledger in this page"
      : "other bytes than the ledger in this page";
  const mono = (/** @type {string} */ text) => el("span", { class: "mono digest" }, text);
  /** @type {[string, Child][]} */
  const pairs = [
    ["File", el("bdi", {}, visible(name))],
    ["Compared", same],
    ["SHA-256", mono(found)],
    ["Good records", `${grouped(entries)}${sealedHead ? ", sealed" : ""}`],
    ["Head", mono(head || "none")],
  ];
  return [
    verdict,
    fault
      ? place(fault)
      : el("p", {}, "That is the chain; decisions and blobs are not checked here."),
    el(
      "dl",
      { class: "facts" },
      ...pairs.map(([term, value]) => el("div", {}, el("dt", {}, term), el("dd", {}, value))),
    ),
  ].filter((child) => child !== null);
}
