//! The step on an answer that violates the declared schema of its oracle.
//!
//! SRS-004 §9.2 (SHALL-011); formats.md §5 (Manifest) and §6 (Raw answers); decision D30. The core knows no schema. So
//! the harness brings the answer as INVALID_OUTPUT, and records what binds its bytes where the core would.

use axilog::admission::{AdmissionOutcome, Answer, Limits, admit};
use axilog::agent::Agent;
use axilog::agent::observe::ObservedAnswer;
use axilog::agent::state::{Health, InputClass, Violation};
use axilog::agent::stimulus::Input;
use axilog::evidence::observation::{Completion, Failure};
use axilog::evidence::proof::RawAnswer;
use axilog::fault::{Error, Faults};
use axilog::hash::Tag;
use axilog::ledger::LedgerSink;
use axilog::policy::Rules;
use axilog::sink::Buffer;

/// Observes an answer as [`Agent::observe`] does, and refuses it: the observation is ERROR / INVALID_OUTPUT, and a RAW
/// record behind it binds the answer's bytes, also where it has none.
///
/// # Errors
/// As [`Agent::observe`].
pub(super) fn observe_refused(
    agent: &mut Agent,
    answer: &Answer<'_>,
    rules: &Rules<'_>,
    work: &mut [u8],
    sink: &mut dyn LedgerSink,
    faults: &mut Faults,
) -> Result<ObservedAnswer, Error> {
    let next = agent.ledger.sequence.checked_add(1);
    let closed = agent.ledger.failed || agent.ledger.sealed || agent.failed;
    let Some(ledger_seq) = next.filter(|_| !closed) else {
        return Err(stop_uncommitted(agent));
    };
    let refused = Answer {
        completion: Completion::Error,
        failure: Some(Failure::InvalidOutput),
        ledger_seq,
        output: b"",
        ..*answer
    };
    let limits = Limits::DEFAULT;
    let (observation, _) = admit(&refused, Some(agent.last_seen_seq), &limits)?;
    let sealed = observation.seal(limits.profile, work)?;
    let raw = RawAnswer::of(ledger_seq, answer.output);
    let recorded = agent
        .ledger
        .record(Tag::Obs, sealed.record, sink, faults)
        .and_then(|()| {
            let write = |out: &mut Buffer<'_>| raw.write(out);
            agent.ledger.record_written(Tag::Proof, write, sink, faults)
        });
    if recorded.is_err() {
        return Err(stop_uncommitted(agent));
    }
    let mut observed = ObservedAnswer {
        ledger_seq,
        admitted: AdmissionOutcome::Invalid,
        evaluation: None,
        binds_raw_answer: true,
        may_act: false,
    };
    if agent.health == Health::Stopped {
        return Ok(observed);
    }
    let input = Input {
        class: Some(InputClass::LlmObs),
        payload: sealed.record,
        ledger_seq,
    };
    observed.evaluation = agent.step(&input, rules, sink, faults);
    match faults.any() {
        true => Err(Error::Ledger),
        false => Ok(observed),
    }
}

/// Stops the agent: what cannot be committed may not be acted on.
fn stop_uncommitted(agent: &mut Agent) -> Error {
    agent.violation = Some(Violation::CommitFailure);
    agent.halt();
    Error::Ledger
}
