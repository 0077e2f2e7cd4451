//! One altered byte anywhere in a run's directory is found and named; so is a file that is removed, added
//! or cut short, and so are two lines that change places.

use std::fs;
use std::path::{Path, PathBuf};

use axilog_x0l::condition::Condition;
use axilog_x0l::live::shipped::SCRIPT;
use axilog_x0l::log::RunDirectory;
use axilog_x0l::report::{check, make};

use crate::place::{Place, settings};

/// A session with a cycle of each condition, held with the shipped script, and its report.
fn held() -> (Place, RunDirectory) {
    let place = Place::new();
    let settings = settings(&Condition::ALL, 1);
    place.scripted(settings, SCRIPT).unwrap();
    let run = RunDirectory::open(&place.out()).unwrap();
    (place, run)
}

/// What is altered, byte by byte.
struct Damaged {
    run: RunDirectory,
    path: PathBuf,
    name: String,
    good: Vec<u8>,
    tried: usize,
}

impl Damaged {
    fn new(run: &RunDirectory, path: &Path) -> Damaged {
        let name = path.strip_prefix(run.path()).unwrap();
        Damaged {
            run: run.clone(),
            path: path.to_owned(),
            name: name.to_str().unwrap().to_owned(),
            good: fs::read(path).unwrap(),
            tried: 0,
        }
    }

    /// With these bytes in the file, replay names it.
    fn is_found(&mut self, bytes: &[u8], what: &str) {
        fs::write(&self.path, bytes).unwrap();
        self.is_named(what);
        self.tried += 1;
    }

    fn is_named(&self, what: &str) {
        let mut made = make(&self.run).unwrap();
        check(&self.run, &mut made).unwrap();
        let findings = made.replay.findings;
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

fn files(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
    found.sort();
}

fn all(run: &RunDirectory) -> Vec<PathBuf> {
    let mut found = Vec::new();
    files(run.path(), &mut found);
    found
}

/// Which bytes of a file are altered: all of a small one; of a larger one a stride over all, and one over
/// those that give it its form.
fn places(bytes: &[u8], most: usize) -> Vec<usize> {
    let stride = if bytes.len() < 400 {
        1
    } else {
        (bytes.len() / most).max(1) | 1
    };
    let mut places: Vec<usize> = (0..bytes.len()).step_by(stride).collect();
    let form: Vec<usize> = (0..bytes.len())
        .filter(|at| b"{}[]\":,\n<>|".contains(&bytes[*at]))
        .collect();
    let stride = (form.len() / most).max(1) | 1;
    places.extend(form.into_iter().step_by(stride));
    places.extend(bytes.len().checked_sub(1));
    places.sort_unstable();
    places.dedup();
    places
}

#[test]
fn one_altered_byte_is_found_and_named() {
    let (_place, run) = held();
    let mut tried = 0;
    for path in all(&run) {
        let mut file = Damaged::new(&run, &path);
        let good = file.good.clone();
        for (n, at) in places(&good, 30).into_iter().enumerate() {
            // Another digit or letter, another form of space, a sign, no text at all.
            let others = [good[at] ^ 1, good[at] ^ 0x20, b'0', b' ', b'"', b'\n', 0xff];
            let others: Vec<u8> = others.into_iter().filter(|b| *b != good[at]).collect();
            let mut bytes = good.clone();
            // Several in a small file, so that each kind meets each of its parts.
            let several = if good.len() < 400 { 3 } else { 1 };
            for other in others.iter().cycle().skip(n % others.len()).take(several) {
                bytes[at] = *other;
                file.is_found(&bytes, &format!("{other:#04x} at byte {at}"));
            }
        }
        file.restore();
        tried += file.tried;
    }
    println!("{tried} bytes altered");
    assert!(tried > 1500, "{tried}");
}

#[test]
fn files_that_are_cut_short_or_removed_or_too_many_are_named() {
    let (_place, run) = held();
    for path in all(&run) {
        let mut file = Damaged::new(&run, &path);
        let good = file.good.clone();
        let lines = good.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        let ends: Vec<usize> = lines.map(|(at, _)| at + 1).collect();
        let cuts = [0, 1, good.len() / 2, good.len() - 1];
        let last_but_one = ends.iter().rev().find(|end| **end < good.len());
        for end in cuts.into_iter().chain(last_but_one.copied()) {
            if end < good.len() {
                file.is_found(&good[..end], &format!("{end} bytes only"));
            }
        }
        let longer = [&good[..], b"\n"].concat();
        file.is_found(&longer, "a line more");
        fs::remove_file(&path).unwrap();
        file.is_named("nothing");
        file.restore();
    }
    for (name, text) in [
        ("more.txt", ""),
        ("inputs/more.toml", ""),
        ("ledger.jsonl.lock", "somebody's own"),
        ("ledger.jsonl.lock", "axilog 12\n\n"),
        ("review.jsonl.lock", "axilog 012\n"),
        ("cycles.jsonl.lock", "axilog 12\n"),
        ("ledger.jsonl.torn-1", ""),
        ("review.jsonl.torn-1/2", ""),
        ("session_metadata.json.tmp", ""),
        ("ledger.jsonl.blobs/ab/more", ""),
        ("deep/er/file", ""),
    ] {
        one_more_is_found(&run, name, text);
    }
}

/// With a file that was not there, replay names it.
fn one_more_is_found(run: &RunDirectory, name: &str, text: &str) {
    let path = run.path().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    Damaged::new(run, &path).is_named("being there");
    fs::remove_file(&path).unwrap();
}

/// What a process that was killed leaves behind is remarked on, and is no difference.
#[test]
fn what_a_killed_process_leaves_is_remarked_on() {
    let (_place, run) = held();
    for (name, text) in [
        ("ledger.jsonl.lock", "axilog 4294967295\n"),
        ("review.jsonl.lock", "axilog 1\n"),
        ("review.jsonl.lock", ""),
        ("review.jsonl.torn-1", "{"),
    ] {
        let path = run.path().join(name);
        fs::write(&path, text).unwrap();
        let mut made = make(&run).unwrap();
        check(&run, &mut made).unwrap();
        let note = format!("{name}: left behind; it counts for nothing");
        assert!(made.replay.is_good(), "{:?}", made.replay.findings);
        assert_eq!(made.replay.notes, [note]);
        fs::remove_file(&path).unwrap();
    }
}

/// Answers that no cycle names excuse their own blobs and no other file.
#[test]
fn a_file_among_spare_blobs_is_named() {
    let place = Place::new();
    let answer = r#"{"answer":"a\ttab","usage":{"prompt_tokens":40,"completion_tokens":2}}"#;
    place
        .scripted(settings(&[Condition::A], 1), answer)
        .unwrap();
    let run = RunDirectory::open(&place.out()).unwrap();
    let calls = place.metadata().calibration.unwrap().ledger_seqs;
    assert_eq!(calls.len(), 3, "one blob for all of them");
    one_more_is_found(&run, "ledger.jsonl.blobs/ab/more", "");
}

#[test]
fn lines_that_change_places_are_named() {
    let (_place, run) = held();
    for path in [run.ledger(), run.cycles()] {
        let mut file = Damaged::new(&run, &path);
        let good = file.good.clone();
        let lines: Vec<&[u8]> = good.split_inclusive(|byte| *byte == b'\n').collect();
        for n in 0..lines.len() - 1 {
            let mut other = lines.clone();
            other.swap(n, n + 1);
            file.is_found(
                &other.concat(),
                &format!("lines {n} and the next exchanged"),
            );
            let mut other = lines.clone();
            other.remove(n);
            file.is_found(&other.concat(), &format!("line {n} left out"));
            let mut other = lines.clone();
            other.insert(n, lines[n]);
            file.is_found(&other.concat(), &format!("line {n} twice"));
        }
        file.restore();
    }
}
