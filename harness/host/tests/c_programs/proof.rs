//! Proofs of a record, made as the command makes them and checked by C.

use std::fs;
use std::fs::File;
use std::path::Path;

use axilog::admission::InputKind;
use axilog::evidence::observation::Params;
use axilog_heads::{LogKey, RecordProof, SigningRequest, prove_record, sign_ledger};
use axilog_ledger::input::CanonicalInput;
use axilog_ledger::session::{OracleCall, OracleReply, Session};
use serde_json::Value;

use crate::build::{Place, linkages};

const NAME: &str = "example.com/plant";

/// Makes a ledger of 11 records, and a proof of its record 5, in the files that proof.c takes. Gives the public key.
fn make_proof(place: &Place) -> String {
    let ledger = place.path("ledger.jsonl");
    let (mut session, _) = Session::open_or_create(&ledger, None, 1).unwrap();
    for answer in ["{\"value\": 60}", "{\"value\": 61}"] {
        let call = OracleCall {
            oracle_id: "llm".to_owned(),
            model_id: "model-1".to_owned(),
            params: Params::NULL,
            input: CanonicalInput::new(b"How fast?", InputKind::Text).unwrap(),
        };
        let reply = OracleReply::Answer(answer.as_bytes());
        session.observe(&call, reply).unwrap();
    }
    drop(session);
    let key = LogKey::create(&place.path("plant.key"), NAME).unwrap();
    let request = SigningRequest {
        ledger: &ledger,
        key: &key,
        origin: Some(NAME),
        earlier: None,
    };
    let mut source = File::open(&ledger).unwrap();
    let checkpoint = sign_ledger(&mut source, &request).unwrap().checkpoint;
    let proof = prove_record(&mut source, &ledger, 5, checkpoint)
        .unwrap()
        .proof;
    fs::write(place.path("the.line"), proof.record_line().unwrap()).unwrap();
    let bytes = proof.to_bytes();
    let bare = RecordProof::parse(&bytes).unwrap().without_record();
    fs::write(place.path("the.proof"), bytes).unwrap();
    fs::write(place.path("the.bare"), bare.to_bytes()).unwrap();
    key.verifier_key().to_string()
}

#[test]
fn c_checks_proofs_of_a_record() {
    for linkage in linkages() {
        let place = Place::new();
        let key = make_proof(&place);
        let files = ["the.proof", "the.bare", "the.line"].map(|name| place.path(name));
        let [proof, bare, line] = files.each_ref().map(|path| path.to_str().unwrap());
        let program = place.build(Path::new("tests/c_programs/proof.c"), linkage);
        let printed = program.run(&[proof, bare, line, &key]);
        let (shown, holding) = printed.split_once('\n').unwrap();
        let shown: Value = serde_json::from_str(shown).unwrap();
        let line: Value = serde_json::from_slice(&fs::read(line).unwrap()).unwrap();
        assert_eq!(shown["origin"], NAME);
        assert_eq!([&shown["seq"], &shown["size"]], [5, 11]);
        assert_eq!(shown["commit"], line["commit"]);
        let record: Value = serde_json::from_str(shown["record"].as_str().unwrap()).unwrap();
        assert_eq!(record, line["record"]);
        // The line's chain value alone is not proven. All its digits but these two are still digits with another last bit.
        let chain = line["chain"].as_str().unwrap();
        let unproven = chain.chars().filter(|digit| !['a', 'f'].contains(digit));
        assert_eq!(holding.trim_end(), unproven.count().to_string());
    }
}
