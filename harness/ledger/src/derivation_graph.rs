//! Which answers fed which questions of a ledger.
//!
//! formats.md §5 (Derived inputs); SRS-004 §10.1 (SHALL-039); decision D31.

use std::collections::{HashMap, HashSet};
use std::io::{Read, Seek};
use std::path::Path;

use axilog::evidence::view::ObservationView;
use axilog::hash::{Hash, sha256};

use crate::derivation::{Derivation, find_derivation};
use crate::encoding::unescape;
use crate::error::{FileError, LedgerError};
use crate::file::blobs::BlobStore;
use crate::input_file::MAX_INPUT_BYTES;
use crate::running_values::is_running_value_id;
use crate::standing::{Standing, StandingReader};
use crate::verify::{LedgerExpectations, VerificationReport, verify_ledger};

/// The most answers of one question that a graph names one by one: a question may name hundreds of thousands, and many
/// calls may have the same question.
pub const MAX_NAMED_SOURCES: usize = 100;

/// A call whose question was made from earlier answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DerivedCall {
    /// The observation of its answer.
    pub ledger_seq: u64,
    /// The oracle that was asked.
    pub oracle_id: String,
    /// The first [`MAX_NAMED_SOURCES`] answers that it was made from, in the order of use; an error says why they cannot
    /// be read.
    pub sources: Result<Vec<DerivationSource>, &'static str>,
    /// The number of all answers that it was made from.
    pub source_count: usize,
    /// The number of those that it may not be made from.
    pub faulty_count: usize,
    /// Whether the question says that there are refused answers among them.
    pub even_refused: bool,
}

impl DerivedCall {
    /// Whether the question may be made from all of its sources.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.sources.is_ok() && self.faulty_count == 0
    }

    /// Whether a question may be made from this source: an earlier answer of the ledger that may be acted on, or one
    /// that may not where the question says so.
    #[must_use]
    pub fn admits(&self, source: &DerivationSource) -> bool {
        let observation = source.observation.as_ref();
        observation.is_some_and(|found| admits(self.even_refused, found.standing))
    }
}

/// Whether a question may be made from an observation with this standing, if it stands before the question's own.
fn admits(even_refused: bool, standing: Standing) -> bool {
    match standing {
        Standing::MayAct | Standing::Unjudged => true,
        Standing::NoAnswer => false,
        _ => even_refused,
    }
}

/// An answer that a question was made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DerivationSource {
    /// The answer's `obs_hash`.
    pub obs_hash: Hash,
    /// The answer's observation; `None` where no earlier observation of the ledger has that hash.
    pub observation: Option<SourceObservation>,
}

/// An observation that a question was made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceObservation {
    /// Its sequence.
    pub ledger_seq: u64,
    /// Its oracle.
    pub oracle_id: String,
    /// Whether it is an answer that may be acted on.
    pub standing: Standing,
}

/// The derivations of a ledger, as far as it is good.
pub struct DerivationGraph {
    /// The calls with derived questions, in the order of the ledger.
    pub calls: Vec<DerivedCall>,
    /// The number of calls whose question is not among the blobs or has another hash there, so that nothing is known
    /// of it.
    pub unread: u64,
    /// The result of the verification on the way.
    pub verification: VerificationReport,
}

/// Reads the derivations of the ledger in `source`, whose blobs are those beside `path`. Memory grows with the number of
/// calls, and with the distinct questions and what they name.
///
/// # Errors
/// [`FileError::Io`] where the ledger or a blob cannot be read.
pub fn read_derivation_graph(
    mut source: impl Read + Seek,
    path: &Path,
) -> Result<DerivationGraph, LedgerError> {
    let mut derivations: Vec<FoundDerivation> = Vec::new();
    let mut derived = Vec::new();
    let mut take = |view: &ObservationView<'_>, question: VisitedQuestion| {
        if let Some(found) = question.first {
            derivations.push(found);
        }
        derived.push((view.ledger_seq, unescape(view.oracle_id), question.place));
    };
    let (verification, unread) = visit_derived_questions(&mut source, path, &mut take)?;
    let sources = derivations.iter().flatten().flat_map(|d| &d.sources);
    let named = find_sources(&mut source, path, sources.copied().collect())?;
    let summaries: Vec<_> = derivations
        .iter()
        .map(|derivation| SourcePlaces::of(derivation.as_ref().ok()?, &named))
        .collect();
    let calls = derived.into_iter().map(|(ledger_seq, oracle_id, place)| {
        let derivation = derivations.get(place);
        let derivation = derivation.unwrap_or(&Err("its question is not known"));
        let summary = summaries.get(place).and_then(Option::as_ref);
        let find = |obs_hash: &Hash| {
            let place = named.get(obs_hash).cloned().flatten();
            DerivationSource {
                obs_hash: *obs_hash,
                observation: place.filter(|place| place.ledger_seq < ledger_seq),
            }
        };
        let name_first = |found: &Derivation| {
            let first = found.sources.iter().take(MAX_NAMED_SOURCES);
            first.map(find).collect()
        };
        DerivedCall {
            ledger_seq,
            oracle_id,
            source_count: derivation.as_ref().map_or(0, |found| found.sources.len()),
            faulty_count: summary.map_or(0, |summary| summary.count_faulty(ledger_seq)),
            even_refused: derivation.as_ref().is_ok_and(|found| found.even_refused),
            sources: derivation
                .as_ref()
                .map(name_first)
                .map_err(|reason| *reason),
        }
    });
    Ok(DerivationGraph {
        calls: calls.collect(),
        unread,
        verification,
    })
}

/// Where the answers that questions name stand in the ledger, and whether they may be acted on.
type NamedSources = HashMap<Hash, Option<SourceObservation>>;

/// Finds the observations with these hashes.
fn find_sources(
    source: &mut (impl Read + Seek),
    path: &Path,
    hashes: HashSet<Hash>,
) -> Result<NamedSources, LedgerError> {
    let read_error = || FileError::from_io(path, "read the ledger");
    let mut named: NamedSources = hashes.into_iter().map(|hash| (hash, None)).collect();
    if named.is_empty() {
        return Ok(named);
    }
    source.rewind().map_err(read_error())?;
    let expected = LedgerExpectations::default();
    let mut standings = StandingReader::default();
    verify_ledger(source, None, &expected, &mut |record| {
        let observation = record.observation.as_ref();
        standings.take(&record.entry, observation, &mut |told| match (
            named.get_mut(&told.obs_hash),
            observation,
        ) {
            (Some(place @ None), Some(view)) => {
                *place = Some(SourceObservation {
                    ledger_seq: told.ledger_seq,
                    oracle_id: unescape(view.oracle_id),
                    standing: told.standing,
                });
            }
            (Some(Some(place)), None) if place.ledger_seq == told.ledger_seq => {
                place.standing = told.standing;
            }
            _ => {}
        });
    })
    .map_err(read_error())?;
    Ok(named)
}

/// The places of the answers of one question, so that each call with it is judged without looking at them all.
struct SourcePlaces {
    /// The number of those that no call may be made from.
    faulty: usize,
    /// The places of the others, in ascending order.
    places: Vec<u64>,
}

impl SourcePlaces {
    fn of(derivation: &Derivation, named: &NamedSources) -> Option<SourcePlaces> {
        let found = derivation
            .sources
            .iter()
            .map(|source| named.get(source)?.as_ref());
        let good = found.flatten();
        let good = good.filter(|place| admits(derivation.even_refused, place.standing));
        let mut places: Vec<u64> = good.map(|place| place.ledger_seq).collect();
        places.sort_unstable();
        let faulty = derivation.sources.len().checked_sub(places.len())?;
        Some(SourcePlaces { faulty, places })
    }

    /// The number of sources that a call whose answer stands at `ledger_seq` may not be made from.
    fn count_faulty(&self, ledger_seq: u64) -> usize {
        let earlier = self.places.partition_point(|place| *place < ledger_seq);
        let later = self.places.len().saturating_sub(earlier);
        self.faulty.saturating_add(later)
    }
}

/// What a question says of the answers that it was made from; an error says why that cannot be read.
type FoundDerivation = Result<Derivation, &'static str>;

/// The question of a call that was made from answers.
struct VisitedQuestion {
    /// Its place among the distinct questions of the ledger.
    place: usize,
    /// What it says, with the first call that has it.
    first: Option<FoundDerivation>,
}

/// Calls `see` with each observation whose question names the answers that it was made from. Each question is read once.
/// Gives the verification on the way, and the number of calls whose question is not among the blobs.
fn visit_derived_questions(
    source: impl Read,
    path: &Path,
    see: &mut dyn FnMut(&ObservationView<'_>, VisitedQuestion),
) -> Result<(VerificationReport, u64), LedgerError> {
    let store = BlobStore::of_ledger(path);
    // The place of each question that was read, if it was made from answers.
    let mut known: HashMap<Hash, Option<usize>> = HashMap::from([(sha256(b""), None)]);
    let mut distinct = 0usize;
    let mut unread = 0u64;
    let mut blob_error = None;
    let expected = LedgerExpectations::default();
    let verification = verify_ledger(source, None, &expected, &mut |record| {
        let Some(view) = &record.observation else {
            return;
        };
        if is_running_value_id(&unescape(view.oracle_id)) {
            // The ledger computed it, and nobody asked.
            return;
        }
        if let Some(place) = known.get(&view.input_hash) {
            if let Some(place) = *place {
                see(view, VisitedQuestion { place, first: None });
            }
            return;
        }
        let input = match store.read_intact(&view.input_hash, MAX_INPUT_BYTES) {
            Ok(Some(input)) => input,
            Ok(None) => {
                unread = unread.saturating_add(1);
                return;
            }
            Err(error) => {
                blob_error.get_or_insert(error);
                return;
            }
        };
        let found = find_derivation(&input);
        let place = found.is_some().then_some(distinct);
        known.insert(view.input_hash, place);
        if let Some((found, place)) = found.zip(place) {
            distinct = distinct.saturating_add(1);
            see(
                view,
                VisitedQuestion {
                    place,
                    first: Some(found),
                },
            );
        }
    })
    .map_err(FileError::from_io(path, "read the ledger"))?;
    match blob_error {
        Some(error) => Err(error),
        None => Ok((verification, unread)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_may_not_be_made_from_what_stands_behind_it() {
        let places = SourcePlaces {
            faulty: 1,
            places: vec![3, 3, 9],
        };
        for (ledger_seq, faulty) in [(2, 4), (3, 4), (4, 2), (9, 2), (10, 1)] {
            assert_eq!(places.count_faulty(ledger_seq), faulty, "{ledger_seq}");
        }
    }
}
