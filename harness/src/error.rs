//! What can go wrong in the command itself; what went wrong in a library is its error, as it is.

use std::path::PathBuf;

#[cfg(feature = "ablation")]
use axilog_ablation::AblationError;
#[cfg(feature = "bundle")]
use axilog_bundle::BundleError;
#[cfg(feature = "witness")]
use axilog_checkpoints::{CheckpointsError, InvalidInterval};
#[cfg(feature = "gateway")]
use axilog_gateway::GatewayError;
#[cfg(feature = "heads")]
use axilog_heads::HeadsError;
use axilog_ledger::error::{FileError, LedgerError};
use axilog_ledger::manifest::InvalidManifest;
use axilog_ledger::policy_trial::InadmissibleOracleId;
use axilog_ledger::schema::violation::InvalidSchema;
#[cfg(feature = "memory")]
use axilog_memory::MemoryError;
#[cfg(feature = "oracle")]
use axilog_oracle::OracleError;
#[cfg(feature = "witness")]
use axilog_witness::WitnessError;
#[cfg(feature = "x0l")]
use axilog_x0l::{X0lError, live::LiveError};

use crate::Failure;
#[cfg(feature = "bundle")]
use crate::output::Report;

/// Why a subcommand gives no report.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandError {
    /// An option that is about one ledger, and several were named.
    #[error("{0} is about one ledger: give it with one FILE")]
    OneLedger(&'static str),

    /// A folder without ledgers, where some are wanted.
    #[error(
        "{}: found no ledger in the folder; expected files below it whose names end in .jsonl, .jsonl.gz or .jsonl.zst; name the ledger itself if it is called otherwise",
        .0.display()
    )]
    NoLedgerBelow(PathBuf),

    /// Controls without the baseline that they control.
    #[cfg(feature = "ablation")]
    #[error(
        "--controls runs the controls of a baseline: give it with --variant all or baseline, or name one control as the --variant"
    )]
    ControlsWithoutBaseline,

    /// A primary endpoint or a margin for the base harness.
    #[cfg(feature = "ablation")]
    #[error(
        "--primary and --margin are about comparisons, and the base harness v300 is compared with nothing: leave them out"
    )]
    PrimaryOfBaseHarness,

    /// Disagreement as the primary endpoint of runs without a replicate.
    #[cfg(feature = "ablation")]
    #[error(
        "--primary disagreement is measured beyond the replicate's: give --controls too, or name agreement"
    )]
    DisagreementWithoutControls,

    /// A margin where the primary endpoint is no share of steps.
    #[cfg(feature = "ablation")]
    #[error(
        "--margin is a share of steps, of which the primary endpoint must be one: give --primary agreement or disagreement, or leave --margin out"
    )]
    MarginOfOtherEndpoint,

    /// Fewer seeds than any verdict takes.
    #[cfg(feature = "ablation")]
    #[error(
        "--seeds: are {found}, and the comparison of these runs has no verdict, whatever is answered, under fewer than {expected}; name more seeds, or give --pilot for runs that are not to be judged"
    )]
    TooFewSeedsForVerdict {
        /// How many seeds are named.
        found: usize,
        /// How many it takes.
        expected: usize,
    },

    /// Several seeds at once where the oracle has its answers in an order.
    #[cfg(feature = "ablation")]
    #[error(
        "--parallel: the oracle {0} gives its answers in their order, so that seeds must run one after the other; leave --parallel out"
    )]
    ParallelScript(String),

    /// Nobody can be asked whether the cost is agreed to.
    #[cfg(feature = "ablation")]
    #[error(
        "nothing was asked: nobody can agree to the cost where standard input is no terminal; --yes agrees in advance"
    )]
    NobodyToAgree,

    /// Somebody was asked whether the cost is agreed to, and did not agree.
    #[cfg(feature = "ablation")]
    #[error("nothing was asked: the answer to the question whether to go on was not yes")]
    CostNotAgreed,

    /// A result that would replace a ledger, a blob or a file that the call reads.
    #[error(
        "{path}: is {found}, which a result never replaces; expected a new name, or a file that may be replaced; name another file, or - for standard output",
        path = path.display()
    )]
    OverKept {
        /// The path of the result.
        path: PathBuf,
        /// What it names.
        found: &'static str,
    },

    /// A result that would go where no result is written.
    #[error(
        "{path}: is {found}; expected a regular file, a named pipe, or a stream that is open already, such as /dev/stdout; name one of these, or - for standard output",
        path = path.display()
    )]
    NoPlaceForResult {
        /// The path of the result.
        path: PathBuf,
        /// What it names.
        found: &'static str,
    },

    /// This build lacks a feature.
    #[error(
        "this build of axilog has no {0}; in axilog's sources, install one that has it with \
         `cargo xtask install --features {0}`, or build it with `cargo build --release -p axilog-harness --features {0}`"
    )]
    NotBuilt(&'static str),

    /// A binary result that would go to a terminal.
    #[error(
        "{0} is binary and nothing for a terminal; name a file with -o, or redirect standard output"
    )]
    ToTerminal(&'static str),

    /// Bytes where text is wanted.
    #[cfg(any(feature = "memory", feature = "x0l"))]
    #[error("{what} is not UTF-8 at byte {at}, and a model's answer is text")]
    NotText {
        /// What is not.
        what: &'static str,
        /// The first bad byte.
        at: usize,
    },

    /// An argument of the policy compiler that is not in a file.
    #[error("{0}")]
    Symbol(axilog_policyc::PolicyFileError),

    /// The canonical form would replace what a person wrote.
    #[error("{}: --write would replace the source form; name the result with --output", .0.display())]
    SourceOverwritten(PathBuf),

    /// An oracle's id that no observation can have.
    #[error(transparent)]
    OracleId(#[from] InadmissibleOracleId),

    /// A time far ahead, after which no right one could be recorded.
    #[error(
        "{path}: the time {given} is more than {max_jump} (--max-jump) ahead of the last recorded one, {last}, and of the clock, {clock}; once recorded, no earlier time can follow; give it in the unit of the times before, raise --max-jump, or record it all the same with --force; nothing was recorded",
        path = path.display()
    )]
    TimeJump {
        /// The ledger.
        path: PathBuf,
        /// The refused time.
        given: u64,
        /// The last recorded time.
        last: u64,
        /// The present second.
        clock: u64,
        /// How far ahead a time may be.
        max_jump: u64,
    },

    /// A name or a note that no manifest can have.
    #[error("the manifest is refused: {0}")]
    InvalidManifest(InvalidManifest),

    /// A file of running values that is not one.
    #[error(
        "{path}: {reason}; expected one JSON object, e.g. {{\"ax.sum.spend\":{{\"oracle\":\"tool.pay\",\"path\":\"/amount\",\"window\":86400}}}}",
        path = path.display()
    )]
    RunningValuesUnreadable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },

    /// A ledger that another one is to follow, and that could still go on.
    #[error(
        "{path}: is not sealed, so that it could go on beside a ledger that follows it; seal it first (axilog seal {path}); no ledger was begun",
        path = .0.display()
    )]
    PredecessorNotSealed(PathBuf),

    /// Policies that are to name oracles, and name none.
    #[error(
        "--oracles-from-policies: the policies name no oracle; name the oracles with --oracle, or in the selectors of the policies"
    )]
    NoOracleInPolicies,

    /// A schema that cannot be declared.
    #[error("{path}: is refused as a schema: {source}", path = path.display())]
    InvalidSchema {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: InvalidSchema,
    },

    /// A server that cannot be started or ended.
    #[error("cannot {action} the server {program:?}: {source}")]
    Server {
        /// What failed.
        action: &'static str,
        /// The server's program, as the command line names it.
        program: String,
        /// The system's reason.
        source: std::io::Error,
    },

    /// Two schemas for the same of one oracle.
    #[error("{option} is given twice for the oracle {oracle:?}; give it once")]
    SchemaTwice {
        /// The option.
        option: &'static str,
        /// The oracle.
        oracle: String,
    },

    /// A form of answers that cannot be sent to a server.
    #[cfg(any(feature = "ablation", feature = "bundle"))]
    #[error("{path}: {reason}; --response-format takes json_object, the file of a JSON Schema, llama-cpp:FILE or vllm:FILE", path = path.display())]
    ResponseFormat {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },

    /// A file cannot be used.
    #[error(transparent)]
    File(#[from] FileError),

    /// The ledger refused.
    #[error(transparent)]
    Ledger(LedgerError),

    /// The oracle cannot be asked.
    #[cfg(feature = "oracle")]
    #[error(transparent)]
    Oracle(OracleError),

    /// The ablation harness refused.
    #[cfg(feature = "ablation")]
    #[error(transparent)]
    Ablation(AblationError),

    /// A bundle cannot be built or rendered.
    #[cfg(feature = "bundle")]
    #[error(transparent)]
    Bundle(BundleError),

    /// The ledger for a bundle has policies, which would judge the record of the bundle too.
    #[cfg(feature = "bundle")]
    #[error(
        "{path}: the ledger has policies, which would judge the record of the bundle and the answer alike; name another ledger, which is begun without",
        path = .0.display()
    )]
    LedgerHasPolicies(PathBuf),

    /// A check came to no verdict; its report says why.
    #[cfg(feature = "bundle")]
    #[error("the check came to no verdict")]
    NoVerdict(Box<Report>),

    /// The gateway cannot begin or go on.
    #[cfg(feature = "gateway")]
    #[error(transparent)]
    Gateway(GatewayError),

    /// A key, a checkpoint or a proof cannot be used.
    #[cfg(feature = "heads")]
    #[error(transparent)]
    Heads(HeadsError),

    /// Another checkpoint took the place of the one that was submitted.
    #[cfg(feature = "witness")]
    #[error(
        "{path}: another checkpoint was written here meanwhile, and the signatures of the witnesses were not kept; submit that one",
        path = .0.display()
    )]
    CheckpointReplaced(PathBuf),

    /// A text that does not say when heads are signed.
    #[cfg(feature = "witness")]
    #[error("--checkpoint-every {0}: {1}")]
    CheckpointInterval(String, InvalidInterval),

    /// Heads cannot be signed or submitted.
    #[cfg(feature = "witness")]
    #[error(transparent)]
    Checkpoints(CheckpointsError),

    /// A witness cannot begin or go on.
    #[cfg(feature = "witness")]
    #[error(transparent)]
    Witness(WitnessError),

    /// A proof that can only be checked with a file that was not named.
    #[cfg(feature = "heads")]
    #[error("{path}: {what}", path = path.display())]
    ProofNeeds {
        /// The proof.
        path: PathBuf,
        /// Which file, and the option that names it.
        what: &'static str,
    },

    /// The memory refused.
    #[cfg(feature = "memory")]
    #[error(transparent)]
    Memory(MemoryError),

    /// The live harness refused.
    #[cfg(feature = "x0l")]
    #[error(transparent)]
    X0l(X0lError),
}

// An error of a file, a ledger or an oracle stays one, whichever library met it.

impl From<LedgerError> for CommandError {
    fn from(error: LedgerError) -> CommandError {
        match error {
            LedgerError::File(error) => CommandError::File(error),
            error => CommandError::Ledger(error),
        }
    }
}

#[cfg(feature = "oracle")]
impl From<OracleError> for CommandError {
    fn from(error: OracleError) -> CommandError {
        match error {
            OracleError::File(error) => CommandError::File(error),
            OracleError::Ledger(error) => CommandError::Ledger(error),
            error => CommandError::Oracle(error),
        }
    }
}

#[cfg(feature = "x0l")]
impl From<X0lError> for CommandError {
    fn from(error: X0lError) -> CommandError {
        match error {
            X0lError::File(error) => CommandError::File(error),
            X0lError::Ledger(error) => CommandError::Ledger(error),
            X0lError::Oracle(error) => CommandError::Oracle(error),
            error => CommandError::X0l(error),
        }
    }
}

#[cfg(feature = "x0l")]
impl From<LiveError> for CommandError {
    fn from(error: LiveError) -> CommandError {
        CommandError::X0l(error.into())
    }
}

#[cfg(feature = "bundle")]
impl From<BundleError> for CommandError {
    fn from(error: BundleError) -> CommandError {
        match error {
            BundleError::File(error) => CommandError::File(error),
            error => CommandError::Bundle(error),
        }
    }
}

#[cfg(feature = "ablation")]
impl From<AblationError> for CommandError {
    fn from(error: AblationError) -> CommandError {
        match error {
            AblationError::File(error) => CommandError::File(error),
            AblationError::Ledger(error) => CommandError::Ledger(error),
            AblationError::Oracle(error) => CommandError::Oracle(error),
            error => CommandError::Ablation(error),
        }
    }
}

#[cfg(feature = "gateway")]
impl From<GatewayError> for CommandError {
    fn from(error: GatewayError) -> CommandError {
        match error {
            GatewayError::Ledger(error) => error.into(),
            error => CommandError::Gateway(error),
        }
    }
}

#[cfg(feature = "witness")]
impl From<WitnessError> for CommandError {
    fn from(error: WitnessError) -> CommandError {
        match error {
            WitnessError::File(error) => CommandError::File(error),
            error => CommandError::Witness(error),
        }
    }
}

#[cfg(feature = "witness")]
impl From<CheckpointsError> for CommandError {
    fn from(error: CheckpointsError) -> CommandError {
        match error {
            CheckpointsError::Heads(error) => error.into(),
            error => CommandError::Checkpoints(error),
        }
    }
}

#[cfg(feature = "heads")]
impl From<HeadsError> for CommandError {
    fn from(error: HeadsError) -> CommandError {
        match error {
            HeadsError::File(error) => CommandError::File(error),
            HeadsError::Ledger(error) => CommandError::Ledger(error),
            error => CommandError::Heads(error),
        }
    }
}

#[cfg(feature = "memory")]
impl From<MemoryError> for CommandError {
    fn from(error: MemoryError) -> CommandError {
        match error {
            MemoryError::File(error) => CommandError::File(error),
            error => CommandError::Memory(error),
        }
    }
}

/// Lets a subcommand pass on the error of a library with `?`.
macro_rules! failure_from {
    ($($(#[$feature:meta])? $error:ty),+ $(,)?) => {$(
        $(#[$feature])?
        impl From<$error> for Failure {
            fn from(error: $error) -> Failure {
                CommandError::from(error).into()
            }
        }
    )+};
}

failure_from!(
    FileError,
    LedgerError,
    #[cfg(feature = "oracle")]
    OracleError,
    #[cfg(feature = "x0l")]
    LiveError,
    #[cfg(feature = "x0l")]
    X0lError,
    #[cfg(feature = "bundle")]
    BundleError,
    #[cfg(feature = "ablation")]
    AblationError,
    #[cfg(feature = "gateway")]
    GatewayError,
    #[cfg(feature = "heads")]
    HeadsError,
    #[cfg(feature = "memory")]
    MemoryError,
    #[cfg(feature = "witness")]
    CheckpointsError,
    #[cfg(feature = "witness")]
    WitnessError,
);
