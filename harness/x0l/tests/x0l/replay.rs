//! Runs replay, whole or in part, and say what they are.

use std::fs;

use axilog_x0l::document::to_line;
use axilog_x0l::kernel::Observation;
use axilog_x0l::log::{Condition, RunDirectory};
use axilog_x0l::replay::Finding;
use axilog_x0l::report::{self, Made};
use serde_json::Value;
use tempfile::TempDir;

use crate::made::{self, CYCLES, End, Said, mixed, said};

/// A run of every condition with its report.
pub fn reported(end: End) -> (TempDir, RunDirectory) {
    let dir = tempfile::tempdir().unwrap();
    made::run(dir.path(), &Condition::ALL, CYCLES, &mixed, end);
    let run = RunDirectory::open(dir.path()).unwrap();
    report::write(&run).unwrap();
    (dir, run)
}

pub fn replayed(run: &RunDirectory) -> Made {
    let mut made = report::make(run).unwrap();
    report::check(run, &mut made).unwrap();
    made
}

pub fn told(findings: &[Finding]) -> Vec<String> {
    findings.iter().map(ToString::to_string).collect()
}

#[test]
fn a_whole_run_replays() {
    let (_dir, run) = reported(End::Complete);
    let replay = replayed(&run).replay;
    assert_eq!(told(&replay.findings), [""; 0]);
    assert_eq!(replay.notes, [""; 0]);
    assert_eq!((replay.cycles, replay.ended), (5 * CYCLES, true));
    assert!(
        replay
            .conditions
            .values()
            .all(|counts| *counts == (CYCLES, 0))
    );
}

/// Q52c: it is recorded, no call has it, and the run replays.
#[test]
fn a_providers_seed_is_metadata_only() {
    let (_dir, run) = reported(End::Complete);
    assert_eq!(run.read_metadata().unwrap().frozen.seed, Some(7));
    assert_eq!(told(&replayed(&run).replay.findings), [""; 0]);
}

#[test]
fn what_was_interrupted_or_killed_replays_as_far_as_it_goes() {
    for most in [0, 1, 9, 30] {
        let (_dir, run) = reported(End::Interrupted(most));
        let replay = replayed(&run).replay;
        // One that was interrupted behind its last cycle was complete.
        let late = most == 30;
        assert_eq!(replay.is_good(), !late, "{:?}", told(&replay.findings));
        assert_eq!((replay.cycles, replay.ended), (most, true));

        let (_dir, run) = reported(End::Killed(most));
        let replay = replayed(&run).replay;
        assert_eq!(told(&replay.findings), [""; 0]);
        assert_eq!((replay.cycles, replay.ended), (most, false));
        assert!(replay.notes[0].contains("no outcome"), "{:?}", replay.notes);
    }
}

/// Lines that an interruption leaves behind are named, and are no fault of the rest.
#[test]
fn torn_lines_of_a_killed_run_are_named() {
    let (_dir, run) = reported(End::Killed(9));
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
    let replay = replayed(&run).replay;
    let notes = replay.notes.join("\n");
    assert_eq!(told(&replay.findings), [""; 0]);
    assert!(
        notes.contains("cycles.jsonl:10: the last line is torn"),
        "{notes}"
    );
    assert!(notes.contains("TORN"), "{notes}");
}

/// It excuses the files that are not there yet, and no other bytes in those that are.
#[test]
fn a_report_whose_writing_was_interrupted_is_compared_as_far_as_it_goes() {
    let (_dir, run) = reported(End::Complete);
    let path = |name: &str| run.path().join(name);
    fs::rename(path("report.json"), path("report.json.tmp")).unwrap();
    fs::write(path("tokens.svg.tmp"), "<svg").unwrap();
    let replay = replayed(&run).replay;
    assert_eq!(told(&replay.findings), [""; 0]);
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
    let findings = replayed(&run).replay.findings;
    assert!(findings.iter().all(|found| found.file == "report.md"));
    assert_eq!(findings.len(), 1);
    report::write(&run).unwrap();
    assert_eq!(told(&replayed(&run).replay.findings), [""; 0]);
}

/// Each field of a cycle that is made again, altered in the log: named with its cycle, even though
/// nothing else holds the log fast in a run that was killed.
#[test]
fn every_field_that_is_made_again_is_compared() {
    let (_dir, run) = reported(End::Killed(30));
    let log = fs::read_to_string(run.cycles()).unwrap();
    let lines: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let given = [
        "latency_ms",
        "answered_by",
        "finish_reason",
        "prompt_tokens",
        "completion_tokens",
    ];
    let mut seen = 0;
    for (n, cycle) in lines.iter().enumerate().step_by(3) {
        for (name, value) in cycle.as_object().unwrap() {
            // Nothing but the log has these; the tokens together are in the observations.
            if given.contains(&name.as_str()) && !name.ends_with("_tokens") {
                continue;
            }
            let Some(other) = other(name, value) else {
                continue;
            };
            let mut altered = lines.clone();
            altered[n][name] = other;
            let bytes: Vec<u8> = altered.iter().flat_map(to_line).collect();
            fs::write(run.cycles(), bytes).unwrap();
            let findings = told(&replayed(&run).replay.findings);
            let place = format!("cycles.jsonl:{}: ", n + 1);
            assert!(
                findings.iter().any(|finding| finding.starts_with(&place)),
                "{name} of {n}: {findings:?}"
            );
            seen += 1;
        }
    }
    assert!(seen > 180, "{seen}");
}

/// Q48b, Q58: a call that the budgets did not allow is named, and so are budgets that are not the
/// constitution's.
#[test]
fn what_the_budgets_did_not_allow_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let costly = |_, _, _: &[Observation]| Said {
        tokens: (900, 60_000),
        ..said("No.")
    };
    made::run(dir.path(), &[Condition::A], CYCLES, &costly, End::Complete);
    let run = RunDirectory::open(dir.path()).unwrap();
    let findings = told(&replayed(&run).replay.findings);
    let named = |n: u64| {
        format!(
            "cycles.jsonl:{n}: cycle {n} (L-A {n}): ledger_seq: found a call, expected none: B1 or B2 did not allow it"
        )
    };
    assert_eq!(findings, [4, 5, 6].map(named));

    let (_dir, run) = reported(End::Killed(1));
    let metadata = fs::read_to_string(run.metadata()).unwrap();
    fs::write(
        run.metadata(),
        metadata.replace("\"b1\":6000", "\"b1\":6001"),
    )
    .unwrap();
    let findings = told(&replayed(&run).replay.findings);
    let limit =
        "session_metadata.json: frozen.b1: found 6001, expected 6000, the constitution's limit";
    assert!(findings.iter().any(|one| one == limit), "{findings:?}");
}

/// Two conditions may have one file, and not one name for two.
#[test]
fn every_hash_of_an_input_is_compared() {
    let (_dir, run) = reported(End::Killed(1));
    let mut metadata = run.read_metadata().unwrap();
    let [a, .., e] = metadata.frozen.conditions.as_mut_slice() else {
        panic!("five conditions")
    };
    e.tasks.name.clone_from(&a.tasks.name);
    run.write_metadata(&metadata).unwrap();
    let findings = told(&replayed(&run).replay.findings);
    let hash = "inputs/L-A.toml: its SHA-256: found ";
    assert!(
        findings.iter().any(|one| one.starts_with(hash)),
        "{findings:?}"
    );
}

/// Whatever numbers a log has, they are compared and reported on.
#[test]
fn numbers_may_be_as_large_as_they_can_be() {
    let (_dir, run) = reported(End::Killed(30));
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
    let made = report::write(&run).unwrap();
    let named = |finding: &&Finding| finding.field == "cycle";
    assert_eq!(made.replay.findings.iter().filter(named).count(), 30);
}

/// What the model never said is named, also where it said nothing in that place.
#[test]
fn fields_of_an_action_that_are_too_many_or_missing_are_named() {
    let (_dir, run) = reported(End::Killed(1));
    let log = fs::read_to_string(run.cycles()).unwrap();
    let logged: Value = serde_json::from_str(&log).unwrap();
    for (name, value, told) in [
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
        let findings = self::told(&replayed(&run).replay.findings);
        let finding = format!("candidates[0].action_request.fields.{name}: {told}");
        assert!(
            findings.iter().any(|one| one.ends_with(&finding)),
            "{findings:?}"
        );
    }
}

/// Something else of the same type, where that is a value the field may have.
fn other(name: &str, value: &Value) -> Option<Value> {
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

/// One line that cannot be read, or is missing, does not make those behind it wrong.
#[test]
fn what_is_wrong_stays_where_it_is() {
    let (_dir, run) = reported(End::Killed(30));
    let log = fs::read_to_string(run.cycles()).unwrap();
    let lines: Vec<&str> = log.split_inclusive('\n').collect();
    for n in [0, 2, 11, 12] {
        let mut altered = lines.clone();
        altered[n] = "{}\n";
        fs::write(run.cycles(), altered.concat()).unwrap();
        let findings = replayed(&run).replay.findings;
        let lines: Vec<u64> = findings.iter().filter_map(|finding| finding.line).collect();
        // The next cycle goes on from a state that nobody knows.
        let near = |line: &u64| (n as u64 + 1..=n as u64 + 2).contains(line);
        assert!(lines.contains(&(n as u64 + 1)), "{:?}", told(&findings));
        assert!(lines.iter().all(near), "{:?}", told(&findings));
        let call = |finding: &Finding| finding.expected == "none without a cycle";
        assert_eq!(findings.iter().filter(|f| call(f)).count(), 1);
    }
}
