//! Environments from files: printed, checked, run in, sealed, and never compared with each other.

use std::fs;
use std::sync::OnceLock;

use serde_json::{Value, json};

use super::stopping::calibrate;
use crate::bench::{Bench, Files};

/// A directory with the files of the environments that ship, and the experiment r in one of them with its calibration W.json.
fn run_in_ward() -> Bench {
    static FILES: OnceLock<Files> = OnceLock::new();
    Bench::prepared(&FILES, |bench| {
        write_examples(bench);
        bench
            .run("ablation calibrate --oracle agent:precedent --environment night-ward.toml --out W.json")
            .exits(0);
        bench.run(&format!("{RUN} --out r")).exits(0);
    })
}

/// The environment is that of the calibration, which has a copy of its file.
const RUN: &str =
    "ablation run --oracle agent:precedent --calibration W.json --seeds 1,2 --pilot --episodes 1";

fn write_examples(bench: &Bench) {
    for name in ["harbour", "newsroom", "night-ward"] {
        let printed = bench.run(&format!("ablation environment example {name}"));
        bench.write(&format!("{name}.toml"), printed.exits(0).stdout);
    }
}

fn read_json(bench: &Bench, file: &str) -> Value {
    serde_json::from_slice(&bench.read(file)).unwrap()
}

#[test]
fn the_files_that_ship_are_printed_and_pass_the_check() {
    let bench = Bench::new();
    write_examples(&bench);
    assert_eq!(
        bench
            .run("ablation environment example")
            .exits(0)
            .stdout
            .as_bytes(),
        bench.read("harbour.toml")
    );
    let printed = bench
        .run("ablation environment example newsroom --json")
        .exits(0)
        .json();
    assert_eq!(
        printed["environment"].as_str().unwrap().as_bytes(),
        bench.read("newsroom.toml")
    );
    bench
        .run("ablation environment example harbor")
        .exits(2)
        .says("possible values: harbour, newsroom, night-ward");
    for (name, constraints, actions) in [
        ("harbour", 5, 10),
        ("newsroom", 5, 12),
        ("night-ward", 6, 14),
    ] {
        let found = bench
            .run(&format!("ablation environment check {name}.toml --json"))
            .exits(0)
            .json();
        assert_eq!(found["constraints"].as_array().unwrap().len(), constraints);
        assert_eq!(found["actions"].as_array().unwrap().len(), actions);
        assert_eq!(
            (&found["ok"], &found["steps"]),
            (&json!(true), &json!(1500))
        );
        assert_eq!(found["seeds"]["calibration"], json!([42, 123, 456]));
        let hash = axilog_ledger::encoding::hex(&axilog::hash::sha256(
            &bench.read(&format!("{name}.toml")),
        ));
        assert_eq!(found["hash"], hash.as_str());
        let table = bench
            .run(&format!("ablation environment check {name}.toml"))
            .exits(0);
        for part in [
            "verdict         OK",
            found["id"].as_str().unwrap(),
            "with a conflict",
        ] {
            assert!(table.stdout.contains(part), "{}", table.stdout);
        }
    }
    assert_eq!(bench.temporaries(), [""; 0]);
}

#[test]
fn a_file_that_is_no_environment_is_refused_before_anything_is_asked() {
    let bench = calibrate();
    write_examples(&bench);
    let text = String::from_utf8(bench.read("newsroom.toml")).unwrap();
    bench.write(
        "bad.toml",
        text.replacen("violates = [\"deadline\"]", "violates = [\"dead-line\"]", 1),
    );
    let told = "bad.toml: action \"hold-story\": violates: \"dead-line\" is none of the constraints; expected accuracy, deadline";
    for line in [
        "ablation environment check bad.toml",
        "ablation preflight --environment bad.toml",
        "ablation calibrate --oracle agent:precedent --environment bad.toml --out B.json",
        "ablation run --oracle agent:precedent --calibration N.json --environment bad.toml --out b",
        "ablation run --oracle agent:precedent --variant v300 --environment bad.toml --out b",
    ] {
        bench.run(line).exits(2).says(told);
    }
    assert!(!bench.exists("b") && !bench.exists("B.json.ledger.jsonl"));
    bench.write("edited.toml", format!("{text}# Edited.\n"));
    bench
        .run("ablation environment check edited.toml")
        .exits(2)
        .says("edited.toml: id: is \"newsroom/1\", which is that of the environment newsroom that ships");
    bench
        .run("ablation environment check none.toml")
        .exits(3)
        .says("none.toml: cannot read the environment");
    bench
        .run("ablation environment check .")
        .exits(3)
        .says("it is a directory");
}

#[test]
fn a_calibration_belongs_to_its_environment() {
    let bench = run_in_ward();
    bench
        .run("ablation calibrate --oracle agent:precedent --out N.json")
        .exits(0);
    let run = "ablation run --oracle agent:precedent --seeds 1,2 --pilot --episodes 1 --out x";
    bench
        .run(&format!("{run} --calibration N.json --environment night-ward.toml"))
        .exits(2)
        .says("N.json: was made with the environment \"commitment-trap/1\", and this is \"night-ward/1\"");
    bench
        .run(&format!("{run} --calibration W.json --environment harbour.toml"))
        .exits(2)
        .says("W.json: was made with the environment \"night-ward/1\", and this is \"commitment-trap/1\"");
    // Another file of the same id is another environment.
    let mine = String::from_utf8(bench.read("night-ward.toml")).unwrap();
    let mine = mine.replacen("night-ward/1", "mine/1", 1);
    bench.write("mine.toml", &mine);
    bench
        .run("ablation calibrate --oracle agent:precedent --environment mine.toml --out M.json")
        .exits(0);
    bench.write("mine.toml", mine + "# More.\n");
    bench
        .run(&format!(
            "{run} --calibration M.json --environment mine.toml"
        ))
        .exits(2)
        .says("M.json: was made with the environment's SHA-256");
    for line in [
        "ablation preflight --calibration W.json",
        "ablation preflight --environment night-ward.toml",
    ] {
        let found = bench.run(&format!("{line} --json")).exits(0).json();
        assert_eq!(found["basis"]["environment"], "night-ward/1");
    }
    bench
        .run("ablation preflight --calibration W.json --environment newsroom.toml")
        .exits(2)
        .says("W.json: was made with the environment \"night-ward/1\"");
    assert!(!bench.exists("x"));
    // The copy of the file belongs to the calibration.
    let copy = bench.read("W.json.environment.toml");
    assert_eq!(copy, bench.read("night-ward.toml"));
    fs::remove_file(bench.path("W.json.environment.toml")).unwrap();
    bench
        .run(&format!("{run} --calibration W.json"))
        .exits(3)
        .says("W.json.environment.toml: is not there, and W.json names the environment \"night-ward/1\"");
    bench.write("W.json.environment.toml", bench.read("newsroom.toml"));
    bench
        .run("ablation replay W.json")
        .exits(3)
        .says("W.json.environment.toml: is the environment \"newsroom/1\"");
    bench.write("W.json.environment.toml", copy);
    bench.run("ablation replay W.json").exits(0);
}

/// Header, document and comparison name the environment and its file, and so do the plan and the ledgers, by the header's
/// digest.
#[test]
fn runs_name_the_file_of_their_environment() {
    let bench = run_in_ward();
    let hash = axilog_ledger::encoding::hex(&axilog::hash::sha256(&bench.read("night-ward.toml")));
    for arm in super::sealing::ARMS {
        assert_eq!(
            bench.read(&format!("r/{arm}/environment.toml")),
            bench.read("night-ward.toml")
        );
        let header = read_json(&bench, &format!("r/{arm}/header.json"));
        assert_eq!(header["environment"], "night-ward/1");
        assert_eq!(header["environment_hash"], hash.as_str());
        assert_eq!(
            read_json(&bench, &format!("r/{arm}/run.json"))["header"],
            header
        );
    }
    let comparison = read_json(&bench, "r/comparison.json");
    assert_eq!(
        comparison["environment"],
        json!({ "file_hash": hash, "id": "night-ward/1" })
    );
    let summary = String::from_utf8(bench.read("r/summary.md")).unwrap();
    assert!(
        summary.starts_with("# Precedent ablation: night-ward/1\n"),
        "{summary}"
    );
    assert!(summary.contains(&format!(
        "SHA-256 {hash}. What follows is about this environment."
    )));
    let table = bench.run("ablation compare r").exits(0).stdout;
    assert!(
        table.starts_with("environment     night-ward/1 with SHA-256\n"),
        "{table}"
    );
    // A change of the header's hash is one of the header, which plan and ledger name.
    let header = String::from_utf8(bench.read("r/b/header.json")).unwrap();
    let other = axilog_ledger::encoding::hex(&axilog::hash::sha256(&bench.read("newsroom.toml")));
    let newsroom = header
        .replace(&hash, &other)
        .replace("night-ward/1", "newsroom/1");
    bench.write("r/b/header.json", newsroom);
    bench.write("r/b/environment.toml", bench.read("newsroom.toml"));
    for line in ["ablation replay r", &format!("{RUN} --out r --resume")] {
        assert_ne!(bench.run(line).code, 0, "{line}");
    }
}

#[test]
#[ignore = "makes whole experiments: .ci/daily wide"]
fn an_environment_that_is_missing_or_another_one_is_noticed() {
    let bench = run_in_ward();
    // Files that can be moved together need nothing from where they were made.
    fs::create_dir(bench.path("away")).unwrap();
    fs::rename(bench.path("r"), bench.path("away/r")).unwrap();
    bench.run("ablation replay away/r").exits(0);
    fs::rename(bench.path("away/r"), bench.path("r")).unwrap();
    let commands = [
        "ablation replay r",
        "ablation compare r",
        &format!("{RUN} --out r --resume"),
    ];
    let ward = String::from_utf8(bench.read("night-ward.toml")).unwrap();
    for changed in [
        None,
        Some(String::from_utf8(bench.read("newsroom.toml")).unwrap()),
        Some(ward.replacen("three times", "twice", 1) + "# Changed.\n"),
        Some(ward.replacen("weight = 3", "weight = 4", 1)),
        Some("id = 1\n".to_owned()),
        Some(String::new()),
    ] {
        match &changed {
            None => fs::remove_file(bench.path("r/c/environment.toml")).unwrap(),
            Some(text) => bench.write("r/c/environment.toml", text),
        }
        for line in commands {
            bench
                .run(line)
                .exits(3)
                .says("r/c/environment.toml: is ")
                .says("r/c/header.json names the environment \"night-ward/1\", whose file has SHA-256")
                .says("put the file back");
        }
    }
    bench.write("r/c/environment.toml", ward);
    for line in commands {
        bench.run(line).exits(0);
    }
}

#[test]
fn runs_of_different_environments_are_no_comparison() {
    let bench = run_in_ward();
    let run = "ablation run --oracle agent:precedent --variant baseline --seeds 1,2 --episodes 1";
    for (name, out) in [("newsroom", "n"), ("harbour", "h")] {
        bench
            .run(&format!("ablation calibrate --oracle agent:precedent --environment {name}.toml --out {out}.json"))
            .exits(0);
        bench
            .run(&format!("{run} --calibration {out}.json --out {out}"))
            .exits(0);
    }
    bench
        .run("ablation compare r n")
        .exits(1)
        .says("n/baseline: INVALID_COMPARISON / ENVIRONMENT_CHANGED: its environment is newsroom/1 with SHA-256")
        .says("and that of r/baseline is night-ward/1 with SHA-256")
        .says("report each environment by itself");
    bench
        .run("ablation compare r h --no-replay")
        .exits(1)
        .says("ENVIRONMENT_CHANGED: its environment is commitment-trap/1, and that of");
    // Nor are runs whose environments have one id and different files.
    let ward = String::from_utf8(bench.read("night-ward.toml")).unwrap();
    for (out, gain) in [("m", "1.05"), ("k", "1.25")] {
        let mine = ward
            .replacen("night-ward/1", "mine/1", 1)
            .replacen("1.05", gain, 1);
        bench.write("mine.toml", mine);
        bench
            .run(&format!("ablation calibrate --oracle agent:precedent --environment mine.toml --out {out}.json"))
            .exits(0);
        bench
            .run(&format!("{run} --calibration {out}.json --out {out}"))
            .exits(0);
    }
    bench
        .run("ablation compare m k")
        .exits(1)
        .says("ENVIRONMENT_CHANGED: its environment is mine/1 with SHA-256");
}

/// The harbour's own file is the harbour, byte for byte.
#[test]
fn the_file_of_the_harbour_changes_nothing() {
    let bench = calibrate();
    write_examples(&bench);
    bench
        .run("ablation calibrate --oracle agent:precedent --environment harbour.toml --out H.json")
        .exits(0);
    assert!(!bench.exists("H.json.environment.toml"));
    let basis = |file: &str| read_json(&bench, file)["basis"].clone();
    assert_eq!(basis("H.json"), basis("N.json"));
    let run = "ablation run --oracle agent:precedent --variant baseline --seeds 1 --episodes 1 --calibration N.json";
    bench.run(&format!("{run} --out a")).exits(0);
    bench
        .run(&format!("{run} --environment harbour.toml --out b"))
        .exits(0);
    assert_eq!(
        bench.read("a/baseline/header.json"),
        bench.read("b/baseline/header.json")
    );
    let steps = |run: &str| {
        let mut document = read_json(&bench, &format!("{run}/baseline/run.json"));
        document["seeds"][0]["actions"].take()
    };
    assert_eq!(steps("a"), steps("b"));
    assert!(!bench.exists("b/baseline/environment.toml"));
}

/// The right results of the agents hold in every environment that ships.
#[test]
#[ignore = "makes whole experiments: .ci/daily wide"]
fn agents_are_told_apart_in_every_environment() {
    let bench = Bench::new();
    write_examples(&bench);
    for name in ["newsroom", "night-ward"] {
        bench
            .run(&format!("ablation calibrate --oracle agent:precedent --environment {name}.toml --out {name}.json"))
            .exits(0);
        for (agent, agreement) in [
            ("precedent", "AGREES_LESS"),
            ("indifferent", "NOT_TOLD_APART"),
        ] {
            let line = format!(
                "ablation run --oracle agent:{agent} --calibration {name}.json --episodes 1 --parallel 2 --out {name}-{agent} --json"
            );
            let found = bench.run(&line).exits(0).json();
            let found = &found["comparison"]["differences"][0];
            assert_eq!(found["run"], "b");
            assert_eq!(found["agreement"]["verdict"], agreement, "{name} {agent}");
            // Where everything is balanced, holding on to precedents moves no share of actions.
            assert_eq!(
                found["choices"]["verdict"], "NOT_TOLD_APART",
                "{name} {agent}"
            );
            assert_eq!(found["answers"]["verdict"], "NOT_TOLD_APART");
        }
    }
}

/// The base harness takes no calibration, and has an environment all the same.
#[test]
fn the_base_harness_runs_in_the_environment_that_is_named() {
    let bench = Bench::new();
    write_examples(&bench);
    let run = "ablation run --oracle agent:indifferent --variant v300 --episodes 1 --environment newsroom.toml --out v";
    bench.run(run).exits(0);
    let header = read_json(&bench, "v/v300/header.json");
    assert_eq!(header["environment"], "newsroom/1");
    assert_eq!(header["seeds"], json!([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]));
    bench.run("ablation replay v").exits(0);
    bench
        .run(&run.replace("newsroom.toml", "night-ward.toml --resume"))
        .exits(2)
        .says("was begun with environment = \"newsroom/1\", and the options now give \"night-ward/1\"");
}
