//! The records of a ledger after its saved state, replayed: the agent makes each step again from its observation.
//!
//! formats.md §5 and §6. Only whole steps are taken. Whatever else is there, be it what an interruption left, a seal or
//! a fault, the replay of the whole ledger deals with.

use std::collections::HashMap;
use std::io::{self, Read};

use axilog::agent::Agent;
use axilog::agent::state::Health;
use axilog::agent::stimulus::{CONTROL_ORACLE, is_reserved};
use axilog::evidence::view::ObservationView;
use axilog::fault::Faults;
use axilog::hash::Tag;
use axilog::ledger::Entry;
use axilog::ledger_line;
use axilog::profile::Profile;

use crate::admission::may_lack_answer;
use crate::encoding::unescape;
use crate::file::batch::Batch;
use crate::file::lines::{LedgerLine, LineReader};
use crate::named_blobs::read_raw_answer;
use crate::rules::RuleSet;

/// The output of a reset, whose question is the configuration.
const RESET: &[u8] = br#"{"input_class":"RESET_REQUEST"}"#;

/// An agent that makes the records after its ledger's end again.
pub(super) struct TailReplay<'r> {
    pub(super) agent: Agent,
    /// The model of each oracle, by oracle id.
    pub(super) models: HashMap<String, String>,
    rules: &'r RuleSet,
    /// The records of the step as the agent makes them.
    made: Batch,
    /// The length of those that were found in the ledger.
    found: usize,
    /// The observation of the step where its RAW record may follow, before the agent acts on it.
    unheld: Option<Vec<u8>>,
}

impl<'r> TailReplay<'r> {
    pub(super) fn new(
        agent: Agent,
        models: HashMap<String, String>,
        rules: &'r RuleSet,
    ) -> TailReplay<'r> {
        TailReplay {
            agent,
            models,
            rules,
            made: Batch::default(),
            found: 0,
            unheld: None,
        }
    }

    /// Replays the lines of `tail`. Gives whether they are whole steps, byte for byte as the agent makes them.
    ///
    /// # Errors
    /// The source's error.
    pub(super) fn replay(&mut self, tail: impl Read) -> io::Result<bool> {
        let mut lines = LineReader::new(tail);
        while let Some((_, line)) = lines.next_line()? {
            let LedgerLine::Whole(line) = line else {
                return Ok(false);
            };
            if self.take(line).is_none() {
                return Ok(false);
            }
        }
        Ok(self.unheld.is_none() && self.is_step_over())
    }

    fn is_step_over(&self) -> bool {
        self.found == self.made.lines().len()
    }

    /// Takes the next line; `None` where it is not what the agent makes.
    fn take(&mut self, line: &[u8]) -> Option<()> {
        let entry = ledger_line::parse(line).ok()?;
        if let Some(observation) = self.unheld.take() {
            self.bind_answer(&entry)?;
            self.act_on(&ObservationView::parse(&observation).ok()?)?;
        }
        if self.is_step_over() {
            self.begin_step(&entry)?;
        }
        let rest = self.made.lines().get(self.found..)?;
        self.found = self.found.checked_add(line.len())?;
        rest.starts_with(line).then_some(())
    }

    fn begin_step(&mut self, entry: &Entry<'_>) -> Option<()> {
        if entry.tag != Tag::Obs {
            return None;
        }
        let view = ObservationView::parse(entry.payload).ok()?;
        let next = self.agent.ledger.sequence.checked_add(1)?;
        if view.profile != Profile::Rfc8785 || view.ledger_seq != next {
            return None;
        }
        self.check_model(&view)?;
        let is_control = view.oracle_id.bytes() == CONTROL_ORACLE.as_bytes();
        let is_reset = is_control && view.output.is(RESET);
        if is_reset && view.input_hash != self.rules.hash() {
            return None;
        }
        self.made = Batch::default();
        self.found = 0;
        let mut faults = Faults::NONE;
        let ledger = &mut self.agent.ledger;
        ledger
            .record(Tag::Obs, entry.payload, &mut self.made, &mut faults)
            .ok()?;
        if may_lack_answer(&view) {
            self.unheld = Some(entry.payload.to_owned());
            return Some(());
        }
        self.act_on(&view)
    }

    /// Records the RAW record of the answer, if that is what follows the observation.
    fn bind_answer(&mut self, entry: &Entry<'_>) -> Option<()> {
        let Some(raw) = read_raw_answer(entry) else {
            return Some(());
        };
        if raw.ledger_seq != self.agent.ledger.sequence {
            return None;
        }
        let ledger = &mut self.agent.ledger;
        let mut faults = Faults::NONE;
        ledger
            .record_written(
                Tag::Proof,
                |out| raw.write(out),
                &mut self.made,
                &mut faults,
            )
            .ok()
    }

    fn act_on(&mut self, view: &ObservationView<'_>) -> Option<()> {
        if self.agent.health == Health::Stopped {
            return Some(());
        }
        let mut faults = Faults::NONE;
        let rules = self.rules.rules();
        self.agent
            .step_on(view, &rules, &mut self.made, &mut faults);
        (!faults.any()).then_some(())
    }

    /// Holds an oracle to the model that it had before.
    fn check_model(&mut self, view: &ObservationView<'_>) -> Option<()> {
        let (oracle, model) = (unescape(view.oracle_id), unescape(view.model_id));
        let is_right = match self.models.get(&oracle) {
            Some(recorded) => *recorded == model,
            None if is_reserved(oracle.as_bytes()) => oracle == model,
            None => true,
        };
        self.models.entry(oracle).or_insert(model);
        is_right.then_some(())
    }
}
