//! Blobs that no record names, as interrupted writers leave them: reported, never a failure, moved aside by the next
//! command that writes.

use std::path::Path;

use axilog::hash::sha256;
use axilog_ledger::encoding::hex;
use axilog_ledger::file::blobs::BlobStore;

use crate::bench::{Bench, lines, sealed};

/// Puts a blob among those of `ledger.jsonl`, as a writer that is killed before it writes the record leaves it.
fn leave_behind(bench: &Bench, bytes: &[u8]) {
    let path = BlobStore::of_ledger(&bench.path("ledger.jsonl")).path(&sha256(bytes));
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, bytes).unwrap();
}

/// The names in a directory of the bench; none where there is none.
fn names_in(bench: &Bench, directory: &str) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(bench.path(directory)) else {
        return Vec::new();
    };
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// What `audit` and `verify --blobs` say is left behind; both must be good.
fn count_left_behind(bench: &Bench) -> u64 {
    let audited = bench.run("audit ledger.jsonl --json").exits(0).json();
    assert_eq!(audited["verdict"], "OK");
    let report = bench.run("verify ledger.jsonl --blobs --json").exits(0);
    let count = report.json()["blobs"]["unreferenced_count"]
        .as_u64()
        .unwrap();
    let mut checks = audited["checks"].as_array().unwrap().iter();
    let check = checks.find(|check| check["subject"] == "blobs").unwrap();
    let finding = check["finding"].as_str().unwrap();
    assert!(
        finding.ends_with(&format!(" {count} left behind")),
        "{finding}"
    );
    count
}

#[test]
fn what_no_record_names_is_reported_and_moved_aside_by_the_next_writer() {
    let bench = Bench::ledger();
    assert_eq!(count_left_behind(&bench), 0);
    leave_behind(&bench, b"a question without an answer");
    leave_behind(&bench, b"another");
    std::fs::write(bench.path("ledger.jsonl.blobs/notes"), "x").unwrap();
    assert_eq!(count_left_behind(&bench), 3);
    let text = bench.run("audit ledger.jsonl").exits(0).stdout;
    assert!(text.contains("left behind ledger.jsonl.blobs/"), "{text}");

    let run = bench.observe(b"{\"value\":2}").exits(0);
    let moved = run.json()["left_behind"].clone();
    assert_eq!(moved["files"], 3);
    assert_eq!(moved["path"], "ledger.jsonl.left-behind");
    run.says("moved what belongs to no record out of its blobs (3 files) to");
    let mut expected = vec![hex(&sha256(b"another")), "notes".to_owned()];
    expected.push(hex(&sha256(b"a question without an answer")));
    expected.sort();
    assert_eq!(names_in(&bench, "ledger.jsonl.left-behind"), expected);
    let kept = bench.read(&format!(
        "ledger.jsonl.left-behind/{}",
        hex(&sha256(b"another"))
    ));
    assert_eq!(kept, b"another");
    assert_eq!(count_left_behind(&bench), 0);

    // What has the name of a file that was moved aside before gets another.
    leave_behind(&bench, b"another");
    let run = bench.run("time 2000 --ledger ledger.jsonl --json").exits(0);
    assert_eq!(run.json()["left_behind"]["files"], 1);
    let second = format!("ledger.jsonl.left-behind/{}.2", hex(&sha256(b"another")));
    assert_eq!(bench.read(&second), b"another");
    let run = bench.run("time 2001 --ledger ledger.jsonl --json").exits(0);
    assert!(run.json()["left_behind"].is_null());
}

#[test]
fn a_blob_that_is_asked_for_again_is_not_left_behind() {
    let bench = Bench::ledger();
    leave_behind(&bench, b"How fast?");
    bench.write("question", "How fast?");
    bench
        .run_with(
            "observe --ledger ledger.jsonl --oracle-id o --model-id m --input question",
            b"{\"value\":1}",
        )
        .exits(0);
    assert_eq!(count_left_behind(&bench), 0);
}

#[test]
fn tidy_does_on_request_what_every_writer_does() {
    let bench = Bench::ledger();
    let whole = bench.read("ledger.jsonl");
    let tidy = |words: &str| bench.run(&format!("tidy ledger.jsonl {words}"));
    let report = tidy("--json").exits(0).json();
    assert_eq!(report["completed_records"], 0);
    assert!(report["torn"].is_null() && report["left_behind"].is_null());
    assert_eq!(bench.read("ledger.jsonl"), whole);

    // A step that lacks its last record, a torn line, a blob.
    let all = lines(&whole);
    bench.write(
        "ledger.jsonl",
        [&all[..7].concat()[..], b"{\"chain"].concat(),
    );
    leave_behind(&bench, b"a question");
    let audited = bench.run("audit ledger.jsonl --json").exits(1).json();
    assert_eq!(
        audited["verdict"], "INCOMPLETE",
        "interrupted, and not wrong"
    );
    let report = tidy("--json").exits(0).json();
    assert_eq!(report["torn"]["bytes"], 7);
    assert_eq!(report["completed_records"], 1);
    assert_eq!(report["left_behind"]["files"], 1);
    assert_eq!(bench.read("ledger.jsonl"), whole);
    assert_eq!(count_left_behind(&bench), 0);

    // A sealed ledger takes nothing more, and is tidied.
    let end = sealed(&whole);
    bench.write("ledger.jsonl", &end);
    leave_behind(&bench, b"a question");
    let text = tidy("").exits(0).stdout;
    assert!(
        text.contains("1 file moved to ledger.jsonl.left-behind"),
        "{text}"
    );
    assert_eq!(bench.read("ledger.jsonl"), end);
    assert_eq!(count_left_behind(&bench), 0);

    // What is not good is left as it is.
    leave_behind(&bench, b"a question");
    bench.write("ledger.jsonl", [&end[..], b"{"].concat());
    tidy("").exits(1).says("TORN");
    bench.write("ledger.jsonl", whole.replace_byte(20));
    tidy("").exits(1).says("ALTERED");
    assert!(BlobStore::of_ledger(&bench.path("ledger.jsonl")).contains(&sha256(b"a question")));
    bench.run("tidy nowhere.jsonl").exits(3);
    bench.write("new.jsonl", "");
    bench
        .run("tidy new.jsonl")
        .exits(3)
        .says("holds no observation");
}

trait ReplaceByte {
    fn replace_byte(&self, at: usize) -> Vec<u8>;
}

impl ReplaceByte for Vec<u8> {
    /// The same bytes with another digit at a place in the first chain value.
    fn replace_byte(&self, at: usize) -> Vec<u8> {
        let mut bytes = self.clone();
        bytes[at] = if bytes[at] == b'0' { b'1' } else { b'0' };
        bytes
    }
}

/// A crash between an observation and its RAW record leaves the answer among the blobs: the next writer binds it.
#[test]
fn an_answer_whose_binding_was_cut_off_is_bound_by_the_next_writer() {
    for answer in [b"\xff\xfe as it came".to_vec(), b"long\r\n".repeat(20_000)] {
        let bench = Bench::ledger();
        bench.observe(&answer);
        let whole = bench.read("ledger.jsonl");
        let all = lines(&whole);
        let at = all
            .iter()
            .position(|line| line.ends_with(b"\"AX:PROOF:v1\"}\n"));
        let before: usize = all[..at.unwrap()].concat().len();
        for torn in [0, 1, 80, all[at.unwrap()].len() - 1] {
            bench.write("ledger.jsonl", &whole[..before + torn]);
            let audited = bench.run("audit ledger.jsonl --json").exits(1).json();
            assert_eq!(audited["verdict"], "INCOMPLETE", "{audited}");
            assert!(!audited.to_string().contains("0.2"), "{audited}");
            // Another blob that was left behind cannot be the answer: it is admissible and short.
            leave_behind(&bench, b"{\"value\":5}");
            let run = bench.run("tidy ledger.jsonl --json").exits(0);
            assert_eq!(run.json()["left_behind"]["files"], 1);
            assert_eq!(bench.read("ledger.jsonl"), whole, "{torn} bytes torn");
            assert_eq!(count_left_behind(&bench), 0);
        }
        // Where two could be meant, nothing is guessed but what the torn line says.
        let other = [&answer[..], b"!"].concat();
        if std::str::from_utf8(&answer).is_err() {
            bench.write("ledger.jsonl", &whole[..before + 80]);
            leave_behind(&bench, &other);
            bench.run("tidy ledger.jsonl").exits(0);
            assert_eq!(bench.read("ledger.jsonl"), whole);
            bench.write("ledger.jsonl", &whole[..before]);
            leave_behind(&bench, &other);
            bench.run("tidy ledger.jsonl").exits(0);
            let audited = bench.run("audit ledger.jsonl --json").exits(1).json();
            assert_eq!(audited["verdict"], "INCOMPLETE", "{audited}");
            assert!(audited.to_string().contains("their steps were interrupted"));
            assert_eq!(names_in(&bench, "ledger.jsonl.left-behind").len(), 7);
        }
    }
}

/// A link to a directory of blobs stays, whoever made it: the records' blobs may lie there.
#[cfg(unix)]
#[test]
fn what_a_link_leads_to_stays() {
    let bench = Bench::ledger();
    let path = bench.path("ledger.jsonl");
    let configuration = bench.run("replay ledger.jsonl --json").exits(0).json();
    let shard = &configuration["configuration"].as_str().unwrap()[..2];
    let shard = path.with_file_name("ledger.jsonl.blobs").join(shard);
    let elsewhere = bench.path("elsewhere");
    std::fs::rename(&shard, &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &shard).unwrap();
    bench.run("tidy ledger.jsonl").exits(0);
    assert!(Path::new(&shard).is_symlink());
    bench.run("replay ledger.jsonl").exits(0);

    let blobs = path.with_file_name("ledger.jsonl.blobs");
    std::fs::rename(&blobs, bench.path("moved")).unwrap();
    std::os::unix::fs::symlink(bench.path("moved"), &blobs).unwrap();
    std::fs::write(bench.path("moved/notes"), "x").unwrap();
    bench.run("tidy ledger.jsonl").exits(0);
    assert!(
        bench.exists("moved/notes"),
        "the link's target is not written"
    );
}
