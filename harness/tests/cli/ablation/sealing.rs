//! The arms of an experiment are one: sealed by a plan, interleaved by seed, and none is made twice.

use std::fs;

use axilog_ablation::comparison_file_names::COMPARISON_FILES;
use serde_json::{Value, json};

use super::agent_server::AgentServer;
use super::stopping::calibrate;
use crate::bench::Bench;

const RUN: &str = "ablation run --oracle agent:precedent --calibration N.json --episodes 1 --seeds 1,2 --pilot --out r";
pub const ARMS: [&str; 3] = ["baseline", "b", "c"];

/// A directory with the whole experiment `r`.
fn make_experiment() -> Bench {
    let bench = calibrate();
    bench.run(RUN).exits(0);
    bench
}

fn read_plan(bench: &Bench) -> Value {
    serde_json::from_slice(&bench.read("r/plan.json")).unwrap()
}

/// The names of the arms under each seed, in the order of their turns.
fn list_turns(plan: &Value) -> Vec<Vec<String>> {
    let turns = plan["turns"].as_array().unwrap();
    let arms = turns.iter().map(|turn| turn["arms"].as_array().unwrap());
    let names = arms.map(|arms| arms.iter().map(|arm| arm.as_str().unwrap().to_owned()));
    names.map(Iterator::collect).collect()
}

/// What the oracle `oracle` states in a ledger, in its order.
fn list_statements(bench: &Bench, ledger: &str, oracle: &str) -> Vec<Value> {
    let line = format!("show {ledger} --oracle {oracle} --json");
    let shown = bench.run(&line).exits(0).stdout;
    let records = shown
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let observations = records.filter(|record| record["tag"] == "AX:OBS:v1");
    observations
        .map(|record| serde_json::from_str(record["output"].as_str().unwrap()).unwrap())
        .collect()
}

/// Keeps the first `kept` lines of a file.
fn cut(bench: &Bench, file: &str, kept: usize) {
    let whole = bench.read(file);
    let lines: Vec<&[u8]> = whole.split_inclusive(|byte| *byte == b'\n').collect();
    bench.write(file, lines[..kept].concat());
}

fn count_lines(bench: &Bench, file: &str) -> usize {
    bench
        .read(file)
        .iter()
        .filter(|byte| **byte == b'\n')
        .count()
}

/// Removes the files of the comparison, and the run documents of `arms`.
fn remove_results(bench: &Bench, arms: &[&str]) {
    for file in COMPARISON_FILES {
        fs::remove_file(bench.path(&format!("r/{file}"))).unwrap();
    }
    for arm in arms {
        fs::remove_file(bench.path(&format!("r/{arm}/run.json"))).unwrap();
    }
}

/// Checks that neither replay nor comparison nor resumption passes over a tampering, and each says `expected`.
fn is_noticed(bench: &Bench, expected: &str) {
    for line in [
        "ablation replay r",
        "ablation compare r",
        &format!("{RUN} --resume"),
    ] {
        let run = bench.run(line);
        assert_ne!(run.code, 0, "{line}: {}", run.stdout);
        run.says(expected);
    }
}

#[test]
fn each_ledger_names_the_plan_and_the_heads_of_the_others() {
    let bench = make_experiment();
    let plan = read_plan(&bench);
    let arms: Vec<&str> = plan["arms"]
        .as_array()
        .unwrap()
        .iter()
        .map(|arm| arm["arm"].as_str().unwrap())
        .collect();
    assert_eq!(arms, ARMS);
    assert_eq!(plan["nonce"].as_str().unwrap().len(), 64);
    let digest = axilog_ledger::encoding::hex(&axilog::hash::sha256(&bench.read("r/plan.json")));
    let turns = list_turns(&plan);
    for arm in ARMS {
        let ledger = format!("r/{arm}/ledger.jsonl");
        let stated = list_statements(&bench, &ledger, "ablation.run");
        assert_eq!(stated[0]["plan"], digest.as_str());
        let heads = list_statements(&bench, &ledger, "ablation.heads");
        let seeds: Vec<&Value> = heads.iter().map(|stated| &stated["seed"]).collect();
        assert_eq!(seeds, [&json!(1), &json!(2), &Value::Null]);
        // Who has had more turns has more records.
        for (turn, stated) in heads.iter().take(2).enumerate() {
            let place = |wanted: &str| turns[turn].iter().position(|arm| arm == wanted).unwrap();
            for other in stated["heads"].as_array().unwrap() {
                let name = other["arm"].as_str().unwrap();
                let taken = turn + usize::from(place(name) < place(arm));
                let entries = usize::try_from(other["entries"].as_u64().unwrap()).unwrap();
                // An answer is two records.
                assert_eq!(entries / 100, taken, "{arm} {turn} {other}");
            }
        }
    }
    bench.run("ablation replay r").exits(0);
    let run = bench.run("ablation compare r").exits(0);
    assert!(!run.stderr.contains("no sealed plan"), "{}", run.stderr);
    // Another experiment has another nonce.
    bench.run(&RUN.replace("--out r", "--out s")).exits(0);
    assert_ne!(bench.read("r/plan.json"), bench.read("s/plan.json"));
}

#[test]
fn a_deleted_arm_is_never_made_again() {
    let bench = make_experiment();
    for arm in ARMS {
        let dir = bench.path(&format!("r/{arm}"));
        fs::rename(&dir, bench.path("away")).unwrap();
        let line = format!("{RUN} --resume");
        bench
            .run(&line)
            .exits(1)
            .says(&format!(
                "r/{arm}/header.json: is not there, and r/plan.json names the arm {arm}"
            ))
            .says("put the arm's directory back");
        // Nor by itself.
        for end in ["", " --resume"] {
            bench
                .run(&format!(
                    "{}{end}",
                    RUN.replace("--pilot", &format!("--variant {arm}"))
                ))
                .exits(3)
                .says("r/plan.json: is the plan of an experiment of the arms baseline, b, c");
        }
        assert!(!dir.exists());
        fs::rename(bench.path("away"), &dir).unwrap();
    }
    bench.run(&format!("{RUN} --resume")).exits(0);
    // All of them are no other than one of them.
    for arm in ARMS {
        fs::remove_dir_all(bench.path(&format!("r/{arm}"))).unwrap();
    }
    bench
        .run(&format!("{RUN} --resume"))
        .exits(1)
        .says("is not there");
    bench.run(RUN).exits(3).says("r/plan.json: is the plan of");
}

#[test]
#[ignore = "makes whole experiments: .ci/daily wide"]
fn an_arm_that_was_made_again_by_itself_is_noticed() {
    let bench = make_experiment();
    // The same arm of another experiment, with another nonce.
    bench.run(&RUN.replace("--out r", "--out s")).exits(0);
    fs::rename(bench.path("r/b"), bench.path("away")).unwrap();
    fs::rename(bench.path("s/b"), bench.path("r/b")).unwrap();
    is_noticed(
        &bench,
        "the plan was changed, or the arm was made again by itself",
    );
    // One that was made without any plan.
    fs::rename(bench.path("r/b"), bench.path("s/b")).unwrap();
    let alone = RUN
        .replace("--pilot", "--variant b")
        .replace("--out r", "--out t");
    bench.run(&alone).exits(0);
    fs::rename(bench.path("t/b"), bench.path("r/b")).unwrap();
    is_noticed(&bench, "was made under no plan");
}

#[test]
#[ignore = "makes whole experiments: .ci/daily wide"]
fn an_arm_that_was_cut_off_is_noticed() {
    let bench = make_experiment();
    // The last answer of the arm that came last is known to the others, too.
    for arm in ARMS {
        let ledger = format!("r/{arm}/ledger.jsonl");
        let (whole, document) = (
            bench.read(&ledger),
            bench.read(&format!("r/{arm}/run.json")),
        );
        let lines = count_lines(&bench, &ledger);
        for kept in [9, lines / 2, lines - 4] {
            cut(&bench, &ledger, kept);
            fs::remove_file(bench.path(&format!("r/{arm}/run.json"))).unwrap();
            let said = format!("r/{arm}/ledger.jsonl: had ");
            bench
                .run(&format!("{RUN} --resume"))
                .exits(1)
                .says(&said)
                .says("was cut off, made again or exchanged");
            bench.run("ablation replay r").exits(1).says(&said);
            bench.write(&ledger, &whole);
            bench.write(&format!("r/{arm}/run.json"), &document);
        }
    }
    bench.run("ablation replay r").exits(0);
}

#[test]
fn arms_that_were_exchanged_are_noticed() {
    let bench = make_experiment();
    for (from, to) in [("b", "away"), ("c", "b"), ("away", "c")] {
        fs::rename(
            bench.path(&format!("r/{from}")),
            bench.path(&format!("r/{to}")),
        )
        .unwrap();
    }
    is_noticed(&bench, "it was changed, or the arm is another's");
}

#[test]
#[ignore = "makes whole experiments: .ci/daily wide"]
fn a_plan_that_was_changed_or_deleted_is_noticed() {
    let bench = make_experiment();
    let plan = String::from_utf8(bench.read("r/plan.json")).unwrap();
    let time = format!("\"time\":{}", read_plan(&bench)["time"]);
    bench.write("r/plan.json", plan.replacen(&time, "\"time\":1", 1));
    is_noticed(
        &bench,
        "the plan was changed, or the arm was made again by itself",
    );
    let mut other = read_plan(&bench);
    other["turns"][0]["arms"].as_array_mut().unwrap().reverse();
    bench.write("r/plan.json", format!("{other}\n"));
    is_noticed(
        &bench,
        "r/plan.json: has turns that do not follow from its nonce",
    );
    fs::remove_file(bench.path("r/plan.json")).unwrap();
    is_noticed(&bench, "there is no plan.json beside it");
    bench.write("r/plan.json", plan);
    bench.run("ablation replay r").exits(0);
    // With other arms it is another experiment.
    bench
        .run(&format!("{RUN} --controls --resume"))
        .exits(2)
        .says("r/plan.json: was begun with arms = baseline, b, c, and the options now give baseline, b, c, placebo, replicate");
}

/// A ledger from which the answers were kept and a statement was taken is another ledger; one that was stopped before
/// the experiment was over is completed.
#[test]
fn an_experiment_that_does_not_say_it_is_over_goes_on() {
    let bench = make_experiment();
    // A kill before the arms closed: what is left of each ledger ends with its last answer.
    for arm in ARMS {
        let ledger = format!("r/{arm}/ledger.jsonl");
        cut(&bench, &ledger, count_lines(&bench, &ledger) - 2);
    }
    remove_results(&bench, &ARMS);
    bench
        .run("ablation replay r")
        .exits(1)
        .says("does not say that the experiment is over");
    bench
        .run("ablation compare r")
        .exits(1)
        .says("does not say that the experiment is over");
    bench.run(&format!("{RUN} --resume")).exits(0);
    bench.run("ablation replay r").exits(0);
}

/// The steps of each arm of an experiment, without the places of their records.
pub fn list_steps(bench: &Bench, experiment: &str) -> Vec<Value> {
    let read = |arm: &&str| -> Value {
        serde_json::from_slice(&bench.read(&format!("{experiment}/{arm}/run.json"))).unwrap()
    };
    let mut documents: Vec<Value> = ARMS.iter().map(read).collect();
    for document in &mut documents {
        for seed in document["seeds"].as_array_mut().unwrap() {
            for episode in seed["episodes"].as_array_mut().unwrap() {
                for step in episode["steps"].as_array_mut().unwrap() {
                    for name in ["ledger_seq", "obs_hash"] {
                        step.as_object_mut().unwrap().remove(name).unwrap();
                    }
                }
            }
        }
    }
    documents
}

/// A kill in the middle of a turn, and another: the documents are those of an experiment that nobody stopped.
#[test]
#[ignore = "makes whole experiments: .ci/daily wide"]
#[cfg(unix)]
fn a_killed_experiment_goes_on_turn_by_turn() {
    let bench = calibrate();
    let line = RUN.replace("--seeds 1,2", "--seeds 1,2,3,4,5,6");
    for resume in ["", " --resume"] {
        let mut child = bench
            .command()
            .args(format!("{line}{resume}").split_whitespace())
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let size = || {
            let ledgers = ARMS.map(|arm| bench.path(&format!("r/{arm}/ledger.jsonl")));
            ledgers
                .iter()
                .map(|path| fs::metadata(path).map_or(0, |found| found.len()))
                .sum::<u64>()
        };
        let before = size();
        while size() < before + 150_000 && child.try_wait().unwrap().is_none() {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        child.kill().unwrap();
        assert!(
            !child.wait().unwrap().success(),
            "the experiment ended before it was killed"
        );
    }
    bench.run(&format!("{line} --resume")).exits(0);
    bench.run("ablation replay r").exits(0);
    bench.run("ablation compare r").exits(0);
    bench.run(&line.replace("--out r", "--out u")).exits(0);
    assert_eq!(list_steps(&bench, "r"), list_steps(&bench, "u"));
}

/// A kill before the plan is whole leaves nothing that was asked: the arms are begun again.
#[test]
fn arms_that_began_without_their_plan_are_begun_again() {
    let bench = make_experiment();
    for arm in ARMS {
        cut(&bench, &format!("r/{arm}/ledger.jsonl"), 7);
    }
    remove_results(&bench, &ARMS);
    fs::remove_file(bench.path("r/plan.json")).unwrap();
    fs::remove_dir_all(bench.path("r/c")).unwrap();
    bench.run(&format!("{RUN} --resume")).exits(0);
    bench.run("ablation replay r").exits(0);
}

/// Under each seed every arm puts its questions before any arm comes to the next seed.
#[test]
fn the_arms_are_interleaved_by_seed() {
    let bench = calibrate();
    let server = AgentServer::start(|answer| answer.respond());
    let line = RUN.replace("--oracle agent:precedent", "--model gpt-4o");
    bench
        .run(&format!("{line} --yes --base-url {}", server.base_url))
        .exits(0);
    assert_eq!(server.request_count(), 300);
    let turns = list_turns(&read_plan(&bench));
    // The first turn of all knows of nothing, the last of everything.
    let first = list_statements(
        &bench,
        &format!("r/{}/ledger.jsonl", turns[0][0]),
        "ablation.heads",
    );
    let last = list_statements(
        &bench,
        &format!("r/{}/ledger.jsonl", turns[1][2]),
        "ablation.heads",
    );
    for other in first[0]["heads"].as_array().unwrap() {
        assert!(other["entries"].as_u64().unwrap() < 10, "{other}");
    }
    for other in last[1]["heads"].as_array().unwrap() {
        assert!(other["entries"].as_u64().unwrap() > 200, "{other}");
    }
}

/// An experiment of before has no plan: it is replayed and compared as it was, and that it has none is said.
#[test]
fn runs_without_a_plan_are_compared_and_said_to_have_none() {
    let bench = calibrate();
    for variant in ["baseline", "b"] {
        bench
            .run(&RUN.replace("--pilot", &format!("--variant {variant}")))
            .exits(0);
    }
    for line in ["ablation replay r", "ablation compare r"] {
        bench
            .run(line)
            .exits(0)
            .says("r/baseline, r/b: no sealed plan");
    }
    assert!(!bench.exists("r/plan.json"));
}
