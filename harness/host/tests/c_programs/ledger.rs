//! What a ledger holds that passes every check.

use std::fs::File;
use std::path::Path;

use axilog::evidence::proof::Seal;
use axilog::hash::Tag;
use axilog::replay::Verdict;
use axilog_ledger::audit::{AuditExpectations, AuditVerdict, audit_ledger};
use axilog_ledger::encoding::{hex, unescape};
use axilog_ledger::replay::replay_ledger;
use axilog_ledger::rules::{ExpectedRules, RulesSource};
use axilog_ledger::verify::{LedgerExpectations, verify_ledger};

pub struct Contents {
    pub entries: u64,
    pub head: String,
    pub sealed: bool,
    pub observations: Vec<Observation>,
}

pub struct Observation {
    pub ledger_seq: u64,
    pub oracle_id: String,
    pub output: String,
}

/// Verifies, replays and audits a ledger, which must be found good by each, and gives what it holds.
pub fn check_ledger(path: &Path) -> Contents {
    let open = || File::open(path).unwrap();
    let expected = LedgerExpectations::default();
    let mut observations = Vec::new();
    let verified = verify_ledger(open(), None, &expected, &mut |record| {
        if let Some(view) = &record.observation {
            observations.push(Observation {
                ledger_seq: view.ledger_seq,
                oracle_id: unescape(view.oracle_id),
                output: unescape(view.output),
            });
        }
    })
    .unwrap();
    assert_eq!(verified.verdict(), Verdict::Ok, "{:?}", verified.fault);

    let replayed = replay_ledger(
        open(),
        path,
        ExpectedRules::default(),
        &expected,
        &mut |_| {},
    );
    let replayed = replayed.unwrap();
    assert_eq!(replayed.verification.verdict(), Verdict::Ok);
    let (_, source) = replayed.rules.unwrap();
    assert_eq!(source, RulesSource::Ledger, "its configuration is a blob");

    let audited = audit_ledger(open(), path, &AuditExpectations::default()).unwrap();
    let findings: Vec<_> = audited.checks.iter().map(|check| &check.finding).collect();
    assert_eq!(audited.verdict(), AuditVerdict::Ok, "{findings:?}");
    Contents {
        entries: verified.replay.entries(),
        head: hex(&verified.replay.ledger().head),
        sealed: verified.replay.ledger().sealed,
        observations,
    }
}

/// Describes each record of a good ledger in a line, as read.c does.
pub fn describe_records(path: &Path) -> String {
    let mut lines = String::new();
    let file = File::open(path).unwrap();
    let expected = LedgerExpectations::default();
    let verified = verify_ledger(file, None, &expected, &mut |record| {
        let entry = &record.entry;
        let kind = match (entry.tag, Seal::parse(entry.payload)) {
            (Tag::State, _) => 0,
            (Tag::Obs, _) => 1,
            (Tag::Policy, _) => 2,
            (Tag::Trans, _) => 3,
            (Tag::Proof, Err(_)) => 4,
            (Tag::Proof, Ok(_)) => 5,
        };
        let (sequence, offset, chain) = (entry.sequence, record.offset, hex(&entry.chain));
        let bytes = std::str::from_utf8(entry.payload).unwrap();
        lines += &format!("{sequence} {offset} {kind} {chain} {bytes}\n");
    });
    assert_eq!(verified.unwrap().fault, None);
    lines
}
