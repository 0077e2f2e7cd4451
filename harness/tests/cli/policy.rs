//! `axilog policy`.

use crate::bench::Bench;

const CANONICAL: &str = r#"[{"comparison":"GT","enabled":true,"policy_id":"POL-1","threshold":4587520},{"comparison":"LE","enabled":true,"policy_id":"POL-2","threshold":0}]"#;
const LOOSE: &str = "[ {\"threshold\": 4587520, \"policy_id\": \"POL-1\", \"comparison\": \"GT\", \"enabled\": true},\n{\"comparison\":\"LE\",\"enabled\":true,\"policy_id\":\"POL-2\",\"threshold\":0}]\n";

#[test]
fn check_prints_the_permitted_interval() {
    let bench = Bench::new();
    bench.write("p.json", CANONICAL);
    let text = bench.run("policy check p.json").exits(0).stdout;
    for part in ["value", "0.0000152587890625", "(1)", "70", "(4587520)"] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let report = bench.run("policy check p.json --json").exits(0).json();
    assert_eq!(report["policies"], 2);
    let interval = &report["envelope"][0];
    assert_eq!(interval["selector"], "value");
    assert_eq!(
        (&interval["min"], &interval["max"]),
        (&1.into(), &4_587_520.into())
    );
    assert_eq!(interval["max_decimal"], "70");
    bench.write("none.json", "[]");
    assert!(
        bench
            .run("policy check none.json")
            .exits(0)
            .stdout
            .contains("No limits")
    );
}

#[test]
fn bad_files_are_refused_with_their_place() {
    let bench = Bench::new();
    for (file, place) in [
        (LOOSE.to_owned(), "bad.json:1:2: "),
        (CANONICAL.replace("\"GT\"", "\"NE\""), "bad.json:1:16: "),
        (CANONICAL.replace("POL-2", "POL-1"), "bad.json:1:"),
        ("[\n{}]".to_owned(), "bad.json:2:1: "),
        (String::new(), "bad.json:1:1: "),
    ] {
        bench.write("bad.json", &file);
        for command in ["check", "compile"] {
            let run = bench.run(&format!("policy {command} bad.json")).exits(1);
            assert!(run.stdout.is_empty());
            run.says(place);
        }
        // As an argument of another command it is wrong usage.
        bench
            .run("init l.jsonl --policies bad.json")
            .exits(2)
            .says(place);
        assert!(!bench.exists("l.jsonl"));
    }
}

#[test]
fn fmt_writes_the_canonical_form() {
    let bench = Bench::new();
    bench.write("p.json", LOOSE);
    let printed = bench.run("policy fmt p.json").exits(0).stdout;
    assert_eq!(printed, format!("{CANONICAL}\n"));
    assert_eq!(bench.read("p.json"), LOOSE.as_bytes());
    bench.run("policy fmt p.json -o out.json").exits(0);
    assert_eq!(bench.read("out.json"), printed.as_bytes());
    assert!(
        bench
            .run("policy fmt --write p.json")
            .exits(0)
            .stdout
            .is_empty()
    );
    assert_eq!(bench.read("p.json"), printed.as_bytes());
    bench.run("policy check p.json").exits(0);
    assert_eq!(bench.temporaries(), Vec::<String>::new());
}

#[test]
fn compile_emits_each_form() {
    let bench = Bench::new();
    bench.write("p.json", CANONICAL);
    let c = bench.run("policy compile p.json").exits(0).stdout;
    assert!(
        c.contains("const ax_policy_registry_t axilog_policies ="),
        "{c}"
    );
    assert_eq!(bench.run("policy compile p.json --emit c").stdout, c);
    let named = bench.run("policy compile p.json --emit c --symbol limits -o limits.c");
    assert!(named.exits(0).stdout.is_empty());
    let named = String::from_utf8(bench.read("limits.c")).unwrap();
    assert!(named.contains("const ax_policy_registry_t limits ="));
    let rust = bench
        .run("policy compile p.json --emit rust")
        .exits(0)
        .stdout;
    assert!(rust.contains("pub static BUILTIN: [Policy<'static>; 2]"));
    let json = bench
        .run("policy compile p.json --emit json")
        .exits(0)
        .stdout;
    assert_eq!(json, format!("{CANONICAL}\n"));
    bench
        .run("policy compile p.json --symbol while")
        .exits(2)
        .says("\"while\"");
}
