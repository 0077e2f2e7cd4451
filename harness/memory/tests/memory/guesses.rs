//! Guesses at locked strings in requests and narrations: what is answered tells a right one from a wrong one as little as
//! can be, and a scene allows only so many (document, section 5; gate G2).

use axilog_memory::{
    EntryKind, InitialState, MemoryError, MemoryStore, OutputClass, PLACEHOLDER, RecallScope,
};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use crate::test_memory::{TestMemory, clue, initial_state, query};

/// What the prompt for ana has of a request.
fn ask(memory: &mut TestMemory, request: &str) -> Result<String, MemoryError> {
    let query = query(OutputClass::Prompt, &["ana"], 8000);
    let prompt = memory.store.build_prompt(&query, request)?;
    let (_, asked) = prompt.text().split_once("=== REQUEST ===\n").unwrap();
    let asked: &str = &serde_json::from_str::<String>(asked).unwrap();
    Ok(asked.trim_end().to_owned())
}

#[track_caller]
fn assert_refused<T: std::fmt::Debug>(result: Result<T, MemoryError>, what: &str) {
    let error = result.unwrap_err();
    assert!(matches!(error, MemoryError::Guess { .. }), "{error}");
    let text = error.to_string();
    assert!(
        text.starts_with(&format!("the {what} is refused")),
        "{text}"
    );
}

fn memory_with(exact: &[&str]) -> TestMemory {
    let mut memory = TestMemory::new();
    for (number, exact) in exact.iter().enumerate() {
        memory.append_fact(clue(&format!("a{number}"), exact));
    }
    memory
}

/// The attack: every code in one request, of which the one that is cut out is the right one.
#[test]
fn a_request_with_every_code_is_refused_as_a_whole() {
    let mut memory = memory_with(&["4711"]);
    memory.start_scene("cellar");
    let every: Vec<String> = (0..10_000).map(|code| format!("{code:04}")).collect();
    assert_refused(ask(&mut memory, &every.join("\n")), "request");
    let seq = memory.reader().head().unwrap().seq;
    assert_eq!(memory.kinds_from(seq), [EntryKind::Guess]);
    let mut body = memory.body_of(seq);
    // What looks like encoded text may be counted too.
    let guesses = body["guesses"].take().as_u64().unwrap();
    assert!((10_000..10_100).contains(&guesses), "{guesses}");
    let expected = json!({ "output": "PROMPT", "scene_id": "cellar", "guesses": null });
    assert_eq!(body, expected);
    // Nor is one of a list that is encoded told from the others.
    let encoded = STANDARD.encode(every.join(" "));
    assert_refused(ask(&mut memory_with(&["4711"]), &encoded), "request");
    // A narration that says them all is refused too, also without the right one.
    let wrong: Vec<String> = every.into_iter().filter(|code| code != "4711").collect();
    let narration = memory.store.check_narration(&["ana"], &wrong.join(" "));
    assert_refused(narration, "narration");
}

/// A number in the place of a locked one is answered as the locked one is, in every spelling.
#[test]
fn a_right_number_is_answered_as_a_wrong_one() {
    for (exact, requests) in [
        ("4711", ["Is it 4711?", "Is it 4712?", "Is it 0000?"]),
        ("4711", ["Is it 47 11?", "Is it 47 12?", "Is it 33 33?"]),
        (
            "4711",
            ["Is it 4,7-1 1?", "Is it 9,9-9 9?", "Is it 4,7-1 2?"],
        ),
        ("4711", ["Is it 47ll?", "Is it 46ll?", "Is it 2ool?"]),
        ("4711", ["Is it NDcxMQ?", "Is it NDcxMg?", "Is it OTk5OQ?"]),
        ("4711", ["Is it ४७११?", "Is it ४७१२?", "Is it ０００1?"]),
        (
            "N 51 07",
            ["Is it N 51 07?", "Is it n 51 08?", "Is it N 0000?"],
        ),
        (
            "raven 88",
            ["Is it Raven 88?", "Is it raven 99?", "Is it RAVEN  1 2?"],
        ),
    ] {
        for request in requests {
            let mut memory = memory_with(&[exact]);
            let asked = ask(&mut memory, request).unwrap();
            assert_eq!(asked, "Is it [locked]?", "{exact} {request}");
            // After the guesses stands what was shown.
            let seq = memory.reader().head().unwrap().seq - 1;
            assert_eq!(memory.body_of(seq)["guesses"], 1, "{request}");
        }
        for request in ["Is it 471?", "Is it 47110?", "Are there 12 of us?"] {
            assert_eq!(ask(&mut memory_with(&[exact]), request).unwrap(), request);
        }
    }
}

/// Where the right word stands is not told: else one request tries many.
#[test]
fn a_request_with_a_locked_word_is_replaced_as_a_whole() {
    let mut memory = memory_with(&["Mordecai", "4711"]);
    for request in [
        "Is it Balthasar, Mordecai or Melchior?",
        "Mordecai!",
        "Is it mordecai, or 1234?",
    ] {
        assert_eq!(ask(&mut memory, request).unwrap(), PLACEHOLDER);
    }
    let request = "Is it Balthasar or Melchior?";
    assert_eq!(ask(&mut memory, request).unwrap(), request);
}

/// A code that the table knows is not cut out, whatever other codes are locked.
#[test]
fn what_is_open_is_no_guess() {
    let mut memory = memory_with(&["1130"]);
    let (_, detail) = memory.append_fact(clue("k1", "4711"));
    memory.start_scene("cellar");
    memory.recall(&detail.to_string(), Some(true), RecallScope::Scene);
    assert_eq!(
        ask(&mut memory, "4711 or 4712?").unwrap(),
        "4711 or [locked]?"
    );
}

/// Makes a memory that allows four guesses in a scene.
fn memory_of_four_guesses() -> TestMemory {
    let mut memory = TestMemory::new();
    let mut initial: InitialState = initial_state();
    initial.pins.push(("guesses_per_scene".into(), "4".into()));
    memory.path = memory.directory.path().join("four.db");
    memory.store = MemoryStore::init(&memory.path, &initial).unwrap();
    memory.append_fact(clue("a1", "4711"));
    memory.append_fact(clue("a2", "Mordecai"));
    memory
}

#[test]
fn a_scene_allows_only_so_many_guesses() {
    let mut memory = memory_of_four_guesses();
    memory.start_scene("cellar");
    for request in ["Is it 1234 or 4711?", "Is it 4711?", "Is it Mordecai?"] {
        ask(&mut memory, request).unwrap();
    }
    assert_refused(ask(&mut memory, "Is it 1234?"), "request");
    // Nothing more is asked in the scene: a word that is wrong would be told from one that is right.
    assert_refused(ask(&mut memory, "Is it Balthasar?"), "request");
    assert_refused(ask(&mut memory, "Who is there?"), "request");
    assert_eq!(ask(&mut memory, "").unwrap(), "");
    // The game goes on, and only what may be a guess is not said.
    for (text, is_said) in [
        ("Rain falls.", true),
        ("In the year 1402.", false),
        ("It is 4711.", false),
        ("It is Mordecai.", false),
    ] {
        let narration = memory.store.check_narration(&["ana"], text);
        assert_eq!(narration.is_ok(), is_said, "{text}");
    }
    // A restart of the scene or of the program changes nothing.
    memory.append(EntryKind::SceneEnd, json!({ "scene_id": "cellar" }));
    memory.start_scene("cellar");
    memory.store = MemoryStore::open(&memory.path).unwrap();
    memory.store.rebuild().unwrap();
    assert_refused(ask(&mut memory, "Who is there?"), "request");
    // Another scene or session does.
    memory.append(EntryKind::SceneEnd, json!({ "scene_id": "cellar" }));
    memory.start_scene("attic");
    ask(&mut memory, "Who is there?").unwrap();
    memory.append(EntryKind::SceneEnd, json!({ "scene_id": "attic" }));
    memory.start_scene("cellar");
    assert_refused(ask(&mut memory, "Who is there?"), "request");
    memory.append(EntryKind::State, json!({ "session_id": "s2" }));
    ask(&mut memory, "Who is there?").unwrap();
}

/// A refused narration says the same of a right guess and of a wrong one too many.
#[test]
fn a_refusal_is_the_same_for_every_guess() {
    let mut memory = memory_of_four_guesses();
    let mut refuse = |text: &str| {
        let error = memory.store.check_narration(&["ana"], text).unwrap_err();
        format!("{error} {error:?}")
    };
    let right = refuse("It is 4711.");
    for text in [
        "It is Mordecai.",
        "1 of 1001, 1002, 1003, 1004, 1005",
        "It is 4711, Mordecai.",
    ] {
        assert_eq!(refuse(text), right);
    }
}

#[test]
fn the_number_of_guesses_is_a_number() {
    let mut memory = TestMemory::new();
    let revision =
        |to: &str| json!({ "name": "guesses_per_scene", "from": "64", "to": to, "reason": "r" });
    for wrong in ["", "many", "-1", "4294967296"] {
        let error = memory.append_refused(EntryKind::Revision, revision(wrong));
        assert!(error.to_string().contains("expected a number"), "{error}");
    }
    memory.append(EntryKind::Revision, revision("0"));
    memory.append_fact(clue("a1", "4711"));
    assert_refused(ask(&mut memory, "Is it 1234?"), "request");
}
