//! `[ledger.NAME.checkpoint]`: the heads of a ledger, signed while calls are recorded, and sent to witnesses.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axilog_checkpoints::{
    CheckpointInterval, CheckpointSettings, CheckpointSigner, CheckpointsError, Patience, Reporter,
};
use axilog_heads::{HeadsError, LogKey, WitnessPolicy};
use serde::Deserialize;

/// The table as it stands.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CheckpointTable {
    key: PathBuf,
    every: Option<String>,
    witnesses: Option<PathBuf>,
    origin: Option<String>,
}

/// How the heads of a ledger are signed; the key and the policy are read.
#[derive(Clone, Debug)]
pub struct LedgerCheckpoints {
    /// The key that signs.
    pub key: Arc<LogKey>,
    /// When heads are signed beside the last one, at the end.
    pub interval: CheckpointInterval,
    /// The witnesses that are asked.
    pub witnesses: Option<WitnessPolicy>,
    /// The name of a ledger that was begun without one.
    pub origin: Option<String>,
}

impl CheckpointTable {
    /// Reads what the table names. Paths are relative to `folder`.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub(crate) fn read(&self, folder: &Path) -> Result<LedgerCheckpoints, String> {
        let interval = match &self.every {
            Some(text) => text
                .parse::<CheckpointInterval>()
                .map_err(|error| format!("every is {text:?}: {error}"))?,
            None => CheckpointInterval::default(),
        };
        let text = |error: HeadsError| error.to_string();
        let witnesses = self.witnesses.as_ref();
        let witnesses = witnesses.map(|path| WitnessPolicy::read(&folder.join(path)));
        Ok(LedgerCheckpoints {
            key: Arc::new(LogKey::read(&folder.join(&self.key)).map_err(text)?),
            interval,
            witnesses: witnesses.transpose().map_err(text)?,
            origin: self.origin.clone(),
        })
    }
}

impl LedgerCheckpoints {
    /// The names of the witnesses that are asked, as the policy has them.
    #[must_use]
    pub fn witness_names(&self) -> Vec<&str> {
        let witnesses = self.witnesses.iter().flat_map(WitnessPolicy::witnesses);
        witnesses.map(|witness| &*witness.name).collect()
    }

    /// Begins to sign the heads of a ledger that was opened.
    pub(crate) fn start(&self, ledger: &Path) -> Result<CheckpointSigner, CheckpointsError> {
        let settings = CheckpointSettings {
            key: self.key.clone(),
            origin: self.origin.clone(),
            interval: self.interval,
            witnesses: self.witnesses.clone(),
            patience: Patience::default(),
        };
        let report: Reporter = Arc::new(write_line);
        CheckpointSigner::start(ledger, settings, report)
    }
}

/// Signs the last heads of ledgers that are closed, and says of each which head somebody else holds.
pub(crate) fn finish(signers: Vec<(&Path, CheckpointSigner)>) {
    let (ledgers, signers): (Vec<&Path>, Vec<CheckpointSigner>) = signers.into_iter().unzip();
    for (ledger, status) in ledgers
        .into_iter()
        .zip(CheckpointSigner::finish_all(signers))
    {
        write_line(&format!("{}: {status}", ledger.display()));
    }
}

/// Writes a line for whoever runs the gateway, whether or not somebody reads it.
fn write_line(line: &str) {
    let _ = writeln!(io::stderr(), "axilog: {line}");
}
