//! The outcomes of earlier runs that Chapter 13 keeps: `chapter13/summaries/*.json`, each an object or an array.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io::{self, BufReader, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use axilog_ledger::error::FileError;
use serde::Deserializer as _;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::value::{RawValue, to_raw_value};

use super::history::{History, HistoryReader, SkippedRecord};
use crate::error::BundleError;
use crate::model::{OutcomeRecord, ProvenanceRecord};
use crate::provenance::{self, HashingReader};
use crate::value::refuse_large_integers;

/// Newest last; of two at one time the one that was read first comes last.
type Newest = BTreeMap<(SystemTime, std::cmp::Reverse<u64>), OutcomeRecord>;

impl HistoryReader<'_> {
    /// The newest outcomes, newest first. In memory are no more than are wanted and one.
    pub(super) fn read_outcomes(
        &self,
        history: &History,
        files: &mut Vec<ProvenanceRecord>,
        skipped: &mut dyn FnMut(SkippedRecord),
    ) -> Result<Vec<OutcomeRecord>, BundleError> {
        let folder = history.directory.join("chapter13").join("summaries");
        let mut newest = Newest::new();
        let mut count = 0;
        let Some(paths) = list_summaries(&folder)? else {
            files.push(provenance::record_missing_file(&folder));
            return Ok(Vec::new());
        };
        for path in paths {
            let Some(file) = provenance::open(&path, "read the history")? else {
                files.push(provenance::record_missing_file(&path));
                continue;
            };
            let mut file = HashingReader::new(file);
            let mut take = |record: &RawValue| {
                let (time, outcome) = parse_outcome(record)?;
                if self.all_outcomes || outcome.step() == self.step {
                    count += 1;
                    newest.insert((time, std::cmp::Reverse(count)), outcome);
                    if newest.len() > history.outcomes {
                        newest.pop_first();
                    }
                }
                Ok(())
            };
            let mut skip = |number, reason| {
                skipped(SkippedRecord {
                    path: path.clone(),
                    number,
                    reason,
                });
            };
            read_each_record(&mut file, &mut take, &mut skip)
                .map_err(FileError::from_io(&path, "read"))?;
            files.push(
                file.record(&path)
                    .map_err(FileError::from_io(&path, "read"))?,
            );
        }
        Ok(newest.into_values().rev().collect())
    }
}

/// The files of the folder whose names end in `.json`, by name; `None` where there is no folder.
fn list_summaries(folder: &Path) -> Result<Option<Vec<PathBuf>>, BundleError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(FileError::from_io(folder, "list")(error).into()),
    };
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry.map_err(FileError::from_io(folder, "list"))?.path();
        if path.extension().is_some_and(|ending| ending == "json") {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(Some(paths))
}

/// An outcome and its time, or what is wrong with it.
fn parse_outcome(record: &RawValue) -> Result<(SystemTime, OutcomeRecord), String> {
    refuse_large_integers(record.get().as_bytes())?;
    // An error of `from_value` has no line and column, which would be those in the record.
    let outcome: OutcomeRecord = serde_json::from_str::<serde_json::Value>(record.get())
        .and_then(serde_json::from_value)
        .map_err(|error| format!("not an outcome record: {error}"))?;
    match parse_time(outcome.timestamp()) {
        Some(time) => Ok((time, outcome)),
        None => Err(format!(
            "the timestamp {:?}: expected a time in UTC, as in 2026-02-02T10:30:00Z",
            outcome.timestamp()
        )),
    }
}

/// ISO 8601 in UTC; the `T` may be a space, and the zone `Z`, `+00:00` or nothing.
fn parse_time(text: &str) -> Option<SystemTime> {
    let text = text.strip_suffix("+00:00").unwrap_or(text);
    humantime::parse_rfc3339_weak(text).ok()
}

/// Hands each record of a file to `take`, one in memory at a time. `take` says what is wrong with it.
fn read_each_record(
    file: &mut impl io::Read,
    take: &mut dyn FnMut(&RawValue) -> Result<(), String>,
    skip: &mut dyn FnMut(Option<u64>, String),
) -> io::Result<()> {
    let mut reader = serde_json::Deserializer::from_reader(BufReader::new(file));
    let records = Records {
        take,
        skip: &mut *skip,
    };
    let read = reader.deserialize_any(records).and_then(|()| reader.end());
    match read {
        Err(error) if error.is_io() => return Err(error.into()),
        // The records before it count.
        Err(error) => skip(None, format!("not JSON from here on: {error}")),
        Ok(()) => {}
    }
    Ok(())
}

struct Records<'a> {
    take: &'a mut dyn FnMut(&RawValue) -> Result<(), String>,
    skip: &'a mut dyn FnMut(Option<u64>, String),
}

impl<'de> Visitor<'de> for Records<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an outcome record or an array of them")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        let members =
            BTreeMap::<String, Box<RawValue>>::deserialize(MapAccessDeserializer::new(map))?;
        let record = to_raw_value(&members).map_err(A::Error::custom)?;
        if let Err(reason) = (self.take)(&record) {
            (self.skip)(None, reason);
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<(), A::Error> {
        let mut number = 0;
        while let Some(record) = array.next_element::<Box<RawValue>>()? {
            number += 1;
            if let Err(reason) = (self.take)(&record) {
                (self.skip)(Some(number), reason);
            }
        }
        Ok(())
    }
}
