//! Running values compared with a model of their own, and with the vectors.

use axilog_ledger::audit::{AuditVerdict, CheckResult};
use axilog_ledger::encoding::hex;
use axilog_ledger::session::{OracleCall, OracleReply};

use crate::payments::{
    audit_derivations, begin, begin_with, pay_amount, recorded, return_to_enabled, rules,
};
use crate::support::ask;

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
    let head = hex(&ledger.head);
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
