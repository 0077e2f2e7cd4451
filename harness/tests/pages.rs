//! Every command in the console blocks of a page prints what the page shows after it, and the pages name every switch.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

/// A command of a `console` block and the lines after it; `…` stands for any lines.
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
fn the_page_on_the_gateway() {
    check_page("docs/gateway.md", 1);
}

#[cfg(feature = "heads")]
#[test]
fn the_page_on_heads() {
    check_page("docs/heads.md", 20);
}

#[test]
fn the_page_on_fleets() {
    check_page("docs/fleet.md", 4);
}

#[test]
fn the_page_on_sessions_with_a_model() {
    check_page("docs/x0l.md", 5);
}

#[test]
fn the_first_screen() {
    check_page("README.md", 0);
    let readme = fs::read_to_string("../README.md").unwrap();
    let program = fs::read_to_string("ledger/examples/first.rs").unwrap();
    assert!(readme.contains(&format!("```rust\n{program}```\n")));
}

/// The commands below a command, and its switches in all their spellings, as `--help` prints them.
fn read_help(words: &[&str]) -> (Vec<String>, BTreeSet<Vec<String>>) {
    let output = Command::new(env!("CARGO_BIN_EXE_axilog"))
        .args(words)
        .arg("--help")
        .output()
        .unwrap();
    let help = String::from_utf8(output.stdout).unwrap();
    let (_, listed) = help.split_once("\nCommands:\n").unwrap_or_default();
    let (listed, _) = listed.split_once("\n\n").unwrap_or((listed, ""));
    let is_name = |line: &&str| line.starts_with("  ") && !line.starts_with("   ");
    let names = listed.lines().filter(is_name);
    let names = names.filter_map(|line| line.split_whitespace().next());
    let names = names.filter(|name| *name != "help").map(str::to_owned);
    // What a switch does is indented more.
    let is_switch = |line: &&str| line.starts_with("  -") || line.starts_with("      -");
    let switches = help.lines().filter(is_switch).map(|line| {
        let spellings = line.split([',', ' ']).filter(|word| word.starts_with('-'));
        spellings.map(str::to_owned).collect::<Vec<_>>()
    });
    let general = ["-h", "-V"].map(str::to_owned);
    let switches = switches.filter(|spellings| !general.contains(&spellings[0]));
    (names.collect(), switches.collect())
}

/// The switches of a command and of those below it.
fn list_switches(words: &[&str]) -> BTreeSet<Vec<String>> {
    let (below, mut switches) = read_help(words);
    for name in below {
        switches.extend(list_switches(&[words, &[name.as_str()]].concat()));
    }
    switches
}

/// Whether a text names a switch, and not a longer one only.
fn names_switch(text: &str, switch: &str) -> bool {
    let mut rest = text.split(switch).skip(1);
    rest.any(|behind| !behind.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '-'))
}

#[test]
fn every_switch_of_a_command_stands_in_its_section() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let page = fs::read_to_string(docs.join("cli.md")).unwrap();
    let (commands, of_every_command) = read_help(&[]);
    assert!(commands.len() > 15, "{commands:?}");
    let mut absent = Vec::new();
    // What every command takes, the introduction describes.
    let introduction = page.split("\n## ").next().unwrap();
    for switch in &of_every_command {
        if !switch
            .iter()
            .any(|spelling| names_switch(introduction, spelling))
        {
            absent.push(format!("axilog {}", switch.join(", ")));
        }
    }
    let mut found = 0;
    for command in &commands {
        let begins = format!("axilog {command}");
        let sections = page.split("\n## ").filter(|section| {
            section
                .strip_prefix(&begins)
                .is_some_and(|rest| rest.starts_with([' ', '\n']))
        });
        let mut text: String = sections.collect();
        if text.is_empty() {
            // Such a part has a page of its own, and some have two.
            let pages = ["", "-reference"].map(|end| docs.join(format!("{command}{end}.md")));
            text = pages
                .into_iter()
                .filter_map(|page| fs::read_to_string(page).ok())
                .collect();
        }
        assert!(!text.is_empty(), "no page describes axilog {command}");
        for switch in list_switches(&[command]).difference(&of_every_command) {
            found += 1;
            if !switch.iter().any(|spelling| names_switch(&text, spelling)) {
                absent.push(format!("axilog {command} {}", switch.join(", ")));
            }
        }
    }
    assert!(found > 80, "{found} switches");
    assert!(absent.is_empty(), "no page names:\n{}", absent.join("\n"));
}
