//! Bundles, grammars and canonicalized answers of the host library are what the command prints, to the byte.

use std::path::{Path, PathBuf};
use std::ptr;

use axilog_host::bundle::{
    axh_bundle_build, axh_bundle_check, axh_bundle_grammar, axh_bundle_match,
};
use axilog_host::canonicalizer::axh_canonicalize;
use serde_json::{Value, json};

use crate::bench::Bench;
use crate::host::call;

/// The results of each step, which the crate of the bundles has.
fn shared_results(step: u32) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("bundle/tests/bundle/results");
    folder.join(format!("step{step}.json"))
}

fn build(request: &Value) -> (i32, String) {
    let request = request.to_string();
    // SAFETY: the pointers are to a text of this length and to where the object goes.
    call(|json| unsafe { axh_bundle_build(request.as_ptr().cast(), request.len(), json) })
}

/// An object without the time at which its bundle was built.
fn without_time(object: &str) -> String {
    let (before, rest) = object.split_once("\"generated_at\":\"").unwrap();
    let (_, after) = rest.split_once('"').unwrap();
    format!("{before}{after}")
}

#[test]
fn a_bundle_and_its_prompt_are_those_of_the_command() {
    let bench = Bench::new();
    bench.write("state", "x");
    let history = bench.path("history");
    std::fs::create_dir(&history).unwrap();
    bench.write(
        "history/watcher_failures.jsonl",
        "{\"id\":\"i\",\"message\":\"\u{202e}\",\"resolved\":false}\nno\n",
    );
    for step in [1, 2, 3, 4, 5, 6, 13] {
        let results = shared_results(step);
        let (results, state) = (results.to_str().unwrap(), bench.path("state"));
        // Chapter 13 has none.
        let has_fallback = ![2, 13].contains(&step);
        let request = json!({
            "step_id": step, "run_id": "r-1", "run_number": 7, "results_path": results,
            "state_paths": [state, "none"], "history_path": history, "window": 3, "outcomes": 2,
            "budgets": { "tier1_cap": 90 }, "is_chapter_13": step == 2, "fallback": has_fallback,
        });
        let (status, object) = build(&request);
        let options = format!(
            "--step {step} --run-id r-1 --run-number 7 --results {results} --state {} none --history {} \
             --window 3 --outcomes 2 --tier1 90{}{} --json",
            state.display(),
            history.display(),
            if step == 2 { " --chapter-13" } else { "" },
            if has_fallback { " --fallback" } else { "" },
        );
        let built = bench.run(&format!("bundle build {options}"));
        let rendered = bench.run(&format!("bundle render {options}"));
        assert_eq!(status, 0, "{object}");
        let skipped = built.stderr.lines().find(|line| line.contains("skipped"));
        let expected = format!(
            "{{\"bundle\":{},\"problem\":null,\"rendered\":{},\"skipped\":[{}]}}",
            built.stdout.trim_end(),
            rendered.stdout.trim_end(),
            json!(skipped.unwrap().strip_prefix("axilog: ").unwrap()),
        );
        assert_eq!(without_time(&object), without_time(&expected));
        built.exits(0);
    }
}

#[test]
fn what_cannot_be_built_is_told_in_the_words_of_the_command() {
    let bench = Bench::new();
    bench.write("list.json", "[]");
    bench.write("bad.toml", "steps = 1");
    let path = |name: &str| bench.path(name).to_str().unwrap().to_owned();
    for (members, options) in [
        (json!({"step_id": 7}), "--step 7".to_owned()),
        (
            json!({"step_id": 13, "fallback": true}),
            "--step 13 --fallback".to_owned(),
        ),
        (
            json!({"step_id": 1, "results_path": path("list.json")}),
            format!("--step 1 --results {}", path("list.json")),
        ),
        (
            json!({"step_id": 1, "results_path": path("none.json")}),
            format!("--step 1 --results {}", path("none.json")),
        ),
        (
            json!({"step_id": 1, "state_paths": ["/"]}),
            "--step 1 --state /".to_owned(),
        ),
        (
            json!({"step_id": 1, "catalogue_path": path("bad.toml")}),
            format!("--step 1 --catalogue {}", path("bad.toml")),
        ),
        (
            json!({"step_id": 1, "budgets": {"ctx_max_tokens": 2100}}),
            "--step 1 --context 2100".to_owned(),
        ),
    ] {
        let (status, said) = build(&members);
        let said = match status {
            1 => {
                let object: Value = serde_json::from_str(&said).unwrap();
                assert_eq!(object["rendered"], Value::Null);
                object["problem"].as_str().unwrap().to_owned()
            }
            _ => said,
        };
        let run = bench.run(&format!("bundle render {options}"));
        assert_eq!(run.stderr, format!("axilog: {said}\n"), "{options}");
    }
}

#[test]
fn catalogues_and_grammars_are_those_of_the_command() {
    let bench = Bench::new();
    // SAFETY: the pointers are NULL and to where the object goes.
    let (status, object) = call(|json| unsafe { axh_bundle_check(ptr::null(), json) });
    let run = bench.run("bundle check --json").exits(status);
    assert_eq!(run.stdout, format!("{object}\n"));
    let name = c"agent_decision.gbnf";
    // SAFETY: the pointers are NULL, to a name, and to where the text goes.
    let (_, grammar) = call(|text| unsafe { axh_bundle_grammar(ptr::null(), name.as_ptr(), text) });
    for answer in [
        "{\"success\":true,\"confidence\":0.9,\"interpretation\":\"a\",\"recommendation\":\"retry\"}",
        "{\"success\":no}",
        "",
        "\u{202e}",
    ] {
        bench.write("answer", answer);
        // SAFETY: the pointers are to texts of these lengths, NULL, and to where the object goes.
        let (status, object) = call(|json| unsafe {
            let (grammar, len) = (grammar.as_ptr().cast(), grammar.len());
            axh_bundle_match(
                grammar,
                len,
                ptr::null(),
                answer.as_ptr().cast(),
                answer.len(),
                0,
                json,
            )
        });
        let run = bench.run("bundle match agent_decision.gbnf answer --json");
        let mut printed = run.exits(status).json();
        for name in ["file", "grammar", "hint"] {
            printed.as_object_mut().unwrap().remove(name);
        }
        assert_eq!(serde_json::from_str::<Value>(&object).unwrap(), printed);
    }
}

#[test]
fn an_answer_is_canonicalized_as_by_the_command() {
    let bench = Bench::new();
    for text in [
        "Here:\r\n```\r\n{\"b\": 1e21, \"a\": \"}\\u0041\u{202e}\"}\r\n```\r\n",
        "",
        "{} {}",
        "{\"a\":",
        "[None, {\"a\":1}]",
    ] {
        // SAFETY: the pointers are to a text of this length and to where the object goes.
        let (status, object) =
            call(|json| unsafe { axh_canonicalize(text.as_ptr().cast(), text.len(), json) });
        let run = bench
            .run_with("x0l canonicalize", text.as_bytes())
            .exits(status);
        assert_eq!(run.stdout, format!("{object}\n"), "{text}");
    }
}
