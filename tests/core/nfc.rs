//! `is_nfc` against the Unicode conformance data and two other implementations.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, iter};

use axilog::text::{UNICODE_VERSION, is_nfc};
use icu_normalizer::ComposingNormalizerBorrowed;
use proptest::prelude::*;
use proptest::sample::select;
use unicode_normalization::char::{canonical_combining_class, decompose_canonical};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use crate::cases::cases;

const ICU: ComposingNormalizerBorrowed<'static> = ComposingNormalizerBorrowed::new_nfc();

/// At most 30 consecutive characters of non-zero combining class.
fn has_few_marks(text: &str) -> bool {
    let mut marks = 0;
    text.chars().all(|c| {
        let is_mark = canonical_combining_class(c) > 0;
        marks = if is_mark { marks + 1 } else { 0 };
        marks <= 30
    })
}

fn reference(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok_and(|text| {
        let normal = text.nfc().eq(text.chars());
        assert_eq!(normal, ICU.is_normalized_utf8(bytes), "{text:?}");
        normal && has_few_marks(text)
    })
}

#[track_caller]
fn agree(text: impl AsRef<[u8]>) {
    let bytes = text.as_ref();
    let shown = String::from_utf8_lossy(bytes);
    assert_eq!(is_nfc(bytes), reference(bytes), "{shown:?} {bytes:x?}");
}

/// Characters that may compose with what is before them.
fn joiners() -> Vec<char> {
    ('\0'..=char::MAX)
        .filter(|&c| is_nfc_quick(iter::once(c)) == IsNormalized::Maybe)
        .collect()
}

/// All characters with a canonical decomposition, and all that it consists of. Hangul syllables by
/// two of each leading consonant.
fn involved() -> BTreeSet<char> {
    let mut involved = BTreeSet::from(['\0', 'a', 'z', '\u{6F22}', '\u{1F600}', char::MAX]);
    for c in '\0'..=char::MAX {
        let syllable = u32::from(c).wrapping_sub(0xAC00);
        if syllable < 11172 && syllable % 588 > 1 {
            continue;
        }
        let mut parts = Vec::new();
        decompose_canonical(c, |part| parts.push(part));
        if parts != [c] {
            involved.insert(c);
            involved.extend(parts);
        }
    }
    involved
}

fn cargo() -> OsString {
    env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

fn stdout(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The directory of the sources of a dependency.
fn source_of(package: &str) -> PathBuf {
    // Packages for other platforms may not be there to be read.
    let version = stdout(Command::new(cargo()).arg("-vV"));
    let host = version
        .lines()
        .find_map(|l| l.strip_prefix("host: "))
        .unwrap();
    let metadata = stdout(
        Command::new(cargo())
            .args([
                "metadata",
                "--offline",
                "--format-version=1",
                "--filter-platform",
                host,
            ])
            .current_dir(env!("CARGO_MANIFEST_DIR")),
    );
    metadata
        .split(r#""manifest_path":""#)
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .map(|path| PathBuf::from(path.replace(r"\\", r"\")))
        .filter_map(|path| path.parent().map(Path::to_path_buf))
        .find(|directory| {
            let name = directory.file_name().unwrap_or_default().to_string_lossy();
            name == package
                || name
                    .strip_prefix(package)
                    .is_some_and(|v| v.starts_with('-'))
        })
        .unwrap()
}

#[test]
fn unicode_conformance_data() {
    let path = source_of("icu_normalizer").join("tests/data/NormalizationTest.txt");
    let data = fs::read_to_string(path).unwrap();
    let title = format!("# NormalizationTest-{UNICODE_VERSION}.txt");
    assert_eq!(data.lines().next(), Some(title.as_str()));

    let mut alone = BTreeSet::new();
    let mut part = "";
    let mut lines = 0;
    for line in data.lines() {
        if line.starts_with('@') {
            part = line.split(' ').next().unwrap();
        }
        if line.starts_with(['@', '#']) || line.is_empty() {
            continue;
        }
        let columns: Vec<String> = line
            .split(';')
            .take(5)
            .map(|column| {
                let codes = column
                    .split(' ')
                    .map(|c| u32::from_str_radix(c, 16).unwrap());
                codes.map(|c| char::from_u32(c).unwrap()).collect()
            })
            .collect();
        let [c1, c2, c3, c4, c5] = &columns[..] else {
            panic!("{line}")
        };
        for (text, normal) in [(c1, c2), (c2, c2), (c3, c2), (c4, c4), (c5, c4)] {
            assert_eq!(is_nfc(text.as_bytes()), text == normal, "{line}");
        }
        if part == "@Part1" {
            alone.extend(c1.chars());
        }
        lines += 1;
    }
    assert!(lines > 19_000 && alone.len() > 16_000);
    for c in ('\0'..=char::MAX).filter(|c| !alone.contains(c)) {
        assert!(is_nfc(c.encode_utf8(&mut [0; 4]).as_bytes()), "{c:?}");
    }
}

#[test]
fn every_character() {
    for c in '\0'..=char::MAX {
        // Alone; out of order before or after a mark; blocked by one; after a block of harmless
        // text, at every place in it.
        let fill = "\u{6F22}".repeat(usize::try_from(u32::from(c) % 24).unwrap());
        for text in [
            format!("{c}"),
            format!("{fill}{c}\u{334}a"),
            format!("a\u{345}{c}{fill}"),
            format!("{fill}e{c}\u{301}{c}"),
        ] {
            agree(text);
        }
    }
}

#[test]
fn every_pair_that_may_compose() {
    let (involved, joiners) = (involved(), joiners());
    for &base in &involved {
        for &joiner in &joiners {
            agree(format!("{base}{joiner}"));
        }
    }
}

#[test]
fn every_two_marks_on_a_base() {
    let marks: Vec<char> = joiners()
        .into_iter()
        .filter(|&c| canonical_combining_class(c) > 0)
        .chain([
            '\u{334}', '\u{316}', '\u{30D}', '\u{345}', '\u{5B0}', '\u{94D}',
        ])
        .collect();
    for &base in &involved() {
        for first in &marks {
            for second in &marks {
                agree(format!("{base}{first}{second}"));
            }
        }
    }
}

#[test]
fn every_ill_formed_sequence() {
    // On both sides of every bound in the definition of UTF-8 and of every range told by bytes.
    const BOUNDS: [u8; 36] = [
        0x00, 0x41, 0x7F, 0x80, 0x81, 0x82, 0x83, 0x86, 0x87, 0x88, 0x8F, 0x90, 0x99, 0x9A, 0x9E,
        0x9F, 0xA0, 0xAA, 0xAE, 0xAF, 0xB0, 0xB8, 0xBB, 0xBC, 0xBF, 0xC0, 0xC1, 0xC2, 0xCB, 0xE0,
        0xE2, 0xE3, 0xED, 0xEF, 0xF0, 0xF4,
    ];
    for a in 0x80..=0xFF {
        for b in BOUNDS {
            for c in BOUNDS {
                agree([a, b, c]);
                for d in BOUNDS {
                    let bytes = [a, b, c, d, b'x'];
                    // Few are valid; only those need the slower reference.
                    let valid = std::str::from_utf8(&bytes).is_ok();
                    assert!(valid || !is_nfc(&bytes), "{bytes:x?}");
                    if valid {
                        agree(bytes);
                    }
                }
            }
        }
    }
}

const INTERESTING: [&[u8]; 30] = [
    b"",
    b"a",
    "\u{E9}".as_bytes(),
    "e\u{301}".as_bytes(),
    "\u{301}".as_bytes(),
    "\u{E9}\u{316}".as_bytes(),
    "\u{1EC7}\u{31B}".as_bytes(),
    "o\u{302}\u{31B}".as_bytes(),
    "\u{F4}\u{31B}".as_bytes(),
    "a\u{323}\u{302}".as_bytes(),
    "q\u{323}\u{307}".as_bytes(),
    "q\u{307}\u{323}".as_bytes(),
    "\u{1100}\u{1161}".as_bytes(),
    "\u{AC00}\u{11A8}".as_bytes(),
    "\u{AC01}\u{11A8}".as_bytes(),
    "\u{AC00}\u{302E}\u{11A8}".as_bytes(),
    "\u{9C7}\u{9BE}".as_bytes(),
    "\u{9C7}\u{9CD}\u{9BE}".as_bytes(),
    "\u{1611E}\u{16121}".as_bytes(),
    "\u{16D63}\u{16D68}".as_bytes(),
    "\u{958}".as_bytes(),
    "\u{304B}\u{3099}".as_bytes(),
    "\u{6F22}\u{3099}".as_bytes(),
    "\u{212B}".as_bytes(),
    "\u{2F800}".as_bytes(),
    "\u{387}".as_bytes(),
    b"\xE6\xBC",
    b"\xF0\x9F\x98",
    b"\xC3",
    b"\x80",
];

#[test]
fn every_alignment() {
    for filler in ["a", "\u{E9}", "\u{6F22}", "\u{1F600}", "\u{915}\u{94D}"] {
        for pad in 0..=130 {
            let before = filler.repeat(pad);
            for middle in INTERESTING {
                for after in ["", "a", "\u{E9}\u{6F22}", filler.repeat(40).as_str()] {
                    agree([before.as_bytes(), middle, after.as_bytes()].concat());
                }
            }
        }
    }
}

#[test]
fn many_marks() {
    for pad in 0..=70 {
        for (marks, admissible) in [(29, true), (30, true), (31, false), (65_000, false)] {
            let text = format!("{}{}e", "x".repeat(pad), "\u{316}".repeat(marks));
            assert_eq!(is_nfc(text.as_bytes()), admissible);
        }
        // A starter begins the count anew; a mark of its own class blocks it from nothing here.
        let text = format!("{}x", "\u{316}".repeat(30)).repeat(5);
        assert!(is_nfc(text.as_bytes()));
    }
    for (text, admissible) in [
        ("\u{1161}".repeat(65_000), true),
        ("\u{1100}".repeat(65_000), true),
        ("\u{1100}".repeat(65_000) + "\u{1161}", false),
        ("\u{AC00}".repeat(65_000) + "\u{11A7}", true),
        ("\u{AC00}".repeat(65_000) + "\u{11A8}", false),
        ("\u{9BE}".repeat(65_000), true),
        ("\u{16D67}\u{16D67}".repeat(30_000), false),
        ("\r".repeat(65_000), true),
    ] {
        assert_eq!(is_nfc(text.as_bytes()), admissible);
    }
}

fn alphabet() -> impl Strategy<Value = String> {
    let marks = "\u{300}\u{301}\u{302}\u{303}\u{308}\u{30A}\u{316}\u{31B}\u{323}\u{327}\u{328}\
                 \u{331}\u{334}\u{338}\u{345}\u{35C}\u{3099}\u{309A}\u{653}\u{654}\u{655}\u{93C}\
                 \u{94D}\u{C56}\u{DCA}\u{110BA}\u{302E}\u{5B0}\u{344}\u{1D165}";
    let starters = "aeouAOqs<=\u{E9}\u{F4}\u{1A1}\u{1EC7}\u{1EE3}\u{1E69}\u{3B1}\u{1F80}\u{1F71}\
                    \u{212B}\u{627}\u{648}\u{928}\u{958}\u{304B}\u{304C}\u{30CF}\u{6F22}\u{FF9E}\
                    \u{F900}\u{2F800}\u{1F600}\u{1D15E}\r\n \0";
    let joining = "\u{1100}\u{1161}\u{1175}\u{11A7}\u{11A8}\u{11C2}\u{AC00}\u{AC01}\u{D788}\u{D7A3}\
                   \u{9C7}\u{9BE}\u{9D7}\u{9CB}\u{B47}\u{B56}\u{CC6}\u{CC2}\u{CCA}\u{CD5}\u{DD9}\
                   \u{DCF}\u{DDC}\u{1025}\u{102E}\u{1B05}\u{1B35}\u{11131}\u{11127}\u{113C2}\
                   \u{113C5}\u{113B8}\u{1611E}\u{1611F}\u{16120}\u{16121}\u{16126}\u{16129}\
                   \u{16D63}\u{16D67}\u{16D68}\u{16D69}\u{16D6A}";
    let of = |set: &str| select(set.chars().collect::<Vec<_>>()).prop_map(String::from);
    let fill = (
        select(vec!["x", "\u{E9}", "\u{6F22}", "\u{444}"]),
        1..70usize,
    );
    prop_oneof![
        6 => of(marks),
        4 => of(starters),
        4 => of(joining),
        2 => fill.prop_map(|(c, count)| c.repeat(count)),
        1 => (of(marks), 28..33usize).prop_map(|(c, count)| c.repeat(count)),
        1 => any::<char>().prop_map(String::from),
    ]
}

fn texts() -> impl Strategy<Value = String> {
    prop::collection::vec(alphabet(), 0..12).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(cases(20_000))]

    #[test]
    fn random_text(text in texts()) {
        agree(&text);
        let normal: String = text.nfc().collect();
        prop_assert_eq!(is_nfc(normal.as_bytes()), has_few_marks(&normal));
    }

    #[test]
    fn random_damage(text in texts(), at: prop::sample::Index, byte: u8) {
        let mut bytes = text.nfc().collect::<String>().into_bytes();
        if !bytes.is_empty() {
            let at = at.index(bytes.len());
            bytes[at] = byte;
            agree(&bytes);
            agree(&bytes[..at]);
            agree(&bytes[at..]);
        }
    }

    #[test]
    fn random_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        agree(&bytes);
    }
}
