//! Derived inputs: calls whose question was made from earlier answers.
//!
//! formats.md §5 (Derived inputs); SRS-004 §10.1 (SHALL-039) and §11.2 (SHALL-014); decision D31. The input of such a call is canonical
//! JSON with a member `derived_from`, the `obs_hash`es of the answers in the order of their use.

use std::collections::HashMap;

use axilog::agent::stimulus::is_reserved;
use axilog::evidence::view::ObservationView;
use axilog::hash::{Hash, sha256};

use crate::derivation::{Derivation, find_derivation};
use crate::encoding::{hex, unescape};
use crate::error::LedgerError;
use crate::file::blobs::BlobStore;
use crate::running_values::is_running_value_id;
use crate::standing::{Standing, StandingReader};
use crate::verify::VerifiedRecord;

/// The most faults that are named one by one, and the most refused answers that fed a question which says so.
const MAX_NAMED: usize = 20;

/// The inputs of a ledger that say what they were derived from. Each input is read once, however many observations
/// have it. Memory grows with the number of distinct inputs and with what they name.
pub(super) struct Derivations {
    store: BlobStore,
    /// The most bytes of an input that are read.
    limit: u64,
    /// The inputs that were read: the place of what each says, if anything.
    read: HashMap<Hash, Option<usize>>,
    /// What the derived inputs say; an error says why that cannot be read.
    derivations: Vec<Result<Derivation, &'static str>>,
    /// The observations with such an input, each with the place of what that says.
    observations: Vec<(u64, usize)>,
    /// The number of inputs that are missing, damaged or longer than what is read.
    unread: u64,
}

/// What an audit finds of the derived inputs, in words.
#[derive(Default)]
pub(super) struct DerivationFindings {
    /// Why derivations do not hold, the first [`MAX_NAMED`] reasons.
    pub(super) faults: Vec<String>,
    /// The number of inputs whose derivation does not hold.
    pub(super) faulty_inputs: u64,
    /// The refused answers that fed a question which says so, the first [`MAX_NAMED`].
    pub(super) refused: Vec<String>,
    /// The number of all of these.
    pub(super) refused_count: u64,
}

/// The place of an answer in the ledger, and whether it may be acted on.
type Place = (u64, Standing);

/// What the sources of an input have in common.
struct SourceSummary {
    /// The last of their places; `None` where the ledger does not hold one of them.
    last: Option<u64>,
    /// How many of them may not be acted on.
    refused: u64,
    /// Whether the input does not say so of one of those.
    is_silent: bool,
}

impl Derivations {
    pub(super) fn new(store: BlobStore, limit: u64) -> Derivations {
        Derivations {
            store,
            limit,
            read: HashMap::from([(sha256(b""), None)]),
            derivations: Vec::new(),
            observations: Vec::new(),
            unread: 0,
        }
    }

    /// Reads the observation's input, if it is whole among the blobs.
    ///
    /// # Errors
    /// Those of [`BlobStore::read`].
    pub(super) fn take_observation(
        &mut self,
        view: &ObservationView<'_>,
    ) -> Result<(), LedgerError> {
        if is_running_value_id(&unescape(view.oracle_id)) {
            // Another check computes the whole question again.
            return Ok(());
        }
        let place = match self.read.get(&view.input_hash) {
            Some(place) => *place,
            None => {
                let input = self.store.read(&view.input_hash, self.limit)?;
                let input = input.filter(|input| sha256(input) == view.input_hash);
                // The input of a control record is a configuration.
                let is_question = !is_reserved(view.oracle_id.bytes());
                let is_unread = is_question && input.is_none();
                self.unread = self.unread.saturating_add(u64::from(is_unread));
                let place = find_derivation(&input.unwrap_or_default()).map(|derivation| {
                    self.derivations.push(derivation);
                    self.derivations.len().saturating_sub(1)
                });
                self.read.insert(view.input_hash, place);
                place
            }
        };
        self.observations
            .extend(place.map(|place| (view.ledger_seq, place)));
        Ok(())
    }

    /// Whether there is anything to compare with the observations.
    pub(super) fn is_empty(&self) -> bool {
        self.observations.is_empty()
    }

    /// The number of calls whose input was derived from earlier answers.
    pub(super) fn count(&self) -> usize {
        self.observations.len()
    }

    /// The number of inputs of which nobody can say whether they were derived: they are missing, damaged or too long.
    pub(super) fn unread_inputs(&self) -> u64 {
        self.unread
    }

    /// Compares the derivations with the observations. `visit` calls its argument with every record of the ledger.
    ///
    /// # Errors
    /// Those of `visit`.
    pub(super) fn compare(
        &self,
        visit: impl FnOnce(&mut dyn FnMut(&VerifiedRecord<'_>)) -> Result<(), LedgerError>,
    ) -> Result<DerivationFindings, LedgerError> {
        let mut named: HashMap<Hash, Option<Place>> = HashMap::new();
        for source in self.derivations.iter().flatten().flat_map(|d| &d.sources) {
            named.insert(*source, None);
        }
        let mut standings = StandingReader::default();
        visit(&mut |record| {
            let observation = record.observation.as_ref();
            standings.take(&record.entry, observation, &mut |told| {
                if let Some(place) = named.get_mut(&told.obs_hash)
                    && place.is_none_or(|(ledger_seq, _)| ledger_seq == told.ledger_seq)
                {
                    *place = Some((told.ledger_seq, told.standing));
                }
            });
        })?;
        let find = |source: &Hash| named.get(source).copied().flatten();
        let summaries: Vec<_> = self
            .derivations
            .iter()
            .map(|derivation| Some(SourceSummary::of(derivation.as_ref().ok()?, find)))
            .collect();
        let mut findings = DerivationFindings::default();
        for (ledger_seq, place) in &self.observations {
            let summary = summaries.get(*place).and_then(Option::as_ref);
            let holds = summary.is_some_and(|summary| summary.holds_before(*ledger_seq));
            let refused = summary.map_or(0, |summary| summary.refused);
            findings.count(holds, refused);
            match self.derivations.get(*place) {
                Some(Ok(derivation)) if !holds || refused > 0 => {
                    findings.name_sources(*ledger_seq, derivation, holds, find);
                }
                Some(Err(reason)) => {
                    findings.name_fault(format!("the input of observation {ledger_seq}: {reason}"));
                }
                _ => {}
            }
        }
        Ok(findings)
    }
}

impl SourceSummary {
    fn of(derivation: &Derivation, find: impl Fn(&Hash) -> Option<Place>) -> SourceSummary {
        let mut summary = SourceSummary {
            last: Some(0),
            refused: 0,
            is_silent: false,
        };
        for place in derivation.sources.iter().map(find) {
            let seq = place.map(|(seq, _)| seq);
            summary.last = summary.last.zip(seq).map(|(last, seq)| last.max(seq));
            if let Some((_, standing)) = place
                && standing.refusal().is_some()
            {
                summary.refused = summary.refused.saturating_add(1);
                summary.is_silent |= !admits(derivation, standing);
            }
        }
        summary
    }

    /// Whether the derivation of an observation's input holds.
    fn holds_before(&self, ledger_seq: u64) -> bool {
        !self.is_silent && self.last.is_some_and(|last| last < ledger_seq)
    }
}

/// Whether an answer that may not be acted on may feed an input.
fn admits(derivation: &Derivation, standing: Standing) -> bool {
    derivation.even_refused && standing != Standing::NoAnswer
}

impl DerivationFindings {
    fn count(&mut self, holds: bool, refused: u64) {
        if holds {
            self.refused_count = self.refused_count.saturating_add(refused);
        } else {
            self.faulty_inputs = self.faulty_inputs.saturating_add(1);
        }
    }

    fn name_fault(&mut self, fault: String) {
        if self.faults.len() < MAX_NAMED {
            self.faults.push(fault);
        }
    }

    /// Names what is to be said of the sources of an observation's input, as far as there is room.
    fn name_sources(
        &mut self,
        ledger_seq: u64,
        derivation: &Derivation,
        holds: bool,
        find: impl Fn(&Hash) -> Option<Place>,
    ) {
        let input = format!("the input of observation {ledger_seq} is derived from");
        for source in &derivation.sources {
            let named = if holds { &self.refused } else { &self.faults };
            if named.len() >= MAX_NAMED {
                return;
            }
            let Some((place, standing)) = find(source).filter(|(place, _)| *place < ledger_seq)
            else {
                self.name_fault(format!(
                    "{input} {}, which is no earlier observation of this ledger",
                    hex(source)
                ));
                continue;
            };
            let Some(reason) = standing.refusal() else {
                continue;
            };
            let refused = format!("{input} observation {place}, which may not be acted on");
            match (admits(derivation, standing), holds) {
                (true, true) => self
                    .refused
                    .push(format!("{refused}, and says so: {reason}")),
                (true, false) => {}
                (false, _) => self.name_fault(format!("{refused}: {reason}")),
            }
        }
    }
}
