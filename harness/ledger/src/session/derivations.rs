//! The answers of a ledger that a question may be derived from.
//!
//! SRS-004 §10.1 (SHALL-039) and §11.2 (SHALL-014); formats.md §5 (Derived inputs); decision D31. The index of observations is made when it is
//! first needed, so that ledgers without derived inputs cost nothing.

use axilog::hash::Hash;

use super::Session;
use super::call::OracleCall;
use super::observation_index::ObservationIndex;
use crate::decision::StepDecision;
use crate::derivation::find_derivation;
use crate::encoding::hex;
use crate::error::LedgerError;
use crate::standing::{ObservationStanding, Standing};

impl Session {
    /// Gives the `obs_hash` of each of these observations, for an input that is derived from them.
    ///
    /// # Errors
    /// [`LedgerError::UnknownSource`] for a record that is no observation of the ledger;
    /// [`FileError::Io`](crate::error::FileError::Io).
    pub fn find_observations(&mut self, sequences: &[u64]) -> Result<Vec<Hash>, LedgerError> {
        let path = self.path().to_owned();
        let index = self.index_observations()?;
        let find = |sequence: &u64| {
            let unknown = || LedgerError::UnknownSource {
                path: path.clone(),
                source_name: format!("record {sequence}"),
            };
            let found = index.find(*sequence);
            found.ok_or_else(unknown)
        };
        sequences.iter().map(find).collect()
    }

    /// Whether any of these observations is a refused answer: one that may not be acted on. A question that is made
    /// from it must say so.
    ///
    /// # Errors
    /// [`FileError::Io`](crate::error::FileError::Io).
    pub fn has_refused_answer(&mut self, sources: &[Hash]) -> Result<bool, LedgerError> {
        let requires_policy = self.requires_policy;
        let index = self.index_observations()?;
        let mut standings = sources.iter().filter_map(|source| index.standing(source));
        Ok(standings.any(|(_, standing)| find_refusal(standing, requires_policy).is_some()))
    }

    /// Checks that the answers which a question says it is derived from are in the ledger, and may be acted on unless
    /// the question says that they are refused ones.
    pub(super) fn check_sources(&mut self, call: &OracleCall) -> Result<(), LedgerError> {
        let Some(derivation) = find_derivation(call.input.bytes()) else {
            return Ok(());
        };
        let path = self.path().to_owned();
        let derivation = derivation.map_err(|reason| LedgerError::InvalidInput {
            path: path.clone(),
            reason: reason.to_owned(),
        })?;
        let requires_policy = self.requires_policy;
        let index = self.index_observations()?;
        for source in &derivation.sources {
            let Some((ledger_seq, standing)) = index.standing(source) else {
                return Err(LedgerError::UnknownSource {
                    path,
                    source_name: format!("the answer with the obs_hash {}", hex(source)),
                });
            };
            match find_refusal(standing, requires_policy) {
                _ if standing == Standing::NoAnswer => {
                    return Err(LedgerError::SourceNoAnswer { path, ledger_seq });
                }
                Some(reason) if !derivation.even_refused => {
                    return Err(LedgerError::SourceRefused {
                        path,
                        ledger_seq,
                        reason,
                    });
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Notes the observation of a step that was recorded, where the index is made.
    pub(super) fn note_observation(&mut self, decision: &StepDecision) {
        let Some(index) = &mut self.observations else {
            return;
        };
        let of_values = decision.running_values.iter().map(|value| &value.decision);
        for decision in of_values.clone().chain([decision]) {
            let observation = &decision.observation;
            let oracle_id = observation.oracle_id.as_bytes();
            let is_judged = !decision.judgements.is_empty();
            let own = Standing::of(oracle_id, decision.transition.as_ref(), is_judged);
            let is_over_limit = decision
                .running_values
                .iter()
                .any(|value| !value.decision.may_act);
            index.add(ObservationStanding {
                obs_hash: observation.obs_hash,
                ledger_seq: observation.ledger_seq,
                standing: match is_over_limit {
                    true => Standing::OverLimit,
                    false => own,
                },
            });
        }
    }

    fn index_observations(&mut self) -> Result<&ObservationIndex, LedgerError> {
        if self.observations.is_none() {
            let index = ObservationIndex::read(self.file.bytes(), self.path())?;
            self.observations = Some(index);
        }
        Ok(self.observations.get_or_insert_default())
    }
}

/// Why an observation may not feed a question; `None` where it may.
fn find_refusal(standing: Standing, requires_policy: bool) -> Option<String> {
    match standing {
        Standing::Unjudged if requires_policy => {
            Some("no policy judged it, and one is required".to_owned())
        }
        standing => standing.refusal(),
    }
}
