//! Catalogues: the built-in one, others, and what is none.

use std::fs;
use std::path::Path;

use axilog_bundle::BundleRequest;
use axilog_bundle::catalogue::Catalogue;

use crate::place::{build, catalogue};

const OWN: &str = r#"
contracts = ["own.md"]
[[step]]
id = 40
name = "own"
mission = "Cafe\u0301."
schema_excerpt = "s"
grammar = "own.gbnf"
fallback_grammar = "json_generic.gbnf"
guardrails = []
key_metrics = ["b", "a"]
"#;

fn read(text: &str) -> Result<Catalogue, String> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("c.toml");
    fs::write(&path, text).unwrap();
    Catalogue::read(&path)
        .map_err(|error| error.to_string().replace(path.to_str().unwrap(), "c.toml"))
}

#[test]
fn what_the_built_in_catalogue_names_ships() {
    let catalogue = catalogue();
    assert!(catalogue.source().is_none());
    for step in catalogue.steps() {
        for name in [Some(step.grammar()), step.fallback_grammar()]
            .into_iter()
            .flatten()
        {
            let (grammar, text) = catalogue.grammar(name).unwrap();
            assert!(
                !grammar.judge("").is_match() && text.starts_with('#'),
                "{name}"
            );
        }
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/contracts");
    for contract in catalogue.contracts() {
        assert!(
            fs::read_to_string(folder.join(contract)).is_ok(),
            "{contract}"
        );
    }
}

#[test]
fn users_bring_their_own() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("own.toml");
    fs::write(&path, OWN).unwrap();
    let catalogue = Catalogue::read(&path).unwrap();
    let bundle = build(&BundleRequest::new(&catalogue, 40));
    assert_eq!(bundle.step_name(), "own");
    assert_eq!(bundle.context().contracts(), ["own.md"]);
    assert_eq!(bundle.context().mission(), "Café.", "in form C");
    assert_eq!(bundle.provenance(), [catalogue.source().unwrap().clone()]);
    let missing = catalogue.grammar("own.gbnf").unwrap_err().to_string();
    assert!(
        missing.contains("no grammar \"own.gbnf\"") && missing.contains("json_generic.gbnf"),
        "{missing}"
    );
    // One beside the catalogue comes before one that is built in.
    fs::write(dir.path().join("own.gbnf"), "root ::= \"x\"").unwrap();
    fs::write(dir.path().join("json_generic.gbnf"), "root ::= ").unwrap();
    assert!(
        catalogue
            .grammar("own.gbnf")
            .unwrap()
            .0
            .judge("x")
            .is_match()
    );
    assert!(
        catalogue
            .grammar("json_generic.gbnf")
            .unwrap()
            .0
            .judge("")
            .is_match()
    );
    fs::write(dir.path().join("own.gbnf"), "root ::= y").unwrap();
    let bad = catalogue.grammar("own.gbnf").unwrap_err().to_string();
    assert!(
        bad.ends_with("own.gbnf:1:10: there is no rule \"y\""),
        "{bad}"
    );
    // Without Chapter 13 there is none.
    let mut request = BundleRequest::new(&catalogue, 40);
    request.is_chapter_13 = true;
    let error = axilog_bundle::build_step_awareness_bundle(&request, &mut |_| {});
    assert!(
        error
            .unwrap_err()
            .to_string()
            .contains("no step 13; the catalogue has 40 (own)")
    );
}

#[test]
fn what_is_no_catalogue_says_why_and_where() {
    for (from, to, reason) in [
        ("contracts", "contract", "line 2"),
        ("id = 40", "id = \"40\"", "line 4"),
        ("id = 40", "id = 0", "step 0: ids begin at 1"),
        ("\"own\"\n", "\"Own\"\n", "step 40: the name \"Own\""),
        ("\"s\"", "\" \"", "step 40: the schema_excerpt is empty"),
        (
            "\"s\"",
            "\"a\\n=== GUARDRAILS ===\"",
            "begins as a section does",
        ),
        (
            "\"s\"",
            "\"a\\r=== GUARDRAILS ===\"",
            "begins as a section does",
        ),
        (
            "\"s\"",
            "\" === GUARDRAILS ===\"",
            "begins as a section does",
        ),
        ("own.gbnf", "../own.gbnf", "is not a file name"),
        ("json_generic.gbnf", "", "is not a file name"),
        ("own.md", "a/own.md", "is not a file name"),
        ("[]", "[\"a\\nb\"]", "expected one line"),
        ("\"a\"]", "\"b\"]", "the key metric \"b\" is there twice"),
        ("key_metrics", "key_metric", "key_metric"),
        ("[[step]]", "[[steps]]", "steps"),
    ] {
        let error = read(&OWN.replace(from, to)).unwrap_err();
        assert!(
            error.starts_with("c.toml: ") && error.contains(reason),
            "{error}"
        );
    }
    let twice = OWN.to_owned() + &OWN[OWN.find("[[step]]").unwrap()..];
    assert!(
        read(&twice)
            .unwrap_err()
            .contains("step 40: is there twice")
    );
    assert!(
        read("contracts = []\nstep = []")
            .unwrap_err()
            .contains("no [[step]]")
    );
    let lines = OWN.replace("\"s\"", "\"\"\"a\nb\"\"\"");
    let windows = read(&lines.replace('\n', "\r\n")).unwrap();
    assert_eq!(windows.step(40).unwrap().schema_excerpt(), "a\nb");
    assert!(read(OWN).is_ok());
}
