//! How often the guard takes plain text for a leak: measured on sentences of our own in three languages, each searched
//! for every exact string of the lists below. The page has the figures.

use std::fs;

use axilog_memory::{EntryKind, Handle};

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

/// The sentences, and in how many of them something was found that does not stand there.
fn measure(
    language: &str,
    memory: &TestMemory,
    names: &[(Handle, String)],
) -> (usize, Vec<String>) {
    let path = format!(
        "{}/tests/memory/corpus/{language}.txt",
        env!("CARGO_MANIFEST_DIR")
    );
    let text = fs::read_to_string(path).unwrap();
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

#[test]
fn plain_text_is_seldom_taken_for_a_leak() {
    let words = WORDS.iter().map(|word| (*word).to_owned());
    let mut rows = measure_all(
        &words.chain(codes()).collect::<Vec<_>>(),
        "names, clues and codes",
    );
    // A part of the fixed words of every output is refused.
    let is_accepted = |word: &&&str| axilog_memory::Fact::new(&clue("a", word)).is_ok();
    let ordinary = ORDINARY.iter().filter(is_accepted);
    let ordinary: Vec<String> = ordinary.map(|word| (*word).to_owned()).collect();
    rows.extend(measure_all(&ordinary, "ordinary words"));
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

/// Measures with these strings locked; gives a row of the page for each language.
fn measure_all(strings: &[String], about: &str) -> Vec<String> {
    let mut memory = TestMemory::new();
    let facts = strings
        .iter()
        .enumerate()
        .map(|(number, exact)| (EntryKind::Fact, clue(&format!("a{number}"), exact)));
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
    for (language, file) in [
        ("English", "english"),
        ("German", "german"),
        ("Korean", "korean"),
    ] {
        let (sentences, alarms) = measure(file, &memory, &names);
        println!("{alarms:#?}");
        let (strings, alarms) = (strings.len(), alarms.len());
        rows.push(format!(
            "| {language} | {sentences} | {strings} {about} | {alarms} |"
        ));
    }
    rows
}
