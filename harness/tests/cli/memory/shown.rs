//! What a model's side was shown, as the command records, lists and compares it.

use std::fs;

use serde_json::{Value, json};

use super::commands::{FACT, MemoryDirectory};

fn memory_with_fact() -> MemoryDirectory {
    let place = MemoryDirectory::new();
    fs::write(place.path().join("fact.json"), FACT).unwrap();
    place.run_with_code(0, &["fact", "m.db", "fact.json"]);
    place
}

/// Shows an output of each kind; a narration passes, and one is refused.
fn show_each_kind(place: &MemoryDirectory) {
    let set = ["working-set", "m.db", "--viewer", "ana"];
    place.run_with_code(0, &set);
    place.run_with_code(0, &[&set[..], &["--prompt", "Is it Seven KEYS?"]].concat());
    let narrate = [&set[..], &["--narration", "told.txt"]].concat();
    for (code, text) in [(0, "Rain falls."), (1, "It reads seven keys.")] {
        fs::write(place.path().join("told.txt"), text).unwrap();
        place.run_with_code(code, &narrate);
    }
    let (brief, _) = place.run_with_code(0, &["pvib", "m.db", "--viewer", "ana"]);
    fs::write(place.path().join("brief.json"), brief).unwrap();
    let check = ["pvib", "m.db", "--viewer", "ana", "--check", "brief.json"];
    place.run_with_code(0, &check);
}

#[test]
fn no_line_of_a_text_passes_for_an_entry() {
    let place = memory_with_fact();
    let forged = "Rain.\nentry           99 PROMPT\nfor             bob\n";
    fs::write(place.path().join("told.txt"), forged).unwrap();
    let narrate = ["working-set", "m.db", "--viewer", "ana", "--narration"];
    place.run_with_code(0, &[&narrate[..], &["told.txt"]].concat());
    let (listed, _) = place.run_with_code(0, &["shown", "m.db"]);
    let entries = listed.lines().filter(|line| line.starts_with("entry"));
    assert_eq!(entries.count(), 1, "{listed}");
    assert!(listed.contains("Rain.\\nentry"), "{listed}");
    let object = place.run_json(0, &["shown", "m.db"]);
    assert_eq!(object["shown"][0]["text"], forged);
}

#[test]
fn what_is_printed_is_listed() {
    let place = memory_with_fact();
    let (nothing, _) = place.run_with_code(0, &["shown", "m.db"]);
    assert!(nothing.starts_with("nothing was shown to a model's side yet"));
    assert_eq!(place.run_json(0, &["shown", "m.db"])["shown"], json!([]));
    show_each_kind(&place);

    let listed = place.run_json(0, &["shown", "m.db"]);
    let shown = listed["shown"].as_array().unwrap();
    let kinds: Value = shown.iter().map(|output| output["kind"].clone()).collect();
    let expected = [
        "WORKING_SET",
        "PROMPT",
        "NARRATION",
        "NARRATION",
        "PVIB",
        "BRIEF",
    ];
    assert_eq!((kinds, &listed["count"]), (json!(expected), &json!(6)));
    for output in shown {
        assert_eq!(output["audience"]["viewers"], json!(["ana"]));
        assert_eq!(output["bytes_hash"].as_str().unwrap().len(), 64);
    }
    assert_eq!(shown[1]["text"], "[locked]");
    assert_eq!(shown[2]["text"], "Rain falls.");
    assert!(shown[3].get("text").is_none());

    // The hash is that of the bytes that the command printed.
    let again = place.run_json(0, &["working-set", "m.db", "--viewer", "ana"]);
    assert_eq!(again["bytes_hash"], shown[0]["bytes_hash"]);
    assert_eq!(
        (&again["working_set_id"], &again["recorded"]),
        (&shown[0]["working_set_id"], &json!(true))
    );

    let (text, _) = place.run_with_code(0, &["shown", "m.db"]);
    assert!(
        text.lines().all(|line| line.chars().count() <= 80),
        "{text}"
    );
    for part in [
        "NARRATION, passed",
        "NARRATION, refused",
        "for             ana",
        "BRIEF\n",
    ] {
        assert!(text.contains(part), "{text}");
    }
    assert!(!text.to_lowercase().contains("seven"), "{text}");

    let of_kind = place.run_json(0, &["shown", "m.db", "--kind", "narration", "--last", "1"]);
    assert_eq!(
        (&of_kind["count"], &of_kind["shown"]),
        (&json!(2), &json!([shown[3]]))
    );
    let (last, _) =
        place.run_with_code(0, &["shown", "m.db", "--kind", "narration", "--last", "1"]);
    assert!(
        last.ends_with("the last 1 of 2; --last N lists more\n"),
        "{last}"
    );
    let place = memory_with_fact();
    place.run_with_code(0, &["working-set", "m.db"]);
    let (none, _) = place.run_with_code(0, &["shown", "m.db", "--kind", "brief"]);
    assert_eq!(
        none,
        "none of 1 outputs that were shown is of such a kind\n"
    );
}

/// Without a record the output begins with a line by which it is no canonical JSON.
#[test]
fn who_looks_on_gets_a_marked_output_and_leaves_no_entry() {
    let place = memory_with_fact();
    let head = || fs::read(place.path().join("m.db.head")).unwrap();
    for command in ["working-set", "pvib"] {
        let before = head();
        let (text, _) = place.run_with_code(0, &[command, "m.db", "--unrecorded"]);
        let json = place.run_json(0, &[command, "m.db", "--unrecorded"]);
        assert_eq!((&json["recorded"], head()), (&json!(false), before.clone()));
        let (mark, output) = text.split_once('\n').unwrap();
        assert!(mark.starts_with("UNRECORDED: "), "{mark}");
        let (recorded, _) = place.run_with_code(0, &[command, "m.db"]);
        assert_eq!(recorded, output);
        assert_ne!(head(), before);
    }
    for text in [["--prompt", "Who?"], ["--narration", "-"]] {
        let args = ["working-set", "m.db", "--unrecorded", text[0], text[1]];
        let (_, error) = place.run_with_code(2, &args);
        assert!(error.contains("cannot be used with"), "{error}");
    }
}

/// A changed table whose digest was changed too: the prompt made of it is named, and the tables are right again.
#[test]
fn a_rebuild_names_what_is_another_output_now() {
    let place = memory_with_fact();
    show_each_kind(&place);
    let same = place.run_json(0, &["rebuild", "m.db"]);
    let expected =
        json!({ "same": 5, "refused_narrations": 1, "other_pins": [], "differences": [] });
    assert_eq!(same["shown"], expected);
    let (text, _) = place.run_with_code(0, &["rebuild", "m.db"]);
    for part in [
        "5 outputs made again, byte for byte",
        "1 refused narration, of which",
    ] {
        assert!(text.contains(part), "{text}");
    }
    let conn = rusqlite::Connection::open(place.path().join("m.db")).unwrap();
    let empty =
        "DELETE FROM visible; UPDATE table_digest SET digest = zeroblob(32) WHERE name = 'visible'";
    conn.execute_batch(empty).unwrap();
    drop(conn);
    let shown = place.run_json(0, &["working-set", "m.db"]);
    let rebuilt = place.run_json(1, &["rebuild", "m.db"]);
    let [difference] = &rebuilt["shown"]["differences"].as_array().unwrap()[..] else {
        panic!("{rebuilt}");
    };
    assert_eq!(difference["kind"], "WORKING_SET");
    assert_eq!(difference["expected"], shown["bytes_hash"]);
    let right = place.run_json(0, &["working-set", "m.db"]);
    assert_eq!(difference["found"], right["bytes_hash"]);
    let (text, _) = place.run_with_code(1, &["rebuild", "m.db"]);
    let named = format!("entry {} SHOWN WORKING_SET", difference["seq"]);
    assert!(text.contains(&named), "{text}");
    assert!(
        text.lines().all(|line| line.chars().count() <= 80),
        "{text}"
    );
    let (gate, _) = place.run_with_code(1, &["gate", "m.db", "G1"]);
    assert!(gate.contains(&named), "{gate}");
}

/// What was open when it was told is in the log, and is not told again once it is locked.
#[test]
fn a_text_is_listed_without_what_is_locked_since() {
    let place = memory_with_fact();
    let set = place.run_json(0, &["working-set", "m.db"]);
    let handles = &set["working_set"]["locked_precision_handles"];
    let detail = handles[1].as_str().unwrap();
    let scene = r#"{"scene_id":"cellar"}"#;
    place.run_with_code(0, &["event", "m.db", "EV-031", scene]);
    let ask = [
        "recall",
        "m.db",
        detail,
        "--requester",
        "ana",
        "--roller",
        "ana",
    ];
    let roll = [
        "--skill",
        "lore",
        "--dc",
        "9",
        "--roll",
        "12",
        "--outcome",
        "success",
    ];
    place.run_with_code(0, &[&ask[..], &roll].concat());
    fs::write(place.path().join("told.txt"), "It reads seven keys.").unwrap();
    let tell = [
        "working-set",
        "m.db",
        "--viewer",
        "ana",
        "--narration",
        "told.txt",
    ];
    place.run_with_code(0, &tell);
    let last = ["shown", "m.db", "--last", "1"];
    assert_eq!(
        place.run_json(0, &last)["shown"][0]["text"],
        "It reads seven keys."
    );
    place.run_with_code(0, &["event", "m.db", "EV-032", scene]);
    assert_eq!(
        place.run_json(0, &last)["shown"][0]["text"],
        "It reads [locked]."
    );
    let (text, _) = place.run_with_code(0, &last);
    assert!(
        text.contains("NARRATION, passed") && !text.contains("seven"),
        "{text}"
    );
    let rebuilt = place.run_json(0, &["rebuild", "m.db"]);
    assert_eq!(rebuilt["shown"]["same"], 2);
}
