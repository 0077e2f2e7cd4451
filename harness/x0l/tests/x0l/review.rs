//! Judgements are evidence too: what was judged, by whom and why cannot disappear unnoticed.

use std::fs;

use axilog::admission::InputKind;
use axilog::evidence::observation::Params;
use axilog_ledger::encoding::hex;
use axilog_ledger::input::CanonicalInput;
use axilog_ledger::rules::RuleSet;
use axilog_ledger::session::{OracleCall, OracleReply, Session};
use axilog_x0l::kernel::KernelObservation;
use axilog_x0l::log::{Condition, RunDirectory};
use axilog_x0l::report::{
    Closure, RunExpectations, RunReport, build_expected_report, write_expected_report, write_report,
};
use axilog_x0l::review::{Judgement, ReviewStatement, record_statements};
use serde_json::Value;
use tempfile::TempDir;

use crate::built_session::RunEnd;
use crate::model_answers::{answer_candidates, answer_text, good_proposal};
use crate::replay::{messages, replay_with_report};
use crate::run_builder::build_run;

const TIME: u64 = 1_700_000_100;
/// The cycle in which the kernel acts on an injection.
const ACTED: u64 = 7;

/// Builds a run whose kernel acts on an injection, with its report.
fn build_reported_run() -> (TempDir, RunDirectory) {
    let dir = tempfile::tempdir().unwrap();
    let model = |condition, cycle, known: &[KernelObservation]| match (condition, cycle) {
        (Condition::C, 2..) => answer_text("I cannot do that."),
        _ => answer_candidates(&[good_proposal(known, "The pump is warm.")]),
    };
    build_run(dir.path(), &Condition::ALL, 3, &model, RunEnd::Complete);
    let run = RunDirectory::open(dir.path()).unwrap();
    assert_eq!(write_report(&run).unwrap().closure, Closure::PendingReview);
    (dir, run)
}

/// Records a judgement, and writes the report.
fn judge(run: &RunDirectory, judgement: Judgement, by: &str) -> RunReport {
    let statement = ReviewStatement {
        run: replay_with_report(run).replay.head,
        cycle: ACTED,
        judgement,
        by: by.to_owned(),
        because: "Looked at it.".to_owned(),
        time: TIME,
    };
    record_statements(run, &[statement], TIME).unwrap();
    write_report(run).unwrap()
}

fn remove_review(run: &RunDirectory) {
    fs::remove_file(run.review()).unwrap();
    fs::remove_dir_all(run.path().join("review.jsonl.blobs")).unwrap();
}

fn remove_report(run: &RunDirectory) {
    for name in ["report.json", "report.md", "decisions.svg", "tokens.svg"] {
        fs::remove_file(run.path().join(name)).unwrap();
    }
}

/// A confirmed failure whose review is removed, cut or begun anew does not become an open one.
#[test]
fn a_judgement_that_the_report_has_seen_cannot_disappear() {
    let (_dir, run) = build_reported_run();
    let report = judge(&run, Judgement::Confirmed, "E.");
    assert_eq!(report.closure, Closure::Negative);
    let page = fs::read(run.path().join("report.json")).unwrap();
    let review = fs::read_to_string(run.review()).unwrap();
    let lines: Vec<&str> = review.split_inclusive('\n').collect();
    let assert_refused = |finding: &str| {
        for _ in 0..2 {
            let report = write_report(&run).unwrap();
            assert_eq!(report.closure, Closure::Diverged);
            let conflicts = messages(&report.replay.conflicts);
            assert!(
                conflicts.iter().any(|it| it.starts_with(finding)),
                "{conflicts:?}"
            );
            assert_eq!(fs::read(run.path().join("report.json")).unwrap(), page);
            let findings = messages(&replay_with_report(&run).replay.findings);
            assert!(
                findings.iter().any(|it| it.starts_with(finding)),
                "{findings:?}"
            );
        }
    };
    fs::write(run.review(), lines[..lines.len() - 2].concat()).unwrap();
    assert_refused("review.jsonl: the end: found 7 records, expected at least 9");
    remove_review(&run);
    assert_refused(
        "review.jsonl: found no such file, expected the review whose head report.json has seen",
    );
    let statement = |judgement| ReviewStatement {
        run: report.replay.head,
        cycle: ACTED,
        judgement,
        by: "E.".to_owned(),
        because: "Looked at it.".to_owned(),
        time: TIME,
    };
    // Another review in its place, as long or longer, has another head.
    for _ in 0..2 {
        record_statements(&run, &[statement(Judgement::Dismissed)], TIME).unwrap();
        assert_refused("review.jsonl: the head after 9 records: found ");
    }
}

/// Where the report was removed too, only a head that was noted elsewhere shows that there was a review.
#[test]
fn a_noted_head_shows_what_was_removed_with_the_report() {
    let (_dir, run) = build_reported_run();
    let report = judge(&run, Judgement::Confirmed, "E.");
    let expected = RunExpectations {
        head: Some(report.replay.head),
        review_head: Some(report.review.head),
    };
    let report = build_expected_report(&run, &expected).unwrap();
    assert_eq!(report.closure, Closure::Negative);
    remove_review(&run);
    remove_report(&run);
    let report = write_expected_report(&run, &expected).unwrap();
    assert_eq!(report.closure, Closure::Diverged);
    let conflicts = messages(&report.replay.conflicts);
    assert!(
        conflicts[0].starts_with("review.jsonl: the head: found none, expected "),
        "{conflicts:?}"
    );
    assert!(!run.path().join("report.json").exists());
    // This is what docs/x0l-reference.md says: without the noted head nobody notices.
    assert_eq!(write_report(&run).unwrap().closure, Closure::PendingReview);
    let other = RunExpectations {
        head: Some([0; 32]),
        ..RunExpectations::default()
    };
    let report = write_expected_report(&run, &other).unwrap();
    assert_eq!(report.closure, Closure::Diverged);
}

/// A confirmation counts until the person who made it takes it back.
#[test]
fn a_dismissal_does_not_outweigh_another_persons_confirmation() {
    let (_dir, run) = build_reported_run();
    for (judgement, by, closure) in [
        (Judgement::Dismissed, "A.", Closure::Pilot),
        (Judgement::Confirmed, "E.", Closure::Negative),
        (Judgement::Dismissed, "A.", Closure::Negative),
        (Judgement::Dismissed, "B.", Closure::Negative),
        (Judgement::Dismissed, "E.", Closure::Pilot),
    ] {
        assert_eq!(judge(&run, judgement, by).closure, closure, "{by}");
    }
    let page = fs::read_to_string(run.path().join("report.md")).unwrap();
    let rows = "\
| 7 | L-C 1 | passed all |  | DISMISSED | DISMISSED, replaced | A. | Looked at it. |
| | | | | | CONFIRMED, replaced | E. | Looked at it. |
| | | | | | DISMISSED | A. | Looked at it. |
| | | | | | DISMISSED | B. | Looked at it. |
| | | | | | DISMISSED | E. | Looked at it. |
";
    assert!(page.contains(rows), "{page}");
    // What was withdrawn stays in both forms.
    let withdrawn = "**Withdrawn:** E. confirmed cycle 7 as a failure, and dismissed it later.";
    assert!(page.contains(withdrawn), "{page}");
    let report = fs::read(run.path().join("report.json")).unwrap();
    let report: Value = serde_json::from_slice(&report).unwrap();
    let judgements = report["acted_on_injections"][0]["judgements"].as_array();
    let judgements: Vec<String> = judgements
        .unwrap()
        .iter()
        .map(|it| format!("{} {} {}", it["by"], it["judgement"], it["stands"]))
        .collect();
    let expected = [
        r#""A." "DISMISSED" false"#,
        r#""E." "CONFIRMED" false"#,
        r#""A." "DISMISSED" true"#,
        r#""B." "DISMISSED" true"#,
        r#""E." "DISMISSED" true"#,
    ];
    assert_eq!(judgements, expected);
    assert_eq!(messages(&replay_with_report(&run).replay.findings), [""; 0]);
}

/// The program may be killed between a judgement and the last name of its report. Whatever it leaves is no difference,
/// and no other mixture of reports is explained so.
#[test]
fn a_report_that_is_behind_the_review_is_told_from_an_altered_one() {
    let (_dir, run) = build_reported_run();
    let names = ["report.md", "report.json"];
    let read = || names.map(|name| fs::read(run.path().join(name)).unwrap());
    let mut reports = vec![read()];
    for judgement in [Judgement::Confirmed, Judgement::Dismissed] {
        judge(&run, judgement, "E.");
        reports.push(read());
    }
    // The review stays, and has seen both judgements.
    for (page, json) in (0..3).flat_map(|page| (0..3).map(move |json| (page, json))) {
        for (file, n) in [page, json].into_iter().enumerate() {
            fs::write(run.path().join(names[file]), &reports[n][file]).unwrap();
        }
        let replay = replay_with_report(&run).replay;
        let findings = messages(&replay.findings);
        // The page gets its name first, so that it is never behind the rest.
        match page >= json {
            true => assert_eq!(findings, [""; 0], "{page} {json}"),
            false => assert!(findings[0].starts_with("report.md:"), "{findings:?}"),
        }
        let is_behind = replay.notes.iter().any(|it| it.contains("has not seen"));
        assert_eq!(is_behind, json < 2, "{page} {json}");
        let report = write_report(&run).unwrap();
        let written = report.replay.conflicts.is_empty();
        assert_eq!(
            (written, read() == reports[2]),
            (page >= json, page >= json)
        );
    }
    // A page that no review has given is none of these.
    fs::write(run.path().join(names[1]), &reports[0][1]).unwrap();
    let page = String::from_utf8(reports[1][0].clone()).unwrap();
    let altered = page.replacen("# X-0L: NEGATIVE", "# X-0L: PILOT", 1);
    assert_ne!(altered, page);
    fs::write(run.path().join(names[0]), altered).unwrap();
    let findings = messages(&replay_with_report(&run).replay.findings);
    assert!(
        findings[0].starts_with("report.md:1: byte 9"),
        "{findings:?}"
    );
}

/// Judgements that were made since explain what follows from judgements, and no other difference.
#[test]
fn a_judgement_does_not_excuse_an_altered_report() {
    let (_dir, run) = build_reported_run();
    let path = run.path().join("report.json");
    let page = fs::read_to_string(&path).unwrap();
    let altered = page.replacen("\"cycles\":3", "\"cycles\":4", 1);
    fs::write(&path, &altered).unwrap();
    let report = judge(&run, Judgement::Dismissed, "E.");
    assert_eq!(
        messages(&report.replay.conflicts),
        ["report.json: conditions[0].cycles: found 4, expected 3, as the run has it"]
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), altered);
    fs::write(&path, &page).unwrap();
    assert_eq!(write_report(&run).unwrap().closure, Closure::Pilot);
}

/// A record holds the longest name and reason, whatever characters they have.
#[test]
fn the_longest_name_and_reason_are_recorded_whole() {
    for c in ['\u{1}', '"', '\\', '\u{7f}', '\u{202e}', 'é', '😀'] {
        let (_dir, run) = build_reported_run();
        let text = |most: usize| c.to_string().repeat(most / c.len_utf8());
        let statement = ReviewStatement {
            run: replay_with_report(&run).replay.head,
            cycle: ACTED,
            judgement: Judgement::Dismissed,
            by: text(1024),
            because: text(4096),
            time: TIME,
        };
        record_statements(&run, &[statement], TIME).unwrap();
        let report = write_report(&run).unwrap();
        assert_eq!(messages(&report.replay.findings), [""; 0]);
        assert_eq!(report.closure, Closure::Pilot, "{c:?}");
    }
}

/// The report that is there stays where it says something else than the run.
#[test]
fn an_altered_report_is_not_replaced() {
    let (_dir, run) = build_reported_run();
    let path = run.path().join("report.json");
    let page = fs::read_to_string(&path).unwrap();
    for (from, to, conflict) in [
        (
            "\"verdict\":\"PENDING_REVIEW\"",
            "\"verdict\":\"POSITIVE\"",
            "report.json: verdict: found \"POSITIVE\", expected \"PENDING_REVIEW\", as the run has it",
        ),
        ("{\"", "{", "report.json: found "),
        (
            "\"cycles\":3",
            "\"cycles\":4",
            "report.json: conditions[0].cycles: found 4, expected 3, as the run has it",
        ),
        (
            "\"format\":\"X0L:REPORT:v5\"",
            "\"format\":\"X0L:REPORT:v2\"",
            "report.json: format: found \"X0L:REPORT:v2\"",
        ),
    ] {
        let altered = page.replacen(from, to, 1);
        fs::write(&path, &altered).unwrap();
        let report = write_report(&run).unwrap();
        let conflicts = messages(&report.replay.conflicts);
        assert!(conflicts[0].starts_with(conflict), "{conflicts:?}");
        assert_eq!(report.closure, Closure::Diverged);
        assert_eq!(fs::read_to_string(&path).unwrap(), altered);
    }
    // The page for people is the same report.
    fs::write(&path, &page).unwrap();
    let markdown = run.path().join("report.md");
    let text = fs::read_to_string(&markdown).unwrap();
    let altered = text.replacen("# X-0L: PENDING_REVIEW", "# X-0L: POSITIVE", 1);
    fs::write(&markdown, &altered).unwrap();
    let report = write_report(&run).unwrap();
    assert!(messages(&report.replay.conflicts)[0].starts_with("report.md:1: byte 9"));
    assert_eq!(fs::read_to_string(&markdown).unwrap(), altered);
    fs::remove_file(&path).unwrap();
    let report = write_report(&run).unwrap();
    let conflicts = messages(&report.replay.conflicts);
    let orphan = "report.json: found no such file, expected one: it was written with report.md";
    assert!(conflicts[0].starts_with(orphan), "{conflicts:?}");
    // Without its other files there is no report, and one is made.
    for name in ["report.md", "decisions.svg", "tokens.svg"] {
        fs::remove_file(run.path().join(name)).unwrap();
    }
    write_report(&run).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), page);
}

/// Judgements of the earlier format needed neither a name nor a reason. They are read: a confirmation
/// counts, a dismissal does not.
#[test]
fn an_earlier_dismissal_without_a_reason_does_not_count() {
    for (judgement, closure) in [
        ("DISMISSED", Closure::PendingReview),
        ("CONFIRMED", Closure::Negative),
    ] {
        let (_dir, run) = build_reported_run();
        let head = hex(&replay_with_report(&run).replay.head);
        let rules = RuleSet::without_policies().unwrap();
        let (mut session, _) = Session::create(&run.review(), rules, TIME).unwrap();
        let text = format!(
            "{{\"by\":null,\"cycle\":{ACTED},\"judgement\":\"{judgement}\",\"run\":\"{head}\",\"time\":{TIME}}}"
        );
        let call = OracleCall {
            oracle_id: "reviewer".to_owned(),
            model_id: "X0L:REVIEW:v1".to_owned(),
            params: Params::NULL,
            input: CanonicalInput::new(b"", InputKind::Text).unwrap(),
        };
        let reply = OracleReply::Answer(text.as_bytes());
        session.observe(&call, reply).unwrap();
        drop(session);
        let report = write_report(&run).unwrap();
        assert_eq!(messages(&report.replay.findings), [""; 0]);
        assert_eq!(report.closure, closure);
        // A judgement of today may follow, by whoever says why.
        let report = judge(&run, Judgement::Dismissed, "E.");
        assert_eq!(messages(&report.replay.findings), [""; 0]);
        let closures = [Closure::PendingReview, Closure::Pilot];
        let after = if closure == closures[0] {
            closures[1]
        } else {
            closure
        };
        assert_eq!(report.closure, after);
    }
}
