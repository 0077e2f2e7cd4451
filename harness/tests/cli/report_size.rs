//! How much of a ledger, and of its questions, the page of `axilog report` holds.

use axilog::hash::sha256;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::Value;

use crate::bench::Bench;
use crate::report::{block, embedded, hex, page, read_facts};

#[test]
fn a_ledger_too_long_for_a_page_gets_a_summary() {
    let bench = Bench::ledger();
    let ballast = "x".repeat(60_000);
    for _ in 0..20 {
        bench
            .observe(format!("{{\"value\":12,\"ballast\":\"{ballast}\"}}").as_bytes())
            .exits(0);
    }
    bench.observe(b"{\"value\":71}").exits(1);
    let ledger = bench.read("ledger.jsonl");
    assert!(ledger.len() > 1 << 20);
    let run = bench
        .run("report ledger.jsonl -o page.html --limit 1 --json")
        .exits(0)
        .says("ledger.jsonl: is longer than 1 MiB, the most that is put into a page (--limit)");
    let object = run.json();
    assert_eq!(object["summary"], true);
    assert_eq!(object["audit"]["verdict"], "OK");
    let summary = page(&bench, "page.html");
    assert!(summary.len() < 1 << 20);
    assert_eq!(embedded(&summary, "ledger"), b"");
    let said = read_facts(&summary);
    assert_eq!(said["size"], ledger.len());
    assert_eq!(said["sha256"], hex(&sha256(&ledger)));
    assert_eq!(said["audit"]["verdict"], "OK");
    assert_eq!(said["summary"]["limit"], 1);
    // It counts what `stats` counts.
    let stats = bench.run("stats ledger.jsonl --json").exits(0).json();
    for (name, counts) in said["summary"]["counts"].as_object().unwrap() {
        assert_eq!(*counts, stats[name], "{name}");
    }
    assert_eq!(said["summary"]["counts"]["violations"]["POLICY_BREACH"], 1);
    // With room for it, the page holds the ledger, and standard output the same summary.
    let whole = bench.run("report ledger.jsonl -o whole.html --limit 2 --json");
    assert_eq!(whole.exits(0).json()["summary"], false);
    assert_eq!(embedded(&page(&bench, "whole.html"), "ledger"), ledger);
    let printed = bench.run("report ledger.jsonl --limit 1").exits(0);
    assert_eq!(printed.stdout, summary);
    assert!(printed.stderr.contains("so the page is a summary"));
    // The verdict is that of the audit here too.
    bench.write("long.jsonl", vec![b'x'; (1 << 20) + 1]);
    bench
        .run("report long.jsonl -o page.html --limit 1")
        .exits(1);
    assert!(page(&bench, "page.html").contains("<title>FAILED"));
    bench.run("report long.jsonl --limit 0").exits(2);
    bench.run("report long.jsonl --limit 257").exits(2);
}

#[test]
fn a_page_holds_the_questions_as_far_as_there_is_room() {
    let bench = Bench::ledger();
    let ask = |question: &[u8]| {
        bench.write("question.txt", question);
        let line = "observe --ledger ledger.jsonl --oracle-id planner --model-id planner-1 --input question.txt";
        bench.run_with(line, b"{\"value\":1}").exits(0);
    };
    let questions = || {
        let text = page(&bench, "page.html");
        let read: Value = serde_json::from_str(block(&text, "questions")).unwrap();
        let list = read["questions"].as_array().unwrap().clone();
        let decoded: Vec<Vec<u8>> = list
            .iter()
            .map(|base64| BASE64.decode(base64.as_str().unwrap()).unwrap())
            .collect();
        (decoded, read["left_out"].clone(), read["missing"].clone())
    };
    ask(b"How fast?");
    ask("</script>\u{202e}".as_bytes());
    ask(b"How fast?");
    bench.run("report ledger.jsonl -o page.html").exits(0);
    let (found, left_out, missing) = questions();
    assert_eq!(found, [&b"How fast?"[..], "</script>\u{202e}".as_bytes()]);
    assert_eq!((left_out, missing), (0.into(), 0.into()));
    // More than 16 MiB of them are not put into a page.
    ask(&vec![b'q'; 10 << 20]);
    ask(&vec![b'r'; 10 << 20]);
    std::fs::remove_file(bench.path(&blob_of(b"How fast?"))).unwrap();
    bench.run("report ledger.jsonl -o page.html").exits(1);
    let (found, left_out, missing) = questions();
    assert_eq!(
        found.iter().map(Vec::len).collect::<Vec<_>>(),
        [12, 10 << 20]
    );
    assert_eq!((left_out, missing), (1.into(), 1.into()));
}

/// The path of the blob with these bytes, beside the ledger.
fn blob_of(bytes: &[u8]) -> String {
    let digits = hex(&sha256(bytes));
    format!("ledger.jsonl.blobs/{}/{digits}", &digits[..2])
}
