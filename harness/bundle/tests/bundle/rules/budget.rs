//! A2: the token budget.

use std::fs;

use axilog_bundle::budget::TokenBudget;
use axilog_bundle::count::{PromptTokenCounter, WordEstimate};
use axilog_bundle::retrieve::History;
use axilog_bundle::{BundleError, BundleRequest, render_prompt_with_counter};
use serde_json::json;

use crate::place::{build, catalogue, request, results, words};

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
    let bare = render_prompt_with_counter(
        &build(&BundleRequest {
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
    let rendered = render_prompt_with_counter(&build(&request), &WordEstimate).unwrap();
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
    let rendered = render_prompt_with_counter(&build(&request), &WordEstimate).unwrap();
    assert!(rendered.tokens <= tier0.tokens + left / 2);

    // With less than Tier 0 there is no prompt, and it is said what is missing.
    request.budgets = TokenBudget::default()
        .with_generation_reserve(100)
        .with_ctx_max_tokens(100 + tier0.tokens - 1);
    let error = render_prompt_with_counter(&build(&request), &WordEstimate).unwrap_err();
    let BundleError::Tier0 { tokens, limit } = &error else {
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
    let rendered = render_prompt_with_counter(&build(&request), &WordEstimate).unwrap();
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
    // What is cut takes nothing from the other section, which needs little.
    assert_eq!(
        lines[4..],
        [
            "[... truncated to fit token budget ...]",
            "",
            "=== STEP OUTPUT METRICS ===",
            "{",
            "  \"recall\": 1",
            "}"
        ]
    );
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
    request.history = Some(History::in_directory(dir.path()));
    let count = |text: &str| WordEstimate.count(text).unwrap();
    let parts = |request: &BundleRequest<'_>| {
        let rendered = render_prompt_with_counter(&build(request), &WordEstimate).unwrap();
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

/// The sections of the telemetry, and their tokens.
fn telemetry(metrics: usize, incidents: usize, cap: u64) -> [Option<u64>; 2] {
    let dir = tempfile::tempdir().unwrap();
    let values = (0..metrics).map(|n| (format!("metric{n:04}"), json!(n)));
    let values: serde_json::Map<String, serde_json::Value> = values.collect();
    let line = json!({ "run_id": "r", "step": 3, "metrics": values });
    fs::write(dir.path().join("run_history.jsonl"), line.to_string()).unwrap();
    let lines = (0..incidents).map(|n| {
        json!({ "id": format!("w{n}"), "message": words(20), "resolved": false }).to_string() + "\n"
    });
    let lines: String = lines.collect();
    fs::write(dir.path().join("watcher_failures.jsonl"), lines).unwrap();
    let catalogue = catalogue();
    let mut request = request(&catalogue, 3);
    request.history = Some(History::in_directory(dir.path()));
    request.budgets = TokenBudget::default().with_telemetry_cap(cap);
    let rendered = render_prompt_with_counter(&build(&request), &WordEstimate).unwrap();
    let sections: Vec<&str> = rendered.prompt.split("\n\n=== ").collect();
    let section = |name: &str| sections.iter().find(|section| section.starts_with(name));
    let count = |section: &&str| WordEstimate.count(&format!("=== {section}")).unwrap();
    ["METRIC TRENDS", "OPEN INCIDENTS"].map(|name| section(name).map(count))
}

#[test]
fn a2_2_3_trends_and_incidents_share_the_telemetrys_cap() {
    // Many trends leave one incident whole, and have the rest.
    let [alone] = [telemetry(0, 1, 3000)[1].unwrap()];
    let [trends, incidents] = telemetry(400, 1, 3000).map(Option::unwrap);
    assert_eq!(incidents, alone);
    assert!((2980 - alone..=3000 - alone).contains(&trends), "{trends}");
    // Many incidents leave few trends whole, and have the rest.
    let [alone] = [telemetry(2, 0, 3000)[0].unwrap()];
    let [trends, incidents] = telemetry(2, 400, 3000).map(Option::unwrap);
    assert_eq!(trends, alone);
    assert!(
        (2980 - alone..=3000 - alone).contains(&incidents),
        "{incidents}"
    );
    // Many of both have half each.
    let [trends, incidents] = telemetry(400, 400, 3000).map(Option::unwrap);
    assert!((1480..=1500).contains(&trends) && (1480..=1520).contains(&incidents));
    // Where there is room for one section only, it is the incidents'.
    for cap in [16, 20, 25, 30, 40] {
        let [trends, incidents] = telemetry(400, 400, cap);
        assert!(incidents.unwrap() <= cap, "{cap}");
        assert!(trends.is_none_or(|trends| trends <= cap / 2), "{cap}");
    }
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
        let rendered = render_prompt_with_counter(&build(&request), &WordEstimate).unwrap();
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
