//! A run counted in the tokens of a tokenizer that a `tokenizer.json` describes.

use serde_json::{Map, Value, json};

use crate::bench::Bench;

/// Describes a byte-level tokenizer: a token for each byte, written as GPT-2 writes bytes, a token for
/// " X", and the tokens `control`.
fn describe_byte_level(control: &[&str]) -> String {
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
fn a_whole_ablation_runs_in_its_tokens() {
    let bench = Bench::new();
    bench.write("t.json", describe_byte_level(&[]));
    let calibrate = "ablation calibrate --oracle agent:precedent --model some-model --tokenizer t.json --out N.json --json";
    let found = bench.run(calibrate).exits(0).json();
    // A token for each byte makes situations longer than the least length.
    let length = &found["calibration"]["situation_length"];
    assert!(length.as_u64().unwrap() > 700, "{found}");
    let run =
        "ablation run --oracle agent:precedent --calibration N.json --seeds 1 --episodes 1 --out r";
    bench.run(run).exits(0);
    bench.run("ablation replay r").exits(0);
    let document: Value = serde_json::from_slice(&bench.read("r/baseline/run.json")).unwrap();
    assert_eq!(document["result"]["token_jitter"], 0);
    assert_eq!(document["header"]["held"]["tokenizer"], "t.json");
    // The file may not change under a run.
    bench.write("t.json", describe_byte_level(&["<s>"]));
    bench
        .run("ablation replay r")
        .exits(3)
        .says("made with tokenizers 0.22.2, sha256");
    bench
        .run(&run.replace("--out r", "--out s"))
        .exits(2)
        .says("tokenizer version");
    // Where " X" is two tokens it cannot pad.
    bench.write("two.json", describe_byte_level(&[]).replace("\"Ġ X\"", ""));
    bench
        .run("ablation preflight --tokenizer two.json")
        .exits(1);
}
