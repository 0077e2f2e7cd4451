//! `axilog ablation replay`: the run documents again, from headers and ledgers alone.

use std::path::{Path, PathBuf};

use axilog::hash::sha256;
use axilog_ablation::AblationError;
use axilog_ablation::replay::{DOCUMENT, LEDGER, Reproduced, replay, verdict};
use axilog_ledger::file::hex;
use serde_json::{Value, json};

use super::super::interrupt::Flag;
use super::super::output::{Report, escape_controls};
use super::super::{Failure, table};
use super::folder;
use crate::error::CommandError;

/// Make run documents again from their headers and ledgers, without a model, and compare every byte.
///
/// A run that was killed left no document: what its ledger gives is written then, marked PARTIAL. Exits 0
/// where every document is what follows from its ledger, else 1.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// What `axilog ablation run --out` was given, or one run below it.
    dir: PathBuf,
    /// One JSON object on standard output.
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let flag = Flag::install();
    let (mut rows, mut objects, mut notes) = (Vec::new(), Vec::new(), Vec::new());
    for dir in folder::runs(std::slice::from_ref(&args.dir))? {
        let found = replay(&dir, &mut |_| !flag.is_set())?;
        if flag.is_set() {
            let told = "before the replay was whole; nothing was changed".to_owned();
            return Err(CommandError::from(AblationError::Interrupted(told)).into());
        }
        let told = told(&dir, &found)?;
        if told == "DIFFERS" {
            notes.push(unlike(&dir, &found));
        }
        let hash = hex(&sha256(found.document.as_bytes()));
        let ended = verdict(&found.run.status);
        rows.push([dir.display().to_string(), told.to_owned(), ended.clone()]);
        objects.push(json!({
            "dir": dir.to_string_lossy(),
            "document_hash": hash,
            "replay": told,
            "unasked_answers": found.left,
            "variant": found.header.variant.as_str(),
            "verdict": ended,
        }));
    }
    let fine = notes.is_empty();
    Ok(Report {
        passed: fine,
        text: table::format_grid(["run", "replay", "how it ended"], [34, 10, 34], &rows),
        json: json!({ "ok": fine, "runs": Value::from(objects) }),
        notes,
    })
}

fn told(dir: &Path, found: &Reproduced) -> Result<&'static str, CommandError> {
    if found.is_same() {
        return Ok("SAME");
    }
    if found.found.is_some() || found.left > 0 {
        return Ok("DIFFERS");
    }
    folder::write(&dir.join(DOCUMENT), &found.document)?;
    Ok("WRITTEN")
}

/// Where what is there is not what follows: what was found, and what was expected.
fn unlike(dir: &Path, found: &Reproduced) -> String {
    const BEFORE: usize = 20;
    const SHOWN: usize = 60;
    if found.left > 0 {
        return format!(
            "{}: found {} answers more than the run asks for; the ledger or header.json is another run's, or was changed",
            dir.join(LEDGER).display(),
            found.left
        );
    }
    let (there, follows) = (found.found.as_deref(), found.document.as_bytes());
    let there = there.unwrap_or_default();
    let alike = there
        .iter()
        .zip(follows)
        .take_while(|(a, b)| a == b)
        .count();
    let around = |text: &[u8]| {
        let rest = text.get(alike.saturating_sub(BEFORE)..).unwrap_or_default();
        let rest = rest.get(..SHOWN).unwrap_or(rest);
        escape_controls(&String::from_utf8_lossy(rest))
    };
    format!(
        "{}: byte {alike}: found ...{}, expected ...{}; move it away, and replay writes what follows from the ledger",
        dir.join(DOCUMENT).display(),
        around(there),
        around(follows)
    )
}
