//! Forgeries: ledgers that somebody rewrote and chained anew, and evidence beside them that somebody exchanged.
//!
//! `docs/assurance.md` has the table of who finds what; this suite forges each row of it and compares. With
//! `AXILOG_FORGERIES=DIRECTORY` it leaves the ledgers there, each in a directory of its own with the verdict of
//! `axilog audit` in `verdict`: the tests of Python and of the page in a browser read them.

mod forger;
mod forgeries;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use axilog::hash::sha256;
use axilog_ledger::file::blobs::BlobStore;
use forger::Records;
use forgeries::FORGERIES;
use serde_json::Value;
use tempfile::TempDir;

const POLICIES: &[u8] =
    br#"[{"comparison":"GT","enabled":true,"policy_id":"P-1","threshold":4587520},{"comparison":"LT","enabled":true,"policy_id":"P-2","threshold":0}]"#;

/// The beginning of an answer that is too long for its record.
const LONG_ANSWER: &str = "{\"value\":5,\"why\":\"";

/// An answer that is no text: its record does not hold it.
const RAW_ANSWER: &[u8] = b"\xff\xfe as it came";

/// The manifest of the ledger.
const MANIFEST: &[u8] = b"{\"name\":\"plant/pump-3\",\"note\":\"trial\"}";

/// A directory with a ledger `l.jsonl` that the command made.
struct Place(TempDir);

/// What somebody keeps elsewhere of a ledger, whose checkpoint is in the file `held`.
struct HeldHeads {
    /// Its head as `--extends` takes it.
    noted: String,
    public_key: String,
}

/// The words of the table.
const FOUND: &str = "found";
const PASSES: &str = "passes";
const CANNOT_RUN: &str = "cannot run";

impl Place {
    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn axilog(&self, line: &str, stdin: &[u8]) -> (i32, String) {
        fs::write(self.path("stdin"), stdin).unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_axilog"))
            .args(line.split_whitespace())
            .current_dir(self.0.path())
            .stdin(fs::File::open(self.path("stdin")).unwrap())
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        (output.status.code().unwrap(), text)
    }

    fn run(&self, line: &str, stdin: &[u8]) {
        self.axilog(line, stdin);
    }

    fn observe(&self, answer: &str) {
        self.run(
            "observe --ledger l.jsonl --oracle-id llm --model-id m-1",
            answer.as_bytes(),
        );
    }

    /// A ledger with permitted answers, a breach, the way back from it, an answer that is cut, and an inadmissible one.
    fn new() -> Place {
        Place::begun_at(1000)
    }

    fn begun_at(time: u64) -> Place {
        let place = Place(tempfile::tempdir().unwrap());
        fs::write(place.path("p.json"), POLICIES).unwrap();
        let init = format!(
            "init l.jsonl --policies p.json --time {time} --name plant/pump-3 --note trial"
        );
        place.run(&init, b"");
        fs::write(place.path("question"), "How fast?").unwrap();
        place.run(
            "observe --ledger l.jsonl --oracle-id llm --model-id m-1 --input question",
            br#"{"value":42}"#,
        );
        place.observe(r#"{"value":69}"#);
        place.observe(r#"{"value":71}"#);
        place.run("control mitigate --ledger l.jsonl", b"");
        place.run("control reset --ledger l.jsonl", b"");
        place.run("time 2000 --ledger l.jsonl", b"");
        place.observe(&long_answer());
        place.run(
            "observe --ledger l.jsonl --oracle-id llm --model-id m-1",
            RAW_ANSWER,
        );
        assert_eq!(
            place.axilog("audit l.jsonl", b"").0,
            0,
            "the ledger as made"
        );
        place
    }

    fn records(&self) -> Records {
        Records::read(&self.path("l.jsonl"))
    }

    fn forge(&self, records: &Records) {
        let forged = records.chained();
        assert_ne!(forged, fs::read(self.path("l.jsonl")).unwrap());
        fs::write(self.path("l.jsonl"), forged).unwrap();
    }

    fn blob(&self, bytes: &[u8]) -> PathBuf {
        BlobStore::of_ledger(&self.path("l.jsonl")).path(&sha256(bytes))
    }

    /// What somebody keeps elsewhere of the ledger as it is: its head as a note, and as a signed checkpoint, `held`.
    fn held_heads(&self) -> HeldHeads {
        let head: Value = serde_json::from_str(&self.axilog("head l.jsonl --json", b"").1).unwrap();
        let (_, key) = self.axilog("key new log.key --name plant/pump-3", b"");
        self.run("checkpoint l.jsonl --key log.key --output held", b"");
        // Whoever forges with care removes the tree that the signer has left beside the ledger.
        fs::remove_file(self.path("l.jsonl.tree")).unwrap();
        let head_text = head["head"].as_str().unwrap();
        HeldHeads {
            noted: format!("{}:{head_text}", head["entries"]),
            public_key: key.trim_end().to_owned(),
        }
    }

    /// The one verdict: what `audit` says, the first word of the page, and of what the command prints with it.
    fn verdict(&self) -> String {
        let (_, audit) = self.axilog("audit l.jsonl --json", b"");
        let audit: Value = serde_json::from_str(&audit).unwrap();
        let (_, printed) = self.axilog("report l.jsonl --output page.html", b"");
        let page = fs::read_to_string(self.path("page.html")).unwrap();
        let (_, body) = page.split_once("<header>").unwrap();
        let shown = body.split(['<', '>']).map(str::trim).filter(|text| {
            let is_markup = text.starts_with(char::is_lowercase) || text.starts_with('/');
            !text.is_empty() && !is_markup
        });
        let first_of_page = shown.into_iter().next().unwrap().to_owned();
        let first_word = printed.split_whitespace().next().unwrap();
        let verdict = audit["verdict"].as_str().unwrap().to_owned();
        assert_eq!([&first_of_page, first_word], [&verdict, verdict.as_str()]);
        verdict
    }

    /// Leaves the ledger in a directory of this name below `kept`, with its verdict.
    fn keep(&self, kept: &Path, name: &str, verdict: &str) {
        let directory = kept.join(name);
        fs::create_dir_all(&directory).unwrap();
        let blobs = self.path("l.jsonl.blobs");
        if blobs.exists() {
            copy_directory(&blobs, &directory.join("l.jsonl.blobs"));
        }
        fs::copy(self.path("l.jsonl"), directory.join("l.jsonl")).unwrap();
        fs::write(directory.join("verdict"), verdict).unwrap();
    }

    /// What each way of checking says: the columns of the table.
    fn judge(&self, held: &HeldHeads) -> [&'static str; 7] {
        let HeldHeads { noted, public_key } = held;
        [
            "verify l.jsonl --blobs".to_owned(),
            "replay l.jsonl".to_owned(),
            "report l.jsonl --output page.html".to_owned(),
            "audit l.jsonl".to_owned(),
            "audit l.jsonl --policies p.json".to_owned(),
            format!("audit l.jsonl --extends {noted}"),
            format!("audit l.jsonl --checkpoint held --public-key {public_key}"),
        ]
        .map(|line| match self.axilog(&line, b"") {
            (0, _) => PASSES,
            (1, text) => {
                assert!(!text.is_empty());
                FOUND
            }
            // Replay without the rules, which the command says on standard error.
            (3, _) => CANNOT_RUN,
            (code, _) => panic!("{line}: exit code {code}"),
        })
    }
}

/// The answer that is too long for its record.
fn long_answer() -> String {
    format!("{LONG_ANSWER}{}\"}}", "x".repeat(70_000))
}

fn copy_directory(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (path, name) = entry
            .map(|entry| (entry.path(), entry.file_name()))
            .unwrap();
        match path.is_dir() {
            true => copy_directory(&path, &to.join(name)),
            false => drop(fs::copy(path, to.join(name)).unwrap()),
        }
    }
}

/// The rows of the table in `docs/assurance.md`: a name and seven words.
fn rows_of_the_page() -> Vec<(String, Vec<String>)> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/assurance.md");
    let page = fs::read_to_string(page).unwrap();
    let (_, table) = page
        .split_once("| forgery |")
        .expect("the table of forgeries");
    let rows = table
        .lines()
        .skip(2)
        .take_while(|line| line.starts_with('|'));
    rows.map(|row| {
        let mut cells = row
            .trim_matches('|')
            .split('|')
            .map(|cell| cell.trim().to_owned());
        (cells.next().unwrap(), cells.collect())
    })
    .collect()
}

#[test]
fn who_finds_what_is_as_the_page_says() {
    let kept = std::env::var_os("AXILOG_FORGERIES").map(PathBuf::from);
    let found: Vec<(String, Vec<String>)> = FORGERIES
        .iter()
        .map(|(name, forge)| {
            let place = Place::new();
            let held = place.held_heads();
            assert_eq!(place.judge(&held), [PASSES; 7], "before: {name}");
            forge(&place);
            let words = place.judge(&held);
            let verdict = place.verdict();
            assert_eq!(words[2], words[3], "page and audit: {name}");
            assert_eq!(verdict == "OK", words[3] == PASSES, "{name}: {verdict}");
            // What `verify` finds, the audit finds too.
            assert!(
                words[0] == PASSES || verdict == "FAILED",
                "{name}: {verdict}"
            );
            if let Some(kept) = &kept {
                place.keep(kept, name, &verdict);
            }
            let words = words.map(str::to_owned).to_vec();
            println!("| {name} | {} |", words.join(" | "));
            ((*name).to_owned(), words)
        })
        .collect();
    assert_eq!(found, rows_of_the_page());
}
