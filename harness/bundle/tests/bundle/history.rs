//! Retrieval: order, limits, and records that are none.

use std::fs;
use std::path::Path;

use axilog_bundle::model::Direction;
use axilog_bundle::retrieve::History;
use axilog_bundle::{StepAwarenessBundle, build_step_awareness_bundle};
use serde_json::json;

use crate::place::{catalogue, request};

struct Past(tempfile::TempDir);

impl Past {
    fn new() -> Past {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("chapter13/summaries")).unwrap();
        Past(dir)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.path().join(name), bytes).unwrap();
    }

    /// The bundle of a step, and what was skipped, without the folder's path.
    fn build(
        &self,
        step: u32,
        change: impl FnOnce(&mut History),
    ) -> (StepAwarenessBundle, Vec<String>) {
        let catalogue = catalogue();
        let mut request = request(&catalogue, step);
        let mut history = History::in_directory(self.path());
        change(&mut history);
        request.history = Some(history);
        let folder = format!("{}/", self.path().display());
        let mut skipped = Vec::new();
        let bundle = build_step_awareness_bundle(&request, &mut |record| {
            skipped.push(record.to_string().replace(&folder, ""));
        });
        (bundle.unwrap(), skipped)
    }
}

fn outcome(step: u32, run: &str, timestamp: &str) -> serde_json::Value {
    json!({
        "step": step, "run_id": run, "result": "ok", "metric_delta": 1, "key_metric": "k",
        "timestamp": timestamp, "more": [1, 2],
    })
}

fn runs(bundle: &StepAwarenessBundle) -> Vec<&str> {
    let outcomes = bundle.context().recent_outcomes().iter();
    outcomes.map(|outcome| outcome.run_id()).collect()
}

#[test]
fn outcomes_are_the_steps_own_newest_first() {
    let past = Past::new();
    let many = json!([
        outcome(3, "old", "2025-12-31T23:59:59Z"),
        outcome(2, "other", "2026-01-05T00:00:00Z"),
        outcome(3, "fraction", "2026-01-02T00:00:00.25"),
        outcome(3, "blank", "2026-01-02 00:00:00"),
    ]);
    past.write("chapter13/summaries/b.json", many.to_string());
    past.write(
        "chapter13/summaries/a.json",
        outcome(3, "zone", "2026-01-02T00:00:00+00:00").to_string(),
    );
    past.write("chapter13/summaries/note.txt", "no JSON");
    let (bundle, skipped) = past.build(3, |_| {});
    // Of two at one time the first that is read comes first.
    assert_eq!(runs(&bundle), ["fraction", "zone", "blank", "old"]);
    assert!(skipped.is_empty(), "{skipped:?}");
    assert_eq!(
        runs(&past.build(3, |history| history.outcomes = 2).0),
        ["fraction", "zone"]
    );
    assert!(runs(&past.build(3, |history| history.outcomes = 0).0).is_empty());
    // Chapter 13 looks at all steps.
    assert_eq!(
        runs(&past.build(13, |_| {}).0),
        ["other", "fraction", "zone", "blank", "old"]
    );
}

#[test]
fn outcomes_that_are_none_are_named_and_skipped() {
    let past = Past::new();
    let mixed = format!(
        "[{}, 7, {{}}, {}, {}",
        outcome(3, "a", "2026-01-01T00:00:00Z"),
        outcome(3, "b", "yesterday"),
        outcome(3, "c", "2026-01-02T00:00:00Z")
    );
    past.write("chapter13/summaries/1.json", mixed);
    past.write("chapter13/summaries/2.json", "\"text\"");
    past.write("chapter13/summaries/3.json", "");
    past.write("chapter13/summaries/4.json", "{}");
    past.write("chapter13/summaries/5.json", [0xff, 0xfe]);
    let (bundle, skipped) = past.build(3, |_| {});
    assert_eq!(runs(&bundle), ["c", "a"]);
    let expected = [
        "chapter13/summaries/1.json:2: not an outcome record",
        "chapter13/summaries/1.json:3: not an outcome record: missing field",
        "chapter13/summaries/1.json:4: the timestamp \"yesterday\": expected a time in UTC",
        "chapter13/summaries/1.json: not JSON from here on",
        "chapter13/summaries/2.json:",
        "chapter13/summaries/3.json:",
        "chapter13/summaries/4.json: not an outcome record: missing field",
        "chapter13/summaries/5.json:",
    ];
    assert_eq!(skipped.len(), expected.len(), "{skipped:#?}");
    for (told, expected) in skipped.iter().zip(expected) {
        assert!(
            told.starts_with(expected) && told.ends_with("; skipped"),
            "{told}"
        );
    }
}

/// A number that would be shown with other digits than it has is named and skipped.
#[test]
fn integers_beyond_64_bits_are_named_and_skipped() {
    let past = Past::new();
    let mut large = outcome(3, "large", "2026-01-01T00:00:00Z").to_string();
    large = large.replace(":1,", ":18446744073709551616,");
    let good = outcome(3, "good", "2026-01-01T00:00:00Z");
    past.write("chapter13/summaries/1.json", &large);
    past.write("chapter13/summaries/2.json", format!("[{large},{good}]"));
    past.write(
        "run_history.jsonl",
        "{\"run_id\":\"a\",\"step\":3,\"metrics\":{\"m\":18446744073709551616,\"n\":1e30}}\n\
        {\"run_id\":\"a\",\"step\":3,\"metrics\":{\"m\":18446744073709551615}}\n",
    );
    let (bundle, skipped) = past.build(3, |_| {});
    assert_eq!(runs(&bundle), ["good"]);
    let trends = serde_json::to_string(bundle.context().trend_summary()).unwrap();
    assert!(trends.contains("[18446744073709551615]"), "{trends}");
    assert!(trends.contains("[1e+30]"), "{trends}");
    let reason = "the integer 18446744073709551616 is not from -2^63 to 2^64-1; scale it, or write it as text";
    assert_eq!(
        skipped,
        [
            format!("chapter13/summaries/1.json: {reason}; skipped"),
            format!("chapter13/summaries/2.json:1: {reason}; skipped"),
            format!("run_history.jsonl:1: the metric \"m\": {reason}; skipped"),
        ]
    );
}

#[test]
fn trends_are_of_the_last_values_and_key_metrics_come_first() {
    let past = Past::new();
    let mut lines = String::new();
    for n in 0..30 {
        let metrics = json!({ "alpha": -n, "score_std": 5, "mean_score": f64::from(n) / 2.0 });
        lines += &(json!({ "run_id": "r", "step": 3, "metrics": metrics }).to_string() + "\n");
        lines +=
            &(json!({ "run_id": "r", "step": 4, "metrics": { "alpha": n } }).to_string() + "\n");
    }
    past.write("run_history.jsonl", lines);
    let (bundle, _) = past.build(3, |history| history.window = 3);
    let trends = bundle.context().trend_summary();
    let told: Vec<_> = trends
        .iter()
        .map(|trend| {
            let values: Vec<f64> = trend
                .recent_values()
                .iter()
                .map(|n| n.as_f64().unwrap())
                .collect();
            (
                trend.metric_name(),
                trend.direction(),
                values,
                trend.window_size(),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            ("mean_score", Direction::Up, vec![13.5, 14.0, 14.5], 3),
            ("score_std", Direction::Flat, vec![5.0, 5.0, 5.0], 3),
            ("alpha", Direction::Down, vec![-27.0, -28.0, -29.0], 3),
        ]
    );
    // Integers that doubles cannot tell apart are told apart.
    past.write(
        "run_history.jsonl",
        "{\"run_id\":\"a\",\"step\":3,\"metrics\":{\"m\":9007199254740992}}\n\
        {\"run_id\":\"b\",\"step\":3,\"metrics\":{\"m\":9007199254740993}}\n",
    );
    let (bundle, _) = past.build(3, |_| {});
    assert_eq!(
        bundle.context().trend_summary()[0].direction(),
        Direction::Up
    );
}

/// What is no number drops itself, and neither the line nor the other metrics.
#[test]
fn a_metric_without_a_number_drops_itself_only() {
    let past = Past::new();
    past.write(
        "run_history.jsonl",
        "{\"run_id\":\"a\",\"step\":3,\"metrics\":{\"m\":1,\"n\":5}}\n\
        {\"run_id\":\"b\",\"step\":3,\"metrics\":{\"m\":2,\"n\":null,\"o\":\"x\"}}\n\
        {\"run_id\":\"c\",\"step\":4,\"metrics\":{\"m\":null}}\n",
    );
    let (bundle, skipped) = past.build(3, |_| {});
    let trends = bundle.context().trend_summary().iter();
    let trends: Vec<_> = trends
        .map(|trend| (trend.metric_name(), trend.recent_values().len()))
        .collect();
    assert_eq!(trends, [("m", 2), ("n", 1)]);
    assert_eq!(
        skipped,
        [
            "run_history.jsonl:2: the metric \"n\" is null, and no number; skipped",
            "run_history.jsonl:2: the metric \"o\" is text, and no number; skipped",
        ]
    );
}

#[test]
fn incidents_are_open_while_their_last_line_says_so() {
    let past = Past::new();
    let line = |id: &str, message: &str, resolved: bool| {
        json!({ "id": id, "message": message, "resolved": resolved }).to_string() + "\n"
    };
    let lines = [
        line("a", "first", false),
        line("b", "second", false),
        line("a", "", true),
        line("c", "third", false),
        line("a", "again\nand worse", false),
        line("d", "", true),
        line("b", "second, later", false),
        line("c", "", true),
    ];
    past.write("watcher_failures.jsonl", lines.concat());
    let (bundle, _) = past.build(1, |_| {});
    assert_eq!(
        bundle.context().open_incidents(),
        ["b: second, later", "a: again\nand worse"]
    );
}

#[test]
fn broken_lines_are_named_by_number_and_skipped() {
    let past = Past::new();
    let good = |n: u32| json!({ "run_id": "r", "step": 3, "metrics": { "m": n } }).to_string();
    let long = format!("{{\"run_id\":\"{}\"}}", "x".repeat(3 << 20));
    let at_limit = {
        let bare = json!({ "run_id": "", "step": 3, "metrics": { "m": 5 } }).to_string();
        bare.replace(
            "\"\"",
            &format!("\"{}\"", "x".repeat((1 << 20) - bare.len())),
        )
    };
    assert_eq!(at_limit.len(), 1 << 20);
    let lines = [
        good(1),
        "{".to_owned(),
        String::new(),
        good(2),
        long,
        good(3),
        "[]".to_owned(),
        r#"{"run_id":"r","step":3,"metrics":{"m":"1"}}"#.to_owned(),
        at_limit,
        good(4),
    ];
    past.write("run_history.jsonl", lines.join("\n"));
    past.write(
        "watcher_failures.jsonl",
        b"\xff\n{\"id\":\"w\",\"message\":\"m\",\"resolved\":false}\r\n",
    );
    let (bundle, skipped) = past.build(3, |_| {});
    let values: Vec<u64> = bundle.context().trend_summary()[0]
        .recent_values()
        .iter()
        .map(|n| n.as_u64().unwrap())
        .collect();
    assert_eq!(values, [1, 2, 3, 5, 4]);
    assert_eq!(bundle.context().open_incidents(), ["w: m"]);
    let numbers: Vec<&str> = skipped
        .iter()
        .map(|told| told.split(": ").next().unwrap())
        .collect();
    assert_eq!(
        numbers,
        [
            "run_history.jsonl:2",
            "run_history.jsonl:5",
            "run_history.jsonl:7",
            "run_history.jsonl:8",
            "watcher_failures.jsonl:1",
        ]
    );
    assert!(
        skipped[1].contains("longer than 1048576 bytes"),
        "{skipped:?}"
    );
    // The record is of the whole file, what was skipped too.
    let size = fs::metadata(past.path().join("run_history.jsonl"))
        .unwrap()
        .len();
    assert!(
        bundle
            .provenance()
            .iter()
            .any(|record| record.size_bytes() == size)
    );
}

#[test]
fn an_empty_history_is_none() {
    let past = Past::new();
    past.write("run_history.jsonl", "");
    past.write("watcher_failures.jsonl", "\n\n");
    let (bundle, skipped) = past.build(3, |_| {});
    let context = bundle.context();
    assert!(context.recent_outcomes().is_empty() && context.trend_summary().is_empty());
    assert!(context.open_incidents().is_empty() && skipped.is_empty());
}
