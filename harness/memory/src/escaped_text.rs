//! Text whose characters are written as escapes: of HTML, JSON, addresses, programs and mail, or `U+0034`; and tags,
//! which show nothing. Determinism: D1.

/// A text without its escapes, and where its characters come from.
#[derive(Debug)]
pub(crate) struct UnescapedText {
    text: String,
    /// Where each character begins in `text`, and its bytes in the original.
    places: Vec<(usize, usize, usize)>,
}

impl UnescapedText {
    /// The text without its escapes.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The bytes of the original from which these bytes of the text come.
    pub(crate) fn place(&self, from: usize, to: usize) -> (usize, usize) {
        let behind = |at: usize| self.places.partition_point(|(start, ..)| *start <= at);
        let char_at = |at: usize| self.places.get(behind(at).saturating_sub(1));
        let start = char_at(from).map_or(0, |(_, start, _)| *start);
        let end = char_at(to.saturating_sub(1)).map_or(start, |(.., end)| *end);
        (start, end.max(start))
    }
}

/// How often a text is unescaped: `&amp;#52;` takes two rounds.
const MAX_ROUNDS: usize = 3;

/// The most characters of a tag.
const MAX_TAG: usize = 160;

/// The entities of HTML that are spaces, or signs of its own.
const ENTITIES: [(&str, char); 19] = [
    ("Tab", '\t'),
    ("NewLine", '\n'),
    ("amp", '&'),
    ("apos", '\''),
    ("dash", '-'),
    ("emsp", ' '),
    ("ensp", ' '),
    ("gt", '>'),
    ("hyphen", '-'),
    ("lowbar", '_'),
    ("lt", '<'),
    ("nbsp", ' '),
    ("num", '#'),
    ("period", '.'),
    ("quot", '"'),
    ("shy", '\u{ad}'),
    ("thinsp", ' '),
    ("zwj", '\u{200d}'),
    ("zwnj", '\u{200c}'),
];

/// The tags in square brackets that forums know.
const FORUM_TAGS: [&str; 8] = ["b", "i", "u", "s", "em", "code", "size", "color"];

/// What an escape at the beginning of a text says, and how many characters it takes.
type Escape = (String, usize);

/// Reads the escapes of a text; gives nothing where it has none.
pub(crate) fn unescape(text: &str) -> Option<UnescapedText> {
    if !text.as_bytes().windows(2).any(may_begin_escape) {
        return None;
    }
    let mut chars: Vec<char> = text.chars().collect();
    let mut places: Vec<(usize, usize)> = text
        .char_indices()
        .map(|(at, c)| (at, at + c.len_utf8()))
        .collect();
    let mut is_changed = false;
    for _ in 0..MAX_ROUNDS {
        let Some((new_chars, new_places)) = unescape_once(&chars, &places) else {
            break;
        };
        (chars, places) = (new_chars, new_places);
        is_changed = true;
    }
    if !is_changed {
        return None;
    }
    let mut unescaped = UnescapedText {
        text: String::with_capacity(text.len()),
        places: Vec::with_capacity(chars.len()),
    };
    for (c, (from, to)) in chars.into_iter().zip(places) {
        unescaped.places.push((unescaped.text.len(), from, to));
        unescaped.text.push(c);
    }
    // Offsets into a text hold for its NFC.
    if unicode_normalization::is_nfc(&unescaped.text) {
        return Some(unescaped);
    }
    Some(as_a_whole(&unescaped.text, text.len()))
}

/// Whether an escape may begin with two bytes: most texts have none, and are not copied.
fn may_begin_escape(pair: &[u8]) -> bool {
    match pair {
        [b'[', next] => next.is_ascii_alphabetic() || *next == b'/',
        [b'<', next] => next.is_ascii_alphabetic() || matches!(next, b'/' | b'!'),
        [b'&', next] => next.is_ascii_alphabetic() || *next == b'#',
        [b'%', next] => next.is_ascii_hexdigit() || matches!(next, b'u' | b'U'),
        [b'=', next] => next.is_ascii_hexdigit() || matches!(next, b'\r' | b'\n'),
        [b'U' | b'u', b'+'] | [b'\\', _] => true,
        _ => false,
    }
}

/// The NFC of a text each of whose characters comes from the whole original.
fn as_a_whole(unescaped: &str, original: usize) -> UnescapedText {
    use unicode_normalization::UnicodeNormalization;
    let text: String = unescaped.nfc().collect();
    let places = text
        .char_indices()
        .map(|(at, _)| (at, 0, original))
        .collect();
    UnescapedText { text, places }
}

type Mapped = (Vec<char>, Vec<(usize, usize)>);

fn unescape_once(chars: &[char], places: &[(usize, usize)]) -> Option<Mapped> {
    let (mut new_chars, mut new_places) = (
        Vec::with_capacity(chars.len()),
        Vec::with_capacity(chars.len()),
    );
    let (mut at, mut is_changed) = (0, false);
    while let Some((c, place)) = chars.get(at).zip(places.get(at)) {
        let rest = chars.get(at..).unwrap_or_default();
        match read_escape(rest).filter(|(_, length)| *length > 0) {
            Some((shown, length)) => {
                let last = places.get(at + length - 1).unwrap_or(place);
                new_chars.extend(shown.chars());
                new_places.resize(new_chars.len(), (place.0, last.1));
                at += length;
                is_changed = true;
            }
            None => {
                new_chars.push(*c);
                new_places.push(*place);
                at += 1;
            }
        }
    }
    is_changed.then_some((new_chars, new_places))
}

fn read_escape(rest: &[char]) -> Option<Escape> {
    match rest {
        ['&', behind @ ..] => read_entity(behind),
        ['\\', behind @ ..] => read_backslash(rest, behind),
        ['U' | 'u', '+', digits @ ..] => {
            let (code, length) = read_digits(digits, 16, 4..=6)?;
            Some((char::from_u32(code)?.to_string(), length + 2))
        }
        ['%', 'u' | 'U', ..] => read_units(rest, &[&['%', 'u'], &['%', 'U']]),
        ['%', ..] => read_bytes(rest, &['%']),
        ['=', '\r', '\n', ..] => Some((String::new(), 3)),
        ['=', '\n', ..] => Some((String::new(), 2)),
        ['=', ..] => read_bytes(rest, &['=']),
        ['<', behind @ ..] => read_tag(behind),
        ['[', behind @ ..] => read_forum_tag(behind),
        _ => None,
    }
}

/// Reads as many digits as `lengths` allows; gives the number and how many there were.
fn read_digits(
    rest: &[char],
    radix: u32,
    lengths: std::ops::RangeInclusive<usize>,
) -> Option<(u32, usize)> {
    let digits = rest
        .iter()
        .take(*lengths.end())
        .map_while(|c| c.to_digit(radix));
    let (mut number, mut length) = (0_u32, 0);
    for digit in digits {
        number = number.checked_mul(radix)?.checked_add(digit)?;
        length += 1;
    }
    lengths.contains(&length).then_some((number, length))
}

/// Reads an entity after its `&`.
fn read_entity(behind: &[char]) -> Option<Escape> {
    let (shown, length) = match behind {
        ['#', 'x' | 'X', digits @ ..] => {
            let (code, length) = read_digits(digits, 16, 1..=8)?;
            (char::from_u32(code)?, length + 2)
        }
        ['#', digits @ ..] => {
            let (code, length) = read_digits(digits, 10, 1..=8)?;
            (char::from_u32(code)?, length + 1)
        }
        name => {
            let is_name = |(entity, _): &&(&str, char)| {
                let length = entity.chars().count();
                name.iter().take(length).copied().eq(entity.chars())
                    && name.get(length) == Some(&';')
            };
            let (entity, shown) = ENTITIES.iter().find(is_name)?;
            (*shown, entity.chars().count())
        }
    };
    let end = usize::from(behind.get(length) == Some(&';'));
    Some((shown.to_string(), length + 1 + end))
}

/// Reads an escape of a program or of JSON.
fn read_backslash(rest: &[char], behind: &[char]) -> Option<Escape> {
    match behind {
        ['u' | 'U', '{', digits @ ..] => {
            let (code, length) = read_digits(digits, 16, 1..=8)?;
            let is_closed = digits.get(length) == Some(&'}');
            is_closed.then_some((char::from_u32(code)?.to_string(), length + 4))
        }
        ['u', ..] => read_units(rest, &[&['\\', 'u']]),
        ['U', digits @ ..] => {
            let (code, length) = read_digits(digits, 16, 8..=8)?;
            Some((char::from_u32(code)?.to_string(), length + 2))
        }
        ['x', ..] => read_bytes(rest, &['\\', 'x']),
        ['n' | 'r' | 't', ..] => Some((" ".to_owned(), 2)),
        ['0'..='7', ..] => {
            let (code, length) = read_digits(behind, 8, 2..=3)?;
            Some((char::from_u32(code)?.to_string(), length + 1))
        }
        [c, ..] if c.is_ascii_punctuation() => Some((c.to_string(), 2)),
        _ => None,
    }
}

/// Reads bytes in two hexadecimal digits each, with `prefix` before each of them, as UTF-8.
fn read_bytes(rest: &[char], prefix: &[char]) -> Option<Escape> {
    let (mut bytes, mut length) = (Vec::new(), 0);
    while let Some(digits) = rest
        .get(length..)
        .and_then(|rest| rest.strip_prefix(prefix))
        && let Some((byte, _)) = read_digits(digits, 16, 2..=2)
    {
        bytes.extend(u8::try_from(byte));
        length += prefix.len() + 2;
    }
    let text = String::from_utf8(bytes).ok()?;
    (!text.is_empty()).then_some((text, length))
}

/// Reads units of UTF-16 in four hexadecimal digits each, with one of `prefixes` before each of them.
fn read_units(rest: &[char], prefixes: &[&[char]]) -> Option<Escape> {
    let (mut units, mut length) = (Vec::new(), 0);
    let digits_at = |at: usize| {
        let rest = rest.get(at..)?;
        prefixes
            .iter()
            .find_map(|prefix| rest.strip_prefix(*prefix))
    };
    while let Some(digits) = digits_at(length)
        && let Some((unit, _)) = read_digits(digits, 16, 4..=4)
    {
        units.extend(u16::try_from(unit));
        length += 6;
    }
    let text = String::from_utf16(&units).ok()?;
    (!text.is_empty()).then_some((text, length))
}

/// Reads a tag of HTML after its `<`: it shows nothing.
fn read_tag(behind: &[char]) -> Option<Escape> {
    let first = behind.first()?;
    if !(first.is_ascii_alphabetic() || matches!(first, '/' | '!')) {
        return None;
    }
    let inside = behind
        .iter()
        .take(MAX_TAG)
        .take_while(|c| !matches!(c, '<' | '>'));
    let length = inside.count();
    let is_closed = behind.get(length) == Some(&'>');
    is_closed.then_some((String::new(), length + 2))
}

/// Reads a forum's tag after its `[`: it shows nothing.
fn read_forum_tag(behind: &[char]) -> Option<Escape> {
    let slash = usize::from(behind.first() == Some(&'/'));
    let name: String = behind
        .iter()
        .skip(slash)
        .take_while(|c| c.is_ascii_alphabetic())
        .collect();
    if !FORUM_TAGS.contains(&&*name.to_ascii_lowercase()) {
        return None;
    }
    let inside = behind
        .iter()
        .take(MAX_TAG)
        .take_while(|c| !matches!(c, '[' | ']'));
    let length = inside.count();
    let is_closed = behind.get(length) == Some(&']');
    is_closed.then_some((String::new(), length + 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_escape_is_what_it_shows() {
        for (text, shown) in [
            ("&#52;&#55;&#x31;&#49;", "4711"),
            ("&#52&#55", "47"),
            ("Silver&nbsp;Key", "Silver Key"),
            ("&amp;#52;", "4"),
            (r"\u0034\u{37}\x31\061", "4711"),
            (r"\ud83d\ude00", "\u{1f600}"),
            (r"\U00000034", "4"),
            (r"Mor\*de", "Mor*de"),
            (r"a\nb", "a b"),
            ("U+0034 u+0037", "4 7"),
            ("%34%37%C3%A9%u0034", "47\u{e9}4"),
            ("=34=37=C3=A9 Sil=\r\nver", "47\u{e9} Silver"),
            ("Mor<b class=\"x\">de</b>cai<!-- y -->", "Mordecai"),
            ("Sil[b]ver[/b]", "Silver"),
            ("e&#769;", "\u{e9}"),
        ] {
            let unescaped = unescape(text).unwrap();
            assert_eq!(unescaped.text(), shown, "{text}");
        }
        for plain in [
            "",
            "a & b",
            "1 < 2 > 0",
            "100% of x=y",
            "[locked]",
            r"\q",
            "&nothing;",
            r"\ud83d",
        ] {
            assert!(unescape(plain).is_none(), "{plain}");
        }
    }

    #[test]
    fn a_character_has_its_place_in_the_original() {
        let text = "x &#52;<b>7</b>\u{e9}11";
        let unescaped = unescape(text).unwrap();
        assert_eq!(unescaped.text(), "x 47\u{e9}11");
        let (from, to) = unescaped.place(2, 4);
        assert_eq!(&text[from..to], "&#52;<b>7");
        let (from, to) = unescaped.place(4, 8);
        assert_eq!(&text[from..to], "\u{e9}11");
    }
}
