//! `axilog report`, as far as it can be tested without a browser; `harness/tests/browser/` has the
//! rest.

use axilog::hash::sha256;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::Value;

use crate::bench::{Bench, lines, offset};

/// An answer that would like to be more than text.
const HOSTILE: &str = "</script><script>alert(1)</script><!-- <img src=x onerror=alert(1)> --> & \
                       \u{2028}\u{202e}\u{7f}\u{1b}";

/// What stands between two texts.
fn between<'t>(text: &'t str, before: &str, behind: &str) -> &'t str {
    let (_, rest) = text.split_once(before).expect(before);
    rest.split_once(behind).expect(behind).0
}

/// The contents of a data block.
pub fn block<'p>(page: &'p str, id: &str) -> &'p str {
    between(page, &format!("id=\"{id}\">"), "</script>")
}

pub fn embedded(page: &str, id: &str) -> Vec<u8> {
    BASE64.decode(block(page, id)).unwrap()
}

pub fn read_facts(page: &str) -> Value {
    serde_json::from_str(block(page, "said")).unwrap()
}

pub fn page(bench: &Bench, name: &str) -> String {
    String::from_utf8(bench.read(name)).unwrap()
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn a_page_holds_the_ledger_and_what_was_found() {
    let bench = Bench::ledger();
    bench.observe(b"\xff").exits(1);
    bench.run("seal ledger.jsonl").exits(0);
    let ledger = bench.read("ledger.jsonl");
    let run = bench
        .run("report ledger.jsonl -o page.html --json")
        .exits(0);
    let verified = bench.run("verify ledger.jsonl --json").exits(0).json();
    let object = run.json();
    for (name, value) in verified.as_object().unwrap() {
        assert_eq!(object[name], *value, "{name}");
    }
    assert_eq!(object["output"], "page.html");
    assert_eq!(object["replay"]["verdict"], "OK");

    let page = page(&bench, "page.html");
    assert_eq!(embedded(&page, "ledger"), ledger);
    let said = read_facts(&page);
    for (name, value) in said["verify"].as_object().unwrap() {
        assert_eq!(verified[name], *value, "{name}");
    }
    assert_eq!(said["replay"], object["replay"]);
    assert_eq!(said["replay"]["configuration_source"], "ledger");
    assert_eq!(said["size"], ledger.len());
    assert_eq!(said["sha256"], hex(&sha256(&ledger)));
    assert_eq!(said["file"], "ledger.jsonl");
    // The configuration is the one that the ledger's reset names.
    let configuration = hex(&sha256(&embedded(&page, "configuration")));
    let replayed = bench.run("replay ledger.jsonl --json").exits(0).json();
    assert_eq!(replayed["configuration"], configuration);

    // The same ledger gives the same page, from wherever it is named, and standard output the same
    // bytes.
    let other = std::env::current_dir().unwrap();
    let absolute = bench.path("ledger.jsonl");
    let run = bench
        .command()
        .current_dir(other)
        .args(["report".as_ref(), absolute.as_os_str()])
        .output()
        .unwrap();
    assert_eq!(run.stdout, page.as_bytes());
    let printed = bench.run("report ledger.jsonl").exits(0);
    assert_eq!(printed.stdout, page);
    assert_eq!(printed.stderr, "");
    assert_eq!(bench.read("ledger.jsonl"), ledger);
}

#[test]
fn a_page_needs_nothing_from_elsewhere_and_runs_only_its_own_scripts() {
    let bench = Bench::ledger();
    bench.run("report ledger.jsonl -o page.html").exits(0);
    let page = page(&bench, "page.html");
    for reference in [
        "http:",
        "https:",
        "//www",
        " src=",
        "url(h",
        "@import",
        "import(",
        "fetch(",
        "XMLHttp",
        "WebSocket",
        "EventSource",
        "sendBeacon",
        "eval(",
        "innerHTML",
        "outerHTML",
        "insertAdjacent",
        "document.write",
        "javascript:",
        "onclick=",
        "style=",
    ] {
        assert!(!page.contains(reference), "{reference}");
    }
    let links = page.split("href=").skip(1);
    assert!(links.clone().count() > 0 && links.into_iter().all(|link| link.starts_with("\"#")));

    let policy = between(&page, "Content-Security-Policy\" content=\"", "\"");
    let hash = |text: &str| format!("'sha256-{}'", BASE64.encode(sha256(text.as_bytes())));
    let scripts: Vec<String> = page
        .split("<script>")
        .skip(1)
        .map(|rest| hash(rest.split_once("</script>").unwrap().0))
        .collect();
    assert!(scripts.len() > 5);
    let style = hash(between(&page, "<style>", "</style>"));
    let expected = format!(
        "default-src 'none'; script-src {}; style-src {style}; base-uri 'none'; form-action 'none'",
        scripts.join(" ")
    );
    assert_eq!(policy, expected);
    // It stands before everything that it governs.
    let place = |text: &str| page.find(text).unwrap();
    assert!(place("Content-Security-Policy") < place("<style>"));
    assert!(place("Content-Security-Policy") < place("<script"));
}

#[test]
fn text_from_outside_is_inert() {
    let bench = Bench::ledger();
    bench.observe(HOSTILE.as_bytes()).exits(1);
    bench
        .observe(HOSTILE.replace('\u{1b}', "").as_bytes())
        .exits(1);
    let clean = bench.run("report ledger.jsonl").exits(0).stdout;
    // Names of files can hold anything but a slash.
    let name = "<b onclick=x>&\u{202e}\u{2028}\"'.jsonl";
    bench.write(name, bench.read("ledger.jsonl"));
    let blobs = bench.path(&format!("{name}.blobs"));
    std::fs::rename(bench.path("ledger.jsonl.blobs"), blobs).unwrap();
    let run = bench
        .command()
        .args(["report", name, "-o", "page.html"])
        .output()
        .unwrap();
    assert!(run.status.success());
    let page = page(&bench, "page.html");
    assert_eq!(embedded(&page, "ledger"), bench.read("ledger.jsonl"));
    for text in [
        "alert(1)",
        "<b onclick",
        "\u{2028}",
        "\u{202e}",
        "\u{7f}",
        "\u{1b}",
    ] {
        assert!(!page.contains(text), "{text:?}");
    }
    assert!(page.contains("<title>OK – &lt;b onclick=x&gt;&amp;\\u{202e}\\u{2028}&quot;'.jsonl"));
    assert_eq!(read_facts(&page)["file"], name);
    let count = |page: &str, tag: &str| page.matches(tag).count();
    for tag in ["<script", "</script", "<!--", "<b", "<img"] {
        assert_eq!(count(&page, tag), count(&clean, tag), "{tag}");
    }
}

#[test]
fn a_damaged_ledger_is_reported_all_the_same() {
    let bench = Bench::ledger();
    let good = lines(&bench.read("ledger.jsonl"));
    let mut altered = good.clone();
    altered[5][200] ^= 1;
    let mut torn = good.concat();
    torn.pop();
    let cases = [
        (altered.concat(), "ALTERED", 5, offset(&good, 5)),
        (torn, "TORN", 7, offset(&good, 7)),
        (b"not a ledger\n".to_vec(), "NON_CANONICAL", 0, 0),
        (Vec::new(), "TRUNCATED", 0, 0),
    ];
    for (bytes, verdict, sequence, at) in cases {
        bench.write("ledger.jsonl", &bytes);
        let run = bench
            .run("report ledger.jsonl -o page.html --json")
            .exits(1);
        let page = page(&bench, "page.html");
        for object in [&run.json(), &read_facts(&page)["verify"]] {
            assert_eq!(object["verdict"], verdict);
            assert_eq!(object["sequence"], sequence);
            assert_eq!(object["offset"], at);
        }
        assert_eq!(read_facts(&page)["replay"]["verdict"], Value::Null);
        assert_eq!(embedded(&page, "ledger"), bytes);
        let printed = bench.run("report ledger.jsonl").exits(1).says(verdict);
        assert_eq!(printed.stdout, page);
    }
}

#[test]
fn decisions_that_replay_does_not_make_fail_the_report() {
    let bench = Bench::ledger();
    // Without its configuration a ledger is reported, and not replayed.
    bench.write(
        "p.json",
        br#"[{"comparison":"GT","enabled":true,"policy_id":"P","threshold":65536}]"#,
    );
    bench
        .run("init own.jsonl --policies p.json --time 1")
        .exits(0);
    std::fs::remove_dir_all(bench.path("own.jsonl.blobs")).unwrap();
    let run = bench.run("report own.jsonl -o page.html --json").exits(1);
    assert_eq!(run.json()["replay"]["verdict"], Value::Null);
    let reason = &run.json()["replay"]["reason"];
    assert!(
        reason
            .as_str()
            .unwrap()
            .starts_with("own.jsonl: its configuration")
    );
    assert_eq!(embedded(&page(&bench, "page.html"), "configuration"), b"");
    let run = bench
        .run("report own.jsonl -o page.html --json --policies p.json")
        .exits(1);
    assert_eq!(run.json()["replay"]["configuration_source"], "caller");
    assert_eq!(run.json()["audit"]["verdict"], "FAILED");

    // Under other rules it fails, although the ledger itself is good.
    bench.write(
        "q.json",
        br#"[{"comparison":"GT","enabled":true,"policy_id":"P","threshold":65537}]"#,
    );
    let run = bench
        .run("report own.jsonl -o page.html --json --policies q.json")
        .exits(1);
    let object = run.json();
    assert_eq!(object["verdict"], "OK");
    assert_eq!(object["ok"], false);
    assert_eq!(object["replay"]["verdict"], "CONFIG_MISMATCH");
    let rules = &object["audit"]["checks"][1];
    assert_eq!(rules["subject"], "rules");
    assert_eq!(rules["result"], "failed");
}

#[test]
fn the_page_begins_with_the_verdict_of_the_audit() {
    let first_words = |bench: &Bench, options: &str| {
        let run = bench.run(&format!("report ledger.jsonl -o page.html {options}"));
        let page = page(bench, "page.html");
        let title = between(&page, "<title>", " ").to_owned();
        let first = between(&page, "id=\"judgement\" role=\"status\">", "<").to_owned();
        let printed = run.stdout.split_whitespace().next().unwrap().to_owned();
        let facts = read_facts(&page)["audit"].clone();
        let audit = bench.run(&format!("audit ledger.jsonl --json {options}"));
        assert_eq!(run.code, audit.code);
        for (name, value) in audit.json().as_object().unwrap() {
            // The page is the same wherever the ledger lies.
            if name != "ledger" {
                assert_eq!(facts[name], *value, "{name}");
            }
        }
        [
            title,
            first,
            printed,
            audit.json()["verdict"].as_str().unwrap().to_owned(),
        ]
    };
    let bench = Bench::ledger();
    bench.observe(b"\xff").exits(1);
    assert_eq!(first_words(&bench, ""), ["OK"; 4]);
    // The oracle of the ledger is judged by a policy, and its raw answer is within the budget.
    assert_eq!(first_words(&bench, "--require-policy"), ["OK"; 4]);
    assert_eq!(
        first_words(&bench, "--budget blob-bytes=1"),
        ["INCOMPLETE"; 4]
    );
    let whole = bench.read("ledger.jsonl");
    bench.write("ledger.jsonl", &whole[..whole.len() - 1]);
    assert_eq!(first_words(&bench, ""), ["INCOMPLETE"; 4]);
    bench.write("ledger.jsonl", &whole);
    std::fs::remove_dir_all(bench.path("ledger.jsonl.blobs")).unwrap();
    assert_eq!(first_words(&bench, ""), ["FAILED"; 4]);
    // What is not good is a remark where the page takes standard output.
    bench
        .run("report ledger.jsonl")
        .exits(1)
        .says("ledger.jsonl: blobs failed: 0 recomputed, 0 damaged, 2 missing, 0 left behind");
    let elsewhere = bench
        .command()
        .current_dir("/")
        .args(["report".as_ref(), bench.path("ledger.jsonl").as_os_str()])
        .output()
        .unwrap();
    assert_eq!(
        elsewhere.stdout,
        bench.run("report ledger.jsonl").stdout.into_bytes()
    );
}

#[test]
fn pages_are_written_whole_and_never_over_the_ledger() {
    let bench = Bench::ledger();
    let before = bench.read("ledger.jsonl");
    for target in ["ledger.jsonl", "./ledger.jsonl"] {
        bench
            .run(&format!("report ledger.jsonl -o {target}"))
            .exits(2)
            .says("is a ledger");
    }
    assert_eq!(bench.read("ledger.jsonl"), before);
    // A second page takes the place of the first.
    bench.write("page.html", b"old");
    bench.run("report ledger.jsonl -o page.html").exits(0);
    assert!(page(&bench, "page.html").starts_with("<!doctype html>"));
    assert_eq!(bench.temporaries(), Vec::<String>::new());
    bench
        .run("report absent.jsonl -o page.html")
        .exits(3)
        .says("absent.jsonl");
    bench
        .run("report ledger.jsonl -o no/page.html")
        .exits(3)
        .says("no/page.html: cannot create");
    bench
        .run("report ledger.jsonl --policies absent.json")
        .exits(3);
}
