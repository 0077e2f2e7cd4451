//! The files of a run: each must exist as the ledger recorded it at the end, and there must be no others.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use axilog::hash::{Hash, sha256};
use axilog_ledger::encoding::hex;
use axilog_ledger::error::{FileError, LedgerError};
use axilog_ledger::file::blobs::{BlobFile, BlobStore};
use axilog_ledger::file::lock_holder::LockHolder;
use axilog_ledger::file::state_file::begins_as_state;
use axilog_ledger::replay::ReplayReport;

use super::finding::ReplayFinding;
use super::replayer::Replayer;
use super::run_ledger::RunLedger;
use crate::error::X0lError;
use crate::log::witness::{FileDigest, committed_files};
use crate::log::{FrozenSettings, InputFile, RunDirectory, SessionMetadata, is_there, read_file};

/// Reads an input; `None` and a finding where it is missing or its hash is not the recorded one.
pub(super) fn read_input(
    run: &RunDirectory,
    file: &InputFile,
    findings: &mut Vec<ReplayFinding>,
) -> Result<Option<Vec<u8>>, X0lError> {
    let name = format!("{}/{}", RunDirectory::INPUTS, file.name);
    let path = run.path().join(&name);
    if !is_there(&path) {
        findings.push(ReplayFinding::missing(name));
        return Ok(None);
    }
    let bytes = read_file(&path)?;
    let found = sha256(&bytes);
    if found != file.sha256 {
        let expected = format!("{}, as session_metadata.json has it", hex(&file.sha256));
        let finding = ReplayFinding::new(name, "its SHA-256", hex(&found), expected);
        findings.push(finding);
        return Ok(None);
    }
    Ok(Some(bytes))
}

/// Compares the files with the hashes and sizes that the ledger recorded at its end.
pub(super) fn check_sealed_files(
    run: &RunDirectory,
    frozen: &FrozenSettings,
    ledger: &RunLedger,
    findings: &mut Vec<ReplayFinding>,
) -> Result<(), X0lError> {
    let Some(closing) = &ledger.closing else {
        return Ok(());
    };
    let in_ledger = |name: &str, found, expected| {
        let field = format!("the end: {name}");
        ReplayFinding::new(RunDirectory::LEDGER, field, found, expected)
    };
    let names = committed_files(frozen);
    for name in &names {
        if !closing.files.contains_key(name) {
            findings.push(in_ledger(name, "nothing", "its SHA-256 and size"));
        }
    }
    for (name, sealed) in &closing.files {
        if !names.contains(name) {
            findings.push(in_ledger(name, "a file", "none of this name"));
            continue;
        }
        let path = run.path().join(name);
        // A missing file gets its finding where it is read.
        if !is_there(&path) {
            continue;
        }
        let found = FileDigest::compute(&path)?;
        if found != *sealed {
            let describe =
                |sealed: &FileDigest| format!("{} ({} bytes)", hex(&sealed.sha256), sealed.size);
            let expected = format!("{}, as the ledger has it", describe(sealed));
            let finding = ReplayFinding::new(name, "its SHA-256", describe(&found), expected);
            findings.push(finding);
        }
    }
    Ok(())
}

/// Passes on the replay of the ledger `name`; `None` and a finding where its rules cannot be read.
pub(crate) fn require_rules(
    run: &RunDirectory,
    name: &str,
    replayed: Result<ReplayReport, LedgerError>,
    findings: &mut Vec<ReplayFinding>,
) -> Result<Option<ReplayReport>, X0lError> {
    findings.push(match replayed {
        Ok(replayed) => return Ok(Some(replayed)),
        Err(LedgerError::ConfigurationMissing { blob, .. }) => {
            ReplayFinding::missing(relative_name(run, &blob))
        }
        Err(error @ LedgerError::ConfigurationUnreadable { .. }) => {
            ReplayFinding::new(name, "", error.to_string(), "a configuration")
        }
        Err(error) => return Err(error.into()),
    });
    Ok(None)
}

/// Checks the blobs beside `ledger`: those of `named` must exist, and each must have the hash that is its
/// name.
pub(crate) fn check_blobs(
    run: &RunDirectory,
    ledger: &Path,
    named: &BTreeSet<Hash>,
    findings: &mut Vec<ReplayFinding>,
) -> Result<(), X0lError> {
    let blobs = BlobStore::of_ledger(ledger);
    for hash in named.iter().filter(|hash| !blobs.contains(hash)) {
        findings.push(ReplayFinding::missing(relative_name(
            run,
            &blobs.path(hash),
        )));
    }
    Ok(blobs.examine_files(&mut |path, file| {
        // What is no blob is a stray file, which the list of the run's files finds.
        if file == BlobFile::Damaged {
            let name = relative_name(run, &path);
            let expected = "those whose SHA-256 is its name";
            findings.push(ReplayFinding::new(name, "", "other bytes", expected));
        }
    })?)
}

/// The file names of the blobs with these hashes.
pub(crate) fn blob_names(run: &RunDirectory, ledger: &Path, named: &BTreeSet<Hash>) -> Vec<String> {
    let blobs = BlobStore::of_ledger(ledger);
    named
        .iter()
        .map(|hash| relative_name(run, &blobs.path(hash)))
        .collect()
}

/// Whether a name below a folder of blobs is a blob's. Its bytes are checked elsewhere.
fn is_blob_name(name: &str) -> bool {
    let is_hash = |name: &str| {
        name.len() == 64 && name.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
    };
    name.split_once('/')
        .is_some_and(|(shard, name)| is_hash(name) && name.get(..2) == Some(shard))
}

/// Whether a file is the lock file of a ledger: it holds the process id of the ledger's holder, or is
/// empty where the process was killed before it wrote the id. A file with other content is no lock file.
fn is_lock_file(run: &RunDirectory, name: &str) -> bool {
    let ledgers = [RunDirectory::LEDGER, RunDirectory::REVIEW];
    let Some(ledger) = name
        .strip_suffix(".lock")
        .filter(|name| ledgers.contains(name))
    else {
        return false;
    };
    read_file(&run.path().join(name)).is_ok_and(|found| {
        let holder = LockHolder::read_process_id(&run.path().join(ledger))
            .map(|id| format!("axilog {id}\n"));
        found == holder.unwrap_or_default().as_bytes()
    })
}

/// Whether a file is the saved state of a ledger, whole or not, which counts for nothing.
fn is_saved_state(run: &RunDirectory, name: &str) -> bool {
    let ledgers = [RunDirectory::LEDGER, RunDirectory::REVIEW];
    let ledger = name
        .strip_suffix(".state")
        .or_else(|| name.strip_suffix(".state.new"));
    ledger.is_some_and(|ledger| ledgers.contains(&ledger))
        && read_file(&run.path().join(name)).is_ok_and(|bytes| begins_as_state(&bytes))
}

/// Whether a file is a signed head of a ledger, or what its signer saves beside it. Whose it is, and whether it is one of the
/// ledger, is not seen here.
fn is_signed_head(run: &RunDirectory, name: &str) -> bool {
    const TREE: &[u8] = b"axilog tree ";
    let has_form = |bytes: &[u8], is_tree: bool| match is_tree {
        true => bytes.starts_with(TREE) || TREE.starts_with(bytes),
        false => String::from_utf8_lossy(bytes).contains("\n\n\u{2014} "),
    };
    [RunDirectory::LEDGER, RunDirectory::REVIEW]
        .iter()
        .any(|ledger| {
            let kind = name.strip_prefix(ledger);
            matches!(
                kind,
                Some(".checkpoint" | ".witnessed" | ".tree" | ".tree.new")
            ) && read_file(&run.path().join(name))
                .is_ok_and(|bytes| has_form(&bytes, name.contains(".tree")))
        })
}

/// Whether a file in the run's folder has a name under which a file is written that gets its own name once it is whole, as
/// signed heads are.
fn is_temporary(name: &str) -> bool {
    let drawn = name
        .strip_prefix('.')
        .and_then(|name| name.strip_suffix(".tmp"));
    drawn.is_some_and(|drawn| drawn.len() == 16 && drawn.bytes().all(|b| b.is_ascii_alphanumeric()))
}

/// Whether a file that no record names is one that a reviewer leaves behind who is killed: a blob whose record was not
/// yet written, or the beginning of one.
pub(crate) fn is_left_by_reviewer(name: &str) -> bool {
    let blobs = format!("{}.blobs/", RunDirectory::REVIEW);
    let is_blob = |name: &str| name.ends_with(".tmp") || is_blob_name(name);
    name.strip_prefix(&blobs).is_some_and(is_blob)
}

/// Lists everything in the run's directory but the folders, with `/` between the names of a path.
pub(super) fn list_files(run: &RunDirectory) -> Result<BTreeSet<String>, X0lError> {
    let mut names = BTreeSet::new();
    let mut open = vec![run.path().to_owned()];
    while let Some(dir) = open.pop() {
        let failed = || FileError::from_io(&dir, "list");
        for entry in fs::read_dir(&dir).map_err(failed())? {
            let entry = entry.map_err(failed())?;
            if entry.file_type().map_err(failed())?.is_dir() {
                open.push(entry.path());
            } else {
                names.insert(relative_name(run, &entry.path()));
            }
        }
    }
    Ok(names)
}

fn relative_name(run: &RunDirectory, path: &Path) -> String {
    let names = path.strip_prefix(run.path()).unwrap_or(path).iter();
    let names: Vec<_> = names.map(|name| name.to_string_lossy()).collect();
    names.join("/")
}

/// Checks the blobs, and lists the files that belong to no part of the run.
pub(super) fn check_files(
    replayer: &mut Replayer<'_>,
    metadata: Option<&SessionMetadata>,
) -> Result<(), X0lError> {
    let path = replayer.run.ledger();
    check_blobs(
        replayer.run,
        &path,
        &replayer.blobs,
        &mut replayer.replay.findings,
    )?;
    let mut others = list_files(replayer.run)?;
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
    for name in blob_names(replayer.run, &path, &replayer.blobs) {
        others.remove(&name);
    }
    let blobs = format!("{}.blobs/", RunDirectory::LEDGER);
    let is_blob = |name: &String| name.strip_prefix(&blobs).is_some_and(is_blob_name);
    let torn = format!("{}.torn-", RunDirectory::REVIEW);
    let moved_aside = format!("{}.left-behind/", RunDirectory::REVIEW);
    let is_left_behind = |name: &String| {
        is_lock_file(replayer.run, name)
            || is_saved_state(replayer.run, name)
            || is_temporary(name)
            // The next statement of a reviewer moved a torn line aside.
            || name.strip_prefix(&torn).is_some_and(|n| n.parse::<u64>().is_ok())
            // Or a blob without a record.
            || name.starts_with(&moved_aside)
            // A killed run may have written a blob and not yet the record that names it.
            || !replayer.replay.ended && (name.ends_with(".tmp") || is_blob(name))
    };
    let (signed, others): (BTreeSet<String>, _) =
        (others.into_iter()).partition(|name| is_signed_head(replayer.run, name));
    let note = |name| {
        format!("{name}: of a signed head; axilog audit checks it, and nothing here rests on it")
    };
    replayer.replay.notes.extend(signed.into_iter().map(note));
    let (left, others): (BTreeSet<String>, _) = others.into_iter().partition(is_left_behind);
    let note = |name: String| format!("{name}: left behind; it counts for nothing");
    replayer.replay.notes.extend(left.into_iter().map(note));
    replayer.replay.others = others;
    Ok(())
}
