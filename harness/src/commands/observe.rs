//! `axilog observe`: admits the answer on standard input.

use std::io::Read;
use std::path::{Path, PathBuf};

use axilog::admission::InputKind;
use axilog::evidence::observation::{Failure as OracleFailure, Params};
use axilog_ledger::derivation::{Derivation, derive_input};
use axilog_ledger::error::{FileError, LedgerError};
use axilog_ledger::input::CanonicalInput;
use axilog_ledger::input_file::{MAX_INPUT_BYTES, open_input};
use axilog_ledger::session::{OracleCall, OracleReply, Session, check_identities};
use clap::ValueEnum;

use crate::Failure;
use crate::error::CommandError;
use crate::now;
use crate::options::checkpoints::{CheckpointArgs, add_to_report};
use crate::options::sampling::{parse_temperature, parse_top_p};
use crate::output::Report;
use crate::output::decision;
use crate::read_named_policies;

/// Record an answer from standard input, and decide on it.
///
/// The answer is recorded whatever it is: too long, not text, not JSON. Where there is no ledger yet, one is begun as
/// `axilog init` does it, with the present time. Exits 0 only where a program may act on the answer: it is permitted,
/// and the agent is ENABLED after it; otherwise 1. At most 64 MiB of the answer and of the input are read. An input
/// that is not admissible is refused with exit code 2 before anything is recorded.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The ledger file.
    #[arg(long, value_name = "FILE")]
    ledger: PathBuf,
    /// Who answered, e.g. planner-1: 1 to 256 visible ASCII characters.
    #[arg(long, value_name = "ID")]
    oracle_id: String,
    /// Which model answered, with its version: 1 to 256 visible ASCII characters. An oracle has one model in a ledger.
    #[arg(long, value_name = "ID")]
    model_id: String,
    /// The file with what the oracle was asked; without it the input is empty.
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,
    /// What form the input must have.
    #[arg(long, value_enum, default_value_t = Kind::Text)]
    input_kind: Kind,
    /// The sequences of the observations that the input was made from, in the order of their use. Each must be an answer
    /// that may be acted on. They are recorded as the member `derived_from` of the input, a JSON object; a text becomes
    /// the member `input` of one.
    #[arg(long, value_name = "SEQ", num_args = 1..)]
    derived_from: Vec<u64>,
    /// Also take answers that may not be acted on, and record in the input that some were taken.
    #[arg(long, requires = "derived_from")]
    even_refused: bool,
    /// Sampling temperature, a decimal number of at least 0.
    #[arg(long, value_name = "N", value_parser = parse_temperature, allow_negative_numbers = true)]
    temperature: Option<i32>,
    /// Nucleus sampling, a decimal number from 0 to 1.
    #[arg(long, value_name = "N", value_parser = parse_top_p, allow_negative_numbers = true)]
    top_p: Option<i32>,
    /// The most tokens the oracle was allowed.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i32).range(0..), allow_negative_numbers = true)]
    max_tokens: Option<i32>,
    /// The random seed.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(0..), allow_negative_numbers = true)]
    seed: Option<i64>,
    /// Record that the oracle gave no answer, and why; standard input is not read.
    #[arg(long, value_enum)]
    failure: Option<FailureKind>,
    /// Permit acting only on answers that a policy judged: any other is recorded, and the exit code is 1.
    #[arg(long)]
    require_policy: bool,
    #[command(flatten)]
    checkpoints: CheckpointArgs,
    /// The ledger's policy file: for a new ledger, and where a ledger's configuration is not beside it.
    #[arg(long, value_name = "FILE")]
    policies: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Kind {
    /// Text.
    Text,
    /// Canonical JSON (RFC 8785).
    Json,
}

#[derive(Clone, Copy, ValueEnum)]
enum FailureKind {
    /// No answer in time.
    Timeout,
    /// The network or the protocol failed.
    Transport,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    // Everything that can be refused is, before a ledger is created or an answer waited for.
    check_identities(&args.oracle_id, &args.model_id)?;
    let policies = read_named_policies(args.policies.as_deref())?;
    let mut signing = args.checkpoints.read()?;
    let (path, question, kind) = read_question(args)?;
    let invalid = |reason| LedgerError::InvalidInput {
        path: path.clone(),
        reason,
    };
    let mut call = OracleCall {
        oracle_id: args.oracle_id.clone(),
        model_id: args.model_id.clone(),
        params: Params {
            max_tokens: args.max_tokens,
            seed: args.seed,
            temperature: args.temperature,
            top_p: args.top_p,
        },
        input: CanonicalInput::new(&question, kind).map_err(&invalid)?,
    };
    let answer = match args.failure {
        Some(_) => Vec::new(),
        None => read(
            open_input(Path::new("-"), "read the answer")?,
            Path::new("standard input"),
            "the answer",
            "; `--failure transport` records that there is no usable answer",
        )?,
    };
    let reply = match args.failure {
        Some(FailureKind::Timeout) => OracleReply::Failure(OracleFailure::Timeout),
        Some(FailureKind::Transport) => OracleReply::Failure(OracleFailure::TransportError),
        None => OracleReply::Answer(&answer),
    };
    let (mut session, begun) = match args.derived_from.is_empty() {
        true => Session::open_or_create(&args.ledger, policies.as_ref(), now())?,
        // A new ledger has no answers.
        false => (Session::open(&args.ledger, policies.as_ref())?, None),
    };
    if args.require_policy {
        session.require_policy();
    }
    if !args.derived_from.is_empty() {
        let sources = session.find_observations(&args.derived_from)?;
        let derivation = Derivation {
            even_refused: args.even_refused && session.has_refused_answer(&sources)?,
            sources,
        };
        call.input = derive_input(&question, kind, &derivation).map_err(&invalid)?;
    }
    signing.start(&mut session)?;
    let decision = session.observe(&call, reply)?;
    let mut report = Report {
        passed: decision.may_act,
        ..decision::report(&session, &decision, begun.is_some())
    };
    if let Some(heads) = signing.finish() {
        add_to_report(heads, &mut report);
    }
    Ok(report)
}

/// Reads the input, with its name for messages and its kind.
fn read_question(args: &Args) -> Result<(PathBuf, Vec<u8>, InputKind), CommandError> {
    let kind = match args.input_kind {
        Kind::Text => InputKind::Text,
        Kind::Json => InputKind::Json,
    };
    let (path, raw) = match &args.input {
        Some(path) => {
            let file = open_input(path, "open the input")?;
            (path.clone(), read(file, path, "the input", "")?)
        }
        None => (PathBuf::from("--input"), Vec::new()),
    };
    Ok((path, raw, kind))
}

/// Reads at most 64 MiB: more than any record holds by far, and the rest of a longer answer could only be cut.
pub(crate) fn read(
    source: impl Read,
    path: &Path,
    what: &str,
    hint: &'static str,
) -> Result<Vec<u8>, CommandError> {
    let mut bytes = Vec::new();
    source
        .take(MAX_INPUT_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(FileError::from_io(path, "read"))?;
    if bytes.len() as u64 > MAX_INPUT_BYTES {
        return Err(FileError::TooLong {
            what: what.to_owned(),
            limit: MAX_INPUT_BYTES,
            hint,
        }
        .into());
    }
    Ok(bytes)
}
