//! Comparisons between runs of agents, whose right results are known.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use axilog_ablation::agents::ScriptedAgent;
use axilog_ablation::comparable_run::ComparableRun;
use axilog_ablation::comparison::{RunComparison, compare_runs};
use axilog_ablation::decimal::Decimal;
use axilog_ablation::environment_source::open_harbour;
use axilog_ablation::experiment::{build_frame, build_header, execute};
use axilog_ablation::header::ConstantLength;
use axilog_ablation::pad::DEFAULT_PAD;
use axilog_ablation::replay::DOCUMENT_FILE;
use axilog_ablation::run::RunStatus;
use axilog_ablation::run_difference::RunDifference;
use axilog_ablation::run_document::RunDocument;
use axilog_ablation::variant::Variant;
use axilog_oracle::{LocalOracle, Oracle};
use serde_json::Value;
use strum::VariantArray;

use crate::support::{LedgerDir, MIN_LENGTHS, new_plan, open_tiktoken};

const SEEDS: [u64; 8] = [1, 2, 3, 4, 5, 6, 7, 8];

/// Runs `agent` in the commitment trap and writes the run document; its directory.
pub fn run_agent(
    ledgers: &LedgerDir,
    agent: ScriptedAgent,
    variant: Variant,
    episodes: u32,
) -> PathBuf {
    let name = agent.as_str();
    run_oracle(ledgers, (name, name), Box::new(agent), variant, episodes)
}

/// Runs an oracle in the commitment trap and writes the run document; its directory. The oracle is named as
/// documents name it, and as its directory begins.
pub fn run_oracle(
    ledgers: &LedgerDir,
    (name, dir): (&str, &str),
    oracle: Box<dyn LocalOracle + Send>,
    variant: Variant,
    episodes: u32,
) -> PathBuf {
    let mut world = open_harbour().unwrap();
    let tokenizer = open_tiktoken("o200k_base");
    let (frame, basis) = build_frame(&world, tokenizer, DEFAULT_PAD, Some(MIN_LENGTHS)).unwrap();
    let constant = ConstantLength::new("none".to_owned(), MIN_LENGTHS, &basis);
    let plan = new_plan(variant, &SEEDS, episodes);
    let header = build_header(&plan, &world, name, name, Some(constant));
    let ledger = format!("{dir} {variant}.ledger");
    let dir = ledgers.path(&format!("{dir} {variant}"));
    std::fs::create_dir(&dir).unwrap();
    let mut oracle = ledgers.record(&ledger, Oracle::Code(oracle));
    let run = execute(&header, &mut world, Some(&frame), &mut oracle, &mut |_| {
        true
    })
    .unwrap();
    assert_eq!(run.status, RunStatus::Valid);
    let text = RunDocument::new(&header, &run).to_file_text();
    std::fs::write(dir.join(DOCUMENT_FILE), text).unwrap();
    dir
}

pub fn compare(dirs: &[&Path]) -> RunComparison {
    let read = |dir: &&Path| {
        let mut run = ComparableRun::read(dir).unwrap();
        run.path = dir.file_name().unwrap().to_str().unwrap().to_owned();
        run
    };
    compare_runs(dirs.iter().map(read).collect()).unwrap()
}

/// How run B of an agent differs from its baseline.
fn compare_without_memory(agent: ScriptedAgent, episodes: u32) -> RunComparison {
    let ledgers = LedgerDir::new();
    let baseline = run_agent(&ledgers, agent, Variant::Baseline, episodes);
    let b = run_agent(&ledgers, agent, Variant::B, episodes);
    compare(&[&baseline, &b])
}

pub fn verdicts(found: &RunDifference) -> [&'static str; 3] {
    [
        found.choices_verdict(),
        found.answers_verdict(),
        found.actions_verdict(),
    ]
}

pub const ALIKE: &str = "NOT_TOLD_APART";
pub const OTHERWISE: [&str; 3] = ["CHOOSES_OTHERWISE", ALIKE, "ACTS_OTHERWISE"];

#[test]
fn an_agent_that_locks_onto_one_policy_per_seed_is_told_apart() {
    let comparison = compare_without_memory(ScriptedAgent::LockIn, 1);
    let found = &comparison.differences[0];
    assert_eq!(verdicts(found), OTHERWISE);
    // Of the 128 ways of swapping eight seeds at most two give as much.
    assert!(found.choices_test.p_value.at_least <= 2);
    // It holds to different commitments under different seeds.
    let document = comparison.document();
    let choices = &document["differences"][0]["choices"];
    assert_eq!(choices["common_steps"], 400);
    assert!(choices["differing_steps"].as_u64().unwrap() > 100);
}

#[test]
fn agents_that_follow_precedents_are_told_apart_and_indifferent_ones_are_not() {
    for agent in [ScriptedAgent::Precedent, ScriptedAgent::Drift] {
        let comparison = compare_without_memory(agent, 2);
        let found = &comparison.differences[0];
        assert_eq!(verdicts(found), OTHERWISE, "{}", agent.as_str());
        assert!(found.choices.distance > Decimal::default());
    }
    for agent in [ScriptedAgent::Indifferent, ScriptedAgent::Random] {
        let comparison = compare_without_memory(agent, 1);
        let found = &comparison.differences[0];
        assert_eq!(verdicts(found), [ALIKE; 3], "{}", agent.as_str());
        // The random agent draws other actions in each variant, but by the same law.
        let is_random = agent == ScriptedAgent::Random;
        assert_eq!(found.disagreement.differing_steps > 100, is_random);
        assert_eq!(
            found.choices.total_variation != Decimal::default(),
            is_random
        );
    }
}

/// An agent that garbles its answers where it is shown a precedent answers worse, and does not choose
/// otherwise: at the steps that it answers in both runs it proposes the same.
#[test]
fn an_agent_that_garbles_its_answers_chooses_alike_and_answers_worse() {
    let ledgers = LedgerDir::new();
    let b = run_agent(&ledgers, ScriptedAgent::Clumsy, Variant::B, 1);
    let baseline = run_agent(&ledgers, ScriptedAgent::Clumsy, Variant::Baseline, 1);
    let comparison = compare(&[&b, &baseline]);
    let found = &comparison.differences[0];
    assert_eq!(verdicts(found), [ALIKE, "ANSWERS_WORSE", "ACTS_OTHERWISE"]);
    assert_eq!(found.disagreement.differing_steps, 0);
    assert_eq!(found.choices.distance, Decimal::default());
    let common = found.disagreement.common_steps;
    assert!((150..250).contains(&common), "{common}");
    // The other way round it answers better.
    let turned = compare(&[&baseline, &b]);
    assert_eq!(turned.differences[0].answers_verdict(), "ANSWERS_BETTER");

    let document = comparison.document();
    let runs = document["runs"].as_array().unwrap();
    assert_eq!(runs[0]["useful_answers"], 400);
    assert_eq!(runs[0]["rejections"], serde_json::json!({}));
    assert_eq!(runs[1]["useful_answers"], common);
    let count_all = |counts: &Value| -> u64 {
        let counts = counts.as_object().unwrap().values();
        counts.map(|n| n.as_u64().unwrap()).sum()
    };
    assert_eq!(count_all(&runs[1]["rejections"]), 400 - common);
    assert_eq!(count_all(&runs[1]["refusals"]), 0);
    assert_eq!(count_all(&runs[1]["proposed"]), common);
    assert_eq!(count_all(&runs[1]["actions"]), 400);
    let summary = comparison.render_summary();
    for part in [
        "ANSWERS\\_WORSE",
        &format!("| 400 | {common} | {}: ", 400 - common),
        "baseline: proposed | done |",
    ] {
        let plain = part.replace('\\', "");
        assert!(
            summary.replace('\\', "").contains(&plain),
            "{part} in {summary}"
        );
    }
}

/// Version 2 of the document: its members, and that nothing in it depends on the processor or the clock.
#[test]
fn the_comparison_document_has_its_members() {
    let comparison = compare_without_memory(ScriptedAgent::Precedent, 1);
    let document = comparison.document();
    let members = |value: &Value| -> BTreeSet<String> {
        value.as_object().unwrap().keys().cloned().collect()
    };
    let expect = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(document["axilog_ablation_comparison"], 2);
    assert_eq!(document["controls"], serde_json::json!([]));
    let found = &document["differences"][0];
    assert_eq!(
        members(found),
        expect(&["actions", "answers", "choices", "run"])
    );
    let test = ["p", "p_error", "p_holm", "seeds", "swaps"];
    for question in ["actions", "answers", "choices"] {
        assert_eq!(members(&found[question]["test"]), expect(&test));
    }
    assert_eq!(found["choices"]["test"]["swaps"], 128);
    assert_eq!(found["choices"]["test"]["p_error"], "0");
    let statistics = &document["statistics"];
    assert_eq!(statistics["level"], "0.05");
    assert_eq!(statistics["smallest_p"], "0.007812");
    assert_eq!(statistics["seeds"], serde_json::json!(SEEDS));
    let again = compare_without_memory(ScriptedAgent::Precedent, 1);
    assert_eq!(comparison.to_file_text(), again.to_file_text());
}

/// A document of an earlier version calls a run valid that had no useful answer.
#[test]
fn a_run_without_useful_answers_is_not_compared() {
    let ledgers = LedgerDir::new();
    let dir = run_agent(&ledgers, ScriptedAgent::Indifferent, Variant::B, 1);
    let path = dir.join(DOCUMENT_FILE);
    let mut document: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    let refuse = |document: &mut Value, keep: usize| {
        let seeds = document["seeds"].as_array_mut().unwrap();
        let episodes = seeds
            .iter_mut()
            .flat_map(|seed| seed["episodes"].as_array_mut().unwrap());
        for (number, episode) in episodes.enumerate() {
            let kept = if number == 0 { keep } else { 0 };
            let steps = episode["steps"].as_array_mut().unwrap();
            for step in steps.iter_mut().skip(kept) {
                step["refused"] = "ACTION_INFEASIBLE".into();
            }
            let refused = steps.len() - kept;
            episode["refusals"] = serde_json::json!({ "ACTION_INFEASIBLE": refused });
        }
    };
    refuse(&mut document, 1);
    std::fs::write(&path, document.to_string()).unwrap();
    assert!(ComparableRun::read(&dir).is_ok());
    refuse(&mut document, 0);
    std::fs::write(&path, document.to_string()).unwrap();
    let error = ComparableRun::read(&dir).unwrap_err().to_string();
    assert!(error.contains("INVALID_RUN / NO_USEFUL_ANSWER"), "{error}");
    // Actions that are not those of the steps.
    document["seeds"][0]["episodes"][0]["steps"][0]["action"] = "dance".into();
    std::fs::write(&path, document.to_string()).unwrap();
    let error = ComparableRun::read(&dir).unwrap_err().to_string();
    assert!(error.contains("and those of its steps are"), "{error}");
}

/// Every agent answers in a way that compiles wherever it means to.
#[test]
fn agents_have_names_that_are_read_back() {
    for &agent in ScriptedAgent::VARIANTS {
        assert_eq!(agent.as_str().parse(), Ok(agent));
    }
    let error = "clever".parse::<ScriptedAgent>().unwrap_err();
    assert!(error.contains("lock-in"), "{error}");
    let question = axilog_oracle::Question::new("m", "s", "no situation", Default::default());
    let mut agent = ScriptedAgent::LockIn;
    assert!(agent.answer(&question).contains("no situation"));
}
