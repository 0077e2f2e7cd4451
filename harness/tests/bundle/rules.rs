//! The rules of Addendum A, A1 to A7, each by its number.

use std::fs;

use axilog::hash::sha256;
use axilog_harness::bundle::budget::TokenBudget;
use axilog_harness::bundle::builder::Results;
use axilog_harness::bundle::count::{TokenCount, WordEstimate};
use axilog_harness::bundle::retrieve::History;
use axilog_harness::bundle::{
    BundleError, Request, build_llm_context, build_step_awareness_bundle,
    render_prompt_from_bundle, render_with,
};
use axilog_harness::error::Error;
use axilog_harness::ledger_file::hex;
use serde_json::{Value, json};

use crate::place::{STEPS, build, catalogue, json, request, results};

fn names(value: &Value) -> Vec<&str> {
    value
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

/// A text of which each word is one word.
fn words(count: usize) -> String {
    vec!["word"; count].join(" ")
}

#[test]
fn a1_1_the_bundle_has_its_fields() {
    let catalogue = catalogue();
    let mut request = request(&catalogue, 3);
    request.run_number = 7;
    let bundle = build(&request);
    let value = json(&bundle);
    let mut expected = vec![
        "bundle_version",
        "step_id",
        "step_name",
        "run_id",
        "run_number",
        "is_chapter_13",
        "context",
        "budgets",
        "provenance",
        "generated_at",
    ];
    expected.sort_unstable();
    assert_eq!(names(&value), expected);
    assert_eq!(value["bundle_version"], "1.0.0");
    assert_eq!(value["step_id"], 3);
    assert_eq!(value["step_name"], "full_scoring");
    assert_eq!(value["run_id"], "step3_20260202_103000");
    assert_eq!(value["run_number"], 7);
    assert_eq!(value["is_chapter_13"], false);
    assert_eq!(value["provenance"], json!([]));
    assert_eq!(value["generated_at"], "2026-02-02T10:30:00Z");
}

#[test]
fn a1_2_the_context_has_its_tiers() {
    let catalogue = catalogue();
    let value = json(&build(&request(&catalogue, 1)));
    let mut expected = vec![
        "mission",
        "schema_excerpt",
        "grammar_name",
        "contracts",
        "guardrails",
        "inputs_summary",
        "evaluation_summary",
        "recent_outcomes",
        "trend_summary",
        "open_incidents",
    ];
    expected.sort_unstable();
    assert_eq!(names(&value["context"]), expected);
}

#[test]
fn a1_3_the_supporting_models_have_their_fields() {
    let dir = tempfile::tempdir().unwrap();
    let summaries = dir.path().join("chapter13/summaries");
    fs::create_dir_all(&summaries).unwrap();
    let outcome = json!({
        "step": 3, "run_id": "r", "result": "ok", "metric_delta": -0.25,
        "key_metric": "mean_score", "timestamp": "2026-01-01T00:00:00Z",
    });
    fs::write(summaries.join("one.json"), outcome.to_string()).unwrap();
    let line = json!({ "run_id": "r", "step": 3, "metrics": { "mean_score": 1 } });
    fs::write(dir.path().join("run_history.jsonl"), line.to_string()).unwrap();
    let catalogue = catalogue();
    let mut request = request(&catalogue, 3);
    request.history = Some(History::of(dir.path()));
    let value = json(&build(&request));
    assert_eq!(value["context"]["recent_outcomes"], json!([outcome]));
    let trend = json!({
        "metric_name": "mean_score", "direction": "flat", "recent_values": [1], "window_size": 10,
    });
    assert_eq!(value["context"]["trend_summary"], json!([trend]));
    let budgets = json!({
        "ctx_max_tokens": 32768, "tier0_reserved": 1200, "tier1_cap": 3000, "history_cap": 6000,
        "telemetry_cap": 3000, "generation_reserve": 2000,
    });
    assert_eq!(value["budgets"], budgets);
    for record in value["provenance"].as_array().unwrap() {
        assert_eq!(names(record), ["path", "sha256", "size_bytes"]);
    }
}

#[test]
fn a2_1_the_default_budget() {
    let budget = TokenBudget::default();
    let parts = [
        budget.tier0_reserved(),
        budget.tier1_cap(),
        budget.history_cap() + budget.telemetry_cap(),
        budget.generation_reserve(),
    ];
    assert_eq!(parts, [1200, 3000, 9000, 2000]);
    assert_eq!(budget.ctx_max_tokens(), 32_768);
    assert_eq!(budget.ctx_max_tokens() - parts.iter().sum::<u64>(), 17_568);
}

#[test]
fn a2_2_1_tier_0_is_whole_and_the_others_shrink() {
    let catalogue = catalogue();
    let mut request = request(&catalogue, 1);
    request.results = results(&format!(r#"{{"interpretation":"{}"}}"#, words(500)));
    let bare = render_with(
        &build(&Request {
            results: None,
            ..request.clone()
        }),
        &WordEstimate,
    );
    let tier0 = bare.unwrap();
    // Tier 0 has more than its reservation; what is left is less than the cap of Tier 1.
    let left = 200;
    request.budgets = TokenBudget::default()
        .with_tier0_reserved(10)
        .with_generation_reserve(0)
        .with_ctx_max_tokens(tier0.tokens + left);
    let rendered = render_with(&build(&request), &WordEstimate).unwrap();
    assert!(
        rendered
            .prompt
            .starts_with(&format!("{}\n\n", tier0.prompt))
    );
    assert_eq!(rendered.truncated, ["tier1"]);
    assert!(rendered.tokens <= tier0.tokens + left && rendered.tokens > tier0.tokens + left - 5);

    // What is reserved for Tier 0 stays so.
    request.budgets = request
        .budgets
        .clone()
        .with_tier0_reserved(tier0.tokens + left / 2);
    let rendered = render_with(&build(&request), &WordEstimate).unwrap();
    assert!(rendered.tokens <= tier0.tokens + left / 2);

    // With less than Tier 0 there is no prompt, and it is said what is missing.
    request.budgets = TokenBudget::default()
        .with_generation_reserve(100)
        .with_ctx_max_tokens(100 + tier0.tokens - 1);
    let error = render_with(&build(&request), &WordEstimate).unwrap_err();
    let Error::Bundle(BundleError::Tier0 { tokens, limit }) = &error else {
        panic!("{error}")
    };
    assert_eq!((*tokens, *limit), (tier0.tokens, tier0.tokens - 1));
    assert!(error.to_string().contains(": 1 too many;"), "{error}");
}

#[test]
fn a2_2_2_tier_1_is_cut_at_its_cap_with_the_marker() {
    let catalogue = catalogue();
    let mut request = request(&catalogue, 1);
    request.results = results(&format!(
        r#"{{"success":true,"interpretation":"{}","recall":1}}"#,
        words(5000)
    ));
    let rendered = render_with(&build(&request), &WordEstimate).unwrap();
    assert_eq!(rendered.truncated, ["tier1"]);
    let (_, tier1) = rendered
        .prompt
        .split_once("=== CURRENT EVALUATION")
        .unwrap();
    let tier1 = format!("=== CURRENT EVALUATION{tier1}");
    let tokens = WordEstimate.count(&tier1).unwrap();
    assert!((2999..=3000).contains(&tokens), "{tokens}");
    let lines: Vec<&str> = tier1.lines().collect();
    assert_eq!(
        lines[..3],
        ["=== CURRENT EVALUATION ===", "{", "  \"success\": true,"]
    );
    assert!(lines[3].ends_with("word word"), "{}", lines[3]);
    assert_eq!(lines[4..], ["[... truncated to fit token budget ...]"]);
}

#[test]
fn a2_2_3_history_comes_before_telemetry_and_each_has_its_cap() {
    let dir = tempfile::tempdir().unwrap();
    let summaries = dir.path().join("chapter13/summaries");
    fs::create_dir_all(&summaries).unwrap();
    let outcome = json!({
        "step": 3, "run_id": "r", "result": words(300), "metric_delta": 1,
        "key_metric": "mean_score", "timestamp": "2026-01-01T00:00:00Z",
    });
    fs::write(
        summaries.join("all.json"),
        json!(vec![outcome; 20]).to_string(),
    )
    .unwrap();
    let incident = json!({ "id": "w", "message": words(4000), "resolved": false });
    fs::write(
        dir.path().join("watcher_failures.jsonl"),
        incident.to_string(),
    )
    .unwrap();
    let catalogue = catalogue();
    let mut request = request(&catalogue, 3);
    request.history = Some(History::of(dir.path()));
    let count = |text: &str| WordEstimate.count(text).unwrap();
    let parts = |request: &Request<'_>| {
        let rendered = render_with(&build(request), &WordEstimate).unwrap();
        let (_, rest) = rendered
            .prompt
            .split_once("\n\n=== RECENT OUTCOMES")
            .unwrap();
        let parts = rest.split_once("\n\n=== OPEN INCIDENTS");
        let parts = parts.map_or((count(rest), None), |(h, t)| (count(h), Some(count(t))));
        (parts, rendered)
    };
    let ((history, telemetry), rendered) = parts(&request);
    assert_eq!(rendered.truncated, ["history", "telemetry"]);
    assert!((5990..=6000).contains(&history), "{history}");
    assert!((2990..=3000).contains(&telemetry.unwrap()), "{telemetry:?}");

    // Where both do not fit, the history has what there is.
    request.budgets = TokenBudget::default().with_ctx_max_tokens(2000 + 1200 + 5000);
    let ((history, telemetry), _) = parts(&request);
    assert!(
        history > 4900 && telemetry.is_none(),
        "{history} {telemetry:?}"
    );
}

#[test]
fn a2_2_4_the_answers_reserve_is_left() {
    let catalogue = catalogue();
    let mut request = request(&catalogue, 1);
    request.results = results(&format!(r#"{{"interpretation":"{}"}}"#, words(5000)));
    for reserve in [0, 500, 2000] {
        request.budgets = TokenBudget::default()
            .with_ctx_max_tokens(4096)
            .with_generation_reserve(reserve);
        let rendered = render_with(&build(&request), &WordEstimate).unwrap();
        assert!(rendered.tokens + reserve <= 4096);
    }
}

#[test]
fn a2_2_5_a_word_is_1_3_tokens() {
    for (text, tokens) in [
        ("", 0),
        ("one", 1),
        (" one\ttwo\n", 2),
        ("a b c d", 5),
        ("a\u{2003}b\u{a0}c\u{85}d", 5),
        (&words(10), 13),
    ] {
        assert_eq!(WordEstimate.count(text).unwrap(), tokens, "{text:?}");
    }
}

#[test]
fn a2_3_a_caller_may_choose_the_budget() {
    let catalogue = catalogue();
    let mut request = request(&catalogue, 1);
    request.budgets = TokenBudget::default()
        .with_ctx_max_tokens(4096)
        .with_generation_reserve(500);
    let bundle = build(&request);
    assert_eq!(bundle.budgets().ctx_max_tokens(), 4096);
    assert_eq!(bundle.budgets().prompt_limit(), 3596);
    assert_eq!(bundle.budgets().tier1_cap(), 3000);
}

/// A3.1: each of the ten sources has its place, in the order of priority.
#[test]
fn a3_1_sections_stand_in_the_order_of_their_tiers() {
    let catalogue = catalogue();
    let dir = history();
    let mut request = request(&catalogue, 3);
    request.results = results(r#"{"mean_score":1,"success":true}"#);
    request.history = Some(History::of(dir.path()));
    let prompt = render_prompt_from_bundle(&build(&request)).unwrap();
    let headings: Vec<&str> = prompt.lines().filter(|l| l.starts_with("===")).collect();
    let expected = [
        "STEP MISSION",
        "EVALUATION SCHEMA",
        "OUTPUT FORMAT",
        "GUARDRAILS",
        "AUTHORITY CONTRACTS",
        "CURRENT EVALUATION",
        "STEP OUTPUT METRICS",
        "RECENT OUTCOMES",
        "METRIC TRENDS",
        "OPEN INCIDENTS",
    ];
    assert_eq!(headings, expected.map(|name| format!("=== {name} ===")));
    assert!(prompt.contains("the grammar agent_decision.gbnf accepts"));
    // Empty ones are left out.
    request.results = None;
    request.history = None;
    let prompt = render_prompt_from_bundle(&build(&request)).unwrap();
    let headings: Vec<&str> = prompt.lines().filter(|l| l.starts_with("===")).collect();
    assert_eq!(
        headings,
        expected[..5]
            .iter()
            .map(|name| format!("=== {name} ==="))
            .collect::<Vec<_>>()
    );
}

/// A history with one record of each kind.
fn history() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let summaries = dir.path().join("chapter13/summaries");
    fs::create_dir_all(&summaries).unwrap();
    let outcome = r#"{"step":3,"run_id":"r","result":"ok","metric_delta":1,"key_metric":"k","timestamp":"2026-01-01T00:00:00Z"}"#;
    fs::write(summaries.join("a.json"), outcome).unwrap();
    let line = r#"{"run_id":"r","step":3,"metrics":{"mean_score":1}}"#;
    fs::write(dir.path().join("run_history.jsonl"), line).unwrap();
    let line = r#"{"id":"w","message":"m","resolved":false}"#;
    fs::write(dir.path().join("watcher_failures.jsonl"), line).unwrap();
    dir
}

#[test]
fn a3_2_retrieval_is_behind_the_same_call() {
    let catalogue = catalogue();
    let dir = history();
    let mut request = request(&catalogue, 3);
    let without = build(&request);
    request.history = Some(History::of(dir.path()));
    let with = build(&request);
    assert!(without.context().recent_outcomes().is_empty());
    assert_eq!(with.context().recent_outcomes().len(), 1);
    assert_eq!(with.context().trend_summary().len(), 1);
    assert_eq!(with.context().open_incidents(), ["w: m"]);
    assert_eq!(with.context().mission(), without.context().mission());
}

/// A3.3: what a history folder holds beside the three sources never gets in.
#[test]
fn a3_3_nothing_else_is_read() {
    let catalogue = catalogue();
    let dir = history();
    let mut request = request(&catalogue, 3);
    request.history = Some(History::of(dir.path()));
    let before = json(&build(&request));
    for name in [
        "decisions.jsonl",
        "conversation.json",
        "draws.json",
        "embeddings.bin",
    ] {
        fs::write(dir.path().join(name), "{\"excluded\":1}").unwrap();
        fs::write(dir.path().join("chapter13").join(name), "{\"excluded\":1}").unwrap();
    }
    assert_eq!(json(&build(&request)), before);
}

/// A4.1: everything in a prompt is in the bundle, which has no way to add to it.
#[test]
fn a4_1_the_prompt_is_a_function_of_the_bundle() {
    let catalogue = catalogue();
    let mut request = request(&catalogue, 2);
    request.results = results(r#"{"best_accuracy":0.5}"#);
    let bundle = build(&request);
    let first = render_prompt_from_bundle(&bundle).unwrap();
    assert_eq!(render_prompt_from_bundle(&bundle.clone()).unwrap(), first);
}

#[test]
fn a4_2_one_call_gives_prompt_grammar_and_bundle() {
    let catalogue = catalogue();
    let request = request(&catalogue, 2);
    let context = build_llm_context(&request, &mut |_| {}).unwrap();
    assert_eq!(context.grammar_name, "sieve_analysis.gbnf");
    assert_eq!(context.bundle, build(&request));
    let prompt = render_prompt_from_bundle(&context.bundle).unwrap();
    assert_eq!(context.prompt, prompt);
}

/// A4.3: numbers of tokens and the order of sections come from the budget and the renderer alone.
#[test]
fn a4_3_a_caller_says_tokens_by_the_budget_only() {
    let catalogue = catalogue();
    let mut request = request(&catalogue, 1);
    request.results = results(&format!(r#"{{"interpretation":"{}"}}"#, words(900)));
    let wide = render_with(&build(&request), &WordEstimate).unwrap();
    request.budgets = request.budgets.with_tier1_cap(100);
    let tight = render_with(&build(&request), &WordEstimate).unwrap();
    assert!(wide.truncated.is_empty() && tight.truncated == ["tier1"]);
}

#[test]
fn a5_1_equal_inputs_give_equal_bundles_but_for_time() {
    let catalogue = catalogue();
    let dir = history();
    let mut request = request(&catalogue, 3);
    request.results = results(r#"{"mean_score":0.1,"success":true}"#);
    request.history = Some(History::of(dir.path()));
    request.manifest_path = Some(dir.path().join("run_history.jsonl"));
    let first = build(&request);
    request.now += std::time::Duration::from_secs(86_400);
    let second = build(&request);
    assert_eq!(first.context(), second.context());
    assert_eq!(first.provenance(), second.provenance());
    assert_eq!(
        render_prompt_from_bundle(&first).unwrap(),
        render_prompt_from_bundle(&second).unwrap()
    );
    assert_eq!(second.generated_at(), "2026-02-03T10:30:00Z");
    assert_eq!(second.run_id(), "step3_20260203_103000");
    request.run_id = "mine".to_owned();
    assert_eq!(build(&request).run_id(), "mine");
}

/// A5.2. That no field can be changed, the documentation's own tests show.
#[test]
fn a5_2_a_bundle_does_not_follow_its_request() {
    let catalogue = catalogue();
    let mut request = request(&catalogue, 3);
    let bundle = build(&request);
    let before = json(&bundle);
    request.run_id = "other".to_owned();
    request.budgets = TokenBudget::default().with_ctx_max_tokens(1);
    assert_eq!(json(&bundle), before);
}

#[test]
fn a6_1_every_file_is_recorded_with_its_hash_and_size() {
    let dir = history();
    let path = |name: &str| dir.path().join(name);
    fs::write(path("results.json"), "{\"success\": true}").unwrap();
    fs::write(path("manifest.json"), vec![7; 200_000]).unwrap();
    fs::write(path("empty"), "").unwrap();
    let catalogue = catalogue();
    let mut request = request(&catalogue, 3);
    request.results = Some(Results::read(&path("results.json")).unwrap());
    request.manifest_path = Some(path("manifest.json"));
    request.state_paths = vec![path("empty")];
    request.history = Some(History::of(dir.path()));
    let bundle = build(&request);
    let expected = [
        "results.json",
        "manifest.json",
        "empty",
        "chapter13/summaries/a.json",
        "run_history.jsonl",
        "watcher_failures.jsonl",
    ];
    assert_eq!(bundle.provenance().len(), expected.len());
    for (record, name) in bundle.provenance().iter().zip(expected) {
        let bytes = fs::read(path(name)).unwrap();
        assert_eq!(record.path(), path(name).to_str().unwrap());
        assert_eq!(record.sha256(), hex(&sha256(&bytes)));
        assert_eq!(record.size_bytes(), bytes.len() as u64);
    }
    // What is compiled in is not.
    request.results = None;
    request.manifest_path = None;
    request.state_paths.clear();
    request.history = None;
    assert!(build(&request).provenance().is_empty());
}

#[test]
fn a6_2_a_record_has_path_hash_and_size() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f");
    fs::write(&path, "abc").unwrap();
    let catalogue = catalogue();
    let mut request = request(&catalogue, 1);
    request.manifest_path = Some(path.clone());
    let expected = json!([{
        "path": path.to_str().unwrap(),
        "sha256": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        "size_bytes": 3,
    }]);
    assert_eq!(json(&build(&request))["provenance"], expected);
}

#[test]
fn a6_3_a_missing_file_is_recorded_and_assembly_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let catalogue = catalogue();
    let mut request = request(&catalogue, 1);
    request.manifest_path = Some("no/such/manifest.json".into());
    fs::write(dir.path().join("file"), "").unwrap();
    request.state_paths = vec![dir.path().join("file/inside"), dir.path().join("file")];
    request.history = Some(History::of(&dir.path().join("none")));
    let bundle = build(&request);
    let found: Vec<(&str, u64)> = bundle
        .provenance()
        .iter()
        .map(|record| (record.sha256(), record.size_bytes()))
        .collect();
    let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    let missing = ("FILE_NOT_FOUND", 0);
    assert_eq!(
        found,
        [missing, missing, (empty, 0), missing, missing, missing]
    );
    // What is there and is no file is no missing file.
    request.state_paths = vec![dir.path().to_owned()];
    let error = build_step_awareness_bundle(&request, &mut |_| {});
    assert!(matches!(error, Err(Error::NotAFile(_))));
}

#[test]
fn a7_1_every_step_has_its_minimum() {
    let catalogue = catalogue();
    let steps: Vec<u32> = catalogue.steps().iter().map(|step| step.id()).collect();
    assert_eq!(steps, STEPS);
    for step in catalogue.steps() {
        let mut request = request(&catalogue, step.id());
        let members: Vec<String> = step
            .key_metrics()
            .iter()
            .rev()
            .map(|m| format!("{m:?}:1"))
            .collect();
        request.results = results(&format!(
            r#"{{{},"interpretation":"x","other":2,"success":true}}"#,
            members.join(",")
        ));
        let bundle = build(&request);
        let context = bundle.context();
        assert!(!context.mission().is_empty() && !context.schema_excerpt().is_empty());
        assert!(!context.grammar_name().is_empty() && !context.contracts().is_empty());
        let inputs: Vec<&str> = context.inputs_summary().members().map(|(n, _)| n).collect();
        assert_eq!(inputs, step.key_metrics(), "in the catalogue's order");
        let said: Vec<&str> = context
            .evaluation_summary()
            .members()
            .map(|(n, _)| n)
            .collect();
        assert_eq!(said, ["success", "interpretation"]);
    }
    let error = catalogue.step(7).unwrap_err().to_string();
    assert!(
        error.contains("no step 7") && error.contains("13 (chapter_13_feedback)"),
        "{error}"
    );
}

#[test]
fn a7_2_chapter_13_is_step_13_and_what_the_flag_says() {
    let catalogue = catalogue();
    let of = |step, flag| {
        let mut request = request(&catalogue, step);
        request.is_chapter_13 = flag;
        request.results = results(r#"{"drift_detected":true,"mean_score":1,"confidence":0.5}"#);
        build(&request)
    };
    let chapter = of(13, false);
    assert!(chapter.is_chapter_13());
    assert_eq!(chapter, of(13, true));
    assert_eq!(chapter.context().grammar_name(), "chapter_13.gbnf");
    let flagged = of(3, true);
    assert!(flagged.is_chapter_13());
    assert_eq!(
        (flagged.step_id(), flagged.step_name()),
        (3, "full_scoring")
    );
    assert_eq!(flagged.context(), chapter.context());
    assert!(
        flagged
            .context()
            .inputs_summary()
            .get("mean_score")
            .is_none()
    );
    assert!(!of(3, false).is_chapter_13());
}

#[test]
fn a7_3_grammars_and_fallbacks() {
    let catalogue = catalogue();
    for (step, grammar) in STEPS.into_iter().zip([
        "agent_decision.gbnf",
        "sieve_analysis.gbnf",
        "agent_decision.gbnf",
        "agent_decision.gbnf",
        "agent_decision.gbnf",
        "agent_decision.gbnf",
        "chapter_13.gbnf",
    ]) {
        let mut request = request(&catalogue, step);
        assert_eq!(build(&request).context().grammar_name(), grammar);
        request.fallback = true;
        let fallback = build_step_awareness_bundle(&request, &mut |_| {});
        if step == 13 {
            let error = fallback.unwrap_err();
            assert!(matches!(
                error,
                Error::Bundle(BundleError::NoFallback { step: 13 })
            ));
        } else {
            assert_eq!(
                fallback.unwrap().context().grammar_name(),
                "json_generic.gbnf"
            );
        }
    }
}

#[test]
fn a7_4_key_metrics() {
    let expected: [(u32, &[&str]); 7] = [
        (
            1,
            &[
                "survivor_count",
                "bidirectional_count",
                "forward_count",
                "reverse_count",
                "precision",
                "recall",
            ],
        ),
        (
            2,
            &["best_accuracy", "completed_trials", "convergence_rate"],
        ),
        (
            3,
            &[
                "completion_rate",
                "survivors_scored",
                "survivors_total",
                "feature_dimensions",
                "mean_score",
                "score_std",
                "top_candidates",
            ],
        ),
        (4, &["best_r2", "validation_r2", "architecture_stability"]),
        (
            5,
            &[
                "val_r2",
                "test_r2",
                "overfit_ratio",
                "feature_importance_entropy",
            ],
        ),
        (
            6,
            &[
                "prediction_count",
                "mean_confidence",
                "pool_coverage",
                "feature_hash_valid",
            ],
        ),
        (
            13,
            &[
                "drift_detected",
                "metric_delta",
                "trigger_action",
                "retrain_recommended",
            ],
        ),
    ];
    let catalogue = catalogue();
    for (step, metrics) in expected {
        assert_eq!(
            catalogue.step(step).unwrap().key_metrics(),
            metrics,
            "step {step}"
        );
    }
}
