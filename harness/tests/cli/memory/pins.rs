//! What `rebuild` and gate G6 want to know of the machine's pins.

use super::commands::MemoryDirectory;

/// Nobody has to say it of a pin of the memory's own, and each pin of the machine is asserted without being asked for.
#[test]
fn a_rebuild_and_g6_want_to_know_what_the_machine_has() {
    let place = MemoryDirectory::new();
    place.run_with_code(0, &["rebuild", "m.db"]);
    let pin = r#"{"name":"llm","value":"model-7"}"#;
    place.run_with_code(0, &["event", "m.db", "PIN", pin]);
    for command in [["rebuild", "m.db"].as_slice(), &["gate", "m.db", "G6"]] {
        let (printed, error) = place.run_with_code(1, command);
        let told = printed + &error;
        assert!(
            told.contains("--pin llm=VALUE") && told.contains("--absent-pin llm"),
            "{told}"
        );
        for (code, pin) in [
            (0, ["--pin", "llm=model-7"]),
            (1, ["--pin", "llm=model-8"]),
            (0, ["--absent-pin", "llm"]),
        ] {
            place.run_with_code(code, &[command, &pin].concat());
        }
    }
    let absent = ["rebuild", "m.db", "--absent-pin", "llm"];
    assert_eq!(place.run_json(0, &absent)["absent_pins"][0], "llm");
    let (printed, _) = place.run_with_code(0, &absent);
    assert!(printed.contains("absent pins     llm"), "{printed}");
}
