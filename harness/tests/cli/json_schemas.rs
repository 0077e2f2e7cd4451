//! The schemas of `docs/json`: what `--json` prints has them, and has nothing that they do not name.
//!
//! [`check_output`] looks at each run of each test. The schemas permit further members, since later versions add some;
//! here every member must be one that is described.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use clap::Command;
use jsonschema::Validator;
use serde_json::Value;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/json")
}

/// The schemas, by the command with hyphens between its words.
fn read_schemas() -> BTreeMap<String, Value> {
    let mut schemas = BTreeMap::new();
    for entry in fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        let command = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let schema = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        schemas.insert(command, schema);
    }
    schemas
}

/// Permits the members that a schema names, and no others.
fn refuse_further_members(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            if members.contains_key("properties") {
                members.insert("additionalProperties".to_owned(), false.into());
            }
            members.values_mut().for_each(refuse_further_members);
        }
        Value::Array(items) => items.iter_mut().for_each(refuse_further_members),
        _ => {}
    }
}

fn validators() -> &'static BTreeMap<String, Validator> {
    static VALIDATORS: OnceLock<BTreeMap<String, Validator>> = OnceLock::new();
    VALIDATORS.get_or_init(|| {
        let strict = |(command, mut schema): (String, Value)| {
            refuse_further_members(&mut schema);
            (command, jsonschema::draft202012::new(&schema).unwrap())
        };
        read_schemas().into_iter().map(strict).collect()
    })
}

/// The definition of the command line.
fn command_line() -> &'static Command {
    static COMMAND_LINE: OnceLock<Command> = OnceLock::new();
    COMMAND_LINE.get_or_init(|| {
        let mut command = axilog_harness::command().disable_help_subcommand(true);
        command.build();
        command
    })
}

/// The command that a line calls, and its words with hyphens between them.
fn find_command(words: &[&str]) -> (&'static Command, String) {
    let (mut command, mut names) = (command_line(), Vec::new());
    for word in words {
        if let Some(below) = command.find_subcommand(word) {
            command = below;
            names.push(*word);
        }
    }
    (command, names.join("-"))
}

/// Whether a command takes `--json`; one that refuses it hides it.
fn prints_json(command: &Command) -> bool {
    let mut options = command.get_arguments();
    options.any(|option| option.get_long() == Some("json") && !option.is_hide_set())
}

/// Compares the objects that a run printed with the command's schema.
#[track_caller]
pub fn check_output(words: &[&str], stdout: &str) {
    let is_wanted = words.contains(&"--json");
    let (command, name) = find_command(words);
    if !is_wanted || !prints_json(command) {
        return;
    }
    let validator = validators().get(&name);
    let validator = validator.unwrap_or_else(|| panic!("docs/json has no {name}.json"));
    // Without -o, rows and pages are printed as they are.
    for line in stdout.lines().filter(|line| line.starts_with('{')) {
        let object = serde_json::from_str(line).unwrap();
        let wrong: Vec<String> = validator
            .iter_errors(&object)
            .map(|error| error.to_string())
            .collect();
        assert!(wrong.is_empty(), "{name}.json: {wrong:#?}\nin {line}");
    }
}

/// The members that a schema describes, each with its place in it.
fn list_members<'s>(schema: &'s Value, place: &str, list: &mut Vec<(String, &'s Value)>) {
    match schema {
        Value::Object(members) => {
            for (name, part) in members {
                let place = format!("{place}/{name}");
                if let ("properties", Some(described)) = (name.as_str(), part.as_object()) {
                    let described = described.iter();
                    list.extend(
                        described.map(|(name, member)| (format!("{place}/{name}"), member)),
                    );
                }
                list_members(part, &place, list);
            }
        }
        Value::Array(items) => {
            for item in items {
                list_members(item, place, list);
            }
        }
        _ => {}
    }
}

#[test]
fn every_schema_is_one_and_describes_each_member() {
    let schemas = read_schemas();
    assert!(schemas.len() > 20);
    for (command, schema) in &schemas {
        let found = jsonschema::draft202012::meta::validate(schema);
        assert!(found.is_ok(), "{command}: {found:?}");
        let mut members = Vec::new();
        list_members(schema, command, &mut members);
        assert!(members.len() > 3, "{command}");
        for (place, member) in members {
            let description = member["description"].as_str().unwrap_or_default();
            assert!(description.ends_with('.'), "{place}: {description:?}");
        }
    }
}

/// The names of the commands below `command` that have none below them and print JSON.
fn list_commands(command: &Command, name: &str, list: &mut BTreeSet<String>) {
    if !command.has_subcommands() && prints_json(command) {
        list.insert(name.to_owned());
    }
    for below in command.get_subcommands() {
        let name = format!("{name}-{}", below.get_name());
        list_commands(below, name.trim_start_matches('-'), list);
    }
}

#[test]
fn every_command_that_prints_json_has_a_schema_and_no_other() {
    let mut commands = BTreeSet::new();
    list_commands(command_line(), "", &mut commands);
    let schemas: BTreeSet<String> = read_schemas().into_keys().collect();
    assert_eq!(schemas, commands);
}

#[test]
fn what_is_not_described_is_found() {
    let lint = r#"{"file":"f.json","findings":[],"large_integers":0,"not_canonical":0,"ok":true,"values":1}"#;
    check_output(&["lint", "f.json", "--json"], lint);
    let refused = |changed: &str| {
        let changed = changed.to_owned();
        std::panic::catch_unwind(move || check_output(&["lint", "--json"], &changed)).is_err()
    };
    assert!(refused(&lint.replace("\"ok\"", "\"new\":1,\"ok\"")));
    assert!(refused(&lint.replace("\"values\":1", "\"values\":\"1\"")));
    assert!(refused(&lint.replace(",\"values\":1", "")));
}
