//! The ends of sessions: every status, each from a script.

use std::fs;

use axilog::hash::sha256;
use axilog_ledger::file::blobs::BlobStore;
use axilog_oracle::{Oracle, RecordedOracle, ScriptedOracle};
use axilog_testkit::harness::client::{client, files};
use axilog_testkit::harness::server::{Act, Server, completion, costly};
use axilog_x0l::X0lError;
use axilog_x0l::condition::Condition;
use axilog_x0l::kernel::{DecisionKind, DecisionReason, RejectionReason};
use axilog_x0l::live::{SessionPlan, examples, preflight};
use axilog_x0l::log::{Canonicalization, ConditionStatus, RunDirectory, SessionStatus};
use axilog_x0l::replay::replay_run;
use axilog_x0l::taxonomy::RefusalType;

use crate::session_directory::{SessionDirectory, settings};

const A: &[Condition] = &[Condition::A];

/// A script that answers the calibration, and then with `rest`.
fn script_with(rest: &str) -> String {
    let calibration = r#"{"contains":"Answer with this object","answer":"{}","usage":{"prompt_tokens":40,"completion_tokens":2}}"#;
    format!("{calibration}\n{rest}\n")
}

fn good_script() -> String {
    let line = examples::SCRIPT
        .lines()
        .rev()
        .find(|line| line.contains("quote"));
    script_with(line.unwrap())
}

const REFUSAL: &str = r#"{"answer":"No.","usage":{"prompt_tokens":700,"completion_tokens":2}}"#;

/// Asserts that the ledger is sealed and good.
#[track_caller]
fn assert_sealed(directory: &SessionDirectory) {
    let ledger = directory.out().join(RunDirectory::LEDGER);
    let text = fs::read_to_string(&ledger).unwrap();
    assert!(
        text.lines().last().unwrap().contains("AX:PROOF"),
        "not sealed"
    );
    assert!(RecordedOracle::open(&ledger).is_ok());
    assert!(directory.metadata().outcome.is_some());
}

#[test]
fn twenty_five_refusals_in_a_row_end_a_condition_and_not_the_session() {
    let directory = SessionDirectory::new();
    let conditions = [Condition::A, Condition::E];
    let outcome = directory
        .run_script(settings(&conditions, 40), &script_with(REFUSAL))
        .unwrap();
    assert_eq!(outcome.status, SessionStatus::Complete);
    for condition in &outcome.conditions {
        assert_eq!(
            (condition.cycles, condition.status),
            (25, ConditionStatus::AutoAbort)
        );
    }
    assert_sealed(&directory);

    // An action in between begins anew.
    let directory = SessionDirectory::new();
    let good = good_script();
    let good = good
        .lines()
        .last()
        .unwrap()
        .replacen('{', "{\"every\":25,", 1);
    let lines = script_with(&format!("{good}\n{REFUSAL}"));
    let outcome = directory.run_script(settings(A, 60), &lines).unwrap();
    assert_eq!(outcome.conditions[0].status, ConditionStatus::Complete);
    // Three calls calibrate; the calls 25 and 50 are the cycles 22 and 47, and 24 refusals lie between.
    let cycles = directory.cycles();
    let kinds: Vec<DecisionKind> = cycles.iter().map(|cycle| cycle.decision.kind).collect();
    assert_eq!(
        (kinds[21], kinds[46]),
        (DecisionKind::Action, DecisionKind::Action)
    );
    assert_eq!(kinds.len(), 60);
}

#[test]
fn what_is_spent_never_exceeds_b2() {
    for b2 in [0, 4_000, 20_000, 20_001] {
        let directory = SessionDirectory::new();
        let mut settings = settings(A, 40);
        settings.b2 = b2;
        let outcome = directory.run_script(settings, &good_script()).unwrap();
        assert_eq!(outcome.status, SessionStatus::SessionBudgetExhausted);
        assert!(outcome.tokens_spent <= b2);
        assert!(outcome.reason.unwrap().contains(&format!("of {b2} tokens")));
        let cycles = directory.cycles();
        let (last, before) = cycles.split_last().unwrap();
        assert_eq!(last.canonicalization, Canonicalization::NotAsked);
        assert_eq!(
            last.rejection_reason,
            Some(RejectionReason::BudgetExhaustedSession)
        );
        assert_eq!(last.decision.kind, DecisionKind::Refuse);
        assert_eq!((last.ledger_seq, last.tokens()), (None, 0));
        assert_eq!(last.refusal_type, Some(RefusalType::II));
        assert!(before.iter().all(|cycle| cycle.ledger_seq.is_some()));
        assert_eq!(outcome.conditions[0].status, ConditionStatus::NotFinished);
        assert_sealed(&directory);

        // A session may not end too early either: under a larger B2 it would have gone on.
        let run = RunDirectory::open(&directory.out()).unwrap();
        let mut metadata = directory.metadata();
        metadata.frozen.b2 = u64::MAX;
        run.write_metadata(&metadata).unwrap();
        let findings = replay_run(&run, &mut |_| {}).unwrap().findings;
        let early = format!(
            "cycles.jsonl:{0}: cycle {0} (L-A {0}): ledger_seq: found none, expected a call: B1 and B2 allowed it",
            last.number
        );
        let messages: Vec<String> = findings.iter().map(ToString::to_string).collect();
        assert!(messages.contains(&early), "{messages:?}");
    }
}

/// Such an answer is drift, and its blob beside the ledger belongs to the run.
#[test]
fn a_calibration_whose_answer_no_record_holds_whole_has_drifted() {
    let directory = SessionDirectory::new();
    let long = format!("{{\"answer\":\"{}\"}}\n", "a".repeat(70_000));
    let outcome = directory.run_script(settings(A, 1), &long).unwrap();
    assert_eq!(
        (outcome.status, outcome.cycles),
        (SessionStatus::ModelDriftDetected, 0)
    );
    assert_sealed(&directory);
}

/// The ledger holds a part of the answer, and a blob all of it; without the blob the run does not replay.
#[test]
fn an_answer_that_no_record_holds_whole_is_read_and_kept() {
    let directory = SessionDirectory::new();
    let answer = "a".repeat(70_000);
    let usage = r#""usage":{"prompt_tokens":700,"completion_tokens":2048}"#;
    let lines = script_with(&format!("{{\"answer\":\"{answer}\",{usage}}}"));
    directory.run_script(settings(A, 1), &lines).unwrap();
    let cycles = directory.cycles();
    assert_eq!(cycles[0].rejection_reason, Some(RejectionReason::NoJson));
    assert_eq!(cycles[0].raw.as_deref(), Some(answer.as_str()));
    assert_eq!(cycles[0].decision.kind, DecisionKind::Refuse);
    assert_sealed(&directory);

    let ledger = directory.out().join(RunDirectory::LEDGER);
    let blob = BlobStore::of_ledger(&ledger).path(&sha256(answer.as_bytes()));
    assert_eq!(fs::read(&blob).unwrap(), answer.as_bytes());
    fs::remove_file(blob).unwrap();
    let run = RunDirectory::open(&directory.out()).unwrap();
    assert_eq!(replay_run(&run, &mut |_| ()).unwrap().findings.len(), 1);
}

#[test]
fn over_b1_the_kernel_refuses_whether_asked_or_not() {
    let directory = SessionDirectory::new();
    // The answer is over B1.
    let narrow = examples::CONSTITUTION.replace("cycle = 6000", "cycle = 900");
    let narrow = directory.write("narrow.toml", &narrow);
    let line = good_script();
    let line = line.lines().last().unwrap();
    let (head, _) = line.split_once("\"usage\"").unwrap();
    for (completion, kind) in [(200, DecisionKind::Action), (201, DecisionKind::Refuse)] {
        let directory = SessionDirectory::new();
        let line = format!(
            "{head}\"usage\":{{\"prompt_tokens\":700,\"completion_tokens\":{completion}}}}}"
        );
        let mut narrowed = settings(A, 1);
        narrowed.constitution = Some(narrow.clone());
        directory.run_script(narrowed, &script_with(&line)).unwrap();
        let cycles = directory.cycles();
        assert_eq!(cycles[0].decision.kind, kind);
        let reason = (kind == DecisionKind::Refuse).then_some(DecisionReason::BudgetExhausted);
        assert_eq!(cycles[0].decision.reason, reason);
    }
    // The prompt alone is over B1: nothing is sent.
    let task = format!(
        "condition = \"L-A\"\n[[tasks]]\nid = \"long\"\nprompt = \"{}\"\n",
        "x".repeat(800_000)
    );
    let path = directory.write("long.toml", &task);
    let long = |b2| {
        let mut settings = settings(A, 1);
        settings.b2 = b2;
        settings.tasks.insert(Condition::A, path.clone());
        settings
    };
    // It costs nothing, but the B2 that preflight calls enough is needed.
    let plan = SessionPlan::read(long(0)).unwrap();
    let enough = preflight(&plan, &directory.out()).unwrap().needed_b2;
    let outcome = directory.run_script(long(enough), &good_script()).unwrap();
    assert_eq!(
        (outcome.status, outcome.tokens_spent),
        (SessionStatus::Complete, 0)
    );
    let cycle = directory.cycles().remove(0);
    assert_eq!(cycle.decision.reason, Some(DecisionReason::BudgetExhausted));
    assert_eq!(cycle.canonicalization, Canonicalization::NotAsked);
    assert!(cycle.prompt_tokens > 6000 && cycle.ledger_seq.is_none());
    // A larger B1 would have let it be asked, a smaller B2 would have ended the session.
    let messages_under = |b1, b2| -> Vec<String> {
        let run = RunDirectory::open(&directory.out()).unwrap();
        let mut metadata = directory.metadata();
        (metadata.frozen.b1, metadata.frozen.b2) = (b1, b2);
        run.write_metadata(&metadata).unwrap();
        let findings = replay_run(&run, &mut |_| {}).unwrap().findings;
        findings.iter().map(ToString::to_string).collect()
    };
    let cases = [
        (
            (u64::MAX, enough),
            "ledger_seq: found none, expected a call: B1 and B2 allowed it",
        ),
        (
            (6000, enough - 1),
            "rejection_reason: found null, expected \"BUDGET_EXHAUSTED_SESSION\"",
        ),
    ];
    for ((b1, b2), finding) in cases {
        let messages = messages_under(b1, b2);
        let expected = format!("cycles.jsonl:1: cycle 1 (L-A 1): {finding}");
        assert!(messages.contains(&expected), "{messages:?}");
    }
    let less = SessionDirectory::new();
    let outcome = less.run_script(long(enough - 1), &good_script()).unwrap();
    assert_eq!(outcome.status, SessionStatus::SessionBudgetExhausted);
}

#[test]
fn tokens_may_be_counted_on_this_machine() {
    use axilog_x0l::live::TokenCounter;
    use axilog_x0l::log::TokenSource;
    let directory = SessionDirectory::new();
    let lines = r#"{"answer":"{\"candidates\":[]}"}"#;
    let mut counted = settings(A, 2);
    counted.token_counter = TokenCounter::local(Some("o200k_base"), "model-1").unwrap();
    directory.run_script(counted, lines).unwrap();
    let source = directory.metadata().frozen.token_source;
    assert!(matches!(source, TokenSource::Local { tokenizer, .. } if tokenizer == "o200k_base"));
    let cycles = directory.cycles();
    assert!(
        cycles
            .iter()
            .all(|cycle| (300..900).contains(&cycle.prompt_tokens))
    );
    assert!(
        cycles
            .iter()
            .all(|cycle| (4..12).contains(&cycle.completion_tokens))
    );
    assert!(TokenCounter::local(None, "model-1").is_err());
}

#[test]
fn answers_without_usage_end_the_session() {
    let directory = SessionDirectory::new();
    let outcome = directory
        .run_script(settings(A, 3), r#"{"answer":"{}"}"#)
        .unwrap();
    assert_eq!(outcome.status, SessionStatus::Aborted);
    assert!(outcome.reason.unwrap().contains("--count-tokens"));
    assert_eq!(outcome.cycles, 0);
    assert_sealed(&directory);
    // The calibration had its usage, the second cycle not.
    let directory = SessionDirectory::new();
    let lines = script_with(&format!("{REFUSAL}\n{{\"answer\":\"No.\"}}"));
    let outcome = directory.run_script(settings(A, 3), &lines).unwrap();
    assert_eq!(
        (outcome.status, outcome.cycles),
        (SessionStatus::Aborted, 1)
    );
    assert_sealed(&directory);
}

#[test]
fn a_model_that_drifts_is_not_asked_further() {
    let directory = SessionDirectory::new();
    let usage = r#""usage":{"prompt_tokens":9,"completion_tokens":1}"#;
    let lines =
        format!("{{\"answer\":\"{{}}\",{usage}}}\n{{\"answer\":\"{{\\\"a\\\":1}}\",{usage}}}");
    let outcome = directory.run_script(settings(A, 3), &lines).unwrap();
    assert_eq!(
        (outcome.status, outcome.cycles),
        (SessionStatus::ModelDriftDetected, 0)
    );
    assert!(outcome.status.is_void());
    assert_eq!(
        directory.metadata().calibration.unwrap().ledger_seqs.len(),
        3
    );
    assert_sealed(&directory);
}

#[test]
fn a_call_that_fails_for_good_voids_the_session_and_is_no_cycle() {
    // In the calibration, and in the third cycle.
    let directory = SessionDirectory::new();
    let outcome = directory
        .run_script(settings(A, 3), r#"{"faults":["timeout"]}"#)
        .unwrap();
    assert_eq!(
        (outcome.status, outcome.cycles),
        (SessionStatus::TransportFailureAbort, 0)
    );
    assert_sealed(&directory);

    let answer = || Act::Respond(200, costly("{\"candidates\":[]}", 40, 5));
    let cycle = Act::Respond(200, costly("{\"candidates\":[]}", 700, 5));
    let mut acts = vec![answer(); 3];
    acts.extend(vec![cycle; 2]);
    acts.extend(vec![Act::Respond(503, completion("")); 4]);
    let server = Server::new(acts);
    let directory = SessionDirectory::new();
    let mut endpoint = client(&server);
    let outcome = directory
        .run(settings(A, 9), &mut endpoint, u64::MAX)
        .unwrap();
    assert_eq!(
        (outcome.status, outcome.cycles),
        (SessionStatus::TransportFailureAbort, 2)
    );
    assert!(outcome.status.is_void());
    assert_eq!(outcome.reason.as_deref(), Some("status 503"));
    assert_eq!(server.requests().len(), 9);
    assert_eq!(directory.cycles().len(), 2);
    assert_sealed(&directory);
}

#[test]
fn an_oracle_without_an_answer_ends_the_session() {
    let directory = SessionDirectory::new();
    let lines = r#"{"contains":"Answer with this object","answer":"{}","usage":{"prompt_tokens":40,"completion_tokens":1}}"#;
    let outcome = directory.run_script(settings(A, 3), lines).unwrap();
    assert_eq!(
        (outcome.status, outcome.cycles),
        (SessionStatus::Aborted, 0)
    );
    assert!(outcome.reason.unwrap().contains("no answer for call 4"));
    assert_sealed(&directory);
}

#[test]
fn a_listener_may_stop_the_session_between_cycles() {
    for stop_after in [0, 1, 7] {
        let directory = SessionDirectory::new();
        let path = directory.write("script.jsonl", &good_script());
        let mut endpoint = Oracle::Scripted(ScriptedOracle::open(&path).unwrap());
        let both = [Condition::A, Condition::B];
        let outcome = directory
            .run(settings(&both, 5), &mut endpoint, stop_after)
            .unwrap();
        assert_eq!(
            (outcome.status, outcome.cycles),
            (SessionStatus::Interrupted, stop_after)
        );
        assert!(!outcome.status.is_void());
        assert_eq!(directory.cycles().len() as u64, stop_after);
        assert_sealed(&directory);
    }
}

/// A ledger holds no token counts, so they are counted on this machine.
#[test]
fn a_run_answers_another_session_that_asks_the_same() {
    use crate::session_directory::STARTED;
    use axilog_x0l::live::TokenCounter;
    let first = SessionDirectory::new();
    // A prompt of more bytes than a record holds.
    let wide = examples::CONSTITUTION.replace("= 6000", "= 100000");
    let wide = first.write("wide.toml", &wide);
    let prompt = "Tell the operator. ".repeat(5_000);
    let task = format!("condition = \"L-A\"\n[[tasks]]\nid = \"t\"\nprompt = \"{prompt}\"\n");
    let tasks = first.write("long.toml", &task);
    let counted = |started| {
        let mut settings = settings(A, 2);
        settings.token_counter = TokenCounter::local(Some("o200k_base"), "model-1").unwrap();
        settings.constitution = Some(wide.clone());
        settings.tasks.insert(Condition::A, tasks.clone());
        settings.started = started;
        settings
    };
    first.run_script(counted(STARTED), &good_script()).unwrap();
    let ledger = first.out().join(RunDirectory::LEDGER);
    let recorded = || Oracle::Recorded(RecordedOracle::open(&ledger).unwrap());

    let second = SessionDirectory::new();
    let outcome = second.run(counted(STARTED), &mut recorded(), u64::MAX);
    assert_eq!(outcome.unwrap().status, SessionStatus::Complete);
    for (a, b) in first.cycles().iter().zip(second.cycles()) {
        assert_eq!((a.input_hash, &a.raw), (b.input_hash, &b.raw));
    }

    // A time that the first session never reached gives another prompt, and the outcome's reason shows the
    // difference as far as a record has room.
    let later = SessionDirectory::new();
    let outcome = later.run(counted(STARTED + 2), &mut recorded(), u64::MAX);
    let outcome = outcome.unwrap();
    assert_eq!(
        (outcome.status, outcome.cycles),
        (SessionStatus::Aborted, 0)
    );
    let reason = outcome.reason.unwrap();
    assert!(reason.contains("holds no answer to the input"), "{reason}");
    assert!(reason.contains("+- ") && !reason.contains('?'), "{reason}");
    assert_sealed(&later);
}

#[test]
fn a_run_is_not_resumed() {
    let directory = SessionDirectory::new();
    directory
        .run_script(settings(A, 2), &good_script())
        .unwrap();
    let before = files(&directory.out());
    let second = directory.run_script(settings(A, 2), &good_script());
    assert!(matches!(second, Err(X0lError::NotEmpty(_))));
    assert_eq!(files(&directory.out()), before);
}
