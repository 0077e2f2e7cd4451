//! Forgeries: ledgers that somebody rewrote and chained anew, and evidence beside them that somebody exchanged.
//!
//! `docs/assurance.md` has the table of who finds what; this suite forges each row of it and compares.

mod forger;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use axilog::admission::InputKind;
use axilog::evidence::observation::Params;
use axilog::hash::{Tag, sha256};
use axilog_ledger::file::blobs::BlobStore;
use axilog_ledger::input::CanonicalInput;
use axilog_ledger::session::{OracleCall, OracleReply, Session};
use forger::{Records, hex_text};
use serde_json::Value;
use tempfile::TempDir;

const POLICIES: &[u8] =
    br#"[{"comparison":"GT","enabled":true,"policy_id":"P-1","threshold":4587520},{"comparison":"LT","enabled":true,"policy_id":"P-2","threshold":0}]"#;

/// The beginning of an answer that is too long for its record.
const LONG_ANSWER: &str = "{\"value\":5,\"why\":\"";

/// An answer that is no text: its record does not hold it.
const RAW_ANSWER: &[u8] = b"\xff\xfe as it came";

/// The manifest of the ledger.
const MANIFEST: &[u8] = b"{\"name\":\"plant/pump-3\",\"note\":\"trial\"}";

/// A directory with a ledger `l.jsonl` that the command made.
struct Place(TempDir);

/// The words of the table.
const FOUND: &str = "found";
const PASSES: &str = "passes";

impl Place {
    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn axilog(&self, line: &str, stdin: &[u8]) -> (i32, String) {
        fs::write(self.path("stdin"), stdin).unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_axilog"))
            .args(line.split_whitespace())
            .current_dir(self.0.path())
            .stdin(fs::File::open(self.path("stdin")).unwrap())
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        (output.status.code().unwrap(), text)
    }

    fn run(&self, line: &str, stdin: &[u8]) {
        self.axilog(line, stdin);
    }

    fn observe(&self, answer: &str) {
        self.run(
            "observe --ledger l.jsonl --oracle-id llm --model-id m-1",
            answer.as_bytes(),
        );
    }

    /// A ledger with permitted answers, a breach, the way back from it, an answer that is cut, and an inadmissible one.
    fn new() -> Place {
        Place::begun_at(1000)
    }

    fn begun_at(time: u64) -> Place {
        let place = Place(tempfile::tempdir().unwrap());
        fs::write(place.path("p.json"), POLICIES).unwrap();
        let init = format!(
            "init l.jsonl --policies p.json --time {time} --name plant/pump-3 --note trial"
        );
        place.run(&init, b"");
        fs::write(place.path("question"), "How fast?").unwrap();
        place.run(
            "observe --ledger l.jsonl --oracle-id llm --model-id m-1 --input question",
            br#"{"value":42}"#,
        );
        place.observe(r#"{"value":69}"#);
        place.observe(r#"{"value":71}"#);
        place.run("control mitigate --ledger l.jsonl", b"");
        place.run("control reset --ledger l.jsonl", b"");
        place.run("time 2000 --ledger l.jsonl", b"");
        place.observe(&long_answer());
        place.run(
            "observe --ledger l.jsonl --oracle-id llm --model-id m-1",
            RAW_ANSWER,
        );
        assert_eq!(
            place.axilog("audit l.jsonl", b"").0,
            0,
            "the ledger as made"
        );
        place
    }

    fn records(&self) -> Records {
        Records::read(&self.path("l.jsonl"))
    }

    fn forge(&self, records: &Records) {
        let forged = records.chained();
        assert_ne!(forged, fs::read(self.path("l.jsonl")).unwrap());
        fs::write(self.path("l.jsonl"), forged).unwrap();
    }

    fn blob(&self, bytes: &[u8]) -> PathBuf {
        BlobStore::of_ledger(&self.path("l.jsonl")).path(&sha256(bytes))
    }

    fn head(&self) -> (u64, String) {
        let head: Value = serde_json::from_str(&self.axilog("head l.jsonl --json", b"").1).unwrap();
        (
            head["entries"].as_u64().unwrap(),
            head["head"].as_str().unwrap().to_owned(),
        )
    }

    /// What each way of checking says: the columns of the table.
    fn judge(&self, noted: &(u64, String)) -> [&'static str; 6] {
        let (entries, head) = noted;
        [
            "verify l.jsonl --blobs".to_owned(),
            "replay l.jsonl".to_owned(),
            "report l.jsonl --output page.html".to_owned(),
            "audit l.jsonl".to_owned(),
            "audit l.jsonl --policies p.json".to_owned(),
            format!("audit l.jsonl --extends {entries}:{head}"),
        ]
        .map(|line| match self.axilog(&line, b"") {
            (0, _) => PASSES,
            (1, text) => {
                assert!(!text.is_empty());
                FOUND
            }
            (code, _) => panic!("{line}: exit code {code}"),
        })
    }
}

/// The answer that is too long for its record.
fn long_answer() -> String {
    format!("{LONG_ANSWER}{}\"}}", "x".repeat(70_000))
}

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

/// A forgery: its name in the table, and what it does to a good ledger.
type Forgery = (&'static str, fn(&Place));

fn store_blob(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

fn is_decision((tag, _): &(Tag, String)) -> bool {
    matches!(tag, Tag::Policy | Tag::Trans)
}

const FORGERIES: &[Forgery] = &[
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

/// The rows of the table in `docs/assurance.md`: a name and six words.
fn rows_of_the_page() -> Vec<(String, Vec<String>)> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/assurance.md");
    let page = fs::read_to_string(page).unwrap();
    let (_, table) = page
        .split_once("| forgery |")
        .expect("the table of forgeries");
    let rows = table
        .lines()
        .skip(2)
        .take_while(|line| line.starts_with('|'));
    rows.map(|row| {
        let mut cells = row
            .trim_matches('|')
            .split('|')
            .map(|cell| cell.trim().to_owned());
        (cells.next().unwrap(), cells.collect())
    })
    .collect()
}

#[test]
fn who_finds_what_is_as_the_page_says() {
    let found: Vec<(String, Vec<String>)> = FORGERIES
        .iter()
        .map(|(name, forge)| {
            let place = Place::new();
            let noted = place.head();
            assert_eq!(place.judge(&noted), [PASSES; 6], "before: {name}");
            forge(&place);
            let words = place.judge(&noted).map(str::to_owned).to_vec();
            println!("| {name} | {} |", words.join(" | "));
            ((*name).to_owned(), words)
        })
        .collect();
    assert_eq!(found, rows_of_the_page());
}
