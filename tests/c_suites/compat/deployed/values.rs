//! `values.jsonl`: names, values, sizes and offsets, and what each header alone provides. Every line becomes one of a
//! C source that a compiler refuses where the line does not hold.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::process::Command;

use serde_json::Value;

use super::super::conformance::HEADERS;
use super::vectors::{Difference, names_generation, read_lines};
use crate::build::{Place, root};

/// One statement that a compiler judges.
struct Claim {
    kind: String,
    name: String,
    text: String,
}

/// Compares the lines of a generation; also gives how many claims they make. What a line of another kind says must
/// hold where a rig includes all headers; what a header provides, where it includes that one alone.
pub fn compare_values(
    place: &Place,
    compiler: &Command,
    generation: &str,
    arguments: &[&str],
) -> (usize, Vec<Difference>) {
    let mut sources: BTreeMap<String, Vec<Claim>> = BTreeMap::new();
    let mut count = 0;
    for line in read_lines("values.jsonl") {
        if names_generation(&line, generation) && is_comparable(line["kind"].as_str().unwrap()) {
            let header = line["header"].as_str().unwrap();
            let alone = format!("#if __has_include(\"{header}\")\n#include \"{header}\"\n#endif\n");
            let source = match line["kind"] == "header" {
                true => alone,
                false => format!("{alone}#include \"axilog/axilog.h\"\n"),
            };
            let claims = claims_of(&line, header);
            count += claims.len();
            sources.entry(source).or_default().extend(claims);
        }
    }
    let mut differences = Vec::new();
    for (source, claims) in sources {
        let refused = judge(place, compiler, source, &claims, arguments);
        for (claim, found) in claims.into_iter().zip(refused) {
            differences.extend(found.map(|found| Difference {
                function: claim.kind,
                case: claim.name,
                field: "it".into(),
                found: format!("refused ({found})"),
                expected: claim.text,
            }));
        }
    }
    (count, differences)
}

/// Whether lines of a kind hold on this processor: the deployed sizes and offsets are those of pointers of eight bytes.
pub fn is_comparable(kind: &str) -> bool {
    cfg!(target_pointer_width = "64") || !["struct", "field"].contains(&kind)
}

fn claims_of(line: &Value, header: &str) -> Vec<Claim> {
    let kind = match line["kind"].as_str().unwrap() {
        "header" => "header alone",
        kind => kind,
    };
    let name = || line["name"].as_str().unwrap().to_owned();
    let claim = |name: String, text: String| Claim {
        kind: kind.to_owned(),
        name,
        text,
    };
    let holds = |condition: String| format!("_Static_assert({condition}, \"value\");");
    match kind {
        "macro" | "enum" => {
            let value = match line["value"].as_i64() {
                // No compiler reads it as a negative constant.
                Some(value) if value == i64::from(i32::MIN) => "-2147483647 - 1".into(),
                _ => line["value"].to_string(),
            };
            // A text is compared as a text, which no integer equals.
            let text = match line["value"].as_str() {
                Some(_) => holds(format!("__builtin_strcmp({}, {value}) == 0", name())),
                None => holds(format!("({}) == ({value})", name())),
            };
            vec![claim(name(), text)]
        }
        "string" => vec![claim(
            name(),
            holds(format!(
                "__builtin_strcmp({}, {}) == 0",
                name(),
                line["value"]
            )),
        )],
        "struct" => vec![claim(
            name(),
            holds(format!("sizeof({}) == {}", name(), line["size"])),
        )],
        "field" => {
            let (owner, field) = (line["struct"].as_str().unwrap(), name());
            let text = holds(format!(
                "__builtin_offsetof({owner}, {field}) == {} && sizeof((({owner} *)0)->{field}) == {}",
                line["offset"], line["size"]
            ));
            vec![claim(format!("{owner}.{field}"), text)]
        }
        "bitfields" => {
            let owner = line["struct"].as_str().unwrap();
            let names = line["names"].as_array().unwrap().iter();
            names
                .map(|name| name.as_str().unwrap())
                .map(|name| {
                    let text =
                        format!("enum {{ has_{name} = sizeof((({owner} *)0)->{name} + 0) }};");
                    claim(format!("{owner}.{name}"), text)
                })
                .collect()
        }
        "function" | "function-like macro" => vec![claim(name(), declares(&name()))],
        "header alone" => {
            let names = line["provides"].as_array().unwrap().iter();
            names
                .map(|name| name.as_str().unwrap())
                .map(|name| claim(format!("{header} {name}"), declares(name)))
                .collect()
        }
        other => panic!("{other}"),
    }
}

/// Refused where nothing has the name: no macro, type, constant or function.
fn declares(name: &str) -> String {
    format!("#ifndef {name}\nenum {{ has_NUMBER = sizeof({name}) }};\n#endif")
}

/// What the compiler says of each claim that it refuses.
fn judge(
    place: &Place,
    compiler: &Command,
    mut text: String,
    claims: &[Claim],
    arguments: &[&str],
) -> Vec<Option<String>> {
    for (number, claim) in claims.iter().enumerate() {
        for line in claim.text.lines() {
            // Each line of the claim bears its number.
            writeln!(text, "#line {} \"claims\"", number + 1).unwrap();
            writeln!(text, "{}", line.replace("NUMBER", &number.to_string())).unwrap();
        }
    }
    let source = place.0.join("values.c");
    fs::write(&source, text).unwrap();
    let mut command = Command::new(compiler.get_program());
    command
        .args(compiler.get_args())
        .args(arguments)
        .args([
            "-std=gnu11",
            "-fsyntax-only",
            "-w",
            "-fno-diagnostics-show-caret",
        ])
        .args(
            HEADERS
                .iter()
                .map(|directory| format!("-I{}", root().join(directory).display())),
        )
        .arg(&source)
        .env("LC_ALL", "C");
    let output = command.output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    let mut refused = vec![None; claims.len()];
    for line in said.lines().filter(|line| line.contains("error: ")) {
        let claim = line
            .strip_prefix("claims:")
            .and_then(|rest| rest.split_once(':'));
        let (number, message) = claim.unwrap_or_else(|| panic!("{said}"));
        let number: usize = number.parse().unwrap();
        refused[number - 1] = Some(message.to_owned());
    }
    refused
}
