//! G2: a locked string is found in every spelling that the page lists, and in no plain text that only
//! resembles it.

use axilog_memory::{OutputClass, PLACEHOLDER};
use icu_properties::props::{DefaultIgnorableCodePoint, GeneralCategory, WhiteSpace};
use icu_properties::{CodePointMapData, CodePointSetData};

use crate::spelt_leaks::{NOT_FOUND, spelt_leaks};
use crate::test_memory::{TestMemory, clue, query};

/// Texts in which the exact string does not stand.
const HARMLESS: &[(&str, &str)] = &[
    ("4711", "the code is 14711"),
    ("4711", "the code is 47112"),
    ("4711", "4 gold, 7 silver, 11 copper"),
    ("4711", "in 47 days and 11 nights"),
    ("key", "the monkey has keys"),
    ("key", "a key9"),
    ("111", "he was ill"),
    ("B11", "the bill"),
    ("101", "lol"),
    ("oil", "the number 011"),
    ("caf\u{e9} 4711", "at cafe 4711."),
    ("silver key", "silver ... key"),
    ("1009", "the mix"),
    ("silver key", "silver 🗝 key"),
    ("modem", "a modest and moderate model"),
];

fn memory_with(exact: &str) -> TestMemory {
    let mut memory = TestMemory::new();
    memory.append_fact(clue("a1", exact));
    memory
}

fn is_found(memory: &TestMemory, text: &str) -> bool {
    !memory
        .reader()
        .find_locked_strings(text)
        .unwrap()
        .is_empty()
}

fn read_page() -> String {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/memory.md");
    std::fs::read_to_string(page).unwrap()
}

#[test]
fn a_locked_string_is_found_in_every_spelling() {
    let mut missed = Vec::new();
    let count = format!("spell locked strings in {} ways", spelt_leaks().len());
    assert!(
        read_page().contains(&count),
        "the page does not say: {count}"
    );
    for (exact, how, text) in spelt_leaks() {
        let mut memory = memory_with(exact);
        let query = query(OutputClass::Prompt, &["ana"], 8000);
        let prompt = memory.store.build_prompt(&query, &text).unwrap();
        let asked = prompt.text().rsplit("=== REQUEST ===\n").next().unwrap();
        let cleaned: String = serde_json::from_str(asked).unwrap();
        if !is_found(&memory, &text)
            || !cleaned.contains(PLACEHOLDER)
            || memory.store.check_narration(&["ana"], &text).is_ok()
            || is_found(&memory, &cleaned)
        {
            missed.push(format!("{how}: {exact:?} in {text:?} gives {cleaned:?}"));
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

/// The characters that Unicode draws as nothing though they are neither format characters nor ignorable: the
/// blanks of Braille, of Egyptian hieroglyphs and of Khitan, and the notehead of music that is not drawn.
const BLANKS: [char; 5] = [
    '\u{2800}',
    '\u{13441}',
    '\u{13442}',
    '\u{16fe4}',
    '\u{1d159}',
];

/// The properties are those of another project. Of the 4,096 tags and what is reserved for them one in 64 is tried, and
/// with `AXILOG_WIDE=1` all.
#[test]
fn a_locked_string_is_found_with_any_invisible_character_in_it() {
    let categories = CodePointMapData::<GeneralCategory>::new();
    let ignorable = CodePointSetData::new::<DefaultIgnorableCodePoint>();
    let white_space = CodePointSetData::new::<WhiteSpace>();
    let is_invisible = |c: &char| {
        let category = categories.get(*c);
        matches!(category, GeneralCategory::Control | GeneralCategory::Format)
            || ignorable.contains(*c)
            || white_space.contains(*c)
            || BLANKS.contains(c)
    };
    let exacts = ["4711", "silver key", "서울역앞"];
    let memories = exacts.map(|exact| (exact, memory_with(exact)));
    let mut missed = Vec::new();
    let mut tried = 0;
    let is_wide = std::env::var_os("AXILOG_WIDE").is_some();
    for c in ('\0'..=char::MAX).filter(is_invisible) {
        let is_tag = matches!(c, '\u{e0000}'..='\u{e0fff}');
        if is_tag && !is_wide && !u32::from(c).is_multiple_of(64) {
            continue;
        }
        tried += 1;
        for (exact, memory) in &memories {
            let spelt: Vec<String> = exact.chars().map(String::from).collect();
            let text = format!("it is {}.", spelt.join(&c.to_string()));
            if !is_found(memory, &text) {
                missed.push(format!("U+{:04X} in {exact}", u32::from(c)));
            }
        }
    }
    assert!(missed.is_empty(), "{}: {missed:?}", missed.len());
    assert!(tried > if is_wide { 4000 } else { 250 }, "{tried}");
}

#[test]
fn a_text_that_only_resembles_a_locked_string_is_no_leak() {
    for (exact, text) in HARMLESS {
        assert!(
            !is_found(&memory_with(exact), text),
            "{exact:?} in {text:?}"
        );
    }
}

/// The page has a row for each spelling that is not found, and no other. Where one of these is found one day, the page
/// gets shorter.
#[test]
fn the_page_lists_what_is_not_found() {
    let page = read_page();
    let (_, table) = page
        .split_once("| not found | locked | spelt |\n|---|---|---|\n")
        .unwrap();
    let listed: Vec<&str> = table
        .lines()
        .take_while(|line| line.starts_with('|'))
        .collect();
    let mut rows = Vec::new();
    for (exact, how, text) in NOT_FOUND {
        assert!(
            !is_found(&memory_with(exact), text),
            "{how}: {exact:?} in {text:?}"
        );
        // The page shows what is not seen.
        let show = |c: char| match c {
            '\n' => " / ".to_owned(),
            '\u{e0000}'..='\u{e0fff}' => c.escape_unicode().to_string(),
            other => other.to_string(),
        };
        let text: String = text.chars().map(show).collect();
        rows.push(format!("| {how} | {exact} | {text} |"));
    }
    assert_eq!(
        listed,
        rows,
        "the page has other rows than these:\n{}",
        rows.join("\n")
    );
}
