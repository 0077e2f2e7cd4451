//! The submission of a checkpoint to the witnesses of a policy, once: each gets the proof from the head that it signed last,
//! and one that is away holds up no other.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Seek};
use std::path::Path;
use std::time::Duration;

use axilog_heads::{Checkpoint, PolicyWitness, WitnessPolicy, write_submissions};

use crate::error::CheckpointsError;
use crate::witness_client::{NotWitnessed, WitnessAnswer, WitnessClient};

/// How often a witness is asked that signs other heads meanwhile.
const MAX_ROUNDS: usize = 4;

/// What came of asking one witness.
#[derive(Debug)]
pub struct WitnessOutcome {
    /// The witness's name in the policy.
    pub name: String,
    /// The time at which it signed, in seconds since 1970, or why it did not.
    pub signed: Result<u64, NotWitnessed>,
}

/// Has the witnesses of a policy sign a checkpoint of the ledger that is read from `source`, and adds their signatures to
/// it. Each witness has `time_limit` for each of its answers.
///
/// # Errors
/// [`CheckpointsError::Heads`] where the ledger is not the one of the checkpoint, [`CheckpointsError::Setup`]. What a witness
/// does is no error but its outcome.
pub fn submit_checkpoint(
    source: &mut (impl Read + Seek),
    ledger: &Path,
    checkpoint: &mut Checkpoint,
    policy: &WitnessPolicy,
    time_limit: Duration,
) -> Result<Vec<WitnessOutcome>, CheckpointsError> {
    let client = WitnessClient::new(time_limit)?;
    let mut outcomes = BTreeMap::new();
    let mut bodies = BTreeMap::from([(0, first_submission(checkpoint))]);
    // Whoever is to be asked, and the size of the last head that it is taken to have signed.
    let mut asked: Vec<(&PolicyWitness, u64)> = policy
        .witnesses()
        .iter()
        .map(|witness| (witness, 0))
        .collect();
    for _ in 0..MAX_ROUNDS {
        let begun: Vec<_> = asked
            .iter()
            .map(|(witness, old_size)| {
                let body = bodies.get(old_size).cloned().unwrap_or_default();
                client.begin(witness.url.as_deref(), body)
            })
            .collect();
        let mut next = Vec::new();
        for ((witness, _), begun) in asked.into_iter().zip(begun) {
            let outcome = match client.end(begun) {
                WitnessAnswer::Signed(lines) => checkpoint
                    .add_cosignature(&lines, &witness.key)
                    .map_err(NotWitnessed::BadAnswer),
                WitnessAnswer::LastSize(size) if size > checkpoint.size() => {
                    Err(NotWitnessed::Newer(size))
                }
                WitnessAnswer::LastSize(size) => {
                    next.push((witness, size));
                    Err(NotWitnessed::Busy)
                }
                WitnessAnswer::No(reason) => Err(reason),
            };
            outcomes.insert(witness.name.as_str(), outcome);
        }
        if next.is_empty() {
            break;
        }
        let sizes = next.iter().map(|(_, size)| *size);
        let unknown: BTreeSet<u64> = sizes.filter(|size| !bodies.contains_key(size)).collect();
        bodies.extend(write_submissions(source, ledger, &unknown, checkpoint)?);
        asked = next;
    }
    let in_order = policy.witnesses().iter().filter_map(|witness| {
        let signed = outcomes.remove(witness.name.as_str())?;
        Some(WitnessOutcome {
            name: witness.name.clone(),
            signed,
        })
    });
    Ok(in_order.collect())
}

/// The submission to a witness that has signed nothing of this log.
fn first_submission(checkpoint: &Checkpoint) -> Vec<u8> {
    [b"old 0\n\n".to_vec(), checkpoint.to_bytes()].concat()
}
