//! Derived inputs: calls whose question was made from earlier answers.
//!
//! formats.md §5 (Derived inputs); SRS-004 §10.1 (SHALL-039) and §11.2 (SHALL-014); decision D31. The input of such a call is canonical
//! JSON with a member `derived_from`, the `obs_hash`es of the answers in the order of their use.

use std::collections::{HashMap, HashSet};

use axilog::evidence::view::ObservationView;
use axilog::hash::{Hash, sha256};

use crate::derivation::{Derivation, find_derivation};
use crate::encoding::hex;
use crate::error::LedgerError;
use crate::file::blobs::BlobStore;
use crate::standing::{Standing, StandingReader};
use crate::verify::VerifiedRecord;

/// The most refused answers that are named one by one where the questions say that they fed them.
const MAX_NAMED_REFUSED: usize = 20;

/// The most bytes of an input that are read to find what it is derived from.
const MAX_INPUT_BYTES: u64 = 64 << 20;

/// The inputs of a ledger that say what they were derived from. Memory grows with the number of distinct inputs
/// and derivations.
pub(super) struct Derivations {
    store: BlobStore,
    /// The inputs that were read and say nothing.
    plain_inputs: HashSet<Hash>,
    derived: Vec<DerivedInput>,
}

/// An observation whose input was derived from others.
struct DerivedInput {
    ledger_seq: u64,
    /// What it says; an error says why that cannot be read.
    derivation: Result<Derivation, &'static str>,
}

/// What an audit finds of the derived inputs, in words.
#[derive(Default)]
pub(super) struct DerivationFindings {
    /// The derivations that do not hold.
    pub(super) faults: Vec<String>,
    /// The refused answers that fed a question which says so, the first [`MAX_NAMED_REFUSED`].
    pub(super) refused: Vec<String>,
    /// The number of all of these.
    pub(super) refused_count: u64,
}

impl Derivations {
    pub(super) fn new(store: BlobStore) -> Derivations {
        Derivations {
            store,
            plain_inputs: HashSet::new(),
            derived: Vec::new(),
        }
    }

    /// Reads the observation's input, if it is among the blobs.
    ///
    /// # Errors
    /// Those of [`BlobStore::read`].
    pub(super) fn take_observation(
        &mut self,
        view: &ObservationView<'_>,
    ) -> Result<(), LedgerError> {
        let hash = view.input_hash;
        if hash == sha256(b"") || self.plain_inputs.contains(&hash) {
            return Ok(());
        }
        // A blob that is missing or damaged is another check's.
        let input = self.store.read(&hash, MAX_INPUT_BYTES)?.unwrap_or_default();
        match find_derivation(&input) {
            Some(derivation) => self.derived.push(DerivedInput {
                ledger_seq: view.ledger_seq,
                derivation,
            }),
            None => {
                self.plain_inputs.insert(hash);
            }
        }
        Ok(())
    }

    /// Whether there is anything to compare with the observations.
    pub(super) fn is_empty(&self) -> bool {
        self.derived.is_empty()
    }

    /// The number of calls whose input was derived from earlier answers.
    pub(super) fn count(&self) -> usize {
        self.derived.len()
    }

    /// Compares the derivations with the observations. `visit` calls its argument with every record of the ledger.
    ///
    /// # Errors
    /// Those of `visit`.
    pub(super) fn compare(
        &self,
        visit: impl FnOnce(&mut dyn FnMut(&VerifiedRecord<'_>)) -> Result<(), LedgerError>,
    ) -> Result<DerivationFindings, LedgerError> {
        let mut named: HashMap<Hash, Option<(u64, Standing)>> = HashMap::new();
        let derivations = self.derived.iter().flat_map(|d| &d.derivation);
        for source in derivations.flat_map(|derivation| &derivation.sources) {
            named.insert(*source, None);
        }
        let mut standings = StandingReader::default();
        visit(&mut |record| {
            if let Some(told) = standings.take(&record.entry, record.observation.as_ref())
                && let Some(place) = named.get_mut(&told.obs_hash)
                && place.is_none_or(|(ledger_seq, _)| ledger_seq == told.ledger_seq)
            {
                *place = Some((told.ledger_seq, told.standing));
            }
        })?;
        let mut findings = DerivationFindings::default();
        for DerivedInput {
            ledger_seq,
            derivation,
        } in &self.derived
        {
            match derivation {
                Ok(derivation) => {
                    for source in &derivation.sources {
                        let place = named.get(source).copied().flatten();
                        let place = place.filter(|(place, _)| place < ledger_seq);
                        findings.judge(*ledger_seq, derivation.even_refused, source, place);
                    }
                }
                Err(reason) => findings
                    .faults
                    .push(format!("the input of observation {ledger_seq}: {reason}")),
            }
        }
        Ok(findings)
    }
}

impl DerivationFindings {
    /// Judges a source of the input of observation `ledger_seq`, found at `place`.
    fn judge(
        &mut self,
        ledger_seq: u64,
        even_refused: bool,
        source: &Hash,
        place: Option<(u64, Standing)>,
    ) {
        let input = format!("the input of observation {ledger_seq} is derived from");
        let Some((place, standing)) = place else {
            self.faults.push(format!(
                "{input} {}, which is no earlier observation of this ledger",
                hex(source)
            ));
            return;
        };
        let Some(reason) = standing.refusal() else {
            return;
        };
        if even_refused && standing != Standing::NoAnswer {
            self.refused_count = self.refused_count.saturating_add(1);
            if self.refused.len() < MAX_NAMED_REFUSED {
                self.refused.push(format!(
                    "{input} observation {place}, which may not be acted on, and says so: {reason}"
                ));
            }
        } else {
            self.faults.push(format!(
                "{input} observation {place}, which may not be acted on: {reason}"
            ));
        }
    }
}
