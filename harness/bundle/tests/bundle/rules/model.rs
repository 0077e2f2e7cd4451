//! A1: the object model.

use std::fs;

use axilog_bundle::retrieve::History;
use serde_json::json;

use crate::place::{build, catalogue, json, names, request};

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
    request.history = Some(History::in_directory(dir.path()));
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
