//! The recorded answers of the deployed code, and how a vector becomes a call and is compared with what the call
//! did (tests/vectors/deployed/README.md says how to read them).

use std::collections::BTreeMap;
use std::fmt::Write;

use axilog::hash::{GOLDEN_GENESIS, chain, commit};
use axilog_testkit::vectors::{hex, unhex, vector};
use serde_json::Value;

/// Fields whose text is no expression of bytes; by their last name.
const PLAIN: [&str; 7] = ["obs_hash", "tag", "text", "flag", "ledger", "agent", "case"];

/// The value of one field.
#[derive(Clone, PartialEq, Eq)]
pub enum Field {
    /// A number, null, the names of flags, or text as it stands.
    Plain(String),
    /// An expression of bytes.
    Bytes(String),
}

/// One recorded call, of one generation.
pub struct Vector {
    pub file: &'static str,
    pub function: String,
    pub case: String,
    /// By their paths.
    fields: BTreeMap<String, Field>,
}

/// One field in which a call did otherwise.
#[derive(Clone, serde::Serialize)]
pub struct Difference {
    pub function: String,
    pub case: String,
    pub field: String,
    pub found: String,
    pub expected: String,
}

/// The objects of a file of `tests/vectors/deployed`.
pub fn read_lines(file: &str) -> Vec<Value> {
    vector(&format!("deployed/{file}"))
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

pub fn names_generation(line: &Value, generation: &str) -> bool {
    let named = line["generations"].as_array().unwrap();
    named.iter().any(|name| name == generation)
}

/// The calls of some files that a generation answers.
pub fn read_vectors(files: &[&'static str], generation: &str) -> Vec<Vector> {
    let mut vectors = Vec::new();
    for &file in files {
        for line in read_lines(file) {
            if names_generation(&line, generation) {
                vectors.push(Vector::read(file, &line, generation));
            }
        }
    }
    vectors
}

impl Vector {
    fn read(file: &'static str, line: &Value, generation: &str) -> Vector {
        let mut fields = BTreeMap::new();
        for (name, value) in line.as_object().unwrap() {
            if !["function", "generations", "except"].contains(&name.as_str()) {
                flatten(name, value, &mut fields);
            }
        }
        if let Some(exceptions) = line["except"][generation].as_object() {
            for (path, value) in exceptions {
                let below = format!("{path}.");
                fields.retain(|name, _| name != path && !name.starts_with(&below));
                flatten(path, value, &mut fields);
            }
        }
        let mut vector = Vector {
            file,
            function: line["function"].as_str().unwrap().to_owned(),
            case: line["case"].as_str().unwrap().to_owned(),
            fields,
        };
        if vector.function == "ax_agent_step" {
            vector.replace_record();
        }
        vector
    }

    /// The record that a step appended is what the new head says, so the head alone is compared. A step without
    /// an agent or an input has no record.
    fn replace_record(&mut self) {
        let Some(Field::Bytes(record) | Field::Plain(record)) = self.fields.remove("record") else {
            return;
        };
        let head = |path: &str| match self.fields.get(path) {
            Some(Field::Bytes(digits)) => Some(unhex(digits)),
            _ => None,
        };
        let before = head("ctx.ledger.current_hash").unwrap_or(GOLDEN_GENESIS);
        let recorded = (record != "null")
            .then(|| chain(Some(&before), &commit(b"AX:TRANS:v1", record.as_bytes())));
        assert!(
            head("changed.ledger.current_hash") == recorded,
            "{}: another record than the head",
            self.case
        );
    }

    /// The line that a program of `c-tests/deployed` reads.
    pub fn write_call(&self, calls: &mut String) {
        calls.push_str(&self.function);
        for (path, Field::Plain(value) | Field::Bytes(value)) in &self.fields {
            write!(calls, "\t{path}={value}").unwrap();
        }
        calls.push('\n');
    }

    /// Compares what a program printed of this call.
    pub fn compare(&self, printed: &str) -> Vec<Difference> {
        let mut words = printed.split('\t');
        assert_eq!(words.next(), Some(self.function.as_str()), "{}", self.case);
        let mut expected = self.fields.clone();
        expected.remove("case");
        let mut differences = Vec::new();
        let mut difference = |field: &str, found: &str, expected: &str| {
            differences.push(Difference {
                function: self.function.clone(),
                case: self.case.clone(),
                field: field.to_owned(),
                found: found.to_owned(),
                expected: expected.to_owned(),
            });
        };
        let (read, results): (Vec<&str>, Vec<&str>) = words.partition(|word| word.starts_with('?'));
        let mut results: BTreeMap<&str, &str> = results
            .into_iter()
            .map(|word| word.split_once('=').unwrap())
            .collect();
        for path in read {
            let path = &path[1..];
            expected.remove(path);
            // What a program read, it cannot give as a result.
            assert!(!results.contains_key(path), "{}: {path}", self.function);
        }
        for (path, value) in &expected {
            let (Field::Plain(wanted) | Field::Bytes(wanted)) = value;
            match results.remove(path.as_str()) {
                None => difference(path, "nothing", wanted),
                Some(found) if is_same(found, value, path) => {}
                Some(found) => difference(path, found, wanted),
            }
        }
        for (path, found) in results {
            difference(path, found, "nothing");
        }
        differences
    }
}

fn is_same(found: &str, expected: &Field, path: &str) -> bool {
    match expected {
        Field::Plain(expected) if path.ends_with("flags") => {
            let sorted = |names: &str| {
                let mut names: Vec<String> = names.split(',').map(str::to_owned).collect();
                names.sort();
                names
            };
            sorted(found) == sorted(expected)
        }
        Field::Plain(expected) => found == expected,
        Field::Bytes(_) if found == "null" => false,
        Field::Bytes(expected) => match expected.strip_prefix("sha256:") {
            Some(digest) => hex(&axilog::hash::sha256(&expand(found))) == digest,
            None => expand(found) == expand(expected),
        },
    }
}

/// The bytes of an expression: hexadecimal pieces joined by `+`, each perhaps followed by `*` and a count.
pub fn expand(expression: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    for piece in expression.split('+').filter(|piece| !piece.is_empty()) {
        let (digits, count) = piece.split_once('*').unwrap_or((piece, "1"));
        let piece: Vec<u8> = (0..digits.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap())
            .collect();
        bytes.extend(piece.repeat(count.parse().unwrap()));
    }
    bytes
}

/// The fields of a value by their paths.
fn flatten(path: &str, value: &Value, fields: &mut BTreeMap<String, Field>) {
    let name = path.rsplit('.').next().unwrap();
    let field = match value {
        Value::Object(members) => {
            for (name, value) in members {
                flatten(&format!("{path}.{name}"), value, fields);
            }
            return;
        }
        Value::Array(items) if items.iter().all(Value::is_object) && !items.is_empty() => {
            for (number, item) in items.iter().enumerate() {
                flatten(&format!("{path}.{number}"), item, fields);
            }
            return;
        }
        Value::Array(names) => {
            let names: Vec<&str> = names.iter().map(|name| name.as_str().unwrap()).collect();
            Field::Plain(names.join(","))
        }
        Value::Null => Field::Plain("null".into()),
        Value::Bool(value) => Field::Plain(value.to_string()),
        Value::Number(value) => Field::Plain(value.to_string()),
        Value::String(text) if PLAIN.contains(&name) => Field::Plain(text.clone()),
        Value::String(expression) => Field::Bytes(expression.clone()),
    };
    fields.insert(path.to_owned(), field);
}
