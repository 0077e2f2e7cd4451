//! What the tests measure the library's JSON against: `serde_json` with a visitor that refuses
//! repeated names, and texts to try, valid and nearly so.

pub mod canonical;
pub mod extraction;

use proptest::prelude::*;
use serde::Deserializer as _;
use serde::de::{Error, MapAccess, Visitor};
use serde_json::value::RawValue;

/// A JSON value; numbers as written.
#[derive(Debug)]
pub enum Json {
    Null,
    Bool(bool),
    Number(String),
    String(String),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Reads a value of at most 127 levels, as `serde_json` does by itself.
    pub fn parse(text: &str) -> Option<Json> {
        Json::parse_levels(text, 127)
    }

    fn parse_levels(text: &str, levels: u8) -> Option<Json> {
        let value: &RawValue = serde_json::from_str(text).ok()?;
        let text = value.get();
        Some(match text.as_bytes().first()? {
            b'n' => Json::Null,
            b't' | b'f' => Json::Bool(text == "true"),
            b'"' => Json::String(serde_json::from_str(text).ok()?),
            b'[' => {
                let levels = levels.checked_sub(1)?;
                let items: Vec<&RawValue> = serde_json::from_str(text).ok()?;
                let items = items.into_iter();
                let items = items.map(|item| Json::parse_levels(item.get(), levels));
                Json::Array(items.collect::<Option<_>>()?)
            }
            b'{' => {
                let levels = levels.checked_sub(1)?;
                let mut reader = serde_json::Deserializer::from_str(text);
                let members = reader.deserialize_map(Members).ok()?.into_iter();
                let members = members.map(|(name, value)| {
                    let value = Json::parse_levels(value.get(), levels)?;
                    Some((name, value))
                });
                Json::Object(members.collect::<Option<_>>()?)
            }
            _ => Json::Number(text.to_owned()),
        })
    }

    /// How many containers are nested in one another at most.
    pub fn depth(&self) -> usize {
        match self {
            Json::Array(items) => 1 + items.iter().map(Json::depth).max().unwrap_or(0),
            Json::Object(members) => 1 + members.iter().map(|(_, v)| v.depth()).max().unwrap_or(0),
            _ => 0,
        }
    }
}

/// Reads the members of an object, each name once.
struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = Vec<(String, &'de RawValue)>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object without repeated names")
    }
    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut object: Self::Value = Vec::new();
        while let Some((name, value)) = members.next_entry::<String, &RawValue>()? {
            if object.iter().any(|(other, _)| *other == name) {
                return Err(A::Error::custom("repeated name"));
            }
            object.push((name, value));
        }
        Ok(object)
    }
}

/// Names that are often the same after unescaping, and in an order that needs UTF-16.
fn name() -> impl Strategy<Value = String> {
    let known = prop::sample::select(vec![
        "value",
        "value_q16",
        "val\\u0075e",
        "\\u0076alue_q16",
        "a",
        "a_q16",
        "\\u0061",
        "",
        "b",
        "\\n",
        "\\u000a",
        "\\u000A",
        "é",
        "\\u00e9",
        "\\u00E9",
        "e\u{301}",
        "😀",
        "\\ud83d\\ude00",
        "\\uD83D\\uDE00",
        "\u{fb33}",
        "\\/",
        "/",
        "\\\"",
        "\\\\",
        "\u{7f}",
        "\\u0000",
        "\\u001f",
        "\u{20ac}",
        "\\t",
        "\\u0009",
    ]);
    prop_oneof![
        8 => known.prop_map(String::from),
        1 => "[a-c]{1,2}",
        1 => "[^\"\\\\\\x00-\\x1f]{0,40}",
    ]
}

fn number() -> impl Strategy<Value = String> {
    let known = prop::sample::select(vec![
        "0",
        "-0",
        "1",
        "70.5",
        "-1",
        "1e3",
        "1E-2",
        "32767.99999",
        "32768",
        "1e19",
        "0.5",
        "2147483647",
        "-2147483648",
        "1e+21",
        "1e-7",
        "0.000001",
        "1.0",
        "1e400",
        "5e-324",
        "100000000000000000000",
        "9007199254740991",
        "333333333.3333333",
    ]);
    prop_oneof![
        known.prop_map(String::from),
        "-?(0|[1-9][0-9]{0,5})(\\.[0-9]{1,5})?([eE][-+]?[0-9]{1,2})?",
        any::<f64>()
            .prop_filter("finite", |d| d.is_finite())
            .prop_map(|d| ryu_js::Buffer::new().format(d).to_string()),
    ]
}

/// White space, mostly none.
fn space() -> impl Strategy<Value = String> {
    prop_oneof![30 => Just(String::new()), 1 => "[ \t\n\r]{1,3}"]
}

/// JSON in many spellings, which may repeat names.
pub fn text() -> impl Strategy<Value = String> {
    let scalar = prop_oneof![
        4 => number(),
        1 => prop::sample::select(vec!["true", "false", "null"]).prop_map(String::from),
        2 => name().prop_map(|content| format!("\"{content}\"")),
    ];
    let value = scalar.prop_recursive(6, 40, 6, |value| {
        let items = prop::collection::vec((space(), value.clone(), space()), 0..5);
        let held = (space(), value.clone(), space(), any::<u64>());
        prop_oneof![
            1 => held.prop_map(|(a, v, b, spelling)| write_string(&format!("{a}{v}{b}"), spelling)),
            1 => items.prop_map(|items| {
                let items: Vec<_> = items.iter().map(|(a, v, b)| format!("{a}{v}{b}")).collect();
                format!("[{}]", items.join(","))
            }),
            2 => object(value),
        ]
    });
    let outer = prop_oneof![1 => value.clone(), 8 => object(value)];
    (space(), outer, space()).prop_map(|(before, value, after)| before + &value + &after)
}

/// The string whose content is `text`, in one of its many spellings.
pub fn write_string(text: &str, mut spelling: u64) -> String {
    let mut out = String::from('"');
    let mut units = [0; 2];
    for c in text.chars() {
        // Xorshift, so that a seed is a spelling.
        spelling ^= spelling << 13;
        spelling ^= spelling >> 7;
        spelling ^= spelling << 17;
        let must_be_escaped = matches!(c, '"' | '\\' | '\0'..='\u{1f}');
        match (c, spelling % 16) {
            (_, 0) | ('\0'..='\u{1f}', 1..4) => {
                for unit in c.encode_utf16(&mut units) {
                    out += &match spelling & 16 {
                        0 => format!("\\u{unit:04x}"),
                        _ => format!("\\u{unit:04X}"),
                    };
                }
            }
            ('\n', _) => out += "\\n",
            ('\t', _) => out += "\\t",
            ('\r', _) => out += "\\r",
            ('\u{8}', _) => out += "\\b",
            ('\u{c}', _) => out += "\\f",
            ('/', 1..8) => out += "\\/",
            _ if must_be_escaped && c < ' ' => out += &format!("\\u{:04x}", u32::from(c)),
            _ if must_be_escaped => out.extend(['\\', c]),
            _ => out.push(c),
        }
    }
    out + "\""
}

fn object(value: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    let member = (space(), name(), space(), space(), value, space());
    let members = prop::collection::vec(member, 0..6);
    (members, any::<bool>()).prop_map(|(mut members, sort)| {
        if sort {
            members.sort_by_key(|member| member.1.encode_utf16().collect::<Vec<_>>());
            members.dedup_by(|one, other| one.1 == other.1);
        }
        let members: Vec<_> = members
            .iter()
            .map(|(a, name, b, c, value, d)| format!("{a}\"{name}\"{b}:{c}{value}{d}"))
            .collect();
        format!("{{{}}}", members.join(","))
    })
}

/// A text with one character removed, replaced or put in.
pub fn mutated() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "",
        "\"",
        "\\",
        ",",
        ":",
        "{",
        "}",
        "[",
        "]",
        "0",
        "-",
        ".",
        "e",
        "u",
        "\\ud800",
        "\\udc00",
        "\\uD83D\\uDE00",
        "\n",
        "\t",
        "\u{0}",
        "\u{1f}",
        " ",
        "é",
        "/",
        "true",
        "1,",
        "\"a\":1,",
        "\u{feff}",
        "\u{a0}",
        "+",
        "'",
    ]);
    (text(), any::<prop::sample::Index>(), 0..2usize, piece).prop_map(
        |(text, index, removed, piece)| {
            let chars: Vec<char> = text.chars().collect();
            let at = index.index(chars.len() + 1);
            let (before, after) = chars.split_at(at);
            let after = after.iter().skip(removed);
            before
                .iter()
                .copied()
                .chain(piece.chars())
                .chain(after.copied())
                .collect()
        },
    )
}
