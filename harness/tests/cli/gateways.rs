//! Ledgers whose observations deployed gateways wrote, under profiles 1 and 2 (formats.md §3).

use axilog::admission::{Answer, InputKind, Limits, admit};
use axilog::evidence::observation::{Completion, Params};
use axilog::fault::Faults;
use axilog::hash::Tag;
use axilog::ledger::{Ledger, LedgerSink as _, genesis_entry};
use axilog::profile::Profile;
use axilog_ledger::decision::StepRecorder;
use serde_json::Value;

use crate::bench::Bench;

/// Answers whose bytes tell the profiles apart, and one that only a gateway takes: it is longer than
/// a record of ours may be.
fn outputs() -> [String; 4] {
    [
        "{\"value\": 12}".to_owned(),
        "two\nlines".to_owned(),
        "a \\ and a \"quote\"\n\né".to_owned(),
        "x".repeat(100_000),
    ]
}

#[test]
fn a_ledger_of_either_gateway_profile_verifies() {
    let gateways = [Profile::Oracle1_1, Profile::Oracle1_2];
    for (profile, name) in gateways.into_iter().zip(["ORACLE_1_1", "ORACLE_1_2"]) {
        let limits = Limits {
            profile,
            max_record: 131_072,
            ..Limits::DEFAULT
        };
        let (mut ledger, mut faults) = (Ledger::genesis(), Faults::NONE);
        let mut sink = StepRecorder::default();
        sink.append(&genesis_entry()).unwrap();
        let mut buffer = vec![0; 131_072];
        for (output, ledger_seq) in outputs().iter().zip(1..) {
            let answer = Answer {
                completion: Completion::Complete,
                failure: None,
                input: b"how fast?",
                input_kind: InputKind::Text,
                ledger_seq,
                model_id: b"m",
                oracle_id: b"o",
                output: output.as_bytes(),
                params: Params::NULL,
            };
            let (observation, _) = admit(&answer, None, &limits).unwrap();
            let record = observation.seal(profile, &mut buffer).unwrap().record;
            ledger
                .record(Tag::Obs, record, &mut sink, &mut faults)
                .unwrap();
        }
        let bench = Bench::new();
        bench.write("ledger.jsonl", sink.batch.lines());
        let report = bench.run("verify ledger.jsonl --json").exits(0).json();
        assert_eq!(report["entries"], 5);
        let found = report["profiles"].as_array().unwrap();
        assert!(found.contains(&name.into()), "{name}: {found:?}");

        let shown = bench.run("show ledger.jsonl --tag obs --json").exits(0);
        let kept: Vec<Value> = shown
            .stdout
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap()["output"].clone())
            .collect();
        assert_eq!(kept, outputs());

        // One altered byte is found there too.
        let mut altered = sink.batch.lines().to_vec();
        let at = altered.len() - 300;
        altered[at] ^= 1;
        bench.write("ledger.jsonl", &altered);
        bench.run("verify ledger.jsonl").exits(1);
    }
}
