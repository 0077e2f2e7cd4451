//! Schemas that are exchanged or removed, and writers that validate nothing.

use std::fs;

use axilog_ledger::audit::{AuditVerdict, CheckResult};
use axilog_ledger::error::LedgerError;
use axilog_ledger::jcs::canonicalize;
use axilog_ledger::session::{OracleReply, Session};

use crate::support::{ANSWER, Place, call, observe, observe_without_validation, parse};

/// Refuses an answer, and says why.
#[track_caller]
fn assert_takes_no_answers(place: &Place, reason: &str) {
    let mut session = place.open().unwrap();
    let reply = OracleReply::Answer(br#"{"pump":"inlet","speed":1}"#);
    let refused = session.observe(&call(), reply).unwrap_err();
    assert!(
        matches!(refused, LedgerError::SchemasUnusable { .. }),
        "{refused}"
    );
    assert!(refused.to_string().contains(reason), "{refused}");
    // What needs no schema is recorded.
    session.observe_time(1000, false).unwrap();
}

#[test]
fn an_exchanged_schema_is_found() {
    let (place, session) = Place::with_schemas();
    drop(session);
    let blob = place.blob(parse(ANSWER).canonical());
    fs::write(&blob, b"{}").unwrap();
    assert_takes_no_answers(&place, "its bytes have another hash");
    let check = place.audit_schemas();
    assert_eq!(check.result, CheckResult::Failed);
    assert!(check.finding.contains("its bytes have another hash"));
    assert_eq!(place.audit().verdict(), AuditVerdict::Failed);
}

#[test]
fn a_removed_schema_is_found() {
    let (place, session) = Place::with_schemas();
    drop(session);
    fs::remove_file(place.blob(parse(ANSWER).canonical())).unwrap();
    assert_takes_no_answers(&place, "is missing among the blobs");
    assert_eq!(place.audit_schemas().result, CheckResult::NotChecked);
    assert_eq!(place.audit().verdict(), AuditVerdict::Failed);
}

#[test]
fn a_removed_or_exchanged_manifest_is_found() {
    for replacement in [None, Some("{}")] {
        let (place, session) = Place::with_schemas();
        let manifest = session.rules().manifest().unwrap();
        drop(session);
        let blobs = axilog_ledger::file::blobs::BlobStore::of_ledger(&place.ledger());
        match replacement {
            None => fs::remove_file(blobs.path(&manifest)).unwrap(),
            Some(text) => fs::write(blobs.path(&manifest), text).unwrap(),
        }
        assert_takes_no_answers(&place, "manifest");
        assert_eq!(place.audit_schemas().result, CheckResult::NotChecked);
        assert_eq!(place.audit().verdict(), AuditVerdict::Failed);
    }
}

#[test]
fn a_schema_that_is_not_canonical_or_none_is_found() {
    for document in ["{ }", "[]", r#"{"type":"nothing"}"#] {
        let place = Place {
            dir: tempfile::tempdir().unwrap(),
        };
        let hash = axilog_ledger::encoding::hex(&axilog::hash::sha256(document.as_bytes()));
        let text = format!(r#"{{"schemas":{{"o":{{"input":null,"output":"{hash}"}}}}}}"#);
        let manifest = axilog_ledger::manifest::Manifest::parse(text.as_bytes()).unwrap();
        let rules = axilog_ledger::rules::RuleSet::without_policies().unwrap();
        let begun = Session::create_with_manifest(&place.ledger(), &rules, &manifest, 1);
        drop(begun.unwrap());
        let blob = place.blob(document.as_bytes());
        fs::create_dir_all(blob.parent().unwrap()).unwrap();
        fs::write(blob, document).unwrap();
        assert_takes_no_answers(&place, &hash);
        assert_eq!(place.audit_schemas().result, CheckResult::Failed);
    }
}

#[test]
fn an_answer_of_a_writer_that_validates_nothing_is_found() {
    let good: &[u8] = br#"{"level":3}"#;
    let mut cut = br#"{"pump":"inlet","speed":61}"#.to_vec();
    cut.resize(80_000, b' ');
    let cases: [(&[u8], &[u8], &str); 3] = [
        (
            good,
            br#"{"pump":"inlet","speed":61}"#,
            "answer 5 of oracle \"o\" is recorded as COMPLETE and violates its schema: the value at /speed violates /properties/speed/maximum of the schema: 60",
        ),
        (
            good,
            &cut,
            "answer 5 of oracle \"o\" is recorded as TRUNCATED and violates its schema",
        ),
        (
            b"What level?",
            br#"{"pump":"inlet","speed":6}"#,
            "the input of observation 5 violates the input schema of oracle \"o\": it is not JSON",
        ),
    ];
    for (input, answer, finding) in cases {
        let (place, session) = Place::with_schemas();
        drop(session);
        observe_without_validation(&place, input, answer);
        // The ledger is good in all that the core knows.
        let report = place.audit();
        let failed: Vec<&str> = report
            .checks
            .iter()
            .filter(|check| check.result != CheckResult::Passed)
            .map(|check| check.subject)
            .collect();
        assert_eq!(failed, ["schemas"], "{:?}", report.checks);
        let details = place.audit_schemas().details;
        assert_eq!(details.len(), 1);
        assert!(details[0].starts_with(finding), "{details:?}");
    }
}

#[test]
fn an_answer_that_was_refused_and_conforms_is_found() {
    // Whoever writes the ledger anew can claim that an answer was refused.
    let (place, mut session) = Place::with_schemas();
    observe(&mut session, b"prose");
    drop(session);
    let raw = place.blob(b"prose");
    let ledger = fs::read_to_string(place.ledger()).unwrap();
    let conforming: &[u8] = br#"{"pump":"inlet","speed":1}"#;
    let rebound = crate::support::rebind_raw_answer(&ledger, conforming);
    fs::write(place.ledger(), rebound).unwrap();
    fs::remove_file(raw).unwrap();
    let blob = place.blob(conforming);
    fs::create_dir_all(blob.parent().unwrap()).unwrap();
    fs::write(blob, conforming).unwrap();
    let check = place.audit_schemas();
    assert_eq!(check.result, CheckResult::Failed);
    assert_eq!(
        check.details,
        ["answer 5 of oracle \"o\" is recorded as INVALID_OUTPUT and conforms to its schema"]
    );
}

#[test]
fn the_canonical_form_of_a_schema_is_what_is_bound() {
    let (place, _session) = Place::with_schemas();
    let canonical = canonicalize(ANSWER.as_bytes()).unwrap();
    assert_eq!(fs::read(place.blob(&canonical)).unwrap(), canonical);
}
