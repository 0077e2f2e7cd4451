//! The audit of many ledgers, on all processors: one table, the worst first, or an object for each.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;

use axilog::agent::state::Health;
use axilog_ledger::audit::{AuditReport, AuditVerdict, CheckResult};
use axilog_ledger::json_report::audit::audit_json;
use serde_json::Value;

use super::search::LedgerPlace;
use crate::Failure;
use crate::output::table::{CUT_OFF, count_of, format_lines};
use crate::output::{Report, write_remark, write_result};

/// The widths of the columns: the verdict, the ledger, what was found.
const WIDTHS: [u16; 3] = [11, 38, 31];

/// Makes the audit of one ledger.
pub(super) type AuditOne<'a> = dyn Fn(&Path) -> Result<AuditReport, Failure> + Sync + 'a;

/// The order of the table, and what its first column says.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Failed,
    Unreadable,
    Incomplete,
    Ok,
}

impl Rank {
    const ALL: [Rank; 4] = [Rank::Failed, Rank::Unreadable, Rank::Incomplete, Rank::Ok];

    fn as_str(self) -> &'static str {
        match self {
            Rank::Failed => AuditVerdict::Failed.as_str(),
            Rank::Unreadable => "UNREADABLE",
            Rank::Incomplete => AuditVerdict::Incomplete.as_str(),
            Rank::Ok => AuditVerdict::Ok.as_str(),
        }
    }
}

/// What the table says of a ledger. Rows are ordered as they are shown.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    rank: Rank,
    /// Whether the agent is ENABLED, or nothing is known of it.
    quiet: bool,
    path: String,
    finding: String,
}

/// The result of one ledger.
struct Audited {
    row: Row,
    records: u64,
    /// What `--json` prints; the text is the table's.
    result: Result<Report, Failure>,
}

/// Audits what was found, and gives the highest of the exit codes.
pub(super) fn audit_fleet(found: Vec<LedgerPlace>, json: bool, audit: &AuditOne<'_>) -> u8 {
    let (mut rows, mut records, mut code) = (Vec::new(), 0_u64, 0);
    audit_in_parallel(found, audit, &mut |audited| {
        records = records.saturating_add(audited.records);
        rows.push(audited.row);
        code = code.max(match (json, audited.result) {
            (true, result) => write_result(true, result),
            (false, Ok(report)) => u8::from(!report.passed),
            (false, Err(failure)) => {
                write_remark(&failure.error.to_string());
                failure.code
            }
        });
    });
    if json {
        return code;
    }
    let written = write_result(
        false,
        Ok(Report {
            passed: true,
            text: describe_fleet(rows, records),
            json: Value::Null,
            notes: Vec::new(),
        }),
    );
    code.max(written)
}

/// Audits on every processor, and gives each result to `take`, in the order of `found`.
fn audit_in_parallel(found: Vec<LedgerPlace>, audit: &AuditOne<'_>, take: &mut dyn FnMut(Audited)) {
    let workers = thread::available_parallelism()
        .map_or(1, NonZero::get)
        .min(found.len());
    let next = AtomicUsize::new(0);
    let found: Vec<Mutex<Option<LedgerPlace>>> =
        found.into_iter().map(|f| Mutex::new(Some(f))).collect();
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..workers {
            let sender = sender.clone();
            scope.spawn(|| {
                let sender = sender;
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(place) = found.get(at) else { break };
                    let place = place.lock().unwrap_or_else(PoisonError::into_inner).take();
                    let audited = place.map(|place| audit_place(place, audit));
                    if sender.send((at, audited)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let (mut early, mut due) = (BTreeMap::new(), 0_usize);
        for (at, audited) in receiver {
            early.insert(at, audited);
            while let Some(audited) = early.remove(&due) {
                due = due.saturating_add(1);
                audited.into_iter().for_each(&mut *take);
            }
        }
    });
}

fn audit_place(place: LedgerPlace, audit: &AuditOne<'_>) -> Audited {
    let (path, audited) = match place {
        LedgerPlace::Ledger(path) => {
            let audited = audit(&path);
            (path, audited)
        }
        LedgerPlace::Failure(path, failure) => (path, Err(failure)),
    };
    let name = path.display().to_string();
    match audited {
        Ok(report) => describe_audited(&path, name, &report),
        Err(failure) => Audited {
            row: Row {
                rank: Rank::Unreadable,
                quiet: true,
                finding: strip_path(&failure.error.to_string(), &name),
                path: name,
            },
            records: 0,
            result: Err(failure),
        },
    }
}

fn describe_audited(path: &Path, name: String, report: &AuditReport) -> Audited {
    let verification = &report.verification;
    let rank = match report.verdict() {
        AuditVerdict::Failed => Rank::Failed,
        AuditVerdict::Incomplete => Rank::Incomplete,
        AuditVerdict::Ok => Rank::Ok,
    };
    let health = verification
        .replay
        .resume()
        .ok()
        .map(|(agent, _)| agent.health);
    let good = verification.fault.is_none();
    let records = if good {
        verification.replay.entries()
    } else {
        0
    };
    let bad = match rank {
        Rank::Failed => CheckResult::Failed,
        _ => CheckResult::NotChecked,
    };
    let finding = match (
        &verification.fault,
        report.checks.iter().find(|c| c.result == bad),
    ) {
        (Some(fault), _) => fault.to_string(),
        (None, Some(check)) => format!("{}: {}", check.subject, check.finding),
        (None, None) => {
            let state = health.map_or("", Health::as_str);
            format!("{}, {state}", count_of(records, "record"))
        }
    };
    Audited {
        row: Row {
            rank,
            quiet: health.is_none_or(|health| health == Health::Enabled),
            path: name,
            finding,
        },
        records,
        result: Ok(Report {
            passed: rank == Rank::Ok,
            text: String::new(),
            json: audit_json(path, report),
            notes: Vec::new(),
        }),
    }
}

/// An error without the path that it begins with, which has a column of its own.
fn strip_path(error: &str, path: &str) -> String {
    let rest = error
        .strip_prefix(path)
        .and_then(|rest| rest.strip_prefix(": "));
    rest.unwrap_or(error).to_owned()
}

/// A path whose beginning is cut off where it is longer than its column: the end tells ledgers apart.
fn keep_end(path: &str) -> String {
    let width = usize::from(WIDTHS[1].saturating_sub(1));
    let surplus = path.chars().count().saturating_sub(width);
    if surplus == 0 {
        return path.to_owned();
    }
    let end = path
        .chars()
        .skip(surplus.saturating_add(CUT_OFF.chars().count()));
    CUT_OFF.chars().chain(end).collect()
}

fn describe_fleet(mut rows: Vec<Row>, records: u64) -> String {
    rows.sort();
    let counts = Rank::ALL.map(|rank| {
        let count = rows.iter().filter(|row| row.rank == rank).count();
        format!("{count} {}", rank.as_str())
    });
    let ledgers = count_of(u64::try_from(rows.len()).unwrap_or(u64::MAX), "ledger");
    let lines: Vec<[String; 3]> = rows
        .into_iter()
        .map(|row| {
            [
                row.rank.as_str().to_owned(),
                keep_end(&row.path),
                row.finding,
            ]
        })
        .collect();
    format!(
        "{}{ledgers}, {}: {}\n",
        format_lines(WIDTHS, &lines),
        count_of(records, "record"),
        counts.join(", ")
    )
}
