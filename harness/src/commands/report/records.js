"use strict";

// The six kinds of records, each with its exact canonical bytes.

/**
 * @typedef {{kind: "genesis"}} Genesis
 * @typedef {{kind: "observation", completion: string, failure: string | null, inputHash: string,
 *   ledgerSeq: bigint, model: string, obsHash: string, oracle: string, output: string,
 *   outputSize: bigint, params: Record<string, bigint | null>, profile: string | null,
 *   unheld: boolean}} Observation
 *   `profile` is null where obs_hash is not the record's; `unheld` where the record does not hold the
 *   answer that came, or not all of it
 * @typedef {{kind: "policy", actual: number, ledgerSeq: bigint, boundTo: bigint, policy: string,
 *   breach: boolean, threshold: number}} Policy
 * @typedef {{kind: "transition", faults: bigint, inputClass: string, boundTo: bigint, next: string,
 *   previous: string, violation: string | null}} Transition
 * @typedef {{kind: "raw", bytes: bigint, boundTo: bigint, sha256: string}} RawAnswer
 * @typedef {{kind: "seal", entries: bigint, head: string}} Seal
 * @typedef {Genesis | Observation | Policy | Transition | RawAnswer | Seal} Said what a record says
 */

const TAGS = ["AX:OBS:v1", "AX:POLICY:v1", "AX:TRANS:v1", "AX:STATE:v1", "AX:PROOF:v1"];

const GENESIS =
  '{"component":"axilog-core","evidence_type":"AX:STATE:v1","is_terminal":false,' +
  `"platform":"universal","state_hash":"${"0".repeat(64)}"}`;

const MAX_RECORD_BYTES = 65536;
/** The longest record that deployed gateways wrote, under the profiles ORACLE_1_1 and ORACLE_1_2. */
const MAX_GATEWAY_RECORD_BYTES = 131072;
const MAX_ID_BYTES = 256;
/** The value of a policy record that stands for no value. */
const NO_VALUE = -2147483648;

const STATES = ["UNINIT", "INIT", "ENABLED", "ALARM", "DEGRADED", "STOPPED"];
const INPUT_CLASSES = [
  "TIME_OBS",
  "LLM_OBS",
  "POLICY_TRIGGER",
  "FAULT_SIGNAL",
  "RESET_REQUEST",
  "UNKNOWN",
];
const VIOLATIONS = [
  "TIME_ROLLBACK",
  "POLICY_BREACH",
  "FAULT_BUDGET_EXCEEDED",
  "PROTOCOL_VIOLATION",
  "GENESIS_MISMATCH",
  "COMMIT_FAILURE",
  "SEQUENCE_ORDER",
  "TERMINALITY",
];

/**
 * The ways in which observations are written, lowest first: how they escape line feeds, and
 * whether obs_hash is a tagged commitment.
 */
const PROFILES = [
  { name: "RFC8785", lineEnds: "short", tagged: false },
  { name: "ORACLE_1_1", lineEnds: "long", tagged: false },
  { name: "ORACLE_1_2", lineEnds: "long", tagged: true },
];

/**
 * A number as eight bytes, least significant first.
 * @param {number} number
 */
function le64(number) {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(number), true);
  return bytes;
}

/**
 * The commitment to a payload: SHA-256 of the tag, the payload's length, and the payload.
 * @param {string} tag
 * @param {...Uint8Array} parts of the payload
 */
function commitment(tag, ...parts) {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return sha256(bytesOf(tag), le64(length), ...parts);
}

/** @param {Reader} reader */
function readIdentity(reader) {
  const { text, size } = reader.string(false);
  if (size === 0 || size > MAX_ID_BYTES) throw new NotCanonical();
  return text;
}

/**
 * An observation. Every byte is canonical where this does not throw; whether obs_hash is the
 * record's own, `profile` says.
 * @param {Uint8Array} record
 * @returns {Observation}
 */
function readObservation(record) {
  if (record.length > MAX_GATEWAY_RECORD_BYTES) throw new NotCanonical();
  const reader = new Reader(record);
  reader.literal('{"completion_state":"');
  const completion = reader.oneOf(["COMPLETE", "TRUNCATED", "ERROR"]);
  reader.literal('","failure_type":');
  const failed = reader.oneOf(["null", '"TIMEOUT"', '"INVALID_OUTPUT"', '"TRANSPORT_ERROR"']);
  const failure = failed === "null" ? null : failed.slice(1, -1);
  reader.literal(',"input_hash":');
  const inputHash = reader.hash();
  reader.literal(',"ledger_seq":');
  const ledgerSeq = reader.u64();
  reader.literal(',"model_id":');
  const model = readIdentity(reader);
  reader.literal(',"obs_hash":');
  const digits = reader.at + 1;
  const obsHash = reader.hash();
  reader.literal(',"oracle_id":');
  const oracle = readIdentity(reader);
  reader.literal(',"output":');
  const { text: output, size, lineEnds } = reader.string(true);
  reader.literal(',"output_size":');
  const outputSize = reader.u64();
  reader.literal(',"params":{"max_tokens":');
  const maxTokens = reader.integerOrNull(I32_MAX);
  reader.literal(',"seed":');
  const seed = reader.integerOrNull(I64_MAX);
  reader.literal(',"temperature":');
  const temperature = reader.integerOrNull(I32_MAX);
  reader.literal(',"top_p":');
  const topP = reader.integerOrNull(65536n);
  reader.literal('},"schema_version":"AX:OBS:v1"}');
  reader.end();

  const failedWithOutput = completion === "ERROR" && size > 0;
  const sizeFits = {
    COMPLETE: outputSize === BigInt(size),
    TRUNCATED: outputSize >= BigInt(size),
    ERROR: failedWithOutput || outputSize === 0n,
  }[completion];
  if (!sizeFits || (completion === "ERROR") !== (failure !== null)) throw new NotCanonical();

  // obs_hash is over the record with nothing between its quotes.
  const head = record.subarray(0, digits);
  const tail = record.subarray(digits + 64);
  const plain = hex(sha256(head, tail));
  const tagged = plain === obsHash ? "" : hex(commitment("AX:OBS:v1", head, tail));
  const matching = PROFILES.filter(
    (profile) =>
      (lineEnds === "none" || lineEnds === profile.lineEnds) &&
      (profile.tagged ? tagged : plain) === obsHash,
  );
  // What only a deployed gateway can have written is no record of the first profile.
  const gateway = failedWithOutput || record.length > MAX_RECORD_BYTES;
  const fitting = matching.find(({ name }) => !gateway || name !== "RFC8785");
  if (matching.length > 0 && !fitting) throw new NotCanonical();
  return {
    kind: "observation",
    completion,
    failure,
    inputHash,
    ledgerSeq,
    model,
    obsHash,
    oracle,
    output,
    outputSize,
    params: { max_tokens: maxTokens, seed, temperature, top_p: topP },
    profile: fitting ? fitting.name : null,
    unheld: BigInt(size) < outputSize || (failure === "INVALID_OUTPUT" && size === 0),
  };
}

/**
 * @param {Uint8Array} record
 * @returns {Policy}
 */
function readPolicy(record) {
  const reader = new Reader(record);
  reader.literal('{"actual":');
  const actual = reader.i32();
  reader.literal(',"ledger_seq":');
  const ledgerSeq = reader.u64();
  reader.literal(',"obs_ledger_seq":');
  const boundTo = reader.u64();
  reader.literal(',"policy_id":"');
  const policy = reader.untilQuote();
  if (!/^[A-Za-z0-9_.-]{1,64}$/.test(policy)) throw new NotCanonical();
  reader.literal(',"result":"');
  const breach = reader.oneOf(["PERMITTED", "BREACH"]) === "BREACH";
  reader.literal('","threshold":');
  const threshold = reader.i32();
  reader.literal("}");
  reader.end();
  return { kind: "policy", actual, ledgerSeq, boundTo, policy, breach, threshold };
}

/**
 * @param {Uint8Array} record
 * @returns {Transition}
 */
function readTransition(record) {
  const reader = new Reader(record);
  const name = (/** @type {string[]} */ names) => {
    const found = reader.untilQuote();
    if (!names.includes(found)) throw new NotCanonical();
    return found;
  };
  reader.literal('{"fault_count":');
  const faults = reader.u64();
  if (faults > 0xffffffffn) throw new NotCanonical();
  reader.literal(',"input_class":"');
  const inputClass = name(INPUT_CLASSES);
  reader.literal(',"ledger_seq":');
  const boundTo = reader.u64();
  reader.literal(',"next_state":"');
  const next = name(STATES);
  reader.literal(',"prev_state":"');
  const previous = name(STATES);
  reader.literal(',"violation":');
  const violation = reader.oneOf(["null", '"']) === "null" ? null : name(VIOLATIONS);
  reader.literal("}");
  reader.end();
  return { kind: "transition", faults, inputClass, boundTo, next, previous, violation };
}

/**
 * @param {Uint8Array} record
 * @returns {RawAnswer | Seal}
 */
function readProof(record) {
  const reader = new Reader(record);
  if (reader.oneOf(['{"bytes":', '{"entries":']) === '{"bytes":') {
    const bytes = reader.u64();
    reader.literal(',"kind":"RAW","ledger_seq":');
    const boundTo = reader.u64();
    reader.literal(',"sha256":');
    const sha256 = reader.hash();
    reader.literal("}");
    reader.end();
    return { kind: "raw", bytes, boundTo, sha256 };
  }
  const entries = reader.u64();
  reader.literal(',"head":');
  const head = reader.hash();
  reader.literal(',"kind":"SEAL"}');
  reader.end();
  return { kind: "seal", entries, head };
}

/**
 * What a record says. Throws NotCanonical where it is not what its tag says; the bytes of a
 * genesis are for the verifier to compare.
 * @param {string} tag
 * @param {Uint8Array} record
 * @returns {Said}
 */
function readRecord(tag, record) {
  switch (tag) {
    case "AX:OBS:v1":
      return readObservation(record);
    case "AX:POLICY:v1":
      return readPolicy(record);
    case "AX:TRANS:v1":
      return readTransition(record);
    case "AX:PROOF:v1":
      return readProof(record);
    default:
      return { kind: "genesis" };
  }
}
