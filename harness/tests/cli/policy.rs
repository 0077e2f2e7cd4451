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

const ROBOT: &str = "[VELOCITY-X]\npath = \"/linear/x\"\noracle = \"tool.cmd_vel\"\nmin = \"-0.5\" # m/s\nmax = \"0.5\"\n\n[AMOUNT]\noracle = \"tool.pay\"\npath = \"/payment/amount\"\nmax = \"100\"\n";

#[test]
fn fmt_compiles_the_source_form() {
    let bench = Bench::new();
    bench.write("p.toml", ROBOT);
    let printed = bench.run("policy fmt p.toml").exits(0).stdout;
    assert_eq!(
        printed,
        "{\"tool.cmd_vel#/linear/x\":[{\"comparison\":\"GT\",\"enabled\":true,\"policy_id\":\"VELOCITY-X-MAX\",\"threshold\":32768},{\"comparison\":\"LT\",\"enabled\":true,\"policy_id\":\"VELOCITY-X-MIN\",\"threshold\":-32768}],\"tool.pay#/payment/amount\":[{\"comparison\":\"GT\",\"enabled\":true,\"policy_id\":\"AMOUNT\",\"threshold\":6553600}]}\n"
    );
    bench.run("policy fmt p.toml -o p.json").exits(0);
    bench.run("policy check p.json").exits(0);
    bench.run("init l.jsonl --policies p.json").exits(0);
    bench
        .run("policy fmt --write p.toml")
        .exits(2)
        .says("--write would replace the source form");
    assert_eq!(bench.read("p.toml"), ROBOT.as_bytes());
    bench.write("bad.toml", "[A]\nmax = 0.1\n");
    bench
        .run("policy fmt bad.toml")
        .exits(1)
        .says("bad.toml:2:7: found a number, expected the limit as a string");
}

#[test]
fn check_tells_what_each_oracle_may_and_which_policy_never_decides() {
    let bench = Bench::new();
    bench.write(
        "p.toml",
        "[ALL]\npath = \"speed\"\nmax = \"10\"\n[ARM]\noracle = \"arm\"\npath = \"/speed\"\nmax = \"20\"\n",
    );
    let run = bench.run("policy check p.toml").exits(0);
    for part in ["every other one", "arm", "/speed", "(655360)"] {
        assert!(run.stdout.contains(part), "{part} in {}", run.stdout);
    }
    assert!(run.stdout.lines().all(|line| line.chars().count() <= 80));
    run.says("the policy ARM never decides: ALL permits no more wherever it applies");
    let report = bench.run("policy check p.toml --json").exits(0).json();
    assert_eq!(report["scopes"][1]["oracle"], "arm");
    assert_eq!(report["scopes"][1]["max"], 655_360);
    assert_eq!(report["shadows"][0]["policy_id"], "ARM");
    bench.write(
        "tried.json",
        r#"[{"comparison":"GT","enabled":true,"policy_id":"A","selector":"/x","threshold":1}]"#,
    );
    bench
        .run("policy check tried.json")
        .exits(1)
        .says("the member \"selector\", expected what is judged as the name of the array");
}

#[test]
fn explain_says_value_by_value_what_would_be_decided() {
    let bench = Bench::new();
    bench.write("p.toml", ROBOT);
    let explain = |oracle: &str, answer: &str, code: u8, expected: &str| {
        bench.write("a.json", answer);
        let command = format!("policy explain p.toml --answer a.json --oracle {oracle}");
        let printed = bench.run(&command).exits(code.into()).stdout;
        assert!(printed.contains(expected), "{expected} in {printed}");
    };
    explain("tool.cmd_vel", r#"{"linear":{"x":0.25}}"#, 0, "PERMITTED");
    explain(
        "tool.cmd_vel",
        r#"{"linear":{"x":0.75}}"#,
        1,
        "breach of 0.5",
    );
    // Another oracle's limits are not its.
    explain(
        "tool.pay",
        r#"{"payment":{"amount":99.5},"linear":{"x":9}}"#,
        0,
        "99.5",
    );
    for (answer, why) in [
        ("hello", "the answer is not JSON"),
        ("[1]", "the answer is an array, not one JSON object"),
        ("{}", "the answer has no \"linear\""),
        (r#"{"linear":{}}"#, "\"/linear\" has no \"x\""),
        (
            r#"{"linear":{"x":"1"}}"#,
            "\"/linear/x\" is a string, not a number",
        ),
        (r#"{"linear":3}"#, "\"/linear\" is a number"),
        (
            r#"{"linear":{"x":1,"x_q16":1}}"#,
            "has both \"x\" and \"x_q16\"",
        ),
        (
            r#"{"linear":{"x_q16":0.5}}"#,
            "\"/linear/x_q16\" is 0.5, which is no raw Q16.16 value",
        ),
        (
            r#"{"linear":{"x":40000}}"#,
            "\"/linear/x\" is 40000, beyond the range of Q16.16, which ends at",
        ),
        (
            r#"{"linear":{"x":0.1234567890123456789}}"#,
            "\"/linear/x\" is 0.1234567890123456789, which has 19 digits, and a",
        ),
        (
            r#"{"linear":{"x":18446744073709551616}}"#,
            "\"/linear/x\" is 18446744073709551616, which has 20 digits",
        ),
        (
            r#"{"linear":{"x":1e-19}}"#,
            "\"/linear/x\" is 1e-19, whose exponent is beyond ±18",
        ),
        (
            r#"{"linear":{"x":1e400}}"#,
            "\"/linear/x\" is 1e400, whose exponent is beyond ±18",
        ),
        (
            r#"{"linear":{"x":"1"},"far":1e400}"#,
            "\"/linear/x\" is a string, not a number",
        ),
        (
            r#"{"linear":{"x_q16":18446744073709551616}}"#,
            "\"/linear/x_q16\" is 18446744073709551616, which is no raw",
        ),
        (
            r#"{"linear":{"x":1},"a":1,"a":2}"#,
            "the answer has a member twice",
        ),
    ] {
        explain("tool.cmd_vel", answer, 1, why);
    }
    bench.write("a.json", r#"{"linear":{"x":0.75}}"#);
    let report = bench
        .run("policy explain p.toml --answer a.json --oracle tool.cmd_vel --json")
        .exits(1)
        .json();
    assert_eq!(report["permitted"], false);
    assert_eq!(report["judgements"][0]["actual"], 49152);
    bench
        .run("policy explain p.toml --answer none.json")
        .exits(3)
        .says("none.json");
}

#[test]
fn explain_without_an_oracle_judges_under_every_scope() {
    let bench = Bench::new();
    bench.write(
        "p.toml",
        format!("{ROBOT}[ANY]\npath = \"a\"\nmax = \"1\"\n"),
    );
    bench.write(
        "a.json",
        r#"{"linear":{"x":0.75},"payment":{"amount":1},"a":1}"#,
    );
    let run = bench.run("policy explain p.toml --answer a.json").exits(1);
    for part in [
        "REFUSED         an answer of tool.cmd_vel",
        "PERMITTED       an answer of tool.pay",
        "PERMITTED       an answer of any other oracle",
    ] {
        assert!(run.stdout.contains(part), "{part} in {}", run.stdout);
    }
    let report = bench.run("policy explain p.toml --answer a.json --json");
    let report = report.exits(1).json();
    assert_eq!(
        (&report["oracle"], &report["permitted"]),
        (&"tool.cmd_vel".into(), &false.into())
    );
    let verdicts = report["verdicts"].as_array().unwrap();
    let told: Vec<_> = verdicts
        .iter()
        .map(|verdict| {
            (
                verdict["oracle"].as_str(),
                verdict["permitted"].as_bool().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            (Some("tool.cmd_vel"), false),
            (Some("tool.pay"), true),
            (None, true)
        ]
    );
    bench.write(
        "a.json",
        r#"{"linear":{"x":0.5},"payment":{"amount":1},"a":1}"#,
    );
    bench.run("policy explain p.toml --answer a.json").exits(0);
    // An oracle that is called as the trial would be is another one's name, not any other's.
    bench.write(
        "named.toml",
        "[A]\noracle = \"oracle\"\nmax = \"1\"\n[B]\noracle = \"oracle-\"\nmax = \"1\"\n",
    );
    bench.write("a.json", r#"{"value":2}"#);
    let report = bench.run("policy explain named.toml --answer a.json --json");
    let report = report.exits(1).json();
    assert_eq!(report["verdicts"][2]["reasons"][0], "no policy applies");
    assert_eq!(report["verdicts"][2]["permitted"], true);
}

#[test]
fn the_source_form_is_compiled_wherever_policies_are_wanted() {
    let bench = Bench::new();
    bench.write("p.toml", ROBOT);
    bench.run("policy fmt p.toml -o p.json").exits(0);
    let configuration = |name: &str, policies: &str| {
        let line = format!("init {name} --policies {policies} --time 1 --json");
        bench.run(&line).exits(0).json()["configuration"].clone()
    };
    assert_eq!(
        configuration("a.jsonl", "p.toml"),
        configuration("b.jsonl", "p.json")
    );
    for command in ["replay", "audit"] {
        for policies in ["p.toml", "p.json"] {
            bench
                .run(&format!("{command} a.jsonl --policies {policies}"))
                .exits(0);
        }
    }
    let compiled = bench.run("policy compile p.toml").exits(0).stdout;
    assert_eq!(compiled, bench.run("policy compile p.json").stdout);
    bench.write("bad.toml", "[A]\nmax = 0.1\n");
    bench
        .run("init c.jsonl --policies bad.toml")
        .exits(2)
        .says("bad.toml:2:7: found a number, expected the limit as a string");
    assert!(!bench.exists("c.jsonl"));
}

/// A selector may hold characters that are not seen, which a file needs as they are.
#[test]
fn what_goes_into_a_file_through_standard_output_is_exact() {
    let bench = Bench::new();
    let loose = LOOSE
        .trim_start_matches('[')
        .trim_end()
        .trim_end_matches(']');
    bench.write(
        "loose.json",
        format!("{{\"/\\u007f\\u202e\\u0001\":[{loose}]}}"),
    );
    let selector = "/\u{7f}\u{202e}\\u0001";
    let canonical = format!("{{\"{selector}\":{CANONICAL}}}\n");
    bench.run("policy fmt loose.json -o exact.json").exits(0);
    assert_eq!(bench.read("exact.json"), canonical.as_bytes());
    assert_eq!(
        bench.run("policy fmt loose.json").exits(0).stdout,
        canonical
    );
    let compiled = bench.run("policy compile exact.json --emit json").exits(0);
    assert_eq!(compiled.stdout, canonical);
    // For people the selector is shown with escapes.
    let shown = bench.run("policy check exact.json").exits(0).stdout;
    assert!(
        shown.contains("\\u{7f}\\u{202e}") && !shown.contains('\u{202e}'),
        "{shown}"
    );
}

#[test]
fn explain_names_the_element_that_decides() {
    let bench = Bench::new();
    bench.write(
        "p.toml",
        "[FORCE]\npath = \"/moves/~*/force\"\nmin = \"1\"\nmax = \"9\"\n",
    );
    bench.write(
        "a.json",
        r#"{"moves":[{"force":9},{"force":900},{"force_q16":65536}]}"#,
    );
    let command = "policy explain p.toml --answer a.json --oracle arm";
    let text = bench.run(command).exits(1).stdout;
    for line in [
        "FORCE-MAX compares \"/moves/1/force\", which is 900.",
        "FORCE-MIN compares \"/moves/2/force_q16\", which is 65536.",
    ] {
        assert!(text.contains(line), "{line} in {text}");
    }
    let json = bench.run(&format!("{command} --json")).exits(1).json();
    assert_eq!(json["judgements"][0]["place"], "/moves/1/force");
    assert_eq!(json["judgements"][1]["breach"], false);
    bench.write("a.json", r#"{"moves":[{"force":9},{}]}"#);
    let json = bench.run(&format!("{command} --json")).exits(1).json();
    assert!(json["judgements"][0]["place"].is_null());
    assert_eq!(json["missing"][0]["why"], "\"/moves/1\" has no \"force\"");
}
