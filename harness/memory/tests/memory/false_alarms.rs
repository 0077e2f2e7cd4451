//! How often the guard takes plain text for a leak: measured on sentences of our own in three languages, each searched
//! for every exact string of the lists below. The page has the figures.

use std::collections::BTreeSet;
use std::fs;

use axilog_memory::{EntryKind, Handle};
use serde_json::json;

use crate::test_memory::{TestMemory, clue};

/// Names and clues as a game would lock them; none stands in the sentences. The short ones are words that many longer
/// words have inside.
const WORDS: &[&str] = &[
    "Silver Key",
    "Mordvane",
    "the third lantern",
    "Ashgrove",
    "under the altar",
    "Captain Thorne",
    "raven queen",
    "Holt Bennet",
    "seven bells",
    "Wolfsbane",
    "moon well",
    "Old Marrow",
    "Kestrel",
    "red door",
    "Iron Oath",
    "den",
    "ash",
    "ear",
    "owl",
    "ink",
    "rat",
    "imp",
    "ale",
    "Silberschlüssel",
    "Rabenkönigin",
    "unter dem Altar",
    "Eisenschwur",
    "Mondbrunnen",
    "Kapitän Dorn",
    "Schattental",
    "Grauwald",
    "der dritte Krug",
    "rote Tür",
    "Wolfswurz",
    "Turmfalke",
    "alter Markstein",
    "Uhu",
    "Ahn",
    "Ohr",
    "Eid",
    "Rat",
    "Tau",
    "Erz",
    "은열쇠",
    "까마귀 여왕",
    "제단 밑",
    "달의 우물",
    "쇠맹세",
    "회색숲",
    "붉은 문",
    "늑대풀",
    "황조롱이",
    "옛 이정표",
    "세 번째 등불",
    "도른 선장",
    "그림자골",
    "서낭당",
    "여우비",
    "무지개",
    "나루터",
];

/// Ordinary words, which nobody should lock: each stands inside longer words of some language.
const ORDINARY: &[&str] = &[
    "where",
    "arrel",
    "under",
    "hence",
    "ounce",
    "range",
    "water",
    "stern",
    "raven",
    "utter",
    "arbor",
    "chard",
    "light",
    "grand",
    "hours",
    "Garten",
    "Schlüssel",
    "Ferien",
    "Haus",
    "Wache",
    "Meister",
    "Mauer",
    "Bürger",
    "Strich",
    "Wirt",
    "Stunde",
    "Laterne",
    "Markt",
    "Nacht",
    "Regen",
    "장터에",
    "기차는",
    "마을에",
    "울타리",
    "할머니",
];

/// How many codes there are of three, of four and of five digits.
const CODES: usize = 100;

/// Codes that a generator gives, the same in every run.
fn codes() -> Vec<String> {
    let mut state = 4711_u64;
    let mut next = move |limit: u64| {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 33) % limit
    };
    let mut codes = Vec::new();
    for digits in [3, 4, 5] {
        for _ in 0..CODES {
            // The names of events have the numbers below 200.
            codes.push(format!(
                "{}",
                2 * 10_u64.pow(digits - 1) + next(8 * 10_u64.pow(digits - 1))
            ));
        }
    }
    codes
}

/// Whether a string stands in a sentence as words of it: that is no false alarm.
fn stands_in(sentence: &str, exact: &str) -> bool {
    let words = |text: &str| {
        let words = text
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty());
        format!(" {} ", words.collect::<Vec<_>>().join(" ").to_lowercase())
    };
    words(sentence).contains(&words(exact))
}

fn read_sentences(file: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/memory/corpus");
    fs::read_to_string(format!("{folder}/{file}.txt")).unwrap()
}

/// The sentences, and what was found in them that does not stand there.
fn measure(file: &str, memory: &TestMemory, names: &[(Handle, String)]) -> (usize, Vec<String>) {
    let text = read_sentences(file);
    let mut alarms = Vec::new();
    for sentence in text.lines() {
        for handle in memory.reader().find_locked_strings(sentence).unwrap() {
            let (_, exact) = names.iter().find(|(name, _)| *name == handle).unwrap();
            if !stands_in(sentence, exact) {
                alarms.push(format!("{exact} in: {sentence}"));
            }
        }
    }
    (text.lines().count(), alarms)
}

const LANGUAGES: [(&str, &str); 3] = [
    ("English", "english"),
    ("German", "german"),
    ("Korean", "korean"),
];

/// The same with times, dates, prices and sizes in every sentence.
const WITH_NUMBERS: [(&str, &str); 3] = [
    ("English with numbers", "english_numbers"),
    ("German with numbers", "german_numbers"),
    ("Korean with numbers", "korean_numbers"),
];

/// The codes that the sentences have written otherwise: `1130` in `11:30`. Each of four digits and more.
fn codes_of_sentences() -> Vec<String> {
    let mut codes = BTreeSet::new();
    for (_, file) in WITH_NUMBERS {
        for sentence in read_sentences(file).lines() {
            let words = sentence.split(char::is_whitespace);
            let digits = words.map(|word| word.chars().filter(char::is_ascii_digit).collect());
            codes.extend(digits.filter(|digits: &String| digits.len() >= 4));
        }
    }
    codes.into_iter().collect()
}

#[test]
fn plain_text_is_seldom_taken_for_a_leak() {
    let words: Vec<String> = WORDS.iter().map(|word| (*word).to_owned()).collect();
    let names = [words.clone(), codes()].concat();
    // A part of the fixed words of every output is refused.
    let is_accepted = |word: &&&str| axilog_memory::Fact::new(&clue("a", word)).is_ok();
    let ordinary = ORDINARY.iter().filter(is_accepted);
    let ordinary: Vec<String> = ordinary.map(|word| (*word).to_owned()).collect();
    let of_sentences = codes_of_sentences();
    let mut rows = Vec::new();
    for (strings, about) in [
        (&names, "names, clues and codes"),
        (&ordinary, "ordinary words"),
    ] {
        rows.extend(measure_all(strings, about, "spelled", &LANGUAGES));
    }
    for policy in ["exact", "spelled", "paranoid"] {
        for (strings, about) in [
            (&codes(), "codes"),
            (&words, "names and clues"),
            (&of_sentences, "codes of the sentences' own digits"),
        ] {
            rows.extend(measure_all(strings, about, policy, &WITH_NUMBERS));
        }
    }
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/memory.md");
    let page = fs::read_to_string(page).unwrap();
    for row in &rows {
        assert!(
            page.contains(row),
            "the page has other figures than these:\n{}",
            rows.join("\n")
        );
    }
}

/// Measures with these strings locked; gives a row of the page for each corpus.
fn measure_all(
    strings: &[String],
    about: &str,
    policy: &str,
    corpora: &[(&str, &str)],
) -> Vec<String> {
    let mut memory = TestMemory::new();
    let facts = strings.iter().enumerate().map(|(number, exact)| {
        let mut fact = clue(&format!("a{number}"), exact);
        fact["guard"] = json!(policy);
        (EntryKind::Fact, fact)
    });
    memory.store.append_all(facts).unwrap();
    let mut names = Vec::new();
    memory
        .reader()
        .for_each_entry(&mut |entry| {
            if entry.kind == EntryKind::Fact {
                let fact = axilog_memory::Fact::new(&entry.body)?;
                let details = fact.details().iter();
                names.extend(details.map(|detail| (detail.handle, detail.exact.clone())));
            }
            Ok(())
        })
        .unwrap();
    let mut rows = Vec::new();
    for (corpus, file) in corpora {
        let (sentences, alarms) = measure(file, &memory, &names);
        println!("{policy}: {alarms:#?}");
        let (strings, alarms) = (strings.len(), alarms.len());
        rows.push(format!(
            "| {corpus} | {sentences} | {strings} {about} | {policy} | {alarms} |"
        ));
    }
    rows
}
