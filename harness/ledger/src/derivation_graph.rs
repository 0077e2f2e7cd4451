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
use crate::standing::{Standing, StandingReader};
use crate::verify::{LedgerExpectations, VerificationReport, verify_ledger};

/// A call whose question was made from earlier answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DerivedCall {
    /// The observation of its answer.
    pub ledger_seq: u64,
    /// The oracle that was asked.
    pub oracle_id: String,
    /// The answers that it was made from, in the order of use; an error says why they cannot be read.
    pub sources: Result<Vec<DerivationSource>, &'static str>,
    /// Whether the question says that there are refused answers among them.
    pub even_refused: bool,
}

impl DerivedCall {
    /// Whether a question may be made from this source: an earlier answer of the ledger that may be acted on, or one
    /// that may not where the question says so.
    #[must_use]
    pub fn admits(&self, source: &DerivationSource) -> bool {
        match &source.observation {
            None => false,
            Some(found) => match found.standing {
                Standing::MayAct | Standing::Unjudged => true,
                Standing::NoAnswer => false,
                _ => self.even_refused,
            },
        }
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
/// distinct questions and derivations.
///
/// # Errors
/// [`FileError::Io`] where the ledger or a blob cannot be read.
pub fn read_derivation_graph(
    mut source: impl Read + Seek,
    path: &Path,
) -> Result<DerivationGraph, LedgerError> {
    let read_error = || FileError::from_io(path, "read the ledger");
    let mut named: HashMap<Hash, Option<SourceObservation>> = HashMap::new();
    let mut derived = Vec::new();
    let mut take = |view: &ObservationView<'_>, _: &[u8], found: FoundDerivation| {
        let sources = found.iter().flat_map(|derivation| &derivation.sources);
        named.extend(sources.map(|source| (*source, None)));
        derived.push((view.ledger_seq, unescape(view.oracle_id), found));
    };
    let (verification, unread) = visit_derived_questions(&mut source, path, &mut take)?;
    if !named.is_empty() {
        source.rewind().map_err(read_error())?;
        let expected = LedgerExpectations::default();
        let mut standings = StandingReader::default();
        verify_ledger(&mut source, None, &expected, &mut |record| {
            let observation = record.observation.as_ref();
            let Some(told) = standings.take(&record.entry, observation) else {
                return;
            };
            match (named.get_mut(&told.obs_hash), observation) {
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
            }
        })
        .map_err(read_error())?;
    }
    let calls = derived
        .into_iter()
        .map(|(ledger_seq, oracle_id, derivation)| {
            let find = |obs_hash: Hash| {
                let place = named.get(&obs_hash).cloned().flatten();
                DerivationSource {
                    obs_hash,
                    observation: place.filter(|place| place.ledger_seq < ledger_seq),
                }
            };
            DerivedCall {
                ledger_seq,
                oracle_id,
                even_refused: derivation.as_ref().is_ok_and(|found| found.even_refused),
                sources: derivation.map(|found| found.sources.into_iter().map(find).collect()),
            }
        });
    Ok(DerivationGraph {
        calls: calls.collect(),
        unread,
        verification,
    })
}

/// The questions of a ledger that were made from answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DerivedQuestions {
    /// The exact bytes of the questions, each once, in the order of the ledger.
    pub questions: Vec<Vec<u8>>,
    /// The number of calls with such a question that are not among them, because all would be too long.
    pub left_out: u64,
    /// As [`DerivationGraph::unread`].
    pub unread: u64,
}

/// Reads the questions of the ledger in `source` that were made from answers, at most `limit` bytes of them. The blobs
/// are those beside `path`.
///
/// # Errors
/// As [`read_derivation_graph`].
pub fn read_derived_questions(
    mut source: impl Read + Seek,
    path: &Path,
    limit: u64,
) -> Result<DerivedQuestions, LedgerError> {
    let mut found = DerivedQuestions::default();
    let mut taken = HashSet::new();
    let mut room = limit;
    let mut take = |view: &ObservationView<'_>, question: &[u8], _: FoundDerivation| {
        if taken.contains(&view.input_hash) {
            return;
        }
        match room.checked_sub(question.len() as u64) {
            Some(rest) => {
                room = rest;
                taken.insert(view.input_hash);
                found.questions.push(question.to_owned());
            }
            None => found.left_out = found.left_out.saturating_add(1),
        }
    };
    let (_, unread) = visit_derived_questions(&mut source, path, &mut take)?;
    found.unread = unread;
    Ok(found)
}

/// What a question says of the answers that it was made from; an error says why that cannot be read.
type FoundDerivation = Result<Derivation, &'static str>;

/// Calls `see` with each observation whose question names the answers that it was made from, the question and those.
/// Gives the verification on the way, and the number of calls whose question is not among the blobs.
fn visit_derived_questions(
    source: impl Read,
    path: &Path,
    see: &mut dyn FnMut(&ObservationView<'_>, &[u8], FoundDerivation),
) -> Result<(VerificationReport, u64), LedgerError> {
    let store = BlobStore::of_ledger(path);
    let mut plain_inputs = HashSet::from([sha256(b"")]);
    let mut unread = 0u64;
    let mut blob_error = None;
    let expected = LedgerExpectations::default();
    let verification = verify_ledger(source, None, &expected, &mut |record| {
        let Some(view) = &record.observation else {
            return;
        };
        if plain_inputs.contains(&view.input_hash) {
            return;
        }
        let input = match store.read(&view.input_hash, MAX_INPUT_BYTES) {
            Ok(Some(input)) if sha256(&input) == view.input_hash => input,
            Ok(_) => {
                unread = unread.saturating_add(1);
                return;
            }
            Err(error) => {
                blob_error.get_or_insert(error);
                return;
            }
        };
        match find_derivation(&input) {
            None => {
                plain_inputs.insert(view.input_hash);
            }
            Some(derivation) => see(view, &input, derivation),
        }
    })
    .map_err(FileError::from_io(path, "read the ledger"))?;
    match blob_error {
        Some(error) => Err(error),
        None => Ok((verification, unread)),
    }
}
