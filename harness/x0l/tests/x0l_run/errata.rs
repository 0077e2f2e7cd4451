//! Templates of one's own, and the one erratum that corrects a run (Q25, Q29 to Q31).

use axilog_oracle::{Oracle, ScriptedOracle};
use axilog_x0l::X0lError;
use axilog_x0l::condition::Condition;
use axilog_x0l::kernel::DecisionKind;
use axilog_x0l::live::{SessionPlan, SessionSettings};
use axilog_x0l::log::RunDirectory;
use axilog_x0l::replay::replay_run;
use axilog_x0l::template::BASE;

use crate::session_directory::{SessionDirectory, settings};

const A: &[Condition] = &[Condition::A];

/// A script whose model calls the kind of an action `name`.
fn script(name: &str) -> String {
    let candidate = serde_json::json!({ "candidates": [{
        "action_request": { name: "Notify", "fields": { "to": "operator", "message": "Noted." } },
        "scope_claim": { "observation_ids": ["obs-1"], "claim": "Asked for.", "clause_ref": "CL-NOTIFY" },
        "justification": { "text": "Asked for." },
        "authority_citations": ["constitution:0.1.0#CL-NOTIFY"],
    }] });
    let line = serde_json::json!({
        "answer": candidate.to_string(),
        "usage": { "prompt_tokens": 700, "completion_tokens": 90 },
    });
    let calibration = serde_json::json!({
        "contains": "Answer with this object",
        "answer": "{}",
        "usage": { "prompt_tokens": 40, "completion_tokens": 2 },
    });
    format!("{calibration}\n{line}\n")
}

fn refuse(settings: SessionSettings) -> String {
    match SessionPlan::read(settings) {
        Err(X0lError::Live(error)) => error.to_string(),
        other => panic!("{other:?}"),
    }
}

fn corrected(first: &SessionDirectory, erratum: &str) -> SessionSettings {
    let mut settings = settings(A, 3);
    settings.erratum = Some(first.write("e.txt", erratum));
    settings.corrects = Some(first.out());
    settings
}

/// Q29's own example: the model says `action` where the kernel reads `action_type`. The erratum corrects that,
/// begins with the same tasks, names the run, and is the only one.
#[test]
fn an_erratum_renames_a_field_and_names_the_run_that_it_corrects() {
    let first = SessionDirectory::new();
    let outcome = first.run_script(settings(A, 3), &script("action")).unwrap();
    assert_eq!(outcome.cycles, 3);
    let before = first.cycles();
    assert!(
        before
            .iter()
            .all(|cycle| cycle.decision.kind == DecisionKind::Refuse)
    );
    let head = {
        let run = RunDirectory::open(&first.out()).unwrap();
        replay_run(&run, &mut |_| ()).unwrap().head
    };

    let erratum = BASE.replace("\"action_type\"", "\"action\"");
    let second = SessionDirectory::new();
    second
        .run_script(corrected(&first, &erratum), &script("action"))
        .unwrap();
    let frozen = second.metadata().frozen;
    assert_eq!(frozen.erratum, Some(frozen.template.sha256));
    assert_eq!(frozen.corrects, Some(head));
    let after = second.cycles();
    for (before, after) in before.iter().zip(&after) {
        assert_eq!(before.task, after.task);
        assert_eq!(after.decision.kind, DecisionKind::Action);
        assert_eq!(after.candidates[0].action_request.action_type, "Notify");
    }
    // Another name for the old field is no field any more.
    let third = SessionDirectory::new();
    third
        .run_script(corrected(&first, &erratum), &script("action_type"))
        .unwrap();
    assert_eq!(third.cycles()[0].decision.kind, DecisionKind::Refuse);

    // A run that has an erratum is not corrected again.
    let mut again = corrected(&first, &erratum);
    again.corrects = Some(second.out());
    let message = refuse(again);
    assert!(message.contains("has an erratum already"), "{message}");
}

#[test]
fn an_erratum_changes_the_template_of_the_run_alone() {
    let first = SessionDirectory::new();
    first.run_script(settings(A, 3), &script("action")).unwrap();
    let erratum = BASE.replace("\"claim\"", "\"what\"");
    let good = || corrected(&first, &erratum);
    assert!(SessionPlan::read(good()).is_ok());
    type Change = fn(&mut SessionSettings);
    let changes: [(Change, &str); 7] = [
        (|s| s.corrects = None, "--corrects DIR"),
        (|s| s.erratum = None, "--erratum FILE"),
        (|s| s.model = "other".to_owned(), "the model of the run"),
        (|s| s.cycles = 4, "the number of cycles of the run"),
        (|s| s.order_seed = 1, "the conditions, tasks or seeds of"),
        (|s| s.conditions.push(Condition::B), "the conditions, tasks"),
        (|s| s.conditions = vec![Condition::B], "add A"),
    ];
    for (change, message) in changes {
        let mut settings = good();
        change(&mut settings);
        let error = refuse(settings);
        assert!(error.contains(message), "{error}");
    }
    let other = first.write("o.txt", &BASE.replace("propose", "demand"));
    let mut settings = good();
    settings.erratum = Some(other);
    let message = refuse(settings);
    assert!(message.contains("o.txt: line 2: \"demand\""), "{message}");
    // The corrected run must be whole.
    std::fs::write(first.out().join("cycles.jsonl"), "").unwrap();
    let message = refuse(good());
    assert!(message.contains("does not replay"), "{message}");
}

/// A template of one's own is frozen, kept and replayed; an erratum is compared with it.
#[test]
fn a_template_of_ones_own_is_kept_and_corrected() {
    let own = BASE.replace("You propose actions.", "Suggest what to do.");
    let first = SessionDirectory::new();
    let mut settings = settings(A, 2);
    settings.template = Some(first.write("t.txt", &own));
    first.run_script(settings, &script("action")).unwrap();

    let mut settings = corrected(&first, &own.replace("\"action_type\"", "\"action\""));
    settings.cycles = 2;
    let without = refuse(SessionSettings {
        erratum: settings.erratum.clone(),
        corrects: settings.corrects.clone(),
        ..crate::session_directory::settings(A, 2)
    });
    assert!(without.contains("where the base template has"), "{without}");
    settings.template = Some(first.path("t.txt"));
    let second = SessionDirectory::new();
    let path = second.write("script.jsonl", &script("action"));
    let mut endpoint = Oracle::Scripted(ScriptedOracle::open(&path).unwrap());
    second.run(settings, &mut endpoint, u64::MAX).unwrap();
    let frozen = second.metadata().frozen;
    assert_ne!(frozen.base_template.as_ref(), Some(&frozen.template));
    assert_eq!(second.cycles()[0].decision.kind, DecisionKind::Action);

    // A template without a field of the answer, or that says in each cycle something else as the system.
    for (text, message) in [
        (
            BASE.replace("\"claim\":", "claim:"),
            "does not show the field \"claim\"",
        ),
        (
            BASE.replace("{{version}}", "{{task}}"),
            "the system part has {{task}}",
        ),
    ] {
        let mut settings = crate::session_directory::settings(A, 2);
        settings.template = Some(first.write("bad.txt", &text));
        let error = refuse(settings);
        assert!(error.contains(message), "{error}");
    }
}
