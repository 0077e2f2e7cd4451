//! Plans that are committed first, and the count of the attempts under them and of the corrections of a run.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use axilog_oracle::{Oracle, ScriptedOracle};
use axilog_x0l::X0lError;
use axilog_x0l::condition::Condition;
use axilog_x0l::live::{
    CommittedPlan, ProgressListener, SessionPlan, SessionProgress, SessionSettings, run_session,
};
use axilog_x0l::log::{AttemptLog, RunDirectory, SessionStatus};
use axilog_x0l::report::{build_report, write_report};
use axilog_x0l::review::{AttemptSighting, record_sighting};
use axilog_x0l::template::BASE;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::session_directory::{STARTED, SessionDirectory, settings};

const A: &[Condition] = &[Condition::A];

/// A script that answers the calibration, and every task with no candidate.
const SCRIPT: &str = r#"{"answer":"{\"candidates\":[]}","usage":{"prompt_tokens":700,"completion_tokens":5}}
"#;
const CALIBRATION: &str = r#"{"contains":"Answer with this object","answer":"{}","usage":{"prompt_tokens":40,"completion_tokens":2}}
"#;

fn script() -> String {
    format!("{CALIBRATION}{SCRIPT}")
}

struct Planned {
    dir: TempDir,
}

impl Planned {
    fn new() -> Planned {
        let dir = tempfile::tempdir().unwrap();
        let plan = SessionPlan::read(settings(A, 2)).unwrap();
        CommittedPlan::commit(&dir.path().join("plan"), &plan.frozen, STARTED).unwrap();
        Planned { dir }
    }

    fn path(&self) -> PathBuf {
        self.dir.path().join("plan")
    }

    fn attempts(&self) -> PathBuf {
        self.path().join(CommittedPlan::ATTEMPTS)
    }

    fn settings(&self) -> SessionSettings {
        SessionSettings {
            plan: Some(self.path()),
            ..settings(A, 2)
        }
    }

    fn run(&self, script: &str) -> SessionDirectory {
        let directory = SessionDirectory::new();
        directory.run_script(self.settings(), script).unwrap();
        directory
    }

    fn refusal(&self) -> String {
        SessionPlan::read(self.settings()).unwrap_err().to_string()
    }

    fn hash(&self) -> String {
        let plan = CommittedPlan::read(&self.path()).unwrap();
        plan.hash()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect()
    }

    /// Records in the review of a run what is known of the attempts now.
    fn see(&self, run: &RunDirectory) -> Result<(), (String, String)> {
        let plan = CommittedPlan::read(&self.path()).unwrap();
        see(run, *plan.hash(), plan.attempts().unwrap())
    }
}

fn see(
    run: &RunDirectory,
    subject: [u8; 32],
    attempts: Vec<axilog_x0l::log::Attempt>,
) -> Result<(), (String, String)> {
    let replay = build_report(run).unwrap().replay;
    let sighting = AttemptSighting {
        attempts,
        run: replay.head,
        subject,
        time: STARTED + 9,
    };
    sighting.check(&replay.metadata.unwrap().frozen, &replay.head)?;
    record_sighting(run, &sighting).unwrap();
    write_report(run).unwrap();
    Ok(())
}

fn open(directory: &SessionDirectory) -> RunDirectory {
    RunDirectory::open(&directory.out()).unwrap()
}

fn report(directory: &SessionDirectory) -> (Value, String) {
    let read = |name: &str| fs::read_to_string(directory.out().join(name)).unwrap();
    let json = serde_json::from_str(&read("report.json")).unwrap();
    (json, read("report.md"))
}

/// A listener in which the program dies.
struct Killer;

impl ProgressListener for Killer {
    fn on_calibration_call(&mut self, _: usize) {}
    fn on_cycle(&mut self, _: &SessionProgress<'_>) {
        panic!("killed");
    }
    fn should_stop(&self) -> bool {
        false
    }
}

/// Each attempt is counted before anything is asked: one that came to its end, one that was killed, one that was aborted.
/// The report of the last names them all.
#[test]
fn the_report_names_every_attempt_under_the_plan() {
    let planned = Planned::new();
    let first = planned.run(&script());
    let killed = SessionDirectory::new();
    let path = killed.write("script.jsonl", &script());
    let mut endpoint = Oracle::Scripted(ScriptedOracle::open(&path).unwrap());
    let plan = SessionPlan::read(planned.settings()).unwrap();
    let run = || run_session(&plan, &mut endpoint, &killed.out(), &mut Killer).map(|_| ());
    assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
    let without_usage = format!("{CALIBRATION}{{\"answer\":\"{{}}\"}}\n");
    let aborted = planned.run(&without_usage);
    assert_eq!(
        aborted.metadata().outcome.unwrap().status,
        SessionStatus::Aborted
    );
    let last = planned.run(&script());
    let (json, page) = report(&last);
    let found = &json["plan"];
    assert_eq!(
        (&found["attempt"], &found["attempts"]),
        (&json!(4), &json!(4))
    );
    assert_eq!(found["subject"], planned.hash());
    let ends = found["others"].as_array().unwrap().iter();
    let ends: Vec<&Value> = ends.map(|other| &other["status"]).collect();
    assert_eq!(ends, [&json!("COMPLETE"), &Value::Null, &json!("ABORTED")]);
    let text = format!(
        "| plan | attempt 4 of 4 under plan {}; the others: 1 (COMPLETE), 2 (no end is known), 3 (ABORTED)",
        planned.hash()
    );
    assert!(page.contains(&text), "{page}");

    // The first one knew of no other. Counted anew, its report names those that came later, and stays with that.
    let (json, page) = report(&first);
    assert_eq!(json["plan"]["attempts"], 1);
    assert!(page.contains("attempt 1 of 1") && page.contains("there is no other"));
    let run = open(&first);
    planned.see(&run).unwrap();
    let (json, page) = report(&first);
    assert_eq!(
        (&json["plan"]["attempt"], &json["plan"]["attempts"]),
        (&json!(1), &json!(4))
    );
    assert!(
        page.contains("attempt 1 of 4") && page.contains("4 (COMPLETE)"),
        "{page}"
    );
    for name in ["review.jsonl", "review.jsonl.blobs"] {
        let path = first.out().join(name);
        let _ = fs::remove_file(&path);
        let _ = fs::remove_dir_all(&path);
    }
    assert!(!build_report(&run).unwrap().replay.conflicts.is_empty());
}

/// What differs from the plan is refused by name, and no attempt.
#[test]
fn a_session_that_differs_from_its_plan_is_refused() {
    let planned = Planned::new();
    type Change = fn(&mut SessionSettings);
    let changes: [(Change, &str); 5] = [
        (
            |s| s.order_seed = 1,
            "conditions[0].order_seed: found 1, planned 0",
        ),
        (
            |s| s.model = "other".to_owned(),
            "model: found \"other\", planned \"model-1\"",
        ),
        (|s| s.b2 = 9, "b2: found 9, planned 10000000"),
        (|s| s.cycles = 3, "cycles: found 3, planned 2"),
        (
            |s| s.conditions.push(Condition::C),
            "conditions: found 2 items, planned 1 items",
        ),
    ];
    for (change, message) in changes {
        let mut settings = planned.settings();
        change(&mut settings);
        let error = SessionPlan::read(settings).unwrap_err().to_string();
        assert!(
            error.contains("differs from the plan") && error.contains(message),
            "{error}"
        );
    }
    // The time is each attempt's own.
    let mut later = planned.settings();
    later.started += 1000;
    assert!(SessionPlan::read(later).is_ok());
    let plan = CommittedPlan::read(&planned.path()).unwrap();
    assert_eq!(plan.attempts().unwrap(), []);
    // A plan is committed once.
    let frozen = SessionPlan::read(settings(A, 2)).unwrap().frozen;
    let again = CommittedPlan::commit(&planned.path(), &frozen, STARTED);
    assert!(matches!(again, Err(X0lError::NotEmpty(_))));
}

#[test]
fn attempts_that_were_removed_or_changed_are_named() {
    let planned = Planned::new();
    planned.run(&script());
    let second = planned.run(&script());
    let path = planned.attempts();
    let whole = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    assert_eq!(lines.len(), 5);
    let without = |n: usize| {
        let mut lines = lines.clone();
        lines.remove(n);
        lines.concat()
    };
    for (text, message) in [
        (without(0), "attempts.jsonl:1: "),
        (without(1), "attempts.jsonl:2: previous: "),
        (without(3), "attempts.jsonl:4: previous: "),
        (
            whole.replacen("COMPLETE", "ABORTED", 1),
            "attempts.jsonl:4: previous: ",
        ),
        (
            whole.replacen("\"time\":18", "\"time\":17", 1),
            "attempts.jsonl:2: previous: ",
        ),
        (String::new(), "attempts.jsonl:1: found no whole line"),
    ] {
        fs::write(&path, text).unwrap();
        let error = planned.refusal();
        assert!(error.contains(message), "{error}");
    }
    // The file of another plan has another subject.
    let other = Planned::new();
    let plan = other.path().join(CommittedPlan::PLAN);
    let text = fs::read_to_string(&plan).unwrap();
    fs::write(&plan, text.replace("\"planned\":18", "\"planned\":17")).unwrap();
    assert!(other.refusal().contains("attempts.jsonl:1: subject: "));
    fs::write(&path, &whole).unwrap();
    fs::remove_file(&path).unwrap();
    assert!(
        planned
            .refusal()
            .contains("who removed it has removed their count")
    );

    // Cut off, the file looks like one of fewer attempts. A run that knows of more says so.
    fs::write(&path, lines[..3].concat()).unwrap();
    let (found, expected) = planned.see(&open(&second)).unwrap_err();
    assert_eq!(found, "attempt 2: nothing");
    assert!(expected.contains("this session"));
    // Written anew it has another chain, and the first attempt is not the one that the second has known.
    fs::remove_file(&path).unwrap();
    let hash = *CommittedPlan::read(&{
        AttemptLog::new(path.clone(), hash_of(&planned))
            .open(STARTED)
            .unwrap();
        planned.path()
    })
    .unwrap()
    .hash();
    let log = AttemptLog::new(path, hash);
    for started in [STARTED + 1, STARTED] {
        log.begin(None, started).unwrap();
    }
    let (found, _) = planned.see(&open(&second)).unwrap_err();
    assert!(found.starts_with("attempt 1: "), "{found}");
}

fn hash_of(planned: &Planned) -> [u8; 32] {
    axilog::hash::sha256(&fs::read(planned.path().join(CommittedPlan::PLAN)).unwrap())
}

/// A line that a killed process did not write whole counts for nothing, and is cut off by the next attempt.
#[test]
fn a_torn_line_of_attempts_counts_for_nothing() {
    let planned = Planned::new();
    let path = planned.attempts();
    let whole = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{whole}{{\"attempt\":1,")).unwrap();
    planned.run(&script());
    let plan = CommittedPlan::read(&planned.path()).unwrap();
    let attempts = plan.attempts().unwrap();
    assert_eq!(attempts.len(), 1);
    assert_eq!(attempts[0].status, Some(SessionStatus::Complete));
}

fn corrected(first: &Path, directory: &SessionDirectory, erratum: &str) -> SessionSettings {
    let mut settings = settings(A, 2);
    settings.erratum = Some(directory.write("e.txt", erratum));
    settings.corrects = Some(first.to_owned());
    settings
}

/// Two errata that correct one run are named in the reports of both.
#[test]
fn two_errata_that_correct_one_run_are_named_in_both() {
    let first = SessionDirectory::new();
    first.run_script(settings(A, 2), &script()).unwrap();
    let mut errata = Vec::new();
    let [second, third] = ["what", "about"].map(|name| {
        let directory = SessionDirectory::new();
        let erratum = BASE.replace("\"claim\"", &format!("\"{name}\""));
        let settings = corrected(&first.out(), &directory, &erratum);
        directory.run_script(settings, &script()).unwrap();
        let erratum = directory.metadata().frozen.erratum.unwrap();
        errata.push(
            erratum
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect::<String>(),
        );
        directory
    });
    let head = second.metadata().frozen.corrects.unwrap();
    let log = AttemptLog::new(first.out().join(RunDirectory::CORRECTIONS), head);
    see(&open(&second), head, log.read().unwrap()).unwrap();
    for (directory, own) in [(&second, 0), (&third, 1)] {
        let (json, page) = report(directory);
        let found = &json["correction"];
        assert_eq!(
            (&found["attempt"], &found["attempts"]),
            (&json!(own + 1), &json!(2))
        );
        for erratum in &errata {
            assert!(page.contains(erratum.as_str()), "{page}");
        }
        assert_eq!(found["others"][0]["erratum"], errata[1 - own]);
    }
    // The corrected run replays, with the count of its corrections beside it, unless that was changed.
    let run = open(&first);
    assert!(build_report(&run).unwrap().replay.is_good());
    let path = first.out().join(RunDirectory::CORRECTIONS);
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replacen(&errata[0], &errata[1], 1)).unwrap();
    let findings = build_report(&run).unwrap().replay.findings;
    assert_eq!(
        (findings[0].file.as_str(), findings[0].line),
        (RunDirectory::CORRECTIONS, Some(3))
    );
}
