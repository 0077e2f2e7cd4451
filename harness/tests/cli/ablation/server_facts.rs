//! What a server says of its answers: recorded, held against the rules, replayed.

use serde_json::{Value, json};

use super::agent_server::{AgentAnswer, AgentServer};
use super::stopping::calibrate;
use crate::bench::{Bench, Run};

fn run_line(server: &AgentServer, options: &str) -> String {
    format!(
        "ablation run --model gpt-4o --calibration N.json --seeds 1 --pilot --episodes 1 --out r --json \
         --yes --base-url {} {options}",
        server.base_url
    )
}

fn read_document(bench: &Bench, run: &str) -> Value {
    serde_json::from_slice(&bench.read(&format!("{run}/run.json"))).unwrap()
}

#[test]
fn the_ledger_says_who_answered_and_where() {
    let bench = calibrate();
    let mut calls = 0;
    let server = AgentServer::start(move |mut answer| {
        calls += 1;
        if calls > 20 {
            answer.fingerprint = "fp_2".to_owned();
        }
        answer.respond()
    });
    bench.run(&run_line(&server, "--variant baseline")).exits(0);
    let document = read_document(&bench, "r/baseline");
    let provider = document["provider"].as_array().unwrap();
    assert_eq!(provider.len(), 2);
    for (stated, fingerprint) in provider.iter().zip(["fp_1", "fp_2"]) {
        assert_eq!(stated["answered_by"], "gpt-4o-2024-08-06");
        assert_eq!(stated["system_fingerprint"], fingerprint);
        assert_eq!(stated["prompt_tokens"], 1337);
    }
    let shown = bench
        .run("show r/baseline/ledger.jsonl --oracle ablation.run --json")
        .exits(0)
        .stdout;
    let record = shown
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .find(|record| record["tag"] == "AX:OBS:v1");
    let stated: Value = serde_json::from_str(record.unwrap()["output"].as_str().unwrap()).unwrap();
    assert_eq!(stated["base_url"], server.base_url.as_str());
    assert_eq!(stated["arms"], json!(["baseline"]));
    bench.run("ablation replay r").exits(0);
    // The document cannot tell another story.
    let text = String::from_utf8(bench.read("r/baseline/run.json")).unwrap();
    bench.write("r/baseline/run.json", text.replacen("fp_1", "fp_3", 1));
    bench
        .run("ablation replay r")
        .exits(1)
        .says("run.json: byte");
}

/// Gate P4 holds for the tokens that the provider counts too.
#[test]
fn a_prompt_that_the_server_counts_otherwise_is_shadow_persistence() {
    let bench = calibrate();
    let mut calls = 0;
    let server = AgentServer::start(move |mut answer| {
        calls += 1;
        answer.prompt_tokens = match calls {
            // A server may say nothing of an answer.
            3 => None,
            8 => Some(1345),
            _ => Some(1337),
        };
        answer.respond()
    });
    let line = run_line(&server, "--variant baseline");
    let found = bench.run(&line).exits(1).json();
    assert_eq!(found["runs"][0]["reason"], "SHADOW_PERSISTENCE");
    let detail = found["runs"][0]["detail"].as_str().unwrap();
    assert!(
        detail.contains("counts 1345 tokens in the prompt of record ")
            && detail.contains("and 1337 in that of record "),
        "{detail}"
    );
    assert_eq!(found["runs"][0]["steps"], 7);
    // Nothing was asked after it.
    assert_eq!(server.request_count(), 8);
    bench.run("ablation replay r").exits(0);
}

#[test]
fn an_answer_of_another_model_makes_a_run_invalid() {
    let bench = calibrate();
    let mut calls = 0;
    let server = AgentServer::start(move |mut answer| {
        calls += 1;
        if calls == 5 {
            answer.model = "gpt-4o-mini".to_owned();
        }
        answer.respond()
    });
    let found = bench.run(&run_line(&server, "--variant b")).exits(1).json();
    assert_eq!(found["runs"][0]["reason"], "MODEL_CHANGED");
    let detail = found["runs"][0]["detail"].as_str().unwrap();
    assert!(
        detail.contains("\"gpt-4o-mini\" gave the answer in record ")
            && detail.contains("and \"gpt-4o-2024-08-06\" the one in record "),
        "{detail}"
    );
    assert_eq!(server.request_count(), 5);
    bench.run("ablation replay r").exits(0);
}

#[test]
fn the_sampling_parameters_are_sent_and_recorded() {
    let bench = calibrate();
    let server = AgentServer::start(|answer| answer.respond());
    let options = "--variant b --temperature 0.5 --top-p 0.25 --sampling-seed 7 --max-tokens 300";
    bench.run(&run_line(&server, options)).exits(0);
    let body = &server.take_bodies()[0];
    assert_eq!(
        [
            &body["temperature"],
            &body["top_p"],
            &body["seed"],
            &body["max_tokens"]
        ],
        [&json!(0.5), &json!(0.25), &json!(7), &json!(300)]
    );
    let header = &read_document(&bench, "r/b")["header"];
    assert_eq!(
        header["sampling"],
        json!({ "max_tokens": 300, "seed": 7, "temperature": 32768, "top_p": 16384 })
    );
    bench.run("ablation replay r").exits(0);
    for (option, expected) in [
        ("--temperature=-1", "decimal number from 0 to 32767"),
        ("--top-p 1.5", "decimal number from 0 to 1"),
        ("--max-tokens 0", "--max-tokens"),
        ("--sampling-seed=-1", "--sampling-seed"),
    ] {
        bench
            .run(&run_line(&server, &format!("--variant c {option}")))
            .exits(2)
            .says(expected);
    }
}

/// Runs three arms under one seed with a server that says something else from the second turn on. Gives the arms of the
/// first two turns, in the order of the plan, and whether the second turn is the later of them there.
fn run_two_turns(
    change: impl Fn(&mut AgentAnswer) + Send + 'static,
) -> (Bench, AgentServer, Run, [String; 2], bool) {
    let bench = calibrate();
    let mut calls = 0;
    let server = AgentServer::start(move |mut answer| {
        calls += 1;
        if calls > 50 {
            change(&mut answer);
        }
        answer.respond()
    });
    let run = bench.run(&run_line(&server, "--variant all"));
    let plan: Value = serde_json::from_slice(&bench.read("r/plan.json")).unwrap();
    let turn = |place: usize| plan["turns"][0]["arms"][place].as_str().unwrap().to_owned();
    let place = |wanted: &str| ["baseline", "b", "c"].iter().position(|arm| *arm == wanted);
    let mut arms = [turn(0), turn(1)];
    let is_ordered = place(&arms[0]) < place(&arms[1]);
    if !is_ordered {
        arms.reverse();
    }
    (bench, server, run, arms, is_ordered)
}

/// A model that is exchanged between two arms is no difference of their variants, and no third arm is paid for.
#[test]
fn another_model_in_another_arm_makes_a_comparison_invalid() {
    let (bench, server, run, [first, second], is_ordered) =
        run_two_turns(|answer| "gpt-4o-mini".clone_into(&mut answer.model));
    let (found, expected) = match is_ordered {
        true => ("gpt-4o-mini", "gpt-4o-2024-08-06"),
        false => ("gpt-4o-2024-08-06", "gpt-4o-mini"),
    };
    let said = format!(
        "r/{second}: INVALID_COMPARISON / MODEL_CHANGED: {found:?} gave its answers, and {expected:?} those of r/{first}; run both arms under the same conditions"
    );
    run.exits(1).says(&said);
    assert_eq!(server.request_count(), 100);
    assert!(!bench.exists("r/comparison.json"));
    for end in ["", " --no-replay"] {
        let line = format!("ablation compare r/{first} r/{second}{end}");
        bench.run(&line).exits(1).says(&said);
    }
    // Going on asks nothing and says the same.
    let again = bench.run(&run_line(&server, "--variant all --resume"));
    again.exits(1).says(&said);
    assert_eq!(server.request_count(), 0);
}

/// Gate P4 across arms: an arm whose prompts a server counts otherwise could be told by its length.
#[test]
fn other_token_counts_in_another_arm_make_a_comparison_invalid() {
    let (bench, _server, run, [first, second], is_ordered) =
        run_two_turns(|answer| answer.prompt_tokens = Some(1346));
    let (found, expected) = match is_ordered {
        true => (1346, 1337),
        false => (1337, 1346),
    };
    let said = format!(
        "r/{second}: INVALID_COMPARISON / TOKEN_COUNT_CHANGED: the server counts {found} tokens in its prompts, and {expected} in those of r/{first};"
    );
    run.exits(1).says(&said);
    let line = format!("ablation compare r/{first} r/{second}");
    bench.run(&line).exits(1).says(&said);
}

/// What a server says only now and then is compared where it is said.
#[test]
fn an_arm_of_which_the_server_says_nothing_is_compared() {
    let (_bench, _server, run, ..) = run_two_turns(|answer| answer.prompt_tokens = None);
    run.exits(0);
}

#[test]
fn arms_that_were_sampled_otherwise_are_no_comparison() {
    let bench = calibrate();
    let server = AgentServer::start(|answer| answer.respond());
    bench.run(&run_line(&server, "--variant baseline")).exits(0);
    let other = run_line(&server, "--variant b --temperature 1.5 --top-p 0.5")
        .replace("--out r", "--out s");
    bench.run(&other).exits(0);
    bench
        .run("ablation compare r s")
        .exits(1)
        .says("s/b: INVALID_COMPARISON / SAMPLING_CHANGED: its answers were sampled with temperature 1.5, at most 1024 tokens, top_p 0.5, and with temperature 0, at most 1024 tokens those of r/baseline;");
}
