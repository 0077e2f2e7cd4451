//! Runs replay, whole or in part, and each difference is named.

use std::fs;

use axilog::hash::sha256;
use axilog_ledger::encoding::hex;
use axilog_x0l::document::to_line;
use axilog_x0l::kernel::KernelObservation;
use axilog_x0l::log::{Condition, FrozenAttempt, RunDirectory};
use axilog_x0l::replay::ReplayFinding;
use axilog_x0l::report::{RunReport, build_report, check_report, write_report};
use serde_json::Value;
use tempfile::TempDir;

use crate::built_session::{BuiltSession, RunEnd};
use crate::model_answers::{ModelAnswer, answer_in_every_way, answer_text};
use crate::run_builder::{CYCLES, build_run, build_session};

/// Builds a run of every condition, with its report.
pub fn build_reported_run(end: RunEnd) -> (TempDir, RunDirectory) {
    let dir = tempfile::tempdir().unwrap();
    build_run(
        dir.path(),
        &Condition::ALL,
        CYCLES,
        &answer_in_every_way,
        end,
    );
    let run = RunDirectory::open(dir.path()).unwrap();
    write_report(&run).unwrap();
    (dir, run)
}

pub fn replay_with_report(run: &RunDirectory) -> RunReport {
    let mut report = build_report(run).unwrap();
    check_report(run, &mut report).unwrap();
    report
}

pub fn messages(findings: &[ReplayFinding]) -> Vec<String> {
    findings.iter().map(ToString::to_string).collect()
}

#[test]
fn a_whole_run_replays() {
    let (_dir, run) = build_reported_run(RunEnd::Complete);
    let replay = replay_with_report(&run).replay;
    assert_eq!(messages(&replay.findings), [""; 0]);
    assert_eq!(replay.notes, [""; 0]);
    assert_eq!((replay.cycles, replay.ended), (5 * CYCLES, true));
    assert!(
        replay
            .conditions
            .values()
            .all(|counts| *counts == (CYCLES, 0))
    );
}

/// A run that claims to be an attempt under a plan with other settings, or leaves attempts out, does not replay.
#[test]
fn a_place_among_attempts_that_cannot_be_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let place = FrozenAttempt {
        attempt: 3,
        earlier: Vec::new(),
        planned: Some(1_700_000_000),
        subject: [7; 32],
    };
    let session = BuiltSession {
        plan: Some(place),
        ..BuiltSession::default()
    };
    let (path, model) = (dir.path(), &answer_in_every_way);
    build_session(session, path, &[Condition::A], 1, model, RunEnd::Complete);
    let run = RunDirectory::open(path).unwrap();
    let findings = build_report(&run).unwrap().replay.findings;
    let fields: Vec<&str> = findings.iter().map(|it| it.field.as_str()).collect();
    assert_eq!(fields, ["frozen.plan.subject", "frozen.plan.attempt"]);
}

/// Q52c: a provider's seed in the metadata is in no call, and the run replays.
#[test]
fn a_providers_seed_is_metadata_only() {
    let (_dir, run) = build_reported_run(RunEnd::Complete);
    assert_eq!(run.read_metadata().unwrap().frozen.seed, Some(7));
    assert!(replay_with_report(&run).replay.is_good());
}

/// A run of other code, or of a build whose source hashes were made otherwise: what was decided is recomputed all the
/// same. The ledger binds the hashes, so that those which are changed afterwards are found there.
#[test]
fn other_hashes_of_the_code_are_notes() {
    let (_dir, run) = build_reported_run(RunEnd::Complete);
    let mut metadata = run.read_metadata().unwrap();
    metadata.frozen.canonicalizer.source_hash = sha256(b"the text of the source files");
    run.write_metadata(&metadata).unwrap();
    let replay = build_report(&run).unwrap().replay;
    let findings = messages(&replay.findings);
    assert!(
        !findings
            .iter()
            .any(|finding| finding.starts_with("cycles.jsonl")),
        "{findings:?}"
    );
    assert!(
        findings[0].starts_with("ledger.jsonl: record 5: "),
        "{findings:?}"
    );
    let note = format!(
        "the run was written by axilog {} with another canonicalizer (source hash {}) than this program's (",
        env!("CARGO_PKG_VERSION"),
        hex(&metadata.frozen.canonicalizer.source_hash)
    );
    assert!(replay.notes[0].starts_with(&note), "{:?}", replay.notes);
    assert_eq!(replay.notes.len(), 1);
}

#[test]
fn what_was_interrupted_or_killed_replays_as_far_as_it_goes() {
    for most in [0, 1, 9, 30] {
        let (_dir, run) = build_reported_run(RunEnd::Interrupted(most));
        let replay = replay_with_report(&run).replay;
        // A run that was interrupted after its last cycle was complete.
        let late = most == 30;
        assert_eq!(replay.is_good(), !late, "{:?}", messages(&replay.findings));
        assert_eq!((replay.cycles, replay.ended), (most, true));

        let (_dir, run) = build_reported_run(RunEnd::Killed(most));
        let replay = replay_with_report(&run).replay;
        assert_eq!(messages(&replay.findings), [""; 0]);
        assert_eq!((replay.cycles, replay.ended), (most, false));
        assert!(replay.notes[0].contains("no outcome"), "{:?}", replay.notes);
    }
}

/// Torn lines that an interruption leaves are notes, and no findings.
#[test]
fn torn_lines_of_a_killed_run_are_named() {
    let (_dir, run) = build_reported_run(RunEnd::Killed(9));
    for path in [run.cycles(), run.ledger()] {
        let mut bytes = fs::read(&path).unwrap();
        let torn = bytes.len() / 2;
        let last = bytes
            .iter()
            .take(bytes.len() - 1)
            .rposition(|b| *b == b'\n')
            .unwrap();
        bytes.extend_from_within(last + 1..torn.max(last + 40));
        fs::write(&path, bytes).unwrap();
    }
    let replay = replay_with_report(&run).replay;
    let notes = replay.notes.join("\n");
    assert_eq!(messages(&replay.findings), [""; 0]);
    assert!(
        notes.contains("cycles.jsonl:10: the last line is torn"),
        "{notes}"
    );
    assert!(notes.contains("TORN"), "{notes}");
}

/// The interruption excuses missing files, but no difference in existing ones.
#[test]
fn a_report_whose_writing_was_interrupted_is_compared_as_far_as_it_goes() {
    let (_dir, run) = build_reported_run(RunEnd::Complete);
    let path = |name: &str| run.path().join(name);
    fs::rename(path("report.json"), path("report.json.tmp")).unwrap();
    fs::write(path("tokens.svg.tmp"), "<svg").unwrap();
    let replay = replay_with_report(&run).replay;
    assert_eq!(messages(&replay.findings), [""; 0]);
    assert!(
        replay.notes[0].contains("was interrupted"),
        "{:?}",
        replay.notes
    );
    let page = fs::read_to_string(path("report.md")).unwrap();
    fs::write(
        path("report.md"),
        page.replacen("# X-0L: ", "# X-0L: NOT ", 1),
    )
    .unwrap();
    let findings = replay_with_report(&run).replay.findings;
    assert!(findings.iter().all(|found| found.file == "report.md"));
    assert_eq!(findings.len(), 1);
    write_report(&run).unwrap();
    assert_eq!(messages(&replay_with_report(&run).replay.findings), [""; 0]);
}

/// Each field of a cycle, altered in the log, is named with its cycle, even in a run that was killed, whose
/// ledger does not hold the whole log's hash.
#[test]
fn every_recorded_field_is_compared() {
    let is_wide = std::env::var_os("AXILOG_WIDE").is_some();
    let (step, least) = if is_wide { (1, 540) } else { (6, 90) };
    let (_dir, run) = build_reported_run(RunEnd::Killed(30));
    let log = fs::read_to_string(run.cycles()).unwrap();
    let lines: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let mut seen = 0;
    for (n, cycle) in lines.iter().enumerate().step_by(step) {
        for (name, value) in cycle.as_object().unwrap() {
            let Some(other) = other_value(name, value) else {
                continue;
            };
            let mut altered = lines.clone();
            altered[n][name] = other;
            let bytes: Vec<u8> = altered.iter().flat_map(to_line).collect();
            fs::write(run.cycles(), bytes).unwrap();
            let findings = messages(&replay_with_report(&run).replay.findings);
            let start = format!("cycles.jsonl:{}: ", n + 1);
            assert!(
                findings.iter().any(|finding| finding.starts_with(&start)),
                "{name} of {n}: {findings:?}"
            );
            seen += 1;
        }
    }
    assert!(seen > least, "{seen}");
}

/// Q48b, Q58: a call that the budgets did not allow is named, and so are budgets that are not the
/// constitution's.
#[test]
fn what_the_budgets_did_not_allow_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let costly = |_, _, _: &[KernelObservation]| ModelAnswer {
        tokens: (900, 60_000),
        ..answer_text("No.")
    };
    build_run(
        dir.path(),
        &[Condition::A],
        CYCLES,
        &costly,
        RunEnd::Complete,
    );
    let run = RunDirectory::open(dir.path()).unwrap();
    let findings = messages(&replay_with_report(&run).replay.findings);
    let named = |n: u64| {
        format!(
            "cycles.jsonl:{n}: cycle {n} (L-A {n}): ledger_seq: found a call, expected none: B1 or B2 did not allow it"
        )
    };
    let budgets: Vec<&String> = findings
        .iter()
        .filter(|finding| finding.contains(": ledger_seq: "))
        .collect();
    assert_eq!(budgets, [4, 5, 6].map(named).iter().collect::<Vec<_>>());
    // No answer can have so many tokens.
    let usage = "cycles.jsonl:1: cycle 1 (L-A 1): prompt_tokens: found the oracle reports 60000 tokens for the answer, which has 1 to 8192: ";
    assert!(findings[0].starts_with(usage), "{findings:?}");

    let (_dir, run) = build_reported_run(RunEnd::Killed(1));
    let metadata = fs::read_to_string(run.metadata()).unwrap();
    fs::write(
        run.metadata(),
        metadata.replace("\"b1\":6000", "\"b1\":6001"),
    )
    .unwrap();
    let findings = messages(&replay_with_report(&run).replay.findings);
    let limit =
        "session_metadata.json: frozen.b1: found 6001, expected 6000, the constitution's limit";
    assert!(
        findings.iter().any(|message| message == limit),
        "{findings:?}"
    );
}

/// Two conditions may share a file, but two files may not share a name.
#[test]
fn every_hash_of_an_input_is_compared() {
    let (_dir, run) = build_reported_run(RunEnd::Killed(1));
    let mut metadata = run.read_metadata().unwrap();
    let [a, .., e] = metadata.frozen.conditions.as_mut_slice() else {
        panic!("five conditions")
    };
    e.tasks.name.clone_from(&a.tasks.name);
    run.write_metadata(&metadata).unwrap();
    let findings = messages(&replay_with_report(&run).replay.findings);
    let hash = "inputs/L-A.toml: its SHA-256: found ";
    assert!(
        findings.iter().any(|message| message.starts_with(hash)),
        "{findings:?}"
    );
}

/// A log with the largest numbers is compared and reported on like any other.
#[test]
fn numbers_may_be_as_large_as_they_can_be() {
    let (_dir, run) = build_reported_run(RunEnd::Killed(30));
    let log = fs::read_to_string(run.cycles()).unwrap();
    let mut lines: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    for cycle in &mut lines {
        for value in cycle.as_object_mut().unwrap().values_mut() {
            if value.is_u64() {
                *value = u64::MAX.into();
            }
        }
    }
    let bytes: Vec<u8> = lines.iter().flat_map(to_line).collect();
    fs::write(run.cycles(), bytes).unwrap();
    let report = write_report(&run).unwrap();
    let named = |finding: &&ReplayFinding| finding.field == "cycle";
    assert_eq!(report.replay.findings.iter().filter(named).count(), 30);
}

/// A field that the model's answer does not have is named, and so is a missing one.
#[test]
fn fields_of_an_action_that_are_too_many_or_missing_are_named() {
    let (_dir, run) = build_reported_run(RunEnd::Killed(1));
    let log = fs::read_to_string(run.cycles()).unwrap();
    let logged: Value = serde_json::from_str(&log).unwrap();
    for (name, value, message) in [
        ("urgent", Some(Value::Null), "found null, expected nothing"),
        ("urgent", Some(true.into()), "found true, expected nothing"),
        ("to", None, "found nothing, expected \"operator\""),
    ] {
        let mut altered = logged.clone();
        let fields = &mut altered["candidates"][0]["action_request"]["fields"];
        let fields = fields.as_object_mut().unwrap();
        match value {
            Some(value) => fields.insert(name.to_owned(), value),
            None => fields.remove(name),
        };
        fs::write(run.cycles(), to_line(&altered)).unwrap();
        let findings = messages(&replay_with_report(&run).replay.findings);
        let finding = format!("candidates[0].action_request.fields.{name}: {message}");
        assert!(
            findings.iter().any(|message| message.ends_with(&finding)),
            "{findings:?}"
        );
    }
}

/// Another value of the same type that the field may have, if there is one.
fn other_value(name: &str, value: &Value) -> Option<Value> {
    Some(match (name, value) {
        ("refusal_type", Value::Null) => "II".into(),
        ("refusal_type", value) => if value == "II" { "I" } else { "II" }.into(),
        ("condition", value) => if value == "L-A" { "L-B" } else { "L-A" }.into(),
        ("canonicalization", value) => if value == "OK" { "NO_JSON" } else { "OK" }.into(),
        ("rejection_reason" | "lc_outcome", value) => {
            let names = if name == "lc_outcome" {
                ["LLM_REFUSED", "KERNEL_REJECTED"]
            } else {
                ["NO_JSON", "PARSE_ERROR"]
            };
            names.into_iter().find(|name| value != name)?.into()
        }
        (_, Value::Bool(it)) => (!it).into(),
        (_, Value::Number(n)) => (n.as_u64()? + 1).into(),
        (_, Value::String(text)) if text.len() == 64 => {
            let digit = if text.starts_with('0') { "1" } else { "0" };
            format!("{digit}{}", &text[1..]).into()
        }
        (_, Value::String(text)) => format!("{text} ").into(),
        (_, Value::Array(items)) => {
            let mut items = items.clone();
            items.pop()?;
            items.into()
        }
        ("permutations", Value::Object(_)) => {
            let mut value = value.clone();
            value["tried"] = 1.into();
            value
        }
        ("decision", Value::Object(_)) => {
            let mut value = value.clone();
            value["id"] = "00".repeat(32).into();
            value
        }
        _ => return None,
    })
}

/// A line that cannot be read does not make the lines after it wrong.
#[test]
fn an_unreadable_line_spoils_no_other() {
    let (_dir, run) = build_reported_run(RunEnd::Killed(30));
    let log = fs::read_to_string(run.cycles()).unwrap();
    let lines: Vec<&str> = log.split_inclusive('\n').collect();
    for n in [0, 2, 11, 12] {
        let mut altered = lines.clone();
        altered[n] = "{}\n";
        fs::write(run.cycles(), altered.concat()).unwrap();
        let findings = replay_with_report(&run).replay.findings;
        let lines: Vec<u64> = findings.iter().filter_map(|finding| finding.line).collect();
        // The state before the next cycle is unknown.
        let is_near = |line: &u64| (n as u64 + 1..=n as u64 + 2).contains(line);
        assert!(lines.contains(&(n as u64 + 1)), "{:?}", messages(&findings));
        assert!(lines.iter().all(is_near), "{:?}", messages(&findings));
        let call = |finding: &ReplayFinding| finding.expected == "none without a cycle";
        assert_eq!(findings.iter().filter(|f| call(f)).count(), 1);
    }
}
