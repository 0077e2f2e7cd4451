//! The command `axilog memory`, as people and machines run it.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::bench::program;

pub(super) const FACT: &str = r#"{"kind":"CLUE","stable_key":"k1","payload":{"text":"It reads seven keys."},"provenance":{"source":"generator","refs":[]},"visibility_mask":"PUBLIC","gist":"Something is written there.","details":[{"name":"words","exact":"seven keys"}]}"#;

pub(super) struct MemoryDirectory(TempDir);

impl MemoryDirectory {
    pub(super) fn new() -> MemoryDirectory {
        let place = MemoryDirectory(tempfile::tempdir().unwrap());
        place.run_with_code(0, &["init", "m.db", "--world", "arden", "--campaign", "c1"]);
        place
    }

    pub(super) fn path(&self) -> &Path {
        self.0.path()
    }

    fn run(&self, args: &[&str]) -> Output {
        Command::new(program())
            .arg("memory")
            .args(args)
            .current_dir(self.path())
            .stdin(Stdio::null())
            .output()
            .unwrap()
    }

    #[track_caller]
    pub(super) fn run_with_code(&self, code: i32, args: &[&str]) -> (String, String) {
        let output = self.run(args);
        let text = |bytes| String::from_utf8(bytes).unwrap();
        let (stdout, stderr) = (text(output.stdout), text(output.stderr));
        assert_eq!(
            output.status.code(),
            Some(code),
            "{args:?}\n{stdout}{stderr}"
        );
        (stdout, stderr)
    }

    #[track_caller]
    pub(super) fn run_json(&self, code: i32, args: &[&str]) -> Value {
        let args = [args, &["--json"]].concat();
        let (stdout, _) = self.run_with_code(code, &args);
        assert_eq!(stdout.matches('\n').count(), 1, "{stdout}");
        serde_json::from_str(&stdout).unwrap()
    }
}

#[test]
fn a_session_from_the_first_fact_to_the_gates() {
    let place = MemoryDirectory::new();
    fs::write(place.path().join("fact.json"), FACT).unwrap();
    let facts = place.run_json(0, &["fact", "m.db", "fact.json"]);
    assert_eq!(facts["appended"], 1);
    let detail = facts["facts"][0]["details"][0]["detail_handle"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(
        place.run_json(0, &["fact", "m.db", "fact.json"])["appended"],
        0
    );
    place.run_with_code(0, &["event", "m.db", "EV-031", r#"{"scene_id":"cellar"}"#]);
    place.run_with_code(1, &["unlock", "m.db", &detail]);
    let ask = ["recall", "m.db", &detail, "--requester", "ana"];
    let gist = place.run_json(1, &ask);
    assert_eq!(
        (&gist["result"], &gist["exact"]),
        (&"FUZZY".into(), &Value::Null)
    );
    let rolled = [
        &ask[..],
        &[
            "--roller",
            "ana",
            "--skill",
            "lore",
            "--dc",
            "-5",
            "--roll",
            "-3",
            "--outcome",
            "success",
        ],
    ]
    .concat();
    assert_eq!(place.run_json(0, &rolled)["exact"], "seven keys");
    assert_eq!(
        place.run_json(0, &["unlock", "m.db", &detail])["unlocked"][0]["scope"],
        "SCENE"
    );
    let set = place.run_json(0, &["working-set", "m.db", "--viewer", "ana"]);
    assert_eq!(set["complete"], true);
    let (bytes, _) = place.run_with_code(0, &["working-set", "m.db", "--viewer", "ana"]);
    assert_eq!(
        serde_json::from_str::<Value>(&bytes).unwrap(),
        set["working_set"]
    );
    place.run_with_code(0, &["pvib", "m.db", &detail]);
    place.run_with_code(0, &["event", "m.db", "EV-032", r#"{"scene_id":"cellar"}"#]);
    place.run_with_code(1, &["pvib", "m.db", &detail]);
    place.run_with_code(1, &["unlock", "m.db", &detail]);
    place.run_with_code(
        0,
        &[
            "notebook",
            "ask",
            "m.db",
            "r1",
            &detail,
            "--requester",
            "t",
            "--player",
            "ana",
            "--scope",
            "session",
        ],
    );
    place.run_with_code(1, &["notebook", "write", "m.db", "r1", &detail]);
    place.run_with_code(
        0,
        &[
            "notebook", "answer", "m.db", "r1", "grant", "--player", "ana",
        ],
    );
    place.run_with_code(0, &["notebook", "write", "m.db", "r1", &detail]);
    assert_eq!(
        place.run_json(0, &["unlock", "m.db"])["unlocked"][0]["scope"],
        "CAMPAIGN"
    );
    let fact = facts["facts"][0]["fact_id"].as_str().unwrap();
    place.run_with_code(1, &["unlock", "m.db", fact]);
    place.run_with_code(0, &["rebuild", "m.db"]);
    let gates = place.run_json(0, &["gate", "--all", "m.db", "--source", "."]);
    assert_eq!(gates["gates"].as_array().unwrap().len(), 7);
    for gate in ["G1", "G2", "G3", "G4", "G5", "G6", "G7"] {
        let (printed, _) = place.run_with_code(0, &["gate", "m.db", gate]);
        assert!(
            printed.starts_with(gate) && printed.contains("passed"),
            "{printed}"
        );
    }
}

/// The handles stand in every working set. Whoever has one still has to roll.
#[test]
fn a_player_cannot_write_a_secret_into_a_notebook_to_read_it() {
    let place = MemoryDirectory::new();
    fs::write(place.path().join("fact.json"), FACT).unwrap();
    place.run_with_code(0, &["fact", "m.db", "fact.json"]);
    let set = place.run_json(0, &["working-set", "m.db", "--viewer", "ben"]);
    let handles = &set["working_set"]["locked_precision_handles"];
    let detail = handles[1].as_str().unwrap();
    let ask = ["notebook", "ask", "m.db", "r1", detail];
    let ask = [&ask[..], &["--requester", "ben", "--player", "ben"]].concat();
    let (_, error) = place.run_with_code(1, &ask);
    assert!(error.contains("no scene is on"), "{error}");
    let in_session = [&ask[..], &["--scope", "session"]].concat();
    let (_, error) = place.run_with_code(1, &in_session);
    assert!(error.contains("nobody at the table has learned"), "{error}");
    let asks = ["recall", "m.db", detail, "--requester", "ana"];
    assert_eq!(place.run_json(1, &asks)["result"], "FUZZY");
    // The word of who leads the game stands in the log.
    let revealed = [&in_session[..], &["--revealed-by-dm"]].concat();
    place.run_with_code(0, &revealed);
    let log = place.run_json(0, &["show", "m.db", "--log"]);
    let asked = log["log"].as_array().unwrap().last().unwrap();
    assert_eq!(asked["body"]["revealed_by_dm"], true);
}

/// A head that was noted shows what no check inside the file can: an older copy was put back, with its own head.
#[test]
fn a_noted_head_is_asserted() {
    let place = MemoryDirectory::new();
    fs::copy(place.path().join("m.db"), place.path().join("old.db")).unwrap();
    place.run_with_code(0, &["event", "m.db", "EV-031", r#"{"scene_id":"cellar"}"#]);
    let shown = place.run_json(0, &["show", "m.db"]);
    let noted = format!("{}:{}", shown["entries"], shown["head"].as_str().unwrap());
    let head_file = place.path().join("m.db.head");
    assert_eq!(
        fs::read_to_string(&head_file).unwrap(),
        format!("{noted}\n")
    );
    let commands: [&[&str]; 5] = [
        &["show"],
        &["gate", "G6"],
        &["rebuild"],
        &["working-set"],
        &["working-set", "--prompt", "Who is there?"],
    ];
    let run = |code, command: &[&str], noted: &str| {
        let expected = ["m.db", "--expect-head", noted];
        let (name, rest) = command.split_first().unwrap();
        place.run_with_code(
            code,
            &[&[*name], &expected[..1], rest, &expected[1..]].concat(),
        )
    };
    for command in commands {
        run(0, command, &noted);
        run(2, command, "12");
    }
    fs::rename(place.path().join("old.db"), place.path().join("m.db")).unwrap();
    for command in commands {
        let (_, error) = run(1, command, &noted);
        assert!(
            error.contains("entry 14 of the log: it is missing"),
            "{error}"
        );
    }
    // Without the file beside it, the noted head alone shows it.
    fs::remove_file(head_file).unwrap();
    for command in commands {
        let (_, error) = run(1, command, &noted);
        assert!(error.contains("somebody noted the head 14:"), "{error}");
    }
    place.run_with_code(0, &["show", "m.db"]);
}

#[test]
fn show_and_prompt_hide_locked_strings() {
    let place = MemoryDirectory::new();
    fs::write(place.path().join("fact.json"), FACT).unwrap();
    place.run_with_code(0, &["fact", "m.db", "fact.json"]);
    let (text, _) = place.run_with_code(0, &["show", "m.db", "--log"]);
    let json = place.run_json(0, &["show", "m.db", "--log"]).to_string();
    for printed in [text, json] {
        assert!(
            !printed.contains("seven keys") && printed.contains("[locked]"),
            "{printed}"
        );
    }
    let (prompt, _) =
        place.run_with_code(0, &["working-set", "m.db", "--prompt", "Is it SEVEN keys?"]);
    assert!(
        prompt.ends_with("\n\"[locked]\"\n") && !prompt.to_lowercase().contains("seven"),
        "{prompt}"
    );
    fs::write(place.path().join("narration.txt"), "Yes.\u{1b}[2J\n").unwrap();
    let (printed, _) =
        place.run_with_code(0, &["working-set", "m.db", "--narration", "narration.txt"]);
    assert_eq!(printed, "Yes.\\u{1b}[2J\n");
    fs::write(place.path().join("narration.txt"), "Yes: SevenKeys.\n").unwrap();
    let (_, error) =
        place.run_with_code(1, &["working-set", "m.db", "--narration", "narration.txt"]);
    assert!(
        error.contains("the narration is refused") && !error.to_lowercase().contains("seven"),
        "{error}"
    );
}

/// The attack: every code in one request, of which the one that is cut out is the right one.
#[test]
fn a_request_with_every_code_tells_none() {
    let place = MemoryDirectory::new();
    let fact = FACT.replace("seven keys", "4711");
    fs::write(place.path().join("fact.json"), fact).unwrap();
    place.run_with_code(0, &["fact", "m.db", "fact.json"]);
    let every: Vec<String> = (0..10_000).map(|code| format!("{code:04}")).collect();
    let ask = |asked: &str| place.run(&["working-set", "m.db", "--prompt", asked]);
    let output = ask(&every.join("\n"));
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    let log = place.run_json(0, &["show", "m.db", "--log"]);
    let last = log["log"].as_array().unwrap().last().unwrap();
    assert_eq!(last["id"], "GUESS");
    // In another session: a right code is answered as a wrong one.
    place.run_with_code(0, &["event", "m.db", "STATE", r#"{"session_id":"s2"}"#]);
    let answers = ["4710", "4711", "4712"].map(|code| ask(code).stdout);
    assert!(
        answers
            .iter()
            .all(|answer| answer.ends_with(b"\n\"[locked]\"\n"))
    );
    assert_eq!(answers[0], answers[1]);
}

#[test]
fn errors_name_the_cause_and_the_remedy() {
    let place = MemoryDirectory::new();
    for (code, args, expected) in [
        (3, &["show", "none.db"][..], "axilog memory init none.db"),
        (
            3,
            &["init", "m.db", "--world", "a", "--campaign", "b"],
            "nothing is overwritten",
        ),
        (
            2,
            &["event", "m.db", "EV-022", "{}"],
            "expected one of EV-001",
        ),
        (
            2,
            &["event", "m.db", "EV-001", "{}"],
            "axilog memory recall",
        ),
        (
            2,
            &["event", "m.db", "EV-031", "{\"scene_id\":1.5}"],
            "$.scene_id",
        ),
        (
            2,
            &[
                "event",
                "m.db",
                "EV-031",
                "{\"scene_id\":18446744073709551616}",
            ],
            "$.scene_id: the number 18446744073709551616 is no integer",
        ),
        (
            2,
            &["event", "m.db", "EV-031", "{\"scene_id\":7}"],
            "expected a name: 1 to 128",
        ),
        (
            1,
            &["event", "m.db", "EV-032", "{\"scene_id\":\"x\"}"],
            "no scene is on; nothing was appended",
        ),
        (2, &["working-set", "m.db", "--budget", "9"], "too few"),
        (2, &["working-set", "m.db", "--viewer", "a b"], "viewer"),
        (2, &["gate", "m.db"], "required"),
        (
            1,
            &["rebuild", "m.db", "--pin", "llm=x"],
            "append a PIN of llm",
        ),
        (3, &["fact", "m.db", "absent.json"], "absent.json"),
    ] {
        let (_, error) = place.run_with_code(code, args);
        assert!(error.contains(expected), "{args:?}: {error}");
    }
    let error = place.run_json(3, &["show", "none.db"]);
    assert_eq!(error["exit_code"], 3);
    fs::write(
        place.path().join("f.jsonl"),
        format!("{FACT}\n\n{{\"kind\":1.5}}\n"),
    )
    .unwrap();
    let (_, error) = place.run_with_code(2, &["fact", "m.db", "f.jsonl"]);
    assert!(error.contains("f.jsonl:3: at $.kind"), "{error}");
    assert_eq!(
        place.run_json(0, &["show", "m.db"])["entries"],
        13,
        "all or none"
    );
    fs::write(place.path().join("empty"), "").unwrap();
    assert_eq!(place.run_json(0, &["fact", "m.db", "empty"])["appended"], 0);
}

/// The examples of the page print what the page shows.
#[test]
#[cfg(unix)]
fn the_examples_of_the_page_are_real() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/memory.md");
    let page = fs::read_to_string(page).unwrap();
    let place = tempfile::tempdir().unwrap();
    let program = program();
    let directory = program.parent().unwrap().display();
    let path = format!("{directory}:{}", std::env::var("PATH").unwrap());
    let mut commands = 0;
    let blocks = page.split("```console\n").skip(1);
    let blocks = blocks.map(|block| format!("\n{}", block.split("```").next().unwrap()));
    for example in blocks.collect::<String>().split("\n$ ").skip(1) {
        let example = example.replace("\\\n", "");
        let (command, printed) = example.split_once('\n').unwrap_or((&example, ""));
        // A here-document is part of the command, and it prints nothing.
        let (command, printed) = match command.ends_with("<< END") {
            true => (example.as_str(), ""),
            false => (command, printed),
        };
        let output = Command::new("sh")
            .args(["-c", command])
            .current_dir(place.path())
            .env("PATH", &path)
            .output()
            .unwrap();
        let stdout = String::from_utf8(output.stdout).unwrap();
        assert_eq!(stdout.trim_end(), printed.trim_end(), "{command}");
        commands += 1;
    }
    assert!(commands > 6);
}

/// SQLite takes such names for a URI and for no file.
#[test]
#[cfg(unix)]
fn a_path_is_never_a_uri() {
    let directory = tempfile::tempdir().unwrap();
    for name in ["file:m.db", ":memory:"] {
        for command in [
            &["init", name, "--world", "a", "--campaign", "b"][..],
            &["show", name],
        ] {
            let status = Command::new(program())
                .arg("memory")
                .args(command)
                .current_dir(directory.path())
                .stdout(Stdio::null())
                .status()
                .unwrap();
            assert!(status.success(), "{command:?}");
        }
        assert!(directory.path().join(name).metadata().unwrap().len() > 0);
    }
    assert!(!directory.path().join("m.db").exists());
}

/// A table that another program changed: only `rebuild` opens the memory then.
#[test]
fn a_changed_table_is_refused_and_rebuilt() {
    let place = MemoryDirectory::new();
    fs::write(place.path().join("fact.json"), FACT).unwrap();
    place.run_with_code(0, &["fact", "m.db", "fact.json"]);
    let change = |sql: &str| {
        let conn = rusqlite::Connection::open(place.path().join("m.db")).unwrap();
        conn.execute_batch(sql).unwrap();
    };
    change("UPDATE fact SET locked = 0; DELETE FROM pin WHERE name = 'hash'");
    let (_, error) = place.run_with_code(1, &["show", "m.db"]);
    assert!(
        error.contains("the table pin was changed past the memory: the row of entry")
            && error.contains("axilog memory rebuild m.db"),
        "{error}"
    );
    place.run_with_code(1, &["event", "m.db", "EV-031", r#"{"scene_id":"cellar"}"#]);
    place.run_with_code(0, &["rebuild", "m.db"]);
    place.run_with_code(0, &["show", "m.db"]);
    change("UPDATE fact SET locked = 0");
    let (_, error) = place.run_with_code(1, &["working-set", "m.db"]);
    assert!(
        error.contains(
            "the table fact was changed past the memory: the row of entry 14 has another locked"
        ),
        "{error}"
    );
    place.run_with_code(0, &["rebuild", "m.db"]);
    place.run_with_code(0, &["working-set", "m.db"]);
}

#[test]
fn a_tokenizer_counts_the_budget() {
    let place = MemoryDirectory::new();
    let counted = ["working-set", "m.db", "--tokenizer", "o200k_base", "--json"];
    let (stdout, _) = place.run_with_code(0, &counted);
    let report: Value = serde_json::from_str(&stdout).unwrap();
    let (set, tokens) = (&report["working_set"], report["tokens"].as_u64().unwrap());
    assert_eq!(set["tokenizer"], "o200k_base, tiktoken-rs 0.12.1");
    assert!(tokens < set.to_string().len() as u64);
    let (_, stderr) = place.run_with_code(2, &["working-set", "m.db", "--tokenizer", "o300k"]);
    assert!(stderr.contains("o200k_base"), "{stderr}");
    place.run_with_code(0, &["rebuild", "m.db"]);
}

#[test]
fn a_working_set_selects_by_search_tag_key_and_number() {
    let place = MemoryDirectory::new();
    let fact = |key: &str, text: &str, tags: &[&str]| {
        serde_json::json!({
            "kind": "LOCATION", "stable_key": key, "visibility_mask": "PUBLIC", "precision_tag": "UNLOCKED",
            "payload": { "text": text }, "provenance": { "source": "generator", "refs": [] }, "tags": tags,
        })
    };
    let facts = [
        fact("inn-1", "The lantern of the inn is red.", &["inn"]),
        fact("inn-2", "A dog sleeps by the fire.", &["inn", "dog"]),
        fact("mill-1", "The mill stands still.", &[]),
    ];
    let lines: Vec<String> = facts.iter().map(ToString::to_string).collect();
    fs::write(place.path().join("facts.jsonl"), lines.join("\n")).unwrap();
    let appended = place.run_json(0, &["fact", "m.db", "facts.jsonl"]);
    let mill = appended["facts"][2]["fact_id"].as_str().unwrap();
    let texts = |options: &[&str]| -> Vec<String> {
        let report = place.run_json(0, &[&["working-set", "m.db"], options].concat());
        let facts = report["working_set"]["facts_slice"].as_array().unwrap();
        let texts = facts.iter().map(|fact| fact["payload"]["text"].as_str());
        texts.map(|text| text.unwrap().to_owned()).collect()
    };
    let [lantern, dog, still] = [
        "The lantern of the inn is red.",
        "A dog sleeps by the fire.",
        "The mill stands still.",
    ];
    let matching = texts(&["--order", "matching", "--search", "Which lanterns?"]);
    assert_eq!(matching, [lantern]);
    assert_eq!(texts(&["--tag", "dog"]), [dog]);
    assert_eq!(texts(&["--key-prefix", "inn-"]), [lantern, dog]);
    assert_eq!(texts(&["--fact", mill]), [still]);
    assert_eq!(texts(&["--at-most", "LOCATION=1"]), [still]);
    assert_eq!(
        texts(&["--at-most", "LOCATION=1", "--order", "key"]),
        [lantern]
    );
    let (_, error) = place.run_with_code(2, &["working-set", "m.db", "--at-most", "CLUE"]);
    assert!(error.contains("expected KIND=N"), "{error}");
    place.run_with_code(0, &["rebuild", "m.db"]);
    place.run_with_code(0, &["gate", "m.db", "G1"]);
}
