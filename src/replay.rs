//! Verification and replay: what a ledger says, checked record by record.
//!
//! formats.md §6 (verdicts, replay); SRS-004 §13 and §20 (SHALL-002, SHALL-008, SHALL-017,
//! SHALL-018, SHALL-023, SHALL-034). Determinism: D2. Streaming: memory does not grow with the
//! ledger. No oracle is ever called: the observations are read, policies and agent run afresh, and
//! every record that follows is compared byte for byte.

#![forbid(unsafe_code)]

#[cfg(not(target_os = "none"))]
mod byte_reader;
#[cfg(not(target_os = "none"))]
mod claims;
mod examined;
mod models;
#[cfg(not(target_os = "none"))]
pub mod stretch;
#[cfg(not(target_os = "none"))]
mod stretch_bytes;
mod verdict;

use crate::agent::Agent;
use crate::agent::state::{Health, InputClass};
use crate::agent::step::{Step, StepRecord};
use crate::agent::stimulus::Stimulus;
use crate::evidence::observation::Failure;
use crate::evidence::policy::MAX_POLICY_RECORD_BYTES;
use crate::evidence::proof::{Proof, RawAnswer, Seal};
use crate::evidence::state::GENESIS_PAYLOAD;
use crate::evidence::view::ObservationView;
use crate::fault::{Error, Faults};
use crate::hash::{Hash, Tag};
use crate::ledger::{Entry, Ledger, LedgerSink};
use crate::policy::Rules;
use crate::profile::Profile;
use crate::sink::{Buffer, shared};
use models::Models;

pub use examined::CheckedEntry;
pub use models::MAX_ORACLES;
pub use verdict::Verdict;

/// A verification or replay in progress.
///
/// Fed without rules it verifies: hashes, chain, canonical forms, order, witnesses, models. Fed
/// with rules it also decides everything again. One or the other for a whole ledger.
#[derive(Clone)]
pub struct Replay {
    agent: Agent,
    entries: u64,
    verdict: Verdict,
    /// The last observation's sequence; 0 before the first.
    observed: u64,
    /// Whether that observation's transition is still to come.
    open: bool,
    /// Whether the last record is an observation that does not hold its answer, so that a RAW record
    /// may follow.
    unheld: bool,
    /// The number of observations that do not hold their answers, less the RAW records after them.
    unbound_answers: u64,
    /// The chain value that the seal names, once there is one.
    sealed_head: Option<Hash>,
    step: Option<Step>,
    /// Whether an observation was only verified, so that the agent is not known.
    undecided: bool,
    models: Models,
}

impl Default for Replay {
    fn default() -> Replay {
        Replay::new()
    }
}

impl Replay {
    /// A replay of a ledger of which nothing has been read.
    #[must_use]
    pub fn new() -> Replay {
        Replay {
            agent: Agent::new(),
            entries: 0,
            verdict: Verdict::Ok,
            observed: 0,
            open: false,
            unheld: false,
            unbound_answers: 0,
            sealed_head: None,
            step: None,
            undecided: false,
            models: Models::default(),
        }
    }

    /// Takes the next entry. The first verdict that is not OK stays: nothing after it is checked.
    pub fn feed(&mut self, entry: &Entry<'_>, rules: Option<&Rules<'_>>) -> Verdict {
        if self.verdict == Verdict::Ok {
            let previous = (self.entries > 0).then_some(&self.agent.ledger.head);
            self.take(&CheckedEntry::unread(entry, previous), rules);
        }
        self.verdict
    }

    /// Takes the next entry, whose own bytes have been checked already, as [`Replay::feed`] does.
    pub fn take(&mut self, examined: &CheckedEntry<'_>, rules: Option<&Rules<'_>>) -> Verdict {
        if self.verdict == Verdict::Ok {
            match self.check(examined, rules) {
                Ok(()) => self.entries = self.entries.saturating_add(1),
                Err(verdict) => self.verdict = verdict,
            }
        }
        self.verdict
    }

    /// Ends the replay with `verdict`: for readers that cannot make an entry of what they read.
    pub fn refuse(&mut self, verdict: Verdict) -> Verdict {
        if self.verdict == Verdict::Ok {
            self.verdict = verdict;
        }
        self.verdict
    }

    /// The verdict over everything fed. `expected_entries` counts as a seal does: every record
    /// before the seal, genesis included. `expected_head` is the chain value of the last record, a
    /// seal counted or not.
    #[must_use]
    pub fn finish(&self, expected_entries: Option<u64>, expected_head: Option<&Hash>) -> Verdict {
        if self.verdict != Verdict::Ok {
            return self.verdict;
        }
        if self.entries == 0 {
            return Verdict::Truncated;
        }
        let length = self
            .entries
            .saturating_sub(u64::from(self.sealed_head.is_some()));
        match expected_entries {
            Some(expected) if length < expected => return Verdict::Truncated,
            Some(expected) if length > expected => return Verdict::Altered,
            _ => {}
        }
        let is_head = |h: &Hash| *h == self.agent.ledger.head || Some(*h) == self.sealed_head;
        match expected_head {
            Some(head) if !is_head(head) => match expected_entries {
                // As long as it should be and yet another: somebody wrote it anew.
                Some(_) => Verdict::Altered,
                None => Verdict::Truncated,
            },
            _ => Verdict::Ok,
        }
    }

    /// The verdict so far.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// The number of good entries; the first bad one, if any, has this sequence.
    #[must_use]
    pub fn entries(&self) -> u64 {
        self.entries
    }

    /// The chain as far as it was found good.
    #[must_use]
    pub fn ledger(&self) -> &Ledger {
        &self.agent.ledger
    }

    /// The number of observations that do not hold their answers and that no RAW record follows:
    /// nothing binds the bytes of those answers, if any came.
    #[must_use]
    pub fn unbound_answers(&self) -> u64 {
        self.unbound_answers
    }

    /// Whether the last record is an observation that does not hold its answer: the RAW record that
    /// binds the answer's bytes may follow, and only as the next record.
    #[must_use]
    pub fn awaits_raw_answer(&self) -> bool {
        self.unheld
    }

    /// Whether there are more oracles than can be held to their models ([`MAX_ORACLES`]).
    #[must_use]
    pub fn lost_track_of_models(&self) -> bool {
        self.models.overflowed()
    }

    /// The agent after everything fed, and the step that was under way, if its last records are
    /// missing: hand both to [`Agent::complete`] to go on.
    ///
    /// A RAW record that an interruption kept from being written cannot be made again from the
    /// ledger, which does not hold the answer's bytes: the step is completed without it, and the
    /// answer counts among the [`Replay::unbound_answers`]. A caller that still has the bytes records
    /// it first ([`RawAnswer::of`], [`Ledger::record_written`]), feeds the entry, and resumes then.
    ///
    /// # Errors
    /// [`Error::Protocol`] where the ledger is not good so far, or was only verified.
    pub fn resume(&self) -> Result<(Agent, Option<Step>), Error> {
        if self.verdict != Verdict::Ok || self.entries == 0 || self.undecided {
            return Err(Error::Protocol);
        }
        let mut agent = self.agent.clone();
        // Gateways' observations may be ahead of their lines. The next one may not fall behind them,
        // also where the agent, once STOPPED, has acted on none of them.
        if self.observed > agent.ledger.sequence {
            agent.last_seen_seq = self.observed;
        }
        Ok((agent, self.step.clone()))
    }

    /// Commits what is missing of an interrupted last step. `agent` is the one of [`Replay::resume`].
    ///
    /// # Errors
    /// [`Error::Protocol`] where a fault is set, the ledger is not good so far, or `agent` is not
    /// where it ends; [`Error::Ledger`] where a record cannot be committed.
    pub fn complete(
        &self,
        agent: &mut Agent,
        rules: Option<&Rules<'_>>,
        sink: &mut dyn LedgerSink,
        faults: &mut Faults,
    ) -> Result<(), Error> {
        let (expected, step) = self.resume()?;
        let Some(rules) = rules.filter(|_| *agent == expected && !faults.any()) else {
            return Err(Error::Protocol);
        };
        if let Some(step) = step {
            agent.complete(step, rules.registry, sink, faults);
        }
        if faults.any() {
            Err(Error::Ledger)
        } else {
            Ok(())
        }
    }

    fn check(
        &mut self,
        examined: &CheckedEntry<'_>,
        rules: Option<&Rules<'_>>,
    ) -> Result<(), Verdict> {
        let entry = examined.entry();
        if entry.sequence != self.entries || self.agent.ledger.sealed {
            return Err(Verdict::Reordered);
        }
        let ledger = &self.agent.ledger;
        let previous = (self.entries > 0).then_some(&ledger.head);
        if !examined.is_committed() || examined.chained(previous) != entry.chain {
            return Err(Verdict::Altered);
        }
        match entry.tag {
            Tag::State => self.check_genesis(entry)?,
            _ if self.entries == 0 => return Err(Verdict::Reordered),
            Tag::Obs => self.check_observation(examined, rules)?,
            Tag::Policy | Tag::Trans => self.check_decision(examined, rules)?,
            Tag::Proof => self.check_proof(entry)?,
        }
        self.unheld = entry.tag == Tag::Obs && examined.observation().is_some_and(lacks_answer);
        self.unbound_answers = self.unbound_answers.saturating_add(u64::from(self.unheld));
        self.agent.ledger.head = entry.chain;
        self.agent.ledger.sequence = entry.sequence;
        Ok(())
    }

    fn check_genesis(&self, entry: &Entry<'_>) -> Result<(), Verdict> {
        if self.entries > 0 {
            Err(Verdict::Reordered)
        } else if entry.payload != GENESIS_PAYLOAD {
            Err(Verdict::Altered)
        } else {
            Ok(())
        }
    }

    fn check_observation(
        &mut self,
        examined: &CheckedEntry<'_>,
        rules: Option<&Rules<'_>>,
    ) -> Result<(), Verdict> {
        let view = examined.read_observation()?;
        // Gateways, which write the other profiles, keep sequences of their own.
        let misplaced =
            view.profile == Profile::Rfc8785 && view.ledger_seq != examined.entry().sequence;
        if misplaced || view.ledger_seq <= self.observed {
            return Err(Verdict::Reordered);
        }
        if self.step.is_some() {
            return Err(Verdict::Diverged);
        }
        self.models
            .check(view.oracle_id.bytes(), view.model_id.bytes())?;
        if let Some(rules) = rules {
            let stimulus = Stimulus::of_view(view);
            let reset = stimulus.class() == Some(InputClass::ResetRequest);
            if reset && view.input_hash != rules.hash() {
                return Err(Verdict::ConfigMismatch);
            }
            if self.agent.health != Health::Stopped {
                let step = Step::undecided(&self.agent, &stimulus, view.ledger_seq);
                self.step.insert(step).decide(&self.agent, rules, &stimulus);
            }
        }
        self.undecided |= rules.is_none();
        self.observed = view.ledger_seq;
        self.open = true;
        Ok(())
    }

    fn check_decision(
        &mut self,
        examined: &CheckedEntry<'_>,
        rules: Option<&Rules<'_>>,
    ) -> Result<(), Verdict> {
        let entry = examined.entry();
        let expected = match (rules, &mut self.step) {
            (Some(rules), Some(step)) => step.next(rules.registry),
            _ => None,
        };
        // What replay gives, byte for byte, needs no reading.
        if !expected.is_some_and(|expected| is_record(&expected, entry)) {
            let bound_to = examined.read_bound_to()?;
            let skips = entry.tag == Tag::Trans
                && expected.is_some_and(|expected| expected.tag() == Tag::Policy);
            if !self.open || bound_to.observation != self.observed || skips {
                return Err(Verdict::Unwitnessed);
            }
            if bound_to.step != self.observed {
                return Err(Verdict::Reordered);
            }
            if rules.is_some() {
                return Err(Verdict::Diverged);
            }
        }
        if entry.tag == Tag::Trans {
            self.open = false;
            if let Some(step) = &self.step {
                step.finish(&mut self.agent);
            }
            self.step = None;
        }
        Ok(())
    }

    fn check_proof(&mut self, entry: &Entry<'_>) -> Result<(), Verdict> {
        match Proof::parse(entry.payload) {
            Ok(Proof::Raw(raw)) => self.check_raw_answer(&raw),
            Ok(Proof::Seal(seal)) => self.check_seal(&seal, entry),
            Err(_) => Err(Verdict::NonCanonical),
        }
    }

    fn check_raw_answer(&mut self, raw: &RawAnswer) -> Result<(), Verdict> {
        if !self.unheld || raw.ledger_seq != self.observed {
            return Err(Verdict::Reordered);
        }
        self.unbound_answers = self.unbound_answers.saturating_sub(1);
        Ok(())
    }

    fn check_seal(&mut self, seal: &Seal, entry: &Entry<'_>) -> Result<(), Verdict> {
        if seal.entries > entry.sequence {
            return Err(Verdict::Truncated);
        }
        if seal.entries != entry.sequence || seal.head != self.agent.ledger.head {
            return Err(Verdict::Altered);
        }
        if self.step.is_some() {
            return Err(Verdict::Diverged);
        }
        self.sealed_head = Some(seal.head);
        self.agent.ledger.sealed = true;
        Ok(())
    }
}

/// Whether an observation does not hold the answer that came, or not all of it.
fn lacks_answer(view: &ObservationView<'_>) -> bool {
    let invalid = view.failure == Some(Failure::InvalidOutput) && view.output_held == 0;
    invalid || view.output_held < view.output_size
}

/// Whether `entry` holds exactly what `expected` writes.
fn is_record(expected: &StepRecord<'_>, entry: &Entry<'_>) -> bool {
    let mut bytes = [0u8; MAX_POLICY_RECORD_BYTES];
    let mut out = Buffer::new(&mut bytes);
    expected.write(shared(&mut out));
    expected.tag() == entry.tag && out.finish().is_some_and(|record| record == entry.payload)
}
