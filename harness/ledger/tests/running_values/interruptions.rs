//! What an interrupted write leaves of an answer and its running values.

use std::fs;
use std::path::{Path, PathBuf};

use axilog_ledger::audit::{AuditExpectations, AuditVerdict, CheckResult, audit_ledger};
use axilog_ledger::session::Session;

use crate::payments::{audit_derivations, begin, pay_amount};
use crate::support::CarelessWriter;

/// What an interrupted write leaves is completed to the same ledger: cut at the ends of lines and next to them, or, in the
/// wide run, at every byte.
#[test]
fn an_interrupted_answer_gets_its_running_values() {
    let (place, mut session) = begin();
    pay_amount(&mut session, "40");
    let before = fs::read(place.ledger()).unwrap();
    pay_amount(&mut session, "30");
    drop(session);
    let after = fs::read(place.ledger()).unwrap();
    let written = after.get(before.len()..).unwrap();
    let first_record = written.iter().position(|&byte| byte == b'\n').unwrap();
    let mut completed = Vec::new();
    let is_wide = std::env::var_os("AXILOG_WIDE").is_some();
    for length in first_record + 1..written.len() {
        let near = written.get(length - 1..length + 2).unwrap_or_default();
        if !is_wide && !near.contains(&b'\n') {
            continue;
        }
        let cut = place.dir.path().join("cut.jsonl");
        let blobs = |ledger: &Path| {
            let mut name = ledger.as_os_str().to_owned();
            name.push(".blobs");
            PathBuf::from(name)
        };
        fs::write(&cut, &after[..before.len() + length]).unwrap();
        let _ = fs::remove_dir_all(blobs(&cut));
        copy_folder(&blobs(&place.ledger()), &blobs(&cut));
        let session = Session::open(&cut, None).unwrap();
        completed.push(session.completed_records());
        drop(session);
        assert_eq!(fs::read(&cut).unwrap(), after, "{length}");
        let file = fs::File::open(&cut).unwrap();
        let report = audit_ledger(file, &cut, &AuditExpectations::default()).unwrap();
        assert_eq!(report.verdict(), AuditVerdict::Ok, "{length}");
    }
    // The answer has three records, its running values have three each.
    assert_eq!(completed.first(), Some(&11));
    assert!(completed.is_sorted_by(|one, next| one >= next));
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for file in fs::read_dir(from).unwrap() {
        let file = file.unwrap();
        let copy = to.join(file.file_name());
        match file.file_type().unwrap().is_dir() {
            true => copy_folder(&file.path(), &copy),
            false => {
                fs::copy(file.path(), copy).unwrap();
            }
        }
    }
}

/// The last answer without its running values is an interruption, which is no forgery and nothing that is right.
#[test]
fn an_audit_says_that_the_last_running_values_are_missing() {
    let (place, session) = begin();
    drop(session);
    let mut writer = CarelessWriter::open(&place);
    writer.observe("pay", "m", b"pay", br#"{"amount":60}"#);
    writer.finish();
    let check = audit_derivations(&place);
    assert_eq!(check.result, CheckResult::NotChecked);
    assert!(
        check
            .finding
            .contains("the running values after answer 5 are missing"),
        "{check:?}"
    );
    let session = place.open().unwrap();
    assert_eq!(session.completed_records(), 9);
    drop(session);
    assert_eq!(place.audit().verdict(), AuditVerdict::Ok);
}
