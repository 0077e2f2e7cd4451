//! Damage to a run's directory is found and named: an altered byte anywhere, a file that is removed, added
//! or cut short, and two lines that change places.

use std::fs;
use std::path::{Path, PathBuf};

use axilog_x0l::condition::Condition;
use axilog_x0l::live::examples::SCRIPT;
use axilog_x0l::log::RunDirectory;
use axilog_x0l::report::{build_report, check_report};

use crate::session_directory::{SessionDirectory, settings};

/// Runs a session with the example script, a cycle of each condition.
fn run_session() -> (SessionDirectory, RunDirectory) {
    let directory = SessionDirectory::new();
    let settings = settings(&Condition::ALL, 1);
    directory.run_script(settings, SCRIPT).unwrap();
    let run = RunDirectory::open(&directory.out()).unwrap();
    (directory, run)
}

/// A file of the run that is altered and restored.
struct DamagedFile {
    run: RunDirectory,
    path: PathBuf,
    name: String,
    good: Vec<u8>,
    tried: usize,
}

impl DamagedFile {
    fn new(run: &RunDirectory, path: &Path) -> DamagedFile {
        let name = path.strip_prefix(run.path()).unwrap();
        DamagedFile {
            run: run.clone(),
            path: path.to_owned(),
            name: name.to_str().unwrap().to_owned(),
            good: fs::read(path).unwrap(),
            tried: 0,
        }
    }

    /// Writes these bytes into the file, which replay must name.
    fn damage(&mut self, bytes: &[u8], what: &str) {
        fs::write(&self.path, bytes).unwrap();
        self.assert_named(what);
        self.tried += 1;
    }

    /// Asserts that replay names the file.
    #[track_caller]
    fn assert_named(&self, what: &str) {
        let mut report = build_report(&self.run).unwrap();
        check_report(&self.run, &mut report).unwrap();
        let findings = report.replay.findings;
        assert!(
            findings.iter().any(|finding| finding.file == self.name),
            "{} with {what} is not named: {findings:?}",
            self.name
        );
    }

    fn restore(&self) {
        fs::write(&self.path, &self.good).unwrap();
    }
}

fn add_files(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            add_files(&path, found);
        } else {
            found.push(path);
        }
    }
    found.sort();
}

fn list_files(run: &RunDirectory) -> Vec<PathBuf> {
    let mut found = Vec::new();
    add_files(run.path(), &mut found);
    found
}

/// Chooses the bytes of a file to alter: all of a small file; of a larger one every n-th byte, and every
/// n-th of the bytes that give it its form.
fn choose_bytes(bytes: &[u8], most: usize) -> Vec<usize> {
    let stride = if bytes.len() < 400 {
        1
    } else {
        (bytes.len() / most).max(1) | 1
    };
    let mut chosen: Vec<usize> = (0..bytes.len()).step_by(stride).collect();
    let form: Vec<usize> = (0..bytes.len())
        .filter(|at| b"{}[]\":,\n<>|".contains(&bytes[*at]))
        .collect();
    let stride = (form.len() / most).max(1) | 1;
    chosen.extend(form.into_iter().step_by(stride));
    chosen.extend(bytes.len().checked_sub(1));
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}

/// With `AXILOG_WIDE=1` about five times as many bytes are altered.
#[test]
fn one_altered_byte_is_found_and_named() {
    let is_wide = std::env::var_os("AXILOG_WIDE").is_some();
    let (most, in_small_file, least) = if is_wide { (30, 3, 1500) } else { (6, 1, 300) };
    let (_directory, run) = run_session();
    let mut tried = 0;
    for path in list_files(&run) {
        let mut file = DamagedFile::new(&run, &path);
        let good = file.good.clone();
        for (n, at) in choose_bytes(&good, most).into_iter().enumerate() {
            // Another digit or letter, another form of space, a sign, no text at all.
            let others = [good[at] ^ 1, good[at] ^ 0x20, b'0', b' ', b'"', b'\n', 0xff];
            let others: Vec<u8> = others.into_iter().filter(|b| *b != good[at]).collect();
            let mut bytes = good.clone();
            // Several in a small file, so that each kind meets each of its parts.
            let several = if good.len() < 400 { in_small_file } else { 1 };
            for other in others.iter().cycle().skip(n % others.len()).take(several) {
                bytes[at] = *other;
                file.damage(&bytes, &format!("{other:#04x} at byte {at}"));
            }
        }
        file.restore();
        tried += file.tried;
    }
    println!("{tried} bytes altered");
    assert!(tried > least, "{tried}");
}

#[test]
fn files_that_are_cut_short_or_removed_or_too_many_are_named() {
    let (_directory, run) = run_session();
    for path in list_files(&run) {
        let mut file = DamagedFile::new(&run, &path);
        let good = file.good.clone();
        let lines = good.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        let ends: Vec<usize> = lines.map(|(at, _)| at + 1).collect();
        let cuts = [0, 1, good.len() / 2, good.len() - 1];
        let last_but_one = ends.iter().rev().find(|end| **end < good.len());
        for end in cuts.into_iter().chain(last_but_one.copied()) {
            if end < good.len() {
                file.damage(&good[..end], &format!("{end} bytes only"));
            }
        }
        let longer = [&good[..], b"\n"].concat();
        file.damage(&longer, "a line more");
        fs::remove_file(&path).unwrap();
        file.assert_named("nothing");
        file.restore();
    }
    for (name, text) in [
        ("more.txt", ""),
        ("inputs/more.toml", ""),
        ("ledger.jsonl.lock", "somebody's own"),
        ("ledger.jsonl.lock", "axilog 12\n\n"),
        ("review.jsonl.lock", "axilog 012\n"),
        ("cycles.jsonl.lock", "axilog 12\n"),
        ("ledger.jsonl.state", "somebody's own"),
        ("cycles.jsonl.state", "axilog state 1"),
        ("ledger.jsonl.checkpoint", "somebody's own"),
        ("ledger.jsonl.witnessed", ""),
        ("ledger.jsonl.tree", "somebody's own"),
        ("cycles.jsonl.checkpoint", CHECKPOINT),
        ("inputs/ledger.jsonl.checkpoint", CHECKPOINT),
        (".abcdef0123456789.tmp/0", ""),
        ("inputs/.abcdef0123456789.tmp", ""),
        (".abcdef.tmp", ""),
        ("ledger.jsonl.torn-1", ""),
        ("review.jsonl.torn-1/2", ""),
        ("session_metadata.json.tmp", ""),
        ("ledger.jsonl.blobs/ab/more", ""),
        ("deep/er/file", ""),
    ] {
        assert_additional_file_is_named(&run, name, text);
    }
}

/// Adds a file, which replay must name, and removes it.
fn assert_additional_file_is_named(run: &RunDirectory, name: &str, text: &str) {
    let path = run.path().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    DamagedFile::new(run, &path).assert_named("being there");
    fs::remove_file(&path).unwrap();
}

/// What a signed head looks like.
const CHECKPOINT: &str = "example.com/p\n11\nAdEm7i+8spHI2rGndFVecmgqCc3Jdc+t899uO0gP17k=\n\n\u{2014} example.com/p AAAAAAAA\n";

/// What a killed process leaves behind is noted, and is no difference.
#[test]
fn what_a_killed_process_leaves_is_noted() {
    let (_directory, run) = run_session();
    for (name, text) in [
        ("ledger.jsonl.lock", "axilog 4294967295\n"),
        ("review.jsonl.lock", "axilog 1\n"),
        ("review.jsonl.lock", ""),
        ("review.jsonl.torn-1", "{"),
        ("ledger.jsonl.state", "axilog state 1 of a long run"),
        ("ledger.jsonl.state.new", ""),
        ("review.jsonl.state", "axilog state 2"),
        (".abcdefghijklmnop.tmp", "example.com/p"),
    ] {
        let path = run.path().join(name);
        fs::write(&path, text).unwrap();
        let mut report = build_report(&run).unwrap();
        check_report(&run, &mut report).unwrap();
        let note = format!("{name}: left behind; it counts for nothing");
        assert!(report.replay.is_good(), "{:?}", report.replay.findings);
        assert_eq!(report.replay.notes, [note]);
        fs::remove_file(&path).unwrap();
    }
}

/// Signed heads of a run's ledgers are noted, as they may come and go.
#[test]
fn signed_heads_are_noted() {
    let (_directory, run) = run_session();
    for (name, text) in [
        ("ledger.jsonl.checkpoint", CHECKPOINT),
        ("ledger.jsonl.witnessed", CHECKPOINT),
        ("review.jsonl.checkpoint", CHECKPOINT),
        ("ledger.jsonl.tree", "axilog tree 1 ab"),
        ("ledger.jsonl.tree.new", ""),
    ] {
        let path = run.path().join(name);
        fs::write(&path, text).unwrap();
        let mut report = build_report(&run).unwrap();
        check_report(&run, &mut report).unwrap();
        let note = format!(
            "{name}: of a signed head; axilog audit checks it, and nothing here rests on it"
        );
        assert!(report.replay.is_good(), "{:?}", report.replay.findings);
        assert_eq!(report.replay.notes, [note]);
        fs::remove_file(&path).unwrap();
    }
}

/// Answers that no cycle names explain their own blobs, but no other file.
#[test]
fn a_file_among_spare_blobs_is_named() {
    let directory = SessionDirectory::new();
    let answer = r#"{"answer":"a\ttab","usage":{"prompt_tokens":40,"completion_tokens":2}}"#;
    directory
        .run_script(settings(&[Condition::A], 1), answer)
        .unwrap();
    let run = RunDirectory::open(&directory.out()).unwrap();
    let calls = directory.metadata().calibration.unwrap().ledger_seqs;
    assert_eq!(calls.len(), 3, "one blob for all of them");
    assert_additional_file_is_named(&run, "ledger.jsonl.blobs/ab/more", "");
}

#[test]
fn lines_that_change_places_are_named() {
    let (_directory, run) = run_session();
    for path in [run.ledger(), run.cycles()] {
        let mut file = DamagedFile::new(&run, &path);
        let good = file.good.clone();
        let lines: Vec<&[u8]> = good.split_inclusive(|byte| *byte == b'\n').collect();
        for n in 0..lines.len() - 1 {
            let mut other = lines.clone();
            other.swap(n, n + 1);
            file.damage(
                &other.concat(),
                &format!("lines {n} and the next exchanged"),
            );
            let mut other = lines.clone();
            other.remove(n);
            file.damage(&other.concat(), &format!("line {n} left out"));
            let mut other = lines.clone();
            other.insert(n, lines[n]);
            file.damage(&other.concat(), &format!("line {n} twice"));
        }
        file.restore();
    }
}
