//! A3 and A4: what a prompt is made from, and by whom.

use std::fs;

use axilog_bundle::count::WordEstimate;
use axilog_bundle::retrieve::History;
use axilog_bundle::{build_llm_context, render_prompt_from_bundle, render_prompt_with_counter};

use crate::place::{build, catalogue, history, json, request, results, words};

/// A3.1: each of the ten sources has its place, in the order of priority.
#[test]
fn a3_1_sections_stand_in_the_order_of_their_tiers() {
    let catalogue = catalogue();
    let dir = history();
    let mut request = request(&catalogue, 3);
    request.results = results(r#"{"mean_score":1,"success":true}"#);
    request.history = Some(History::in_directory(dir.path()));
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

#[test]
fn a3_2_retrieval_is_behind_the_same_call() {
    let catalogue = catalogue();
    let dir = history();
    let mut request = request(&catalogue, 3);
    let without = build(&request);
    request.history = Some(History::in_directory(dir.path()));
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
    request.history = Some(History::in_directory(dir.path()));
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

/// A4.1: of results and files a prompt has what the bundle has, and nothing else.
#[test]
fn a4_1_the_prompt_is_a_function_of_the_bundle() {
    let catalogue = catalogue();
    let dir = tempfile::tempdir().unwrap();
    let manifest = dir.path().join("manifest.json");
    fs::write(&manifest, "{\"own\":1}").unwrap();
    let mut request = request(&catalogue, 2);
    request.results = results(r#"{"best_accuracy":0.5}"#);
    request.manifest_path = Some(manifest);
    request.run_id = "own".to_owned();
    let with = render_prompt_from_bundle(&build(&request)).unwrap();
    assert!(
        !with.contains("own\"") && !with.contains("manifest"),
        "{with}"
    );
    request.manifest_path = None;
    request.run_id = "other".to_owned();
    assert_eq!(render_prompt_from_bundle(&build(&request)).unwrap(), with);
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
    let wide = render_prompt_with_counter(&build(&request), &WordEstimate).unwrap();
    request.budgets = request.budgets.with_tier1_cap(100);
    let tight = render_prompt_with_counter(&build(&request), &WordEstimate).unwrap();
    assert!(wide.truncated.is_empty() && tight.truncated == ["tier1"]);
}
