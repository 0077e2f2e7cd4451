//! The logs whose heads a witness signs, with their public keys.

use std::collections::BTreeMap;
use std::path::Path;

use axilog_heads::{Checkpoint, VerifierKey};
use axilog_ledger::input_file::read_input;

use crate::error::WitnessError;
use crate::refusal::Refusal;

/// The most bytes of a file of logs: those of a hundred thousand keys.
const MAX_FILE_BYTES: u64 = 1 << 25;

/// The logs that a witness knows.
#[derive(Debug)]
pub struct KnownLogs(BTreeMap<String, Vec<VerifierKey>>);

impl KnownLogs {
    /// Reads a file with the public key of a log in each line. Empty lines, and those that begin with `#`, say nothing. A
    /// log may have several keys.
    ///
    /// # Errors
    /// [`WitnessError::NoLogKey`], [`WitnessError::NoLogs`], [`WitnessError::File`].
    pub fn read(path: &Path) -> Result<KnownLogs, WitnessError> {
        let bytes = read_input(path, "read the logs", MAX_FILE_BYTES)?;
        let mut logs: BTreeMap<String, Vec<VerifierKey>> = BTreeMap::new();
        for (number, line) in (1..).zip(String::from_utf8_lossy(&bytes).lines()) {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let key: VerifierKey = line.parse().map_err(|reason| WitnessError::NoLogKey {
                path: path.to_owned(),
                line: number,
                reason,
            })?;
            let keys = logs.entry(key.name().to_owned()).or_default();
            if keys.iter().all(|known| known.id() != key.id()) {
                keys.push(key);
            }
        }
        match logs.is_empty() {
            true => Err(WitnessError::NoLogs(path.to_owned())),
            false => Ok(KnownLogs(logs)),
        }
    }

    /// The number of logs.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// The origins of the logs.
    pub(crate) fn origins(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Checks that the log of a checkpoint is known, that one of its keys signed it, and that the signature of none of them
    /// is bad. Drops the signatures of others.
    ///
    /// # Errors
    /// [`Refusal::UnknownLog`], [`Refusal::Unsigned`].
    pub(crate) fn check(&self, checkpoint: &mut Checkpoint) -> Result<(), Refusal> {
        let keys = self.0.get(checkpoint.origin());
        let keys = keys.ok_or_else(|| Refusal::UnknownLog(checkpoint.origin().to_owned()))?;
        let checked = checkpoint.keep_signatures_of(keys);
        checked.map_err(Refusal::Unsigned)
    }
}
