//! The manual page of a command: what clap_mangen makes of its definition, exit codes and examples.

use std::fs::File;
use std::io;
use std::path::Path;

use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

use crate::examples::EXAMPLES;

/// The exit codes of every command.
const EXIT_CODES: [(&str, &str); 4] = [
    ("0", "Success: the answer is permitted, the ledger is good."),
    (
        "1",
        "The check failed: a breach, a verdict other than OK, a record that does not exist.",
    ),
    (
        "2",
        "Wrong usage: an unknown option, an inadmissible input, a bad policy file.",
    ),
    (
        "3",
        "The command could not run: a missing or unreadable file, a ledger that another process writes, a part that was left out of the build.",
    ),
];

/// The command with its subcommands' whole names, which [`write_pages`] needs. There is no page of `help`.
pub fn built(command: Command) -> Command {
    let mut command = command.disable_help_subcommand(true);
    command.build();
    command
}

/// Writes the page of a command and those of its subcommands into a directory. `words` are the command's, after
/// `axilog`.
pub fn write_pages(command: &Command, words: &str, directory: &Path) -> io::Result<()> {
    for subcommand in command
        .get_subcommands()
        .filter(|command| !command.is_hide_set())
    {
        let words = format!("{words} {}", subcommand.get_name());
        write_pages(subcommand, words.trim_start(), directory)?;
    }
    let page = Man::new(command.clone());
    let mut file = File::create(directory.join(page.get_filename()))?;
    page.render(&mut file)?;
    end_page(words).to_writer(&mut file)
}

/// The sections that a definition does not have.
fn end_page(words: &str) -> Roff {
    let mut roff = Roff::default();
    roff.control("SH", ["EXIT STATUS"]);
    for (code, meaning) in EXIT_CODES {
        roff.control("TP", ["4"]);
        roff.text([roman(code)]);
        roff.text([roman(meaning)]);
    }
    let mut examples = EXAMPLES
        .iter()
        .filter(|example| example.command == words)
        .peekable();
    if examples.peek().is_some() {
        roff.control("SH", ["EXAMPLES"]);
    }
    for example in examples {
        roff.control("PP", []);
        roff.text([roman(example.purpose)]);
        roff.control("PP", []);
        roff.control("RS", ["4"]);
        roff.control("nf", []);
        roff.text([roman(example.line)]);
        roff.control("fi", []);
        roff.control("RE", []);
    }
    roff
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use axilog_harness::command;

    /// The words of each command that has no subcommands.
    fn leaves(command: &Command, words: &str) -> Vec<String> {
        let below: Vec<String> = command
            .get_subcommands()
            .filter(|command| !command.is_hide_set())
            .flat_map(|command| {
                let words = format!("{words} {}", command.get_name());
                leaves(command, words.trim_start())
            })
            .collect();
        match below.is_empty() {
            true => vec![words.to_owned()],
            false => below,
        }
    }

    #[test]
    fn each_command_has_an_example_that_it_accepts() {
        for words in leaves(&built(command()), "") {
            // A part that the build left out is one command, which takes anything.
            let of_part = |example: &&crate::examples::Example| {
                example.command == words || example.command.starts_with(&format!("{words} "))
            };
            let examples: Vec<_> = EXAMPLES.iter().filter(of_part).collect();
            assert!(!examples.is_empty(), "{words} has no example");
            for example in examples {
                let (_, line) = example.line.split_once("axilog").unwrap();
                let line = line.split_once(';').map_or(line, |(line, _)| line);
                let arguments = line.split_whitespace();
                // What the shell takes for itself.
                let arguments = arguments.filter(|word| !word.starts_with(['<', '>']));
                let parsed =
                    command().try_get_matches_from(["axilog"].into_iter().chain(arguments));
                if let Err(error) = parsed {
                    panic!("{}: {error}", example.line);
                }
            }
        }
    }

    #[test]
    fn a_page_has_exit_codes_and_the_examples_of_its_command() {
        let directory = tempfile::tempdir().unwrap();
        write_pages(&built(command()), "", directory.path()).unwrap();
        let page = fs::read_to_string(directory.path().join("axilog-verify.1")).unwrap();
        for part in [
            ".SH SYNOPSIS",
            "axilog verify",
            ".SH \"EXIT STATUS\"",
            ".SH EXAMPLES",
            "axilog verify run.jsonl",
        ] {
            assert!(page.contains(part), "{part} in {page}");
        }
        let page = fs::read_to_string(directory.path().join("axilog-policy-check.1")).unwrap();
        assert!(page.contains("axilog policy check limits.toml"), "{page}");
    }
}
