//! `axilog x0l canonicalize`.

use axilog::hash::sha256;
use axilog_ledger::encoding::hex;

use crate::bench::Bench;

const COMMAND: &str = "x0l canonicalize";

#[test]
fn an_accepted_text_gives_its_object_and_hashes() {
    let raw = "Here:\r\n```\r\n{\"b\": 1e21, \"a\": \"}\\u0041\"}\r\n```\r\n";
    let run = Bench::new().run_with(COMMAND, raw.as_bytes()).exits(0);
    let canonical = r#"{"a":"}A","b":1e+21}"#;
    let block = r#""{\"b\": 1e21, \"a\": \"}\\u0041\"}""#;
    let expected = format!(
        "{{\"block\":{block},\"canonicalized_hash\":\"{}\",\"json\":{canonical},\"raw_hash\":\"{}\",\"status\":\"OK\"}}\n",
        hex(&sha256(canonical.as_bytes())),
        hex(&sha256(raw.as_bytes())),
    );
    assert_eq!(run.stdout, expected);
    assert_eq!(run.stderr, "");
}

#[test]
fn a_rejected_text_gives_the_reason() {
    for (raw, status) in [
        ("", "NO_JSON"),
        ("I would rather not.", "NO_JSON"),
        ("{} {}", "AMBIGUOUS_MULTI_BLOCK"),
        ("{\"a\":", "PARSE_ERROR"),
        ("{\"a\":1,\"a\":2}", "PARSE_ERROR"),
    ] {
        let report = Bench::new()
            .run_with(COMMAND, raw.as_bytes())
            .exits(1)
            .json();
        assert_eq!(report["status"], status, "{raw}");
        assert_eq!(report["raw_hash"], hex(&sha256(raw.as_bytes())));
        assert_eq!(report.as_object().unwrap().len(), 2);
    }
}

#[test]
fn bytes_that_are_not_utf_8_are_refused() {
    let run = Bench::new().run_with(COMMAND, b"{\"a\":\"\xff\"}").exits(2);
    assert_eq!(run.stdout, "");
    run.says("standard input is not UTF-8 at byte 6");
}
