//! `axilog witness`: a real process that signs heads of a ledger which the command made.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Stdio};
use std::thread;

use axilog_heads::{Checkpoint, WitnessKey};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

use crate::bench::Bench;

/// The name of the ledger, and of its key.
pub const NAME: &str = "example.com/plant";

/// A ledger whose head was signed, its public key in `logs`, and the key and the state of a witness.
pub fn plant() -> Bench {
    let bench = Bench::new();
    let name = NAME;
    bench
        .run(&format!("init ledger.jsonl --name {name} --time 1000"))
        .exits(0);
    bench.observe(b"{\"value\":1}").exits(0);
    let key = bench.run(&format!("key new plant.key --name {name}"));
    bench.write("logs", key.exits(0).stdout);
    bench
        .run("checkpoint ledger.jsonl --key plant.key")
        .exits(0);
    bench
        .run("key new witness.key --name example.org/witness --witness")
        .exits(0);
    let made = bench
        .run("witness init state --key witness.key --json")
        .exits(0)
        .json();
    let public = bench.run("key show witness.key").exits(0).stdout;
    assert_eq!(made["public_key"], public.trim_end());
    bench
}

/// A witness that serves, and what it said when it began.
pub struct Serving {
    process: Child,
    pub said: Value,
}

impl Serving {
    pub fn begin(bench: &Bench) -> Serving {
        let mut command = bench.command();
        command.args("witness serve state --key witness.key --logs logs --json".split(' '));
        command.args(["--listen", "127.0.0.1:0"]);
        let mut process = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut stdout = BufReader::new(process.stdout.take().unwrap());
        stdout.read_line(&mut line).unwrap();
        Serving {
            process,
            said: serde_json::from_str(&line).unwrap(),
        }
    }

    /// Submits `body`, and gives the status and what follows the head.
    fn submit(&self, body: &[u8]) -> (u16, String) {
        let mut stream = TcpStream::connect(self.said["address"].as_str().unwrap()).unwrap();
        let head = format!(
            "POST /add-checkpoint HTTP/1.1\r\nhost: w\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(&[head.as_bytes(), body].concat()).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, body.to_owned())
    }

    pub fn end(mut self) {
        let id = i32::try_from(self.process.id()).unwrap();
        kill(Pid::from_raw(id), Signal::SIGTERM).unwrap();
        assert_eq!(self.process.wait().unwrap().code(), Some(0));
    }
}

#[test]
fn a_witness_signs_what_the_command_proves() {
    let bench = plant();
    let witness = Serving::begin(&bench);
    assert_eq!(witness.said["logs"], 1);
    let first = bench.read("ledger.jsonl.checkpoint");
    let (status, signature) = witness.submit(&[b"old 0\n\n", &first[..]].concat());
    assert_eq!(status, 200, "{signature}");
    assert!(
        signature.starts_with("\u{2014} example.org/witness "),
        "{signature}"
    );
    // With the signature at its end it is the checkpoint that it was.
    bench.write("held", [&first[..], signature.as_bytes()].concat());
    let public = String::from_utf8(bench.read("logs")).unwrap();
    let check =
        |words: &str| bench.run(&format!("check {words} --public-key {}", public.trim_end()));
    check("held --head").exits(0);
    witness.end();

    bench.observe(b"{\"value\":2}").exits(0);
    bench
        .run("checkpoint ledger.jsonl --key plant.key")
        .exits(0);
    let grown = bench.run("prove ledger.jsonl --from held").exits(0).stdout;
    let witness = Serving::begin(&bench);
    let newer = bench.read("ledger.jsonl.checkpoint");
    let (status, size) = witness.submit(&[b"old 0\n\n", &newer[..]].concat());
    assert_eq!((status, size.as_str()), (409, "8\n"));
    assert_eq!(witness.submit(grown.as_bytes()).0, 200);
    // Another ledger under the same key and name.
    let other = Bench::new();
    other
        .run("init ledger.jsonl --name example.com/plant --time 1000")
        .exits(0);
    for value in 5..9 {
        let answer = format!("{{\"value\":{value}}}");
        other.observe(answer.as_bytes()).exits(0);
    }
    std::fs::copy(bench.path("plant.key"), other.path("plant.key")).unwrap();
    other
        .run("checkpoint ledger.jsonl --key plant.key")
        .exits(0);
    let forged = other.read("ledger.jsonl.checkpoint");
    let (status, told) = witness.submit(&[b"old 11\n\n", &forged[..]].concat());
    assert_eq!(status, 422, "{told}");
    witness.end();
}

/// Checkpoints that witnesses have signed, and commands that want them to have.
#[test]
fn a_policy_of_witnesses_is_asked_and_wanted() {
    let bench = plant();
    let witness = Serving::begin(&bench);
    let address = witness.said["address"].as_str().unwrap();
    bench
        .run("key new away.key --name example.net/witness --witness")
        .exits(0);
    let [key, away] = ["witness.key", "away.key"].map(|file| {
        let shown = bench.run(&format!("key show {file}")).exits(0).stdout;
        shown.trim_end().to_owned()
    });
    let lines =
        format!("witness north {key} http://{address}\nwitness south {away} http://127.0.0.1:1\n");
    bench.write("one", format!("{lines}group g any north south\nquorum g\n"));
    bench.write("two", format!("{lines}group g all north south\nquorum g\n"));
    let public = String::from_utf8(bench.read("logs")).unwrap();
    let public = public.trim_end();
    let submit = "witness submit ledger.jsonl.checkpoint --ledger ledger.jsonl --policy";
    let check = |policy: &str| {
        let key = format!("--public-key {public} --policy {policy}");
        let head = bench.run(&format!(
            "check ledger.jsonl.checkpoint --head {key} --json"
        ));
        let audit = format!("audit ledger.jsonl --checkpoint ledger.jsonl.checkpoint {key}");
        let audit = bench.run(&audit).exits(head.code).stdout;
        bench.run("prove ledger.jsonl --seq 5 -o five").exits(0);
        bench.run(&format!("check five {key}")).exits(head.code);
        (
            head.code,
            head.json(),
            audit.replace("\n                ", " "),
        )
    };
    let (code, report, audit) = check("one");
    assert_eq!((code, &report["ok"]), (1, &Value::Bool(false)));
    let reason = report["reason"].as_str().unwrap();
    assert!(
        reason.contains("are not enough: signed by no witness; not by north: "),
        "{reason}"
    );
    assert!(
        audit.contains("held head       FAILED: the witnesses of the policy"),
        "{audit}"
    );
    for size in [8, 11] {
        let run = bench.run(&format!("{submit} two --json"));
        let report = run.exits(1).json();
        assert_eq!(report["size"], size);
        assert!(
            report["witnesses"][0]["time"].as_u64().unwrap() > 1_700_000_000,
            "{report}"
        );
        let reason = report["witnesses"][1]["reason"].as_str().unwrap();
        assert!(reason.starts_with("it is away: "), "{reason}");
        let text = bench.run(&format!("{submit} one")).exits(0).stdout;
        assert!(text.starts_with("OK "), "{text}");
        let (code, report, audit) = check("one");
        assert_eq!(
            (code, &report["witnesses"]),
            (0, &serde_json::json!(["north"]))
        );
        assert!(
            audit.contains("signed by the witnesses north; not by south: "),
            "{audit}"
        );
        assert_eq!(check("two").0, 1);
        bench.observe(b"{\"value\":2}").exits(0);
        bench
            .run("checkpoint ledger.jsonl --key plant.key")
            .exits(0);
    }
    witness.end();
    bench.write("bad", "witness north\nquorum none\n");
    let told = bench.run(&format!("{submit} bad"));
    told.exits(2)
        .says("bad: is no policy of witnesses: line 1: expected ");
}

/// A witness may sign with any time of 64 bits, also one that is no date.
#[test]
fn a_time_that_is_no_date_is_shown_as_seconds() {
    let bench = plant();
    let key = WitnessKey::read(&bench.path("witness.key")).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let times = [253_402_300_799, 253_402_300_800, u64::MAX];
    let mut checkpoint = Checkpoint::read(&bench.path("ledger.jsonl.checkpoint")).unwrap();
    let public = key.public_key().to_string();
    let server = thread::spawn(move || {
        for time in times {
            let line = checkpoint.cosign(&key, time).unwrap();
            let (mut stream, _) = listener.accept().unwrap();
            // The whole request is read, since a connection that is closed before breaks off.
            let mut request = Vec::new();
            while !request.ends_with(b"=\n") {
                let mut piece = [0; 4096];
                let length = stream.read(&mut piece).unwrap();
                request.extend_from_slice(&piece[..length]);
            }
            let head = format!(
                "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
                line.len()
            );
            stream
                .write_all(&[head.as_bytes(), &line].concat())
                .unwrap();
        }
    });
    let policy = format!("witness north {public} http://{address}\nquorum north\n");
    bench.write("policy", policy);
    let submit = "witness submit ledger.jsonl.checkpoint --ledger ledger.jsonl --policy policy";
    for shown in [
        "north signed at 9999-12-31T23:59:59Z",
        "north signed at 253402300800 seconds after 1970 began",
        "north signed at 18446744073709551615 seconds after 1970 began",
    ] {
        let text = bench.run(submit).exits(0).stdout;
        assert!(
            text.replace("\n                ", " ").contains(shown),
            "{text}"
        );
    }
    server.join().unwrap();
}

#[test]
fn a_witness_begins_with_its_own_files_alone() {
    let bench = plant();
    bench
        .run("key new other.key --name example.org/witness --witness")
        .exits(0);
    bench.write("none", "# nothing\n");
    bench.write("wrong", bench.run("key show witness.key").exits(0).stdout);
    let serve = "witness serve --listen 127.0.0.1:0";
    for (words, code, told) in [
        (
            "witness init state --key witness.key".to_owned(),
            3,
            "are never overwritten",
        ),
        (
            "witness init new --key plant.key".to_owned(),
            2,
            "is the key of a ledger, expected the key of a witness",
        ),
        (
            "checkpoint ledger.jsonl --key witness.key".to_owned(),
            2,
            "is the key of a witness, expected the key of a ledger",
        ),
        (
            format!("{serve} nothing --key witness.key --logs logs"),
            3,
            "there is no state of a witness here",
        ),
        (
            format!("{serve} ledger.jsonl --key witness.key --logs logs"),
            2,
            "is not the state of a witness",
        ),
        (
            format!("{serve} state --key other.key --logs logs"),
            2,
            "is the state of the witness",
        ),
        (
            format!("{serve} state --key witness.key --logs none"),
            2,
            "names no log",
        ),
        (
            format!("{serve} state --key witness.key --logs wrong"),
            2,
            "wrong:1: the public key is refused: it is the key of a witness",
        ),
        (
            "witness serve state --key witness.key --logs logs --listen 192.0.2.1:1".to_owned(),
            3,
            "cannot listen at 192.0.2.1:1",
        ),
    ] {
        bench.run(&words).exits(code).says(told);
    }
    assert!(!bench.exists("new") && !bench.exists("nothing"));
}
