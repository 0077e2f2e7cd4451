//! The calibration's calls, and what a session asks a model in general (Q22 to Q24, Q52; F1 to F3).

use axilog::evidence::observation::Params;
use axilog::hash::Hash;
use axilog_ledger::session::Session;
use axilog_oracle::canonicalizer::{Status, canonicalize};
use axilog_oracle::{Endpoint, Exchange, Question, consult};

use crate::X0lError;
use crate::calibration::{CALLS, common_form, prompt};
use crate::log::CalibrationVerdict as Verdict;
use crate::template::Prompt;

/// What the answers to every prompt of a session may have at most (Q52b).
pub const MAX_TOKENS: i32 = 2048;

/// One of the calls.
#[derive(Debug)]
pub struct Call {
    /// Its observation's sequence.
    pub ledger_seq: u64,
    /// What became of the answer; `None` where the ledger does not hold it as COMPLETE.
    pub status: Option<Status>,
    /// The hash of its canonical form, where it has one.
    pub canonicalized_hash: Option<Hash>,
    /// The call itself.
    pub exchange: Exchange,
}

/// The calls of a calibration.
#[derive(Debug)]
pub struct Calibration {
    /// What was found.
    pub verdict: Verdict,
    /// SHA-256 of the prompt, the same for all.
    pub input_hash: Hash,
    /// The one canonical form of all answers, where they have one: its hash.
    pub canonicalized_hash: Option<Hash>,
    /// The calls, in order.
    pub calls: Vec<Call>,
}

/// A prompt as every one of a session is asked: temperature 0, no seed (Q52c).
#[must_use]
pub fn question(model: &str, prompt: &Prompt) -> Question {
    let params = Params {
        max_tokens: Some(MAX_TOKENS),
        temperature: Some(0),
        ..Params::NULL
    };
    Question::new(model, &prompt.system, &prompt.user, params)
}

/// Asks `model` at `endpoint` and records every call in `session` as the oracle `oracle_id`'s.
/// `before` is told the number of each call, from 1.
///
/// # Errors
/// As [`consult`].
pub fn calibrate(
    session: &mut Session,
    endpoint: &mut Endpoint,
    oracle_id: &str,
    model: &str,
    before: &mut dyn FnMut(usize),
) -> Result<Calibration, X0lError> {
    let question = question(model, &prompt());
    let mut input_hash = [0; 32];
    let mut calls = Vec::new();
    for number in 1..=CALLS {
        before(number);
        let consultation = consult(session, endpoint, oracle_id, &question)?;
        let recorded = &consultation.decision.observation;
        input_hash = recorded.input_hash;
        let result = consultation.admitted_text().map(canonicalize);
        let failed = consultation.exchange.reply.is_err();
        calls.push(Call {
            ledger_seq: recorded.ledger_seq,
            status: result.as_ref().map(|result| result.status()),
            canonicalized_hash: result.and_then(|result| Some(result.block.ok()?.hash)),
            exchange: consultation.exchange,
        });
        if failed {
            return Ok(Calibration {
                verdict: Verdict::TransportFailure,
                input_hash,
                canonicalized_hash: None,
                calls,
            });
        }
    }
    let forms: Vec<Option<Hash>> = calls.iter().map(|call| call.canonicalized_hash).collect();
    let canonicalized_hash = common_form(&forms);
    Ok(Calibration {
        verdict: match canonicalized_hash {
            Some(_) => Verdict::Steady,
            None => Verdict::Drift,
        },
        input_hash,
        canonicalized_hash,
        calls,
    })
}
