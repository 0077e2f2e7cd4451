//! Who answers: one model for a session, and each fingerprint of it in the ledger (Q6). What it says of its costs,
//! and what admission makes of its answers.

use std::fs;

use axilog_x0l::condition::Condition;
use axilog_x0l::kernel::DecisionKind;
use axilog_x0l::log::{Canonicalization, RunDirectory, SessionStatus};
use axilog_x0l::replay::replay_run;
use axilog_x0l::report::{JSON, MARKDOWN, build_report};
use serde_json::{Value, json};

use crate::session_directory::{SessionDirectory, settings};

const A: &[Condition] = &[Condition::A];

fn answer(text: &str, model: &str, fingerprint: &str) -> Value {
    json!({
        "answer": text, "model": model, "system_fingerprint": fingerprint,
        "usage": { "prompt_tokens": 700, "completion_tokens": 90 },
    })
}

fn calibration(text: &str) -> Value {
    let mut line = answer(text, "m-1", "fp_1");
    line["contains"] = "Answer with this object".into();
    line["usage"] = json!({ "prompt_tokens": 40, "completion_tokens": 9 });
    line
}

/// An action whose message ends so.
fn action(message: &str) -> String {
    let candidate = json!({
        "action_request": { "action_type": "Notify", "fields": { "to": "operator", "message": message } },
        "scope_claim": { "observation_ids": ["obs-1"], "claim": "Asked for.", "clause_ref": "CL-NOTIFY" },
        "justification": { "text": "Asked for." },
        "authority_citations": ["constitution:0.1.0#CL-NOTIFY"],
    });
    json!({ "candidates": [candidate] }).to_string()
}

fn lines(lines: &[Value]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn ledger(directory: &SessionDirectory) -> String {
    fs::read_to_string(directory.out().join(RunDirectory::LEDGER)).unwrap()
}

/// Another model ends the session: its answer is in the ledger, and is no cycle.
#[test]
fn another_model_makes_a_session_invalid() {
    let good = answer(&action("Noted."), "m-1", "fp_1");
    let other = answer(&action("Noted."), "m-2", "fp_1");
    let directory = SessionDirectory::new();
    let script = lines(&[calibration("{}"), good.clone(), good.clone(), other]);
    let outcome = directory.run_script(settings(A, 5), &script).unwrap();
    assert_eq!(
        (outcome.status, outcome.cycles),
        (SessionStatus::Invalid, 2)
    );
    assert!(outcome.status.is_void());
    let reason = outcome.reason.unwrap();
    assert!(
        reason.contains("\"m-2\" answered") && reason.contains("\"m-1\""),
        "{reason}"
    );
    let calibration_record = directory.metadata().calibration.unwrap();
    assert_eq!(calibration_record.answered_by.as_deref(), Some("m-1"));
    assert_eq!(
        calibration_record.system_fingerprint.as_deref(),
        Some("fp_1")
    );
    // After the first answer, and after the one of another model.
    assert_eq!(ledger(&directory).matches("llm.provider").count(), 2);

    // Names are compared exactly: neither accents nor what follows 200 characters makes two names one.
    let long = "m".repeat(200);
    for (first, second) in [
        ("modèl-é".to_owned(), "modül-ß".to_owned()),
        ("modèl".to_owned(), "mode\u{300}l".to_owned()),
        (format!("{long}1"), format!("{long}2")),
    ] {
        let directory = SessionDirectory::new();
        let mut line = calibration("{}");
        line["model"] = first.clone().into();
        let [first, second] = [first, second].map(|name| answer(&action("Noted."), &name, "fp_1"));
        let script = lines(&[line, first, second]);
        let outcome = directory.run_script(settings(A, 5), &script).unwrap();
        assert_eq!(
            (outcome.status, outcome.cycles),
            (SessionStatus::Invalid, 1)
        );
        let run = RunDirectory::open(&directory.out()).unwrap();
        assert!(replay_run(&run, &mut |_| ()).unwrap().is_good());
    }

    // One answer of the calibration is enough.
    let directory = SessionDirectory::new();
    let script = lines(&[good.clone(), answer(&action("Noted."), "m-2", "fp_1"), good]);
    let outcome = directory.run_script(settings(A, 5), &script).unwrap();
    assert_eq!(
        (outcome.status, outcome.cycles),
        (SessionStatus::Invalid, 0)
    );
}

/// Another fingerprint is no other model: each cycle has its own, and replay names those that differ.
#[test]
fn every_fingerprint_is_recorded_and_another_one_is_reported() {
    let say = |fingerprint| answer(&action("Noted."), "m-1", fingerprint);
    let directory = SessionDirectory::new();
    let script = lines(&[
        calibration("{}"),
        say("fp_1"),
        say("fp_2"),
        say("fp_2"),
        say("fp_1"),
    ]);
    let outcome = directory.run_script(settings(A, 4), &script).unwrap();
    assert_eq!(outcome.status, SessionStatus::Complete);
    let cycles = directory.cycles();
    let found: Vec<&str> = cycles
        .iter()
        .map(|cycle| cycle.system_fingerprint.as_deref().unwrap())
        .collect();
    assert_eq!(found, ["fp_1", "fp_2", "fp_2", "fp_1"]);
    assert_eq!(ledger(&directory).matches("llm.provider").count(), 3);
    let run = RunDirectory::open(&directory.out()).unwrap();
    let replayed = replay_run(&run, &mut |_| ()).unwrap();
    assert_eq!(
        replayed.notes,
        [
            "another system_fingerprint than the calibration's, \"fp_1\", in cycle 2 (\"fp_2\"), cycle 3 (\"fp_2\"): the server was changed while the session ran"
        ]
    );
    // Both forms of the report say so.
    let report = build_report(&run).unwrap();
    let json: Value = serde_json::from_slice(&report.files[JSON]).unwrap();
    assert_eq!(json["calibration"]["system_fingerprint"], "fp_1");
    assert_eq!(
        json["changed_fingerprints"],
        json!([
            { "condition": "L-A", "condition_cycle": 2, "cycle": 2, "ledger_seq": cycles[1].ledger_seq, "system_fingerprint": "fp_2" },
            { "condition": "L-A", "condition_cycle": 3, "cycle": 3, "ledger_seq": cycles[2].ledger_seq, "system_fingerprint": "fp_2" },
        ])
    );
    let page = String::from_utf8(report.files[MARKDOWN].clone()).unwrap();
    assert!(
        page.contains("**The server changed:**") && page.contains("cycle 3 ("),
        "{page}"
    );
    // A name in the log alone is found.
    let log = fs::read_to_string(run.cycles()).unwrap();
    for (from, to, finding) in [
        (
            "\"answered_by\":\"m-1\"",
            "\"answered_by\":\"m-9\"",
            "cycles.jsonl:1: cycle 1 (L-A 1): answered_by: found \"m-9\", expected \"m-1\"",
        ),
        (
            "\"system_fingerprint\":\"fp_1\"",
            "\"system_fingerprint\":null",
            "cycles.jsonl:1: cycle 1 (L-A 1): system_fingerprint: found null, expected \"fp_1\"",
        ),
    ] {
        fs::write(run.cycles(), log.replacen(from, to, 1)).unwrap();
        let findings = replay_run(&run, &mut |_| ()).unwrap().findings;
        let findings: Vec<String> = findings.iter().map(ToString::to_string).collect();
        assert!(findings.iter().any(|f| f == finding), "{findings:?}");
    }
}

/// The calls of the calibration count, too.
#[test]
fn another_fingerprint_in_the_calibration_is_reported() {
    let say = |fingerprint| answer(&action("Noted."), "m-1", fingerprint);
    let directory = SessionDirectory::new();
    let script = lines(&[say("fp_1"), say("fp_2"), say("fp_1")]);
    directory.run_script(settings(A, 1), &script).unwrap();
    let run = RunDirectory::open(&directory.out()).unwrap();
    let changed = replay_run(&run, &mut |_| ()).unwrap().changed_fingerprints;
    assert_eq!(changed.len(), 1, "{changed:?}");
    assert_eq!(changed[0].cycle, None);
    assert_eq!(changed[0].system_fingerprint.as_deref(), Some("fp_2"));
}

/// What a server says of its costs must be possible: else the session ends, with the reason.
#[test]
fn impossible_usage_ends_a_session() {
    for (prompt, completion, reason) in [
        (0, 90, "reports 0 tokens for the prompt"),
        (90_000, 90, "reports 90000 tokens for the prompt"),
        (700, 2049, "reports 2049 tokens for the answer"),
        (700, 0, "reports 0 tokens for the answer"),
    ] {
        let mut line = answer(&action("Noted."), "m-1", "fp_1");
        line["usage"] = json!({ "prompt_tokens": prompt, "completion_tokens": completion });
        let directory = SessionDirectory::new();
        let script = lines(&[calibration("{}"), line.clone()]);
        let outcome = directory.run_script(settings(A, 3), &script).unwrap();
        assert_eq!(
            (outcome.status, outcome.cycles),
            (SessionStatus::Aborted, 0)
        );
        let found = outcome.reason.unwrap();
        assert!(
            found.contains(reason) && found.contains("--count-tokens"),
            "{found}"
        );
        // The calibration is judged alike.
        line["contains"] = "Answer with this object".into();
        let directory = SessionDirectory::new();
        let outcome = directory
            .run_script(settings(A, 3), &lines(&[line]))
            .unwrap();
        assert_eq!(
            (outcome.status, outcome.cycles),
            (SessionStatus::Aborted, 0)
        );
    }
}

/// A1, Q24, Q59: the canonicalizer works on the answer as it came. A tab, a decomposed accent and a length that no
/// record holds are no reason for a rejection, and the ledger binds the raw bytes.
#[test]
fn answers_are_read_as_they_came_whatever_admission_makes_of_them() {
    let long = "x".repeat(70_000);
    let texts = [
        format!("{}\t", action("Noted.")),
        action("Cafe\u{301}"),
        action("Noted.") + &long,
    ];
    for calibrated in ["{\"a\":\t1}", "{\"a\":\"e\u{301}\"}"] {
        let directory = SessionDirectory::new();
        let mut script = vec![calibration(calibrated)];
        for text in &texts {
            let mut line = answer(text, "m-1", "fp_1");
            line["usage"]["completion_tokens"] = 2000.into();
            script.push(line);
        }
        let outcome = directory
            .run_script(settings(A, 3), &lines(&script))
            .unwrap();
        assert_eq!(
            (outcome.status, outcome.cycles),
            (SessionStatus::Complete, 3)
        );
        let cycles = directory.cycles();
        for (cycle, text) in cycles.iter().zip(&texts) {
            assert_eq!(cycle.raw.as_ref(), Some(text));
            assert_eq!(cycle.canonicalization, Canonicalization::Ok);
            assert_eq!(cycle.decision.kind, DecisionKind::Action);
        }
        // One RAW record for each answer that its observation does not hold: three of the calibration, three of
        // the cycles.
        let bound = ledger(&directory)
            .lines()
            .filter(|line| {
                line.contains("\\\"kind\\\":\\\"RAW\\\"") || line.contains("\"kind\":\"RAW\"")
            })
            .count();
        assert_eq!(bound, 6);
        // The log's text must be the bound one.
        let run = RunDirectory::open(&directory.out()).unwrap();
        let log = fs::read_to_string(run.cycles()).unwrap();
        fs::write(run.cycles(), log.replace("Cafe\u{301}", "Caf\u{e9}")).unwrap();
        let findings = replay_run(&run, &mut |_| ()).unwrap().findings;
        let raw = findings.iter().find(|finding| finding.field == "raw");
        assert_eq!(raw.unwrap().cycle.unwrap().number, 2);
    }
}

/// B5, Q10: the system message is one for all cycles; ids, time and task stand in the user's.
#[test]
fn the_system_message_is_the_same_in_all_cycles() {
    let plan = axilog_x0l::live::SessionPlan::read(settings(&Condition::ALL, 100)).unwrap();
    let mut prompts = (1..)
        .zip(plan.cycles())
        .map(|(number, (_, task))| plan.render_prompt(task, number));
    let first = prompts.next().unwrap();
    for prompt in prompts {
        assert_eq!(prompt.system, first.system);
        assert_ne!(prompt.user, first.user);
        assert!(prompt.user.contains("- obs-1: user_input, "));
    }
}

/// C6: an honest server can exceed B1 with the shipped tasks of L-D, and with no answer alone.
#[test]
fn shipped_tasks_of_l_d_can_exceed_b1() {
    use axilog_oracle::tokens::{Tiktoken, Tokenizer};
    let plan = axilog_x0l::live::SessionPlan::read(settings(&[Condition::D], 100)).unwrap();
    for name in ["cl100k_base", "o200k_base", "gpt2"] {
        let tokenizer = Tiktoken::for_name(name).unwrap();
        let counts = (1..).zip(plan.cycles()).map(|(number, (_, task))| {
            let prompt = plan.render_prompt(task, number);
            tokenizer
                .count_chat(&[("system", &prompt.system), ("user", &prompt.user)])
                .unwrap()
        });
        let reach = counts.filter(|count| (6000 - 2048 + 1..=6000).contains(count));
        assert_eq!(reach.count(), 10, "{name}");
    }
}

/// A server with a tokenizer is held to it: `usage` that the bounds would let pass is refused.
#[test]
fn usage_below_the_servers_own_count_ends_a_session() {
    use axilog_oracle::OracleKind;
    use axilog_testkit::harness::client::client;
    use axilog_testkit::harness::server::{Act, Server, costly};

    // Three tokens a word, which is more than the bounds of a prompt can know.
    for (reported, status) in [
        (700, SessionStatus::Aborted),
        (1400, SessionStatus::Complete),
    ] {
        let server = Server::with_tokenizer(3, move |request| {
            let user = request.body["messages"][1]["content"].as_str()?;
            let tokens = if user.contains("Answer with this object") {
                40
            } else {
                reported
            };
            Some(Act::Respond(200, costly("{\"candidates\":[]}", tokens, 5)))
        });
        let directory = SessionDirectory::new();
        let mut settings = settings(A, 2);
        settings.oracle = OracleKind::OpenAi;
        settings.base_url.clone_from(&server.base_url);
        let mut endpoint = client(&server);
        let outcome = directory.run(settings, &mut endpoint, u64::MAX).unwrap();
        assert_eq!(outcome.status, status, "{:?}", outcome.reason);
        let reason = outcome.reason.unwrap_or_default();
        assert_eq!(
            reason.contains("its own tokenizer counts"),
            status == SessionStatus::Aborted
        );
    }
}
