//! G2: a locked exact string never comes out (HL-005, RR-002, PC-006).
//!
//! TestMemorys are generated with thousands of exact strings planted where they should not be: in the text
//! of other facts, in numbers, member names, names of scenes and pins, gists; in other case, spacing and
//! normal form. The search here is the plainest: fold, squeeze, look.

use axilog_memory::gate::{Gate, GateInputs, run_gate};
use axilog_memory::{
    EntryKind, FoldedText, Handle, MemoryError, OutputClass, PLACEHOLDER, RecallAnswer, RecallScope,
};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

use crate::test_memory::{TestMemory, clue, open_fact, query};

/// How an exact string is planted.
fn respell(token: &str, how: u8) -> String {
    match how % 7 {
        0 => token.to_owned(),
        1 => token.to_uppercase(),
        2 => token
            .chars()
            .map(String::from)
            .collect::<Vec<_>>()
            .join(" "),
        3 => token.replace(' ', "\t\n"),
        4 => token
            .chars()
            .map(String::from)
            .collect::<Vec<_>>()
            .join("\u{200b}"),
        5 => token.to_lowercase(),
        _ => token.replace(' ', ""),
    }
}

/// Exact strings of several words and scripts.
fn tokens(count: usize) -> impl Strategy<Value = Vec<String>> {
    let word = prop_oneof![
        "[0-9]{4,9}",
        "[a-zA-Z]{5,9}[0-9]{2}",
        "(\u{e9}t\u{e9}|stra\u{df}e|\u{3b1}\u{3b2}\u{3b3}|\u{43c}\u{438}\u{440}|\u{6771}\u{4eac})[0-9]{3}",
    ];
    let token = prop::collection::vec(word, 1..4).prop_map(|words| words.join(" "));
    prop::collection::vec(token, count)
}

/// Every text a model or player may get of a memory.
fn outputs(memory: &mut TestMemory, guesses: &str) -> Vec<(String, String)> {
    let mut texts = Vec::new();
    for class in OutputClass::ALL {
        for viewers in [&[][..], &["ana"], &["ana", "ben"]] {
            let mut query = query(class, viewers, 40_000);
            query.purposes = vec!["RECAP".into()];
            let name = format!("{class:?} {viewers:?}");
            let set = memory.reader().inspect_working_set(&query).unwrap();
            assert!(set.tokens() <= 40_000);
            texts.push((format!("{name}, bytes"), set.text().to_owned()));
            strings(set.value(), &mut |text| {
                texts.push((format!("{name}, part"), text.to_owned()))
            });
            if class == OutputClass::Prompt {
                let prompt = memory.store.build_prompt(&query, guesses).unwrap();
                texts.push((format!("{name}, prompt"), prompt.text().to_owned()));
            }
            if class == OutputClass::Pvib {
                let brief = memory.reader().inspect_image_brief(&query, None).unwrap();
                texts.push((format!("{name}, PVIB"), brief.canonical().text().to_owned()));
            }
        }
    }
    // Most parts are the same in each class.
    texts.sort_by(|(_, a), (_, b)| a.cmp(b));
    texts.dedup_by(|(_, a), (_, b)| a == b);
    texts
}

fn strings(value: &Value, found: &mut dyn FnMut(&str)) {
    match value {
        Value::String(text) => found(text),
        Value::Array(items) => items.iter().for_each(|item| strings(item, found)),
        Value::Object(members) => members.iter().for_each(|(name, member)| {
            found(name);
            strings(member, found);
        }),
        _ => {}
    }
}

/// Searches each text for each token, as plainly as can be.
fn search(texts: &[(String, String)], tokens: &[String]) {
    let squeezed: Vec<String> = tokens
        .iter()
        .map(|token| FoldedText::new(token).text())
        .collect();
    for (name, text) in texts {
        let folded = FoldedText::new(text);
        let letters = folded.text();
        for (token, squeezed) in tokens.iter().zip(&squeezed) {
            // The plain search for the letters first: it is quick, and finds more.
            if letters.contains(squeezed) {
                assert!(!folded.contains_exact(token), "{name}: {token:?} in {text}");
            }
        }
    }
}

/// A memory in which all of `tokens` are locked and planted everywhere.
fn plant(tokens: &[String], hows: &[u8]) -> TestMemory {
    let mut memory = TestMemory::new();
    let mut entries = Vec::new();
    for (number, (token, how)) in tokens.iter().zip(hows.iter().cycle()).enumerate() {
        let planted = respell(token, *how);
        let mut secret = clue(&format!("a{number:05}"), token);
        secret["visibility_mask"] = match number % 4 {
            0 => json!("PUBLIC"),
            1 => json!({ "PLAYER": ["ana"] }),
            2 => json!({ "PLAYER": ["ana", "ben"] }),
            _ => json!("DM_ONLY"),
        };
        entries.push((EntryKind::Fact, secret));
        let payload = match how % 4 {
            0 => json!({ "text": format!("They say {planted}, they say.") }),
            1 => json!({ "deep": [[{ "x": [format!("({planted})")] }]] }),
            2 => json!({ planted: true }),
            _ => match token.parse::<u64>() {
                Ok(n) if n.to_string() == *token => json!({ "number": n, "list": [1, n, 2] }),
                _ => json!({ "words": token.split(' ').collect::<Vec<_>>() }),
            },
        };
        entries.push((
            EntryKind::Fact,
            open_fact(&format!("b{number:05}"), payload),
        ));
        let mut gist = clue(
            &format!("c{number:05}"),
            &format!("own words {number:05} apart"),
        );
        gist["gist"] = json!(format!(
            "It has to do with {}",
            respell(token, how.wrapping_add(1))
        ));
        entries.push((EntryKind::Fact, gist));
    }
    let facts = memory.store.append_all(entries).unwrap();
    let some: Vec<Handle> = facts
        .iter()
        .take(60)
        .filter_map(|fact| fact.handle)
        .collect();
    let body = axilog_memory::compaction_body("RECAP", &some).unwrap();
    memory.append(EntryKind::Compaction, body);
    // Requests with many guesses are looked at here, not their number.
    let many =
        json!({ "name": "guesses_per_scene", "from": "64", "to": "9999", "reason": "a test" });
    memory.append(EntryKind::Revision, many);
    memory
}

/// A world of 200 exact strings, and four of 600 with `AXILOG_WIDE=1`.
#[test]
fn locked_strings_stand_in_no_output() {
    let is_wide = std::env::var_os("AXILOG_WIDE").is_some();
    let (cases, strings) = if is_wide { (4, 600) } else { (1, 200) };
    let mut runner = TestRunner::new(Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    });
    let strategy = (tokens(strings), prop::collection::vec(any::<u8>(), 64));
    runner
        .run(&strategy, |(tokens, hows)| {
            let mut memory = plant(&tokens, &hows);
            let guesses = tokens
                .iter()
                .take(40)
                .cloned()
                .collect::<Vec<_>>()
                .join(", ");
            search(&outputs(&mut memory, &guesses), &tokens);
            let report = run_gate(&mut memory.store, Gate::G2, &GateInputs::default()).unwrap();
            assert!(report.passed(), "{:?}", report.faults);
            // What the operator sees neither.
            memory
                .reader()
                .for_each_entry(&mut |entry| {
                    let shown = memory.reader().redact(&entry.body)?;
                    if entry.seq % 37 == 0 {
                        search(&[(entry.kind.to_string(), shown.to_string())], &tokens);
                    }
                    Ok(())
                })
                .unwrap();
            Ok(())
        })
        .unwrap();
}

/// Every way there is to ask for a string gives everything but it, and leaves its three events.
#[test]
fn every_request_leaves_a_locked_string_locked_and_is_logged() {
    let mut runner = TestRunner::new(Config {
        cases: 24,
        failure_persistence: None,
        ..Config::default()
    });
    runner
        .run(&(tokens(3), any::<u8>()), |(tokens, how)| {
            let mut memory = TestMemory::new();
            let mut handles = Vec::new();
            for (number, token) in tokens.iter().enumerate() {
                let (fact, detail) = memory.append_fact(clue(&format!("a{number}"), token));
                handles.extend([fact.to_string(), detail.to_string()]);
            }
            memory.start_scene("cellar");
            let mut asked = handles.clone();
            asked.extend(handles.iter().map(|handle| handle.to_uppercase()));
            asked.extend(tokens.iter().map(|token| respell(token, how)));
            asked.extend(["", "*", "%", "' OR 1=1 --", "words"].map(String::from));
            for asked in asked {
                for roll in [None, Some(false)] {
                    let recall = memory.recall(&asked, roll, RecallScope::Session);
                    let expected = [
                        EntryKind::RecallRequest,
                        EntryKind::RecallAttempt,
                        EntryKind::RecallResult,
                    ];
                    assert_eq!(memory.kinds_from(recall.seq), expected, "{asked:?}");
                    match recall.answer {
                        RecallAnswer::Exact(value) => panic!("{asked:?} gave {value}"),
                        RecallAnswer::Fuzzy(gist) => search(&[(asked.clone(), gist)], &tokens),
                        RecallAnswer::Unknown => assert!(!handles.contains(&asked)),
                    }
                }
            }
            Ok(())
        })
        .unwrap();
}

#[test]
fn only_the_unlocked_string_is_told() {
    let mut memory = TestMemory::new();
    let (_, one) = memory.append_fact(clue("a1", "alpha 100"));
    let (_, two) = memory.append_fact(clue("a2", "the words alpha 200 beta"));
    memory.append_fact(clue("a3", "alpha 200"));
    memory.start_scene("cellar");
    memory.recall(&one.to_string(), Some(true), RecallScope::Scene);
    let text = memory
        .reader()
        .inspect_working_set(&query(OutputClass::Prompt, &["ana"], 8000))
        .unwrap();
    assert!(text.text().contains("alpha 100") && !text.text().contains("alpha 200"));
    // A locked string inside an unlocked one stays locked.
    let recall = memory.recall(&two.to_string(), Some(true), RecallScope::Scene);
    assert_eq!(
        recall.answer,
        RecallAnswer::Exact(json!(format!("the words {PLACEHOLDER} beta")))
    );
}

#[test]
fn a_narration_with_a_locked_string_is_refused() {
    let mut memory = TestMemory::new();
    let (_, detail) = memory.append_fact(clue("a1", "caf\u{e9} 4711"));
    let ana = ["ana".to_owned()];
    for text in ["at CAFE\u{301} 47 11.", "\u{ab}caf\u{e9}4711\u{bb}"] {
        let found = memory.reader().find_locked_strings(text).unwrap();
        assert_eq!(found, [detail]);
        let error = memory.store.check_narration(&ana, text).unwrap_err();
        assert!(matches!(error, MemoryError::Guess { .. }), "{error}");
    }
    for text in ["at caf\u{e9} 47115.", "at cafe 4711."] {
        assert_eq!(
            memory.store.check_narration(&ana, text).unwrap().text(),
            text
        );
    }
}

#[test]
fn a_prompt_whose_own_words_begin_a_locked_string_is_refused() {
    let mut memory = TestMemory::new();
    memory.append_fact(clue("a1", "REQUEST === \"red door"));
    let query = query(OutputClass::Prompt, &["ana"], 8000);
    memory.store.build_prompt(&query, "a red door").unwrap();
    let error = memory.store.build_prompt(&query, "Red Door?").unwrap_err();
    assert!(matches!(error, MemoryError::Guess { .. }), "{error}");
}

proptest! {
    #![proptest_config(Config { cases: 64, failure_persistence: None, ..Config::default() })]

    /// Cutting strings out leaves the rest as it was.
    #[test]
    fn text_without_locked_strings_is_unchanged(text in "[ -~\u{e0}-\u{fc}]{0,80}") {
        let mut memory = TestMemory::new();
        memory.append_fact(clue("a1", "zzz \u{3a9}\u{3a9}\u{3a9} zzz"));
        memory.append(EntryKind::Fact, open_fact("a2", json!({ "text": text })));
        let set = memory.reader().inspect_working_set(&query(OutputClass::Recap, &[], 8000)).unwrap();
        prop_assert_eq!(&set.value()["facts_slice"][1]["payload"]["text"], &json!(text));
    }
}
