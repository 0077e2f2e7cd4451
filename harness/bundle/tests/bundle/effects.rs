//! Building and rendering change nothing on the disk, and give equal bytes for equal inputs.

use std::fs;

use axilog_bundle::builder::Results;
use axilog_bundle::render_prompt_from_bundle;
use axilog_bundle::retrieve::History;
use proptest::prelude::*;
use serde_json::Value;

use crate::place::{STEPS, build, catalogue, request, tree};

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<f64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        Just(Value::Null),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop::collection::btree_map(any::<String>(), inner, 0..4)
            .prop_map(|members| Value::Object(members.into_iter().collect()))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// A5.1 and A5.3.
    #[test]
    fn equal_inputs_give_equal_bytes_and_nothing_is_written(
        step in prop::sample::select(STEPS.to_vec()),
        metric in value(),
        lines in prop::collection::vec(any::<String>(), 0..6),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        fs::create_dir_all(path("chapter13/summaries")).unwrap();
        fs::write(path("chapter13/summaries/a.json"), lines.concat()).unwrap();
        fs::write(path("run_history.jsonl"), lines.join("\n")).unwrap();
        fs::write(path("watcher_failures.jsonl"), lines.join("\n")).unwrap();
        let catalogue = catalogue();
        let key = catalogue.step(step).unwrap().key_metrics()[0].clone();
        // JSON text can hold a name twice once it is in form C; such results are refused.
        fs::write(path("results.json"), serde_json::json!({ (key): metric }).to_string()).unwrap();
        let Ok(results) = Results::read(&path("results.json")) else { return Ok(()) };
        let before = tree(dir.path());
        let render = || {
            let mut request = request(&catalogue, step);
            request.results = Some(results.clone());
            request.manifest_path = Some(path("results.json"));
            request.state_paths = vec![path("none")];
            request.history = Some(History::in_directory(dir.path()));
            let mut skipped = Vec::new();
            let bundle = axilog_bundle::build_step_awareness_bundle(
                &request,
                &mut |record| skipped.push(record.to_string()),
            ).unwrap();
            let prompt = render_prompt_from_bundle(&bundle).unwrap();
            (serde_json::to_vec(&bundle).unwrap(), prompt, skipped)
        };
        let first = render();
        prop_assert_eq!(&first, &render());
        prop_assert_eq!(tree(dir.path()), before);
    }
}

/// What is not in form C comes into a bundle in it, so that a prompt can be asked.
#[test]
fn text_is_in_form_c() {
    let catalogue = catalogue();
    let mut request = request(&catalogue, 1);
    request.run_id = "e\u{301}".to_owned();
    request.results = crate::place::results("{\"interpretation\":\"e\u{301}\"}");
    request.manifest_path = Some("e\u{301}.json".into());
    let bundle = build(&request);
    assert_eq!(bundle.run_id(), "é");
    assert_eq!(bundle.provenance()[0].path(), "é.json");
    assert!(
        render_prompt_from_bundle(&bundle)
            .unwrap()
            .contains("\"é\"")
    );
}
