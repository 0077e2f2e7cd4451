//! What the commands take, refuse and print.

use serde_json::{Value, json};

use super::stopping::calibrate;
use crate::bench::Bench;

#[test]
fn preflight_reports_the_padding() {
    let bench = Bench::new();
    let found = bench
        .run("ablation preflight --model gpt-4o --json")
        .exits(0)
        .json();
    assert_eq!(found["basis"]["tokenizer"], "o200k_base");
    assert_eq!(found["basis"]["pad"], " X");
    assert_eq!(found["row"], 512);
    // Three of the prompt's own texts and 25 others, each before the two that follow padding.
    assert_eq!(found["boundaries"], (3 + 25) * 2);
    let other = bench
        .run("ablation preflight --model gpt-4 --json")
        .exits(0)
        .json();
    assert_eq!(other["basis"]["tokenizer"], "cl100k_base");
    assert_ne!(other["basis"]["pad_tokens"], found["basis"]["pad_tokens"]);
    let unstable = bench.run("ablation preflight --pad x").exits(1);
    assert!(
        unstable.stdout.contains("INVALID_RUN / PAD_UNSTABLE"),
        "{}",
        unstable.stdout
    );
    for run in [bench.run("ablation preflight"), unstable] {
        assert!(
            run.stdout.lines().all(|line| line.chars().count() <= 80),
            "{}",
            run.stdout
        );
    }
}

#[test]
fn unknown_models_and_tokenizers_name_the_option() {
    let bench = Bench::new();
    for (options, expected) in [
        ("--model llama-3", "--tokenizer"),
        ("--tokenizer o300k", "o200k_base"),
        ("--tokenizer none.json", "none.json"),
    ] {
        bench
            .run(&format!("ablation preflight {options}"))
            .exits(2)
            .says(expected);
    }
    bench
        .run("ablation calibrate --out N.json")
        .exits(2)
        .says("--model");
    bench
        .run("ablation calibrate --out N.json --oracle agent:clever")
        .exits(2)
        .says("precedent, indifferent or random");
    bench
        .run("ablation calibrate --out N.json --oracle gemini")
        .exits(2)
        .says("agent:precedent");
    assert!(!bench.exists("N.json"));
}

#[test]
fn a_run_needs_a_calibration_that_fits() {
    let bench = Bench::new();
    let run = "ablation run --oracle agent:precedent --seeds 1 --episodes 1 --variant b";
    bench
        .run(&format!("{run} --out r"))
        .exits(2)
        .says("--calibration");
    bench
        .run(&format!("{run} --out r --calibration N.json"))
        .exits(3)
        .says("N.json");
    bench
        .run("ablation calibrate --oracle agent:precedent --out N.json --seeds 1,2")
        .exits(2)
        .says("at least 3");
    bench
        .run("ablation calibrate --oracle agent:precedent --out N.json --seeds 1,2,2")
        .exits(2)
        .says("given twice");
    // A refused calibration leaves nothing behind.
    let calibrate = "ablation calibrate --oracle agent:precedent --out N.json";
    let found = bench.run(calibrate).exits(0).stdout;
    assert!(
        found.contains("N = 512") && found.lines().all(|line| line.chars().count() <= 80),
        "{found}"
    );
    bench.run(calibrate).exits(3).says("already exists");
    bench.run("verify N.json.ledger.jsonl --blobs").exits(0);
    for (option, expected) in [
        (
            "--tokenizer cl100k_base",
            "was made with the tokenizer \"o200k_base\"",
        ),
        ("--model gpt-4", "this is \"cl100k_base\""),
        (
            "--variant d",
            "expected baseline, b, c, placebo, replicate, all or v300",
        ),
        ("--controls", "the controls of a baseline"),
        ("--seeds 1,1", "given twice"),
        ("--episodes 0", "at least one"),
    ] {
        // The option takes the place of the one that the line has.
        let has_same_name = |given: &&str| option.split(' ').next() == given.split(' ').next();
        let given = [" --seeds 1", " --episodes 1", " --variant b"];
        let replaced = given
            .iter()
            .find(|given| has_same_name(&given.trim_start()));
        let line = replaced.map_or(run.to_owned(), |given| run.replace(given, ""));
        bench
            .run(&format!("{line} --calibration N.json --out r {option}"))
            .exits(2)
            .says(expected);
    }
    bench
        .run("ablation preflight --calibration N.json --pad .")
        .exits(1);
    bench
        .run("ablation preflight --calibration N.json --tokenizer cl100k_base")
        .exits(2)
        .says("calibrate again");
    bench
        .run("ablation preflight --calibration N.json")
        .exits(0);
    assert!(!bench.exists("r"));
    // An oracle that cannot be opened uses no directory up.
    let run_in_r = format!("{run} --calibration N.json --out r");
    let script = "--model gpt-4o --oracle scripted:none.jsonl";
    bench
        .run(&run_in_r.replace("--oracle agent:precedent", script))
        .exits(3)
        .says("none.jsonl");
    bench.run(&run_in_r).exits(0);
    // A second run does not touch the first.
    let before = bench.read("r/b/run.json");
    bench.run(&run_in_r).exits(3).says("already holds a run");
    assert_eq!(bench.read("r/b/run.json"), before);
}

#[test]
fn only_runs_under_the_same_conditions_are_compared() {
    let bench = calibrate();
    let run = |options: &str, out: &str| {
        let line = format!("ablation run --oracle agent:random --episodes 1 --out {out} {options}");
        bench.run(&line).exits(0);
    };
    run("--variant b --calibration N.json --seeds 1", "one");
    run("--variant b --calibration N.json --seeds 2", "other");
    run("--variant v300 --seeds 1", "base");
    for (dirs, expected) in [
        ("one other", "differs from one/b in its seeds"),
        ("one/b base/v300", "no constant length"),
    ] {
        bench
            .run(&format!("ablation compare {dirs}"))
            .exits(1)
            .says(expected);
    }
    bench
        .run("ablation compare nowhere")
        .exits(3)
        .says("nowhere");
    std::fs::create_dir(bench.path("empty")).unwrap();
    bench
        .run("ablation compare empty")
        .exits(3)
        .says("holds no run");
    bench
        .run("ablation replay empty")
        .exits(3)
        .says("holds no run");
    bench.run("ablation compare").exits(2);
}

/// A document that was changed by hand may hold numbers whose sums overflow.
#[test]
fn documents_that_do_not_add_up_are_not_compared() {
    let bench = Bench::new();
    bench
        .run("ablation calibrate --oracle agent:random --out N.json")
        .exits(0);
    let run =
        "ablation run --oracle agent:random --calibration N.json --seeds 1 --episodes 1 --out r";
    bench.run(&format!("{run} --variant b")).exits(0);
    bench.run(&format!("{run} --variant c")).exits(0);
    let written = bench.read("r/b/run.json");
    let most = u64::from(u32::MAX);
    let episode = "/seeds/0/episodes/0";
    let at = |member: &str| format!("{episode}/{member}");
    let root = |pointer: &str| pointer.to_owned();
    let changes = [
        (
            vec![(root("/seeds/0/actions"), json!({ "wait": 49 }))],
            "has the actions {\"wait\": 49}",
        ),
        (
            vec![(
                root("/seeds/0/actions"),
                json!({ "wait": u64::MAX, "drift": 51 }),
            )],
            "and those of its steps are",
        ),
        (
            vec![(root("/seeds/0/seed"), json!(2))],
            "has the seeds [2], and its header has [1]",
        ),
        (vec![(root("/seeds"), json!([]))], "has the seeds []"),
        (
            vec![(root("/header/seeds"), json!([1, 2]))],
            "its header has [1, 2]",
        ),
        (
            vec![(root("/header/seeds"), json!([1, 1]))],
            "has 1 different seeds in its header; expected 2",
        ),
        (
            vec![(root("/header/episodes"), json!(2))],
            "has 1 episodes; expected 2, under seed 1",
        ),
        (
            vec![(root("/header/steps_per_episode"), json!(most))],
            "has 50 steps; expected 4294967295, in episode 0",
        ),
        (
            vec![(root("/result/steps"), json!(51))],
            "has 51 steps in its result; expected 50",
        ),
        (
            vec![
                (root("/header/episodes"), json!(0)),
                (root("/seeds/0/episodes"), json!([])),
                (root("/seeds/0/actions"), json!({})),
                (root("/result/steps"), json!(0)),
            ],
            "has 0 steps; expected 1 to",
        ),
        (
            vec![(root("/result/written"), json!(1))],
            "has 1 precedents written in its result; expected 0",
        ),
        (
            vec![(root("/result/token_jitter"), json!(1))],
            "has the token_jitter 1 and prompts of",
        ),
        (
            vec![(root("/result/token_jitter"), Value::Null)],
            "has the token_jitter no and prompts of",
        ),
        (
            vec![(root("/result/prompt_tokens_max"), json!(9999))],
            "to 9999 tokens; expected 0 and one length",
        ),
        (
            vec![(at("steps/7/prompt_tokens"), json!(7))],
            "a prompt of 7 tokens with segments of 512 and 512",
        ),
        (
            vec![(at("steps/7/situation_padding"), json!(u64::MAX))],
            "with segments of 512 and no; expected",
        ),
        (
            vec![(at("episode"), json!(1))],
            "has 1 as an episode's number; expected 0",
        ),
        (
            vec![(at("steps/7/step"), json!(8))],
            "has 8 as a step's number; expected 7, in episode 0, under seed 1",
        ),
        (
            vec![(at("novel_steps"), json!(0))],
            "has 0 novel steps; expected",
        ),
        (
            vec![(at("distinct_signatures"), json!(99))],
            "has 99 distinct signatures; expected",
        ),
        (
            vec![(at("steps/0/novel"), json!(false))],
            "whose `novel` is false; expected true",
        ),
        (
            vec![(at("writes_blocked"), json!(1))],
            "has 1 writes blocked; expected",
        ),
        (
            vec![(at("refusals"), json!({ "NO_JSON": 1 }))],
            "has the refusals {\"NO_JSON\": 1}",
        ),
    ];
    for (change, expected) in changes {
        let mut document: Value = serde_json::from_slice(&written).unwrap();
        for (pointer, value) in &change {
            *document.pointer_mut(pointer).unwrap() = value.clone();
        }
        bench.write("r/b/run.json", document.to_string());
        // What does not hold together is refused whether it is replayed or not.
        for command in ["ablation compare r", "ablation compare r --no-replay"] {
            bench.run(command).exits(1).says(expected);
        }
    }
    // A document of another shape is no run document.
    let text = String::from_utf8(written.clone()).unwrap();
    for (from, to, expected) in [
        (
            "\"steps\":50",
            "\"steps\":\"50\"",
            "at `result.steps`: invalid type: string \"50\", expected u64",
        ),
        (
            "\"mask_size\"",
            "\"mask\"",
            "at `seeds[0].episodes[0].steps[0].mask`: unknown field `mask`",
        ),
    ] {
        bench.write("r/b/run.json", text.replacen(from, to, 1));
        let run = bench.run("ablation compare r").exits(3);
        run.says("run.json: not a run document: ").says(expected);
    }
    bench.write("r/b/run.json", written);
    bench.run("ablation compare r").exits(0);
}
