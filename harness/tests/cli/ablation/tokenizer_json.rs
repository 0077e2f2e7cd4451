//! A run counted in the tokens of a tokenizer that a `tokenizer.json` describes.

use serde_json::Value;

use crate::bench::Bench;
use crate::byte_level_tokenizer::describe_byte_level;

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
