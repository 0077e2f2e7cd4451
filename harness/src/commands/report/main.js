"use strict";

// The page: takes the ledger's bytes out of it, verifies them, shows what they say.

/** How long the page may be busy at once, in milliseconds. */
const SLICE = 12;

/**
 * Runs work to its end in slices, between which the page lives.
 * @template R
 * @param {Generator<number, R, void>} work yields how many bytes are done
 * @param {number} size bytes in all
 * @param {(part: number) => void} progress
 * @returns {Promise<R>}
 */
async function paced(work, size, progress) {
  let pause = performance.now() + SLICE;
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    if (performance.now() < pause) continue;
    progress(step.value / size);
    await new Promise((resume) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        port1.close();
        resume(undefined);
      };
      port2.postMessage(null);
    });
    pause = performance.now() + SLICE;
  }
}

/**
 * The bytes of a data block.
 * @param {string} id
 * @returns {Generator<number, Uint8Array, void>}
 */
function* decoding(id) {
  const text = part(id).textContent.trim();
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  const bytes = new Uint8Array((text.length / 4) * 3 - padding);
  const piece = 1 << 16;
  for (let at = 0; at < text.length; at += piece) {
    const binary = atob(text.slice(at, at + piece));
    const start = (at / 4) * 3;
    for (let n = 0; n < binary.length; n++) bytes[start + n] = binary.charCodeAt(n);
    yield start;
  }
  return bytes;
}

/**
 * The SHA-256 of a whole file.
 * @param {Uint8Array} bytes
 * @returns {Generator<number, string, void>}
 */
function* hashing(bytes) {
  const hash = new Sha256();
  const piece = 1 << 18;
  for (let at = 0; at < bytes.length; at += piece) {
    hash.update(bytes.subarray(at, at + piece));
    yield at;
  }
  return hex(hash.digest());
}

/** Verifies the ledger in this page and shows it. */
async function main() {
  /** @type {Command} */
  const command = JSON.parse(part("said").textContent);
  showCommand(command);
  part("unscripted").remove();
  if (command.summary) return showSummary(command);
  part("browser-verdict").textContent = "Checking…";
  const bar = part("progress");
  const stage =
    (/** @type {number} */ from, /** @type {number} */ to) => (/** @type {number} */ done) => {
      bar.value = from + (to - from) * done;
    };
  const { size } = command;
  const bytes = await paced(decoding("ledger"), size, stage(0, 0.1));
  const digest = await paced(hashing(bytes), bytes.length, stage(0.1, 0.2));
  const model = new Model(bytes, new Questions(JSON.parse(part("questions").textContent)));
  const see = model.take.bind(model);
  const outcome = await paced(verifying(bytes, see), bytes.length, stage(0.2, 0.9));
  await paced(model.takeRest(), bytes.length, stage(0.9, 1));

  const configuration = await paced(decoding("configuration"), 1, () => {});
  const rules = readRules(configuration, model.configuration);
  const bound = await paced(decoding("manifest"), 1, () => {});
  const manifest = readManifest(bound, configuration, model.configuration);
  const steps = new Steps(model);
  const go = (/** @type {number} */ row) => steps.go(row);
  const compared = rules && compareWithRules(model, rules);
  const agreed = agrees(outcome, command, digest);
  const examined = { model, outcome, command, agreed, rules, compared };
  const findings = findWhatToLookAt(examined, go);
  showFindings(findings);
  showFacts(outcome, model, command, digest, rules !== null, manifest);
  showChecks(outcome, compared);
  const draw = showTimeline(model, rules, go);
  offerPaper(steps, draw);
  answerExpectations(outcome, bytes);
  offerBytes(bytes, command.file);
  offerListed(steps, command.file, agreed && command.replay.verdict === "OK");
  offerOtherFiles(digest);
  showOutcome(outcome, command, digest, go);
  showJudgement(judge(outcome, command, digest, compared?.different ?? []), findings.events);
  followFragments(go);
  document.body.dataset.checked = outcome.fault?.verdict ?? "OK";
}

/** @param {unknown} error a defect of this page, never a fault of a ledger */
function failed(error) {
  part("progress").hidden = true;
  showVerdict(part("browser-verdict"), "NOT CHECKED");
  // What the command found wrong stays wrong.
  if (part("judgement").textContent.endsWith("OK")) showJudgement("INCOMPLETE", []);
  const why = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  part("browser-told").replaceChildren(
    el("p", {}, "The scripts of this page failed: ", visible(why)),
  );
}

// The ledger follows the scripts, so that whoever reads the source finds them first.
document.addEventListener("DOMContentLoaded", () => main().catch(failed));
