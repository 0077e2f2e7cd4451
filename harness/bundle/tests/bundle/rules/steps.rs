//! A7: what each step has.

use axilog_bundle::{BundleError, build_step_awareness_bundle, render_prompt_from_bundle};

use crate::place::{STEPS, build, catalogue, request, results};

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
        // All of the results: what says how the step went, and then the rest as it came.
        let mut all = vec!["success", "interpretation"];
        all.extend(step.key_metrics().iter().rev().map(String::as_str));
        all.push("other");
        assert_eq!(said, all);
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
    // A7.2: from the results directly, also where none of the three members of A1.2 is there.
    let mut request = request(&catalogue, 13);
    request.results = results(r#"{"drift_detected":true,"window":[1,2]}"#);
    let bundle = build(&request);
    let evaluation = bundle.context().evaluation_summary().members();
    let names: Vec<&str> = evaluation.map(|(name, _)| name).collect();
    assert_eq!(names, ["drift_detected", "window"]);
    // In the prompt each value stands once.
    let prompt = render_prompt_from_bundle(&bundle).unwrap();
    let (_, evaluation) = prompt.split_once("=== CURRENT EVALUATION ===\n").unwrap();
    let expected = "{\n  \"window\": [\n    1,\n    2\n  ]\n}\n\n\
        === STEP OUTPUT METRICS ===\n{\n  \"drift_detected\": true\n}";
    assert_eq!(evaluation, expected);
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
            assert!(matches!(error, BundleError::NoFallback { step: 13 }));
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
