//! Many pointers over one answer (formats.md §4), against the reference: long arrays whose elements are spelt
//! plainly or nearly so, and open objects with more names than are kept at a time.

use std::collections::HashSet;

use axilog::json::extract::MAX_POLICIES;
use axilog_testkit::core::strict_json::extraction::{
    Wanted, embedded_pointers, extracted, pointers, reach_every_element, reference,
};
use axilog_testkit::core::strict_json::{Json, write_string};
use proptest::prelude::*;

use crate::cases::cases;

/// Numbers that follow from a seed (SplitMix64), so that long answers take little time to make.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    fn one_in(&mut self, number: usize) -> bool {
        self.below(number) == 0
    }

    fn pick<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.below(texts.len())]
    }
}

/// An answer that is being written.
struct Answer {
    random: Random,
    text: String,
    /// One value in so many is no JSON, and one name in so many is one that its object has already.
    odds: usize,
    has_space: bool,
    values_left: usize,
}

impl Answer {
    /// An answer that follows from a seed; one in four is no JSON or repeats a name.
    fn of(seed: u64) -> String {
        let mut random = Random(seed);
        let odds = if random.one_in(2) { 400 } else { usize::MAX };
        let mut answer = Answer {
            odds,
            has_space: random.one_in(4),
            values_left: 20 + random.below(400),
            text: String::new(),
            random,
        };
        answer.write_object(1);
        answer.text
    }

    fn write_space(&mut self) {
        if self.has_space && self.random.one_in(5) {
            self.text += self.random.pick(&[" ", "\n", "\t ", "\r\n"]);
        }
    }

    /// A string that holds JSON.
    fn write_embedded(&mut self, depth: usize) {
        let around = std::mem::take(&mut self.text);
        self.write_value(depth);
        if self.random.one_in(self.odds) {
            self.text += self.random.pick(&["]", ",1", "}", "\u{feff}", "x"]);
        }
        let held = std::mem::replace(&mut self.text, around);
        self.text += &write_string(&held, self.random.next());
    }

    fn write_value(&mut self, depth: usize) {
        self.write_space();
        self.values_left = self.values_left.saturating_sub(1);
        match self.random.below(10) {
            _ if depth < 8 && self.values_left > 0 && self.random.one_in(12) => {
                self.write_embedded(depth + 1);
            }
            0..=1 if depth < 9 && self.values_left > 0 => self.write_object(depth + 1),
            2..=3 if depth < 9 && self.values_left > 0 => self.write_array(depth + 1),
            4 => {
                let word = self.random.pick(&[
                    "true",
                    "false",
                    "null",
                    "\"\"",
                    "\"plain\"",
                    "\"a]\"",
                    "\"q\\\"},\"",
                    "\"\\n\"",
                    "\"\\u0041\"",
                    "\"é\"",
                    "\"longer than a block of bytes\"",
                ]);
                self.text += word;
            }
            _ => self.write_number(),
        }
        self.write_space();
    }

    fn write_number(&mut self) {
        if self.random.one_in(self.odds) {
            let wrong = self.random.pick(&[
                "01",
                "-",
                "1.",
                ".5",
                "1.2.3",
                "+1",
                "-01",
                "1e",
                "tru",
                "nul",
                "falsey",
                "",
                "\"\\ud800\"",
                "1 2",
                "0x1",
                "1-",
                "{]",
                "[}",
                "1e5.0",
                "00",
                "-0.",
            ]);
            self.text += wrong;
            return;
        }
        let sign = if self.random.one_in(3) { "-" } else { "" };
        let whole = match self.random.below(4) {
            0 => 0,
            1 => self.random.below(10),
            2 => self.random.below(40_000),
            _ => self.random.below(1_000_000_000_000),
        };
        self.text += &format!("{sign}{whole}");
        if self.random.one_in(2) {
            let (digits, width) = (self.random.below(1000), 1 + self.random.below(9));
            self.text += &format!(".{digits:0width$}");
        }
        if self.random.one_in(12) {
            self.text += self.random.pick(&["e2", "E-3", "e+1", "e-0"]);
        }
    }

    fn write_array(&mut self, depth: usize) {
        let length = match self.random.below(4) {
            0 => self.random.below(3),
            1 => self.random.below(60),
            _ => self.random.below(12),
        };
        self.text.push('[');
        self.write_space();
        for number in 0..length {
            if number > 0 {
                self.text.push(',');
            }
            self.write_value(depth);
        }
        self.text.push(']');
    }

    fn write_object(&mut self, depth: usize) {
        let length = match self.random.below(40) {
            0 => 90 + self.random.below(300),
            1..=3 => self.random.below(40),
            _ => self.random.below(6),
        };
        let mut names: Vec<String> = Vec::new();
        let mut taken = HashSet::new();
        self.text.push('{');
        self.write_space();
        for number in 0..length {
            if number > 0 {
                self.text.push(',');
                self.write_space();
            }
            let name = self.make_name(number, &mut taken, &names);
            let is_spelt_out = self.random.one_in(30);
            let spelling = match is_spelt_out && name.is_ascii() {
                true => name.bytes().map(|byte| format!("\\u{byte:04x}")).collect(),
                false => name.clone(),
            };
            names.push(name);
            self.text += &format!("\"{spelling}\"");
            self.write_space();
            self.text.push(':');
            self.write_value(depth);
        }
        self.text.push('}');
    }

    /// A name that the object does not have, or seldom one that it has.
    fn make_name(
        &mut self,
        number: usize,
        taken: &mut HashSet<String>,
        names: &[String],
    ) -> String {
        if !names.is_empty() && self.random.one_in(self.odds) {
            return names[self.random.below(names.len())].clone();
        }
        let name = self.random.pick(&[
            "",
            "x",
            "y",
            "z",
            "lat",
            "lon",
            "force",
            "velocity",
            "x_q16",
            "é",
            "😀",
            "0",
            "12",
            "~",
            "longitude of the arm",
            "longitude of the leg",
        ]);
        let name = match taken.contains(name) || number > 8 {
            true => format!("n{number}{}", self.random.pick(&["", "_of_many", "é"])),
            false => name.to_owned(),
        };
        taken.insert(name.clone());
        name
    }
}

/// As many pointers as there may be: into `text`, into all elements of its arrays, and past its values.
fn paths(text: &str, random: &mut Random) -> Vec<String> {
    let both = |json: Json| [pointers(&json), embedded_pointers(&json)].concat();
    let found = Json::parse(text).map(both);
    let found = found.filter(|found| !found.is_empty());
    let found = found.unwrap_or_else(|| vec![String::from("/x"), String::from("/y/0/lat")]);
    let path = |number: usize| {
        let more = ["", "", "", "", "/~e2", "/0", "/x", "/~#"][number % 8];
        let places = [0, 0, 1, 2][number / 8 % 4];
        let pointer = reach_every_element(&found[random.below(found.len())], places);
        format!("{pointer}{more}")
    };
    (0..MAX_POLICIES).map(path).collect()
}

proptest! {
    #![proptest_config(cases(50_000))]

    /// 128,000 pairs of an answer and a pointer; 3,200,000 with `AXILOG_WIDE=1`.
    #[test]
    fn many_pointers_find_what_the_reference_finds(seed: u64) {
        let text = Answer::of(seed);
        let paths = paths(&text, &mut Random(!seed));
        let wanted = Wanted(paths.iter().map(|path| Some(path.as_str())).collect());
        prop_assert_eq!(extracted(&text, &wanted), reference(&text, &wanted), "{} {:?}", text, paths);
    }
}

/// The answers that are compared are of every kind that they are made for.
#[test]
fn the_answers_are_valid_and_invalid_short_and_long() {
    let answers: Vec<String> = (0..400).map(Answer::of).collect();
    let valid = answers.iter().filter(|text| Json::parse(text).is_some());
    assert!((200..390).contains(&valid.count()));
    assert!(answers.iter().any(|text| text.len() > 4000));
    assert!(answers.iter().any(|text| text.len() < 40));
    assert!(
        answers
            .iter()
            .any(|text| text.matches("_of_many").count() > 60)
    );
}

/// Elements of which one is spelt so that the ways over plain elements end, at every place.
#[test]
fn an_element_that_is_not_plain_is_read_as_any_other() {
    let plain = [
        "1",
        "[1,-2.5]",
        "{\"x\":1,\"lat\":[0.5]}",
        "\"text\"",
        "true",
    ];
    let odd = [
        "1e1",
        "12345678",
        "-123456.75",
        "1.2345678",
        " 7",
        "7 ",
        "\"\\n\"",
        "{\"x\":1,\"\\u0079\":2}",
        "{\"velocity1\":1,\"velocity2\":2}",
        "[[[[[[1]]]]]]",
        "[]",
        "{}",
        "[[],{}]",
        "{\"\":{\"\":{}}}",
    ];
    for plain in plain {
        for odd in odd {
            for at in 0..4 {
                let mut elements = [plain; 4];
                elements[at] = odd;
                let text = format!("{{\"a\":[{}],\"b\":3}}", elements.join(","));
                let paths = [
                    "/a/~#", "/a/0", "/a/1", "/a/2", "/a/3", "/b", "/a/3/x", "/a/~*",
                ];
                for paths in [&paths[..], &paths[5..6], &paths[4..5], &paths[..1]] {
                    let wanted = Wanted(paths.iter().copied().map(Some).collect());
                    assert_eq!(
                        extracted(&text, &wanted),
                        reference(&text, &wanted),
                        "{text}"
                    );
                }
            }
        }
    }
}

/// What is wrong in an element is found, though nothing leads to it.
#[test]
fn a_wrong_element_is_wrong_where_no_path_leads() {
    let names: Vec<String> = (0..17).map(|number| format!("\"n{number}\":0")).collect();
    let repeated = format!("{{{},\"n0\":0}}", names.join(","));
    let wrong = [
        "01",
        "-",
        "1.",
        "[1,]",
        "[,1]",
        "[1 2]",
        "{\"x\":1,\"x\":2}",
        "{\"x\":1,}",
        "{\"x\"}",
        "{1:1}",
        "{\"x\":{\"y\":1,\"y\":2}}",
        "{\"velocity\":1,\"velocity\":1}",
        "{\"a\":1,\"\\u0061\":1}",
        "{\"a\":1]",
        "[1}",
        "tru",
        "nulls",
        "\"\\x\"",
        "1-1",
        "--1",
        "[[1]",
        "{\"a\":1,\"b\":{},\"a\":2}",
        &repeated,
    ];
    let reads = |elements: &[&str]| {
        let text = format!("{{\"a\":[{}],\"b\":3}}", elements.join(","));
        let wanted = Wanted(vec![Some("b")]);
        let values = extracted(&text, &wanted);
        assert_eq!(values, reference(&text, &wanted), "{text}");
        values[0] == 3 << 16
    };
    for wrong in wrong {
        assert!(!reads(&[wrong]) && !reads(&["1", wrong]), "{wrong}");
        assert!(
            !reads(&[wrong, "[1]"]) && !reads(&["{}", wrong, "1"]),
            "{wrong}"
        );
    }
    assert!(reads(&[
        "{\"x\":{\"y\":1},\"y\":{\"y\":2,\"x\":3}}",
        "{\"x\":1}",
        "{\"x\":1}"
    ]));
}

/// Containers in elements count for the depth of the answer, to the last one.
#[test]
fn elements_are_as_deep_as_the_answer_may_be() {
    for around in 1..34 {
        for inside in 0..6 {
            for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
                let element = format!("{}1{}", open.repeat(inside), close.repeat(inside));
                let array = format!("{}1,{element},1{}", "[".repeat(around), "]".repeat(around));
                let text = format!("{{\"x\":{array},\"b\":3}}");
                let expected = if 1 + around + inside <= 32 {
                    3 << 16
                } else {
                    i32::MIN
                };
                assert_eq!(
                    extracted(&text, &Wanted(vec![Some("b")]))[0],
                    expected,
                    "{text}"
                );
            }
        }
    }
}

/// A name is compared with all others of its object, however many names of objects around and within were kept
/// when it came.
#[test]
fn repeated_names_are_found_in_nested_objects_of_many_names() {
    let members = |count: usize, prefix: &str| -> Vec<String> {
        (0..count)
            .map(|number| format!("\"{prefix}{number}\":0"))
            .collect()
    };
    for (outer, inner) in [
        (10, 190),
        (95, 96),
        (96, 96),
        (97, 96),
        (190, 5),
        (191, 1),
        (250, 250),
    ] {
        let object = |last: &str| {
            let (mut outer, mut inner) = (members(outer, "o"), members(inner, "i"));
            let small = ["{\"s\":1,\"t\":[{\"s\":2}]}"; 50].join(",");
            inner.push(format!("\"small\":[{small}]"));
            inner.extend(members(40, "j"));
            outer.push(format!("\"in\":{{{}{last}}}", inner.join(",")));
            outer.extend(members(40, "p"));
            outer.join(",")
        };
        let reads = |inside: &str, behind: &str| {
            let text = format!("{{\"value\":1,{}{behind}}}", object(inside));
            extracted(&text, &Wanted(vec![Some("value")]))[0] == 65_536
        };
        assert!(
            reads("", "") && reads(",\"o0\":0", ",\"i0\":0"),
            "{outer} {inner}"
        );
        for name in ["i0", "j39", "small", &format!("i{}", inner - 1)] {
            assert!(
                !reads(&format!(",\"{name}\":0"), ""),
                "{outer} {inner} {name}"
            );
        }
        for name in ["o0", "in", "p39", "value", &format!("o{}", outer - 1)] {
            assert!(
                !reads("", &format!(",\"{name}\":0")),
                "{outer} {inner} {name}"
            );
        }
    }
}
