//! `axilog verify`: checks a ledger without deciding anything again.

use std::path::{Path, PathBuf};

use axilog_ledger::encoding::hex;
use axilog_ledger::error::FileError;
use axilog_ledger::file::blobs::BlobStore;
use axilog_ledger::verify::{LedgerExpectations, VerificationReport, verify_ledger};
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
    /// Recompute the blobs beside the ledger too, and name those that are missing or damaged.
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
    let mut blobs = blobs.then(|| (BlobStore::of_ledger(path), BlobCheck::default()));
    let ledger = progress::open(path)?;
    let checked = verify_ledger(ledger, None, expected, &mut |record| {
        if let (Some((blobs, found)), Some(view)) = (&mut blobs, &record.observation)
            && !blobs.contains(&view.input_hash)
        {
            found.missing(view.ledger_seq, blobs.path(&view.input_hash));
        }
    })
    .map_err(FileError::from_io(path, "read the ledger"))?;
    let mut report = report(path, &checked);
    if let Some((blobs, mut found)) = blobs {
        blobs.verify_hashes(&mut |path, good| {
            found.checked += 1;
            if !good {
                found.altered.push(path.to_owned());
            }
        })?;
        found.add_to(&mut report);
    }
    Ok(report)
}

/// The report on a checked ledger, shared with `axilog replay`.
pub(crate) fn report(path: &Path, checked: &VerificationReport) -> Report {
    let ledger = checked.replay.ledger();
    let mut rows = vec![(checked.verdict().as_str(), path.display().to_string())];
    let mut object = json!({
        "ledger": path.to_string_lossy(),
        "verdict": checked.verdict().as_str(),
        "ok": checked.fault.is_none(),
    });
    let mut fields: Vec<(&str, Value)> = Vec::new();
    let mut notes = Vec::new();
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
            let names = ["RFC8785", "ORACLE_1_1", "ORACLE_1_2"];
            let profiles: Vec<&str> = names
                .into_iter()
                .zip(checked.profiles)
                .filter_map(|(name, seen)| seen.then_some(name))
                .collect();
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
    let lost = checked.replay.lost_track_of_models();
    fields.push(("models_checked", (!lost).into()));
    if lost {
        notes.push(format!(
            "{}: has more than {} oracles; the models of those after were not compared",
            path.display(),
            axilog::replay::MAX_ORACLES
        ));
    }
    if let Some(object) = object.as_object_mut() {
        object.extend(fields.into_iter().map(|(k, v)| (k.to_owned(), v)));
    }
    Report {
        passed: checked.fault.is_none(),
        text: table::format_pairs(&rows),
        json: object,
        notes,
    }
}

/// How many missing blobs are named; all are counted.
const MAX_NAMED: usize = 20;

/// What was found of the blobs.
#[derive(Default)]
struct BlobCheck {
    checked: u64,
    missing_count: u64,
    missing: Vec<(u64, PathBuf)>,
    altered: Vec<PathBuf>,
}

impl BlobCheck {
    fn missing(&mut self, ledger_seq: u64, path: PathBuf) {
        self.missing_count += 1;
        if self.missing.len() < MAX_NAMED {
            self.missing.push((ledger_seq, path));
        }
    }

    fn add_to(&self, report: &mut Report) {
        let mut rows = vec![(
            "blobs",
            format!(
                "{} recomputed, {} damaged, {} missing",
                self.checked,
                self.altered.len(),
                self.missing_count
            ),
        )];
        for path in &self.altered {
            rows.push(("damaged", path.display().to_string()));
        }
        for (ledger_seq, path) in &self.missing {
            let place = format!("{}, of observation {ledger_seq}", path.display());
            rows.push(("missing", place));
        }
        report.text.push_str(&table::format_pairs(&rows));
        report.passed &= self.altered.is_empty() && self.missing_count == 0;
        if let Some(object) = report.json.as_object_mut() {
            let name = |path: &Path| path.to_string_lossy().into_owned();
            let missing =
                |(seq, path): &(u64, PathBuf)| json!({"ledger_seq": seq, "path": name(path)});
            let blobs = json!({
                "checked": self.checked,
                "missing_count": self.missing_count,
                "missing": self.missing.iter().map(missing).collect::<Vec<_>>(),
                "altered": self.altered.iter().map(|path| name(path)).collect::<Vec<_>>(),
            });
            object.insert("blobs".to_owned(), blobs);
            object.insert("ok".to_owned(), report.passed.into());
        }
    }
}
