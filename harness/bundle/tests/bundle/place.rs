//! What the tests build from.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axilog_bundle::builder::Results;
use axilog_bundle::catalogue::Catalogue;
use axilog_bundle::retrieve::SkippedRecord;
use axilog_bundle::value::Object;
use axilog_bundle::{BundleRequest, StepAwarenessBundle, build_step_awareness_bundle};
use serde_json::Value;

pub const STEPS: [u32; 7] = [1, 2, 3, 4, 5, 6, 13];

pub fn catalogue() -> Catalogue {
    Catalogue::built_in().unwrap()
}

/// A request at a fixed time: 2026-02-02T10:30:00Z.
pub fn request(catalogue: &Catalogue, step: u32) -> BundleRequest<'_> {
    BundleRequest {
        now: UNIX_EPOCH + Duration::from_secs(1_770_028_200),
        ..BundleRequest::new(catalogue, step)
    }
}

/// Builds; nothing may be skipped.
pub fn build(request: &BundleRequest<'_>) -> StepAwarenessBundle {
    let mut none = |record: SkippedRecord| panic!("{record}");
    build_step_awareness_bundle(request, &mut none).unwrap()
}

pub fn results(json: &str) -> Option<Results> {
    Some(Results::new(Object::parse(json.as_bytes()).unwrap()))
}

pub fn json(bundle: &StepAwarenessBundle) -> Value {
    serde_json::to_value(bundle).unwrap()
}

/// A file of the tests' own.
pub fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/bundle")
        .join(name)
}

/// Every file and folder below `dir`, with bytes and times of change.
pub fn tree(dir: &Path) -> Vec<(PathBuf, Option<Vec<u8>>, SystemTime)> {
    let mut all = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let changed = fs::metadata(&path).unwrap().modified().unwrap();
        if path.is_dir() {
            all.push((path.clone(), None, changed));
            all.extend(tree(&path));
        } else {
            let bytes = fs::read(&path).unwrap();
            all.push((path, Some(bytes), changed));
        }
    }
    all.sort();
    all
}

/// The names of an object's members.
pub fn names(value: &Value) -> Vec<&str> {
    value
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

/// A text of which each word is one word.
pub fn words(count: usize) -> String {
    vec!["word"; count].join(" ")
}

/// A history with one record of each kind.
pub fn history() -> tempfile::TempDir {
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
