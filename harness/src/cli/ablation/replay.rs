//! `axilog ablation replay`: the run documents again, from headers and ledgers alone.

use std::path::{Path, PathBuf};

use axilog::hash::sha256;
use serde_json::{Value, json};

use super::super::interrupt::Flag;
use super::super::output::Report;
use super::super::{Failure, table};
use super::folder;
use crate::ablation::AblationError;
use crate::ablation::replay::{DOCUMENT, Reproduced, replay, verdict};
use crate::error::Error;
use crate::ledger_file::hex;

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
    let (mut rows, mut objects, mut fine) = (Vec::new(), Vec::new(), true);
    for dir in folder::runs(std::slice::from_ref(&args.dir))? {
        let found = replay(&dir, &mut |_| !flag.is_set())?;
        if flag.is_set() {
            let told = "before the replay was whole; nothing was changed".to_owned();
            return Err(Error::from(AblationError::Interrupted(told)).into());
        }
        let told = told(&dir, &found)?;
        fine &= told != "DIFFERS";
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
    Ok(Report {
        fine,
        text: table::grid(["run", "replay", "how it ended"], [34, 10, 34], &rows),
        json: json!({ "ok": fine, "runs": Value::from(objects) }),
        notes: Vec::new(),
    })
}

fn told(dir: &Path, found: &Reproduced) -> Result<&'static str, Error> {
    if found.is_same() {
        return Ok("SAME");
    }
    if found.found.is_some() || found.left > 0 {
        return Ok("DIFFERS");
    }
    folder::write(&dir.join(DOCUMENT), &found.document)?;
    Ok("WRITTEN")
}
