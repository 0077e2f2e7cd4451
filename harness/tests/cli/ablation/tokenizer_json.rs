//! A run counted in the tokens of a tokenizer that a `tokenizer.json` describes.

use std::path::Path;

use axilog_ledger::file::blobs::BlobStore;
use axilog_oracle::tokens::{Tokenizer, open_tokenizer};
use axilog_testkit::harness::byte_level_tokenizer::describe_byte_level;
use axilog_testkit::harness::tokenizer_families::describe_families;
use serde_json::Value;

use crate::bench::Bench;

#[test]
fn a_whole_ablation_runs_in_its_tokens() {
    let bench = Bench::new();
    bench.write("t.json", describe_byte_level(&[]));
    let calibrate = "ablation calibrate --oracle agent:precedent --model some-model --tokenizer t.json --out N.json --json";
    let found = bench.run(calibrate).exits(0).json();
    // A token for each byte makes situations longer than the least length.
    let length = &found["calibration"]["situation_length"];
    assert!(length.as_u64().unwrap() > 700, "{found}");
    let run = "ablation run --oracle agent:precedent --calibration N.json --seeds 1 --pilot --episodes 1 --out r";
    bench.run(run).exits(0);
    bench.run("ablation replay r").exits(0);
    let document: Value = serde_json::from_slice(&bench.read("r/baseline/run.json")).unwrap();
    assert_eq!(document["result"]["token_jitter"], 0);
    assert_eq!(document["header"]["held"]["tokenizer"], "t.json");
    // Calibration and run have copies, so that the file may change or go, and they are held to its digest.
    let other = describe_byte_level(&["<s>"]);
    bench.write("t.json", &other);
    bench.run("ablation replay r").exits(0);
    bench.run(&run.replace("--out r", "--out s")).exits(0);
    let copy = bench.read("r/baseline/calibration.json.tokenizer.json");
    bench.write("r/baseline/calibration.json.tokenizer.json", &other);
    bench
        .run("ablation replay r")
        .exits(1)
        .says("its SHA-256 is");
    std::fs::remove_file(bench.path("r/baseline/calibration.json.tokenizer.json")).unwrap();
    bench
        .run("ablation replay r")
        .exits(1)
        .says("its SHA-256 is");
    bench.write("r/baseline/calibration.json.tokenizer.json", copy);
    bench.run("ablation replay r").exits(0);
    // Where " X" is two tokens it cannot pad.
    bench.write("two.json", describe_byte_level(&[]).replace("\"Ġ X\"", ""));
    bench
        .run("ablation preflight --tokenizer two.json")
        .exits(1);
}

/// Reads the user's messages that a run put to its oracle, in order.
fn read_messages(run: &Path) -> Vec<String> {
    let document = std::fs::read(run.join("run.json")).unwrap();
    let document: Value = serde_json::from_slice(&document).unwrap();
    let blobs = BlobStore::of_ledger(&run.join("ledger.jsonl"));
    let steps = document["seeds"][0]["episodes"][0]["steps"].as_array();
    let read_message = |step: &Value| {
        let hash = step["input_hash"].as_str().unwrap();
        let hash: Vec<u8> = (0..32)
            .map(|n| u8::from_str_radix(&hash[2 * n..2 * n + 2], 16).unwrap())
            .collect();
        let input = blobs.read(&hash.try_into().unwrap(), 1 << 20).unwrap();
        let messages: Value = serde_json::from_slice(&input.unwrap()).unwrap();
        messages[1]["content"].as_str().unwrap().to_owned()
    };
    steps.unwrap().iter().map(read_message).collect()
}

/// Checks the prompts of a run: all have as many tokens, and so have their beginnings up to the end of each segment.
fn check_segments(tokenizer: &dyn Tokenizer, messages: &[String], lengths: [u64; 2], family: &str) {
    let count = |text: &str| tokenizer.count(text).unwrap();
    let head = count("PRECEDENT\n");
    let whole = count(&messages[0]);
    let (mut records, mut between) = (0, None);
    for message in messages {
        let (first, rest) = message.split_once(" END\nSITUATION\n").unwrap();
        assert_eq!(count(first), head + lengths[0], "{family}: {first}");
        records += usize::from(first.contains('{'));
        let (situation, _) = rest.rsplit_once(" END\nAnswer").unwrap();
        let second = format!("{first} END\nSITUATION\n{situation}");
        let marker = count(&second) - head - lengths[0] - lengths[1];
        assert_eq!(*between.get_or_insert(marker), marker, "{family}");
        assert_eq!(count(message), whole, "{family}");
    }
    assert!(records > 40 && messages.len() == 50, "{family}: {records}");
}

/// Prompts keep their length in every family of tokenizers, also where it puts a space before each text that it is
/// given alone, or has small letters only.
#[test]
fn families_of_tokenizers_work_in_context() {
    let bench = Bench::new();
    let families = describe_families();
    assert_eq!(families.len(), 10);
    for (family, description) in families {
        let file = format!("{family}.json");
        bench.write(&file, description);
        let calibrate = format!(
            "ablation calibrate --oracle agent:precedent --model m --tokenizer {file} --out {family}.N --json"
        );
        let found = bench.run(&calibrate).exits(0).json();
        let lengths = ["precedent_length", "situation_length"]
            .map(|name| found["calibration"][name].as_u64().unwrap());
        let run = format!(
            "ablation run --oracle agent:precedent --calibration {family}.N --seeds 1 --episodes 1 --variant baseline --out {family}"
        );
        bench.run(&run).exits(0);
        bench.run(&format!("ablation replay {family}")).exits(0);
        let tokenizer = open_tokenizer(&bench.path(&file).to_string_lossy()).unwrap();
        let messages = read_messages(&bench.path(&format!("{family}/baseline")));
        check_segments(&*tokenizer, &messages, lengths, family);
    }
}

/// A tokenizer in which the padding does not work is refused with what was found.
#[test]
fn a_tokenizer_is_refused_for_its_true_reason() {
    let bench = Bench::new();
    let families = describe_families();
    let family = |name: &str| &families.iter().find(|(n, _)| *n == name).unwrap().1;
    // Without a token of its own for " X".
    let two = family("llama2").replace("\"▁ X\",", "");
    // The token joins two of them.
    let joins = family("mistral").replace("\"▁ X\",", "\"▁ X\",\"▁X ▁X\",");
    let joins = joins.replace("\"▁X\":", "\"▁X▁X\":9999,\"▁X\":");
    // The token joins the end of a line before it.
    let line = family("gpt2").replace(
        "\"type\":\"ByteLevel\",\"use_regex\":true",
        "\"type\":\"ByteLevel\",\"use_regex\":false",
    );
    let line = line
        .replace("\"Ġ X\",", "\"Ċ Ġ\",\"Ġ X\",")
        .replace("\"Ċ\":", "\"ĊĠ\":9999,\"Ċ\":");
    for (file, expected) in [
        (two, "it is 2 tokens in a prompt"),
        (joins, "2 in a row are 1 tokens"),
        (line, "changes the tokens of \"PRECEDENT\\n\""),
    ] {
        bench.write("t.json", file);
        let run = bench
            .run("ablation preflight --tokenizer t.json --json")
            .exits(1);
        let found = run.json();
        assert_eq!(found["reason"], "PAD_UNSTABLE");
        let detail = found["detail"].as_str().unwrap();
        assert!(detail.contains(expected), "{detail}");
    }
}
