//! The object of `axilog x0l show`: a cycle, from its prompt to the decision.

use std::borrow::Cow;
use std::path::Path;

use axilog_ledger::encoding::hex;
use axilog_x0l::kernel::Candidate;
use axilog_x0l::log::{AttemptRecord, Cycle, PermutationTest};
use axilog_x0l::replay::ReplayFinding;
use axilog_x0l::show::{
    GateVerdict, PromptMessage, ShownCycle, explain_code, explain_decision, find_verdict,
};
use serde::Serialize;

/// A cycle, and what does not agree with it.
#[derive(Serialize)]
pub(super) struct ShownCycleResult<'a> {
    ok: bool,
    run: Cow<'a, str>,
    /// Whether the session is still going on.
    live: bool,
    process: Option<u32>,
    /// The number of the cycle in the session.
    number: u64,
    line_sha256: Option<String>,
    /// The record of the ledger that has the hash of the cycle's line.
    bound_by: Option<u64>,
    differences: &'a [ReplayFinding],
    /// The number of differences in the rest of the run.
    differences_elsewhere: usize,
    /// The cycle; `None` where its line cannot be read.
    cycle: Option<CycleResult<'a>>,
}

#[derive(Serialize)]
struct CycleResult<'a> {
    condition: &'static str,
    condition_cycle: u64,
    task: &'a str,
    prompt_valid: bool,
    ledger_seq: Option<u64>,
    input_hash: Option<String>,
    messages: Option<&'a [PromptMessage]>,
    raw: Option<&'a str>,
    raw_llm_hash: Option<String>,
    canonicalization: &'static str,
    canonicalized: Option<&'a str>,
    candidates: Vec<CandidateResult<'a>>,
    candidates_reported: u64,
    parse_errors: u64,
    decision: &'static str,
    reason: Option<&'static str>,
    rejection_reason: Option<&'static str>,
    /// The decision in words.
    why: String,
    refusal_type: Option<&'static str>,
    lc_outcome: Option<&'static str>,
    permutations: Option<&'a PermutationTest>,
    usage: CycleUsage,
    latency_ms: u64,
    attempts: &'a [AttemptRecord],
    answered_by: Option<&'a str>,
    system_fingerprint: Option<&'a str>,
    finish_reason: Option<&'a str>,
}

#[derive(Serialize)]
struct CycleUsage {
    prompt_tokens: u64,
    completion_tokens: u64,
}

/// A candidate, and what the gates said of it.
#[derive(Serialize)]
struct CandidateResult<'a> {
    candidate: &'a Candidate,
    bundle_hash: String,
    judged: bool,
    admitted: bool,
    /// The gate that refused it.
    gate: Option<&'static str>,
    code: Option<&'static str>,
    why: Option<&'static str>,
}

impl<'a> ShownCycleResult<'a> {
    pub(super) fn new(dir: &'a Path, shown: &'a ShownCycle) -> ShownCycleResult<'a> {
        let cycle = shown.cycle.as_ref();
        ShownCycleResult {
            ok: shown.is_good(),
            run: dir.to_string_lossy(),
            live: shown.writer.is_some(),
            process: shown.writer.and_then(|writer| writer.process_id),
            number: shown.number,
            line_sha256: shown.line_hash.as_ref().map(hex),
            bound_by: shown.bound_by,
            differences: &shown.differences,
            differences_elsewhere: shown.differences_elsewhere,
            cycle: cycle.map(|cycle| CycleResult::new(cycle, shown.messages.as_deref())),
        }
    }
}

impl<'a> CycleResult<'a> {
    fn new(cycle: &'a Cycle, messages: Option<&'a [PromptMessage]>) -> CycleResult<'a> {
        let candidates = cycle.candidates.iter();
        CycleResult {
            condition: cycle.condition.as_str(),
            condition_cycle: cycle.cycle,
            task: &cycle.task,
            prompt_valid: cycle.prompt_valid,
            ledger_seq: cycle.ledger_seq,
            input_hash: cycle.input_hash.as_ref().map(hex),
            messages,
            raw: cycle.raw.as_deref(),
            raw_llm_hash: cycle.raw_llm_hash.as_ref().map(hex),
            canonicalization: cycle.canonicalization.as_str(),
            canonicalized: cycle.canonicalized.as_deref(),
            candidates: candidates
                .map(|candidate| CandidateResult::new(cycle, candidate))
                .collect(),
            candidates_reported: cycle.candidates_reported,
            parse_errors: cycle.parse_errors,
            decision: cycle.decision.kind.as_str(),
            reason: cycle.decision.reason.map(|reason| reason.as_str()),
            rejection_reason: cycle.rejection_reason.map(|reason| reason.as_str()),
            why: explain_decision(cycle),
            refusal_type: cycle.refusal_type.map(|kind| kind.as_str()),
            lc_outcome: cycle.lc_outcome.map(|outcome| outcome.as_str()),
            permutations: cycle.permutations.as_ref(),
            usage: CycleUsage {
                prompt_tokens: cycle.prompt_tokens,
                completion_tokens: cycle.completion_tokens,
            },
            latency_ms: cycle.latency_ms,
            attempts: &cycle.attempts,
            answered_by: cycle.answered_by.as_deref(),
            system_fingerprint: cycle.system_fingerprint.as_deref(),
            finish_reason: cycle.finish_reason.as_deref(),
        }
    }
}

impl<'a> CandidateResult<'a> {
    fn new(cycle: &Cycle, candidate: &'a Candidate) -> CandidateResult<'a> {
        let verdict = find_verdict(cycle, candidate);
        let failure = match verdict {
            GateVerdict::Refused(failure) => Some(failure),
            GateVerdict::Admitted | GateVerdict::NotJudged => None,
        };
        CandidateResult {
            candidate,
            bundle_hash: hex(&candidate.hash()),
            judged: verdict != GateVerdict::NotJudged,
            admitted: verdict == GateVerdict::Admitted,
            gate: failure.map(|failure| failure.gate.as_str()),
            code: failure.map(|failure| failure.code.as_str()),
            why: failure.map(|failure| explain_code(failure.code)),
        }
    }
}
