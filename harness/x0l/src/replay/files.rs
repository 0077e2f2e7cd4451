//! The files of a run: each one there, as the ledger says it was at the end, and no other.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use axilog::hash::{Hash, sha256};
use axilog_ledger::error::{FileError, LedgerError};
use axilog_ledger::file::blobs::Blobs;
use axilog_ledger::file::hex;
use axilog_ledger::file::holder::Holder;
use axilog_ledger::file::replay::Replayed;

use super::ledger::Ledger;
use super::{Finding, Pass};
use crate::X0lError;
use crate::log::witness::{FileDigest, committed_files};
use crate::log::{FrozenSettings, InputFile, RunDirectory, SessionMetadata, read_file};

/// The bytes of an input, if they are what the metadata says.
pub(super) fn input(
    run: &RunDirectory,
    file: &InputFile,
    findings: &mut Vec<Finding>,
) -> Result<Option<Vec<u8>>, X0lError> {
    let name = format!("{}/{}", RunDirectory::INPUTS, file.name);
    let path = run.path().join(&name);
    if !path.is_file() {
        findings.push(Finding::missing(name));
        return Ok(None);
    }
    let bytes = read_file(&path)?;
    let found = sha256(&bytes);
    if found != file.sha256 {
        let expected = format!("{}, as session_metadata.json has it", hex(&file.sha256));
        findings.push(Finding::new(name, "its SHA-256", hex(&found), expected));
        return Ok(None);
    }
    Ok(Some(bytes))
}

/// Compares the files with what the ledger says of them at its end.
pub(super) fn closed(
    run: &RunDirectory,
    frozen: &FrozenSettings,
    ledger: &Ledger,
    findings: &mut Vec<Finding>,
) -> Result<(), X0lError> {
    let Some(closing) = &ledger.closing else {
        return Ok(());
    };
    let names = committed_files(frozen);
    for name in names
        .iter()
        .filter(|name| !closing.files.contains_key(*name))
    {
        let expected = "its SHA-256 and size";
        findings.push(Finding::new(
            RunDirectory::LEDGER,
            format!("the end: {name}"),
            "nothing",
            expected,
        ));
    }
    for (name, sealed) in &closing.files {
        if !names.contains(name) {
            let field = format!("the end: {name}");
            findings.push(Finding::new(
                RunDirectory::LEDGER,
                field,
                "a file",
                "none of this name",
            ));
            continue;
        }
        let path = run.path().join(name);
        // One that is missing is named by whoever reads it.
        if !path.is_file() {
            continue;
        }
        let found = FileDigest::compute(&path)?;
        if found != *sealed {
            let said =
                |sealed: &FileDigest| format!("{} ({} bytes)", hex(&sealed.sha256), sealed.size);
            let expected = format!("{}, as the ledger has it", said(sealed));
            findings.push(Finding::new(name, "its SHA-256", said(&found), expected));
        }
    }
    Ok(())
}

/// What the replay of the ledger `name` gave; `None` where its rules cannot be had, which is a finding.
pub(crate) fn with_rules(
    run: &RunDirectory,
    name: &str,
    replayed: Result<Replayed, LedgerError>,
    findings: &mut Vec<Finding>,
) -> Result<Option<Replayed>, X0lError> {
    findings.push(match replayed {
        Ok(replayed) => return Ok(Some(replayed)),
        Err(LedgerError::ConfigurationMissing { blob, .. }) => {
            Finding::missing(relative(run, &blob))
        }
        Err(error @ LedgerError::ConfigurationUnreadable { .. }) => {
            Finding::new(name, "", error.to_string(), "a configuration")
        }
        Err(error) => return Err(error.into()),
    });
    Ok(None)
}

/// Recomputes the blobs beside `ledger`, and names those of `named` that are missing.
pub(crate) fn blobs(
    run: &RunDirectory,
    ledger: &Path,
    named: &BTreeSet<Hash>,
    findings: &mut Vec<Finding>,
) -> Result<(), X0lError> {
    let blobs = Blobs::beside(ledger);
    for hash in named.iter().filter(|hash| !blobs.contains(hash)) {
        findings.push(Finding::missing(relative(run, &blobs.path(hash))));
    }
    Ok(blobs.recompute(&mut |path, good| {
        if !good {
            let expected = "those whose SHA-256 is its name";
            findings.push(Finding::new(
                relative(run, path),
                "",
                "other bytes",
                expected,
            ));
        }
    })?)
}

/// The blobs in `files` by their hashes, as they are named.
pub(crate) fn blob_names(run: &RunDirectory, ledger: &Path, named: &BTreeSet<Hash>) -> Vec<String> {
    let blobs = Blobs::beside(ledger);
    named
        .iter()
        .map(|hash| relative(run, &blobs.path(hash)))
        .collect()
}

/// Whether a name below a folder of blobs is that of one; its bytes have been looked at then.
fn is_blob(name: &str) -> bool {
    let is_hash = |name: &str| {
        name.len() == 64 && name.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
    };
    name.split_once('/')
        .is_some_and(|(shard, name)| is_hash(name) && name.get(..2) == Some(shard))
}

/// Whether a name is that of what the holder of a ledger says beside it, or of the empty file that was
/// to say so: a process that was killed leaves that. With anything else in it the file is not that.
fn is_announcement(run: &RunDirectory, name: &str) -> bool {
    let ledgers = [RunDirectory::LEDGER, RunDirectory::REVIEW];
    let Some(ledger) = name
        .strip_suffix(".lock")
        .filter(|name| ledgers.contains(name))
    else {
        return false;
    };
    read_file(&run.path().join(name)).is_ok_and(|found| {
        let said = Holder::of(&run.path().join(ledger)).map(|id| format!("axilog {id}\n"));
        found == said.unwrap_or_default().as_bytes()
    })
}

/// Names every file of the directory, with `/` between names; of what is neither file nor directory
/// too.
pub(super) fn list(run: &RunDirectory) -> Result<BTreeSet<String>, X0lError> {
    let mut names = BTreeSet::new();
    let mut open = vec![run.path().to_owned()];
    while let Some(dir) = open.pop() {
        let failed = || FileError::at(&dir, "list");
        for entry in fs::read_dir(&dir).map_err(failed())? {
            let entry = entry.map_err(failed())?;
            if entry.file_type().map_err(failed())?.is_dir() {
                open.push(entry.path());
            } else {
                names.insert(relative(run, &entry.path()));
            }
        }
    }
    Ok(names)
}

fn relative(run: &RunDirectory, path: &Path) -> String {
    let names = path.strip_prefix(run.path()).unwrap_or(path).iter();
    let names: Vec<_> = names.map(|name| name.to_string_lossy()).collect();
    names.join("/")
}

impl Pass<'_> {
    /// Names files that are missing, altered, or accounted for by nothing.
    pub(super) fn files(&mut self, metadata: Option<&SessionMetadata>) -> Result<(), X0lError> {
        let path = self.run.ledger();
        blobs(self.run, &path, &self.blobs, &mut self.replay.findings)?;
        let mut others = list(self.run)?;
        for name in [
            RunDirectory::LEDGER,
            RunDirectory::METADATA,
            RunDirectory::CYCLES,
        ] {
            others.remove(name);
        }
        for file in metadata
            .iter()
            .flat_map(|metadata| metadata.frozen.inputs())
        {
            others.remove(&format!("{}/{}", RunDirectory::INPUTS, file.name));
        }
        for name in blob_names(self.run, &path, &self.blobs) {
            others.remove(&name);
        }
        // An answer without a cycle was kept under a hash that only its blob says.
        let blobs = format!("{}.blobs/", RunDirectory::LEDGER);
        let is_kept = |name: &String| name.strip_prefix(&blobs).is_some_and(is_blob);
        if others.iter().filter(|name| is_kept(name)).count() <= self.unmatched {
            others.retain(|name| !is_kept(name));
        }
        let torn = format!("{}.torn-", RunDirectory::REVIEW);
        let is_left = |name: &String| {
            is_announcement(self.run, name)
                // A word that was interrupted was moved aside by the next one.
                || name.strip_prefix(&torn).is_some_and(|n| n.parse::<u64>().is_ok())
                // Blobs are there before the record that names them.
                || !self.replay.ended && (name.ends_with(".tmp") || is_kept(name))
        };
        let (left, others): (BTreeSet<String>, _) = others.into_iter().partition(is_left);
        let note = |name: String| format!("{name}: left behind; it counts for nothing");
        self.replay.notes.extend(left.into_iter().map(note));
        self.replay.others = others;
        Ok(())
    }
}
