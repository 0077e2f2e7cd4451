//! Open incidents, failures that nobody has resolved: `watcher_failures.jsonl`.

use std::collections::HashMap;

use serde::Deserialize;

use super::history::{History, SkippedRecord};
use super::lines;
use crate::error::BundleError;
use crate::model::ProvenanceRecord;
use crate::value::nfc;

#[derive(Deserialize)]
struct FailureLine {
    id: String,
    message: String,
    resolved: bool,
}

/// Reads the failures whose last line does not resolve them, the latest first. Memory grows with the
/// number of failures that are open at once.
pub(super) fn read_open_incidents(
    history: &History,
    files: &mut Vec<ProvenanceRecord>,
    skipped: &mut dyn FnMut(SkippedRecord),
) -> Result<Vec<String>, BundleError> {
    let mut open: HashMap<String, (u64, String)> = HashMap::new();
    let mut count = 0;
    let path = history.directory.join("watcher_failures.jsonl");
    let record = lines::read_each_record(&path, skipped, &mut |line: FailureLine, _| {
        count += 1;
        if line.resolved {
            open.remove(&line.id);
        } else {
            open.insert(line.id, (count, line.message));
        }
    })?;
    files.push(record);
    let mut open: Vec<(String, (u64, String))> = open.into_iter().collect();
    open.sort_by_key(|(_, (last, _))| std::cmp::Reverse(*last));
    let text = |(id, (_, message)): (String, (u64, String))| nfc(&format!("{id}: {message}"));
    Ok(open.into_iter().map(text).collect())
}
