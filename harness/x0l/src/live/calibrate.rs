//! The calibration's calls, and the question that every prompt of a session becomes (Q22 to Q24, Q52; F1 to
//! F3).

use axilog::evidence::observation::Params;
use axilog::hash::Hash;
use axilog_ledger::session::Session;
use axilog_oracle::canonicalizer::{Status, canonicalize};
use axilog_oracle::{Exchange, Oracle, Question, consult_oracle};

use crate::calibration::{CALLS, common_form, prompt};
use crate::error::X0lError;
use crate::log::CalibrationVerdict as Verdict;
use crate::log::provider::ProviderWatch;
use crate::template::CyclePrompt;

/// The most tokens that an answer may have, for every prompt of a session (Q52b).
pub const MAX_TOKENS: i32 = 2048;

/// A call of the calibration.
#[derive(Debug)]
pub struct CalibrationCall {
    /// The sequence of the call's observation in the ledger.
    pub ledger_seq: u64,
    /// The canonicalizer's result; `None` where the call failed.
    pub status: Option<Status>,
    /// The hash of the answer's canonical form, where it has one.
    pub canonicalized_hash: Option<Hash>,
    /// The question and the reply.
    pub exchange: Exchange,
}

/// A calibration that was run.
#[derive(Debug)]
pub struct CalibrationRun {
    /// Whether the model is steady.
    pub verdict: Verdict,
    /// SHA-256 of the prompt, which is the same for all calls.
    pub input_hash: Hash,
    /// The hash of the one canonical form, where all answers have the same.
    pub canonicalized_hash: Option<Hash>,
    /// The calls, in order.
    pub calls: Vec<CalibrationCall>,
}

/// Builds the question for a prompt, with the parameters of every call: temperature 0, no seed (Q52c).
#[must_use]
pub fn build_question(model: &str, prompt: &CyclePrompt) -> Question {
    let params = Params {
        max_tokens: Some(MAX_TOKENS),
        temperature: Some(0),
        ..Params::NULL
    };
    Question::new(model, &prompt.system, &prompt.user, params)
}

/// Calibrates `model` at `endpoint`, and records every call in `session` under the oracle id `oracle_id`.
/// Before each call, `on_call` is given its number, from 1. `watch` records which model answered.
///
/// What is compared are the canonical forms of the answers as they came: what the ledger's admission makes of an
/// answer, such as ERROR for a tab, is no part of what the model said.
///
/// # Errors
/// As [`consult_oracle`].
pub fn calibrate(
    session: &mut Session,
    endpoint: &mut Oracle,
    oracle_id: &str,
    model: &str,
    watch: &mut ProviderWatch,
    on_call: &mut dyn FnMut(usize),
) -> Result<CalibrationRun, X0lError> {
    let question = build_question(model, &prompt());
    let mut input_hash = [0; 32];
    let mut calls = Vec::new();
    for number in 1..=CALLS {
        on_call(number);
        let consultation = consult_oracle(session, endpoint, oracle_id, &question)?;
        let recorded = &consultation.decision.observation;
        let ledger_seq = recorded.ledger_seq;
        input_hash = recorded.input_hash;
        let answer = consultation.exchange.reply.as_ref().ok();
        let result = answer.map(|answer| canonicalize(&answer.text));
        if let Some(answer) = answer {
            watch.take_answer(session, ledger_seq, answer)?;
        }
        let failed = answer.is_none();
        calls.push(CalibrationCall {
            ledger_seq,
            status: result.as_ref().map(|result| result.status()),
            canonicalized_hash: result.and_then(|result| Some(result.block.ok()?.hash)),
            exchange: consultation.exchange,
        });
        if failed {
            return Ok(CalibrationRun {
                verdict: Verdict::TransportFailure,
                input_hash,
                canonicalized_hash: None,
                calls,
            });
        }
    }
    let hashes: Vec<Option<Hash>> = calls.iter().map(|call| call.canonicalized_hash).collect();
    let canonicalized_hash = common_form(&hashes);
    Ok(CalibrationRun {
        verdict: match canonicalized_hash {
            Some(_) => Verdict::Steady,
            None => Verdict::Drift,
        },
        input_hash,
        canonicalized_hash,
        calls,
    })
}
