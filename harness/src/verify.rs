//! `axilog verify`: checks a ledger without deciding anything again.

use std::path::{Path, PathBuf};

use axilog::profile::Profile;
use axilog_ledger::audit::blobs::{BlobComparison, BlobList, BlobReport, ListedBlob};
use axilog_ledger::audit::{AuditBudgets, AuditVerdict};
use axilog_ledger::encoding::hex;
use axilog_ledger::error::{FileError, LedgerFault};
use axilog_ledger::verify::{
    Departure, LedgerExpectations, VerificationReport, look_until_settled, profile_name,
    verify_ledger,
};
use serde_json::{Value, json};

use super::output::{Report, write_results};
use super::{Failure, expectations, progress, table};

/// Check ledgers: hashes, chain, canonical forms, order, witnesses, models.
///
/// The chain has no key: it does not show that nobody wrote the whole file anew or cut off its end.
/// Where that matters, take the head and the length from elsewhere: --expect-head, --expect-entries.
/// Uses all cores and little memory; a ledger may be of any size.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The ledger files.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    expected: expectations::ExpectedArgs,
    /// Compare the blobs beside the ledger with the records too: missing and damaged ones are named,
    /// and the verdict is then FAILED; INCOMPLETE where one is too long to be read. Those that no
    /// record names, as a killed writer leaves them, are named too.
    #[arg(long)]
    blobs: bool,
    /// One JSON object for each FILE, a line each, on standard output.
    #[arg(long)]
    json: bool,
}

/// Checks every file and gives the exit code.
pub(crate) fn run(args: &Args) -> u8 {
    let expected = args.expected.for_files(&args.files);
    write_results(args.json, &args.files, expected, |path, expected| {
        run_on(path, expected, args.blobs)
    })
}

fn run_on(path: &Path, expected: &LedgerExpectations, blobs: bool) -> Result<Report, Failure> {
    let mut ledger = progress::open(path)?;
    let fault =
        |(checked, _): &(VerificationReport, _)| checked.fault.as_ref().map(ToString::to_string);
    let (checked, blobs) = look_until_settled(&mut ledger, fault, |ledger| {
        let mut blobs = blobs.then(|| BlobComparison::of_ledger(path, &AuditBudgets::default()));
        let checked = verify_ledger(ledger, None, expected, &mut |record| {
            if let Some(blobs) = &mut blobs {
                blobs.take_record(record);
            }
        });
        checked.map(|checked| (checked, blobs))
    })
    .map_err(FileError::from_io(path, "read the ledger"))?;
    let Some(blobs) = blobs else {
        return Ok(report(path, &checked));
    };
    let mut blobs = blobs.finish()?;
    if checked.fault.is_some() {
        // Records that were not read may name them.
        blobs.left_behind = BlobList::default();
    }
    let verdict = match (&checked.fault, blobs.verdict()) {
        (None, of_blobs @ (AuditVerdict::Failed | AuditVerdict::Incomplete)) => of_blobs.as_str(),
        _ => checked.verdict().as_str(),
    };
    let mut report = report_with_verdict(path, &checked, verdict);
    add_blobs(&mut report, &blobs, checked.replay.unbound_answers());
    Ok(report)
}

/// The report on a checked ledger, shared with `axilog replay`.
pub(crate) fn report(path: &Path, checked: &VerificationReport) -> Report {
    report_with_verdict(path, checked, checked.verdict().as_str())
}

/// The report on a checked ledger, which passes if `verdict` is OK.
fn report_with_verdict(path: &Path, checked: &VerificationReport, verdict: &str) -> Report {
    let passed = verdict == "OK";
    let ledger = checked.replay.ledger();
    let mut rows = vec![(verdict, path.display().to_string())];
    let mut object = json!({
        "ledger": path.to_string_lossy(),
        "verdict": verdict,
        "ok": passed,
    });
    let mut fields: Vec<(&str, Value)> = Vec::new();
    match &checked.fault {
        Some(fault) => {
            rows.push((
                "where",
                format!("record {} at byte {}", fault.sequence, fault.offset),
            ));
            rows.push(("why", fault.reason.clone()));
            fields.push(("sequence", fault.sequence.into()));
            fields.push(("offset", fault.offset.into()));
            fields.push(("reason", fault.reason.clone().into()));
        }
        None => {
            let entries = checked.replay.entries();
            let profiles = profile_names(checked);
            let sealed = if ledger.sealed { ", sealed" } else { "" };
            rows.push(("records", format!("{entries}{sealed}")));
            rows.push(("head", hex(&ledger.head)));
            if !profiles.is_empty() {
                rows.push(("profiles", profiles.join(", ")));
            }
            fields.push(("entries", entries.into()));
            fields.push(("head", hex(&ledger.head).into()));
            fields.push(("sealed", ledger.sealed.into()));
            fields.push(("profiles", profiles.into()));
        }
    }
    rows.extend(checked.describe_deployed());
    if checked.deployed.count > 0 {
        fields.push(("deployed", deployed_json(checked)));
    }
    if let Some(object) = object.as_object_mut() {
        object.extend(fields.into_iter().map(|(k, v)| (k.to_owned(), v)));
    }
    Report {
        passed,
        text: table::format_pairs(&rows),
        json: object,
        notes: Vec::new(),
    }
}

/// The names of the profiles in which observations are written.
fn profile_names(checked: &VerificationReport) -> Vec<&'static str> {
    let profiles = Profile::ALL.into_iter().zip(checked.profiles);
    profiles
        .filter(|(_, seen)| *seen)
        .map(|(profile, _)| profile_name(profile))
        .collect()
}

/// The records that deployed code wrote and SRS-004 or this library does not have.
pub(crate) fn deployed_json(checked: &VerificationReport) -> Value {
    let deployed = &checked.deployed;
    let departure = |(departure, records): (&Departure, &u64)| {
        json!({
            "what": departure.describe(),
            "forbidden_by": departure.forbidden_by(),
            "records": records,
        })
    };
    json!({
        "records": deployed.count,
        "forbidden": deployed.forbidden,
        "first": deployed.first,
        "profiles": profile_names(checked),
        "departures": deployed.departures.iter().map(departure).collect::<Vec<_>>(),
        "chain": checked.chain_behind.as_ref().map(|chain| json!({
            "entries": chain.entries,
            "head": hex(&chain.head),
            "fault": chain.fault.as_ref().map(fault_json),
        })),
    })
}

/// A ledger's fault.
pub(crate) fn fault_json(fault: &LedgerFault) -> Value {
    json!({
        "verdict": fault.verdict.as_str(),
        "sequence": fault.sequence,
        "offset": fault.offset,
        "reason": fault.reason,
    })
}

/// Adds what was found of the blobs. `unbound` is the number of raw answers that no record binds.
fn add_blobs(report: &mut Report, blobs: &BlobReport, unbound: u64) {
    let lists = [
        ("missing", &blobs.missing),
        ("damaged", &blobs.damaged),
        ("not read", &blobs.unread),
        ("left behind", &blobs.left_behind),
    ];
    let counts = lists.iter().filter_map(|(word, list)| {
        let is_named = *word != "not read" || list.count > 0;
        is_named.then(|| format!("{} {word}", list.count))
    });
    let counts: Vec<String> = counts.collect();
    let summary = format!("{} recomputed, {}", blobs.recomputed, counts.join(", "));
    let mut rows = vec![("blobs", summary)];
    if blobs.unread.count > 0 {
        let limit = AuditBudgets::default().blob_bytes;
        let told =
            format!("longer than {limit} bytes; axilog audit --budget blob-bytes=N reads them");
        rows.push(("not read", told));
    }
    for (word, list) in lists {
        for ListedBlob { path, ledger_seq } in &list.named {
            rows.push((
                word,
                match ledger_seq {
                    Some(ledger_seq) => format!("{}, of observation {ledger_seq}", path.display()),
                    None => path.display().to_string(),
                },
            ));
        }
    }
    let raw_answers = match (blobs.bound_answers, unbound) {
        (0, 0) => "every answer is in its record".to_owned(),
        (bound, 0) => format!("{bound} bound"),
        (bound, unbound) => format!("{bound} bound, {unbound} not bound by any record"),
    };
    rows.push(("raw answers", raw_answers));
    report.text.push_str(&table::format_pairs(&rows));
    if let Some(object) = report.json.as_object_mut() {
        let path = |blob: &ListedBlob| blob.path.to_string_lossy().into_owned();
        let paths = |list: &BlobList| list.named.iter().map(path).collect::<Vec<_>>();
        let missing =
            |blob: &ListedBlob| json!({"ledger_seq": blob.ledger_seq, "path": path(blob)});
        let blobs = json!({
            "checked": blobs.recomputed,
            "missing_count": blobs.missing.count,
            "missing": blobs.missing.named.iter().map(missing).collect::<Vec<_>>(),
            "altered_count": blobs.damaged.count,
            "altered": paths(&blobs.damaged),
            "unread_count": blobs.unread.count,
            "unread": paths(&blobs.unread),
            "unreferenced_count": blobs.left_behind.count,
            "unreferenced": paths(&blobs.left_behind),
            "bound_answers": blobs.bound_answers,
            "unbound_answers": unbound,
        });
        object.insert("blobs".to_owned(), blobs);
    }
}
