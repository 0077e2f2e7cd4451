//! Every command in the console blocks of a page prints what stands behind it.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

/// A command of a `console` block and the lines behind it; `…` stands for any lines.
struct Example {
    command: String,
    printed: Vec<String>,
}

/// A file that a page shows, in a block whose language stands before the file's name.
struct ShownFile {
    name: String,
    text: String,
}

fn shown_files(page: &str) -> Vec<ShownFile> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(page);
    let text = fs::read_to_string(path).unwrap();
    text.split("\n```")
        .filter_map(|block| {
            let (heading, text) = block.split_once('\n')?;
            let (_, name) = heading.split_once(' ')?;
            Some(ShownFile {
                name: name.to_owned(),
                text: format!("{text}\n"),
            })
        })
        .collect()
}

/// How a page runs the command in a clone. The tests run the command that cargo has built already.
const FROM_A_CLONE: &str = "cargo run -p axilog-harness --";

fn examples(page: &str) -> Vec<Example> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(page);
    let text = fs::read_to_string(path).unwrap();
    let mut examples: Vec<Example> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        match (line, inside) {
            ("```console", _) => inside = true,
            ("```", _) => inside = false,
            (_, false) => {}
            (line, true) => match line.strip_prefix("$ ") {
                Some(command) => examples.push(Example {
                    command: command.replace(FROM_A_CLONE, "axilog"),
                    printed: Vec::new(),
                }),
                None => examples.last_mut().unwrap().printed.push(line.to_owned()),
            },
        }
    }
    examples
}

/// Whether `lines` are `expected`, an `…` in which stands for as few lines as may be.
fn matches(lines: &[&str], expected: &[String]) -> bool {
    match (expected.split_first(), lines.split_first()) {
        (None, None) => true,
        (Some((first, rest)), _) if first == "…" => {
            (0..=lines.len()).any(|skipped| matches(&lines[skipped..], rest))
        }
        (Some((first, rest)), Some((line, lines))) => {
            line.trim_end() == first && matches(lines, rest)
        }
        _ => false,
    }
}

/// Runs the commands of a page, of which there are more than `least`, in their order in one directory.
fn check_page(page: &str, least: usize) {
    let directory = tempfile::tempdir().unwrap();
    for file in shown_files(page) {
        fs::write(directory.path().join(file.name), file.text).unwrap();
    }
    let program = Path::new(env!("CARGO_BIN_EXE_axilog"));
    let mut path = program.parent().unwrap().as_os_str().to_owned();
    path.push(":");
    path.push(env::var_os("PATH").unwrap());
    let examples = examples(page);
    assert!(examples.len() > least);
    for example in examples {
        let output = Command::new("sh")
            .args(["-c", &example.command])
            .current_dir(directory.path())
            .env("PATH", &path)
            .output()
            .unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        let lines: Vec<&str> = printed.lines().collect();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(
            matches(&lines, &example.printed),
            "{}\n{printed}{errors}",
            example.command
        );
    }
}

#[test]
fn the_page_on_policies() {
    check_page("docs/policies.md", 12);
}

#[test]
fn the_auditors_page() {
    check_page("docs/auditor.md", 15);
}

#[test]
fn the_ablation_page() {
    check_page("docs/ablation.md", 4);
}

#[cfg(feature = "bundle")]
#[test]
fn the_page_on_bundles() {
    check_page("docs/bundle.md", 4);
}

#[cfg(feature = "x0l")]
#[test]
fn the_page_on_sessions_with_a_model() {
    check_page("docs/x0l.md", 5);
}

#[test]
fn the_first_screen() {
    check_page("README.md", 0);
}
