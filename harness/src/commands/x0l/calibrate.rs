//! `axilog x0l calibrate`: whether a model gives one answer to one prompt, three times.

use std::io::{self, Write};
use std::path::PathBuf;

use axilog_ledger::encoding::hex;
use axilog_ledger::session::check_identities;
use axilog_oracle::{Exchange, Oracle, OracleKind};
use axilog_x0l::calibration::CALLS;
use axilog_x0l::live::{CalibrationCall, CalibrationRun, calibrate};
use axilog_x0l::log::CalibrationVerdict as Verdict;
use axilog_x0l::log::provider::ProviderWatch;
use serde_json::{Value, json};

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
    Report {
        passed: run.verdict == Verdict::Steady,
        text: table::format_pairs(&rows),
        json: json!({
            "verdict": verdict,
            "ok": run.verdict == Verdict::Steady,
            "model": args.model,
            "ledger": args.ledger.to_string_lossy(),
            "input_hash": hex(&run.input_hash),
            "calls": run.calls.iter().map(write_call).collect::<Vec<Value>>(),
        }),
        notes: Vec::new(),
    }
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

fn write_call(call: &CalibrationCall) -> Value {
    let answer = call.exchange.reply.as_ref().ok();
    let usage = answer.and_then(|answer| answer.usage).map(|usage| {
        json!({
            "prompt_tokens": usage.prompt_tokens,
            "completion_tokens": usage.completion_tokens,
        })
    });
    json!({
        "ledger_seq": call.ledger_seq,
        "status": call.status.map(|status| status.as_str()),
        "canonicalized_hash": call.canonicalized_hash.as_ref().map(hex),
        "model": answer.and_then(|answer| answer.model.clone()),
        "system_fingerprint": answer.and_then(|answer| answer.system_fingerprint.clone()),
        "finish_reason": answer.and_then(|answer| answer.finish_reason.clone()),
        "usage": usage,
        "attempts": write_attempts(&call.exchange),
    })
}

fn write_attempts(exchange: &Exchange) -> Vec<Value> {
    let millis = |duration: std::time::Duration| u64::try_from(duration.as_millis());
    let attempts = exchange.attempts.iter();
    attempts
        .map(|attempt| {
            json!({
                "waited_ms": millis(attempt.delay).unwrap_or(u64::MAX),
                "took_ms": millis(attempt.duration).unwrap_or(u64::MAX),
                "fault": attempt.fault.as_ref().map(ToString::to_string),
            })
        })
        .collect()
}
