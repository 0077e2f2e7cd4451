//! Observing: admission, the observation's record, and the step, in the one order there is.
//!
//! formats.md §5 (`ax_agent_observe`); SRS-004 §12 (SHALL-001, SHALL-003, SHALL-004, SHALL-016).
//! Determinism: D3 at its entry, D2 after the record.

use super::machine::Agent;
use super::state::{Health, InputClass, Violation};
use super::stimulus::{CONTROL_ORACLE, Stimulus, TIME_ORACLE, is_reserved};
use crate::admission::{AdmissionOutcome, Answer, InputKind, Limits, admit};
use crate::evidence::observation::{Completion, Failure, MAX_RECORD_BYTES, Params};
use crate::evidence::proof::RawAnswer;
use crate::fault::{Error, Fault, Faults};
use crate::hash::Tag;
use crate::json::writer;
use crate::ledger::LedgerSink;
use crate::policy::{Evaluation, Rules};
use crate::sink::{Buffer, Sink, shared};

/// The result of observing an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObservedAnswer {
    /// The observation's sequence.
    pub ledger_seq: u64,
    /// The change that admission made to the answer.
    pub admitted: AdmissionOutcome,
    /// The decision of the policies; `None` where the agent was STOPPED and only recorded.
    pub evaluation: Option<Evaluation>,
    /// Whether a RAW record binds the answer's bytes, because the observation does not hold them.
    pub binds_raw_answer: bool,
    /// Whether the answer may be acted on: an oracle's, permitted, and the agent is ENABLED after
    /// it (decision D32).
    pub may_act: bool,
}

impl Agent {
    /// Takes an oracle's raw answer all the way: admits it under the next sequence, records it,
    /// evaluates the policies, commits the transition, changes state. `answer.ledger_seq` is
    /// ignored. `work` holds the record and bounds its size; at most 65536 bytes of it are used.
    ///
    /// An answer that is not admissible is recorded and acted on all the same
    /// ([`AdmissionOutcome::Invalid`]). Where the observation does not hold the answer's bytes, a RAW
    /// record that binds them follows it (formats.md §6, Raw answers). In STOPPED the observation and
    /// that record are still recorded; nothing follows them.
    /// An agent that failed by itself (a halt without a record) records nothing any more.
    ///
    /// # Errors
    /// [`Error::Protocol`] where a fault is set on entry, [`Error::Schema`], [`Error::Ordering`] and
    /// [`Error::Buffer`] from admission: nothing is recorded. [`Error::Ledger`]: the observation may
    /// be recorded, and the agent is STOPPED.
    pub fn observe(
        &mut self,
        answer: &Answer<'_>,
        rules: &Rules<'_>,
        work: &mut [u8],
        sink: &mut dyn LedgerSink,
        faults: &mut Faults,
    ) -> Result<ObservedAnswer, Error> {
        self.record_and_step(answer, false, rules, work, sink, faults)
    }

    /// Takes an answer that the caller refuses for what the core does not know of, as the schema that
    /// a host declares. It is recorded as ERROR / INVALID_OUTPUT whatever `answer.completion` and
    /// `answer.failure` say, and a RAW record binds its bytes, also where there are none. Everything
    /// else is as in [`Agent::observe`].
    ///
    /// # Errors
    /// As [`Agent::observe`].
    pub fn observe_refused(
        &mut self,
        answer: &Answer<'_>,
        rules: &Rules<'_>,
        work: &mut [u8],
        sink: &mut dyn LedgerSink,
        faults: &mut Faults,
    ) -> Result<ObservedAnswer, Error> {
        self.record_and_step(answer, true, rules, work, sink, faults)
    }

    /// Admits and records an answer, which the caller may have refused, and steps on it.
    fn record_and_step(
        &mut self,
        answer: &Answer<'_>,
        is_refused: bool,
        rules: &Rules<'_>,
        work: &mut [u8],
        sink: &mut dyn LedgerSink,
        faults: &mut Faults,
    ) -> Result<ObservedAnswer, Error> {
        if faults.any() {
            return Err(Error::Protocol);
        }
        let next = self.ledger.sequence.checked_add(1);
        self.ledger.failed |= next.is_none();
        // What a failed agent records could not be replayed: it may have halted without a record.
        let closed = self.ledger.failed || self.ledger.sealed || self.failed;
        let Some(ledger_seq) = next.filter(|_| !closed) else {
            faults.set(Fault::LedgerFail);
            self.stop_uncommitted();
            return Err(Error::Ledger);
        };

        let raw = answer.output;
        // One copy: another one would lie on the stack beneath the check of a JSON question.
        let mut answer = Answer {
            ledger_seq,
            ..with_reserved_fields(answer)
        };
        if is_refused {
            answer.completion = Completion::Error;
            answer.failure = Some(Failure::InvalidOutput);
            answer.output = b"";
        }
        let limits = Limits {
            max_record: work.len().min(MAX_RECORD_BYTES),
            ..Limits::DEFAULT
        };
        let admission = admit(&answer, Some(self.last_seen_seq), &limits);
        let (mut observation, mut admitted) = admission.inspect_err(|&error| match error {
            Error::Ordering => {
                faults.set(Fault::Ordering);
                faults.set(Fault::Protocol);
            }
            Error::Schema => faults.set(Fault::Schema),
            _ => {}
        })?;
        if is_refused {
            admitted = AdmissionOutcome::Invalid;
        }
        let own = is_reserved(answer.oracle_id);
        if own && admitted == AdmissionOutcome::Cut && limits.max_record < MAX_RECORD_BYTES {
            // The time, or a control input, means something only whole; that `work` is too small
            // for it is no reason to stop the agent.
            return Err(Error::Buffer);
        }
        if answer.oracle_id == CONTROL_ORACLE.as_bytes()
            && observation.completion == Completion::Complete
            && answer.output == control_output(InputClass::ResetRequest).as_bytes()
        {
            observation.input_hash = rules.hash();
        }

        let mut observed = ObservedAnswer {
            ledger_seq,
            admitted,
            evaluation: None,
            binds_raw_answer: is_refused
                || admitted != AdmissionOutcome::AsGiven && !raw.is_empty(),
            may_act: false,
        };
        let sealed = observation.seal(limits.profile, work)?;
        let mut recorded = self.ledger.record(Tag::Obs, sealed.record, sink, faults);
        if recorded.is_ok() && observed.binds_raw_answer {
            recorded = self.bind_raw_answer(ledger_seq, raw, sink, faults);
        }
        if recorded.is_err() {
            self.stop_uncommitted();
            return Err(Error::Ledger);
        }
        if self.health == Health::Stopped {
            return Ok(observed);
        }
        if self.accepts(ledger_seq, faults) {
            let stimulus = Stimulus::of_sealed(
                observation.oracle_id,
                observation.completion,
                observation.failure,
                &sealed,
            );
            let evaluation = self.act(&stimulus, ledger_seq, rules, sink, faults);
            observed.evaluation = Some(evaluation);
            observed.may_act = !own && !evaluation.breach && self.health == Health::Enabled;
        }
        if faults.any() {
            Err(Error::Ledger)
        } else {
            Ok(observed)
        }
    }

    /// Records the binding of a raw answer. A function of its own, so that neither the hash's state nor the
    /// record's buffer is on the stack of the step that follows.
    #[inline(never)]
    fn bind_raw_answer(
        &mut self,
        ledger_seq: u64,
        answer: &[u8],
        sink: &mut dyn LedgerSink,
        faults: &mut Faults,
    ) -> Result<(), Error> {
        let raw = RawAnswer::of(ledger_seq, answer);
        let write = |out: &mut Buffer<'_>| raw.write(shared(out));
        self.ledger.record_written(Tag::Proof, write, sink, faults)
    }

    /// Observes the time, in the integrator's unit.
    ///
    /// # Errors
    /// As [`Agent::observe`].
    pub fn observe_time(
        &mut self,
        timestamp: u64,
        rules: &Rules<'_>,
        work: &mut [u8],
        sink: &mut dyn LedgerSink,
        faults: &mut Faults,
    ) -> Result<ObservedAnswer, Error> {
        let mut bytes = [0u8; 40];
        let mut out = Buffer::new(&mut bytes);
        out.put(b"{\"timestamp\":");
        writer::u64(timestamp, shared(&mut out));
        out.put(b"}");
        let output = out.finish().ok_or(Error::Buffer)?;
        self.observe(
            &machine_answer(TIME_ORACLE, output),
            rules,
            work,
            sink,
            faults,
        )
    }

    /// Observes a control input.
    ///
    /// # Errors
    /// [`Error::Schema`] (and its fault) for a class that is not a control class, and as
    /// [`Agent::observe`].
    pub fn observe_control(
        &mut self,
        class: InputClass,
        rules: &Rules<'_>,
        work: &mut [u8],
        sink: &mut dyn LedgerSink,
        faults: &mut Faults,
    ) -> Result<ObservedAnswer, Error> {
        if !class.is_control() {
            faults.set(Fault::Schema);
            return Err(Error::Schema);
        }
        let answer = machine_answer(CONTROL_ORACLE, control_output(class).as_bytes());
        self.observe(&answer, rules, work, sink, faults)
    }

    /// Stops the agent: what cannot be committed may not be acted on.
    fn stop_uncommitted(&mut self) {
        self.violation = Some(Violation::CommitFailure);
        self.halt();
    }
}

/// The answer with the fields that the library itself sets where the oracle is a reserved one.
fn with_reserved_fields<'a>(answer: &Answer<'a>) -> Answer<'a> {
    if !is_reserved(answer.oracle_id) {
        return *answer;
    }
    Answer {
        input: b"",
        input_kind: InputKind::Text,
        model_id: answer.oracle_id,
        params: Params::NULL,
        ..*answer
    }
}

fn machine_answer<'a>(oracle: &'static str, output: &'a [u8]) -> Answer<'a> {
    Answer {
        completion: Completion::Complete,
        failure: None,
        input: b"",
        input_kind: InputKind::Text,
        ledger_seq: 0,
        model_id: oracle.as_bytes(),
        oracle_id: oracle.as_bytes(),
        output,
        params: Params::NULL,
    }
}

fn control_output(class: InputClass) -> &'static str {
    match class {
        InputClass::PolicyTrigger => "{\"input_class\":\"POLICY_TRIGGER\"}",
        InputClass::FaultSignal => "{\"input_class\":\"FAULT_SIGNAL\"}",
        InputClass::ResetRequest => "{\"input_class\":\"RESET_REQUEST\"}",
        InputClass::TimeObs | InputClass::LlmObs => "",
    }
}
