//! Another tokenizer in the place of `tiktoken-rs`: one that a `tokenizer.json` describes.

use axilog_oracle::tokens::{Tokenizer, TokenizerJson, open};
use serde_json::{Map, Value, json};

use crate::bench::Bench;

/// A byte-level tokenizer: a token for each byte, in the letters that GPT-2 gives them, and one for " X".
fn byte_level(control: &[&str]) -> String {
    let mut vocabulary = Map::new();
    let mut next = 256;
    for byte in 0..=255_u32 {
        let letter = match byte {
            33..=126 | 161..=172 | 174..=255 => byte,
            _ => {
                next += 1;
                next - 1
            }
        };
        let letter = char::from_u32(letter).unwrap();
        vocabulary.insert(letter.to_string(), byte.into());
    }
    vocabulary.insert("ĠX".to_owned(), 256.into());
    let control = control.iter().enumerate().map(|(n, text)| {
        json!({
            "id": 1000 + n, "content": text, "single_word": false, "lstrip": false, "rstrip": false,
            "normalized": false, "special": true,
        })
    });
    json!({
        "version": "1.0",
        "truncation": { "direction": "Right", "max_length": 8, "strategy": "LongestFirst", "stride": 0 },
        "padding": null,
        "added_tokens": control.collect::<Vec<Value>>(),
        "normalizer": null,
        "pre_tokenizer": { "type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true },
        "post_processor": null,
        "decoder": { "type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true },
        "model": {
            "type": "BPE", "dropout": null, "unk_token": null, "continuing_subword_prefix": null,
            "end_of_word_suffix": null, "fuse_unk": false, "byte_fallback": false,
            "vocab": vocabulary, "merges": ["Ġ X"],
        },
    })
    .to_string()
}

#[test]
fn a_file_is_read_and_text_is_text() {
    let bench = Bench::new();
    let path = bench.path("t.json");
    bench.write("t.json", byte_level(&["<s>"]));
    let tokenizer = TokenizerJson::read(&path).unwrap();
    assert_eq!(tokenizer.encode("ab X").unwrap(), [97, 98, 256]);
    // Longer than what the file would cut at, and no control token.
    let text = "é <s> 条約";
    let bytes: Vec<u32> = text.bytes().map(u32::from).collect();
    assert_eq!(tokenizer.encode(text).unwrap(), bytes);
    assert!(
        tokenizer
            .version()
            .starts_with("tokenizers 0.22.2, sha256 ")
    );
    assert_eq!(tokenizer.id(), path.to_string_lossy());
    bench.write("other.json", byte_level(&[]));
    let other = TokenizerJson::read(&bench.path("other.json")).unwrap();
    assert_ne!(other.version(), tokenizer.version());

    for bad in ["", "{}", "{\"model\":1}"] {
        bench.write("bad.json", bad);
        let path = bench.path("bad.json");
        let error = open(&path.to_string_lossy()).unwrap_err().to_string();
        assert!(error.contains("bad.json: is no tokenizer.json"), "{error}");
    }
}

/// The version that runs record is the one that is built in.
#[test]
fn the_version_is_the_packages() {
    let lock =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.lock")).unwrap();
    assert!(lock.contains("name = \"tokenizers\"\nversion = \"0.22.2\""));
}

#[test]
fn a_whole_ablation_runs_in_its_tokens() {
    let bench = Bench::new();
    bench.write("t.json", byte_level(&[]));
    let calibrate = "ablation calibrate --oracle agent:precedent --model some-model --tokenizer t.json --out N.json --json";
    let found = bench.run(calibrate).exits(0).json();
    let lengths = &found["calibration"];
    // A byte each: longer than the floor.
    assert!(
        lengths["situation_length"].as_u64().unwrap() > 700,
        "{found}"
    );
    let run =
        "ablation run --oracle agent:precedent --calibration N.json --seeds 1 --episodes 1 --out r";
    bench.run(run).exits(0);
    bench.run("ablation replay r").exits(0);
    let document: Value = serde_json::from_slice(&bench.read("r/baseline/run.json")).unwrap();
    assert_eq!(document["result"]["token_jitter"], 0);
    assert_eq!(document["header"]["held"]["tokenizer"], "t.json");
    // The file may not change under a run.
    bench.write("t.json", byte_level(&["<s>"]));
    bench
        .run("ablation replay r")
        .exits(3)
        .says("made with tokenizers 0.22.2, sha256");
    bench
        .run(&run.replace("--out r", "--out s"))
        .exits(2)
        .says("tokenizer version");
    // Where " X" is two tokens it cannot pad.
    bench.write("two.json", byte_level(&[]).replace("\"Ġ X\"", ""));
    bench
        .run("ablation preflight --tokenizer two.json")
        .exits(1);
}
