//! The run's ledger: verified, replayed, and taken apart into who said what.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;

use axilog::agent::stimulus::{CONTROL_ORACLE, TIME_ORACLE};
use axilog::evidence::observation::{Completion, Failure, Params};
use axilog::hash::Hash;
use axilog::replay::Verdict;
use axilog_ledger::decision::text;
use axilog_ledger::error::FileError;
use axilog_ledger::file::hex;
use axilog_ledger::file::replay::replay;
use axilog_ledger::file::verify::{Expected, Record};
use serde_json::{Value, json};

use super::Finding;
use super::files::with_rules;
use crate::X0lError;
use crate::document::{self, parse_canonical, to_text as canonical, to_value};
use crate::log::witness::{self, ClosingStatement};
use crate::log::{FrozenSettings, RunDirectory, SessionMetadata, read_file};
use crate::report::JSON;

/// The id that the model has in the ledger.
const LLM: &str = "llm";

/// What the ledger has of one call.
pub(super) struct Observed {
    pub(super) seq: u64,
    pub(super) oracle: String,
    pub(super) model: String,
    pub(super) completion: Completion,
    pub(super) failure: Option<Failure>,
    pub(super) input_hash: Hash,
    pub(super) output: String,
    pub(super) params: Params,
}

impl Observed {
    fn of(record: &Record<'_>) -> Option<Observed> {
        let view = record.observation?;
        Some(Observed {
            seq: view.ledger_seq,
            oracle: text(view.oracle_id),
            model: text(view.model_id),
            completion: view.completion,
            failure: view.failure,
            input_hash: view.input_hash,
            output: text(view.output),
            params: view.params,
        })
    }
}

/// The ledger, as far as it is good.
#[derive(Default)]
pub(super) struct Ledger {
    /// The calls of the model, in order.
    pub(super) calls: Vec<Observed>,
    /// What it says at the end.
    pub(super) closing: Option<ClosingStatement>,
    /// Whether it says what is frozen.
    pub(super) opened: bool,
    /// Whether it is sealed.
    pub(super) sealed: bool,
    /// Whether every line was good; where not, what is missing in it is no news.
    pub(super) whole: bool,
    /// What it names by hash.
    pub(super) named: BTreeSet<Hash>,
    /// How many records there are.
    pub(super) entries: u64,
    /// The chain value of the last.
    pub(super) head: Hash,
}

/// Reads the ledger and compares its frame with `metadata`: reset, time, what is frozen, calls, the end.
pub(super) fn read(
    run: &RunDirectory,
    metadata: Option<&SessionMetadata>,
    findings: &mut Vec<Finding>,
    notes: &mut Vec<String>,
) -> Result<Ledger, X0lError> {
    let path = run.ledger();
    let finished = metadata.is_some_and(|metadata| metadata.outcome.is_some());
    let file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // A run that was killed at its very beginning has neither.
            if finished || run.cycles().exists() {
                findings.push(Finding::missing(RunDirectory::LEDGER));
            } else {
                notes.push("the run was killed before it had a ledger".to_owned());
            }
            return Ok(Ledger::default());
        }
        Err(error) => return Err(FileError::at(&path, "open the ledger")(error).into()),
    };
    let mut observed = Vec::new();
    let replayed = replay(file, &path, None, &Expected::default(), &mut |record| {
        observed.extend(Observed::of(record));
    });
    let Some(replayed) = with_rules(run, RunDirectory::LEDGER, replayed, findings)? else {
        return Ok(Ledger::default());
    };
    let mut ledger = Ledger {
        whole: true,
        sealed: replayed.checked.replay.ledger().sealed,
        entries: replayed.checked.replay.entries(),
        head: replayed.checked.replay.ledger().head,
        named: observed.iter().map(|one| one.input_hash).collect(),
        ..Ledger::default()
    };
    if let Some(fault) = &replayed.checked.fault {
        let what = format!("{}: {}", fault.verdict.as_str(), fault.reason);
        let place = format!("record {} at byte {}", fault.sequence, fault.offset);
        let torn = fault.verdict == Verdict::Torn && !ledger.sealed;
        let empty = fault.verdict == Verdict::Truncated && ledger.entries == 0;
        if !finished && (torn || empty) {
            notes.push(format!("{}: {place}: {what}", RunDirectory::LEDGER));
        } else {
            ledger.whole = false;
            findings.push(Finding::new(
                RunDirectory::LEDGER,
                place,
                what,
                "a good record",
            ));
        }
    }
    if let Some(metadata) = metadata {
        frame(&mut ledger, observed, metadata, findings);
    }
    if ledger.whole && ledger.sealed && !finished && metadata.is_some() {
        let expected = "none, since the metadata has no outcome";
        findings.push(Finding::new(
            RunDirectory::LEDGER,
            "the end",
            "a seal",
            expected,
        ));
    }
    if ledger.whole && finished && !ledger.sealed {
        if was_sealed(run) {
            let expected = "the one that the report has seen";
            findings.push(Finding::new(
                RunDirectory::LEDGER,
                "the end",
                "no seal",
                expected,
            ));
        } else {
            notes.push(
                "the ledger has no seal: the run was killed as it ended, or the end was cut off"
                    .to_owned(),
            );
        }
    }
    Ok(ledger)
}

/// Whether the report was made when the ledger had its seal.
fn was_sealed(run: &RunDirectory) -> bool {
    let report = read_file(&run.path().join(JSON)).unwrap_or_default();
    let report: Value = serde_json::from_slice(&report).unwrap_or_default();
    report.pointer("/ledger/sealed") == Some(&Value::Bool(true))
}

/// Sorts the observations by who made them, each where it belongs.
fn frame(
    ledger: &mut Ledger,
    observed: Vec<Observed>,
    metadata: &SessionMetadata,
    findings: &mut Vec<Finding>,
) {
    let mut found = |seq: u64, found: String, expected: &str| {
        let field = format!("record {seq}");
        findings.push(Finding::new(RunDirectory::LEDGER, field, found, expected));
    };
    let count = observed.len();
    let started = canonical(&json!({ "timestamp": metadata.frozen.started }));
    let frozen = canonical(&metadata.frozen);
    for (n, one) in observed.into_iter().enumerate() {
        let said = |what: &str| format!("an observation of {:?}{what}", one.oracle);
        match (n, one.oracle.as_str()) {
            (0, CONTROL_ORACLE) => {}
            (1, TIME_ORACLE) => {
                if one.output != started {
                    found(
                        one.seq,
                        one.output,
                        &format!("the metadata's start, {started}"),
                    );
                }
            }
            (2, witness::ORACLE) => {
                ledger.opened = true;
                if one.output != frozen {
                    let what = what_differs(&one.output, &metadata.frozen);
                    found(one.seq, what, "what session_metadata.json has under frozen");
                }
            }
            (0..=2, _) => {
                let expected = "the reset, the time and what is frozen, in this order";
                found(one.seq, said(""), expected);
            }
            (_, witness::ORACLE) if n + 1 == count => {
                match document::read::<ClosingStatement>(one.output.as_bytes()) {
                    Ok(closing) => ledger.closing = Some(closing),
                    Err(wrong) => found(one.seq, wrong.to_string(), "how the run ended"),
                }
            }
            (_, LLM) => {
                if let Some(what) = otherwise(&one, &metadata.frozen) {
                    found(one.seq, what, "what session_metadata.json has under frozen");
                }
                ledger.calls.push(one);
            }
            _ => found(one.seq, said(" there"), "one of the model"),
        }
    }
    if ledger.sealed && ledger.whole && ledger.closing.is_none() {
        let expected = "an observation of \"x0l\" that says how the run ended";
        findings.push(Finding::new(
            RunDirectory::LEDGER,
            "the end",
            "none",
            expected,
        ));
    }
    if !ledger.opened && count < 3 && ledger.whole && (metadata.outcome.is_some() || ledger.sealed)
    {
        let expected = "the reset, the time and what is frozen";
        let found = format!("{count} observations");
        findings.push(Finding::new(
            RunDirectory::LEDGER,
            "the beginning",
            found,
            expected,
        ));
    }
}

/// Which parameter of a call is not the frozen one.
fn otherwise(call: &Observed, frozen: &FrozenSettings) -> Option<String> {
    let most = i32::try_from(frozen.max_tokens).ok();
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

fn what_differs(said: &str, frozen: &FrozenSettings) -> String {
    let mut first = None;
    if let Ok(value) = parse_canonical(said.as_bytes()) {
        super::finding::differences(&value, &to_value(frozen), "", &mut |field, found, _| {
            first.get_or_insert(format!("{field}: {found}"));
        });
    }
    first.unwrap_or_else(|| {
        format!(
            "other text, with the hash {}",
            hex(&axilog::hash::sha256(said.as_bytes()))
        )
    })
}
