//! The metrics, on a run with every kind of outcome.

use axilog_x0l::kernel::{DecisionKind, KernelGate};
use axilog_x0l::log::Condition;
use axilog_x0l::metrics::ConditionMetrics;
use axilog_x0l::report::{self, build_report};
use serde_json::{Value, json};

use crate::built_session::RunEnd;
use crate::replay::build_reported_run;

#[test]
fn context_and_authority_are_counted() {
    let (_dir, run) = build_reported_run(RunEnd::Complete);
    let run_report = build_report(&run).unwrap();
    let report: Value = serde_json::from_slice(&run_report.files[report::JSON]).unwrap();
    let of = |id: Condition| &report["conditions"][id as usize];
    // Six prompts of 900 tokens in a window of 128000.
    let context = &of(Condition::A)["context_utilisation"];
    let mean = json!({ "of": 5400, "all": 768_000, "decimal": "0.0070" });
    assert_eq!(context["mean"], mean);
    let largest = json!({ "of": 900, "all": 128_000, "decimal": "0.0070" });
    assert_eq!(context["largest"], largest);
    // Of three clauses one is acted on; another is only cited.
    let authority = &of(Condition::B)["authority"];
    let used = json!({ "of": 1, "all": 3, "decimal": "0.3333" });
    assert_eq!(authority["utilisation"], used);
    let notes = json!({ "candidates": 2, "actions": 0 });
    assert_eq!(authority["clauses"]["CL-NOTES"], notes);
    assert_eq!(of(Condition::A)["latency_ms"]["most"], 206);
    assert_eq!(of(Condition::A)["tokens"]["total"]["sum"], 6 * 960);
}

#[test]
fn what_the_server_names_is_counted() {
    let (_dir, run) = build_reported_run(RunEnd::Complete);
    let run_report = build_report(&run).unwrap();
    let report: Value = serde_json::from_slice(&run_report.files[report::JSON]).unwrap();
    let condition = &report["conditions"][0];
    assert_eq!(condition["answered_by"], json!({ "m-1": 6 }));
    assert_eq!(condition["finish_reasons"], json!({ "stop": 6 }));
    let page = String::from_utf8(run_report.files[report::MARKDOWN].clone()).unwrap();
    assert!(page.contains("| answered by | 6 m-1 |\n| ended by | 6 stop |\n"));
}

#[test]
fn decisions_gates_and_outcomes_are_counted() {
    let (_dir, run) = build_reported_run(RunEnd::Complete);
    let run_report = build_report(&run).unwrap();
    let of = |id: Condition| -> &ConditionMetrics { &run_report.metrics.conditions[&id] };
    let decided = |id| DecisionKind::ALL.map(|kind| of(id).decided(kind));
    assert_eq!(decided(Condition::A), [5, 1, 0]);
    assert_eq!(decided(Condition::B), [2, 4, 0]);
    assert_eq!(decided(Condition::C), [1, 5, 0]);
    assert_eq!(decided(Condition::D), [4, 2, 0]);
    assert_eq!(decided(Condition::E), [4, 2, 0]);
    let types = |id, name| of(id).refusals.get(name).copied().unwrap_or_default();
    assert_eq!(
        (types(Condition::B, "II"), types(Condition::B, "III")),
        (4, 0)
    );
    assert_eq!(
        (types(Condition::C, "I"), types(Condition::C, "II")),
        (4, 1)
    );
    assert_eq!(
        (types(Condition::D, "II"), types(Condition::E, "III")),
        (2, 1)
    );
    let b = of(Condition::B);
    let found: Vec<(&str, u64)> = b.canonicalization.iter().map(|(k, n)| (*k, *n)).collect();
    let expected = [
        ("AMBIGUOUS_MULTI_BLOCK", 1),
        ("NO_JSON", 1),
        ("OK", 3),
        ("PARSE_ERROR", 1),
    ];
    assert_eq!(found, expected);
    assert_eq!((b.candidates_reported, b.parse_errors), (2 + 2 * 2, 1));
    let e = of(Condition::E);
    assert_eq!(e.permutations, (5, 0));
    let refused = |gate| {
        e.gates
            .get(&gate)
            .map_or(0, |codes| codes.values().sum::<u64>())
    };
    assert_eq!(
        (
            refused(KernelGate::Completeness),
            refused(KernelGate::IoAllowlist)
        ),
        (6, 3)
    );
    assert_eq!(
        (
            of(Condition::A).recovery().of,
            of(Condition::A).recovery().all
        ),
        (1, 1)
    );
}

/// The plots are XML with a description in words, and follow the reader's colours.
#[test]
fn plots_have_a_description() {
    let (_dir, run) = build_reported_run(RunEnd::Complete);
    let run_report = build_report(&run).unwrap();
    for (name, words) in [
        (
            report::DECISIONS,
            "L-A: 6 cycles, 5 ACTION, 1 REFUSE, 1 of Type II.",
        ),
        (report::TOKENS, "2 cycles were over it."),
    ] {
        let svg = String::from_utf8(run_report.files[name].clone()).unwrap();
        assert!(svg.contains(words) && svg.contains("<title"), "{svg}");
        assert!(svg.contains("prefers-color-scheme:dark") && svg.contains("role=\"img\""));
        let opened = svg.matches('<').count() - svg.matches("</").count();
        let closed = svg.matches("</").count() + svg.matches("/>").count();
        assert_eq!(opened, closed, "every element ends");
        let page = String::from_utf8(run_report.files[report::MARKDOWN].clone()).unwrap();
        assert!(page.contains(&format!("]({name})")));
    }
}
