//! The report of a comparison: how the runs were made, and its figures with their tables.

use std::collections::BTreeMap;
use std::fs;
use std::sync::OnceLock;

use axilog_ablation::comparison_file_names::COMPARISON_FILES;
use serde_json::Value;

use super::agent_server::AgentServer;
use super::stopping::{calibrate, write_calibration};
use crate::bench::{Bench, Files};

/// A directory with the experiment r of an agent with its controls.
fn run_with_controls() -> Bench {
    static FILES: OnceLock<Files> = OnceLock::new();
    Bench::prepared(&FILES, |bench| {
        write_calibration(bench);
        let run = "ablation run --oracle agent:drift --calibration N.json --episodes 1 --controls --parallel 2 --out r";
        bench.run(run).exits(0);
    })
}

fn read_text(bench: &Bench, file: &str) -> String {
    String::from_utf8(bench.read(file)).unwrap()
}

/// The rows of a table without quotation marks, each cell by the title of its column.
fn read_table(bench: &Bench, file: &str) -> Vec<BTreeMap<String, String>> {
    let text = read_text(bench, file);
    let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned));
    let titles: Vec<String> = lines.next().unwrap().collect();
    lines
        .map(|cells| {
            let cells: Vec<String> = cells.collect();
            assert_eq!(cells.len(), titles.len(), "{file}: {cells:?}");
            titles.iter().cloned().zip(cells).collect()
        })
        .collect()
}

fn read_comparison(bench: &Bench) -> Value {
    serde_json::from_slice(&bench.read("r/comparison.json")).unwrap()
}

/// Every effect of the comparison stands in the table with the figures that the document has.
#[test]
fn the_table_of_effects_has_the_figures_of_the_document() {
    let bench = run_with_controls();
    let comparison = read_comparison(&bench);
    let rows = read_table(&bench, "r/effects.csv");
    assert_eq!(rows.len(), 23);
    let lists = ["differences", "controls"];
    let found = |row: &BTreeMap<String, String>| {
        let mut all = lists
            .iter()
            .flat_map(|list| comparison[list].as_array().unwrap());
        all.find(|found| {
            let against = found["reference"].as_str().unwrap_or("baseline");
            found["run"] == row["run"].as_str() && against == row["held_against"]
        })
        .map(|found| found[&row["endpoint"]].clone())
        .unwrap()
    };
    for row in &rows {
        let found = found(row);
        let size = ["distance", "difference"]
            .iter()
            .find_map(|name| found[name].as_str());
        assert_eq!(size, Some(row["size"].as_str()), "{row:?}");
        let interval = ["confidence_interval", "resampling_interval"].map(|name| &found[name]);
        let (ends, kind) = match interval {
            [Value::Array(ends), _] => (ends, "95 % confidence"),
            [_, ends] => (ends.as_array().unwrap(), "95 % of resamples"),
        };
        assert_eq!(
            (&ends[0], &ends[1]),
            (&row["low"].as_str().into(), &row["high"].as_str().into())
        );
        assert_eq!(row["interval"], kind);
        assert_eq!(found["test"]["p"], row["p"].as_str());
        assert_eq!(found["test"]["p_holm"], row["p_holm"].as_str());
        assert_eq!(found["verdict"], row["verdict"].as_str());
        assert_eq!(row["primary"] == "yes", row["endpoint"] == "disagreement");
    }
}

/// The windows of a course add up to what the endpoints count.
#[test]
fn the_courses_add_up_to_what_the_endpoints_count() {
    let bench = run_with_controls();
    let comparison = read_comparison(&bench);
    let rows = read_table(&bench, "r/trajectories.csv");
    let sum = |share: &str, run: &str, column: &str| -> u64 {
        let rows = rows
            .iter()
            .filter(|row| row["share"] == share && row["run"] == run);
        rows.map(|row| row[column].parse::<u64>().unwrap()).sum()
    };
    // Ten windows of five steps for five runs and for four.
    assert_eq!(rows.len(), 90);
    let b = &comparison["differences"][0];
    let agreement = &b["agreement"];
    for (run, count) in [("baseline", "reference_steps"), ("b", "run_steps")] {
        assert_eq!(agreement["common_steps"], sum("last choice", run, "steps"));
        assert_eq!(agreement[count], sum("last choice", run, "count"), "{run}");
    }
    assert_eq!(
        b["disagreement"]["run_steps"],
        sum("other choice", "b", "count")
    );
    assert_eq!(
        b["choices"]["differing_steps"],
        sum("other choice", "b", "count")
    );
    assert_eq!(sum("other choice", "replicate", "count"), 0);
    assert_eq!(sum("other choice", "baseline", "steps"), 0);
    for row in &rows {
        let value = |column: &str| row[column].parse::<f64>().unwrap();
        assert!(
            value("low") <= value("value") && value("value") <= value("high"),
            "{row:?}"
        );
    }
    // What was done adds up, too.
    let mut done: BTreeMap<(String, String), u64> = BTreeMap::new();
    for row in read_table(&bench, "r/actions.csv") {
        let key = (row["run"].clone(), row["action"].clone());
        *done.entry(key).or_default() += row["done"].parse::<u64>().unwrap();
    }
    for run in comparison["runs"].as_array().unwrap() {
        for (action, count) in run["actions"].as_object().unwrap() {
            let key = (run["label"].as_str().unwrap().to_owned(), action.clone());
            assert_eq!(*count, done[&key], "{key:?}");
        }
    }
}

/// Each figure is an image whose axes have titles, and names every run and endpoint.
#[test]
fn figures_have_axes_with_titles() {
    let bench = run_with_controls();
    for (file, parts) in [
        (
            "effects.svg",
            &[
                "disagreement (primary)",
                "agreement<",
                "answers<",
                "choices<",
                "actions<",
                "placebo against b<",
                "share in the run less the share in what it is held against",
                "energy distance (0: no difference)",
                "95 % confidence intervals",
                "Environment: commitment-trap/1.",
            ][..],
        ),
        (
            "trajectories.svg",
            &[
                "step of the episode",
                "share of choices",
                "How often a choice repeats the run's choice before it",
                "baseline<",
                "replicate<",
                "resamples of the seeds",
            ],
        ),
        (
            "actions.svg",
            &[
                "share of all steps",
                ">action<",
                "escort-by-day<",
                "placebo<",
            ],
        ),
    ] {
        let text = read_text(&bench, &format!("r/{file}"));
        assert!(
            text.starts_with("<svg ") && text.ends_with("</svg>\n"),
            "{file}"
        );
        for part in parts {
            assert!(text.contains(part), "{file}: {part} in {text}");
        }
        let summary = read_text(&bench, "r/summary.md");
        assert!(summary.contains(&format!("]({file})")), "{file}");
    }
}

/// The summary says how the runs were made: from the headers, from what the server said, and from the plan.
#[test]
fn the_summary_says_how_the_runs_were_made() {
    let bench = calibrate();
    let server = AgentServer::start(|answer| answer.respond());
    let run = format!(
        "ablation run --model gpt-4o --calibration N.json --seeds 3,1,2 --pilot --episodes 1 --temperature 0.5 \
         --out s --yes --base-url {}",
        server.base_url
    );
    bench.run(&run).exits(0);
    let summary = read_text(&bench, "s/summary.md");
    let plan: Value = serde_json::from_slice(&bench.read("s/plan.json")).unwrap();
    assert_eq!(plan["build"], concat!("axilog ", env!("CARGO_PKG_VERSION")));
    let digest = axilog_ledger::encoding::hex(&axilog::hash::sha256(&bench.read("s/plan.json")));
    for part in [
        "| environment | commitment-trap/1 |",
        "| seeds | 3, 1, 2 |",
        "| primary endpoint | agreement |",
        "| tokenizer | o200k\\_base, tiktoken-rs 0.12.1 |",
        "| N, tokens of the precedent's segment | 512 |",
        "| M, tokens of the situation's segment | 512 |",
        "| tokens of every prompt, as the server counts | 1337 |",
        "| b | gpt-4o (openai) | gpt-4o-2024-08-06 | fp\\_1 | temperature 0.5, at most 1024 tokens | 1 |",
        "\n| 1 | 20",
        &format!(
            "Z | {} | baseline, b, c | {digest} |",
            plan["build"].as_str().unwrap()
        ),
    ] {
        assert!(summary.contains(part), "{part} in {summary}");
    }
    bench.run("ablation replay s").exits(0);
    // A run of another experiment has another plan, and one by itself has none.
    let alone = run.replace("--out s", "--out t --variant placebo");
    bench.run(&alone).exits(0);
    bench.run("ablation compare s t --out u").exits(0);
    let summary = read_text(&bench, "u/summary.md");
    assert!(summary.contains("| placebo | gpt-4o (openai) | gpt-4o-2024-08-06 | fp\\_1 | temperature 0.5, at most 1024 tokens | none |"), "{summary}");
    bench.run("ablation replay u").exits(0);
}

/// Files of a comparison without the comparison show nothing, and replay says so.
#[test]
#[ignore = "makes whole experiments: .ci/daily wide"]
fn a_summary_or_a_figure_without_its_comparison_is_named() {
    let bench = run_with_controls();
    fs::rename(bench.path("r/comparison.json"), bench.path("kept.json")).unwrap();
    let found = bench.run("ablation replay r --json").exits(1);
    let found = found
        .says("r/summary.md: is there without comparison.json, which says of which runs it is");
    let found = found
        .says("r/actions.svg: is there without comparison.json")
        .json();
    let files = found["comparison"].as_array().unwrap();
    assert_eq!(files.len(), COMPARISON_FILES.len() - 1);
    assert!(
        files.iter().all(|file| file["replay"] == "UNBOUND"),
        "{files:?}"
    );
    // One that lies where no run is.
    fs::create_dir(bench.path("alone")).unwrap();
    for file in ["summary.md", "effects.svg", "effects.csv"] {
        fs::copy(
            bench.path(&format!("r/{file}")),
            bench.path(&format!("alone/{file}")),
        )
        .unwrap();
        bench
            .run("ablation replay alone")
            .exits(1)
            .says(&format!("alone/{file}: is there without comparison.json"));
        fs::remove_file(bench.path(&format!("alone/{file}"))).unwrap();
    }
    bench
        .run("ablation replay alone")
        .exits(3)
        .says("holds no run");
    // The comparison that is put back, or made again, holds them again.
    bench.run("ablation compare r --out r").exits(0);
    assert_eq!(bench.read("r/comparison.json"), bench.read("kept.json"));
    bench.run("ablation replay r").exits(0);
}
