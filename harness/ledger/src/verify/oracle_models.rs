//! The models of the oracles beyond those that the core can hold in its fixed memory.
//!
//! SRS-004 §7.2 (SHALL-008): one oracle has one model in a ledger. The core compares the first
//! [`MAX_ORACLES`](axilog::replay::MAX_ORACLES) oracles; this table takes over after them. Determinism: D2.

use std::collections::HashMap;

use axilog::evidence::view::ObservationView;
use axilog::hash::sha256;

/// The most oracles that are compared beyond the core's: about 16 MiB of memory. A ledger with more is refused,
/// because nobody could say that none of them changed its model.
pub const MAX_FURTHER_ORACLES: usize = 1 << 18;

/// Half a SHA-256: nobody finds two identities with the same 128 bits, by chance or by search.
type Fingerprint = [u8; 16];

/// The model of each further oracle, by fingerprint.
#[derive(Default)]
pub(super) struct OracleModels(HashMap<Fingerprint, Fingerprint>);

impl OracleModels {
    /// Compares the observation's model with the one that its oracle had before.
    ///
    /// # Errors
    /// The reason why the model is refused, in words.
    pub(super) fn check(&mut self, view: &ObservationView<'_>) -> Result<(), String> {
        let oracle = fingerprint(view.oracle_id.bytes());
        let model = fingerprint(view.model_id.bytes());
        if !self.0.contains_key(&oracle) && self.0.len() >= MAX_FURTHER_ORACLES {
            return Err(format!(
                "the ledger has more than {MAX_FURTHER_ORACLES} oracles, the most whose models can be compared"
            ));
        }
        match *self.0.entry(oracle).or_insert(model) == model {
            true => Ok(()),
            false => Err("its oracle has another model elsewhere in this ledger".to_owned()),
        }
    }
}

fn fingerprint(id: &[u8]) -> Fingerprint {
    *sha256(id).first_chunk().unwrap_or(&[0; 16])
}
