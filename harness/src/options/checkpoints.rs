//! The heads of a ledger that a command writes: signed while it records, and sent to witnesses.

use std::path::{Path, PathBuf};

use axilog_ledger::file::durable_watch::DurableWatch;
use axilog_ledger::session::Session;
use serde_json::Value;

use crate::error::CommandError;
use crate::output::{Report, table, write_remark};

/// How the heads of the ledger are signed.
#[derive(clap::Args)]
pub(crate) struct CheckpointArgs {
    /// Sign the head of the ledger with this key (axilog key new) at the end, as LEDGER.checkpoint. Needs the feature
    /// witness, as the next three.
    #[arg(long, value_name = "FILE")]
    checkpoint_key: Option<PathBuf>,
    /// The name of a ledger that was begun without one; the key must have it too, and sign no other ledger.
    #[arg(long, value_name = "NAME", requires = "checkpoint_key")]
    checkpoint_origin: Option<String>,
    #[command(flatten)]
    signing: SigningArgs,
}

/// When heads are signed, and who signs them too.
#[derive(clap::Args, Clone)]
struct SigningArgs {
    /// Sign heads on the way too: after N records, or T seconds, as 1000, 60s or 1000,60s.
    #[arg(long, value_name = "N|Ts", requires = "checkpoint_key")]
    checkpoint_every: Option<String>,
    /// The witnesses that sign the heads (C2SP tlog-policy). Nothing waits for one that is away.
    #[arg(long, value_name = "FILE", requires = "checkpoint_key")]
    witnesses: Option<PathBuf>,
}

/// How the heads of the ledgers of several runs are signed, each with a key of its own.
#[cfg(feature = "ablation")]
#[derive(clap::Args)]
pub(crate) struct RunCheckpointArgs {
    /// Sign the head of each run's ledger with the key VARIANT.key in this folder (axilog key new), as LEDGER.checkpoint.
    /// Needs the feature witness, as the next three.
    #[arg(long, value_name = "DIR", requires = "checkpoint_origin")]
    checkpoint_key: Option<PathBuf>,
    /// The name of the experiment. Each key is named NAME/VARIANT, and signs no other ledger.
    #[arg(long, value_name = "NAME", requires = "checkpoint_key")]
    checkpoint_origin: Option<String>,
    #[command(flatten)]
    signing: SigningArgs,
}

#[cfg(feature = "ablation")]
impl RunCheckpointArgs {
    /// Reads what the options name for the run `name`, whose ledger is `ledger`, before anything is recorded.
    pub(crate) fn read(&self, name: &str, ledger: &Path) -> Result<HeadSigning, CommandError> {
        let key = self.checkpoint_key.as_ref();
        let origin = self.checkpoint_origin.as_ref();
        let args = CheckpointArgs {
            checkpoint_key: key.map(|folder| folder.join(format!("{name}.key"))),
            checkpoint_origin: origin.map(|origin| format!("{origin}/{name}")),
            signing: self.signing.clone(),
        };
        args.read_for_new(ledger)
    }
}

#[cfg(any(feature = "ablation", feature = "x0l"))]
impl CheckpointArgs {
    /// Reads what the options name, before there is a ledger at `ledger`, which has no name of its own.
    pub(crate) fn read_for_new(&self, ledger: &Path) -> Result<HeadSigning, CommandError> {
        let signing = self.read()?;
        signing.check_origin(ledger)?;
        Ok(signing)
    }
}

pub(crate) use signing::HeadSigning;

impl HeadSigning {
    /// Begins to sign the heads of the session's ledger.
    pub(crate) fn start(&mut self, session: &mut Session) -> Result<(), CommandError> {
        let path = session.path().to_owned();
        if let Some(watch) = self.start_at(&path)? {
            session.report_durable_to(watch);
        }
        Ok(())
    }

    /// Signs the last head, once the session has synced, and asks the witnesses once more; gives what came of it.
    pub(crate) fn finish(self) -> Option<SignedHeads> {
        HeadSigning::finish_all(vec![self]).pop().flatten()
    }
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

/// Says on standard error what came of signing the heads of a ledger, where there is no result that could say it.
pub(crate) fn remark_on(ledger: &Path, heads: Option<SignedHeads>) {
    if let Some((text, _)) = heads {
        write_remark(&format!("{}: {text}", ledger.display()));
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

    use super::{CheckpointArgs, CommandError, DurableWatch, Path, SignedHeads, write_remark};
    use crate::output::to_json;

    impl CheckpointArgs {
        /// Reads what the options name, before anything is recorded.
        pub(crate) fn read(&self) -> Result<HeadSigning, CommandError> {
            let Some(key) = &self.checkpoint_key else {
                return Ok(HeadSigning::default());
            };
            let interval = match &self.signing.checkpoint_every {
                Some(text) => text
                    .parse::<CheckpointInterval>()
                    .map_err(|error| CommandError::CheckpointInterval(text.clone(), error))?,
                None => CheckpointInterval::default(),
            };
            let witnesses = self.signing.witnesses.as_deref().map(WitnessPolicy::read);
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
        /// Checks that the key is that of a ledger without a name, which need not be there yet.
        #[cfg(any(feature = "ablation", feature = "x0l"))]
        pub(super) fn check_origin(&self, ledger: &Path) -> Result<(), CommandError> {
            match &self.settings {
                Some(settings) => {
                    let origin = settings.origin.as_deref();
                    Ok(axilog_heads::check_log_name(
                        ledger,
                        None,
                        &settings.key,
                        origin,
                    )?)
                }
                None => Ok(()),
            }
        }

        /// Says who signs the heads and who is asked to; `None` where they are not signed.
        #[cfg(feature = "x0l")]
        pub(crate) fn describe(&self) -> Option<String> {
            let settings = self.settings.as_ref()?;
            let policy = settings.witnesses.iter();
            let witnesses = policy.map(WitnessPolicy::witnesses).map(<[_]>::len);
            let name = settings.key.verifier_key().name();
            Some(match witnesses.sum() {
                0_usize => format!("signed as {name}; no witness is asked"),
                1 => format!("signed as {name}; 1 witness is asked"),
                witnesses => format!("signed as {name}; {witnesses} witnesses are asked"),
            })
        }

        /// Begins to sign the heads of a ledger that was begun. Gives what its session reports to.
        pub(crate) fn start_at(
            &mut self,
            ledger: &Path,
        ) -> Result<Option<DurableWatch>, CommandError> {
            let Some(settings) = self.settings.take() else {
                return Ok(None);
            };
            let report = Arc::new(|line: &str| write_remark(line));
            let signer = CheckpointSigner::start(ledger, settings, report)?;
            Ok(Some(self.signer.insert(signer).watch()))
        }

        /// Begins to sign the last head of a ledger that nobody writes any more, once it was verified to end at `end`.
        #[cfg(feature = "ablation")]
        pub(crate) fn sign_end(
            &mut self,
            ledger: &Path,
            end: impl FnOnce() -> Result<axilog_ledger::durability::LedgerPosition, CommandError>,
        ) -> Result<(), CommandError> {
            if let Some(watch) = self.start_at(ledger)? {
                let end = end()?;
                axilog_heads::sync_ledger(ledger).map_err(CommandError::File)?;
                watch.move_to(end);
            }
            Ok(())
        }

        /// Signs the last heads of several ledgers, once their sessions have synced, and asks the witnesses of all once more;
        /// gives what came of each, in their order.
        pub(crate) fn finish_all(signings: Vec<HeadSigning>) -> Vec<Option<SignedHeads>> {
            let signers: Vec<_> = signings.into_iter().map(|signing| signing.signer).collect();
            let is_signed: Vec<bool> = signers.iter().map(Option::is_some).collect();
            let signers = signers.into_iter().flatten().collect();
            let mut statuses = CheckpointSigner::finish_all(signers).into_iter();
            let results = is_signed.into_iter().map(|is_signed| {
                let status = is_signed.then(|| statuses.next()).flatten();
                status.as_ref().map(describe)
            });
            results.collect()
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
    use super::{CheckpointArgs, CommandError, DurableWatch, Path, SignedHeads, SigningArgs};

    impl CheckpointArgs {
        /// Refuses the options, since this build signs no heads while it records.
        pub(crate) fn read(&self) -> Result<HeadSigning, CommandError> {
            let CheckpointArgs {
                checkpoint_key,
                checkpoint_origin,
                signing:
                    SigningArgs {
                        checkpoint_every,
                        witnesses,
                    },
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
        #[cfg(any(feature = "ablation", feature = "x0l"))]
        pub(super) fn check_origin(&self, _: &Path) -> Result<(), CommandError> {
            Ok(())
        }

        /// Says nothing.
        #[cfg(feature = "x0l")]
        pub(crate) fn describe(&self) -> Option<String> {
            None
        }

        /// Gives nothing.
        pub(crate) fn start_at(&mut self, _: &Path) -> Result<Option<DurableWatch>, CommandError> {
            Ok(None)
        }

        /// Does nothing.
        #[cfg(feature = "ablation")]
        pub(crate) fn sign_end(
            &mut self,
            _: &Path,
            _: impl FnOnce() -> Result<axilog_ledger::durability::LedgerPosition, CommandError>,
        ) -> Result<(), CommandError> {
            Ok(())
        }

        /// Gives nothing of each.
        pub(crate) fn finish_all(signings: Vec<HeadSigning>) -> Vec<Option<SignedHeads>> {
            signings.into_iter().map(|_| None).collect()
        }
    }
}
