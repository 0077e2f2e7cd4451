//! `axilog x0l calibrate`: whether a model gives one answer to one prompt, three times.

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use axilog_ledger::encoding::hex;
use axilog_ledger::session::check_identities;
use axilog_oracle::{AskAttempt, Oracle, OracleKind, TokenUsage};
use axilog_x0l::calibration::CALLS;
use axilog_x0l::live::{CalibrationCall, CalibrationRun, calibrate};
use axilog_x0l::log::CalibrationVerdict as Verdict;
use axilog_x0l::log::provider::ProviderWatch;
use serde::Serialize;

use super::parse_oracle;
use crate::Failure;
use crate::ledger_without_policies;
use crate::options::server_args::ServerArgs;
use crate::output::Report;
use crate::output::table;

/// The oracle id of the model in the ledger.
const ORACLE: &str = "llm";

/// Ask a model one fixed prompt three times at temperature 0, and compare the answers.
///
/// Each answer is recorded in the ledger before it is read. The three answers must hold equal JSON
/// objects; layout and text around the objects do not matter. There is no second try. Exits 0 if the
/// objects are equal (OK); 1 if they differ or an answer holds no object (MODEL_DRIFT_DETECTED), or
/// if a call fails after its retries (TRANSPORT_FAILURE_ABORT). The API key is read from the
/// environment variable OPENAI_API_KEY.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The model, exactly as its server names it.
    #[arg(long, value_name = "ID")]
    model: String,
    /// The oracle that answers: openai, scripted:FILE or recorded:LEDGER.
    #[arg(long, value_name = "KIND", default_value = "openai", value_parser = parse_oracle)]
    oracle: OracleKind,
    #[command(flatten)]
    server: ServerArgs,
    /// The ledger that records the calls; begun without policies if it does not exist.
    #[arg(long, value_name = "FILE", default_value = "axilog-calibration.jsonl")]
    ledger: PathBuf,
}

/// A calibration of a model.
#[derive(Serialize)]
struct CalibrationResult<'a> {
    verdict: &'static str,
    ok: bool,
    model: &'a str,
    ledger: Cow<'a, str>,
    /// SHA-256 of the prompt.
    input_hash: String,
    calls: Vec<CallResult<'a>>,
}

/// A call. What its server did not say is `None`, and so is everything of a call without an answer.
#[derive(Serialize)]
struct CallResult<'a> {
    ledger_seq: u64,
    /// What the canonicalizer made of the answer.
    status: Option<&'static str>,
    canonicalized_hash: Option<String>,
    model: Option<&'a str>,
    system_fingerprint: Option<&'a str>,
    finish_reason: Option<&'a str>,
    usage: Option<TokenUsage>,
    attempts: Vec<AttemptResult>,
}

/// An attempt to get an answer, with times in milliseconds.
#[derive(Serialize)]
struct AttemptResult {
    waited_ms: u64,
    took_ms: u64,
    fault: Option<String>,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    check_identities(ORACLE, &args.model)?;
    let mut endpoint = Oracle::open(&args.oracle, &args.server.options())?;
    let mut session = ledger_without_policies::open_or_begin(&args.ledger)?;
    let mut on_call = |number| {
        // Progress is not worth an error.
        let _ = writeln!(io::stderr(), "axilog: call {number} of {CALLS}");
    };
    let mut watch = ProviderWatch::default();
    let run = calibrate(
        &mut session,
        &mut endpoint,
        ORACLE,
        &args.model,
        &mut watch,
        &mut on_call,
    )?;
    Ok(report_run(args, &run))
}

fn report_run(args: &Args, run: &CalibrationRun) -> Report {
    let verdict = run.verdict.as_str();
    let mut rows = vec![
        ("verdict", verdict.to_owned()),
        ("model", args.model.clone()),
        ("ledger", args.ledger.display().to_string()),
        ("prompt", hex(&run.input_hash)),
    ];
    for call in &run.calls {
        rows.push((
            "record",
            format!("{}: {}", call.ledger_seq, describe_call(call)),
        ));
    }
    let ok = run.verdict == Verdict::Steady;
    let result = CalibrationResult {
        verdict,
        ok,
        model: &args.model,
        ledger: args.ledger.to_string_lossy(),
        input_hash: hex(&run.input_hash),
        calls: run.calls.iter().map(CallResult::new).collect(),
    };
    Report::new(ok, table::format_pairs(&rows), &result)
}

fn describe_call(call: &CalibrationCall) -> String {
    match (&call.exchange.reply, call.canonicalized_hash) {
        (Err(fault), _) => {
            let attempts = call.exchange.attempts.len();
            format!("{fault} ({attempts} attempts)")
        }
        (_, Some(hash)) => hex(&hash),
        (_, None) => call.status.map_or("", |status| status.as_str()).to_owned(),
    }
}

impl CallResult<'_> {
    fn new(call: &CalibrationCall) -> CallResult<'_> {
        let answer = call.exchange.reply.as_ref().ok();
        CallResult {
            ledger_seq: call.ledger_seq,
            status: call.status.map(|status| status.as_str()),
            canonicalized_hash: call.canonicalized_hash.as_ref().map(hex),
            model: answer.and_then(|answer| answer.model.as_deref()),
            system_fingerprint: answer.and_then(|answer| answer.system_fingerprint.as_deref()),
            finish_reason: answer.and_then(|answer| answer.finish_reason.as_deref()),
            usage: answer.and_then(|answer| answer.usage),
            attempts: call
                .exchange
                .attempts
                .iter()
                .map(AttemptResult::new)
                .collect(),
        }
    }
}

impl AttemptResult {
    fn new(attempt: &AskAttempt) -> AttemptResult {
        let millis = |duration: Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        AttemptResult {
            waited_ms: millis(attempt.delay),
            took_ms: millis(attempt.duration),
            fault: attempt.fault.as_ref().map(ToString::to_string),
        }
    }
}
