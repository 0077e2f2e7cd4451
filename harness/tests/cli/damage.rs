//! Every verdict that a file can earn, with the record and the byte it names.

use axilog::ledger::{Ledger, LedgerSink, SinkFailed};

use crate::bench::{Bench, lines, offset};

const VERIFY: &str = "verify ledger.jsonl";
const REPLAY: &str = "replay ledger.jsonl";

#[track_caller]
fn finds(bench: &Bench, verdict: &str, sequence: u64, offset: u64) {
    for command in [VERIFY, REPLAY] {
        assert_eq!(
            bench.verdict(command),
            (verdict.to_owned(), sequence, offset),
            "{command}"
        );
        let text = bench.run(command).exits(1).stdout;
        assert!(text.starts_with(verdict), "{text}");
        assert!(text.contains(&format!("record {sequence} at byte {offset}")));
    }
    // What is not good is not added to.
    let before = bench.read("ledger.jsonl");
    let refused = bench.observe(b"{\"value\":1}").exits(1).says(verdict);
    let object = refused.json();
    assert_eq!(object["verdict"], verdict);
    assert_eq!(object["sequence"], sequence);
    assert_eq!(object["offset"], offset);
    assert_eq!(object["exit_code"], 1);
    assert_eq!(bench.read("ledger.jsonl"), before);
}

#[test]
fn a_file_that_is_no_ledger_is_called_that() {
    let bench = Bench::ledger();
    bench.write("README.md", "# A title\n\nand text\n");
    bench.write("short", "text");
    bench.write("rows.jsonl", "{\"completion_state\":\"COMPLETE\"}\n");
    for file in ["README.md", "short", "rows.jsonl"] {
        for command in ["verify", "replay", "head", "stats"] {
            let run = bench.run(&format!("{command} {file}")).exits(1);
            let told = run.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(
                told.contains("the file is no ledger: it begins with"),
                "{told}"
            );
            assert!(
                told.contains("name a file that axilog has written"),
                "{told}"
            );
        }
    }
    // What is damaged or cut off in its genesis is a ledger still.
    let ledger = bench.read("ledger.jsonl");
    bench.write("torn", &ledger[..20]);
    let mut damaged = ledger.clone();
    damaged[200] = b'!';
    bench.write("damaged", damaged);
    for file in ["torn", "damaged"] {
        let told = bench.run(&format!("verify {file}")).exits(1).stdout;
        assert!(!told.contains("no ledger"), "{told}");
    }
}

#[test]
fn an_altered_byte_in_any_record() {
    for n in 0..8 {
        let bench = Bench::ledger();
        let mut lines = lines(&bench.read("ledger.jsonl"));
        let at = offset(&lines, n);
        let from = lines[n]
            .windows(9)
            .position(|w| w == b"\"record\":")
            .unwrap();
        lines[n][from + 11] ^= 1;
        bench.write("ledger.jsonl", lines.concat());
        finds(&bench, "ALTERED", n as u64, at);
    }
}

#[test]
fn an_altered_chain_value() {
    let bench = Bench::ledger();
    let mut lines = lines(&bench.read("ledger.jsonl"));
    let digit = &mut lines[3][10];
    *digit = if *digit == b'0' { b'1' } else { b'0' };
    bench.write("ledger.jsonl", lines.concat());
    finds(&bench, "ALTERED", 3, offset(&lines, 3));
}

#[test]
fn swapped_and_missing_lines() {
    let bench = Bench::ledger();
    let mut all = lines(&bench.read("ledger.jsonl"));
    all.swap(3, 5);
    bench.write("ledger.jsonl", all.concat());
    finds(&bench, "REORDERED", 3, offset(&all, 3));
    assert!(
        bench
            .run(VERIFY)
            .stdout
            .contains("found the sequence number 5, expected 3")
    );
    all.swap(3, 5);
    all.remove(4);
    bench.write("ledger.jsonl", all.concat());
    finds(&bench, "REORDERED", 4, offset(&all, 4));
}

#[test]
fn a_torn_line_says_what_it_is() {
    let bench = Bench::ledger();
    let whole = bench.read("ledger.jsonl");
    let lines = lines(&whole);
    let at = offset(&lines, 7);
    for cut in [1, 40, lines[7].len() as u64 - 1] {
        bench.write("ledger.jsonl", &whole[..(at + cut) as usize]);
        for command in [VERIFY, REPLAY] {
            assert_eq!(bench.verdict(command), ("TORN".to_owned(), 7, at));
            let told = bench
                .run(command)
                .stdout
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ");
            let length = format!("{cut} bytes without a line feed");
            assert!(told.contains(&length), "{told}");
            assert!(told.contains("FILE.torn-N"), "{told}");
        }
    }
}

#[test]
fn white_space_is_not_canonical() {
    let bench = Bench::ledger();
    let mut lines = lines(&bench.read("ledger.jsonl"));
    let at = offset(&lines, 2);
    lines[2].insert(1, b' ');
    bench.write("ledger.jsonl", lines.concat());
    finds(&bench, "NON_CANONICAL", 2, at);
    lines[2].remove(1);
    lines[2].insert(0, b'\n');
    bench.write("ledger.jsonl", lines.concat());
    finds(&bench, "NON_CANONICAL", 2, at);
}

#[test]
fn lines_have_a_bound() {
    let bench = Bench::ledger();
    let mut bytes = bench.read("ledger.jsonl");
    let at = bytes.len() as u64;
    bytes.extend(vec![b'x'; 1 << 20]);
    bench.write("ledger.jsonl", bytes);
    finds(&bench, "NON_CANONICAL", 8, at);
}

#[test]
fn expectations_find_a_cut_tail_and_a_surplus() {
    let bench = Bench::ledger();
    let whole = bench.read("ledger.jsonl");
    let head = bench.run("verify ledger.jsonl --json").json()["head"]
        .as_str()
        .unwrap()
        .to_owned();
    let all = lines(&whole);
    for command in [VERIFY, REPLAY] {
        bench.write("ledger.jsonl", &whole);
        bench
            .run(&format!(
                "{command} --expect-entries 8 --expect-head {head}"
            ))
            .exits(0);
        let surplus = bench.verdict(&format!("{command} --expect-entries 6"));
        assert_eq!(surplus, ("ALTERED".to_owned(), 6, offset(&all, 6)));

        bench.write("ledger.jsonl", all[..5].concat());
        bench.run(command).exits(0);
        let end = offset(&all, 5);
        for expectation in ["--expect-entries 8", &format!("--expect-head {head}")] {
            assert_eq!(
                bench.verdict(&format!("{command} {expectation}")),
                ("TRUNCATED".to_owned(), 5, end)
            );
        }
        // As long as it should be and yet another.
        let other = "0".repeat(64);
        let anew = bench.verdict(&format!(
            "{command} --expect-entries 5 --expect-head {other}"
        ));
        assert_eq!(anew, ("ALTERED".to_owned(), 4, offset(&all, 4)));
    }
}

#[test]
fn a_decision_that_was_forged_diverges() {
    // A ledger whose chain is right and whose decision is not: only replay can tell.
    struct Lines(Vec<u8>);
    impl LedgerSink for Lines {
        fn append(&mut self, entry: &axilog::ledger::Entry<'_>) -> Result<(), SinkFailed> {
            let mut line = axilog_ledger::encoding::ByteBuffer::default();
            axilog::ledger_line::write(entry, &mut line);
            self.0.extend(line.0);
            Ok(())
        }
    }
    let bench = Bench::ledger();
    let whole = bench.read("ledger.jsonl");
    let mut forged = Lines(axilog_ledger::file::genesis_line());
    let mut ledger = Ledger::genesis();
    let mut faults = axilog::fault::Faults::NONE;
    for line in &lines(&whole)[1..] {
        let entry = axilog::ledger_line::parse(line).unwrap();
        let record = String::from_utf8(entry.payload.to_vec()).unwrap();
        let record = record.replace("\"actual\":65536", "\"actual\":65537");
        ledger
            .record(entry.tag, record.as_bytes(), &mut forged, &mut faults)
            .unwrap();
    }
    assert_ne!(forged.0, whole);
    bench.write("ledger.jsonl", &forged.0);
    bench.run(VERIFY).exits(0);
    let at = offset(&lines(&forged.0), 6);
    assert_eq!(bench.verdict(REPLAY), ("DIVERGED".to_owned(), 6, at));

    // Without its policy a transition has no witness.
    let mut forged = Lines(axilog_ledger::file::genesis_line());
    let mut ledger = Ledger::genesis();
    for line in lines(&whole)[1..]
        .iter()
        .filter(|l| !l.ends_with(b"\"AX:POLICY:v1\"}\n"))
    {
        let entry = axilog::ledger_line::parse(line).unwrap();
        ledger
            .record(entry.tag, entry.payload, &mut forged, &mut faults)
            .unwrap();
    }
    bench.write("ledger.jsonl", &forged.0);
    let at = offset(&lines(&forged.0), 6);
    assert_eq!(bench.verdict(REPLAY), ("UNWITNESSED".to_owned(), 6, at));

    // A sealed ledger is good, and closed.
    let mut sealed = Lines(whole.clone());
    let last = lines(&whole).pop().unwrap();
    let last = axilog::ledger_line::parse(&last).unwrap();
    let mut ledger = Ledger::resume(last.chain, last.sequence);
    ledger.seal(&mut sealed, &mut faults).unwrap();
    bench.write("ledger.jsonl", &sealed.0);
    let report = bench
        .run("replay ledger.jsonl --expect-entries 8 --json")
        .exits(0);
    assert_eq!(report.json()["sealed"], true);
    bench.observe(b"{\"value\":1}").exits(1).says("is sealed");
    // Cut before the seal, one record short of what it says.
    let mut cut = lines(&sealed.0);
    cut.remove(7);
    bench.write("ledger.jsonl", cut.concat());
    assert_eq!(bench.verdict(VERIFY).0, "REORDERED");
}
