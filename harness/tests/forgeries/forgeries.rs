//! The forgeries, each with its name in the table.

use std::fs;
use std::path::Path;

use axilog::admission::InputKind;
use axilog::evidence::observation::Params;
use axilog::hash::{Tag, sha256};
use axilog_ledger::input::CanonicalInput;
use axilog_ledger::session::{OracleCall, OracleReply, Session};
use serde_json::Value;

use super::forger::hex_text;
use super::{MANIFEST, Place, RAW_ANSWER, long_answer};

/// A forgery: its name in the table, and what it does to a good ledger.
pub type Forgery = (&'static str, fn(&Place));

/// Exchanges the raw answer of the observation that contains `texts`, with its RAW record.
fn exchange_raw_answer(place: &Place, old: &[u8], new: &[u8]) {
    let mut records = place.records();
    let [old_hash, new_hash] = [old, new].map(|bytes| hex_text(&sha256(bytes)));
    let at = records.find(Tag::Proof, &["\"kind\":\"RAW\"", &old_hash]);
    records.replace(at, &old_hash, &new_hash);
    let [old_bytes, new_bytes] = [old, new].map(|bytes| format!("\"bytes\":{},", bytes.len()));
    records.replace(at, &old_bytes, &new_bytes);
    fs::remove_file(place.blob(old)).unwrap();
    store_blob(&place.blob(new), new);
    place.forge(&records);
}

fn store_blob(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

fn is_decision((tag, _): &(Tag, String)) -> bool {
    matches!(tag, Tag::Policy | Tag::Trans)
}

pub const FORGERIES: &[Forgery] = &[
    ("all decisions dropped", |place| {
        let mut records = place.records();
        records.0.retain(|record| !is_decision(record));
        records.renumber();
        place.forge(&records);
    }),
    ("a decision flipped", |place| {
        let mut records = place.records();
        let at = records.find(Tag::Policy, &["\"actual\":4653056,", "P-1"]);
        records.replace(at, "BREACH", "PERMITTED");
        place.forge(&records);
    }),
    ("a breach and its alarm made a permission", |place| {
        let mut records = place.records();
        let at = records.find(Tag::Policy, &["\"actual\":4653056,", "P-1"]);
        records.replace(at, "BREACH", "PERMITTED");
        let at = records.find(
            Tag::Trans,
            &["\"next_state\":\"ALARM\",\"prev_state\":\"ENABLED\""],
        );
        records.replace(at, "ALARM", "ENABLED");
        records.replace(at, "\"POLICY_BREACH\"", "null");
        place.forge(&records);
    }),
    ("a threshold changed", |place| {
        let mut records = place.records();
        let at = records
            .0
            .iter()
            .position(|(_, r)| r.contains("\"threshold\":4587520"));
        records.replace(
            at.unwrap(),
            "\"threshold\":4587520",
            "\"threshold\":4653057",
        );
        place.forge(&records);
    }),
    ("a policy left out", |place| {
        let mut records = place.records();
        let at = records
            .0
            .iter()
            .position(|(tag, _)| *tag == Tag::Policy)
            .unwrap();
        records.0.remove(at);
        records.renumber();
        place.forge(&records);
    }),
    ("a transition left out", |place| {
        let mut records = place.records();
        let at = records.find(Tag::Trans, &["\"next_state\":\"ALARM\""]);
        records.0.remove(at);
        records.renumber();
        place.forge(&records);
    }),
    ("sequences shifted", |place| {
        let mut records = place.records();
        let from = records.0.len() - 8;
        for (_, record) in &mut records.0[from..] {
            for seq in 1..40 {
                let (old, new) = (
                    format!("ledger_seq\":{seq},"),
                    format!("ledger_seq\":{},", seq + 100),
                );
                if record.contains(&old) {
                    *record = record.replace(&old, &new);
                    break;
                }
            }
        }
        records.rehash();
        place.forge(&records);
    }),
    ("the switches changed", |place| {
        let mut records = place.records();
        let own = fs::read_to_string(place.blob(configuration(place).as_bytes())).unwrap();
        let other = own.replace("\"permit_truncated\":false", "\"permit_truncated\":true");
        assert_ne!(own, other);
        store_blob(&place.blob(other.as_bytes()), other.as_bytes());
        fs::remove_file(place.blob(own.as_bytes())).unwrap();
        let [own, other] = [own, other].map(|text| hex_text(&sha256(text.as_bytes())));
        for (_, record) in &mut records.0 {
            *record = record.replace(&own, &other);
        }
        records.rehash();
        place.forge(&records);
    }),
    ("the manifest's bytes exchanged", |place| {
        store_blob(&place.blob(MANIFEST), b"{\"name\":\"plant/pump-4\"}");
    }),
    ("the manifest exchanged with the configuration", |place| {
        let mut records = place.records();
        let other = b"{\"name\":\"plant/pump-4\"}";
        let own = configuration(place);
        let [old, new] = [MANIFEST, other].map(|bytes| hex_text(&sha256(bytes)));
        let changed = own.replace(&old, &new);
        assert_ne!(own, changed);
        fs::remove_file(place.blob(MANIFEST)).unwrap();
        fs::remove_file(place.blob(own.as_bytes())).unwrap();
        store_blob(&place.blob(other), other);
        store_blob(&place.blob(changed.as_bytes()), changed.as_bytes());
        let [own, changed] = [own, changed].map(|text| hex_text(&sha256(text.as_bytes())));
        for (_, record) in &mut records.0 {
            *record = record.replace(&own, &changed);
        }
        records.rehash();
        place.forge(&records);
    }),
    ("the raw bytes of a refused answer exchanged", |place| {
        store_blob(&place.blob(RAW_ANSWER), b"\xff\xfe something else");
    }),
    ("the raw answer removed", |place| {
        fs::remove_file(place.blob(RAW_ANSWER)).unwrap();
    }),
    ("the raw answer exchanged with its record", |place| {
        exchange_raw_answer(place, RAW_ANSWER, b"\xff\xfe written later!");
    }),
    ("an admissible answer in place of a refused one", |place| {
        exchange_raw_answer(place, RAW_ANSWER, br#"{"value":5}"#);
    }),
    ("another answer in place of one that was cut", |place| {
        let (old, new) = (long_answer(), long_answer().replacen('5', "9", 1));
        exchange_raw_answer(place, old.as_bytes(), new.as_bytes());
    }),
    ("an answer shorter than the one that was cut", |place| {
        let (old, new) = (long_answer(), long_answer().replacen("xx", "", 1));
        exchange_raw_answer(place, old.as_bytes(), new.as_bytes());
    }),
    ("what is left of a cut answer changed", |place| {
        let mut records = place.records();
        let at = records.find(Tag::Obs, &["{\\\"value\\\":5,"]);
        records.replace(at, "\\\"value\\\":5,", "\\\"value\\\":6,");
        records.rehash();
        place.forge(&records);
    }),
    ("a cut answer cut once more", |place| {
        let mut records = place.records();
        let at = records.find(Tag::Obs, &["{\\\"value\\\":5,"]);
        let record = records.0[at].1.clone();
        let (begin, rest) = record.split_once("\"output\":\"").unwrap();
        let (output, end) = rest.split_once("\",\"output_size\"").unwrap();
        assert!(output.ends_with('x'), "{output}");
        records.0[at].1 = format!("{begin}\"output\":\"{{\\\"value\\\":5\",\"output_size\"{end}");
        records.rehash();
        place.forge(&records);
    }),
    ("the record of a raw answer left out", |place| {
        let mut records = place.records();
        let at = records.find(Tag::Proof, &["\"kind\":\"RAW\""]);
        records.0.remove(at);
        records.renumber();
        place.forge(&records);
    }),
    ("an input exchanged", |place| {
        store_blob(&place.blob(b"How fast?"), b"How slow?");
    }),
    ("all blobs removed", |place| {
        fs::remove_dir_all(place.path("l.jsonl.blobs")).unwrap();
    }),
    ("a file added to the blobs", |place| {
        store_blob(&place.blob(b"never asked"), b"never asked");
    }),
    ("the last step cut off", |place| {
        let mut records = place.records();
        let at = records
            .0
            .iter()
            .rposition(|(tag, _)| *tag == Tag::Obs)
            .unwrap();
        records.0.truncate(at);
        fs::remove_file(place.blob(RAW_ANSWER)).unwrap();
        place.forge(&records);
    }),
    ("the last decision cut off", |place| {
        let mut records = place.records();
        let last = records
            .0
            .iter()
            .rposition(|(tag, _)| *tag == Tag::Trans)
            .unwrap();
        records.0.truncate(last);
        place.forge(&records);
    }),
    ("the last step replaced by one of another run", |place| {
        let mut records = place.records();
        let last = records.0.iter().rposition(|(tag, _)| *tag == Tag::Obs);
        records.0.truncate(last.unwrap());
        fs::remove_file(place.blob(RAW_ANSWER)).unwrap();
        place.forge(&records);
        place.observe(r#"{"value":1}"#);
    }),
    ("the end of a ledger in another state spliced on", |place| {
        let other = Place::new();
        other.run("control mitigate --ledger l.jsonl", b"");
        let (mut records, other) = (place.records(), other.records());
        let answer = records.find(Tag::Obs, &["{\\\"value\\\":69}"]);
        let begin = records.0.len();
        records.0.truncate(answer);
        records.0.extend_from_slice(&other.0[begin..]);
        records.renumber();
        place.forge(&records);
    }),
    (
        "an answer exchanged for one with the same decision",
        |place| {
            let mut records = place.records();
            let at = records.find(Tag::Obs, &["{\\\"value\\\":42}"]);
            records.replace(at, "\\\"value\\\":42", "\\\"value\\\":43");
            for (_, record) in &mut records.0 {
                *record = record.replace("\"actual\":2752512", "\"actual\":2818048");
            }
            records.rehash();
            place.forge(&records);
        },
    ),
    ("the model behind 40 oracles exchanged", |place| {
        let question = CanonicalInput::new(b"", InputKind::Text).unwrap();
        let mut session = Session::open(&place.path("l.jsonl"), None).unwrap();
        for number in (0..40).chain([39]) {
            let call = OracleCall {
                oracle_id: format!("oracle-{number}"),
                model_id: "m-1".to_owned(),
                params: Params::NULL,
                input: question.clone(),
            };
            session
                .observe(&call, OracleReply::Answer(b"{\"value\":1}"))
                .unwrap();
        }
        drop(session);
        let mut records = place.records();
        let is_last =
            |(tag, record): &(Tag, String)| *tag == Tag::Obs && record.contains("oracle-39");
        let at = records.0.iter().rposition(is_last).unwrap();
        records.replace(at, "\"m-1\"", "\"m-2\"");
        records.rehash();
        place.forge(&records);
    }),
    ("the whole ledger written anew", |place| {
        let forged = Place::begun_at(1001);
        fs::copy(forged.path("l.jsonl"), place.path("l.jsonl")).unwrap();
    }),
];

fn configuration(place: &Place) -> String {
    let report = place.axilog("replay l.jsonl --json", b"").1;
    let report: Value = serde_json::from_str(&report).unwrap();
    let hash = report["configuration"].as_str().unwrap();
    let path = place.path("l.jsonl.blobs").join(&hash[..2]).join(hash);
    fs::read_to_string(path).unwrap()
}
