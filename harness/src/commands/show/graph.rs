//! `axilog show --graph`: which answers fed which questions.

use std::io;
use std::path::Path;

use axilog_ledger::derivation_graph::{
    DerivationSource, DerivedCall, SourceObservation, read_derivation_graph,
};
use axilog_ledger::encoding::hex;
use axilog_ledger::error::LedgerError;
use axilog_ledger::visible_text::{escape_deceptive_text, escape_identity};
use serde::Serialize;

use crate::Failure;
use crate::output::stream::{OutputStream, stdout_name};
use crate::output::table;
use crate::output::{Report, print_json};
use crate::replay_ledger::open_regular_file;

/// A question that was made from answers.
#[derive(Serialize)]
struct DerivedCallResult<'a> {
    ledger_seq: u64,
    oracle_id: &'a str,
    derived_from_count: usize,
    /// The number of answers that are unknown, or refused where the question does not say so.
    faulty_count: usize,
    /// The first answers; `None` where they cannot be read.
    derived_from: Option<Vec<SourceResult<'a>>>,
    even_refused: bool,
    unreadable: Option<&'static str>,
}

/// An answer that a question was made from; `None` where it is no earlier observation.
#[derive(Serialize)]
struct SourceResult<'a> {
    obs_hash: String,
    ledger_seq: Option<u64>,
    oracle_id: Option<&'a str>,
    /// Why a program may not act on the answer.
    refused: Option<String>,
}

/// Shows the derivations of the ledger at `path`. A derivation that does not hold is no success.
pub(super) fn run(path: &Path, as_json: bool) -> Result<Report, Failure> {
    let graph = read_derivation_graph(open_regular_file(path)?, path)?;
    let text = match (as_json, graph.calls.as_slice()) {
        (true, calls) => calls
            .iter()
            .map(|call| print_json(&DerivedCallResult::new(call)))
            .collect(),
        (false, []) => {
            "no question of this ledger says that it was made from an answer\n".to_owned()
        }
        (false, calls) => {
            let rows: Vec<(String, String)> = calls.iter().flat_map(describe_call).collect();
            let rows: Vec<(&str, String)> = rows
                .iter()
                .map(|(left, right)| (left.as_str(), right.clone()))
                .collect();
            escape_deceptive_text(&table::format_pairs(&rows)).into_owned()
        }
    };
    let mut out = OutputStream::new(io::stdout().lock());
    out.put(text.as_bytes());
    out.finish(stdout_name())?;
    if let Some(fault) = graph.verification.fault {
        let path = path.to_owned();
        return Err(LedgerError::Damaged { path, fault }.into());
    }
    let mut notes = Vec::new();
    if graph.unread > 0 {
        notes.push(format!(
            "{}: {} questions are not among the blobs, or damaged there; what they were made from is not known",
            path.display(),
            graph.unread
        ));
    }
    let passed = graph.unread == 0 && graph.calls.iter().all(DerivedCall::holds);
    Ok(Report::without_result(passed).with_notes(notes))
}

/// One row for each answer that fed a call; the call stands in the first.
fn describe_call(call: &DerivedCall) -> Vec<(String, String)> {
    let name = format!("{} {}", call.ledger_seq, escape_identity(&call.oracle_id));
    let sources = match &call.sources {
        Ok(sources) => {
            let named = sources.iter().map(|source| describe_source(call, source));
            named.chain(describe_rest(call, sources)).collect()
        }
        Err(reason) => vec![format!("<- UNREADABLE: {reason}")],
    };
    let names = std::iter::once(name).chain(std::iter::repeat(String::new()));
    names.zip(sources).collect()
}

/// What is said of the sources that are not named one by one.
fn describe_rest(call: &DerivedCall, named: &[DerivationSource]) -> Option<String> {
    let rest = call
        .source_count
        .checked_sub(named.len())
        .filter(|rest| *rest > 0)?;
    let named_faults = named.iter().filter(|source| !call.admits(source)).count();
    Some(match call.faulty_count.saturating_sub(named_faults) {
        0 => format!("<- {rest} more"),
        faulty => format!("<- {rest} more, {faulty} of them UNKNOWN or REFUSED"),
    })
}

fn describe_source(call: &DerivedCall, source: &DerivationSource) -> String {
    match &source.observation {
        Some(SourceObservation {
            ledger_seq,
            oracle_id,
            standing,
        }) => {
            let name = format!("<- {ledger_seq} {}", escape_identity(oracle_id));
            match standing.refusal() {
                None => name,
                Some(reason) if call.admits(source) => {
                    format!("{name} REFUSED, as the question says: {reason}")
                }
                Some(reason) => format!("{name} REFUSED: {reason}"),
            }
        }
        None => format!(
            "<- UNKNOWN: no earlier observation has the obs_hash {}",
            hex(&source.obs_hash)
        ),
    }
}

impl DerivedCallResult<'_> {
    fn new(call: &DerivedCall) -> DerivedCallResult<'_> {
        let sources = call.sources.as_ref();
        DerivedCallResult {
            ledger_seq: call.ledger_seq,
            oracle_id: &call.oracle_id,
            derived_from_count: call.source_count,
            faulty_count: call.faulty_count,
            derived_from: sources
                .ok()
                .map(|all| all.iter().map(SourceResult::new).collect()),
            even_refused: call.even_refused,
            unreadable: sources.err().copied(),
        }
    }
}

impl SourceResult<'_> {
    fn new(source: &DerivationSource) -> SourceResult<'_> {
        let found = source.observation.as_ref();
        SourceResult {
            obs_hash: hex(&source.obs_hash),
            ledger_seq: found.map(|found| found.ledger_seq),
            oracle_id: found.map(|found| found.oracle_id.as_str()),
            refused: found.and_then(|found| found.standing.refusal()),
        }
    }
}
