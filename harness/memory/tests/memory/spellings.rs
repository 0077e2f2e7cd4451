//! G2: a locked string is found in every spelling that the page lists, and in no plain text that only
//! resembles it.

use axilog_memory::{OutputClass, PLACEHOLDER};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use icu_properties::props::{DefaultIgnorableCodePoint, GeneralCategory, WhiteSpace};
use icu_properties::{CodePointMapData, CodePointSetData};

use crate::test_memory::{TestMemory, clue, query};

fn hex(text: &str) -> String {
    text.bytes().map(|byte| format!("{byte:02x}")).collect()
}

/// An exact string, how it is spelt in a text, and the text.
fn spelt_leaks() -> Vec<(&'static str, &'static str, String)> {
    let leak = |exact, how, text: &str| (exact, how, text.to_owned());
    vec![
        leak("4711", "as it is", "The code is 4711."),
        leak("Silver Key", "other case", "the SILVER KEY"),
        leak("Silver Key", "without space", "a silverkey"),
        leak("4711", "spaced", "the code is 4 7\n1 1"),
        leak(
            "4711",
            "invisible characters",
            "it is 4\u{200b}7\u{ad}1\u{2060}1",
        ),
        leak("caf\u{e9} 12", "decomposed", "at cafe\u{301} 12"),
        leak("4711", "behind a word", "use code4711 now"),
        leak("4711", "before a word", "walk 4711m north"),
        leak("Schlüssel", "in a compound", "der Kellerschlüsselbund"),
        leak(
            "서울역앞",
            "Korean with a particle",
            "그는 서울역앞에서 기다린다",
        ),
        leak("הכספת", "Hebrew with a prefix", "הסוד שבהכספתנו"),
        leak("مفتاح", "Arabic with an article", "وجد والمفتاحين هناك"),
        leak(
            "Blackwell",
            "Latin with a Korean particle",
            "범인은 Blackwell이다",
        ),
        leak(
            "4711",
            "full width",
            "it is \u{ff14}\u{ff17}\u{ff11}\u{ff11}.",
        ),
        leak(
            "Silver Key",
            "mathematical letters",
            "\u{1d412}\u{1d422}\u{1d425}\u{1d42f}\u{1d41e}\u{1d42b} key",
        ),
        leak("4711", "circled digits", "\u{2463}\u{2466}\u{2460}\u{2460}"),
        leak(
            "4711",
            "parenthesised digits",
            "\u{2477}\u{247a}\u{2474}\u{2474}",
        ),
        leak(
            "4711",
            "key caps",
            "4\u{fe0f}\u{20e3}7\u{fe0f}\u{20e3}1\u{fe0f}\u{20e3}1\u{fe0f}\u{20e3}",
        ),
        leak("4711", "struck through", "4\u{336}7\u{336}1\u{336}1\u{336}"),
        leak(
            "4711",
            "Arabic digits",
            "الرقم \u{664}\u{667}\u{661}\u{661}",
        ),
        leak("4711", "Devanagari digits", "\u{96a}\u{96d}\u{967}\u{967}"),
        leak("4711", "comma of thousands", "about 4,711 of them"),
        leak("4711", "hyphens", "dial 4-7-1-1"),
        leak(
            "4711",
            "comma and space",
            "first 4, 7, then none; 4, 7, 1, 1",
        ),
        leak("4711", "points", "4.7.1.1"),
        leak(
            "4711",
            "a list in JSON",
            "{\"code\":[\"4\",\"7\",\"1\",\"1\"]}",
        ),
        leak("12.5 west", "other separator", "125 West"),
        leak("4711", "letters like digits", "the code is 47ll"),
        leak("4711", "capitals like digits", "the code is 47II"),
        leak("Room 101", "letters like digits", "in room lOl"),
        leak("Silver Key", "digits like letters", "the si1ver key"),
        leak(
            "Silver Key",
            "Cyrillic letters",
            "the \u{455}\u{456}lv\u{435}r k\u{435}y",
        ),
        leak(
            "HOLT BENNET",
            "Cyrillic capitals",
            "\u{41d}\u{41e}LT \u{412}\u{415}NN\u{415}\u{422}",
        ),
        leak(
            "modem",
            "letters that touch",
            "the modern modem, or: the rnodem",
        ),
        leak("4711", "base64", "key: NDcxMQ=="),
        leak(
            "4711",
            "base64 of a sentence",
            &STANDARD.encode("Surely the code is 4711, dear reader."),
        ),
        leak(
            "caf\u{e9} 4711",
            "base64 for addresses",
            &format!("?q={}", URL_SAFE_NO_PAD.encode("caf\u{e9} 4711")),
        ),
        leak(
            "4711",
            "base64 behind letters",
            &format!("x{}", STANDARD.encode("ab 4711 cd")),
        ),
        leak("4711", "hexadecimal", "0x34373131"),
        leak(
            "Silver Key",
            "hexadecimal of another spelling",
            &hex("SILVERKEY").to_uppercase(),
        ),
        leak("4711", "hexadecimal with spaces", "34 37 31 31"),
        leak(
            "Silver Key",
            "escapes of an address",
            "%53%69%6C%76%65%72 %4b%65%79",
        ),
        leak("4711", "escapes of a program", r"\x34\x37\x31\x31"),
    ]
}

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
    ("silver key", "silver-key"),
    ("modem", "a modest and moderate model"),
];

/// What the page says is not found.
const NOT_FOUND: &[(&str, &str, &str)] = &[
    ("4711", "number words", "four seven one one"),
    ("4711", "number words of another script", "四七一一"),
    ("4711", "sums", "4700 and eleven"),
    ("4711", "backwards", "1174"),
    ("Silver Key", "leet", "s1lv3r k3y"),
    (
        "Silver Key",
        "separators between letters",
        "s-i-l-v-e-r k-e-y",
    ),
    ("Silver Key", "shifted letters", "Fvyire Xrl"),
    ("Silver Key", "a translation", "der silberne Schlüssel"),
    ("key", "an ending behind a short word", "the keys"),
    (
        "Silver Key",
        "accents that are added or left out",
        "sílver kéy",
    ),
    ("4711", "base32", "GQ3TCMI="),
    ("4711", "entities of HTML", "&#52;&#55;&#49;&#49;"),
    ("4711", "an acrostic", "4 doors\n7 rooms\n1 floor\n1 lamp"),
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

#[test]
fn a_locked_string_is_found_in_every_spelling() {
    let mut missed = Vec::new();
    for (exact, how, text) in spelt_leaks() {
        let mut memory = memory_with(exact);
        let query = query(OutputClass::Prompt, &["ana"], 8000);
        let prompt = memory.store.build_prompt(&query, &text).unwrap();
        let cleaned = prompt
            .text()
            .rsplit("=== REQUEST ===\n")
            .next()
            .unwrap()
            .to_owned();
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

/// Where one of these is found one day, the page gets shorter.
#[test]
fn the_page_lists_what_is_not_found() {
    let page =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/memory.md"))
            .unwrap();
    for (exact, how, text) in NOT_FOUND {
        assert!(
            !is_found(&memory_with(exact), text),
            "{how}: {exact:?} in {text:?}"
        );
        assert!(page.contains(how), "the page does not name: {how}");
    }
}
