//! What is kept beside a ledger: inputs, configurations, answers that their records do not hold.

use axilog::hash::sha256;
use axilog_ledger::file::blobs::BlobStore;

use crate::bench::Bench;

fn observe_with_input(bench: &Bench, input: &str, answer: &[u8]) {
    bench.write("question", input);
    bench.run_with(
        "observe --ledger ledger.jsonl --oracle-id o --model-id m --input question",
        answer,
    );
}

#[test]
fn inputs_configurations_and_inadmissible_answers_are_kept() {
    let bench = Bench::ledger();
    observe_with_input(&bench, "How\r\nfast?", b"\xff\xfe raw");
    let blobs = BlobStore::of_ledger(&bench.path("ledger.jsonl"));
    for kept in [b"How\nfast?".as_slice(), b"\xff\xfe raw"] {
        assert_eq!(std::fs::read(blobs.path(&sha256(kept))).unwrap(), kept);
    }
    let report = bench.run("verify ledger.jsonl --blobs --json").exits(0);
    assert_eq!(report.json()["blobs"]["checked"], 3);
    // An admissible answer is in the ledger already, and the empty input is no blob.
    assert!(!blobs.path(&sha256(b"{\"value\":1}")).exists());
    assert!(!blobs.path(&sha256(b"")).exists());
    // Two hexadecimal digits, then all 64.
    let name = blobs.path(&sha256(b"How\nfast?"));
    let parts: Vec<_> = name
        .iter()
        .rev()
        .take(3)
        .map(|p| p.to_str().unwrap())
        .collect();
    assert_eq!(parts[0].len(), 64);
    assert_eq!(parts[1], &parts[0][..2]);
    assert_eq!(parts[2], "ledger.jsonl.blobs");
}

#[test]
fn an_answer_that_is_too_long_for_its_record_is_kept_whole() {
    let bench = Bench::ledger();
    let long = "long\r\n".repeat(20_000);
    observe_with_input(&bench, "How long?", long.as_bytes());
    let blobs = BlobStore::of_ledger(&bench.path("ledger.jsonl"));
    let kept = std::fs::read(blobs.path(&sha256(long.as_bytes()))).unwrap();
    assert_eq!(kept, long.as_bytes());
}

/// A file of 2 TiB that takes no space, in the place of a blob.
fn put_endless_file(path: &std::path::Path) {
    let file = std::fs::File::create(path).unwrap();
    file.set_len(2 << 40).unwrap();
}

#[test]
fn a_blob_is_read_as_far_as_its_record_or_the_budget_says() {
    let bench = Bench::ledger();
    observe_with_input(&bench, "How fast?", b"\xff raw");
    let audit = |options: &str| bench.run(&format!("audit ledger.jsonl --json {options}"));
    assert_eq!(audit("").exits(0).json()["verdict"], "OK");
    let small = audit("--budget blob-bytes=5").exits(1).json();
    assert_eq!(small["verdict"], "INCOMPLETE");
    audit("--budget blob-bytes=9223372036854775807").exits(0);
    audit("--budget blobs=5").exits(2);
    let blobs = BlobStore::of_ledger(&bench.path("ledger.jsonl"));
    let question = blobs.path(&sha256(b"How fast?"));
    put_endless_file(&question);
    let report = audit("").exits(1).json();
    assert_eq!(report["verdict"], "INCOMPLETE");
    let check = report["checks"].as_array().unwrap().iter();
    let check = check.clone().find(|check| check["subject"] == "blobs");
    let check = check.unwrap();
    let finding = check["finding"].as_str().unwrap();
    assert!(
        finding.ends_with("1 not read: longer than the budget blob-bytes of 67108864"),
        "{finding}"
    );
    let named = check["details"][0].as_str().unwrap();
    let name = question.file_name().unwrap().to_str().unwrap();
    assert!(
        named.starts_with("not read") && named.ends_with(name),
        "{named}"
    );
    let report = bench.run("verify ledger.jsonl --blobs --json").exits(1);
    assert_eq!(report.json()["blobs"]["unread_count"], 1);
    for command in ["replay", "head", "stats", "show"] {
        bench.run(&format!("{command} ledger.jsonl")).exits(0);
    }
    // The next writer puts the question in its place.
    observe_with_input(&bench, "How fast?", b"\xff raw");
    assert_eq!(audit("").exits(0).json()["verdict"], "OK");
    // The record says how long a raw answer is.
    put_endless_file(&blobs.path(&sha256(b"\xff raw")));
    let report = audit("--budget blob-bytes=9223372036854775807").exits(1);
    assert_eq!(report.json()["verdict"], "FAILED");
}

#[test]
fn missing_and_damaged_blobs_are_named() {
    let bench = Bench::ledger();
    observe_with_input(&bench, "How fast?", b"{\"value\":1}");
    observe_with_input(&bench, "How slow?", b"{\"value\":1}");
    let blobs = BlobStore::of_ledger(&bench.path("ledger.jsonl"));
    let missing = blobs.path(&sha256(b"How fast?"));
    let damaged = blobs.path(&sha256(b"How slow?"));
    std::fs::remove_file(&missing).unwrap();
    std::fs::write(&damaged, "How slow!").unwrap();

    bench.run("verify ledger.jsonl").exits(0);
    let run = bench.run("verify ledger.jsonl --blobs --json").exits(1);
    let report = run.json();
    assert_eq!(report["verdict"], "OK");
    assert_eq!(report["ok"], false);
    let found = &report["blobs"];
    assert_eq!(found["missing_count"], 1);
    assert_eq!(found["missing"][0]["ledger_seq"], 8);
    let name = |path: &std::path::Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    assert!(
        found["missing"][0]["path"]
            .as_str()
            .unwrap()
            .ends_with(&name(&missing))
    );
    assert!(
        found["altered"][0]
            .as_str()
            .unwrap()
            .ends_with(&name(&damaged))
    );

    // Asking the same again puts both right.
    observe_with_input(&bench, "How fast?", b"{\"value\":1}");
    observe_with_input(&bench, "How slow?", b"{\"value\":1}");
    bench.run("verify ledger.jsonl --blobs").exits(0);
}

#[test]
fn the_right_policies_are_not_called_others_where_the_configuration_is_missing() {
    let bench = Bench::new();
    let policies = |threshold: u32| {
        format!(r#"[{{"comparison":"GT","enabled":true,"policy_id":"P","threshold":{threshold}}}]"#)
    };
    bench.write("p.json", policies(65_536));
    bench.write("q.json", policies(65_537));
    let begun = bench
        .run("init l.jsonl --policies p.json --name plant --time 1 --json")
        .exits(0)
        .json();
    let reason = |given: &str| {
        let run = bench
            .run(&format!("replay l.jsonl --policies {given} --json"))
            .exits(1);
        run.json()["reason"].as_str().unwrap().to_owned()
    };
    bench.run("replay l.jsonl --policies p.json").exits(0);
    assert!(reason("q.json").ends_with("the given policies are different ones"));
    let hash = begun["configuration"].as_str().unwrap();
    let blob = bench.path(&format!("l.jsonl.blobs/{}/{hash}", &hash[..2]));
    std::fs::remove_file(blob).unwrap();
    // The hash covers the manifest too, and only the missing file says which one.
    for given in ["p.json", "q.json"] {
        assert!(reason(given).ends_with(
            "without its file nobody can tell whether they are different ones or a manifest belongs to it too"
        ));
    }
}

#[test]
fn a_damaged_configuration_is_not_the_ledgers() {
    let bench = Bench::ledger();
    let configuration = bench.run("replay ledger.jsonl --json").json()["configuration"]
        .as_str()
        .unwrap()
        .to_owned();
    let path = format!("ledger.jsonl.blobs/{}/{configuration}", &configuration[..2]);
    let raised = String::from_utf8(bench.read(&path))
        .unwrap()
        .replace("4587520", "9999999");
    bench.write(&path, raised);
    let verdict = bench.verdict("replay ledger.jsonl");
    assert_eq!((verdict.0.as_str(), verdict.1), ("CONFIG_MISMATCH", 1));
    bench
        .observe(b"{\"value\":100}")
        .exits(1)
        .says("CONFIG_MISMATCH");
}

#[test]
fn a_blob_that_cannot_be_kept_stops_the_observation() {
    let bench = Bench::ledger();
    let before = bench.read("ledger.jsonl");
    std::fs::remove_dir_all(bench.path("ledger.jsonl.blobs")).unwrap();
    bench.write("ledger.jsonl.blobs", "a file in the way");
    let run = bench.observe(b"\xff");
    run.exits(3).says("ledger.jsonl.blobs");
    assert_eq!(bench.read("ledger.jsonl"), before);
}
