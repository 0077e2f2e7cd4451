//! Constitutions.

use axilog::hash::sha256;
use axilog_x0l::kernel::{Constitution, CycleLimits, FieldType};

use crate::scene::SHIPPED;

#[test]
fn the_shipped_constitution_is_read_and_pinned_by_its_bytes() {
    let found = Constitution::parse(SHIPPED).unwrap();
    assert_eq!(found.hash, sha256(SHIPPED.as_bytes()));
    assert_eq!(found.version, "0.1.0");
    assert_eq!(found.citation("CL-NOTIFY"), "constitution:0.1.0#CL-NOTIFY");
    assert_eq!(found.clauses.len(), 3);
    assert_eq!(found.limits, CycleLimits::default());
    assert_eq!(found.limits.max_total_tokens_per_cycle, 6000);
    let notify = &found.action_types["Notify"];
    assert_eq!(notify.fields[1].kind, FieldType::Text);
    assert_eq!(notify.fields[1].max_len, Some(280));
    assert!(found.action_types["Halt"].kernel_only);
}

#[test]
fn a_constitution_in_json_equals_the_one_in_toml() {
    let json = r#"{"version":"1","clauses":[{"id":"A","text":"a"}],
        "action_types":[{"name":"Go","fields":[{"name":"n","type":"integer"}]}],
        "limits":{"max_candidates":2}}"#;
    let toml = "version = '1'\n[[clauses]]\nid = 'A'\ntext = 'a'\n[[action_types]]\nname = 'Go'\n\
                fields = [{ name = 'n', type = 'integer' }]\n[limits]\nmax_candidates = 2";
    let (one, other) = (
        Constitution::parse(json).unwrap(),
        Constitution::parse(toml).unwrap(),
    );
    assert_eq!(
        one,
        Constitution {
            hash: one.hash,
            ..other
        }
    );
    assert_eq!(one.limits.max_candidates, 2);
    assert_eq!(one.limits.max_total_tokens_per_cycle, 6000);
}

#[test]
fn a_malformed_constitution_is_refused_with_the_reason() {
    let change = |from: &str, to: &str| {
        assert!(SHIPPED.contains(from), "{from}");
        SHIPPED.replacen(from, to, 1)
    };
    for (text, reason) in [
        (String::new(), "missing field `version`"),
        ("{".to_owned(), "EOF"),
        (change("version = ", "verison = "), "verison"),
        (change("\"boolean\"", "\"maybe\""), "maybe"),
        (change("\"0.1.0\"", "\"0.1#0\""), "the version \"0.1#0\""),
        (change("CL-NOTES", "CL NOTES"), "the clause \"CL NOTES\""),
        (
            change("\"CL-NOTES\"", "\"CL-NOTIFY\""),
            "the clause \"CL-NOTIFY\": is there twice",
        ),
        (
            change("\"ReadNote\"", "\"Notify\""),
            "the action type \"Notify\": is there twice",
        ),
        (
            change("name = \"to\"", "name = \"message\""),
            "the field \"message\": is there twice",
        ),
        (
            change("type = \"boolean\"", "type = \"boolean\"\nmax_len = 3"),
            "\"urgent\": max_len",
        ),
        (
            change("\"./inbox\"", "\"../inbox\""),
            "the root \"../inbox\"",
        ),
        (change("\"./inbox\"", "\"\""), "the root \"\""),
        (
            "version = '1'\nclauses = []\naction_types = []".to_owned(),
            "no clause",
        ),
    ] {
        let error = Constitution::parse(&text).unwrap_err().to_string();
        assert!(error.contains(reason), "{reason} in {error}");
    }
    // Where it is wrong is said.
    let error = Constitution::parse("version = '1'\nclauses = [")
        .unwrap_err()
        .to_string();
    assert!(error.contains("line 2"), "{error}");
}
