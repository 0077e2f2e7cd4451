//! What the proof of a record shows, as JSON.

use axilog::ledger::Entry;
use axilog_ledger::encoding::hex;
use serde_json::{Value, json};

use crate::checkpoint::Checkpoint;

/// The object of a record that a proof has shown, which [`RecordProof::check`](crate::RecordProof::check) gives: without
/// what its caller knows, such as the proof's file and the key.
#[must_use]
pub fn proven_record_json(checkpoint: &Checkpoint, record: &Entry<'_>) -> Value {
    json!({
        "kind": "record",
        "origin": checkpoint.origin(),
        "size": checkpoint.size(),
        "seq": record.sequence,
        "tag": record.tag.as_str(),
        "commit": hex(&record.commit),
        "record": String::from_utf8_lossy(record.payload),
    })
}
