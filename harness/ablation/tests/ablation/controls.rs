//! The controls: what a placebo and a replicate are, and what they show of oracles whose ways are known.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use axilog_ablation::agents::ScriptedAgent;
use axilog_ablation::comparison::RunComparison;
use axilog_ablation::controls::ControlDifference;
use axilog_ablation::draw::draw_below;
use axilog_ablation::environment::Place;
use axilog_ablation::environment_source::open_harbour;
use axilog_ablation::pipeline::PrecedentOutcome;
use axilog_ablation::run::{Run, RunStatus};
use axilog_ablation::variant::Variant;
use axilog_oracle::{LocalOracle, Oracle, Question};
use serde_json::Value;

use crate::comparison::{ALIKE, OTHERWISE, compare, run_agent, run_oracle, verdicts};
use crate::support::{
    LedgerDir, OneActionWorld, build_padded_frame, expect_invalid, new_plan, open_tiktoken,
    run_to_end, script_line,
};

/// An agent whose prompts are kept.
#[derive(Debug)]
struct WatchedAgent(ScriptedAgent, Arc<Mutex<Vec<String>>>);

impl LocalOracle for WatchedAgent {
    fn answer(&mut self, question: &Question) -> String {
        let prompt = question.messages.last().unwrap().content.clone();
        self.1.lock().unwrap().push(prompt);
        self.0.answer(question)
    }
}

/// Runs two episodes of the commitment trap; the run, and the record in each prompt.
fn run_watched(variant: Variant, agent: ScriptedAgent) -> (Run, Vec<Option<Value>>) {
    let ledgers = LedgerDir::new();
    let mut world = open_harbour().unwrap();
    let frame = build_padded_frame(&world, open_tiktoken("o200k_base"));
    let prompts = Arc::default();
    let watched = WatchedAgent(agent, Arc::clone(&prompts));
    let mut oracle = ledgers.record("l", Oracle::Code(Box::new(watched)));
    let run = run_to_end(&new_plan(variant, &[5], 2), &mut world, &frame, &mut oracle);
    let prompts = prompts.lock().unwrap();
    let records = prompts.iter().map(|prompt| {
        let (_, rest) = prompt.split_once("PRECEDENT\n").unwrap();
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        values.next().and_then(Result::ok)
    });
    (run, records.collect())
}

/// The agent answers alike with and without precedents, so each placebo stands for the record of the same step.
#[test]
fn placebos_stand_where_precedents_do_and_are_as_long() {
    let (baseline, records) = run_watched(Variant::Baseline, ScriptedAgent::Indifferent);
    let (run, placebos) = run_watched(Variant::Placebo, ScriptedAgent::Indifferent);
    for (real, drawn) in baseline.steps().zip(run.steps()) {
        let PrecedentOutcome::Written(expected) = real.precedent else {
            panic!("{:?}", real.precedent);
        };
        // Every placebo of the run has exactly as many tokens as its record.
        let outcome = PrecedentOutcome::Replaced {
            tokens: expected,
            length_gap: 0,
        };
        assert_eq!(drawn.precedent, outcome);
        let measures = |step: &axilog_ablation::pipeline::CompletedStep| {
            let measures = step.generated.measures.unwrap();
            (measures.prompt_tokens, measures.precedent_tokens)
        };
        assert_eq!(measures(real), measures(drawn));
    }
    let written: u64 = run.episodes().map(|episode| episode.written_count()).sum();
    assert_eq!(written, 100);
    let members =
        |record: &Value| -> Vec<String> { record.as_object().unwrap().keys().cloned().collect() };
    let sizes = |record: &Value| {
        let sets = [
            "authorized_violations",
            "required_preservations",
            "conflict_attribution",
        ];
        sets.map(|set| record[set].as_array().unwrap().len())
    };
    let (mut same_names, mut same_digests) = (0, 0);
    for (record, placebo) in records.iter().zip(&placebos) {
        let (Some(record), Some(placebo)) = (record, placebo) else {
            assert_eq!((record, placebo), (&None, &None));
            continue;
        };
        assert_eq!(
            (members(record), sizes(record)),
            (members(placebo), sizes(placebo))
        );
        assert_eq!(record["step_index"], placebo["step_index"]);
        let kept = |record: &Value| record["required_preservations"].clone();
        same_names += u32::from(kept(record) == kept(placebo));
        same_digests += u32::from(record["artifact_digest"] == placebo["artifact_digest"]);
    }
    assert_eq!(
        (records[0].is_none(), records.iter().flatten().count()),
        (true, 99)
    );
    // One in five is the record's by chance, and about ten steps are calm, where nothing is kept.
    assert!((12..45).contains(&same_names), "{same_names}");
    assert_eq!(same_digests, 0);
}

#[test]
fn a_replicate_of_a_deterministic_agent_is_the_baseline() {
    let (baseline, records) = run_watched(Variant::Baseline, ScriptedAgent::Precedent);
    let (replicate, again) = run_watched(Variant::Replicate, ScriptedAgent::Precedent);
    assert_eq!(records, again);
    let steps = |run: &Run| -> Vec<_> {
        let steps = run.steps();
        steps
            .map(|step| (step.generated.answer.clone(), step.action.clone()))
            .collect()
    };
    assert!(steps(&baseline) == steps(&replicate));
}

/// P1 holds for what stands in every prompt, real or drawn.
#[test]
fn a_control_without_records_is_not_instantiated() {
    let mut world = OneActionWorld::colliding();
    let frame = build_padded_frame(&world, open_tiktoken("o200k_base"));
    let ledgers = LedgerDir::new();
    for variant in Variant::CONTROLS {
        let lines = [script_line("I would rather not.")];
        let mut oracle = ledgers.record_script(variant.as_str(), &lines);
        let plan = new_plan(variant, &[1], 2);
        let run = run_to_end(&plan, &mut world, &frame, &mut oracle);
        assert_eq!(expect_invalid(&run).0, "BASELINE_NOT_INSTANTIATED");
        let lines = [script_line(&OneActionWorld::colliding_artifact())];
        let mut oracle = ledgers.record_script(&format!("{variant} fine"), &lines);
        let run = run_to_end(&plan, &mut world, &frame, &mut oracle);
        assert_eq!(run.status, RunStatus::Valid);
    }
}

const ARMS: [Variant; 4] = [
    Variant::Baseline,
    Variant::B,
    Variant::Placebo,
    Variant::Replicate,
];

/// Compares baseline, b, placebo and replicate of an agent, one episode each.
fn compare_with_controls(agent: ScriptedAgent) -> RunComparison {
    let ledgers = LedgerDir::new();
    let dirs = ARMS.map(|variant| run_agent(&ledgers, agent, variant, 1));
    compare(&dirs.each_ref().map(PathBuf::as_path))
}

/// The placebo against the baseline, the placebo against run B, and the replicate against the baseline.
fn list_controls(comparison: &RunComparison) -> [&ControlDifference; 3] {
    let found: Vec<&ControlDifference> = comparison.controls.iter().collect();
    let document = comparison.document();
    let named = document["controls"].as_array().unwrap();
    let names: Vec<[&str; 3]> = named
        .iter()
        .map(|found| ["control", "run", "reference"].map(|member| found[member].as_str().unwrap()))
        .collect();
    assert_eq!(
        names,
        [
            ["PLACEBO", "placebo", "baseline"],
            ["PLACEBO", "placebo", "b"],
            ["REPLICATE", "replicate", "baseline"],
        ]
    );
    found.try_into().unwrap()
}

#[test]
fn an_agent_that_follows_precedents_is_told_apart_from_its_placebo() {
    let comparison = compare_with_controls(ScriptedAgent::Precedent);
    let [content, presence, replicate] = list_controls(&comparison);
    assert_eq!(verdicts(&content.difference), OTHERWISE);
    // It follows a placebo too, to another commitment each time: other choices than those of run B at many
    // steps, spread over all commitments by the same law.
    assert_eq!(verdicts(&presence.difference), [ALIKE; 3]);
    assert!(presence.difference.disagreement.differing_steps > 100);
    assert_eq!(verdicts(&replicate.difference), [ALIKE; 3]);
    assert_eq!(replicate.difference.disagreement.differing_steps, 0);
    assert!(
        comparison
            .explain_control(content)
            .ends_with("What a record says matters.")
    );
    let summary = comparison.render_summary();
    for part in [
        "What a record says matters",
        "own noise is 0 other choices at 400 common steps",
        "by at most 0 tokens",
    ] {
        assert!(summary.contains(part), "{part} in {summary}");
    }
    // The plot names every run.
    assert_eq!(
        comparison.render_plot().matches("<text x=\"66\"").count(),
        4
    );

    // The controls take no power from run B: its difference is the same as without them.
    let ledgers = LedgerDir::new();
    let [baseline, b, ..] =
        ARMS.map(|variant| run_agent(&ledgers, ScriptedAgent::Precedent, variant, 1));
    let without = compare(&[&baseline, &b]);
    let documents = [comparison.document(), without.document()];
    assert_eq!(documents[0]["differences"], documents[1]["differences"]);
    assert_eq!(documents[0]["runs"][2]["largest_length_gap"], 0);
    assert_eq!(documents[0]["runs"][0].get("largest_length_gap"), None);
}

/// The agent is told apart from run B and not from its placebo: it minds that a record is there, and not what
/// it says.
#[test]
fn an_agent_that_minds_only_a_records_presence_is_not_told_apart_from_its_placebo() {
    let comparison = compare_with_controls(ScriptedAgent::Presence);
    assert_eq!(verdicts(&comparison.differences[0]), OTHERWISE);
    let [content, presence, replicate] = list_controls(&comparison);
    assert_eq!(verdicts(&content.difference), [ALIKE; 3]);
    assert_eq!(content.difference.disagreement.differing_steps, 0);
    assert_eq!(verdicts(&presence.difference), OTHERWISE);
    assert_eq!(verdicts(&replicate.difference), [ALIKE; 3]);
    let explained = comparison.explain_control(content);
    assert!(
        explained.contains("Nothing shows that it matters what a record says"),
        "{explained}"
    );
    let explained = comparison.explain_control(presence);
    assert!(explained.contains("whatever it says"), "{explained}");
}

#[test]
fn an_indifferent_agent_is_told_apart_from_no_control() {
    let comparison = compare_with_controls(ScriptedAgent::Indifferent);
    for control in list_controls(&comparison) {
        assert_eq!(verdicts(&control.difference), [ALIKE; 3]);
        assert_eq!(control.difference.told_apart(), [""; 0]);
    }
}

/// An agent that does one in so many steps any feasible action, drawn anew in each of its runs.
#[derive(Debug)]
struct NoisyAgent {
    inner: ScriptedAgent,
    run: u64,
    asked: u32,
}

impl NoisyAgent {
    fn boxed(inner: ScriptedAgent, run: u64) -> Box<NoisyAgent> {
        Box::new(NoisyAgent {
            inner,
            run,
            asked: 0,
        })
    }
}

impl LocalOracle for NoisyAgent {
    fn answer(&mut self, question: &Question) -> String {
        self.asked += 1;
        let place = Place {
            seed: self.run,
            episode: 0,
            step: self.asked,
        };
        if draw_below(4, place, "noise") > 0 {
            return self.inner.answer(question);
        }
        // The random agent draws from the digest of the prompt.
        let mut changed = question.clone();
        let prompt = &mut changed.messages.last_mut().unwrap().content;
        prompt.push_str(&format!("{place:?}"));
        ScriptedAgent::Random.answer(&changed)
    }
}

/// A noisy oracle's replicate differs from its baseline and is not told apart, by the same law.
#[test]
fn the_replicate_of_a_noisy_oracle_differs_and_is_not_told_apart() {
    let ledgers = LedgerDir::new();
    let [baseline, replicate] =
        [(Variant::Baseline, 1), (Variant::Replicate, 2)].map(|(variant, run)| {
            let noisy = NoisyAgent::boxed(ScriptedAgent::Indifferent, run);
            run_oracle(&ledgers, ("noisy", "noisy"), noisy, variant, 1)
        });
    let comparison = compare(&[&baseline, &replicate]);
    let found = &comparison.controls[0];
    assert!(found.difference.disagreement.differing_steps > 50);
    assert_eq!(verdicts(&found.difference), [ALIKE; 3]);
    let explained = comparison.explain_control(found);
    assert!(explained.contains("own noise is"), "{explained}");
    // Of two runs that are compared alone no difference is read as a variant's.
    assert!(comparison.differences.is_empty());
}

/// A model that is another one by the time of the replicate.
#[test]
fn a_replicate_that_is_told_apart_takes_every_reading_away() {
    let ledgers = LedgerDir::new();
    let baseline = run_agent(&ledgers, ScriptedAgent::Indifferent, Variant::Baseline, 1);
    let b = run_agent(&ledgers, ScriptedAgent::Indifferent, Variant::B, 1);
    let name = ScriptedAgent::Indifferent.as_str();
    let changed = Box::new(ScriptedAgent::LockIn);
    let replicate = run_oracle(&ledgers, (name, "changed"), changed, Variant::Replicate, 1);
    let comparison = compare(&[&baseline, &b, &replicate]);
    let found = &comparison.controls[0];
    assert_eq!(found.difference.told_apart(), ["choices", "actions"]);
    let summary = comparison.render_summary();
    let warning = "No verdict on choices, actions may be read as the work of precedents.";
    assert!(summary.contains(warning), "{summary}");
    assert_eq!(
        comparison.document()["controls"][0]["told_apart"],
        serde_json::json!(["choices", "actions"])
    );
    // A replicate of another oracle is no control of this one, and neither is one that no baseline is held
    // against.
    let other = run_agent(&ledgers, ScriptedAgent::Drift, Variant::Replicate, 1);
    let comparison = compare(&[&baseline, &other]);
    assert_eq!(
        (comparison.controls.len(), comparison.differences.len()),
        (0, 1)
    );
    let comparison = compare(&[&b, &replicate]);
    assert_eq!(
        (comparison.controls.len(), comparison.differences.len()),
        (0, 1)
    );
}
