//! Running values: what a session records after an answer, what it refuses, what an interruption leaves, and what an audit
//! finds. decisions.md D41.

#[path = "schemas/support.rs"]
#[allow(dead_code, reason = "the tests of the schemas need more of it")]
mod support;

use std::fs;
use std::io::Write;

use axilog::admission::{Answer, InputKind};
use axilog::agent::Agent;
use axilog::agent::state::{Health, InputClass};
use axilog::evidence::observation::{Completion, Params};
use axilog::fault::Faults;
use axilog::ledger::{Entry, LedgerSink, SinkFailed};
use axilog_ledger::audit::{AuditCheck, AuditVerdict, CheckResult};
use axilog_ledger::decision::StepDecision;
use axilog_ledger::derivation::{Derivation, derive_input};
use axilog_ledger::encoding::ByteBuffer;
use axilog_ledger::error::LedgerError;
use axilog_ledger::file::blobs::BlobStore;
use axilog_ledger::manifest::Manifest;
use axilog_ledger::rules::RuleSet;
use axilog_ledger::session::{OracleCall, OracleReply, Session, check_identities};
use axilog_policyc::PolicySet;

use support::{Place, ask};

/// At most 100 are paid within 10, at most three times within 10, and each payment differs by at most 60 from the last.
const VALUES: &str = r#"{
    "ax.change.step": {"oracle": "pay", "path": "amount"},
    "ax.count.calls": {"oracle": "pay", "window": 10},
    "ax.sum.spend": {"oracle": "pay", "path": "/amount", "window": 10}
}"#;

/// The limits of [`VALUES`], and one on the single payment, raw Q16.16.
fn limits() -> RuleSet {
    let limit = |id: &str, limit: i32| {
        let threshold = limit << 16;
        format!(
            r#"[{{"comparison":"GT","enabled":true,"policy_id":"{id}","threshold":{threshold}}}]"#
        )
    };
    let policies = format!(
        r##"{{"ax.change.step#value":{},"ax.count.calls#value":{},"ax.sum.spend#value":{},"pay#/amount":{}}}"##,
        limit("CHANGE", 60),
        limit("COUNT", 3),
        limit("SUM", 100),
        limit("SINGLE", 90)
    );
    rules(&policies)
}

fn rules(policies: &str) -> RuleSet {
    RuleSet::new(PolicySet::parse(policies.as_bytes()).unwrap(), false, false)
}

fn manifest(values: &str) -> Manifest {
    let values = serde_json::from_str(values).unwrap();
    Manifest::default().with_running_values(values).unwrap()
}

fn begin_with(values: &str, rules: &RuleSet) -> (Place, Session) {
    let place = Place {
        dir: tempfile::tempdir().unwrap(),
    };
    let created =
        Session::create_with_manifest(&place.ledger(), rules, &manifest(values), 1).unwrap();
    (place, created.0)
}

fn begin() -> (Place, Session) {
    begin_with(VALUES, &limits())
}

fn pay(session: &mut Session, answer: &str) -> StepDecision {
    let call = OracleCall {
        oracle_id: "pay".to_owned(),
        ..ask(b"pay")
    };
    let reply = OracleReply::Answer(answer.as_bytes());
    session.observe(&call, reply).unwrap()
}

fn pay_amount(session: &mut Session, amount: &str) -> StepDecision {
    pay(session, &format!(r#"{{"amount":{amount}}}"#))
}

/// The running values of a decision, as they were recorded, and the last one's result.
fn recorded(decision: &StepDecision) -> (Vec<&str>, bool) {
    let values = decision.running_values.iter();
    let values: Vec<&str> = values.map(|value| value.answer.as_str()).collect();
    (values, decision.may_act)
}

fn return_to_enabled(session: &mut Session, time: u64) {
    for class in [InputClass::PolicyTrigger, InputClass::ResetRequest] {
        session.observe_control(class).unwrap();
    }
    session.observe_time(time, false).unwrap();
    assert_eq!(session.agent().health, Health::Enabled);
}

fn audit_derivations(place: &Place) -> AuditCheck {
    let report = place.audit();
    let check = report.checks.iter().find(|c| c.subject == "derivations");
    check.unwrap().clone()
}

#[test]
fn an_answer_may_be_acted_on_where_every_running_value_is_within_its_limit() {
    let (place, mut session) = begin();
    let first = pay_amount(&mut session, "40");
    let values = [r#"{"value":0}"#, r#"{"value":1}"#, r#"{"value":40}"#];
    assert_eq!(recorded(&first), (values.to_vec(), true));
    let ids: Vec<_> = first
        .running_values
        .iter()
        .map(|value| value.decision.observation.oracle_id.as_str())
        .collect();
    assert_eq!(ids, ["ax.change.step", "ax.count.calls", "ax.sum.spend"]);
    assert_eq!(first.entries, session.agent().ledger.sequence + 1);
    // 40 and 0.1 and 59.9 are exactly 100, which is no breach.
    let values = [r#"{"value":-39.9}"#, r#"{"value":2}"#, r#"{"value":40.1}"#];
    assert_eq!(
        recorded(&pay_amount(&mut session, "0.1")),
        (values.to_vec(), true)
    );
    let values = [r#"{"value":59.8}"#, r#"{"value":3}"#, r#"{"value":100}"#];
    assert_eq!(
        recorded(&pay_amount(&mut session, "59.9")),
        (values.to_vec(), true)
    );
    drop(session);
    let check = audit_derivations(&place);
    assert_eq!(check.result, CheckResult::Passed, "{check:?}");
    assert!(
        check
            .finding
            .ends_with("; 9 running values computed again, and the same")
    );
    assert_eq!(place.audit().verdict(), AuditVerdict::Ok);
}

#[test]
fn a_refused_answer_counts_for_nothing_and_the_window_passes() {
    let (place, mut session) = begin();
    assert!(pay_amount(&mut session, "50").may_act);
    assert!(pay_amount(&mut session, "45").may_act);
    // Refused by the sum.
    let refused = pay_amount(&mut session, "5.5");
    let values = [r#"{"value":-39.5}"#, r#"{"value":3}"#, r#"{"value":100.5}"#];
    assert_eq!(recorded(&refused), (values.to_vec(), false));
    assert!(!refused.is_permitted && refused.health == Health::Alarm);
    let why = axilog_ledger::decision_reasons::list_reasons(&refused);
    assert_eq!(why, ["ax.sum.spend#value 100.5 is above 100 (SUM)"]);
    return_to_enabled(&mut session, 5);
    // Refused by its own policy: nothing is computed.
    assert_eq!(recorded(&pay_amount(&mut session, "91")), (vec![], false));
    return_to_enabled(&mut session, 6);
    // Neither counts: two answers and 95 are within the window.
    let values = [r#"{"value":-40}"#, r#"{"value":3}"#, r#"{"value":100}"#];
    assert_eq!(
        recorded(&pay_amount(&mut session, "5")),
        (values.to_vec(), true)
    );
    // The fourth within 10.
    let (values, may_act) = ([r#"{"value":-5}"#, r#"{"value":4}"#], false);
    assert_eq!(
        recorded(&pay_amount(&mut session, "0")),
        (values.to_vec(), may_act)
    );
    // The two of time 1 have left the window at 11; that of time 6 has not.
    return_to_enabled(&mut session, 11);
    let values = [r#"{"value":-4}"#, r#"{"value":2}"#, r#"{"value":6}"#];
    assert_eq!(
        recorded(&pay_amount(&mut session, "1")),
        (values.to_vec(), true)
    );
    drop(session);
    assert_eq!(place.audit().verdict(), AuditVerdict::Ok);
    // A session that opens the ledger goes on where the last one ended.
    let mut session = place.open().unwrap();
    assert_eq!(session.completed_records(), 0);
    let values = [r#"{"value":0}"#, r#"{"value":3}"#, r#"{"value":7}"#];
    assert_eq!(
        recorded(&pay_amount(&mut session, "1")),
        (values.to_vec(), true)
    );
}

#[test]
fn an_answer_without_a_number_that_counts_is_refused() {
    let values = r#"{"ax.sum.spend": {"oracle": "pay", "path": "/items/~*/price"}}"#;
    let policies = r##"{"ax.sum.spend#value":[{"comparison":"GT","enabled":true,"policy_id":"SUM","threshold":6553600}]}"##;
    for answer in [
        "pay it",
        r#"{"items":[]}"#,
        r#"{"items":[{"price":1},{"price":"2"}]}"#,
        r#"{"items":[{"price":1,"price":2}]}"#,
        r#"{"items":[{"price":1e19}]}"#,
    ] {
        let (place, mut session) = begin_with(values, &rules(policies));
        let decision = pay(&mut session, answer);
        let values = vec![r#"{"value":null}"#];
        assert_eq!(recorded(&decision), (values, false), "{answer}");
        drop(session);
        assert_eq!(place.audit().verdict(), AuditVerdict::Ok);
    }
    // A sum that no policy can read is refused too, and one far beyond the limit.
    for (first, second) in [("1e18", "0"), ("1", "1e-18")] {
        let (_place, mut session) = begin_with(values, &rules(policies));
        let items = |price: &str| format!(r#"{{"items":[{{"price":{price}}}]}}"#);
        let first = pay(&mut session, &items(first));
        assert_eq!(first.may_act, second != "0");
        if first.may_act {
            assert!(!pay(&mut session, &items(second)).may_act);
        }
    }
}

#[test]
fn a_question_is_not_derived_from_an_answer_that_a_running_value_refused() {
    let (place, mut session) = begin();
    let permitted = pay_amount(&mut session, "60").observation;
    let refused = pay_amount(&mut session, "61").observation;
    return_to_enabled(&mut session, 2);
    let derived = |source: &axilog_ledger::decision::RecordedObservation| {
        let derivation = Derivation {
            sources: vec![source.obs_hash],
            even_refused: false,
        };
        OracleCall {
            input: derive_input(b"", InputKind::Text, &derivation).unwrap(),
            ..ask(b"")
        }
    };
    for _ in 0..2 {
        session.check_question(&derived(&permitted)).unwrap();
        let told = session.check_question(&derived(&refused)).unwrap_err();
        let reason = "it was permitted, and a running value after it was not";
        assert!(told.to_string().contains(reason), "{told}");
        // The same of a session that reads the ledger.
        drop(session);
        session = place.open().unwrap();
    }
}

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
        let blobs = |ledger: &std::path::Path| {
            let mut name = ledger.as_os_str().to_owned();
            name.push(".blobs");
            std::path::PathBuf::from(name)
        };
        fs::write(&cut, &after[..before.len() + length]).unwrap();
        let _ = fs::remove_dir_all(blobs(&cut));
        copy_folder(&blobs(&place.ledger()), &blobs(&cut));
        let session = Session::open(&cut, None).unwrap();
        completed.push(session.completed_records());
        drop(session);
        assert_eq!(fs::read(&cut).unwrap(), after, "{length}");
        let file = fs::File::open(&cut).unwrap();
        let report = axilog_ledger::audit::audit_ledger(file, &cut, &Default::default()).unwrap();
        assert_eq!(report.verdict(), AuditVerdict::Ok, "{length}");
    }
    // The answer has three records, its running values have three each.
    assert_eq!(completed.first(), Some(&11));
    assert!(completed.is_sorted_by(|one, next| one >= next));
}

fn copy_folder(from: &std::path::Path, to: &std::path::Path) {
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

/// A writer that records what it is told, under the rules of a ledger.
struct CarelessWriter<'p> {
    place: &'p Place,
    agent: Agent,
    rules: RuleSet,
    lines: Lines,
}

#[derive(Default)]
struct Lines(ByteBuffer);

impl LedgerSink for Lines {
    fn append(&mut self, entry: &Entry<'_>) -> Result<(), SinkFailed> {
        axilog::ledger_line::write(entry, &mut self.0);
        Ok(())
    }
}

impl CarelessWriter<'_> {
    fn open(place: &Place) -> CarelessWriter<'_> {
        let session = place.open().unwrap();
        CarelessWriter {
            place,
            agent: session.agent().clone(),
            rules: session.rules().clone(),
            lines: Lines::default(),
        }
    }

    /// Records an answer, and gives its `obs_hash`.
    fn observe(&mut self, oracle: &str, model: &str, question: &[u8], answer: &str) {
        let answer = Answer {
            completion: Completion::Complete,
            failure: None,
            input: question,
            input_kind: InputKind::Text,
            ledger_seq: 0,
            model_id: model.as_bytes(),
            oracle_id: oracle.as_bytes(),
            output: answer.as_bytes(),
            params: Params::NULL,
        };
        let (mut work, mut faults) = (vec![0; 65536], Faults::NONE);
        self.agent
            .observe(
                &answer,
                &self.rules.rules(),
                &mut work,
                &mut self.lines,
                &mut faults,
            )
            .unwrap();
        let blob = BlobStore::of_ledger(&self.place.ledger()).path(&axilog::hash::sha256(question));
        fs::create_dir_all(blob.parent().unwrap()).unwrap();
        fs::write(blob, question).unwrap();
    }

    fn finish(self) {
        let mut file = fs::OpenOptions::new()
            .append(true)
            .open(self.place.ledger())
            .unwrap();
        file.write_all(&self.lines.0.0).unwrap();
    }
}

/// The last observation's `obs_hash` of a ledger.
fn last_hash(lines: &[u8]) -> String {
    let text = String::from_utf8_lossy(lines);
    let record = text
        .lines()
        .rfind(|line| line.contains("obs_hash"))
        .unwrap();
    let entry = axilog::ledger_line::parse(record.as_bytes());
    let view = axilog::evidence::view::ObservationView::parse(entry.unwrap().payload).unwrap();
    axilog_ledger::encoding::hex(&view.obs_hash)
}

#[test]
fn an_audit_finds_running_values_that_are_left_out_or_made_up() {
    let values = r#"{"ax.sum.spend": {"oracle": "pay", "path": "amount"}}"#;
    let policies = r##"{"ax.sum.spend#value":[{"comparison":"GT","enabled":true,"policy_id":"SUM","threshold":6553600}]}"##;
    let honest = |writer: &mut CarelessWriter<'_>, amount: &str, model: &str, answer: &str| {
        writer.observe("pay", "m", b"pay", &format!(r#"{{"amount":{amount}}}"#));
        let question = format!(r#"{{"derived_from":["{}"]}}"#, last_hash(&writer.lines.0.0));
        writer.observe("ax.sum.spend", model, question.as_bytes(), answer);
    };
    type Forgery<'f> = &'f dyn Fn(&mut CarelessWriter<'_>);
    let forgeries: [(&str, Forgery<'_>); 7] = [
        ("the honest one", &|writer| {
            honest(writer, "60", "axilog", r#"{"value":60}"#);
        }),
        (
            "expected the running value ax.sum.spend after answer 5, found oracle \"pay\"",
            &|writer| {
                writer.observe("pay", "m", b"pay", r#"{"amount":60}"#);
                writer.observe("pay", "m", b"pay", r#"{"amount":60}"#);
            },
        ),
        (
            r#"has the answer "{\"value\":6}", expected "{\"value\":60}""#,
            &|writer| {
                honest(writer, "60", "axilog", r#"{"value":6}"#);
            },
        ),
        (
            "has another question than the one that names its answers",
            &|writer| {
                writer.observe("pay", "m", b"pay", r#"{"amount":60}"#);
                writer.observe("ax.sum.spend", "axilog", b"{}", r#"{"value":60}"#);
            },
        ),
        ("has the model \"m\", expected \"axilog\"", &|writer| {
            honest(writer, "60", "m", r#"{"value":60}"#);
        }),
        (
            "a running value \"ax.sum.other\", and none is due",
            &|writer| {
                writer.observe("ax.sum.other", "axilog", b"{}", r#"{"value":0}"#);
            },
        ),
        (
            "a running value \"ax.sum.spend\", and none is due",
            &|writer| {
                honest(writer, "60", "axilog", r#"{"value":60}"#);
                writer.observe("ax.sum.spend", "axilog", b"{}", r#"{"value":0}"#);
            },
        ),
    ];
    for (fault, forge) in forgeries {
        let (place, session) = begin_with(values, &rules(policies));
        drop(session);
        let mut writer = CarelessWriter::open(&place);
        forge(&mut writer);
        writer.finish();
        let check = audit_derivations(&place);
        let told = format!("{check:?}").replace("\\\\\\\"", "\\\"");
        if fault == "the honest one" {
            assert_eq!(check.result, CheckResult::Passed, "{told}");
            continue;
        }
        assert_eq!(check.result, CheckResult::Failed, "{fault}: {told}");
        let details = check.details.join("\n");
        assert!(details.contains(fault), "{fault}: {details}");
        assert_eq!(place.audit().verdict(), AuditVerdict::Failed);
    }
    // In a ledger that declares none, too.
    let place = Place {
        dir: tempfile::tempdir().unwrap(),
    };
    drop(Session::create(&place.ledger(), rules("[]"), 1).unwrap());
    let mut writer = CarelessWriter::open(&place);
    writer.observe("ax.count.calls", "axilog", b"{}", r#"{"value":1}"#);
    writer.finish();
    let details = audit_derivations(&place).details.join("\n");
    assert!(
        details.contains("\"ax.count.calls\", and none is due"),
        "{details}"
    );
}

/// The last answer without its running values is an interruption, which is no forgery and nothing that is right.
#[test]
fn an_audit_says_that_the_last_running_values_are_missing() {
    let (place, session) = begin();
    drop(session);
    let mut writer = CarelessWriter::open(&place);
    writer.observe("pay", "m", b"pay", r#"{"amount":60}"#);
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

#[test]
fn what_cannot_be_computed_or_limits_nothing_is_refused_when_the_ledger_begins() {
    let refused = [
        (
            r#"{"ax.sum.": {"oracle": "pay", "path": "a"}}"#,
            "a name of 1 to 64",
        ),
        (
            r#"{"ax.mean.a": {"oracle": "pay", "path": "a"}}"#,
            "ax.sum.NAME, ax.count.NAME",
        ),
        (
            r#"{"ax.sum.a b": {"oracle": "pay", "path": "a"}}"#,
            "characters of A-Z",
        ),
        (
            r#"{"ax.sum.a": {"oracle": "", "path": "a"}}"#,
            "found the oracle \"\"",
        ),
        (
            r#"{"ax.sum.a": {"oracle": "ax.time", "path": "a"}}"#,
            "neither ax.time nor",
        ),
        (
            r#"{"ax.sum.a": {"oracle": "ax.sum.b", "path": "a"}}"#,
            "a running value itself",
        ),
        (r#"{"ax.sum.a": {"oracle": "pay"}}"#, "the path is missing"),
        (
            r#"{"ax.sum.a": {"oracle": "pay", "path": "/a/~#"}}"#,
            "without ~#",
        ),
        (
            r#"{"ax.sum.a": {"oracle": "pay", "path": "/a/~j/b"}}"#,
            "without ~#",
        ),
        (
            r#"{"ax.sum.a": {"oracle": "pay", "path": "/a/~e3"}}"#,
            "without ~#",
        ),
        (
            r#"{"ax.sum.a": {"oracle": "pay", "path": "pay#a"}}"#,
            "a path without an oracle",
        ),
        (
            r#"{"ax.sum.a": {"oracle": "pay", "path": "a b"}}"#,
            "expected a name",
        ),
        (
            r#"{"ax.sum.a": {"oracle": "pay", "path": "a", "window": 0}}"#,
            "at least 1",
        ),
        (
            r#"{"ax.count.a": {"oracle": "pay", "path": "a"}}"#,
            "a count has no path",
        ),
        (
            r#"{"ax.change.a": {"oracle": "pay", "path": "a", "window": 1}}"#,
            "no window",
        ),
    ];
    for (values, reason) in refused {
        let values = serde_json::from_str(values).unwrap();
        let told = Manifest::default().with_running_values(values).unwrap_err();
        assert!(told.to_string().contains(reason), "{told}");
    }
    for unknown in [
        r#"{"ax.sum.a": {"oracle": "pay", "path": "a", "windows": 1}}"#,
        r#"{"ax.sum.a": {"path": "a"}}"#,
        r#"{"ax.sum.a": {"oracle": "pay", "path": "a", "window": -1}}"#,
    ] {
        let read: Result<axilog_ledger::running_values::RunningValues, _> =
            serde_json::from_str(unknown);
        assert!(read.is_err(), "{unknown}");
    }
    let many: serde_json::Map<String, serde_json::Value> = (0..65)
        .map(|n| (format!("ax.count.n{n}"), serde_json::json!({"oracle": "o"})))
        .collect();
    let many = serde_json::from_value(many.into()).unwrap();
    let told = Manifest::default().with_running_values(many).unwrap_err();
    assert!(told.to_string().contains("at most 64"), "{told}");
    // Of an oracle that may not answer.
    let values: axilog_ledger::running_values::RunningValues =
        serde_json::from_str(VALUES).unwrap();
    let closed = Manifest::default()
        .with_oracles(["o".to_owned()].into())
        .unwrap();
    let told = closed.with_running_values(values).unwrap_err();
    assert!(
        told.to_string().contains("is of the oracle \"pay\""),
        "{told}"
    );
    // Without a policy of its own, and with one that would refuse each.
    let own = r##"{"ax.sum.a#value":[{"comparison":"GT","enabled":true,"policy_id":"SUM","threshold":1}]}"##;
    let off = own.replace("true", "false");
    let general = own.replacen(
        '{',
        r#"{"/speed":[{"comparison":"GT","enabled":true,"policy_id":"FAST","threshold":1}],"#,
        1,
    );
    let values = r#"{"ax.sum.a": {"oracle": "pay", "path": "a"}}"#;
    for (policies, reason) in [
        ("[]", "no enabled policy has it as its oracle"),
        (off.as_str(), "no enabled policy has it as its oracle"),
        (
            general.as_str(),
            "the policy FAST is for every oracle and looks for /speed",
        ),
    ] {
        let place = Place {
            dir: tempfile::tempdir().unwrap(),
        };
        let told =
            Session::create_with_manifest(&place.ledger(), &rules(policies), &manifest(values), 1);
        let told = told.err().unwrap().to_string();
        assert!(told.contains(reason), "{told}");
        assert!(!place.ledger().exists());
    }
    begin_with(values, &rules(own));
}

#[test]
fn nobody_else_answers_under_the_id_of_a_running_value() {
    for id in ["ax.sum.spend", "ax.count.", "ax.change.x"] {
        let told = check_identities(id, "m").unwrap_err();
        assert!(matches!(told, LedgerError::RunningValueId { .. }), "{told}");
    }
    check_identities("ax.summary", "m").unwrap();
    let (_place, mut session) = begin();
    assert!(session.check_call("ax.sum.spend", "axilog").is_err());
}

/// Every sum, count and change equals what a model says that keeps all payments and adds up whole hundredths.
#[test]
fn random_payments_equal_an_independent_model() {
    let steps = match std::env::var_os("AXILOG_WIDE") {
        Some(_) => 20_000,
        None => 300,
    };
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = move |bound: u64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed % bound
    };
    let (place, mut session) = begin();
    let mut time = 1;
    // The times and hundredths of the payments that count.
    let mut counted: Vec<(u64, i64)> = Vec::new();
    let mut results = [0, 0];
    for _ in 0..steps {
        if random(3) == 0 {
            time += 1 + random(9);
            session.observe_time(time, false).unwrap();
        }
        if random(40) == 0 {
            drop(session);
            session = place.open().unwrap();
        }
        let hundredths = random(9500) as i64 - 500;
        let sign = if hundredths < 0 { "-" } else { "" };
        let size = hundredths.abs();
        let decision = pay_amount(
            &mut session,
            &format!("{sign}{}.{:02}", size / 100, size % 100),
        );
        let within: Vec<i64> = counted
            .iter()
            .filter(|(own, _)| time - own < 10)
            .map(|(_, amount)| *amount)
            .collect();
        let expected = [
            counted.last().map_or(0, |(_, last)| hundredths - last),
            (within.len() as i64 + 1) * 100,
            within.iter().sum::<i64>() + hundredths,
        ];
        let limits = [6000, 300, 10_000];
        let own = hundredths <= 9000;
        let refused = expected
            .iter()
            .zip(limits)
            .position(|(value, limit)| *value > limit);
        let recorded = if own {
            refused.map_or(3, |place| place + 1)
        } else {
            0
        };
        let values: Vec<i64> = decision
            .running_values
            .iter()
            .map(|value| hundredths_of(&value.answer))
            .collect();
        assert_eq!(values, expected[..recorded]);
        let may_act = own && refused.is_none();
        assert_eq!(decision.may_act, may_act);
        results[usize::from(may_act)] += 1;
        match may_act {
            true => counted.push((time, hundredths)),
            false => {
                time += 1;
                return_to_enabled(&mut session, time);
            }
        }
    }
    drop(session);
    assert!(
        results.iter().all(|count| *count > steps / 10),
        "{results:?}"
    );
    let check = audit_derivations(&place);
    assert_eq!(check.result, CheckResult::Passed, "{check:?}");
}

/// The hundredths of `{"value":N}`.
fn hundredths_of(answer: &str) -> i64 {
    let value: serde_json::Value = serde_json::from_str(answer).unwrap();
    (value["value"].as_f64().unwrap() * 100.0).round() as i64
}

/// The vectors, which Python reads too: what each answer is followed by, and the chain value of all.
#[test]
fn the_ledger_is_the_one_of_the_vectors() {
    let vectors: serde_json::Value = serde_json::from_str(include_str!(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/vectors/running_values.json"
    )))
    .unwrap();
    let values = vectors["running_values"].to_string();
    let (place, mut session) = begin_with(&values, &rules(&vectors["policies"].to_string()));
    for step in vectors["steps"].as_array().unwrap() {
        if let Some(time) = step["recover"].as_u64() {
            return_to_enabled(&mut session, time);
        } else if let Some(time) = step["time"].as_u64() {
            session.observe_time(time, false).unwrap();
        } else {
            let call = OracleCall {
                oracle_id: step["oracle"].as_str().unwrap().to_owned(),
                ..ask(b"q")
            };
            let answer = OracleReply::Answer(step["answer"].as_str().unwrap().as_bytes());
            let decision = session.observe(&call, answer).unwrap();
            let (values, may_act) = recorded(&decision);
            assert_eq!(serde_json::json!(values), step["values"], "{step}");
            assert_eq!(may_act, step["may_act"], "{step}");
        }
    }
    let ledger = &session.agent().ledger;
    let head = axilog_ledger::encoding::hex(&ledger.head);
    assert_eq!(
        (ledger.sequence + 1, head.as_str()),
        (
            vectors["entries"].as_u64().unwrap(),
            vectors["head"].as_str().unwrap(),
        )
    );
    drop(session);
    let report = place.audit();
    assert_eq!(report.verdict(), AuditVerdict::Ok);
    // What counts in a running value is limited by its policy.
    let unjudged = report.unjudged_oracles.iter().map(|o| o.oracle_id.as_str());
    assert_eq!(Vec::from_iter(unjudged), ["other"]);
}
