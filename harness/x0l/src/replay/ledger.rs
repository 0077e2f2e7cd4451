//! The run's ledger: verified, replayed, and its observations sorted by oracle.

use std::collections::BTreeSet;
use std::io;

use axilog::agent::stimulus::{CONTROL_ORACLE, TIME_ORACLE};
use axilog::evidence::observation::Params;
use axilog::evidence::proof::RawAnswer;
use axilog::hash::{Hash, Tag, sha256};
use axilog::replay::Verdict;
use axilog_ledger::encoding::hex;
use axilog_ledger::error::FileError;
use axilog_ledger::file::regular_file;
use axilog_ledger::replay::replay_ledger;
use axilog_ledger::rules::ExpectedRules;
use axilog_ledger::verify::LedgerExpectations;
use serde_json::json;

use super::bindings::read_binding;
use super::compare::compare_json;
use super::files::require_rules;
use super::finding::ReplayFinding;
use super::noted_head::NotedHead;
use super::run_ledger::{RecordedCall, RecordedSentinel, RunLedger, SentinelPlace};
use super::run_replay::RunReplay;
use crate::document::{self, parse_canonical, to_text as canonical, to_value};
use crate::error::X0lError;
use crate::log::ProviderFacts;
use crate::log::noted_report::NotedReport;
use crate::log::provider::{self, ProviderStatement};
use crate::log::witness::{self, ClosingStatement, MODEL_ORACLE};
use crate::log::{FrozenSettings, RunDirectory, RunFormat, SessionMetadata};
use crate::sentinel;

fn add_finding(
    findings: &mut Vec<ReplayFinding>,
    field: impl Into<String>,
    found: impl Into<String>,
    expected: &str,
) {
    let finding = ReplayFinding::new(RunDirectory::LEDGER, field, found, expected);
    findings.push(finding);
}

/// Reads the ledger, and compares its beginning, its calls and its end with `metadata`, and with the head
/// that the report has seen. Findings and notes are added to `replay`.
pub(super) fn read_ledger(
    run: &RunDirectory,
    metadata: Option<&SessionMetadata>,
    replay: &mut RunReplay,
) -> Result<RunLedger, X0lError> {
    let path = run.ledger();
    let mut noted = NotedHead::new(NotedReport::read(run)?.ledger_head());
    let RunReplay {
        findings, notes, ..
    } = replay;
    let finished = metadata.is_some_and(|metadata| metadata.outcome.is_some());
    let file = match regular_file::open_for_reading(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // A run that was killed at its very beginning has neither ledger nor cycle log.
            if noted.is_some() {
                replay.add_conflict(ReplayFinding::missing(RunDirectory::LEDGER));
            } else if finished || run.cycles().exists() {
                findings.push(ReplayFinding::missing(RunDirectory::LEDGER));
            } else {
                notes.push("the run was killed before it had a ledger".to_owned());
            }
            return Ok(RunLedger::default());
        }
        Err(error) => return Err(FileError::from_io(&path, "open the ledger")(error).into()),
    };
    let mut observations: Vec<RecordedCall> = Vec::new();
    let replayed = replay_ledger(
        file,
        &path,
        ExpectedRules::default(),
        &LedgerExpectations::default(),
        &mut |record| {
            noted.look_at(&record.entry);
            observations.extend(RecordedCall::read(record));
            if record.entry.tag == Tag::Proof
                && let Ok(raw) = RawAnswer::parse(record.entry.payload)
                && let Some(call) = observations.last_mut()
                && call.seq == raw.ledger_seq
            {
                call.raw = Some(raw);
            }
        },
    );
    let Some(replayed) = require_rules(run, RunDirectory::LEDGER, replayed, findings)? else {
        return Ok(RunLedger::default());
    };
    let mut ledger = RunLedger {
        intact: true,
        sealed: replayed.verification.replay.ledger().sealed,
        entries: replayed.verification.replay.entries(),
        head: replayed.verification.replay.ledger().head,
        named: list_named_blobs(&observations),
        ..RunLedger::default()
    };
    if let Some(fault) = &replayed.verification.fault {
        let found = format!("{}: {}", fault.verdict.as_str(), fault.reason);
        let field = format!("record {} at byte {}", fault.sequence, fault.offset);
        let torn = fault.verdict == Verdict::Torn && !ledger.sealed;
        let empty = fault.verdict == Verdict::Truncated && ledger.entries == 0;
        if !finished && (torn || empty) {
            notes.push(format!("{}: {field}: {found}", RunDirectory::LEDGER));
        } else {
            ledger.intact = false;
            add_finding(findings, field, found, "a good record");
        }
    }
    if let Some(metadata) = metadata {
        sort_observations(&mut ledger, observations, metadata, findings);
    }
    if ledger.intact && ledger.sealed && !finished && metadata.is_some() {
        let expected = "none, since the metadata has no outcome";
        add_finding(findings, "the end", "a seal", expected);
    }
    if ledger.intact && finished && !ledger.sealed {
        notes.push(
            "the ledger has no seal: the run was killed as it ended, or the end was cut off"
                .to_owned(),
        );
    }
    if let Some(missing) = noted.missing(RunDirectory::LEDGER, ledger.entries) {
        // Records that are missing have no further findings.
        ledger.intact = false;
        replay.add_conflict(missing);
    }
    Ok(ledger)
}

/// The blobs that the observations and the RAW records after them name.
fn list_named_blobs(observations: &[RecordedCall]) -> BTreeSet<Hash> {
    let inputs = observations.iter().map(|call| call.input_hash);
    let raw = observations
        .iter()
        .filter_map(|call| Some(call.raw?.sha256));
    inputs.chain(raw).collect()
}

/// Sorts the observations by oracle into `ledger`, and adds a finding for each one out of its place.
fn sort_observations(
    ledger: &mut RunLedger,
    observations: Vec<RecordedCall>,
    metadata: &SessionMetadata,
    findings: &mut Vec<ReplayFinding>,
) {
    let mut add = |seq: u64, found: String, expected: &str| {
        add_finding(findings, format!("record {seq}"), found, expected);
    };
    let count = observations.len();
    let binds_cycles = metadata.frozen.format != RunFormat::V1;
    let mut lines = 0;
    let started = canonical(&json!({ "timestamp": metadata.frozen.started }));
    let frozen = canonical(&metadata.frozen);
    // Who answered last, as far as the ledger says.
    let mut facts: Option<ProviderFacts> = None;
    let mut last_call = None;
    let has_sentinels = metadata.frozen.sentinels.is_some();
    let mut place = SentinelPlace::default();
    for (n, call) in observations.into_iter().enumerate() {
        let describe = |rest: &str| format!("an observation of {:?}{rest}", call.oracle);
        match (n, call.oracle.as_str()) {
            (0, CONTROL_ORACLE) => {}
            (1, TIME_ORACLE) => {
                if call.output != started {
                    let expected = format!("the metadata's start, {started}");
                    add(call.seq, call.output, &expected);
                }
            }
            (2, witness::ORACLE) => {
                ledger.opened = true;
                if call.output != frozen {
                    let found = describe_frozen_difference(&call.output, &metadata.frozen);
                    let expected = "what session_metadata.json has under frozen";
                    add(call.seq, found, expected);
                }
            }
            (0..=2, _) => {
                let expected = "the reset, the time and what is frozen, in this order";
                add(call.seq, describe(""), expected);
            }
            (_, witness::ORACLE) if n + 1 == count => {
                match document::read::<ClosingStatement>(call.output.as_bytes()) {
                    Ok(closing) => ledger.closing = Some(closing),
                    Err(wrong) => add(call.seq, wrong.to_string(), "how the run ended"),
                }
            }
            (_, witness::CYCLE_ORACLE) if binds_cycles => {
                lines += 1;
                place = SentinelPlace {
                    cycles: lines,
                    open_calls: 0,
                };
                match read_binding(call.seq, &call.output, lines) {
                    Ok(binding) if ledger.bindings.len() as u64 + 1 == lines => {
                        ledger.bindings.push(binding);
                    }
                    Ok(_) => {}
                    Err(found) => {
                        let expected = format!("the hash of line {lines} of the cycle log");
                        add(call.seq, found, &expected);
                    }
                }
            }
            (_, MODEL_ORACLE | sentinel::ORACLE)
                if has_sentinels || call.oracle == MODEL_ORACLE =>
            {
                if let Some(found) = describe_other_parameters(&call, &metadata.frozen) {
                    let expected = "what session_metadata.json has under frozen";
                    add(call.seq, found, expected);
                }
                last_call = Some(call.seq);
                let facts = facts.clone().filter(|_| call.is_answered());
                let call = RecordedCall { facts, ..call };
                if call.oracle == MODEL_ORACLE {
                    place.open_calls += 1;
                    ledger.calls.push(call);
                } else {
                    ledger.sentinels.push(RecordedSentinel { call, place });
                }
            }
            (_, provider::ORACLE) => {
                let sentinel = ledger.sentinels.last_mut().map(|it| &mut it.call);
                let mut asked = ledger.calls.last_mut().into_iter().chain(sentinel);
                let answered = asked.find(|last| last_call == Some(last.seq));
                match (read_facts(&call), answered) {
                    (Ok((seq, found)), Some(last)) if seq == last.seq && last.is_answered() => {
                        if facts.as_ref() == Some(&found) {
                            let expected = "none: the answer before came from the same";
                            add(call.seq, describe(" with nothing new"), expected);
                        }
                        last.facts = Some(found.clone());
                        facts = Some(found);
                        last_call = None;
                    }
                    (Err(wrong), _) => add(call.seq, wrong, "which model answered"),
                    _ => {
                        let expected = "one right after the answer that it names";
                        add(call.seq, describe(" there"), expected);
                    }
                }
            }
            _ => add(call.seq, describe(" there"), "one of the model"),
        }
    }
    if ledger.sealed && ledger.intact && ledger.closing.is_none() {
        let expected = "an observation of \"x0l\" that says how the run ended";
        add_finding(findings, "the end", "none", expected);
    }
    let finished = metadata.outcome.is_some() || ledger.sealed;
    if !ledger.opened && count < 3 && ledger.intact && finished {
        let expected = "the reset, the time and what is frozen";
        let found = format!("{count} observations");
        add_finding(findings, "the beginning", found, expected);
    }
}

/// Reads which model answered which call.
fn read_facts(call: &RecordedCall) -> Result<(u64, ProviderFacts), String> {
    let statement: ProviderStatement =
        document::read(call.output.as_bytes()).map_err(|error| error.to_string())?;
    let facts = ProviderFacts {
        answered_by: statement.answered_by,
        system_fingerprint: statement.system_fingerprint,
    };
    Ok((statement.ledger_seq, facts))
}

/// Describes the model or the parameters of a call where they are not the frozen ones.
fn describe_other_parameters(call: &RecordedCall, frozen: &FrozenSettings) -> Option<String> {
    let most = match &frozen.sentinels {
        Some(sentinels) if call.oracle == sentinel::ORACLE => sentinels.max_tokens,
        _ => frozen.max_tokens,
    };
    let most = i32::try_from(most).ok();
    if call.model != frozen.model {
        return Some(format!("the model {:?}", call.model));
    }
    let Params {
        max_tokens,
        seed,
        temperature,
        top_p,
    } = call.params;
    // A provider's seed is metadata and not sent (Q52c).
    let same = max_tokens == most && seed.is_none() && temperature == Some(0) && top_p.is_none();
    (!same).then(|| format!("the parameters {:?}", call.params))
}

/// Describes the first field in which the ledger's text differs from the metadata's `frozen`.
fn describe_frozen_difference(recorded: &str, frozen: &FrozenSettings) -> String {
    let mut first = None;
    if let Ok(value) = parse_canonical(recorded.as_bytes()) {
        compare_json(&value, &to_value(frozen), "", &mut |field, found, _| {
            first.get_or_insert(format!("{field}: {found}"));
        });
    }
    first.unwrap_or_else(|| {
        let hash = hex(&sha256(recorded.as_bytes()));
        format!("other text, with the hash {hash}")
    })
}
