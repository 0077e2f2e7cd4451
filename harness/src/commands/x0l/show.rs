//! `axilog x0l show`: one cycle, from its prompt to the decision.

use std::path::PathBuf;

use axilog_ledger::encoding::hex;
use axilog_ledger::visible_text::{escape_deceptive_line, escape_deceptive_text};
use axilog_x0l::kernel::Candidate;
use axilog_x0l::log::{Cycle, RunDirectory};
use axilog_x0l::replay::CycleId;
use axilog_x0l::show::{
    GateVerdict, ShownCycle, explain_canonicalization, explain_code, explain_decision,
    explain_refusal_type, find_verdict, show_cycle,
};
use serde_json::Value;

use super::live_run::name_writer;
use super::shown_cycle_result::ShownCycleResult;
use crate::Failure;
use crate::output::Report;
use crate::output::table;

/// Show one cycle of a run: the prompt, the raw answer, what became of it, and why.
///
/// The cycle's number is that in the session, as the report has it. What is shown is checked: the line of the
/// cycle log against its hash in the ledger and against the recomputed cycle, the prompt against the hash that
/// names its blob. Each line of a prompt and of an answer follows a bar; characters that one does not
/// see are escapes. Of a session that is still going on, the cycles that have ended are shown. Exits 0 if
/// everything agrees, 1 if something differs, which is named, 2 if there is no such cycle.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The directory of the run.
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// The cycle's number in the session, from 1.
    #[arg(value_name = "CYCLE")]
    cycle: u64,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let run = RunDirectory::open(&args.dir)?;
    let shown = show_cycle(&run, args.cycle)?;
    let mut notes = Vec::new();
    if shown.differences_elsewhere > 0 && shown.writer.is_none() {
        notes.push(format!(
            "differences in the rest of the run: {}; see axilog x0l replay {}",
            shown.differences_elsewhere,
            args.dir.display()
        ));
    }
    let result = ShownCycleResult::new(&args.dir, &shown);
    Ok(Report::new(shown.is_good(), write_text(args, &shown), &result).with_notes(notes))
}

type Rows = Vec<(&'static str, String)>;

fn write_text(args: &Args, shown: &ShownCycle) -> String {
    let mut rows: Rows = vec![("run", args.dir.display().to_string())];
    if let Some(writer) = shown.writer {
        let written = format!("{}; the session is still going on", name_writer(writer));
        rows.push(("written by", written));
    }
    let mut text = match &shown.cycle {
        None => {
            rows.push(("cycle", shown.number.to_string()));
            table::format_pairs(&rows)
        }
        Some(cycle) => write_cycle(rows, shown, cycle),
    };
    if !shown.is_good() {
        text.push_str("\nDIFFERENCES\n");
    }
    for difference in &shown.differences {
        text.push_str(&table::wrap_sentence(&difference.to_string()));
    }
    text
}

fn write_cycle(mut rows: Rows, shown: &ShownCycle, cycle: &Cycle) -> String {
    let one_line = |text: &str| escape_deceptive_line(text).into_owned();
    let id = CycleId::of(cycle);
    rows.push((
        "cycle",
        format!("{} ({} {})", id.number, id.condition.as_str(), id.cycle),
    ));
    let validity = match cycle.prompt_valid {
        true => "a valid prompt",
        false => "a prompt that is invalid by design",
    };
    rows.push(("task", format!("{}, {validity}", one_line(&cycle.task))));
    rows.push(("decision", cycle.decision.kind.as_str().to_owned()));
    if let Some(reason) = cycle.decision.reason {
        rows.push(("reason", reason.as_str().to_owned()));
    }
    if let Some(reason) = cycle.rejection_reason {
        rows.push(("rejected", reason.as_str().to_owned()));
    }
    rows.push(("why", explain_decision(cycle)));
    if let Some(kind) = cycle.refusal_type {
        let words = explain_refusal_type(kind);
        rows.push(("refusal", format!("Type {}: {words}", kind.as_str())));
    }
    if let Some(outcome) = cycle.lc_outcome {
        rows.push(("injection", outcome.as_str().to_owned()));
    }
    rows.extend(describe_call(shown, cycle));
    let mut text = table::format_pairs(&rows);
    match &shown.messages {
        Some(messages) => {
            for message in messages {
                let title = format!("{} message", one_line(&message.role));
                text.push_str(&quote(&title, &message.content));
            }
        }
        None if cycle.input_hash.is_none() => {}
        None => text.push_str("\nPROMPT\nnot shown: see the differences\n"),
    }
    if let Some(raw) = &cycle.raw {
        text.push_str(&quote("raw answer", raw));
    }
    for (number, candidate) in (1..).zip(&cycle.candidates) {
        text.push_str(&write_candidate(number, cycle, candidate));
    }
    text
}

/// Lists what is known of the call: the tokens, the provider, and where the ledger has it.
fn describe_call(shown: &ShownCycle, cycle: &Cycle) -> Rows {
    let mut rows: Rows = Vec::new();
    let found = cycle.canonicalization;
    let words = explain_canonicalization(found);
    rows.push(("canonicalizer", format!("{}: {words}", found.as_str())));
    rows.push((
        "candidates",
        format!(
            "{} in the answer, {} malformed",
            cycle.candidates_reported, cycle.parse_errors
        ),
    ));
    if let Some(tested) = cycle.permutations {
        let result = if tested.equal {
            "one selection"
        } else {
            "several selections"
        };
        rows.push(("orders tried", format!("{}: {result}", tested.tried)));
    }
    rows.push((
        "tokens",
        format!(
            "{}: prompt {}, answer {}",
            cycle.tokens(),
            cycle.prompt_tokens,
            cycle.completion_tokens
        ),
    ));
    if let Some(seq) = cycle.ledger_seq {
        let attempts = match cycle.attempts.len() {
            1 => "1 attempt".to_owned(),
            more => format!("{more} attempts"),
        };
        rows.push(("time", format!("{} ms, {attempts}", cycle.latency_ms)));
        for (name, fact) in [
            ("answered by", &cycle.answered_by),
            ("fingerprint", &cycle.system_fingerprint),
            ("finish reason", &cycle.finish_reason),
        ] {
            let fact = fact.as_deref().unwrap_or("not said");
            rows.push((name, escape_deceptive_line(fact).into_owned()));
        }
        rows.push(("ledger", format!("record {seq} has the call")));
    }
    rows.push((
        "bound by",
        match shown.bound_by {
            Some(seq) => format!("record {seq} has the hash of the cycle's line"),
            None => "no record".to_owned(),
        },
    ));
    rows
}

/// A text as it came, each line behind a bar, so that no text can look like what stands around it.
fn quote(title: &str, text: &str) -> String {
    let mut quoted = format!("\n{} ({} bytes)\n", title.to_uppercase(), text.len());
    for line in escape_deceptive_text(text).split('\n') {
        quoted.push_str("| ");
        quoted.push_str(line);
        quoted.push('\n');
    }
    quoted
}

fn write_candidate(number: usize, cycle: &Cycle, candidate: &Candidate) -> String {
    let one_line = |text: &str| escape_deceptive_line(text).into_owned();
    let request = &candidate.action_request;
    let scope = &candidate.scope_claim;
    let fields = Value::Object(request.fields.clone()).to_string();
    let mut rows: Rows = vec![
        (
            "action",
            format!("{} {}", one_line(&request.action_type), one_line(&fields)),
        ),
        ("rests on", one_line(&scope.observation_ids.join(", "))),
        ("claim", one_line(&scope.claim)),
        ("clause", one_line(&scope.clause_ref)),
        ("justification", one_line(&candidate.justification.text)),
        ("cites", one_line(&candidate.authority_citations.join(", "))),
    ];
    match find_verdict(cycle, candidate) {
        GateVerdict::Admitted => rows.push(("gates", "passed all".to_owned())),
        GateVerdict::NotJudged => rows.push(("gates", "not judged".to_owned())),
        GateVerdict::Refused(failure) => {
            rows.push(("gate", failure.gate.as_str().to_owned()));
            rows.push(("code", failure.code.as_str().to_owned()));
            rows.push(("why", explain_code(failure.code).to_owned()));
        }
    }
    rows.push(("hash", hex(&candidate.hash())));
    format!("\nCANDIDATE {number}\n{}", table::format_pairs(&rows))
}
