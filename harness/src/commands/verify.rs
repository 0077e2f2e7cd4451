//! `axilog verify`: checks a ledger without deciding anything again.

use std::path::{Path, PathBuf};

use axilog_ledger::audit::AuditBudgets;
use axilog_ledger::audit::blobs::{BlobReport, ListedBlob};
use axilog_ledger::json_report::verification::LedgerVerification;
use axilog_ledger::verify::LedgerExpectations;

use crate::Failure;
use crate::options::expectations;
use crate::output::progress;
use crate::output::table;
use crate::output::verification::describe_verification;
use crate::output::{Report, write_results};

/// Check ledgers: hashes, chain, canonical forms, order, witnesses, models.
///
/// The chain has no key. Whoever can write the file can write all of it anew, or cut off its end. Only a head and a
/// length that are known from elsewhere show that: --expect-head, --expect-entries. The command uses all cores and little
/// memory; a ledger may be of any size. JSON: an object for each FILE.
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
}

/// Checks every file and gives the exit code.
pub(crate) fn run(args: &Args, json: bool) -> u8 {
    let expected = args.expected.for_files(&args.files);
    write_results(json, &args.files, expected, |path, expected| {
        run_on(path, expected, args.blobs)
    })
}

fn run_on(path: &Path, expected: &LedgerExpectations, blobs: bool) -> Result<Report, Failure> {
    let mut ledger = progress::open(path)?;
    let verification = LedgerVerification::read(&mut ledger, path, expected, blobs)?;
    let verdict = verification.verdict();
    let verified = &verification.verified;
    let mut text = describe_verification(path, verified, verdict);
    if let Some(blobs) = &verification.blobs {
        text.push_str(&describe_blobs(blobs, verified.replay.unbound_answers()));
    }
    Ok(Report {
        passed: verdict == "OK",
        text,
        json: verification.to_json(path),
        notes: Vec::new(),
    })
}

/// What was found of the blobs. `unbound` is the number of raw answers that no record binds.
fn describe_blobs(blobs: &BlobReport, unbound: u64) -> String {
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
    table::format_pairs(&rows)
}
