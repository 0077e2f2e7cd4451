//! How sessions end: every way there is, each from a script.

use std::fs;
use std::time::Duration;

use axilog::hash::sha256;
use axilog_ledger::file::blobs::Blobs;
use axilog_oracle::{Endpoint, Recorded, Scripted};
use axilog_x0l::X0lError;
use axilog_x0l::condition::Condition;
use axilog_x0l::kernel::{DecisionKind, DecisionReason, RejectionReason};
use axilog_x0l::live::{Plan, preflight, shipped};
use axilog_x0l::log::{Canonicalization, ConditionStatus, RunDirectory, SessionStatus};
use axilog_x0l::replay::replay;
use axilog_x0l::taxonomy::RefusalType;

use crate::client::{client, files};
use crate::place::{Place, settings};
use crate::server::{Act, Server, completion, costly};

const A: &[Condition] = &[Condition::A];

/// What the calibration needs, and then `rest`.
fn script(rest: &str) -> String {
    let calibration = r#"{"contains":"Answer with this object","answer":"{}","usage":{"prompt_tokens":40,"completion_tokens":2}}"#;
    format!("{calibration}\n{rest}\n")
}

fn good() -> String {
    let line = shipped::SCRIPT
        .lines()
        .rev()
        .find(|line| line.contains("quote"));
    script(line.unwrap())
}

const REFUSAL: &str = r#"{"answer":"No.","usage":{"prompt_tokens":700,"completion_tokens":2}}"#;

/// The run is whole: the ledger is sealed, good, and replays.
#[track_caller]
fn is_sealed(place: &Place) {
    let ledger = place.out().join(RunDirectory::LEDGER);
    let text = fs::read_to_string(&ledger).unwrap();
    assert!(
        text.lines().last().unwrap().contains("AX:PROOF"),
        "not sealed"
    );
    assert!(Recorded::read(&ledger).is_ok());
    assert!(place.metadata().outcome.is_some());
}

#[test]
fn twenty_five_refusals_in_a_row_end_a_condition_and_not_the_session() {
    let place = Place::new();
    let conditions = [Condition::A, Condition::D];
    let outcome = place
        .scripted(settings(&conditions, 40), &script(REFUSAL))
        .unwrap();
    assert_eq!(outcome.status, SessionStatus::Complete);
    for condition in &outcome.conditions {
        assert_eq!(
            (condition.cycles, condition.status),
            (25, ConditionStatus::AutoAbort)
        );
    }
    is_sealed(&place);

    // An action in between begins anew.
    let place = Place::new();
    let good = good();
    let good = good
        .lines()
        .last()
        .unwrap()
        .replacen('{', "{\"every\":25,", 1);
    let lines = script(&format!("{good}\n{REFUSAL}"));
    let outcome = place.scripted(settings(A, 60), &lines).unwrap();
    assert_eq!(outcome.conditions[0].status, ConditionStatus::Complete);
    // Three calls calibrate; the calls 25 and 50 are the cycles 22 and 47, and 24 refusals lie between.
    let cycles = place.cycles();
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
        let place = Place::new();
        let mut settings = settings(A, 40);
        settings.b2 = b2;
        let outcome = place.scripted(settings, &good()).unwrap();
        assert_eq!(outcome.status, SessionStatus::SessionBudgetExhausted);
        assert!(outcome.tokens_spent <= b2);
        assert!(outcome.reason.unwrap().contains(&format!("of {b2} tokens")));
        let cycles = place.cycles();
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
        is_sealed(&place);

        // Nor may a session end before that: under a larger B2 it would have gone on.
        let run = RunDirectory::open(&place.out()).unwrap();
        let mut metadata = place.metadata();
        metadata.frozen.b2 = u64::MAX;
        run.write_metadata(&metadata).unwrap();
        let findings = replay(&run, &mut |_| {}).unwrap().findings;
        let early = format!(
            "cycles.jsonl:{0}: cycle {0} (L-A {0}): ledger_seq: found none, expected a call: B1 and B2 allowed it",
            last.number
        );
        let told: Vec<String> = findings.iter().map(ToString::to_string).collect();
        assert!(told.contains(&early), "{told:?}");
    }
}

/// It is drift, as one that no record holds at all is; the blob beside the ledger belongs to the run.
#[test]
fn a_calibration_whose_answer_no_record_holds_whole_has_drifted() {
    let place = Place::new();
    let long = format!("{{\"answer\":\"{}\"}}\n", "a".repeat(70_000));
    let outcome = place.scripted(settings(A, 1), &long).unwrap();
    assert_eq!(
        (outcome.status, outcome.cycles),
        (SessionStatus::ModelDriftDetected, 0)
    );
    is_sealed(&place);
}

/// The ledger has a part of it, the blobs all; without the blob the run does not replay.
#[test]
fn an_answer_that_no_record_holds_whole_is_refused_and_kept() {
    let place = Place::new();
    let answer = "a".repeat(70_000);
    let usage = r#""usage":{"prompt_tokens":700,"completion_tokens":2048}"#;
    let lines = script(&format!("{{\"answer\":\"{answer}\",{usage}}}"));
    place.scripted(settings(A, 1), &lines).unwrap();
    let cycles = place.cycles();
    assert_eq!(
        cycles[0].rejection_reason,
        Some(RejectionReason::NotAdmitted)
    );
    assert_eq!(cycles[0].decision.kind, DecisionKind::Refuse);
    is_sealed(&place);

    let ledger = place.out().join(RunDirectory::LEDGER);
    let blob = Blobs::beside(&ledger).path(&sha256(answer.as_bytes()));
    assert_eq!(fs::read(&blob).unwrap(), answer.as_bytes());
    fs::remove_file(blob).unwrap();
    let run = RunDirectory::open(&place.out()).unwrap();
    assert_eq!(replay(&run, &mut |_| ()).unwrap().findings.len(), 1);
}

#[test]
fn over_b1_the_kernel_refuses_whether_asked_or_not() {
    let place = Place::new();
    // What came back is too much.
    let line = good();
    let line = line.lines().last().unwrap();
    let (head, _) = line.split_once("\"usage\"").unwrap();
    for (completion, kind) in [(5999, DecisionKind::Action), (6000, DecisionKind::Refuse)] {
        let place = Place::new();
        let line =
            format!("{head}\"usage\":{{\"prompt_tokens\":1,\"completion_tokens\":{completion}}}}}");
        place.scripted(settings(A, 1), &script(&line)).unwrap();
        let cycles = place.cycles();
        assert_eq!(cycles[0].decision.kind, kind);
        let reason = (kind == DecisionKind::Refuse).then_some(DecisionReason::BudgetExhausted);
        assert_eq!(cycles[0].decision.reason, reason);
    }
    // The prompt alone is: nothing is sent.
    let task = format!(
        "condition = \"L-A\"\n[[tasks]]\nid = \"long\"\nprompt = \"{}\"\n",
        "x".repeat(800_000)
    );
    let path = place.write("long.toml", &task);
    let long = |b2| {
        let mut settings = settings(A, 1);
        settings.b2 = b2;
        settings.tasks.insert(Condition::A, path.clone());
        settings
    };
    // It costs nothing, but what preflight calls enough is.
    let plan = Plan::read(long(0)).unwrap();
    let enough = preflight(&plan, &place.out()).unwrap().needed_b2;
    let outcome = place.scripted(long(enough), &good()).unwrap();
    assert_eq!(
        (outcome.status, outcome.tokens_spent),
        (SessionStatus::Complete, 0)
    );
    let cycle = place.cycles().remove(0);
    assert_eq!(cycle.decision.reason, Some(DecisionReason::BudgetExhausted));
    assert_eq!(cycle.canonicalization, Canonicalization::NotAsked);
    assert!(cycle.prompt_tokens > 6000 && cycle.ledger_seq.is_none());
    // A larger B1 would have let it be asked, a smaller B2 would have ended the session.
    let told = |b1, b2| -> Vec<String> {
        let run = RunDirectory::open(&place.out()).unwrap();
        let mut metadata = place.metadata();
        (metadata.frozen.b1, metadata.frozen.b2) = (b1, b2);
        run.write_metadata(&metadata).unwrap();
        let findings = replay(&run, &mut |_| {}).unwrap().findings;
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
        let told = told(b1, b2);
        let there = told
            .iter()
            .any(|one| one == &format!("cycles.jsonl:1: cycle 1 (L-A 1): {finding}"));
        assert!(there, "{told:?}");
    }
    let less = Place::new();
    let outcome = less.scripted(long(enough - 1), &good()).unwrap();
    assert_eq!(outcome.status, SessionStatus::SessionBudgetExhausted);
}

#[test]
fn tokens_may_be_counted_here() {
    use axilog_x0l::live::Ruler;
    use axilog_x0l::log::TokenSource;
    let place = Place::new();
    let lines = r#"{"answer":"{\"candidates\":[]}"}"#;
    let mut counted = settings(A, 2);
    counted.ruler = Ruler::local(Some("o200k_base"), "model-1").unwrap();
    place.scripted(counted, lines).unwrap();
    let source = place.metadata().frozen.token_source;
    assert!(matches!(source, TokenSource::Local { tokenizer, .. } if tokenizer == "o200k_base"));
    let cycles = place.cycles();
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
    assert!(Ruler::local(None, "model-1").is_err());
}

#[test]
fn answers_without_a_price_end_the_session() {
    let place = Place::new();
    let outcome = place
        .scripted(settings(A, 3), r#"{"answer":"{}"}"#)
        .unwrap();
    assert_eq!(outcome.status, SessionStatus::Aborted);
    assert!(outcome.reason.unwrap().contains("--count-tokens"));
    assert_eq!(outcome.cycles, 0);
    is_sealed(&place);
    // The calibration had its price, the second cycle not.
    let place = Place::new();
    let lines = script(&format!("{REFUSAL}\n{{\"answer\":\"No.\"}}"));
    let outcome = place.scripted(settings(A, 3), &lines).unwrap();
    assert_eq!(
        (outcome.status, outcome.cycles),
        (SessionStatus::Aborted, 1)
    );
    is_sealed(&place);
}

#[test]
fn a_model_that_drifts_is_not_asked_further() {
    let place = Place::new();
    let usage = r#""usage":{"prompt_tokens":9,"completion_tokens":1}"#;
    let lines =
        format!("{{\"answer\":\"{{}}\",{usage}}}\n{{\"answer\":\"{{\\\"a\\\":1}}\",{usage}}}");
    let outcome = place.scripted(settings(A, 3), &lines).unwrap();
    assert_eq!(
        (outcome.status, outcome.cycles),
        (SessionStatus::ModelDriftDetected, 0)
    );
    assert!(outcome.status.is_void());
    assert_eq!(place.metadata().calibration.unwrap().ledger_seqs.len(), 3);
    is_sealed(&place);
}

#[test]
fn a_call_that_fails_for_good_voids_the_session_and_is_no_cycle() {
    // In the calibration, and in the third cycle.
    let place = Place::new();
    let outcome = place
        .scripted(settings(A, 3), r#"{"faults":["timeout"]}"#)
        .unwrap();
    assert_eq!(
        (outcome.status, outcome.cycles),
        (SessionStatus::TransportFailureAbort, 0)
    );
    is_sealed(&place);

    let answer = || Act::Respond(200, costly("{\"candidates\":[]}", 40, 5));
    let mut acts = vec![answer(); 5];
    acts.extend(vec![Act::Respond(503, completion("")); 4]);
    let server = Server::new(acts);
    let place = Place::new();
    let mut endpoint = client(&server.base_url, Duration::from_secs(5));
    let outcome = place.run(settings(A, 9), &mut endpoint, u64::MAX).unwrap();
    assert_eq!(
        (outcome.status, outcome.cycles),
        (SessionStatus::TransportFailureAbort, 2)
    );
    assert!(outcome.status.is_void());
    assert_eq!(outcome.reason.as_deref(), Some("status 503"));
    assert_eq!(server.requests().len(), 9);
    assert_eq!(place.cycles().len(), 2);
    is_sealed(&place);
}

#[test]
fn an_oracle_without_an_answer_ends_the_session() {
    let place = Place::new();
    let lines = r#"{"contains":"Answer with this object","answer":"{}","usage":{"prompt_tokens":1,"completion_tokens":1}}"#;
    let outcome = place.scripted(settings(A, 3), lines).unwrap();
    assert_eq!(
        (outcome.status, outcome.cycles),
        (SessionStatus::Aborted, 0)
    );
    assert!(outcome.reason.unwrap().contains("no answer for call 4"));
    is_sealed(&place);
}

#[test]
fn somebody_may_stop_it_between_cycles() {
    for stop_after in [0, 1, 7] {
        let place = Place::new();
        let path = place.write("script.jsonl", &good());
        let mut endpoint = Endpoint::Scripted(Scripted::read(&path).unwrap());
        let both = [Condition::A, Condition::B];
        let outcome = place
            .run(settings(&both, 5), &mut endpoint, stop_after)
            .unwrap();
        assert_eq!(
            (outcome.status, outcome.cycles),
            (SessionStatus::Interrupted, stop_after)
        );
        assert!(!outcome.status.is_void());
        assert_eq!(place.cycles().len() as u64, stop_after);
        is_sealed(&place);
    }
}

/// Token counts are not in a ledger: they are made here.
#[test]
fn a_run_answers_another_session_that_asks_the_same() {
    use crate::place::STARTED;
    use axilog_x0l::live::Ruler;
    let first = Place::new();
    // A prompt of more bytes than a record holds.
    let wide = shipped::CONSTITUTION.replace("= 6000", "= 100000");
    let wide = first.write("wide.toml", &wide);
    let prompt = "Tell the operator. ".repeat(5_000);
    let task = format!("condition = \"L-A\"\n[[tasks]]\nid = \"t\"\nprompt = \"{prompt}\"\n");
    let tasks = first.write("long.toml", &task);
    let counted = |started| {
        let mut settings = settings(A, 2);
        settings.ruler = Ruler::local(Some("o200k_base"), "model-1").unwrap();
        settings.constitution = Some(wide.clone());
        settings.tasks.insert(Condition::A, tasks.clone());
        settings.started = started;
        settings
    };
    first.scripted(counted(STARTED), &good()).unwrap();
    let ledger = first.out().join(RunDirectory::LEDGER);
    let recorded = || Endpoint::Recorded(Recorded::read(&ledger).unwrap());

    let again = Place::new();
    let outcome = again.run(counted(STARTED), &mut recorded(), u64::MAX);
    assert_eq!(outcome.unwrap().status, SessionStatus::Complete);
    for (one, other) in first.cycles().iter().zip(again.cycles()) {
        assert_eq!((one.input_hash, &one.raw), (other.input_hash, &other.raw));
    }

    // A time that the first session never came to asks otherwise, and the run says how as far as its
    // ledger has room.
    let later = Place::new();
    let outcome = later.run(counted(STARTED + 2), &mut recorded(), u64::MAX);
    let outcome = outcome.unwrap();
    assert_eq!(
        (outcome.status, outcome.cycles),
        (SessionStatus::Aborted, 0)
    );
    let reason = outcome.reason.unwrap();
    assert!(reason.contains("holds no answer to the input"), "{reason}");
    assert!(reason.contains("+- ") && !reason.contains('?'), "{reason}");
    is_sealed(&later);
}

#[test]
fn a_run_is_not_resumed() {
    let place = Place::new();
    place.scripted(settings(A, 2), &good()).unwrap();
    let before = files(&place.out());
    let again = place.scripted(settings(A, 2), &good());
    assert!(matches!(again, Err(X0lError::NotEmpty(_))));
    assert_eq!(files(&place.out()), before);
}
