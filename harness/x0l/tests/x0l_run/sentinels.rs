//! Sentinels: whether the server still has the model that it had, before, between and after the conditions.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use axilog_oracle::OracleKind;
use axilog_testkit::harness::client::client;
use axilog_testkit::harness::server::{Act, Server, costly};
use axilog_x0l::condition::Condition;
use axilog_x0l::log::{RunDirectory, SessionOutcome, SessionStatus};
use axilog_x0l::replay::{RunReplay, replay_run};
use axilog_x0l::report::{Closure, JSON, MARKDOWN, RunReport, build_report};
use serde_json::{Value, json};

use crate::session_directory::{SessionDirectory, settings};

/// Runs a session of two cycles in each of L-A, L-B and L-C with a server whose answer to each sentinel is what
/// `answer` gives for its number, from 1: six before L-A, each sentinel twice, and six after each condition.
fn run_session(
    directory: &SessionDirectory,
    mut answer: impl FnMut(u64) -> Act + Send + 'static,
) -> SessionOutcome {
    let mut asked = 0;
    let server = Server::answering(move |request| {
        let user = request.body["messages"][1]["content"].as_str()?;
        if user.contains("timestamp, ") {
            return Some(Act::Respond(200, costly("{\"candidates\":[]}", 700, 5)));
        }
        if user.contains("Answer with this object") {
            return Some(Act::Respond(200, costly("{\"candidates\":[]}", 40, 5)));
        }
        assert_eq!(request.body["temperature"], 0.0);
        asked += 1;
        Some(answer(asked))
    });
    let conditions = [Condition::A, Condition::B, Condition::C];
    let mut settings = settings(&conditions, 2);
    settings.oracle = OracleKind::OpenAi;
    settings.base_url.clone_from(&server.base_url);
    let mut endpoint = client(&server);
    directory.run(settings, &mut endpoint, u64::MAX).unwrap()
}

/// A steady model's answer to the sentinel `number`.
fn tell(number: u64) -> Act {
    let story = (number - 1) / 2 % 3 + 1;
    Act::Respond(
        200,
        costly(&format!("Story {story} of a keeper and a whale."), 40, 12),
    )
}

/// The answer of another model.
fn tell_otherwise() -> Act {
    Act::Respond(200, costly("A captain had a parrot.", 40, 12))
}

fn report(directory: &SessionDirectory) -> (RunReport, Value, String) {
    let run = RunDirectory::open(&directory.out()).unwrap();
    let report = build_report(&run).unwrap();
    let json = serde_json::from_slice(&report.files[JSON]).unwrap();
    let page = String::from_utf8(report.files[MARKDOWN].clone()).unwrap();
    (report, json, page)
}

fn replay(path: &Path) -> RunReplay {
    replay_run(&RunDirectory::open(path).unwrap(), &mut |_| ()).unwrap()
}

fn messages(replay: &RunReplay) -> Vec<String> {
    replay.findings.iter().map(ToString::to_string).collect()
}

#[test]
fn a_steady_model_shows_no_drift() {
    let directory = SessionDirectory::new();
    // Line ends and white space around an answer are none.
    let outcome = run_session(&directory, |number| match number {
        7 => Act::Respond(200, costly(" Story 1 of a keeper and a whale.\r\n", 40, 12)),
        _ => tell(number),
    });
    assert_eq!(outcome.status, SessionStatus::Complete);
    assert_eq!((outcome.cycles, outcome.tokens_spent), (6, 6 * 705));
    let (report, json, page) = report(&directory);
    let void = report.reasons.iter().find(|it| it.closure == Closure::Void);
    assert_eq!(void, None);
    assert_eq!(
        json["evidence"]["sentinels"],
        json!({ "prompts": 3, "answers": 24, "unsteady": [], "drifts": [] })
    );
    assert!(
        page.contains("| sentinels | 24 answers to 3 prompts; none changed |"),
        "{page}"
    );
    let cycles = directory.cycles();
    assert!(
        cycles
            .iter()
            .all(|cycle| !cycle.raw.as_ref().unwrap().contains("keeper"))
    );
}

/// The conditions during which answers changed are named, with their cycles and sentinels.
#[test]
fn another_model_under_the_same_name_is_drift() {
    type IsChanged = fn(u64) -> bool;
    let cases: [(IsChanged, Value, &str); 3] = [
        // From the sentinels after L-B on.
        (
            |number| number >= 13,
            json!([{ "condition": "L-B", "first_cycle": 3, "last_cycle": 4, "sentinels": [1, 2, 3] }]),
            "sentinels 1, 2, 3 were answered differently before and after L-B (cycles 3 to 4)",
        ),
        // Away and back again: once after L-A alone.
        (
            |number| [9, 10].contains(&number),
            json!([
                { "condition": "L-A", "first_cycle": 1, "last_cycle": 2, "sentinels": [2] },
                { "condition": "L-B", "first_cycle": 3, "last_cycle": 4, "sentinels": [2] },
            ]),
            "sentinel 2 was answered differently before and after L-A (cycles 1 to 2); sentinel 2 was answered differently before and after L-B (cycles 3 to 4)",
        ),
        // The last answers of all.
        (
            |number| number >= 23,
            json!([{ "condition": "L-C", "first_cycle": 5, "last_cycle": 6, "sentinels": [3] }]),
            "sentinel 3 was answered differently before and after L-C (cycles 5 to 6)",
        ),
    ];
    for (changed, drifts, text) in cases {
        let directory = SessionDirectory::new();
        let outcome = run_session(&directory, move |number| match changed(number) {
            true => tell_otherwise(),
            false => tell(number),
        });
        assert_eq!(
            (outcome.status, outcome.cycles),
            (SessionStatus::Complete, 6)
        );
        let (report, json, page) = report(&directory);
        assert_eq!(report.closure, Closure::Void);
        let reason = &report.reasons[0];
        assert_eq!(reason.code, "MODEL_DRIFT_DETECTED");
        assert!(reason.text.contains(text), "{}", reason.text);
        assert_eq!(json["reasons"][0]["code"], "MODEL_DRIFT_DETECTED");
        assert_eq!(json["evidence"]["sentinels"]["drifts"], drifts);
        assert!(page.contains("- `MODEL_DRIFT_DETECTED`: "), "{page}");
    }
}

/// A server that answers one prompt in two ways is not steady: other answers to it are no drift, and the others count.
#[test]
fn an_unsteady_answer_is_no_drift() {
    let directory = SessionDirectory::new();
    run_session(&directory, |number| match number {
        // The second sentinel, once in the third round and always in the fourth; the third one in the fourth.
        16 | 21..=24 => tell_otherwise(),
        _ => tell(number),
    });
    let (report, json, page) = report(&directory);
    assert_eq!(report.closure, Closure::Void);
    let sentinels = &json["evidence"]["sentinels"];
    assert_eq!(sentinels["unsteady"], json!([2]));
    assert_eq!(
        sentinels["drifts"],
        json!([{ "condition": "L-C", "first_cycle": 5, "last_cycle": 6, "sentinels": [3] }])
    );
    let row = "some changed during L-C; not steady at temperature 0, and no evidence: sentinel 2 |";
    assert!(page.contains(row), "{page}");

    let directory = SessionDirectory::new();
    run_session(&directory, |number| {
        Act::Respond(200, costly(&format!("Story {number}."), 40, 12))
    });
    let (report, json, _) = self::report(&directory);
    let void = report.reasons.iter().find(|it| it.closure == Closure::Void);
    assert_eq!(void, None);
    let sentinels = &json["evidence"]["sentinels"];
    assert_eq!(
        (&sentinels["unsteady"], &sentinels["drifts"]),
        (&json!([1, 2, 3]), &json!([]))
    );
}

/// A call that fails for good voids a session, whatever it asks; and so does another model.
#[test]
fn a_sentinel_without_an_answer_or_of_another_model_ends_a_session() {
    let other = costly("Story 1 of a keeper and a whale.", 40, 12).replace("model-1", "model-2");
    let refused = Act::Respond(400, "{\"error\":{\"message\":\"no\"}}".to_owned());
    for (number, cycles, act, status) in [
        (1, 0, refused.clone(), SessionStatus::TransportFailureAbort),
        (9, 2, refused.clone(), SessionStatus::TransportFailureAbort),
        (24, 6, refused, SessionStatus::TransportFailureAbort),
        (
            8,
            2,
            Act::Respond(200, other.clone()),
            SessionStatus::Invalid,
        ),
        (24, 6, Act::Respond(200, other), SessionStatus::Invalid),
    ] {
        let directory = SessionDirectory::new();
        let outcome = run_session(&directory, move |asked| match asked == number {
            true => act.clone(),
            false => tell(asked),
        });
        assert_eq!((outcome.status, outcome.cycles), (status, cycles));
    }
}

/// Another fingerprint of a sentinel's answer is reported like that of a cycle.
#[test]
fn a_fingerprint_that_a_sentinel_shows_is_reported() {
    let directory = SessionDirectory::new();
    run_session(&directory, |number| {
        let mut body: Value = serde_json::from_str(&costly("The same.", 40, 12)).unwrap();
        if number == 12 {
            body["system_fingerprint"] = "fp_2".into();
        }
        Act::Respond(200, body.to_string())
    });
    let (report, json, page) = report(&directory);
    let changed = json["changed_fingerprints"].as_array().unwrap();
    assert_eq!(changed.len(), 1, "{changed:?}");
    assert_eq!(
        (&changed[0]["sentinel"], &changed[0]["system_fingerprint"]),
        (&json!(true), &json!("fp_2"))
    );
    assert!(page.contains("**The server changed:**"), "{page}");
    assert!(report.replay.notes[0].contains("in the sentinel's record "));
}

fn copy_run(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let to = to.join(path.file_name().unwrap());
        match path.is_dir() {
            true => copy_run(&path, &to),
            false => drop(fs::copy(&path, &to).unwrap()),
        }
    }
}

/// The run as it is when the server is asked a sentinel is what a session leaves that is killed then.
#[test]
fn a_session_that_is_killed_at_a_sentinel_replays_as_far_as_it_went() {
    let directory = SessionDirectory::new();
    let (from, parent) = (directory.out(), directory.dir.path().to_owned());
    run_session(&directory, move |number| {
        copy_run(&from, &parent.join(format!("killed-{number}")));
        tell(number)
    });
    for number in 1..=24 {
        let path = directory.path(&format!("killed-{number}"));
        let replay = replay(&path);
        assert_eq!(messages(&replay), [""; 0], "{number}");
        assert!(!replay.ended);
        // Each has been asked once so far.
        let sentinels = replay.sentinels.unwrap();
        assert_eq!(
            (sentinels.answers, replay.cycles),
            (number - 1, (number - 1) / 6 * 2)
        );
        // A session does not end so by itself.
        let run = RunDirectory::open(&path).unwrap();
        let mut metadata = run.read_metadata().unwrap();
        metadata.outcome = directory.metadata().outcome;
        run.write_metadata(&metadata).unwrap();
        let found = replay_run(&run, &mut |_| ()).unwrap();
        let missing = format!("the sentinels: found {} sentinels", number - 1);
        assert!(
            messages(&found).iter().any(|it| it.contains(&missing)),
            "{:?}",
            messages(&found)
        );
    }
}

/// A record of a sentinel is evidence like every other.
#[test]
fn a_sentinel_that_is_altered_moved_or_left_out_is_found() {
    let directory = SessionDirectory::new();
    run_session(&directory, tell);
    let run = RunDirectory::open(&directory.out()).unwrap();
    let ledger = fs::read_to_string(run.ledger()).unwrap();
    let lines: Vec<&str> = ledger.split_inclusive('\n').collect();
    let asked = lines.iter().enumerate();
    let asked = asked.filter(|(_, line)| line.contains("llm.sentinel") && line.contains("Story 2"));
    let places: Vec<usize> = asked.map(|(place, _)| place).collect();
    assert_eq!(places.len(), 8);
    let altered = ledger.replacen("Story 2", "Story 7", 1);
    let without = [&lines[..places[1]], &lines[places[1] + 1..]]
        .concat()
        .concat();
    let mut moved = lines.clone();
    moved.swap(places[0], places[2]);
    for text in [altered, without, moved.concat()] {
        fs::write(run.ledger(), text).unwrap();
        assert!(!replay(run.path()).is_good());
    }
    fs::write(run.ledger(), &ledger).unwrap();
    assert_eq!(messages(&replay(run.path())), [""; 0]);

    // The settings name the sentinels: without that none may be there, and with other ones others must.
    let metadata = run.read_metadata().unwrap();
    let mut sentinels = metadata.frozen.sentinels.clone().unwrap();
    sentinels.prompts.swap(0, 1);
    for (sentinels, finding) in [
        (
            None,
            "found an observation of \"llm.sentinel\" there, expected one of the model",
        ),
        (
            Some(sentinels),
            "found a sentinel, expected each sentinel twice before, between and after the conditions",
        ),
    ] {
        let mut metadata = metadata.clone();
        metadata.frozen.sentinels = sentinels;
        run.write_metadata(&metadata).unwrap();
        let found = messages(&replay(run.path()));
        assert!(found.iter().any(|it| it.contains(finding)), "{found:?}");
    }
}

/// What is no server has no model that could change.
#[test]
fn a_script_is_asked_no_sentinel() {
    let directory = SessionDirectory::new();
    let line = "{\"answer\":\"{}\",\"usage\":{\"prompt_tokens\":700,\"completion_tokens\":2}}\n";
    let calibration = line.replacen('{', "{\"contains\":\"Answer with this object\",", 1);
    let script = calibration.replace("700", "40") + line;
    directory
        .run_script(settings(&[Condition::A], 2), &script)
        .unwrap();
    let run = RunDirectory::open(&directory.out()).unwrap();
    assert_eq!(run.read_metadata().unwrap().frozen.sentinels, None);
    let files: BTreeMap<_, _> = build_report(&run).unwrap().files;
    let ledger = fs::read_to_string(run.ledger()).unwrap();
    for text in [&ledger, &String::from_utf8(files[JSON].clone()).unwrap()] {
        assert!(!text.contains("sentinel"));
    }
}
