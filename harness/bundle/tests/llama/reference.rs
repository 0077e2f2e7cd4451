//! llama.cpp's own opinion of grammars and texts, asked for through `reference.py`.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use axilog_bundle::gbnf::{FoundInText, Grammar, GrammarError, GrammarPlace, GrammarVerdict};
use serde::Deserialize;
use serde_json::{Value, json};

/// What a text is to a grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opinion {
    Fits,
    /// The text is the beginning of one that fits.
    Begins,
    /// The character with this index, from 0, could not stand there.
    WrongAt(usize),
}

/// What a grammar is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GrammarOpinion {
    Refused,
    /// llama.cpp took more time or memory than it was given.
    Endless,
    Taken(Vec<Opinion>),
}

/// An answer that the server gave.
#[derive(Debug, Deserialize)]
pub struct Sample {
    pub status: u16,
    #[serde(default)]
    pub text: String,
    /// Whether the grammar ended it.
    #[serde(default)]
    pub ended: bool,
}

/// llama.cpp's opinion of each grammar and its texts.
pub fn ask_llama(python: &Path, jobs: &[(&str, Vec<String>)]) -> Vec<GrammarOpinion> {
    let lines = jobs
        .iter()
        .map(|(grammar, texts)| json!({"grammar": grammar, "texts": texts}));
    let results = run(python, &["judge"], lines.collect());
    let opinion = |result: Value| match result {
        Value::Null => GrammarOpinion::Refused,
        Value::Array(numbers) => {
            let numbers = numbers.iter().map(|number| number.as_i64().unwrap());
            GrammarOpinion::Taken(numbers.map(opinion_of).collect())
        }
        died => {
            assert_eq!(died, "died");
            GrammarOpinion::Endless
        }
    };
    let opinions: Vec<GrammarOpinion> = results.into_iter().map(opinion).collect();
    assert_eq!(opinions.len(), jobs.len());
    opinions
}

fn opinion_of(number: i64) -> Opinion {
    match number {
        -1 => Opinion::Fits,
        -2 => Opinion::Begins,
        at => Opinion::WrongAt(usize::try_from(at).unwrap()),
    }
}

/// What the server on `port` answers to each grammar and seed, with so many tokens and none of `banned`.
pub fn sample_answers(
    python: &Path,
    port: u16,
    jobs: &[(&str, u64)],
    tokens: u64,
    banned: &[usize],
) -> Vec<Sample> {
    let lines = jobs.iter().map(|(grammar, seed)| {
        json!({"grammar": grammar, "seed": seed, "tokens": tokens, "banned": banned})
    });
    let results = run(python, &["sample", &port.to_string()], lines.collect());
    let samples = results.into_iter().map(serde_json::from_value);
    let samples: Vec<Sample> = samples.map(Result::unwrap).collect();
    assert_eq!(samples.len(), jobs.len());
    samples
}

/// Runs `reference.py` on these jobs.
fn run(python: &Path, arguments: &[&str], jobs: Vec<Value>) -> Vec<Value> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/llama/reference.py");
    let mut process = Command::new(python)
        .arg(script)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap();
    let mut stdin = process.stdin.take().unwrap();
    // The results may come before the last job is written.
    let writer = thread::spawn(move || {
        for job in jobs {
            writeln!(stdin, "{job}").unwrap();
        }
    });
    let output = process.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(output.status.success(), "{}", output.status);
    let text = String::from_utf8(output.stdout).unwrap();
    let results = text.lines().map(serde_json::from_str);
    results.map(Result::unwrap).collect()
}

/// axilog's opinion of a grammar and its texts.
pub fn ask_axilog(grammar: &str, texts: &[String]) -> Result<Vec<Opinion>, GrammarError> {
    let grammar = Grammar::parse(grammar)?;
    Ok(texts.iter().map(|text| judge(&grammar, text)).collect())
}

fn judge(grammar: &Grammar, text: &str) -> Opinion {
    match grammar.judge(text) {
        GrammarVerdict::Matches => Opinion::Fits,
        GrammarVerdict::DoesNotMatch(mismatch) => match mismatch.found {
            FoundInText::End => Opinion::Begins,
            _ => Opinion::WrongAt(index(text, mismatch.place)),
        },
        undecided @ GrammarVerdict::CannotBeTold(_) => panic!("{text:?}: {undecided:?}"),
    }
}

/// The index of the character at a place.
fn index(text: &str, place: GrammarPlace) -> usize {
    let lines = text.split_inclusive('\n').take(place.line - 1);
    lines.map(|line| line.chars().count()).sum::<usize>() + place.column - 1
}
