//! Whose tokens are counted: a model's own, or nobody's.

use axilog::hash::sha256;
use serde_json::Value;

use crate::bench::Bench;

/// Every command that opens a tokenizer refuses one that is not the model's, and names both.
#[test]
fn a_known_model_with_another_tokenizer_is_refused() {
    let bench = Bench::new();
    let says = |line: &str, named: &str| {
        bench.run(line).exits(2).says(&format!(
            "the model \"gpt-4o\" counts its tokens with o200k_base, and \"{named}\" was named"
        ));
    };
    let options = "--model gpt-4o --tokenizer cl100k_base";
    says(&format!("ablation preflight {options}"), "cl100k_base");
    let agent = "--oracle agent:precedent";
    let calibrate = format!("ablation calibrate {agent} --out");
    says(&format!("{calibrate} N.json {options}"), "cl100k_base");
    assert!(!bench.exists("N.json") && !bench.exists("N.json.ledger.jsonl"));
    let run = |options: &str| {
        format!("ablation run {agent} --seeds 1 --episodes 1 --variant b --out r {options}")
    };
    // The calibration is another model's, of which nothing is known.
    bench
        .run(&format!(
            "{calibrate} other.json --model m --tokenizer cl100k_base"
        ))
        .exits(0);
    says(
        &run(&format!("--calibration other.json {options}")),
        "cl100k_base",
    );
    // The calibration is this model's, from a version of the command that did not look.
    let mut calibration: Value = serde_json::from_slice(&bench.read("other.json")).unwrap();
    calibration["model_id"] = "gpt-4o".into();
    let members = calibration.as_object_mut().unwrap();
    members.remove("hash");
    let digest = sha256(serde_json::to_string(members).unwrap().as_bytes());
    let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    members.insert("hash".to_owned(), digest.into());
    bench.write("old.json", serde_json::to_string(members).unwrap() + "\n");
    says(
        &run("--calibration old.json --model gpt-4o --tokenizer cl100k_base"),
        "cl100k_base",
    );
    says(&run("--calibration old.json --model gpt-4o"), "cl100k_base");
    says("ablation preflight --calibration old.json", "cl100k_base");
    assert!(!bench.exists("r"));
    // Its own may be named.
    bench
        .run("ablation preflight --model gpt-4o --tokenizer o200k_base")
        .exits(0);
}

/// A tokenizer that comes from a calibration is not exchanged for another one either, whoever the model is.
#[test]
fn a_calibration_with_another_tokenizer_is_refused() {
    let bench = Bench::new();
    let agent = "--oracle agent:precedent --model m";
    bench
        .run(&format!(
            "ablation calibrate {agent} --tokenizer cl100k_base --out N.json"
        ))
        .exits(0);
    for line in [
        format!("ablation run {agent} --calibration N.json --tokenizer o200k_base --out r"),
        "ablation preflight --calibration N.json --model m --tokenizer o200k_base".to_owned(),
    ] {
        bench
            .run(&line)
            .exits(2)
            .says("was made with the tokenizer \"cl100k_base\", and this is \"o200k_base\"");
    }
    // A preflight of the calibration alone takes the tokenizer from it.
    let found = bench
        .run("ablation preflight --calibration N.json --json")
        .exits(0)
        .json();
    assert_eq!(found["basis"]["tokenizer"], "cl100k_base");
}
