//! What is no environment: files that are refused, each with its place, what was found and what was expected.

use std::path::Path;

use axilog_ablation::declared_environment::DeclaredEnvironment;
use axilog_ablation::environment::Environment;
use axilog_ablation::environment_source::{SHIPPED, open_environment};

use crate::environments::open_shipped;

/// The text of a file that says something else in the place of `from`.
fn change(from: &str, to: &str) -> String {
    let (_, text) = SHIPPED[2];
    let changed = text.replacen(from, to, 1);
    assert!(changed != text, "{from}");
    changed
}

/// Every file that is no environment, with what is said of it.
#[test]
fn what_is_no_environment_is_refused_with_its_place() {
    let action =
        "[[action]]\nname = \"nap\"\nsatisfies = [\"watch\"]\nviolates = [\"isolation\"]\n";
    let at_end = |tables: &str| format!("{}\n{tables}", SHIPPED[2].1);
    for (text, expected) in [
        (
            String::new(),
            "is empty; `axilog ablation environment example` prints one",
        ),
        ("# A comment.\n".to_owned(), "missing field `id`"),
        ("id = ".to_owned(), "line 1: "),
        (
            change("weight = 2", "weight = \"2\""),
            "line 35: invalid type: string \"2\", expected u64",
        ),
        (
            change("weight = 2", "wieght = 2"),
            "line 35: unknown field `wieght`, expected one of `name`, `weight`",
        ),
        (
            change("weight = 2", "weight = 2\nweight = 3"),
            "line 36: duplicate key",
        ),
        (
            change("weight = 2", "weight = 0"),
            "state \"handover\": weight: is 0; expected 1 to 1000",
        ),
        (
            change("below = 60", "below = 40"),
            "resource \"nurse-hours\": below: is not more than least",
        ),
        (
            change("gain = 1.05", "gain = 1.0505"),
            "line 24: found 1.0505; expected a number from 0 to 1000000 with at most three digits",
        ),
        (
            change("gain = 1.05", "gain = -1"),
            "line 24: found -1; expected a number from 0",
        ),
        (
            change("id = \"night-ward/1\"", "id = \"night-ward\""),
            "id: is \"night-ward\"; expected a name and a version",
        ),
        (
            change("night-ward/1", "night-ward/01"),
            "expected a name and a version",
        ),
        (
            change("night-ward/1", "night ward/1"),
            "id: \"night ward/1\" holds ' '; expected a name without spaces",
        ),
        (
            change("night-ward/1", ""),
            "id: has 0 characters; expected 1 to 48",
        ),
        (
            change("admission (nobody", "intake (nobody"),
            "briefing: says nothing of the constraint \"admission\"",
        ),
        (
            change("violates.\"\"\"", "violates. \"\"\""),
            "briefing: begins or ends with white space",
        ),
        (
            change("You lead", &"You lead ".repeat(500)),
            "expected 1 to 4000",
        ),
        (
            change(" \\\n    (who may", "\n    (who may"),
            "briefing: holds a line end; expected one line",
        ),
        (
            change("You lead", "You le\\u202ead"),
            "briefing: holds the character U+202E, which is not seen",
        ),
        (
            change("# A hospital", "# A \u{202e}hospital"),
            "line 1: holds the character U+202E, which is not seen",
        ),
        (
            change("You lead", "You le\u{301}ad"),
            "is not in Unicode Normalization Form C",
        ),
        (
            change("\"watch\"]\n\n[seeds]", "\"watch\", \"watch\"]\n\n[seeds]"),
            "constraints: \"watch\" stands twice; expected each once",
        ),
        (
            change("\"watch\"]\n\n[seeds]", "\"watch\", \"ward\"]\n\n[seeds]"),
            "constraints: no action satisfies \"ward\"; expected one that does",
        ),
        (
            change("calibration = [42, 123, 456]", "calibration = [42, 123]"),
            "seeds.calibration: found 2; expected 3 to 1000",
        ),
        (
            change(
                "calibration = [42, 123, 456]",
                "calibration = [42, 123, 42]",
            ),
            "seeds.calibration: \"42\" stands twice",
        ),
        (
            change("run = [1,", "run = [-1,"),
            "line 18: invalid value: integer `-1`, expected u64",
        ),
        (
            change("run = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]", "run = []"),
            "seeds.run: found 0; expected 1 to 1000",
        ),
        (
            change("always = \"admission\"", "always = \"intake\""),
            "state \"full-house\": always: \"intake\" is none of the constraints; expected admission, isolation",
        ),
        (
            change("always = \"admission\"", "always = \"medicines\""),
            "state \"full-house\": always: no action of the state satisfies \"medicines\"",
        ),
        (
            change(
                "\"hourly-light\", \"send-home\"]",
                "\"hourly-light\", \"send-hom\"]",
            ),
            "state \"full-house\": actions: \"send-hom\" is none of the actions; expected read-the-charts",
        ),
        (
            change(
                "\"hourly-light\", \"send-home\"]",
                "\"hourly-light\", \"hourly-light\"]",
            ),
            "state \"full-house\": actions: \"hourly-light\" stands twice",
        ),
        (
            change(
                "\"hourly-light\", \"send-home\"]",
                "\"hourly-light\", \"walk-the-ward\"]",
            ),
            "actions: \"walk-the-ward\" satisfies and violates nothing, and others beside it do",
        ),
        (
            change(
                "actions = [\"read-the-charts\", \"walk-the-ward\"]",
                "actions = []",
            ),
            "state \"handover\": actions: found 0; expected 1 to 64",
        ),
        (
            change(
                "actions = [\"read-the-charts\", \"walk-the-ward\"]",
                "actions = [\"walk-the-ward\"]",
            ),
            "action \"read-the-charts\": stands in the actions of no state",
        ),
        (
            change(
                "actions = [\"read-the-charts\", \"walk-the-ward\"]",
                "actions = [\"sit-in\"]",
            ),
            "state \"handover\": actions: satisfy one constraint between them",
        ),
        (
            change("weight = 2", "weight = 100"),
            "state: constraints collide in states of the weight 18 of 118; expected at least half",
        ),
        (
            change("name = \"full-house\"", "name = \"handover\""),
            "state: \"handover\" stands twice",
        ),
        (
            change("satisfies = [\"admission\"]", "satisfies = []"),
            "action \"double-room\": satisfies nothing and violates \"isolation\"",
        ),
        (
            change("violates = [\"watch\"]", "violates = []"),
            "action \"corridor-bed\": satisfies \"admission\" and violates nothing, so that it is plainly the best",
        ),
        (
            change("violates = [\"watch\"]", "violates = [\"admission\"]"),
            "action \"corridor-bed\": satisfies and violates \"admission\"",
        ),
        (
            change(
                "violates = [\"watch\"]",
                "violates = [\"watch\", \"watch\"]",
            ),
            "action \"corridor-bed\": violates: \"watch\" stands twice",
        ),
        (
            change("violates = [\"watch\"]", "violates = [\"wach\"]"),
            "action \"corridor-bed\": violates: \"wach\" is none of the constraints; expected admission",
        ),
        (
            change(
                "violates = [\"watch\"]",
                "violates = [\"isolation\", \"watch\"]",
            ),
            "state \"full-house\": actions: \"double-room\" satisfies all that \"corridor-bed\" satisfies, and violates nothing else",
        ),
        (
            change(
                "takes = { nurse-hours = 0.25 }",
                "takes = { nurses = 0.25 }",
            ),
            "action \"read-the-charts\": takes: \"nurses\" is none of the resources; expected nurse-hours, oxygen",
        ),
        (
            change("name = \"read-the-charts\"", "name = \"select\""),
            "action \"select\": the harness draws something else by this word",
        ),
        (
            change("name = \"oxygen\"", "name = \"other\""),
            "resource \"other\": the harness draws something else by this word",
        ),
        (
            change("name = \"oxygen\"", "name = \"sit-in\""),
            "action \"sit-in\": is the name of a resource too",
        ),
        (
            change(
                "\"All rooms are quiet; the charts lie on the desk.\"",
                "\"\"",
            ),
            "state \"handover\": notices: has 0 characters; expected 1 to 400",
        ),
        (
            change(
                "\"The evening shift has signed the book and gone home.\"",
                "\"All rooms are quiet; the charts lie on the desk.\"",
            ),
            "notices: \"All rooms are quiet; the charts lie on the desk.\" stands twice",
        ),
        (
            change(
                "notices = [\n    \"The evening",
                "unused = [\n    \"The evening",
            ),
            "unknown field `unused`",
        ),
        (
            at_end(action),
            "action \"nap\": stands in the actions of no state",
        ),
        (
            at_end(&action.replace("nap", "sit-in")),
            "action: \"sit-in\" stands twice",
        ),
        (
            at_end(&action.replace("nap", &"n".repeat(49))),
            "action: has 49 characters; expected 1 to 48",
        ),
        (
            at_end(
                &(0..60)
                    .map(|n| action.replace("nap", &format!("nap-{n}")))
                    .collect::<String>(),
            ),
            "action: found 74; expected 2 to 64",
        ),
    ] {
        let parsed = DeclaredEnvironment::parse(text.as_bytes());
        let error = parsed.map(|_| expected).unwrap_err();
        assert!(error.contains(expected), "{expected}\n{error}");
    }
    let error = DeclaredEnvironment::parse(b"id = \"\xff\"").unwrap_err();
    assert!(error.contains("is not UTF-8 at byte 6"), "{error}");
    // Lines may end as on Windows, and nothing of the environment changes.
    let windows = SHIPPED[2].1.replace('\n', "\r\n");
    let windows = DeclaredEnvironment::parse(windows.as_bytes()).unwrap();
    assert_eq!(windows.briefing(), open_shipped("night-ward").briefing());
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let long = dir.path().join("long.toml");
    std::fs::write(&long, "#".repeat((1 << 20) + 1)).unwrap();
    for (path, expected) in [
        (dir.path(), "it is a directory; name a regular file"),
        (
            &dir.path().join("none.toml"),
            "none.toml: cannot read the environment",
        ),
        (&long, "long.toml is longer than 1048576 bytes"),
        (Path::new("/dev/null"), "it is a device or socket"),
    ] {
        let error = open_environment(path).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}
