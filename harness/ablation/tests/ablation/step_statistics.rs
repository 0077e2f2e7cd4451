//! The statistics of single steps, on agents whose ways are known: what the shares of actions do not show.

use std::path::{Path, PathBuf};

use axilog::hash::sha256;
use axilog_ablation::agents::ScriptedAgent;
use axilog_ablation::comparable_run::ComparableRun;
use axilog_ablation::comparison::{RunComparison, compare_runs};
use axilog_ablation::endpoint::StudyEndpoint;
use axilog_ablation::margin::Margin;
use axilog_ablation::replay::DOCUMENT_FILE;
use axilog_ablation::run_difference::RunDifference;
use axilog_ablation::swap_test::PValue;
use axilog_ablation::variant::Variant;
use axilog_ledger::encoding::hex;
use axilog_oracle::{LocalOracle, Question};
use serde_json::Value;

use crate::comparison::{ALIKE, compare, run_agent, run_oracle};
use crate::support::LedgerDir;

/// An agent that keeps what the record kept in so many percent of all situations, and else what is pressing.
#[derive(Debug)]
struct StickyAgent {
    percent: u32,
}

impl LocalOracle for StickyAgent {
    fn answer(&mut self, question: &Question) -> String {
        let prompt = &question.messages.last().unwrap().content;
        let (_, situation) = prompt.split_once("SITUATION").unwrap();
        let [a, b, c, d, ..] = sha256(situation.as_bytes());
        let is_held = u32::from_be_bytes([a, b, c, d]) % 100 < self.percent;
        let mut agent = match is_held {
            true => ScriptedAgent::Precedent,
            false => ScriptedAgent::Indifferent,
        };
        agent.answer(question)
    }
}

/// Reads a run, as if `primary` had been declared before it.
fn read_run(dir: &Path, primary: Option<&str>) -> ComparableRun {
    let path = dir.join(DOCUMENT_FILE);
    let mut document: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    let header = document["header"].as_object_mut().unwrap();
    match primary {
        Some(name) => header.insert("primary".to_owned(), name.into()),
        None => header.remove("primary"),
    };
    std::fs::write(&path, document.to_string()).unwrap();
    let mut run = ComparableRun::read(dir).unwrap();
    run.path = dir.file_name().unwrap().to_str().unwrap().to_owned();
    run
}

pub fn compare_declared(dirs: &[PathBuf], primary: &str) -> RunComparison {
    let runs = dirs.iter().map(|dir| read_run(dir, Some(primary)));
    compare_runs(runs.collect()).unwrap()
}

/// Runs arms of an agent that ships.
fn run_arms(
    ledgers: &LedgerDir,
    agent: ScriptedAgent,
    variants: &[Variant],
    episodes: u32,
) -> Vec<PathBuf> {
    let arms = variants.iter();
    arms.map(|variant| run_agent(ledgers, agent, *variant, episodes))
        .collect()
}

const WITH_REPLICATE: [Variant; 3] = [Variant::Baseline, Variant::B, Variant::Replicate];

/// The verdict on an endpoint, as documents name it.
pub fn verdict(found: &RunDifference, endpoint: StudyEndpoint) -> &'static str {
    let rows = found.list_endpoints();
    let row = rows.iter().find(|row| row.endpoint == endpoint);
    row.map_or("", |row| row.verdict)
}

/// The random agent draws its choice from the digest of its prompt, which holds the situation and the precedent. Each
/// action is as likely with and without a record, so no share of actions shows that the record is what decides.
#[test]
fn a_choice_by_a_hash_of_situation_and_precedent_is_told_apart_from_the_replicate() {
    let ledgers = LedgerDir::new();
    let dirs = run_arms(&ledgers, ScriptedAgent::Random, &WITH_REPLICATE, 3);
    let comparison = compare_declared(&dirs, "disagreement");
    let found = &comparison.differences[0];
    assert_ne!(verdict(found, StudyEndpoint::Choices), "CHOOSES_OTHERWISE");
    assert_eq!(verdict(found, StudyEndpoint::Disagreement), "DIFFERS_MORE");
    let beyond = found.beyond_replicate.unwrap();
    assert_eq!(beyond.measured.steps, 1200);
    assert_eq!(beyond.measured.reference_count, 0);
    assert!(beyond.measured.run_count > 800, "{beyond:?}");
    assert_eq!(beyond.test.p_value, PValue::smallest(8));
    // The replicate does what the baseline does.
    let replicate = &comparison.controls[0].difference;
    assert_eq!(replicate.told_apart(), [""; 0]);
    assert!(replicate.beyond_replicate.is_none());
    // Without the replicate nobody can say what of the disagreement is noise.
    let comparison = compare_declared(&dirs[..2], "agreement");
    assert!(comparison.differences[0].beyond_replicate.is_none());
}

#[test]
fn an_agent_that_keeps_what_the_record_kept_in_three_of_ten_situations_agrees_more() {
    let ledgers = LedgerDir::new();
    let dirs = [Variant::Baseline, Variant::B].map(|variant| {
        let sticky = Box::new(StickyAgent { percent: 30 });
        run_oracle(&ledgers, ("sticky", "sticky"), sticky, variant, 3)
    });
    let comparison = compare_declared(&dirs, "agreement");
    let agreement = comparison.differences[0].agreement.unwrap();
    // Without its memory it agrees less.
    assert_eq!(
        verdict(&comparison.differences[0], StudyEndpoint::Agreement),
        "AGREES_LESS"
    );
    assert_eq!(agreement.test.p_value, PValue::smallest(8));
    let turned = [dirs[1].clone(), dirs[0].clone()];
    let turned = compare_declared(&turned, "agreement");
    assert_eq!(
        verdict(&turned.differences[0], StudyEndpoint::Agreement),
        "AGREES_MORE"
    );
}

/// All endpoints of all runs are one family, in which the primary one counts twice.
#[test]
fn all_tests_of_a_comparison_are_one_family_where_a_primary_endpoint_was_declared() {
    let ledgers = LedgerDir::new();
    let dirs = run_arms(
        &ledgers,
        ScriptedAgent::Precedent,
        &[Variant::Baseline, Variant::B],
        1,
    );
    let comparison = compare_declared(&dirs, "agreement");
    let rows = comparison.differences[0].list_endpoints();
    let mut corrected: Vec<(String, String)> = rows
        .iter()
        .map(|row| {
            (
                row.endpoint.to_string(),
                row.test.corrected.to_decimal().to_string(),
            )
        })
        .collect();
    corrected.sort();
    let names = ["actions", "agreement", "answers", "choices"];
    let found: Vec<&str> = corrected.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(found, names);
    // Three of 1/128 and one of 1: the primary one times 5/2, then 3 times, and none falls below.
    let values: Vec<&str> = corrected.iter().map(|(_, value)| value.as_str()).collect();
    assert_eq!(values, ["0.023438", "0.019531", "1", "0.023438"]);
    let document = comparison.document();
    assert_eq!(document["axilog_ablation_comparison"], 3);
    assert_eq!(document["statistics"]["primary"], "agreement");
    assert_eq!(
        document["differences"][0]["agreement"]["verdict"],
        "AGREES_LESS"
    );
}

/// What was recorded before primary endpoints were declared is reported as it was then, byte for byte.
#[test]
fn runs_without_a_declared_primary_endpoint_are_reported_as_before() {
    let ledgers = LedgerDir::new();
    let dirs = run_arms(&ledgers, ScriptedAgent::Random, &WITH_REPLICATE, 1);
    let paths: Vec<&Path> = dirs.iter().map(PathBuf::as_path).collect();
    let comparison = compare(&paths);
    let document = comparison.document();
    assert_eq!(document["axilog_ablation_comparison"], 2);
    for absent in ["agreement", "disagreement"] {
        assert_eq!(document["differences"][0].get(absent), None);
    }
    assert_eq!(document["statistics"].get("primary"), None);
    assert!(!comparison.render_summary().contains("rimary"));
    // Pinned, so that no later change of the tables changes the files of such runs.
    let files = comparison.render_files().into_iter();
    let files: String = files.map(|(_, text)| text).collect();
    let pinned = "3dcce9895dd17e56c4f4cc5fa50bbec8b65ab15f12f44c9fa832c7f1bde81e2a";
    assert_eq!(hex(&sha256(files.as_bytes())), pinned);
    let note = comparison.explain_primary();
    for part in ["no primary endpoint", "headers declare none", "as before"] {
        assert!(note.contains(part), "{note}");
    }
    // One run that declares nothing, or something else, takes the declaration of the others away.
    for other in [None, Some("choices")] {
        let runs = vec![
            read_run(&dirs[0], Some("agreement")),
            read_run(&dirs[1], other),
        ];
        let comparison = compare_runs(runs).unwrap();
        assert_eq!(comparison.document()["axilog_ablation_comparison"], 2);
        let note = comparison.explain_primary();
        let expected = format!(
            "baseline declares agreement, b declares {}",
            other.unwrap_or("none")
        );
        assert!(note.contains(&expected), "{note}");
    }
}

#[test]
fn a_small_difference_is_less_than_a_margin() {
    let ledgers = LedgerDir::new();
    let dirs = run_arms(&ledgers, ScriptedAgent::Indifferent, &WITH_REPLICATE, 1);
    for primary in ["agreement", "disagreement"] {
        let endpoint: StudyEndpoint = primary.parse().unwrap();
        let margin: Margin = "0.05".parse().unwrap();
        let comparison = compare_declared(&dirs, primary);
        assert_eq!(verdict(&comparison.differences[0], endpoint), ALIKE);
        let comparison = comparison.with_margin(margin).unwrap();
        let found = &comparison.differences[0];
        assert_eq!(verdict(found, endpoint), "LESS_THAN");
        // The margin is that of the primary endpoint alone.
        let others = found
            .list_endpoints()
            .into_iter()
            .filter(|row| row.endpoint != endpoint);
        assert!(others.into_iter().all(|row| row.verdict != "LESS_THAN"));
        assert_eq!(comparison.document()["statistics"]["margin"], "0.05");
        assert!(comparison.render_summary().contains("LESS_THAN 0.05"));
    }
    // Without a primary endpoint that is a share of steps there is nothing that a margin could be of.
    for primary in ["choices", "answers", "actions"] {
        let comparison = compare_declared(&dirs, primary);
        let error = comparison.with_margin("0.05".parse().unwrap()).unwrap_err();
        let said = error.to_string();
        assert!(said.contains("agreement or disagreement"), "{said}");
    }
    for wrong in ["", "0", "-0.1", "1.5", "0.1234567", "five", "0.", "1e-2"] {
        assert!(wrong.parse::<Margin>().is_err(), "{wrong}");
    }
}

/// An agent that leaves answers unfinished is no agent that disagrees: its choices are compared where all runs have one.
#[test]
fn garbled_answers_are_no_disagreement() {
    let ledgers = LedgerDir::new();
    let dirs = run_arms(&ledgers, ScriptedAgent::Clumsy, &WITH_REPLICATE, 2);
    let comparison = compare_declared(&dirs, "disagreement");
    let found = &comparison.differences[0];
    for tested in [found.agreement.unwrap(), found.beyond_replicate.unwrap()] {
        assert_eq!(tested.measured.difference.to_string(), "0");
        assert_eq!(tested.test.p_value.to_decimal().to_string(), "1");
        assert!(tested.measured.steps < 700);
    }
}
