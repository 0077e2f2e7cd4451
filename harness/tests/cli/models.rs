//! One oracle has one model (decision D24), and a ledger has one set of rules (D26).

use std::sync::Arc;

use axilog::admission::{Answer, InputKind};
use axilog::agent::Agent;
use axilog::agent::state::InputClass;
use axilog::evidence::observation::{Completion, Params};
use axilog::fault::Faults;
use axilog_ledger::decision::StepRecorder;
use axilog_ledger::file::blobs::BlobWriter;
use axilog_ledger::file::volume::FileSystem;
use axilog_ledger::rules::{RuleSet, load_builtin_policies};

use crate::bench::{Bench, lines, offset};

#[test]
fn a_second_model_is_refused_before_anything_is_recorded() {
    let bench = Bench::ledger();
    let before = bench.read("ledger.jsonl");
    bench
        .run_with(
            "observe --ledger ledger.jsonl --oracle-id o --model-id m-2",
            b"{\"value\":1}",
        )
        .exits(1)
        .says("\"o\" has the model \"m\"")
        .says("nothing was recorded");
    assert_eq!(bench.read("ledger.jsonl"), before);
    bench
        .run_with(
            "observe --ledger ledger.jsonl --oracle-id o-2 --model-id m-2",
            b"{\"value\":1}",
        )
        .exits(0);
}

#[test]
fn a_forged_second_model_is_found() {
    // The core leaves it to the harness to refuse; so the core can write such a ledger.
    let rules = RuleSet::new(load_builtin_policies().unwrap(), false, false);
    let (mut agent, mut faults) = (Agent::new(), Faults::NONE);
    let mut work = vec![0; 65_536];
    let mut sink = StepRecorder::with_genesis();
    let rules = rules.rules();
    agent
        .observe_control(
            InputClass::ResetRequest,
            &rules,
            &mut work,
            &mut sink,
            &mut faults,
        )
        .unwrap();
    agent
        .observe_time(1, &rules, &mut work, &mut sink, &mut faults)
        .unwrap();
    for model_id in ["m-1", "m-2"] {
        let answer = Answer {
            completion: Completion::Complete,
            failure: None,
            input: b"",
            input_kind: InputKind::Text,
            ledger_seq: 0,
            model_id: model_id.as_bytes(),
            oracle_id: b"o",
            output: b"{\"value\":1}",
            params: Params::NULL,
        };
        agent
            .observe(&answer, &rules, &mut work, &mut sink, &mut faults)
            .unwrap();
    }
    let bench = Bench::new();
    bench.write("ledger.jsonl", sink.batch.lines());
    let at = offset(&lines(sink.batch.lines()), 8);
    for command in ["verify ledger.jsonl", "replay ledger.jsonl"] {
        assert_eq!(bench.verdict(command), ("MODEL_MISMATCH".to_owned(), 8, at));
    }
}

#[test]
fn models_can_be_pinned_from_outside() {
    let bench = Bench::ledger();
    let at = offset(&lines(&bench.read("ledger.jsonl")), 5);
    bench
        .run("replay ledger.jsonl --expect-model x=y --expect-model o=m")
        .exits(0);
    let pinned = bench.verdict("replay ledger.jsonl --expect-model o=another");
    assert_eq!(pinned, ("MODEL_MISMATCH".to_owned(), 5, at));
    bench.run("replay ledger.jsonl --expect-model o").exits(2);
}

const OTHER: &str =
    r#"[{"comparison":"GT","enabled":true,"policy_id":"POL-001-MAX-VELOCITY","threshold":1}]"#;

#[test]
fn other_rules_are_refused() {
    let bench = Bench::ledger();
    bench.write("other.json", OTHER);
    let whole = bench.read("ledger.jsonl");
    let at = offset(&lines(&whole), 1);
    assert_eq!(
        bench.verdict("replay ledger.jsonl --policies other.json"),
        ("CONFIG_MISMATCH".to_owned(), 1, at)
    );
    bench
        .run("time 1001 --ledger ledger.jsonl --policies other.json")
        .exits(1)
        .says("CONFIG_MISMATCH");
    assert_eq!(bench.read("ledger.jsonl"), whole);

    // Damage to the ledger itself is said first.
    let mut damaged = lines(&whole);
    damaged[1][200] ^= 1;
    bench.write("ledger.jsonl", damaged.concat());
    let verdict = bench.verdict("replay ledger.jsonl --policies other.json");
    assert_eq!(verdict.0, "ALTERED");
}

#[test]
fn without_its_blob_the_built_in_or_the_named_rules_serve_if_they_fit() {
    let bench = Bench::ledger();
    bench.write("other.json", OTHER);
    bench
        .run("init other.jsonl --policies other.json --stop-on-invalid")
        .exits(0);
    for name in ["ledger.jsonl.blobs", "other.jsonl.blobs"] {
        std::fs::remove_dir_all(bench.path(name)).unwrap();
    }
    let report = bench.run("replay ledger.jsonl --json").exits(0).json();
    assert_eq!(report["configuration_source"], "built-in");
    bench.observe(b"{\"value\":1}").exits(0);

    bench
        .run("replay other.jsonl")
        .exits(3)
        .says("its configuration")
        .says("--policies");
    // The caller's policies say both switches: one that is not named must be off.
    for switches in [
        "",
        "--permit-truncated",
        "--permit-truncated --stop-on-invalid",
    ] {
        let run = format!("replay other.jsonl --policies other.json {switches} --json");
        let report = bench.run(&run).exits(1).json();
        assert_eq!(report["verdict"], "CONFIG_MISMATCH", "{switches}");
        let reason = report["reason"].as_str().unwrap();
        assert!(reason.contains("it has stop_on_invalid only"), "{reason}");
    }
    let report = bench
        .run("replay other.jsonl --policies other.json --stop-on-invalid --json")
        .exits(0)
        .json();
    assert_eq!(report["configuration_source"], "caller");
    assert_eq!(report["stop_on_invalid"], true);
    assert_eq!(report["permit_truncated"], false);
    bench
        .run("control fault --ledger other.jsonl --policies other.json")
        .exits(0);

    // A damaged ledger is a verdict even so.
    let mut damaged = lines(&bench.read("other.jsonl"));
    damaged[4][200] ^= 1;
    bench.write("other.jsonl", damaged.concat());
    assert_eq!(bench.verdict("replay other.jsonl").0, "ALTERED");
}

#[test]
fn an_operator_that_no_file_can_express_is_a_clear_error() {
    use axilog::policy::{Comparison, Policy, Rules};
    let policies = [Policy {
        id: "P",
        threshold: 0,
        comparison: Comparison::Unknown,
        enabled: true,
        selector: "value",
    }];
    let rules = Rules {
        registry: &policies,
        permit_truncated: false,
        stop_on_invalid: false,
        manifest: None,
    };
    let mut configuration = axilog_ledger::encoding::ByteBuffer::default();
    rules.write(&mut configuration);
    let (mut agent, mut faults) = (Agent::new(), Faults::NONE);
    let mut sink = StepRecorder::with_genesis();
    let mut work = vec![0; 65_536];
    agent
        .observe_control(
            InputClass::ResetRequest,
            &rules,
            &mut work,
            &mut sink,
            &mut faults,
        )
        .unwrap();
    let bench = Bench::new();
    bench.write("ledger.jsonl", sink.batch.lines());
    BlobWriter::for_ledger(&bench.path("ledger.jsonl"), Arc::new(FileSystem))
        .store(&configuration.0)
        .unwrap();
    bench.run("verify ledger.jsonl --blobs").exits(0);
    bench
        .run("replay ledger.jsonl")
        .exits(3)
        .says("\"UNKNOWN\"")
        .says("cannot replay under such a configuration");
}
