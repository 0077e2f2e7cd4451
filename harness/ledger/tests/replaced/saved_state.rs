//! What was done to a ledger, to its blobs or to its saved state between two sessions: the state is used where nothing
//! was, and made anew.

use std::fs::{self, OpenOptions, Permissions};
use std::io::{Seek, SeekFrom, Write};
use std::os::unix::fs::{FileExt, PermissionsExt, symlink};
use std::path::PathBuf;
use std::time::Duration;

use axilog::agent::state::Health;
use axilog::hash::sha256;
use axilog_ledger::audit::{AuditExpectations, AuditVerdict, audit_ledger};
use axilog_ledger::encoding::hex;
use axilog_ledger::error::LedgerError;
use axilog_ledger::session::tidy::tidy_ledger;
use axilog_ledger::session::{Opening, Session};

use crate::attack::make_pipe;
use crate::{Running, START, observe};

/// Longer than the clock ticks by which file systems tell the times of two changes.
const TICK: Duration = Duration::from_millis(30);

/// A ledger whose state was saved, after which three records follow.
fn leave_saved() -> Running {
    let mut running = Running::begin();
    assert!(running.session.save_state().unwrap());
    running
}

/// Ends the session of a ledger, whose records since the state was saved stay.
fn end(running: Running) -> tempfile::TempDir {
    drop(running.session);
    running.dir
}

fn ledger(dir: &tempfile::TempDir) -> PathBuf {
    dir.path().join("ledger.jsonl")
}

fn state(dir: &tempfile::TempDir) -> PathBuf {
    dir.path().join("ledger.jsonl.state")
}

fn open(dir: &tempfile::TempDir) -> Session {
    Session::open(&ledger(dir), None).unwrap()
}

#[track_caller]
fn assert_resumed(session: &Session, bytes: u64) {
    let expected = Opening::Resumed {
        replayed_bytes: bytes,
    };
    assert_eq!(*session.opening(), expected);
}

/// Opens a ledger and asserts that it was replayed for that reason, that its state is saved anew and used then.
#[track_caller]
fn assert_replayed(dir: &tempfile::TempDir, reason: &str) {
    let mut session = open(dir);
    let Opening::Replayed { reason: told, .. } = session.opening() else {
        panic!("{reason}: {:?}", session.opening());
    };
    assert!(told.contains(reason), "{told}");
    assert!(session.save_state().unwrap(), "{reason}");
    drop(session);
    assert_resumed(&open(dir), 0);
}

/// Writes a state that says something else, with the right hash.
fn forge(dir: &tempfile::TempDir, from: &str, to: &str) {
    let text = fs::read_to_string(state(dir)).unwrap();
    let (_, document) = text.split_once('\n').unwrap();
    assert_eq!(document.matches(from).count(), 1, "{from} in {document}");
    let document = document.replace(from, to);
    let hash = hex(&sha256(document.as_bytes()));
    fs::write(state(dir), format!("axilog state 1 {hash}\n{document}")).unwrap();
}

/// Writes bytes into the ledger in place of others.
fn overwrite(dir: &tempfile::TempDir, at: u64, bytes: &[u8]) {
    let file = OpenOptions::new().write(true).open(ledger(dir)).unwrap();
    file.write_all_at(bytes, at).unwrap();
}

#[test]
fn a_state_is_gone_on_from_and_the_records_after_it_are_replayed() {
    let mut running = leave_saved();
    let saved = fs::metadata(running.ledger()).unwrap().len();
    // A question that is a blob already.
    for _ in 0..3 {
        observe(&mut running.session, "which speed?", b"{\"value\":2}").unwrap();
    }
    let agent = running.session.agent().clone();
    let dir = end(running);
    let mut session = open(&dir);
    assert_resumed(&session, fs::metadata(ledger(&dir)).unwrap().len() - saved);
    assert_eq!(*session.agent(), agent);
    observe(&mut session, "another?", b"{\"value\":3}").unwrap();
    drop(session);
    let report = |path: &PathBuf| {
        let file = fs::File::open(path).unwrap();
        audit_ledger(file, path, &AuditExpectations::default()).unwrap()
    };
    assert_eq!(report(&ledger(&dir)).verdict(), AuditVerdict::Ok);
}

#[test]
fn a_state_that_is_missing_or_wrong_is_made_anew() {
    let dir = end(leave_saved());
    fs::remove_file(state(&dir)).unwrap();
    assert_replayed(&dir, "there is no file");
    let whole = fs::read(state(&dir)).unwrap();
    let header = b"axilog state ".len();
    for place in (header..whole.len()).step_by(13) {
        let mut altered = whole.clone();
        altered[place] ^= 1;
        fs::write(state(&dir), altered).unwrap();
        assert_replayed(&dir, "it ");
    }
    fs::write(state(&dir), &whole[..whole.len() / 2]).unwrap();
    assert_replayed(&dir, "another hash");
    fs::write(state(&dir), "").unwrap();
    assert_replayed(&dir, "no state");
}

#[test]
fn a_state_of_another_version_is_made_anew() {
    let dir = end(leave_saved());
    let text = fs::read_to_string(state(&dir)).unwrap();
    let text = text.replacen("axilog state 1", "axilog state 2", 1);
    fs::write(state(&dir), text).unwrap();
    assert_replayed(&dir, "another version of the format");
    forge(&dir, "\"axilog-ledger ", "\"axilog-ledger 9");
    assert_replayed(&dir, "it was written by axilog-ledger 9");
    forge(&dir, "{\"agent\":", "{\"aegnt\":");
    assert_replayed(&dir, "unknown field");
}

#[test]
fn the_state_of_a_ledger_that_was_replaced_cut_or_changed_is_made_anew() {
    let mut running = leave_saved();
    let at_state = fs::metadata(running.ledger()).unwrap().len();
    observe(&mut running.session, "which speed?", b"{\"value\":2}").unwrap();
    let dir = end(running);
    let whole = fs::read(ledger(&dir)).unwrap();

    // A copy of the same bytes is another file.
    fs::write(dir.path().join("copy"), &whole).unwrap();
    fs::rename(dir.path().join("copy"), ledger(&dir)).unwrap();
    assert_replayed(&dir, "another file");

    // Its last step is cut off: a shorter, good ledger.
    let file = OpenOptions::new().write(true).open(ledger(&dir)).unwrap();
    file.set_len(at_state).unwrap();
    drop(file);
    assert_replayed(&dir, "when it was saved");

    // Another ledger in the same file, as long as this one.
    let other = Running::begin();
    let bytes = fs::read(other.ledger()).unwrap();
    let mut file = OpenOptions::new().write(true).open(ledger(&dir)).unwrap();
    std::thread::sleep(TICK);
    file.seek(SeekFrom::Start(0)).unwrap();
    file.write_all(&bytes).unwrap();
    drop(file);
    assert_eq!(bytes.len() as u64, at_state);
    assert_replayed(&dir, "changed after it was saved");
}

#[test]
fn an_altered_record_is_found_where_nothing_was_recorded_since() {
    let dir = end(leave_saved());
    let whole = fs::read(ledger(&dir)).unwrap();
    std::thread::sleep(TICK);
    for place in (0..whole.len() - 1).step_by(37) {
        overwrite(&dir, place as u64, &[whole[place] ^ 1]);
        match Session::open(&ledger(&dir), None).map(|_| ()) {
            Err(LedgerError::Damaged { .. }) => {}
            other => panic!("byte {place}: {other:?}"),
        }
        overwrite(&dir, place as u64, &[whole[place]]);
    }
}

#[test]
fn an_altered_record_near_the_end_of_the_state_is_found_with_records_after_it() {
    let mut running = leave_saved();
    observe(&mut running.session, "which speed?", b"{\"value\":2}").unwrap();
    let dir = end(running);
    assert_resumed(
        &open(&dir),
        fs::metadata(ledger(&dir)).unwrap().len() - saved_bytes(&dir),
    );
    let whole = fs::read(ledger(&dir)).unwrap();
    for place in (0..whole.len() - 1).step_by(37) {
        overwrite(&dir, place as u64, &[whole[place] ^ 1]);
        let opened = Session::open(&ledger(&dir), None).map(|_| ());
        assert!(
            matches!(opened, Err(LedgerError::Damaged { .. })),
            "byte {place}: {opened:?}"
        );
        overwrite(&dir, place as u64, &[whole[place]]);
    }
}

/// The length of the ledger as the state has it.
fn saved_bytes(dir: &tempfile::TempDir) -> u64 {
    let text = fs::read_to_string(state(dir)).unwrap();
    let (_, document) = text.split_once('\n').unwrap();
    let document: serde_json::Value = serde_json::from_str(document).unwrap();
    document["ledger"]["bytes"].as_u64().unwrap()
}

#[test]
fn what_an_interruption_left_is_completed_as_without_a_state() {
    let mut running = leave_saved();
    let at_state = fs::metadata(running.ledger()).unwrap().len() as usize;
    observe(&mut running.session, "which speed?", b"{\"value\":2}").unwrap();
    let dir = end(running);
    let whole = fs::read(ledger(&dir)).unwrap();
    let saved = fs::read(state(&dir)).unwrap();
    for length in at_state + 1..whole.len() {
        fs::write(state(&dir), &saved).unwrap();
        fs::write(ledger(&dir), &whole[..length]).unwrap();
        let session = open(&dir);
        assert!(matches!(session.opening(), Opening::Replayed { .. }));
        let torn = whole[..length].split(|byte| *byte == b'\n').next_back();
        let torn = torn.unwrap().len() as u64;
        assert_eq!(session.torn_line().map_or(0, |line| line.bytes), torn);
        drop(session);
        let now = fs::read(ledger(&dir)).unwrap();
        assert!(now == whole || now == whole[..at_state], "{length}");
    }
}

#[test]
fn a_file_that_was_added_to_the_blobs_is_moved_aside_as_without_a_state() {
    let dir = end(leave_saved());
    std::thread::sleep(TICK);
    let folder = dir.path().join("ledger.jsonl.blobs").join("00");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("added"), "by somebody").unwrap();
    let session = open(&dir);
    assert_eq!(session.left_behind().unwrap().files, 1);
    drop(session);
    assert_replayed(&dir, "the blobs were changed");
}

#[test]
fn a_question_that_no_record_names_keeps_the_state_from_being_saved() {
    let mut running = leave_saved();
    let call = crate::ask("never answered?");
    let shared = axilog_ledger::session::shared::SharedSession::new(running.session);
    shared.keep_question(&call).unwrap();
    assert!(!shared.ask(Session::save_state).unwrap());
    shared.close().unwrap();
    let dir = running.dir;
    let session = open(&dir);
    assert_eq!(session.left_behind().unwrap().files, 1);
    drop(session);

    running = Running {
        session: open(&dir),
        dir,
    };
    let shared = axilog_ledger::session::shared::SharedSession::new(running.session);
    shared.keep_question(&call).unwrap();
    let answer = axilog_ledger::session::OracleReply::Answer(b"{\"value\":1}");
    shared.observe(&call, answer).unwrap();
    assert!(shared.ask(Session::save_state).unwrap());
}

#[test]
fn a_state_that_says_what_the_last_records_do_not_say_is_not_believed() {
    let mut running = Running::begin();
    let breach = observe(&mut running.session, "which speed?", b"{\"value\":9999}").unwrap();
    assert_eq!(breach.health, Health::Alarm);
    running.session.save_state().unwrap();
    let dir = end(running);
    for (from, to) in [
        ("\"ALARM\"", "\"ENABLED\""),
        ("\"ALARM\"", "\"ASLEEP\""),
        ("\"fault_count\":0", "\"fault_count\":1"),
        ("\"entries\":", "\"entries\":1"),
        ("\"configuration\":\"", "\"configuration\":\"0"),
        ("\"blobs\":\"", "\"blobs\":\"0"),
        (
            "\"running_values\":null",
            "\"running_values\":{\"now\":1,\"series\":{}}",
        ),
    ] {
        forge(&dir, from, to);
        let session = open(&dir);
        assert!(
            matches!(session.opening(), Opening::Replayed { .. }),
            "{to}"
        );
        assert_eq!(session.agent().health, Health::Alarm);
        drop(session);
        forge(&dir, to, from);
    }
}

/// Whoever can write the state can write the ledger too. What a session records because of a forged state does not pass.
#[test]
fn an_audit_finds_what_a_forged_state_made_a_session_record() {
    let dir = end(leave_saved());
    let time = format!("\"last_timestamp\":{START}");
    forge(&dir, &time, "\"last_timestamp\":1");
    let mut session = open(&dir);
    assert_resumed(&session, 0);
    let decision = session.observe_time(2, false).unwrap();
    assert!(decision.may_continue());
    drop(session);
    let file = fs::File::open(ledger(&dir)).unwrap();
    let report = audit_ledger(file, &ledger(&dir), &AuditExpectations::default()).unwrap();
    assert_eq!(report.verdict(), AuditVerdict::Failed);
    // So does the next opening that replays everything.
    fs::remove_file(state(&dir)).unwrap();
    let opened = Session::open(&ledger(&dir), None).map(|_| ());
    assert!(matches!(opened, Err(LedgerError::Damaged { .. })));
}

#[test]
fn what_has_the_name_of_a_state_and_is_none_is_left_alone() {
    let victim = "axilog state 1 of somebody";
    for plant in ["another file", "link", "pipe", "directory"] {
        let running = Running::begin();
        let place = running.path("ledger.jsonl.state");
        fs::write(running.path("victim"), victim).unwrap();
        match plant {
            "another file" => fs::write(&place, "a file of somebody").unwrap(),
            "link" => symlink(running.path("victim"), &place).unwrap(),
            "pipe" => make_pipe(&place),
            _ => fs::create_dir(&place).unwrap(),
        }
        let dir = end(running);
        let mut session = open(&dir);
        assert!(
            matches!(session.opening(), Opening::Replayed { .. }),
            "{plant}"
        );
        let refused = session.save_state().unwrap_err().to_string();
        assert!(refused.contains("ledger.jsonl.state"), "{plant}: {refused}");
        // The session goes on.
        observe(&mut session, "which speed?", b"{\"value\":2}").unwrap();
        drop(session);
        assert_eq!(
            fs::read_to_string(dir.path().join("victim")).unwrap(),
            victim
        );
        if plant == "another file" {
            assert_eq!(fs::read_to_string(&place).unwrap(), "a file of somebody");
        }
        assert!(!dir.path().join("ledger.jsonl.state.new").exists());
    }
}

#[test]
fn a_state_has_the_rights_of_its_ledger_and_is_not_believed_with_more() {
    let mut running = Running::begin();
    fs::set_permissions(running.ledger(), Permissions::from_mode(0o640)).unwrap();
    running.session.save_state().unwrap();
    let dir = end(running);
    let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(state(&dir)), 0o640);
    fs::set_permissions(state(&dir), Permissions::from_mode(0o660)).unwrap();
    assert_replayed(&dir, "somebody who may not write the ledger");
    assert_eq!(mode(state(&dir)), 0o640);
}

#[test]
fn a_session_goes_on_where_its_state_cannot_be_saved() {
    let running = Running::begin();
    let folder = running.dir.path().to_owned();
    let dir = end(running);
    let mut session = open(&dir);
    fs::set_permissions(&folder, Permissions::from_mode(0o500)).unwrap();
    let may_write_all_the_same = fs::write(folder.join("probe"), "").is_ok();
    let saved = session.save_state();
    assert!(saved.is_err() || may_write_all_the_same, "{saved:?}");
    observe(&mut session, "which speed?", b"{\"value\":2}").unwrap();
    drop(session);
    fs::set_permissions(&folder, Permissions::from_mode(0o700)).unwrap();
    let file = fs::File::open(ledger(&dir)).unwrap();
    let report = audit_ledger(file, &ledger(&dir), &AuditExpectations::default()).unwrap();
    assert_eq!(report.verdict(), AuditVerdict::Ok);
}

#[test]
fn a_sealed_ledger_has_no_state() {
    let mut running = leave_saved();
    let saved = fs::read(running.path("ledger.jsonl.state")).unwrap();
    running.session.seal().unwrap();
    assert!(!running.session.save_state().unwrap());
    let dir = end(running);
    assert!(!state(&dir).exists());
    // A process may be killed before it removes the state.
    fs::write(state(&dir), saved).unwrap();
    let refused = Session::open(&ledger(&dir), None).err();
    assert!(
        matches!(refused, Some(LedgerError::Sealed(_))),
        "{refused:?}"
    );
    tidy_ledger(&ledger(&dir), None).unwrap();
    assert!(!state(&dir).exists());
}

#[test]
fn a_long_ledger_has_a_state_and_a_short_one_has_none() {
    let mut running = Running::begin();
    let long = format!("{{\"value\":1,\"why\":\"{}\"}}", "x".repeat(60_000));
    for _ in 0..16 {
        observe(&mut running.session, "which speed?", long.as_bytes()).unwrap();
    }
    let dir = end(running);
    assert!(!state(&dir).exists());
    let mut session = open(&dir);
    for _ in 0..2 {
        observe(&mut session, "which speed?", long.as_bytes()).unwrap();
    }
    drop(session);
    assert!(fs::metadata(ledger(&dir)).unwrap().len() > 1 << 20);
    assert_resumed(&open(&dir), 0);

    // A session that goes on saves it after each 16 MiB, and is killed then.
    let mut session = open(&dir);
    while saved_bytes(&dir) < 18 << 20 {
        observe(&mut session, "which speed?", long.as_bytes()).unwrap();
        let ahead = fs::metadata(ledger(&dir)).unwrap().len() - saved_bytes(&dir);
        assert!(ahead <= 16 << 20);
    }
    drop(session);
}
