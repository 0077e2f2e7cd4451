//! Answers that are garbled because of what they choose: no choice is then said to be another one that may be the same.

use std::path::PathBuf;

use axilog::hash::sha256;
use axilog_ablation::agents::ScriptedAgent;
use axilog_ablation::endpoint::StudyEndpoint;
use axilog_ablation::margin::Margin;
use axilog_ablation::variant::Variant;
use axilog_oracle::{LocalOracle, Question};
use serde_json::Value;

use crate::comparison::{ALIKE, run_oracle};
use crate::step_statistics::{compare_declared, verdict};
use crate::support::LedgerDir;

/// An agent that leaves its answer unfinished in so many percent of the cases in which it is shown a record and would do
/// an action that one of `garbled` begins with.
#[derive(Debug)]
struct GarblingAgent {
    agent: ScriptedAgent,
    garbled: &'static [&'static str],
    percent: u32,
}

impl LocalOracle for GarblingAgent {
    fn answer(&mut self, question: &Question) -> String {
        let mut answer = self.agent.answer(question);
        let prompt = &question.messages.last().unwrap().content;
        let (record, _) = prompt.split_once("SITUATION").unwrap();
        let artifact: Value = serde_json::from_str(&answer).unwrap();
        let action = artifact["action"].as_str().unwrap();
        let is_garbled = self.garbled.iter().any(|begin| action.starts_with(begin));
        let [a, b, c, d, ..] = sha256(format!("garbled? {prompt}").as_bytes());
        let is_drawn = u32::from_be_bytes([a, b, c, d]) % 100 < self.percent;
        if record.contains("step_index") && is_garbled && is_drawn {
            answer.truncate(answer.len() - 1);
        }
        answer
    }
}

fn run_garbling(
    ledgers: &LedgerDir,
    (agent, name): (ScriptedAgent, &str),
    garbled: &'static [&'static str],
    variants: &[Variant],
) -> Vec<PathBuf> {
    let arms = variants.iter();
    arms.map(|variant| {
        let garbling = GarblingAgent {
            agent,
            garbled,
            percent: 80,
        };
        run_oracle(ledgers, (name, name), Box::new(garbling), *variant, 3)
    })
    .collect()
}

/// The random agent chooses by one law with and without records. With them four of five of its answers that choose an
/// escort are garbled, so that the answers which are left choose it less often.
#[test]
fn garbling_that_depends_on_the_choice_is_no_other_choice() {
    let ledgers = LedgerDir::new();
    let agent = (ScriptedAgent::Random, "garbling");
    let dirs = run_garbling(
        &ledgers,
        agent,
        &["escort"],
        &[Variant::Baseline, Variant::B],
    );
    let comparison = compare_declared(&dirs, "agreement");
    let found = &comparison.differences[0];
    // Of the answers that are left the test says that they differ.
    assert!(found.choices_test.p_value.is_below_level());
    assert_eq!(verdict(found, StudyEndpoint::Choices), "CANNOT_BE_TOLD");
    assert_eq!(verdict(found, StudyEndpoint::Answers), "ANSWERS_BETTER");
    assert_eq!(found.told_apart(), ["answers", "actions"]);
    let document = comparison.document();
    let test = &document["differences"][0]["choices"]["test"];
    assert_eq!(test["p_largest"], "1");
    assert_eq!(test["p_holm"], "1");
    let summary = comparison.render_summary();
    assert!(summary.contains("| CANNOT_BE_TOLD |"), "{summary}");
    assert!(summary.contains("answers were not useful"), "{summary}");
}

/// The agent is indifferent, and what is left of its answers is alike in both arms. Nobody knows whether the others are.
#[test]
fn a_margin_holds_whatever_useless_answers_would_have_been() {
    let ledgers = LedgerDir::new();
    let agent = (ScriptedAgent::Indifferent, "margin");
    let dirs = run_garbling(
        &ledgers,
        agent,
        &["escort"],
        &[Variant::Baseline, Variant::B],
    );
    let margin: Margin = "0.05".parse().unwrap();
    let comparison = compare_declared(&dirs, "agreement")
        .with_margin(margin)
        .unwrap();
    let found = &comparison.differences[0];
    let agreement = found.agreement.unwrap();
    assert!(margin.holds_interval(agreement.measured.interval));
    let widest = agreement.completed.unwrap().interval;
    assert!(!margin.holds_interval(widest), "{widest:?}");
    assert_eq!(verdict(found, StudyEndpoint::Agreement), ALIKE);
    let document = comparison.document();
    let written = &document["differences"][0]["agreement"]["widest_interval"];
    assert_eq!(*written, serde_json::to_value(widest).unwrap());
}

/// Only the placebo garbles. Its useful answers by themselves choose otherwise and agree more often.
#[test]
fn a_control_says_what_cannot_be_told() {
    let ledgers = LedgerDir::new();
    let (name, random) = (("controls", "controls"), Box::new(ScriptedAgent::Random));
    let mut dirs = vec![run_oracle(&ledgers, name, random, Variant::Baseline, 3)];
    let agent = (ScriptedAgent::Random, "controls");
    dirs.extend(run_garbling(
        &ledgers,
        agent,
        &["escort"],
        &[Variant::Placebo],
    ));
    let comparison = compare_declared(&dirs, "choices");
    let placebo = &comparison.controls[0];
    let found = verdict(&placebo.difference, StudyEndpoint::Choices);
    assert_eq!(found, "CANNOT_BE_TOLD");
    assert_eq!(
        comparison.explain_control(placebo),
        "placebo is told apart from baseline in answers, actions. What a record says matters. Whether placebo is told apart from baseline in choices, agreement cannot be told: it depends on what the answers that were not useful would have been."
    );
}
