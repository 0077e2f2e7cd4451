//! Spellings of locked strings: those that are found, and those that are not.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};

/// A sentence that takes several lines once it is encoded.
const SENTENCE: &str = "Surely the code is 4711, dear reader of this page.";

fn hex(text: &str) -> String {
    text.bytes().map(|byte| format!("{byte:02x}")).collect()
}

fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(bytes).collect()
}

/// A text in parts of `length` with `between` between them.
fn wrap(text: &str, length: usize, between: &str) -> String {
    let parts: Vec<&str> = text
        .as_bytes()
        .chunks(length)
        .map(|part| str::from_utf8(part).unwrap())
        .collect();
    parts.join(between)
}

/// An exact string, how it is spelt in a text, and the text.
pub fn spelt_leaks() -> Vec<(&'static str, &'static str, String)> {
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
        leak("4711", "after a word", "use code4711 now"),
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
            "base64 after letters",
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
        leak("4711", "negative circled digits", "❹❼❶❶"),
        leak("4711", "circled digits without serifs", "➃➆➀➀"),
        leak("4711", "negative circled digits without serifs", "➍➐➊➊"),
        leak("4711", "double circled digits", "⓸⓻⓵⓵"),
        leak("modem", "parenthesised letters", "⒨⒪⒟⒠⒨"),
        leak("kestrel", "negative circled letters", "🅚🅔🅢🅣🅡🅔🅛"),
        leak("kestrel", "squared letters", "🄺🄴🅂🅃🅁🄴🄻"),
        leak("kestrel", "negative squared letters", "🅺🅴🆂🆃🆁🅴🅻"),
        leak("kestrel", "letters of flags", "🇰 🇪 🇸 🇹 🇷 🇪 🇱"),
        leak(
            "4711",
            "digits of Warang Citi",
            "\u{118e4}\u{118e7}\u{118e1}\u{118e1}",
        ),
        leak(
            "4711",
            "digits of Mro",
            "\u{16a64}\u{16a67}\u{16a61}\u{16a61}",
        ),
        leak(
            "4711",
            "digits of Wancho",
            "\u{1e2f4}\u{1e2f7}\u{1e2f1}\u{1e2f1}",
        ),
        leak(
            "4711",
            "digits of Kawi",
            "\u{11f54}\u{11f57}\u{11f51}\u{11f51}",
        ),
        leak(
            "4711",
            "segmented digits",
            "\u{1fbf4}\u{1fbf7}\u{1fbf1}\u{1fbf1}",
        ),
        leak("Silver Key", "hyphen", "the Silver-Key"),
        leak("Silver Key", "underscore", "silver_key"),
        leak("Silver Key", "emphasis", "the **Silver** Key"),
        leak("Mordecai", "emphasis inside", "it was Mor*de*cai"),
        leak("Silver Key", "hyphens between letters", "s-i-l-v-e-r k-e-y"),
        leak(
            "Silver Key",
            "points between letters",
            "S.i.l.v.e.r. K.e.y.",
        ),
        leak("Silver Key", "quotes", "the 'Silver' 'Key'"),
        leak("Silver Key", "code spans", "the `Silver` `Key`"),
        leak("Silver Key", "a slash", "Silver/Key"),
        leak("Silver Key", "a dash", "Silver\u{2014}Key"),
        leak(
            "Halt!",
            "another sign after it",
            "he cried: Halt, you there",
        ),
        leak("Mordecai", "tags of HTML", "it was Mor<b>de</b>cai"),
        leak("Silver Key", "tags of a forum", "the Sil[b]ver[/b] Key"),
        leak("Silver Key", "a space of HTML", "the Silver&nbsp;Key"),
        leak("Silver Key", "a soft hyphen of HTML", "the Sil&shy;ver Key"),
        leak("4711", "entities of HTML", "&#52;&#55;&#49;&#49;"),
        leak("4711", "hexadecimal entities", "&#x34;&#x37;&#x31;&#x31;"),
        leak(
            "4711",
            "entities written twice",
            "&amp;#52;&amp;#55;&amp;#49;&amp;#49;",
        ),
        leak("4711", "escapes of JSON", r"\u0034\u0037\u0031\u0031"),
        leak("4711", "escapes of Rust", r"\u{34}\u{37}\u{31}\u{31}"),
        leak("4711", "octal escapes", r"\064\067\061\061"),
        leak("4711", "code points", "U+0034 U+0037 U+0031 U+0031"),
        leak(
            "4711",
            "code points with commas",
            "U+0034, U+0037, U+0031, U+0031",
        ),
        leak("4711", "one escape among digits", r"47\x311"),
        leak("4711", "quoted-printable", "=34=37=31=31"),
        leak(
            "Silver Key",
            "quoted-printable over lines",
            "the Sil=\r\nver Key",
        ),
        leak(
            "4711",
            "escapes of JavaScript's escape",
            "%u0034%u0037%u0031%u0031",
        ),
        leak(
            "4711",
            "base64 in lines of mail",
            &wrap(&STANDARD.encode(SENTENCE), 20, "\r\n"),
        ),
        leak(
            "4711",
            "base64 with spaces",
            &wrap(&STANDARD.encode("at 4711"), 1, " "),
        ),
        leak(
            "4711",
            "base64 in groups of four",
            &wrap(&STANDARD.encode(SENTENCE), 4, " "),
        ),
        leak(
            "4711",
            "base64 twice",
            &STANDARD.encode(STANDARD.encode("4711")),
        ),
        leak(
            "4711",
            "base64 three times",
            &STANDARD.encode(STANDARD.encode(STANDARD.encode("4711"))),
        ),
        leak(
            "4711",
            "hexadecimal of base64",
            &hex(&STANDARD.encode("4711")),
        ),
        leak(
            "4711",
            "base64 of hexadecimal",
            &STANDARD.encode(hex("4711")),
        ),
        leak(
            "4711",
            "base64 of UTF-16",
            &STANDARD.encode(utf16("4711", u16::to_le_bytes)),
        ),
        leak(
            "4711",
            "base64 of UTF-16, high bytes first",
            &STANDARD.encode(utf16("4711", u16::to_be_bytes)),
        ),
        leak(
            "서울역앞",
            "base64 of UTF-16 in Korean",
            &STANDARD.encode(utf16("서울역앞", u16::to_le_bytes)),
        ),
        leak(
            "4711",
            "an escape of an address in base64",
            "%4EDcxMQ%3D%3D",
        ),
        leak("4711", "hexadecimal number", "it is 0x1267"),
        leak("4711", "hexadecimal number of an assembler", "it is 1267h"),
        leak("4711", "binary number", "it is 0b1001001100111"),
        leak("4711", "binary digits", "it is 1001001100111"),
        leak("4711", "octal number", "it is 0o11147"),
        leak("4711", "Roman digits", "Anno MMMMDCCXI"),
        leak("4711", "small Roman digits", "anno mmmmdccxi"),
        leak(
            "4711",
            "Roman digits of Unicode",
            "\u{216f}\u{216f}\u{216f}\u{216f}\u{216e}\u{216d}\u{216d}\u{216a}",
        ),
        leak("4711", "numbers of characters", "52 55 49 49"),
        leak(
            "4711",
            "a list of numbers of characters",
            "[52, 55, 49, 49]",
        ),
        leak("4711", "octal numbers of characters", "064 067 061 061"),
        leak(
            "4711",
            "binary numbers of characters",
            "00110100 00110111 00110001 00110001",
        ),
    ]
}

/// What is not found, which the page lists. The `|` of a table stands in none.
pub const NOT_FOUND: &[(&str, &str, &str)] = &[
    ("4711", "number words", "four seven one one"),
    ("4711", "number words of another script", "四七一一"),
    ("4711", "a calculation", "4700 and eleven"),
    ("4711", "words between", "4 and 7 and 1 and 1"),
    (
        "4711",
        "more than three signs between digits",
        "4 ---- 7 ---- 1 ---- 1",
    ),
    (
        "Silver Key",
        "more than two signs between letters",
        "Silver ... Key",
    ),
    ("4711", "backwards", "1174"),
    (
        "4711",
        "an octal or hexadecimal number that does not say so",
        "11147, 1267",
    ),
    ("4711", "Roman digits one by one", "IV VII I I"),
    ("Silver Key", "leet", "s1lv3r k3y"),
    ("Silver Key", "shifted letters", "Fvyire Xrl"),
    ("Silver Key", "a letter missing or another one", "Silvr Kay"),
    (
        "Silver Key",
        "accents that are added or left out",
        "sílver kéy",
    ),
    ("key", "an ending after a short word", "the keys"),
    ("Silver Key", "a translation", "der silberne Schlüssel"),
    (
        "Silver Key",
        "a word in other words",
        "the shiny thing that opens doors",
    ),
    ("4711", "an acrostic", "4 doors\n7 rooms\n1 floor\n1 lamp"),
    (
        "Silver Key",
        "the first letters of words",
        "sad ivy leaves very early, red knight, eat yams",
    ),
    ("4711", "base32, base58, base85", "GQ3TCMI= 3sEuF 1G^gD"),
    ("4711", "compressed text in base64", "eJwzMTc0BAAB+gDX"),
    ("4711", "Morse code", "....- --... .---- .----"),
    (
        "Silver Key",
        "a spelling alphabet",
        "Sierra India Lima Victor Echo Romeo, Kilo Echo Yankee",
    ),
    ("4711", "Braille", "⠼⠙⠛⠁⠁"),
    (
        "4711",
        "characters of tags, which are not seen",
        "\u{e0034}\u{e0037}\u{e0031}\u{e0031}",
    ),
    ("4711", "tallies", "•••• ••••••• • •"),
];
