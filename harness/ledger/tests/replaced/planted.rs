//! Pipes and links that somebody has put beside a ledger, or in its place.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use axilog::hash::sha256;
use axilog_ledger::error::{FileError, LedgerError};
use axilog_ledger::file::blobs::{BlobFile, BlobStore};
use axilog_ledger::session::Session;

use crate::attack::make_pipe;
use crate::{Running, START, observe};

/// The content of files that nothing may be written to.
const VICTIM: &str = "axilog 1\n";

fn is_regular(path: &Path) -> bool {
    fs::symlink_metadata(path).unwrap().is_file()
}

#[test]
fn a_lock_file_is_not_written_through_a_link_and_not_waited_for() {
    let running = Running::begin();
    let path = running.ledger();
    drop(running.session);
    let lock = running.dir.path().join("ledger.jsonl.lock");
    let victim = running.dir.path().join("victim");
    for plant in [
        "link",
        "dangling link",
        "hard link",
        "hard link to nothing",
        "pipe",
        "directory",
    ] {
        fs::write(&victim, VICTIM).unwrap();
        match plant {
            "link" => symlink(&victim, &lock).unwrap(),
            "dangling link" => {
                fs::remove_file(&victim).unwrap();
                symlink(&victim, &lock).unwrap();
            }
            "hard link" => fs::hard_link(&victim, &lock).unwrap(),
            "hard link to nothing" => {
                fs::write(&victim, "").unwrap();
                fs::hard_link(&victim, &lock).unwrap();
            }
            "pipe" => make_pipe(&lock),
            _ => fs::create_dir(&lock).unwrap(),
        }
        let mut session = Session::open(&path, None).unwrap();
        let time = session.agent().last_timestamp + 1;
        session.observe_time(time, false).unwrap();
        // A second writer reads the lock file.
        let refused = Session::open(&path, None).err();
        assert!(
            matches!(refused, Some(LedgerError::Locked { .. })),
            "{plant}: {refused:?}"
        );
        drop(session);
        match plant {
            "dangling link" => assert!(!victim.exists(), "{plant}"),
            "hard link to nothing" => assert_eq!(fs::read(&victim).unwrap(), b"", "{plant}"),
            _ => assert_eq!(fs::read(&victim).unwrap(), VICTIM.as_bytes(), "{plant}"),
        }
        let left = fs::symlink_metadata(&lock).is_ok();
        assert_eq!(left, !plant.starts_with("hard link"), "{plant}");
        if plant == "directory" {
            fs::remove_dir(&lock).unwrap();
        } else if left {
            fs::remove_file(&lock).unwrap();
        }
    }
}

#[test]
fn a_ledger_is_written_by_its_own_name_only() {
    let running = Running::begin();
    let path = running.ledger();
    drop(running.session);
    let before = fs::read(&path).unwrap();
    let link = running.dir.path().join("link.jsonl");
    symlink(&path, &link).unwrap();
    for opened in [
        Session::open(&link, None).map(|_| ()),
        Session::open_or_create(&link, None, START).map(|_| ()),
        Session::create(
            &link,
            axilog_ledger::rules::RuleSet::without_policies().unwrap(),
            START,
        )
        .map(|_| ()),
    ] {
        let error = opened.unwrap_err();
        assert!(
            matches!(error, LedgerError::File(FileError::SymbolicLink { .. })),
            "{error}"
        );
        assert!(
            error.to_string().contains(&*path.to_string_lossy()),
            "{error}"
        );
    }
    // A link that leads nowhere creates nothing there.
    let nowhere = running.dir.path().join("nowhere.jsonl");
    fs::remove_file(&link).unwrap();
    symlink(&nowhere, &link).unwrap();
    Session::open_or_create(&link, None, START)
        .map(|_| ())
        .unwrap_err();
    assert!(!nowhere.exists());
    assert_eq!(fs::read(&path).unwrap(), before);

    // A directory on the way may be a link.
    let directory = running.dir.path().join("directory");
    symlink(running.dir.path(), &directory).unwrap();
    let mut session = Session::open(&directory.join("ledger.jsonl"), None).unwrap();
    session.observe_time(START + 1, false).unwrap();

    let pipe = running.dir.path().join("pipe.jsonl");
    make_pipe(&pipe);
    let refused = Session::open_or_create(&pipe, None, START).err().unwrap();
    assert!(
        matches!(refused, LedgerError::File(FileError::NotARegularFile(_))),
        "{refused}"
    );
}

#[test]
fn a_blob_is_not_written_through_a_link_and_not_waited_for() {
    let mut running = Running::begin();
    let victim = running.path("victim");
    let blobs = BlobStore::of_ledger(&running.ledger());
    for (n, plant) in ["link", "dangling link", "pipe"].into_iter().enumerate() {
        let input = format!("question {n}");
        let hash = sha256(input.as_bytes());
        let blob = blobs.path(&hash);
        fs::create_dir_all(blob.parent().unwrap()).unwrap();
        fs::write(&victim, VICTIM).unwrap();
        // Under the blob's name, and under one that a temporary file had.
        for path in [&blob, &blob.with_extension("tmp")] {
            match plant {
                "link" => symlink(&victim, path).unwrap(),
                "dangling link" => symlink(running.path("nowhere"), path).unwrap(),
                _ => make_pipe(path),
            }
        }
        assert!(!blobs.contains(&hash), "{plant}");
        let found = blobs.read(&hash, 99).unwrap();
        assert_eq!(found, Some(Vec::new()), "{plant}: it is not read");
        let mut bad = Vec::new();
        blobs
            .examine_files(&mut |path, file| {
                bad.extend((file == BlobFile::Damaged).then_some(path))
            })
            .unwrap();
        assert_eq!(bad, std::slice::from_ref(&blob), "{plant}");

        observe(&mut running.session, &input, b"{\"value\":1}").unwrap();
        assert!(is_regular(&blob), "{plant}");
        assert_eq!(blobs.read(&hash, 99).unwrap().unwrap(), input.as_bytes());
        assert_eq!(fs::read(&victim).unwrap(), VICTIM.as_bytes(), "{plant}");
        assert!(!running.path("nowhere").exists());
    }
}

#[test]
fn blobs_are_written_into_directories_and_not_into_what_links_lead_to() {
    let mut running = Running::begin();
    let elsewhere = running.path("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    let input = "which height?";
    let blob = BlobStore::of_ledger(&running.ledger()).path(&sha256(input.as_bytes()));
    let shard = blob.parent().unwrap();
    let before = fs::read(running.ledger()).unwrap();

    symlink(&elsewhere, shard).unwrap();
    let error = observe(&mut running.session, input, b"{\"value\":1}").unwrap_err();
    assert!(
        error.to_string().contains("expected a directory"),
        "{error}"
    );
    fs::remove_file(shard).unwrap();

    let all = shard.parent().unwrap();
    fs::rename(all, running.path("moved.blobs")).unwrap();
    symlink(&elsewhere, all).unwrap();
    let error = observe(&mut running.session, input, b"{\"value\":1}").unwrap_err();
    assert!(
        error.to_string().contains("expected a directory"),
        "{error}"
    );
    assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0);
    assert_eq!(
        fs::read(running.ledger()).unwrap(),
        before,
        "nothing was recorded"
    );

    // The session goes on once the directory is back.
    fs::remove_file(all).unwrap();
    fs::rename(running.path("moved.blobs"), all).unwrap();
    observe(&mut running.session, input, b"{\"value\":1}").unwrap();
}

#[test]
fn a_torn_line_is_not_moved_into_what_a_link_leads_to() {
    let running = Running::begin();
    let path = running.ledger();
    drop(running.session);
    let at = |name: &str| running.dir.path().join(name);
    let mut torn = fs::read(&path).unwrap();
    torn.extend_from_slice(b"{\"chain");
    fs::write(&path, &torn).unwrap();
    symlink(at("nowhere"), at("ledger.jsonl.torn-1")).unwrap();
    make_pipe(&at("ledger.jsonl.torn-2"));
    let session = Session::open(&path, None).unwrap();
    assert_eq!(session.torn_line().unwrap().path, at("ledger.jsonl.torn-3"));
    assert_eq!(fs::read(at("ledger.jsonl.torn-3")).unwrap(), b"{\"chain");
    assert!(!at("nowhere").exists());
}

#[test]
fn files_have_the_mode_that_the_umask_asks_for_and_no_temporary_stays() {
    let running = Running::begin();
    let plain = running.path("plain");
    fs::write(&plain, "").unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
    let blob = BlobStore::of_ledger(&running.ledger()).path(&sha256(b"which speed?"));
    for path in [
        running.ledger(),
        running.path("ledger.jsonl.lock"),
        blob.clone(),
    ] {
        assert_eq!(mode(&path), mode(&plain), "{}", path.display());
    }
    for shard in fs::read_dir(running.path("ledger.jsonl.blobs")).unwrap() {
        for file in fs::read_dir(shard.unwrap().path()).unwrap() {
            assert_eq!(file.unwrap().file_name().len(), 64);
        }
    }
}
