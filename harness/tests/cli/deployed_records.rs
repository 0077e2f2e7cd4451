//! Ledgers with records that deployed code writes and no reader takes: what the command says of them.

use axilog::hash::{Tag, chain, commit, sha256};
use axilog::ledger::{Entry, genesis_entry};
use axilog::ledger_line;
use axilog::profile::Profile;
use axilog_ledger::encoding::{ByteBuffer, hex};
use serde_json::Value;

use crate::bench::Bench;

/// A record as a deployed gateway makes it, by a second writer than the library's, so that each is checked against the
/// other.
struct GatewayRecord {
    state: &'static str,
    failure: &'static str,
    oracle_id: &'static str,
    output: String,
    params: &'static str,
}

impl Default for GatewayRecord {
    fn default() -> GatewayRecord {
        GatewayRecord {
            state: "COMPLETE",
            failure: "null",
            oracle_id: "o",
            output: "{\\\"value\\\": 12}".to_owned(),
            params: r#"{"max_tokens":null,"seed":null,"temperature":null,"top_p":null}"#,
        }
    }
}

impl GatewayRecord {
    /// The record's bytes. `output` stands in it as it is, and counts without the backslashes.
    fn write(&self, ledger_seq: u64, profile: Profile) -> Vec<u8> {
        let GatewayRecord {
            state,
            failure,
            oracle_id,
            output,
            params,
        } = self;
        let size = output.replace('\\', "").len();
        let input_hash = "ab".repeat(32);
        let with_hash = |digits: &str| {
            format!(
                r#"{{"completion_state":"{state}","failure_type":{failure},"input_hash":"{input_hash}","ledger_seq":{ledger_seq},"model_id":"m","obs_hash":"{digits}","oracle_id":"{oracle_id}","output":"{output}","output_size":{size},"params":{params},"schema_version":"AX:OBS:v1"}}"#
            )
        };
        let hashed = with_hash("");
        let hash = match profile {
            Profile::Oracle1_2 => commit(b"AX:OBS:v1", hashed.as_bytes()),
            _ => sha256(hashed.as_bytes()),
        };
        with_hash(&hex(&hash)).into_bytes()
    }
}

/// A ledger of these records, after the genesis.
fn write_ledger(records: &[(Tag, Vec<u8>)]) -> Vec<u8> {
    let mut lines = ByteBuffer::default();
    let genesis = genesis_entry();
    ledger_line::write(&genesis, &mut lines);
    let mut head = genesis.chain;
    for (sequence, (tag, payload)) in (1..).zip(records) {
        let commit = commit(tag.as_str().as_bytes(), payload);
        head = chain(Some(&head), &commit);
        let entry = Entry {
            sequence,
            tag: *tag,
            payload,
            commit,
            chain: head,
        };
        ledger_line::write(&entry, &mut lines);
    }
    lines.0
}

/// A ledger of a good answer, this one, and another good one.
fn ledger_around(record: &GatewayRecord, profile: Profile) -> Vec<u8> {
    let good = GatewayRecord::default();
    let records = [&good, record, &good];
    let records: Vec<(Tag, Vec<u8>)> = (1..)
        .zip(records)
        .map(|(ledger_seq, record)| (Tag::Obs, record.write(ledger_seq, profile)))
        .collect();
    write_ledger(&records)
}

/// Runs a command on a ledger and gives what it prints, without its line ends.
#[track_caller]
fn print(command: &str, ledger: &[u8], code: i32) -> String {
    let bench = Bench::new();
    bench.write("rig.jsonl", ledger);
    let run = bench.run(&format!("{command} rig.jsonl")).exits(code);
    let words: Vec<&str> = run.stdout.split_whitespace().collect();
    words.join(" ")
}

/// What `verify` says of a ledger that is not good.
fn verify(bytes: &[u8]) -> Value {
    let bench = Bench::new();
    bench.write("rig.jsonl", bytes);
    bench.run("verify rig.jsonl --json").exits(1).json()
}

#[test]
fn a_record_of_the_deployed_heuristic_is_named_with_its_profile() {
    let angstrom = GatewayRecord {
        output: "12 \u{212B}".to_owned(),
        ..GatewayRecord::default()
    };
    for (profile, name) in [
        (Profile::Oracle1_1, "ORACLE_1_1"),
        (Profile::Oracle1_2, "ORACLE_1_2"),
    ] {
        let ledger = ledger_around(&angstrom, profile);
        let found = verify(&ledger);
        assert_eq!(found["verdict"], "NON_CANONICAL");
        assert_eq!(found["sequence"], 2);
        let reason = found["reason"].as_str().unwrap();
        assert_eq!(
            reason,
            format!(
                "written by the deployed heuristic, in the profile {name}: C gateways in service judge answers by rules of their own, and this record has an output that is not in Unicode's Normalization Form C. SRS-004 §5.5 would not have allowed it"
            )
        );
        let deployed = &found["deployed"];
        assert_eq!(deployed["records"], 1);
        assert_eq!(deployed["forbidden"], 1);
        assert_eq!(deployed["first"], 2);
        assert_eq!(deployed["departures"][0]["forbidden_by"], "§5.5");
        assert_eq!(deployed["chain"]["entries"], 4);
        assert_eq!(deployed["chain"]["fault"], Value::Null);
        let last = ledger.split(|byte| *byte == b'\n').nth(3).unwrap();
        let last: Value = serde_json::from_slice(last).unwrap();
        assert_eq!(deployed["chain"]["head"], last["chain"]);

        let audit = print("audit", &ledger, 1);
        assert!(audit.starts_with("FAILED"), "{audit}");
        let verified = print("verify", &ledger, 1);
        assert!(verified.starts_with("NON_CANONICAL"), "{verified}");
        for said in [&audit, &verified] {
            for words in [
                "written by the deployed heuristic",
                "SRS-004 would not have allowed 1 of the 1 records",
                "after it the chain is whole to the last record; the order of observations and decisions was not checked records 4 head",
            ] {
                assert!(said.contains(words), "{words}: {said}");
            }
        }
    }
}

#[test]
fn the_page_for_auditors_shows_what_verify_prints() {
    let angstrom = GatewayRecord {
        output: "12 \u{212B}".to_owned(),
        ..GatewayRecord::default()
    };
    let bench = Bench::new();
    bench.write("rig.jsonl", ledger_around(&angstrom, Profile::Oracle1_2));
    let printed = bench.run("verify rig.jsonl").exits(1).stdout;
    let lines = printed.lines().map(|line| format!("    {line}\n"));
    let block: String = lines.collect();
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/auditor.md");
    let page = std::fs::read_to_string(page).unwrap();
    let expected = format!("    $ axilog verify rig.jsonl\n{block}\n");
    assert!(
        page.contains(&expected),
        "the page does not have:\n{expected}"
    );
}

#[test]
fn each_departure_of_deployed_records_is_told_and_whether_srs_004_allows_it() {
    let record = GatewayRecord::default;
    let params = |params| GatewayRecord { params, ..record() };
    let cases = [
        (
            GatewayRecord {
                // 31 marks in a row, in Normalization Form C.
                output: "\u{5D0}".to_owned() + &"\u{5B0}".repeat(31),
                ..record()
            },
            "more than 30 combining marks",
            None,
        ),
        (
            GatewayRecord {
                oracle_id: "a\\u0001b",
                ..record()
            },
            "has an identity of more than 256 bytes, with control characters",
            None,
        ),
        (
            GatewayRecord {
                oracle_id: "",
                ..record()
            },
            "names no oracle or no model",
            Some("§7.1"),
        ),
        (
            params(r#"{"max_tokens":null,"seed":null,"temperature":-1,"top_p":null}"#),
            "a negative temperature",
            None,
        ),
        (
            params(r#"{"max_tokens":-5,"seed":null,"temperature":null,"top_p":null}"#),
            "a negative max_tokens",
            Some("§5.4"),
        ),
        (
            GatewayRecord {
                failure: "\"TIMEOUT\"",
                ..record()
            },
            "contradict each other",
            Some("§6.1"),
        ),
        (
            GatewayRecord {
                output: String::new(),
                failure: "\"UNKNOWN\"",
                state: "ERROR",
                ..record()
            },
            "contradict each other",
            Some("§6.1"),
        ),
    ];
    for (record, words, section) in cases {
        let found = verify(&ledger_around(&record, Profile::Oracle1_2));
        assert_eq!(found["verdict"], "NON_CANONICAL", "{words}");
        let reason = found["reason"].as_str().unwrap();
        assert!(reason.contains(words), "{words}: {reason}");
        let said = match section {
            Some(section) => format!("SRS-004 {section} would not have allowed it"),
            None => "SRS-004 would have allowed it; axilog's own form".to_owned(),
        };
        assert!(reason.contains(&said), "{said}: {reason}");
        assert_eq!(
            found["deployed"]["forbidden"],
            u64::from(section.is_some()),
            "{words}"
        );
    }
}

#[test]
fn decisions_of_deployed_code_are_named_too() {
    let observation = GatewayRecord::default().write(1, Profile::Oracle1_2);
    let policy = br#"{"actual":786432,"ledger_seq":1,"policy_id":"P","result":"PERMITTED","threshold":4587520}"#;
    let transition = br#"{"fault_count":0,"input_class":"LLM_OBS","ledger_seq":1,"next_state":"STOPPED","prev_state":"UNKNOWN","violation":null}"#;
    for (tag, record, words) in [
        (
            Tag::Policy,
            policy.as_slice(),
            "does not name the observation that the policy judged. SRS-004 §11.4 would not",
        ),
        (
            Tag::Trans,
            transition.as_slice(),
            "begins in an unknown state. SRS-004 would have allowed",
        ),
    ] {
        let ledger = write_ledger(&[(Tag::Obs, observation.clone()), (tag, record.to_vec())]);
        let found = verify(&ledger);
        let reason = found["reason"].as_str().unwrap();
        assert!(reason.contains(words), "{reason}");
        assert_eq!(found["deployed"]["profiles"][0], "ORACLE_1_2");
    }
}

#[test]
fn a_fault_behind_a_deployed_record_is_found() {
    let angstrom = GatewayRecord {
        output: "12 \u{212B}".to_owned(),
        ..GatewayRecord::default()
    };
    let ledger = ledger_around(&angstrom, Profile::Oracle1_2);
    let mut altered = ledger.clone();
    let at = altered.len() - 300;
    altered[at] ^= 1;
    let mut torn = ledger.clone();
    torn.pop();
    let mut lines: Vec<&[u8]> = ledger.split_inclusive(|byte| *byte == b'\n').collect();
    lines.push(lines[3]);
    for (bytes, verdict, entries) in [
        (altered, "ALTERED", 3),
        (torn, "TORN", 3),
        (lines.concat(), "REORDERED", 4),
    ] {
        let found = verify(&bytes);
        assert_eq!(found["verdict"], "NON_CANONICAL");
        let chain = &found["deployed"]["chain"];
        assert_eq!(chain["fault"]["verdict"], verdict);
        assert_eq!(chain["fault"]["sequence"], entries);
        assert_eq!(chain["entries"], entries);
    }
}

#[test]
fn what_deployed_code_does_not_write_is_not_called_so() {
    let angstrom = GatewayRecord {
        output: "12 \u{212B}".to_owned(),
        ..GatewayRecord::default()
    };
    let record = angstrom.write(1, Profile::Oracle1_2);
    let text = String::from_utf8(record).unwrap();
    let reason = "the record is not in its canonical form";
    for other in [
        text.replace("\"12", "\"13"),
        text.replace(",\"output\"", ", \"output\""),
        text.replace("\u{212B}", "\\u212b"),
    ] {
        assert_ne!(text, other);
        let found = verify(&write_ledger(&[(Tag::Obs, other.into_bytes())]));
        assert_eq!(found["verdict"], "NON_CANONICAL");
        assert_eq!(found["reason"], reason);
        assert_eq!(found["deployed"], Value::Null);
    }
}

#[test]
fn a_good_ledger_says_what_srs_004_would_not_have_allowed() {
    let long = GatewayRecord {
        output: "x".repeat(100_000),
        ..GatewayRecord::default()
    };
    let ledger = ledger_around(&long, Profile::Oracle1_2);
    let bench = Bench::new();
    bench.write("rig.jsonl", &ledger);
    let found = bench.run("verify rig.jsonl --json").exits(0).json();
    assert_eq!(found["deployed"]["forbidden"], 1);
    assert_eq!(found["deployed"]["chain"], Value::Null);
    for (command, code) in [("verify", 0), ("audit", 1)] {
        let said = print(command, &ledger, code);
        let words = "SRS-004 would not have allowed 1 of the 1 records that only deployed gateways write; the first is record 2 1: is longer than 65536 bytes (§6.2)";
        assert!(said.contains(words), "{said}");
    }

    let good = ledger_around(&GatewayRecord::default(), Profile::Oracle1_2);
    bench.write("rig.jsonl", good);
    let found = bench.run("verify rig.jsonl --json").exits(0).json();
    assert_eq!(found["deployed"], Value::Null);
}
