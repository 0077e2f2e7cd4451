//! The status codes of C2SP tlog-witness, and the bounds of what is read.

use std::io::{Read, Write};
use std::net::TcpStream;

use axilog::hash::sha256;
use axilog_heads::{Checkpoint, LogKey};
use axilog_ledger::encoding::hex;
use axilog_witness::MAX_SUBMISSION_BYTES;

use crate::bench::{Bench, Log, NAME};

#[test]
fn a_head_that_extends_the_one_before_is_signed() {
    let bench = Bench::new();
    let (log, witness) = (bench.log("a"), bench.serve());
    let path = format!("/{}/checkpoint", hex(&sha256(NAME.as_bytes())));
    witness.get(&path).is(404, "signed no head of this log");
    for (old, size) in [(0, 1), (1, 2), (2, 9), (9, 9), (9, 300), (300, 70_000)] {
        let answer = witness.submit(log.submission(old, size));
        answer.is(200, "\u{2014} example.com/witness ");
        let head = log.head(size);
        let mut checkpoint = Checkpoint::parse(head.as_bytes()).unwrap();
        let key = bench.witness_key();
        let time = checkpoint.add_cosignature(answer.body.as_bytes(), &key);
        assert!(time.unwrap() > 1_700_000_000);
        // The one that is shown is the one that was signed, with both signatures.
        let shown = witness.get(&path);
        assert!(
            shown.head.contains("text/plain; charset=utf-8"),
            "{}",
            shown.head
        );
        assert_eq!(shown.body, format!("{head}{}", answer.body));
    }
    let metrics = witness.get("/metrics").body;
    for line in [
        "axilog_witness_submissions_total{status=\"200\"} 6",
        "axilog_witness_logs 1",
    ] {
        assert!(metrics.contains(line), "{metrics}");
    }
}

#[test]
fn what_is_no_submission_is_refused_with_400() {
    let bench = Bench::new();
    let (log, witness) = (bench.log("a"), bench.serve());
    witness.submit(log.submission(0, 8)).is(200, "");
    let good = log.submission(8, 20);
    let root = log.head(20).lines().nth(2).unwrap().to_owned();
    let many = format!("{root}\n").repeat(64);
    for (body, told) in [
        (String::new(), "no empty line"),
        (log.head(20), "no signed note"),
        (good.replacen("old 8", "old 08", 1), "old N"),
        (good.replacen("old 8", "old -8", 1), "old N"),
        (good.replacen("old 8", "old 8\nA", 1), "base64 of a SHA-256"),
        (
            good.replacen("old 8\n", &format!("old 8\n{many}"), 1),
            "more than 63",
        ),
        (good.replacen('\n', "\r\n", 1), "carriage returns"),
        (
            good.replacen(&format!("{root}\n"), &format!("{root}\nmore\n"), 1),
            "lines after its root",
        ),
        (good.replacen("\n20\n", "\n020\n", 1), "no head"),
        (
            good.replacen("\n20\n", &format!("\n{}\n", u64::MAX), 1),
            "as many records",
        ),
        (
            log.submission(8, 20).replacen("old 8\n", "old 21\n", 1),
            "an older head of 21 records",
        ),
    ] {
        witness.submit(body).is(400, told);
    }
    witness.submit(b"\xff\xfe").is(400, "UTF-8");
    witness.submit(&good).is(200, "");
}

#[test]
fn unknown_logs_and_keys_are_refused() {
    let bench = Bench::new();
    let (log, witness) = (bench.log("a"), bench.serve());
    let other = LogKey::create(&bench.path("pump.key"), "example.com/pump").unwrap();
    witness
        .submit(Log::new(other, "a").submission(0, 5))
        .is(404, "knows no log \"example.com/pump\"");
    // Another key of the same name.
    let other = LogKey::create(&bench.path("other.key"), NAME).unwrap();
    let forged = Log::new(other, "a");
    witness
        .submit(forged.submission(0, 5))
        .is(403, "has no signature of");
    // A signature of the key that does not hold, alone and beside one that does.
    let good = log.submission(0, 5);
    let signature = good.lines().last().unwrap();
    let other_signature = log.submission(0, 6);
    let spoilt = other_signature.lines().last().unwrap();
    witness
        .submit(good.replace(signature, spoilt))
        .is(403, "does not hold");
    witness
        .submit(good.replace(signature, &format!("{spoilt}\n{signature}")))
        .is(403, "does not hold");
    // The head of one log as that of another.
    witness
        .submit(good.replace("\nexample.com/plant\n", "\nexample.com/pump\n"))
        .is(404, "");
    // A signature of a key that nobody knows does no harm, and is not kept.
    let theirs = forged.head(5);
    let unknown = theirs.lines().last().unwrap();
    witness
        .submit(good.replace(signature, &format!("{unknown}\n{signature}")))
        .is(200, "");
    let shown = witness.get(&format!("/{}/checkpoint", hex(&sha256(NAME.as_bytes()))));
    assert!(!shown.body.contains(unknown), "{}", shown.body);
    witness
        .get(&format!(
            "/{}/checkpoint",
            hex(&sha256(b"example.com/pump"))
        ))
        .is(404, "no such log");
}

#[test]
fn what_does_not_extend_the_signed_head_is_refused() {
    let bench = Bench::new();
    let (log, fork, witness) = (bench.log("a"), bench.log("b"), bench.serve());
    // Of an empty log the root is known.
    let wrong = Checkpoint::sign(0, [7; 32], &log.key).unwrap().to_bytes();
    witness
        .submit([b"old 0\n\n".to_vec(), wrong].concat())
        .is(422, "SHA-256 of nothing");
    witness.submit(log.submission(0, 0)).is(200, "");
    let given = log.submission(4, 8).replacen("old 4", "old 0", 1);
    witness.submit(given).is(422, "there is no older head");
    witness.submit(log.submission(0, 8)).is(200, "");
    // Older, newer and unknown heads.
    witness.submit(log.submission(0, 8)).is_conflict(8);
    witness.submit(log.submission(4, 8)).is_conflict(8);
    witness.submit(log.submission(4, 6)).is_conflict(8);
    witness.submit(log.submission(9, 20)).is_conflict(8);
    witness.submit(log.submission(0, 0)).is_conflict(8);
    // A fork, whose own proofs hold.
    witness
        .submit(fork.submission(8, 20))
        .is(422, "do not lead from one root to the other");
    witness
        .submit(fork.submission(8, 8))
        .is(422, "as many records, and another root");
    witness.submit(fork.submission(0, 20)).is_conflict(8);
    let proof = log.submission(8, 20);
    let (_, rest) = proof.split_once('\n').unwrap();
    let (_, rest) = rest.split_once('\n').unwrap();
    witness
        .submit(format!("old 8\n{rest}"))
        .is(422, "do not lead");
    let same = log.submission(8, 8).replacen(
        "old 8\n",
        &format!("old 8\n{}\n", log.head(8).lines().nth(2).unwrap()),
        1,
    );
    witness.submit(same).is(422, "do not lead");
    witness.submit(proof).is(200, "");
    witness.submit(log.submission(8, 20)).is_conflict(20);
}

#[test]
fn what_a_client_sends_is_bounded() {
    let bench = Bench::new();
    let (log, witness) = (bench.log("a"), bench.serve());
    let long = "x".repeat(MAX_SUBMISSION_BYTES + 1);
    witness.submit(&long).is(413, "longer than");
    // A length that is only announced.
    let mut stream = TcpStream::connect(witness.address).unwrap();
    let head = "POST /add-checkpoint HTTP/1.1\r\nhost: w\r\nconnection: close\r\ncontent-length: 99999999999\r\n\r\n";
    stream.write_all(head.as_bytes()).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    assert!(text.starts_with("HTTP/1.1 413 "), "{text}");
    // A head that is too long, and a body that breaks off.
    let mut stream = TcpStream::connect(witness.address).unwrap();
    let _ = stream.write_all(format!("GET /{} HTTP/1.1\r\n", "x".repeat(100_000)).as_bytes());
    let mut text = Vec::new();
    let _ = stream.read_to_end(&mut text);
    assert!(!text.starts_with(b"HTTP/1.1 200"));
    let mut stream = TcpStream::connect(witness.address).unwrap();
    stream
        .write_all(b"POST /add-checkpoint HTTP/1.1\r\nhost: w\r\ncontent-length: 50\r\n\r\nold")
        .unwrap();
    drop(stream);
    witness.get("/add-checkpoint").is(405, "");
    witness.get("/nothing").is(404, "");
    witness.submit(log.submission(0, 5)).is(200, "");
}
