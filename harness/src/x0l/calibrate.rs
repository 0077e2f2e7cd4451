//! `axilog x0l calibrate`: whether a model answers one prompt alike three times.

use std::io::{self, Write};
use std::path::PathBuf;

use axilog_ledger::file::hex;
use axilog_ledger::session::check_identities;
use axilog_oracle::{DEFAULT_BASE_URL, Endpoint, Exchange, Kind, Limits};
use axilog_x0l::calibration::CALLS;
use axilog_x0l::live::{Calibration, Call, calibrate};
use axilog_x0l::log::CalibrationVerdict as Verdict;
use serde_json::{Value, json};

use super::super::output::Report;
use super::super::{Failure, ledger_without_policies, table};

/// The id of the oracle in the ledger.
const ORACLE: &str = "llm";

/// Ask a model one fixed prompt three times at temperature 0, and compare.
///
/// The canonical forms of the three answers must be one; there is no second try. Every answer is
/// recorded first. Exits 0 where the model is steady, else 1: MODEL_DRIFT_DETECTED where it is not (an
/// answer without a JSON object is none that could be equal), TRANSPORT_FAILURE_ABORT where a call
/// fails for good. The key is taken from OPENAI_API_KEY.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The model, exactly as its server names it.
    #[arg(long, value_name = "ID")]
    model: String,
    /// Who answers: openai, scripted:FILE or recorded:LEDGER.
    #[arg(long, value_name = "KIND", default_value = "openai")]
    oracle: Kind,
    /// What stands before /chat/completions, for the kind openai.
    #[arg(long, value_name = "URL", default_value = DEFAULT_BASE_URL)]
    base_url: String,
    /// The ledger; begun where it is new, without policies.
    #[arg(long, value_name = "FILE", default_value = "axilog-calibration.jsonl")]
    ledger: PathBuf,
    /// One JSON object on standard output.
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    check_identities(ORACLE, &args.model)?;
    let mut endpoint = Endpoint::open(&args.oracle, &args.base_url, Limits::default())?;
    let mut session = ledger_without_policies::open_or_begin(&args.ledger)?;
    let mut progress = |number| {
        // Nobody is left to tell where this fails.
        let _ = writeln!(io::stderr(), "axilog: call {number} of {CALLS}");
    };
    let found = calibrate(
        &mut session,
        &mut endpoint,
        ORACLE,
        &args.model,
        &mut progress,
    )?;
    Ok(report(args, &found))
}

fn report(args: &Args, found: &Calibration) -> Report {
    let verdict = found.verdict.as_str();
    let mut rows = vec![
        ("verdict", verdict.to_owned()),
        ("model", args.model.clone()),
        ("ledger", args.ledger.display().to_string()),
        ("prompt", hex(&found.input_hash)),
    ];
    for call in &found.calls {
        rows.push(("record", format!("{}: {}", call.ledger_seq, told(call))));
    }
    Report {
        passed: found.verdict == Verdict::Steady,
        text: table::format_pairs(&rows),
        json: json!({
            "verdict": verdict,
            "ok": found.verdict == Verdict::Steady,
            "model": args.model,
            "ledger": args.ledger.to_string_lossy(),
            "input_hash": hex(&found.input_hash),
            "calls": found.calls.iter().map(object).collect::<Vec<Value>>(),
        }),
        notes: Vec::new(),
    }
}

fn told(call: &Call) -> String {
    match (&call.exchange.reply, call.canonicalized_hash, call.status) {
        (Err(fault), ..) => {
            let attempts = call.exchange.attempts.len();
            format!("{fault} ({attempts} attempts)")
        }
        (_, Some(hash), _) => hex(&hash),
        (_, None, Some(status)) => status.as_str().to_owned(),
        (_, None, None) => "NOT_ADMITTED".to_owned(),
    }
}

fn object(call: &Call) -> Value {
    let status = call.status.map_or("NOT_ADMITTED", |status| status.as_str());
    let answer = call.exchange.reply.as_ref().ok();
    let usage = answer.and_then(|answer| answer.usage).map(|usage| {
        json!({
            "prompt_tokens": usage.prompt_tokens,
            "completion_tokens": usage.completion_tokens,
        })
    });
    json!({
        "ledger_seq": call.ledger_seq,
        "status": answer.map(|_| status),
        "canonicalized_hash": call.canonicalized_hash.as_ref().map(hex),
        "model": answer.and_then(|answer| answer.model.clone()),
        "finish_reason": answer.and_then(|answer| answer.finish_reason.clone()),
        "usage": usage,
        "attempts": attempts(&call.exchange),
    })
}

fn attempts(exchange: &Exchange) -> Vec<Value> {
    let millis = |duration: std::time::Duration| u64::try_from(duration.as_millis());
    let attempts = exchange.attempts.iter();
    attempts
        .map(|attempt| {
            json!({
                "waited_ms": millis(attempt.waited).unwrap_or(u64::MAX),
                "took_ms": millis(attempt.took).unwrap_or(u64::MAX),
                "fault": attempt.fault.as_ref().map(ToString::to_string),
            })
        })
        .collect()
}
