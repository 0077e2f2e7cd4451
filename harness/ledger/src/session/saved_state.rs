//! What `LEDGER.state` says: everything that an opening learns from the records before a place of the ledger, and how
//! that place is told again.

use std::collections::{BTreeMap, HashMap};

use axilog::agent::Agent;
use axilog::agent::state::Health;
use axilog::agent::stimulus::is_reserved;
use axilog::hash::{Hash, HexHash, unhex};
use axilog::ledger::Ledger;
use serde::{Deserialize, Serialize};

use crate::durability::LedgerPosition;
use crate::encoding::hex;
use crate::file::stamp::FileStamp;
use crate::file::state_file::STATE;
use crate::running_values::SavedRunningValues;

/// The version of the program: another one replays with its own code once.
const PROGRAM: &str = concat!("axilog-ledger ", env!("CARGO_PKG_VERSION"));

/// How an opening came to know what its ledger holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opening {
    /// It began the ledger.
    Begun,
    /// It replayed every record.
    Replayed {
        /// Why it did not go on from `LEDGER.state`, in words.
        reason: String,
        /// The length of the ledger, in bytes.
        replayed_bytes: u64,
    },
    /// It went on from `LEDGER.state`.
    Resumed {
        /// The length of the records after the state, which it replayed, in bytes.
        replayed_bytes: u64,
    },
}

/// A ledger up to a place between two steps.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SavedState {
    agent: SavedAgent,
    /// The digest of the folders of blobs, none of which holds a file that no record names.
    pub(super) blobs: String,
    /// The hash of the configuration that the ledger names.
    pub(super) configuration: String,
    pub(super) ledger: SavedPlace,
    /// The model of each oracle, by oracle id. Those of times and control inputs are not among them.
    models: BTreeMap<String, String>,
    program: String,
    pub(super) running_values: Option<SavedRunningValues>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedAgent {
    fault_count: u32,
    health: String,
    last_seen_seq: u64,
    last_timestamp: u64,
}

/// The place of a ledger up to which a state holds.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SavedPlace {
    /// The length of the ledger up to there, in bytes.
    pub(super) bytes: u64,
    /// When the file was changed last.
    pub(super) changed: String,
    /// The number of records up to there.
    entries: u64,
    /// The chain value of the last of them.
    head: String,
    pub(super) inode: u64,
}

/// What a session knows of its ledger.
pub(super) struct KnownLedger<'s> {
    pub(super) agent: &'s Agent,
    pub(super) blobs: Hash,
    pub(super) bytes: u64,
    pub(super) configuration: Hash,
    pub(super) models: &'s HashMap<String, String>,
    pub(super) running_values: Option<SavedRunningValues>,
    pub(super) stamp: FileStamp,
}

impl SavedState {
    pub(super) fn new(known: KnownLedger<'_>) -> SavedState {
        let KnownLedger { agent, stamp, .. } = known;
        SavedState {
            agent: SavedAgent {
                fault_count: agent.fault_count,
                health: agent.health.as_str().to_owned(),
                last_seen_seq: agent.last_seen_seq,
                last_timestamp: agent.last_timestamp,
            },
            blobs: hex(&known.blobs),
            configuration: hex(&known.configuration),
            ledger: SavedPlace {
                bytes: known.bytes,
                changed: stamp.changed.to_string(),
                entries: agent.ledger.sequence.saturating_add(1),
                head: hex(&agent.ledger.head),
                inode: stamp.inode,
            },
            models: known
                .models
                .iter()
                .filter(|(oracle, _)| !is_reserved(oracle.as_bytes()))
                .map(|(oracle, model)| (oracle.clone(), model.clone()))
                .collect(),
            program: PROGRAM.to_owned(),
            running_values: known.running_values,
        }
    }

    /// Whether a state has room for the models of these oracles.
    pub(super) fn has_room(models: &HashMap<String, String>) -> bool {
        let bytes = models
            .iter()
            .map(|(oracle, model)| oracle.len() + model.len());
        bytes.sum::<usize>() <= STATE.max_bytes() / 4
    }

    pub(super) fn to_json(&self) -> serde_json::Result<Vec<u8>> {
        let mut json = serde_json::to_vec(self)?;
        json.push(b'\n');
        Ok(json)
    }

    /// Reads what a state says.
    ///
    /// # Errors
    /// Why it cannot be used, in words.
    pub(super) fn read(json: &[u8]) -> Result<SavedState, String> {
        let state: SavedState = serde_json::from_slice(json).map_err(|error| error.to_string())?;
        match state.program == PROGRAM {
            true => Ok(state),
            false => Err(format!(
                "it was written by {}, and this is {PROGRAM}",
                state.program
            )),
        }
    }

    /// The end of the ledger where the state was saved.
    pub(super) fn end(&self) -> Option<LedgerPosition> {
        Some(LedgerPosition {
            entries: self.ledger.entries,
            head: unhex(&HexHash::try_from(self.ledger.head.as_bytes()).ok()?)?,
        })
    }

    /// The agent as it was there; `None` where there is no such agent.
    pub(super) fn agent(&self) -> Option<Agent> {
        let SavedAgent {
            fault_count,
            ref health,
            last_seen_seq,
            last_timestamp,
        } = self.agent;
        let end = self.end()?;
        let mut all = Health::ALL.into_iter();
        Some(Agent {
            ledger: Ledger::resume(end.head, end.entries.checked_sub(1)?),
            health: all.find(|known| known.as_str() == health)?,
            fault_count,
            last_timestamp,
            last_seen_seq,
            failed: false,
            violation: None,
        })
    }

    pub(super) fn models(&self) -> HashMap<String, String> {
        self.models.clone().into_iter().collect()
    }
}
