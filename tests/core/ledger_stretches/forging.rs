//! Changes of a ledger's records, as somebody makes them who then writes the chain anew.

use axilog::hash::{Tag, hex, sha256};
use axilog_testkit::core::ledger::Record;

/// A change of a ledger by somebody who then writes its chain anew.
#[derive(Clone, Debug)]
pub enum Forgery {
    Drop,
    Repeat,
    Exchange,
    /// The same text in place of another, with the hash of the observation made anew.
    Replace(&'static str, &'static str),
    Reseal,
}

pub const FORGERIES: [Forgery; 22] = [
    Forgery::Drop,
    Forgery::Repeat,
    Forgery::Exchange,
    Forgery::Reseal,
    Forgery::Replace("\"PERMITTED\"", "\"BREACH\""),
    Forgery::Replace("\"BREACH\"", "\"PERMITTED\""),
    Forgery::Replace("\"next_state\":\"ENABLED\"", "\"next_state\":\"ALARM\""),
    Forgery::Replace("\"next_state\":\"ENABLED\"", "\"next_state\":\"STOPPED\""),
    Forgery::Replace("\"next_state\":\"ALARM\"", "\"next_state\":\"ENABLED\""),
    Forgery::Replace("\"fault_count\":0", "\"fault_count\":1"),
    Forgery::Replace("\"fault_count\":1", "\"fault_count\":0"),
    Forgery::Replace("\"prev_state\":\"ENABLED\"", "\"prev_state\":\"INIT\""),
    Forgery::Replace("\"model_id\":\"m-1\"", "\"model_id\":\"m-2\""),
    Forgery::Replace("\"oracle_id\":\"o-1\"", "\"oracle_id\":\"o-2\""),
    Forgery::Replace("timestamp\\\":", "timestamp\\\":1"),
    Forgery::Replace("\"oracle_id\":\"ax.time\"", "\"oracle_id\":\"ax.tame\""),
    Forgery::Replace("\"ledger_seq\":1", "\"ledger_seq\":2"),
    Forgery::Replace("\"obs_ledger_seq\":", "\"obs_ledger_seq\":1"),
    Forgery::Replace("\"actual\":", "\"actual\":1"),
    Forgery::Replace("\"kind\":\"RAW\"", "\"kind\":\"ROW\""),
    Forgery::Replace("\"threshold\":", "\"threshold\":1"),
    Forgery::Replace("\\\"value\\\":", "\\\"value\\\":1"),
];

/// Applies a forgery to the record numbered `at`, or to the next one that it can be applied to. Tells whether there is one.
pub fn forge(records: &mut Vec<Record>, forgery: &Forgery, at: usize) -> bool {
    let last = records.len() - 1;
    match forgery {
        Forgery::Drop => drop(records.remove(at.max(1))),
        Forgery::Repeat => records.insert(at, records[at].clone()),
        Forgery::Exchange => records.swap(at, (at + 1).min(last)),
        Forgery::Reseal => {
            let seal = records[last].clone();
            records.insert(at.max(1), seal);
        }
        Forgery::Replace(from, to) => {
            let has = |(_, payload): &Record| String::from_utf8_lossy(payload).contains(from);
            let Some(found) = (at..=last).find(|&at| has(&records[at])) else {
                return false;
            };
            let (tag, payload) = &mut records[found];
            let text = String::from_utf8(payload.clone())
                .unwrap()
                .replacen(from, to, 1);
            *payload = text.clone().into_bytes();
            if *tag == Tag::Obs
                && let Some(at) = text.find("\"obs_hash\":\"")
            {
                let at = at + 12;
                let empty = [&text[..at], &text[at + 64..]].concat();
                payload.splice(at..at + 64, hex(&sha256(empty.as_bytes())));
            }
        }
    }
    true
}
