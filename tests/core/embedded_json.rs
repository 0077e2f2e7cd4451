//! `~j` (decision D38): the JSON that a string holds is read as if the string were an array around it, and what is
//! wrong in it takes the value from the paths that lead there, and from no others.

use axilog::json::extract::NO_VALUE;
use axilog_testkit::core::strict_json::extraction::{Wanted, extracted, pointers};
use axilog_testkit::core::strict_json::{Json, mutated, text, write_string};
use proptest::prelude::*;

use crate::cases::cases;

fn values(text: &str, paths: &[&str]) -> Vec<i32> {
    let wanted = Wanted(paths.iter().copied().map(Some).collect());
    extracted(text, &wanted)[..paths.len()].to_vec()
}

proptest! {
    #![proptest_config(cases(2_000))]

    #[test]
    fn a_string_is_as_an_array_around_what_it_holds(
        text in prop_oneof![text(), mutated()],
        spelling: u64,
        own in prop::collection::vec(any::<prop::sample::Index>(), 20),
    ) {
        let string = format!("{{\"b\":1,\"a\":{},\"c\":2}}", write_string(&text, spelling));
        let is_json = Json::parse(&text).is_some_and(|json| json.depth() <= 30);
        let inside = match Json::parse(&text) {
            Some(json) => [vec![String::new()], pointers(&json)].concat(),
            None => vec![String::new()],
        };
        let found: Vec<&String> = own.iter().map(|own| own.get(&inside)).collect();
        let through = |step: &str| -> Vec<String> {
            found.iter().map(|path| format!("/a/{step}{path}")).collect()
        };
        let (strings, arrays) = (through("~j"), through("0"));
        let strings: Vec<&str> = strings.iter().map(String::as_str).chain(["b", "c"]).collect();
        let arrays: Vec<&str> = arrays.iter().map(String::as_str).chain(["b", "c"]).collect();
        let expected = match is_json {
            true => values(&format!("{{\"b\":1,\"a\":[{text}],\"c\":2}}"), &arrays),
            false => [vec![NO_VALUE; own.len()], vec![1 << 16, 2 << 16]].concat(),
        };
        prop_assert_eq!(values(&string, &strings), expected, "{}", string);
    }
}

fn members(count: usize, prefix: &str) -> String {
    (0..count)
        .map(|number| format!("\"{prefix}{number}\":{{\"s\":{number}}},"))
        .collect()
}

/// However many names are kept when a string begins and while it is read, a repeated name is found where it is, and
/// counts for what it is in.
#[test]
fn repeated_names_are_found_inside_and_outside() {
    for outer in [0, 1, 90, 95, 96, 97, 98, 150, 189, 190, 191, 192, 250, 600] {
        for inner in [0, 1, 50, 95, 96, 97, 190, 250, 600] {
            let check = |in_string: &str, behind: &str, expected: [i32; 3]| {
                let held = format!("{{{}\"x\":5{in_string}}}", members(inner, "i"));
                let text = format!(
                    "{{{}\"in\":{{\"first\":{{\"k\":0}},\"a\":{},\"b\":6}},{}\"c\":7{behind}}}",
                    members(outer, "o"),
                    write_string(&held, 77),
                    members(outer, "p"),
                );
                let found = values(&text, &["/in/a/~j/x", "/in/b", "c"]);
                assert_eq!(found, expected, "{outer} {inner} {in_string} {behind}");
            };
            let all = [5 << 16, 6 << 16, 7 << 16];
            check("", "", all);
            // The same name in an object around is another one.
            check(
                ",\"o0\":0,\"in\":0,\"c\":0,\"first\":0,\"b\":0",
                ",\"i0\":0",
                all,
            );
            let broken = [NO_VALUE, 6 << 16, 7 << 16];
            check(",\"x\":5", "", broken);
            check(",\"y\":{\"z\":1,\"z\":1}", "", broken);
            check("}", "", broken);
            if inner > 0 {
                check(",\"i0\":0", "", broken);
                check(&format!(",\"i{}\":0", inner - 1), "", broken);
            }
            check("", ",\"in\":0", [NO_VALUE; 3]);
            check("", ",\"c\":0", [NO_VALUE; 3]);
            if outer > 0 {
                check("", ",\"o0\":0", [NO_VALUE; 3]);
                check("}", &format!(",\"p{}\":0", outer - 1), [NO_VALUE; 3]);
            }
        }
    }
}

/// One string of many is wrong: at each place, under `~*` and beside it.
#[test]
fn a_wrong_string_of_several_takes_only_what_leads_there() {
    for wrong in [
        "{\"x\":1,\"x\":1}",
        "{\"x\":1",
        "{\"x\":1}]",
        "",
        "{\"x\":[[[1}",
        "[{\"x\":1}",
    ] {
        for at in 0..4 {
            let strings: Vec<String> = (0..4)
                .map(|number| {
                    let held = match number == at {
                        true => wrong.to_owned(),
                        false => format!("{{\"y\":[{{}}],\"x\":{number}}}"),
                    };
                    write_string(&held, 3)
                })
                .collect();
            let text = format!("{{\"a\":[{}],\"b\":9}}", strings.join(","));
            let paths = [
                "/a/0/~j/x",
                "/a/1/~j/x",
                "/a/2/~j/x",
                "/a/3/~j/x",
                "/a/~*/~j/x",
                "b",
                "/a/~#",
            ];
            let mut expected = [0, 1, 2, 3].map(|number| number << 16).to_vec();
            expected[at] = NO_VALUE;
            expected.extend([NO_VALUE, 9 << 16, 4 << 16]);
            assert_eq!(values(&text, &paths), expected, "{wrong} {at}");
        }
    }
}

/// Paths that differ in what they make of one string or container do not disturb one another.
#[test]
fn paths_side_by_side() {
    let text = r#"{"a":"{\"x\":1,\"y\":[3,3]}","b":[{"x":4},"{\"x\":5}"],"c":{"x":6}}"#;
    let paths = [
        "/a/~j/x",
        "/a/x",
        "/a/~j/y/1",
        "/a/~j/y/~*",
        "/a/0",
        "/a/~#",
        "/b/~*/x",
        "/b/1/~j/x",
        "/b/0/~j/x",
        "/b/1/x",
        "/b/0/x",
        "/c/~j/x",
        "/c/x",
        "/a/~j",
        "/a",
        "/a/~j/~#",
    ];
    let expected = [1, 0, 3, 3, 0, 0, 0, 5, 0, 0, 4, 0, 6, 0, 0, 2];
    for turn in 0..paths.len() {
        let (mut paths, mut expected) = (paths, expected);
        paths.rotate_left(turn);
        expected.rotate_left(turn);
        let expected = expected.map(|units| if units == 0 { NO_VALUE } else { units << 16 });
        assert_eq!(values(text, &paths), expected, "{paths:?}");
    }
}
