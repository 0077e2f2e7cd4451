//! The file of the model's weights: frozen before the session, and compared after it.

use std::fs;
use std::path::PathBuf;

use axilog::hash::sha256;
use axilog_ledger::encoding::hex;
use axilog_oracle::OracleKind;
use axilog_testkit::harness::client::client;
use axilog_testkit::harness::server::{Act, Server, costly};
use axilog_x0l::condition::Condition;
use axilog_x0l::live::SessionPlan;
use axilog_x0l::log::{RunDirectory, SessionOutcome, SessionStatus};
use axilog_x0l::replay::replay_run;
use axilog_x0l::report::{Closure, JSON, MARKDOWN, build_report};
use serde_json::Value;

use crate::session_directory::{SessionDirectory, settings};

/// Runs a session of two cycles with the file `weights`, to which `change` happens before the last answer.
fn run_with_weights(directory: &SessionDirectory, change: fn(PathBuf)) -> SessionOutcome {
    let weights = directory.write("model.gguf", "the weights");
    let (path, mut cycles) = (weights.clone(), 0);
    let server = Server::answering(move |request| {
        let user = request.body["messages"][1]["content"].as_str()?;
        if !user.contains("timestamp, ") {
            return Some(Act::Respond(200, costly("{}", 40, 2)));
        }
        cycles += 1;
        if cycles == 2 {
            change(path.clone());
        }
        Some(Act::Respond(200, costly("{\"candidates\":[]}", 700, 5)))
    });
    let mut settings = settings(&[Condition::A], 2);
    settings.oracle = OracleKind::OpenAi;
    settings.base_url.clone_from(&server.base_url);
    settings.weights = Some(weights);
    let mut endpoint = client(&server);
    directory.run(settings, &mut endpoint, u64::MAX).unwrap()
}

#[test]
fn weights_that_stay_are_named_in_the_report() {
    let directory = SessionDirectory::new();
    let outcome = run_with_weights(&directory, |_| ());
    assert_eq!(outcome.status, SessionStatus::Complete);
    let frozen = directory.metadata().frozen.weights.unwrap();
    let hash = sha256(b"the weights");
    assert_eq!(
        (frozen.name.as_str(), frozen.sha256, frozen.size),
        ("model.gguf", hash, 11)
    );
    let run = RunDirectory::open(&directory.out()).unwrap();
    let report = build_report(&run).unwrap();
    let json: Value = serde_json::from_slice(&report.files[JSON]).unwrap();
    assert_eq!(json["evidence"]["weights"]["sha256"], hex(&hash));
    let page = String::from_utf8(report.files[MARKDOWN].clone()).unwrap();
    let row = format!("| weights | model.gguf, SHA-256 {} |", hex(&hash));
    assert!(page.contains(&row), "{page}");
}

/// Other bytes, even of the same length, and a file that is gone.
#[test]
fn weights_that_change_during_a_session_make_it_invalid() {
    let cases: [(fn(PathBuf), String); 2] = [
        (
            |path| fs::write(path, "the Weights").unwrap(),
            format!("found SHA-256 {} after it", hex(&sha256(b"the Weights"))),
        ),
        (
            |path| fs::remove_file(path).unwrap(),
            "No such file".to_owned(),
        ),
    ];
    for (change, found) in cases {
        let directory = SessionDirectory::new();
        let outcome = run_with_weights(&directory, change);
        assert_eq!(
            (outcome.status, outcome.cycles),
            (SessionStatus::Invalid, 2)
        );
        let reason = outcome.reason.unwrap();
        assert!(
            reason.contains("model.gguf") && reason.contains(&found),
            "{reason}"
        );
        let run = RunDirectory::open(&directory.out()).unwrap();
        let report = build_report(&run).unwrap();
        assert_eq!(report.closure, Closure::Void);
        let void = &report.reasons[0];
        assert!(
            void.code == "INVALID" && void.text.contains(&reason),
            "{void:?}"
        );
        // Without weights nothing but another model makes a session invalid.
        let mut metadata = directory.metadata();
        metadata.frozen.weights = None;
        run.write_metadata(&metadata).unwrap();
        let findings = replay_run(&run, &mut |_| ()).unwrap().findings;
        assert!(findings.iter().any(|it| it.field == "outcome.status"));
    }
}

#[test]
fn weights_belong_to_a_server() {
    let directory = SessionDirectory::new();
    let weights = directory.write("model.gguf", "the weights");
    let mut scripted = settings(&[Condition::A], 1);
    scripted.weights = Some(weights.clone());
    let error = SessionPlan::read(scripted).unwrap_err().to_string();
    assert!(error.contains("no server is asked"), "{error}");
    let mut missing = settings(&[Condition::A], 1);
    missing.oracle = OracleKind::OpenAi;
    missing.weights = Some(directory.path("none.gguf"));
    let error = SessionPlan::read(missing).unwrap_err().to_string();
    assert!(error.contains("none.gguf"), "{error}");
}
