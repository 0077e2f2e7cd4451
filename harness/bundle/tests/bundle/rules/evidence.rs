//! A5 and A6: determinism, immutability, effects, provenance.

use std::fs;

use axilog::hash::sha256;
use axilog_bundle::budget::TokenBudget;
use axilog_bundle::builder::Results;
use axilog_bundle::retrieve::History;
use axilog_bundle::{build_step_awareness_bundle, render_prompt_from_bundle};
use axilog_ledger::encoding::hex;
use serde_json::json;

use crate::place::{build, catalogue, history, json, request, results};

#[test]
fn a5_1_equal_inputs_give_equal_bundles_but_for_time() {
    let catalogue = catalogue();
    let dir = history();
    let mut request = request(&catalogue, 3);
    request.results = results(r#"{"mean_score":0.1,"success":true}"#);
    request.history = Some(History::in_directory(dir.path()));
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
    request.history = Some(History::in_directory(dir.path()));
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
    request.history = Some(History::in_directory(&dir.path().join("none")));
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
    let error = error.unwrap_err().to_string();
    let expected = format!(
        "{}: cannot hash the state file: it is a directory; name a regular file",
        dir.path().display()
    );
    assert_eq!(error, expected);
}
