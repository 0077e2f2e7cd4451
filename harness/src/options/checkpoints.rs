//! The heads of a ledger that a command writes: signed while it records, and sent to witnesses.

use std::path::PathBuf;

use axilog_ledger::session::Session;
use serde_json::Value;

use crate::error::CommandError;
use crate::output::{Report, table};

/// How the heads of the ledger are signed.
#[derive(clap::Args)]
pub(crate) struct CheckpointArgs {
    /// Sign the head of the ledger with this key (axilog key new) at the end, as LEDGER.checkpoint. Needs the feature
    /// witness, as the next three.
    #[arg(long, value_name = "FILE")]
    checkpoint_key: Option<PathBuf>,
    /// Sign heads on the way too: after N records, or T seconds, as 1000, 60s or 1000,60s.
    #[arg(long, value_name = "N|Ts", requires = "checkpoint_key")]
    checkpoint_every: Option<String>,
    /// The name of a ledger that was begun without one; the key must have it too, and sign no other ledger.
    #[arg(long, value_name = "NAME", requires = "checkpoint_key")]
    checkpoint_origin: Option<String>,
    /// The witnesses that sign the heads (C2SP tlog-policy). Nothing waits for one that is away.
    #[arg(long, value_name = "FILE", requires = "checkpoint_key")]
    witnesses: Option<PathBuf>,
}

/// What came of signing the heads of a ledger: in a line, and as the member `checkpoint` of a result.
pub(crate) type SignedHeads = (String, Value);

/// Adds what came of signing heads to the result of a command. The exit code says of what was recorded alone.
pub(crate) fn add_to_report((text, json): SignedHeads, report: &mut Report) {
    let row = ("checkpoint", text);
    report.text.push_str(&table::format_pairs(&[row]));
    if let Some(object) = report.json.as_object_mut() {
        object.insert("checkpoint".to_owned(), json);
    }
}

#[cfg(feature = "witness")]
mod signing {
    use std::sync::Arc;

    use axilog_checkpoints::{
        CheckpointInterval, CheckpointSettings, CheckpointSigner, CheckpointStatus, Patience,
    };
    use axilog_heads::{LogKey, WitnessPolicy};
    use serde::Serialize;

    use super::{CheckpointArgs, CommandError, Session, SignedHeads};
    use crate::output::{to_json, write_remark};

    impl CheckpointArgs {
        /// Reads what the options name, before anything is recorded.
        pub(crate) fn read(&self) -> Result<HeadSigning, CommandError> {
            let Some(key) = &self.checkpoint_key else {
                return Ok(HeadSigning::default());
            };
            let interval = match &self.checkpoint_every {
                Some(text) => text
                    .parse::<CheckpointInterval>()
                    .map_err(|error| CommandError::CheckpointInterval(text.clone(), error))?,
                None => CheckpointInterval::default(),
            };
            let witnesses = self.witnesses.as_deref().map(WitnessPolicy::read);
            Ok(HeadSigning {
                settings: Some(CheckpointSettings {
                    key: Arc::new(LogKey::read(key)?),
                    origin: self.checkpoint_origin.clone(),
                    interval,
                    witnesses: witnesses.transpose()?,
                    patience: Patience::default(),
                }),
                signer: None,
            })
        }
    }

    /// The signing of the heads of one ledger, where it was asked for.
    #[derive(Default)]
    pub(crate) struct HeadSigning {
        settings: Option<CheckpointSettings>,
        signer: Option<CheckpointSigner>,
    }

    impl HeadSigning {
        /// Begins to sign the heads of the session's ledger.
        pub(crate) fn start(&mut self, session: &mut Session) -> Result<(), CommandError> {
            if let Some(settings) = self.settings.take() {
                let report = Arc::new(|line: &str| write_remark(line));
                let signer = CheckpointSigner::start(session.path(), settings, report)?;
                session.report_durable_to(signer.watch());
                self.signer = Some(signer);
            }
            Ok(())
        }

        /// Signs the last head, once the session has synced, and asks the witnesses once more; gives what came of it.
        pub(crate) fn finish(self) -> Option<SignedHeads> {
            self.signer.map(|signer| describe(&signer.finish()))
        }
    }

    /// What came of signing the heads of a ledger.
    #[derive(Serialize)]
    struct SigningResult {
        /// The number of records of the head that was signed last; 0 before the first.
        size: u64,
        /// Why the last attempt to sign has failed.
        problem: Option<String>,
        /// The last head that enough witnesses have signed.
        held: Option<HeldResult>,
        /// The witnesses that have not signed the last head that they were asked for.
        missing: Vec<MissingResult>,
    }

    #[derive(Serialize)]
    struct HeldResult {
        size: u64,
        witnesses: Vec<SignatureResult>,
    }

    #[derive(Serialize)]
    struct SignatureResult {
        name: String,
        time: u64,
    }

    #[derive(Serialize)]
    struct MissingResult {
        name: String,
        reason: String,
    }

    fn describe(status: &CheckpointStatus) -> SignedHeads {
        let held = status.held.as_ref().map(|held| HeldResult {
            size: held.size,
            witnesses: (held.witnesses.iter().cloned())
                .map(|(name, time)| SignatureResult { name, time })
                .collect(),
        });
        let missing = status.witnesses.iter().filter_map(|witness| {
            Some(MissingResult {
                name: witness.name.clone(),
                reason: witness.problem.as_ref()?.to_string(),
            })
        });
        let result = SigningResult {
            size: status.signed,
            problem: status.problem.clone(),
            held,
            missing: missing.collect(),
        };
        (status.to_string(), to_json(&result))
    }
}

#[cfg(not(feature = "witness"))]
mod signing {
    use super::{CheckpointArgs, CommandError, Session, SignedHeads};

    impl CheckpointArgs {
        /// Refuses the options, since this build signs no heads while it records.
        pub(crate) fn read(&self) -> Result<HeadSigning, CommandError> {
            let CheckpointArgs {
                checkpoint_key,
                checkpoint_every,
                checkpoint_origin,
                witnesses,
            } = self;
            match (
                checkpoint_key,
                checkpoint_every,
                checkpoint_origin,
                witnesses,
            ) {
                (None, None, None, None) => Ok(HeadSigning),
                _ => Err(CommandError::NotBuilt("witness")),
            }
        }
    }

    /// The signing of heads, which this build does not do.
    pub(crate) struct HeadSigning;

    impl HeadSigning {
        /// Does nothing.
        pub(crate) fn start(&mut self, _: &mut Session) -> Result<(), CommandError> {
            Ok(())
        }

        /// Gives nothing.
        pub(crate) fn finish(self) -> Option<SignedHeads> {
            None
        }
    }
}
