//! The commands that print no object: what they print is a text, a file or a protocol. They refuse `--json`.

use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Command, Error};

/// The option, as the command line defines it for every command.
const OPTION: &str = "json";

/// The words of each of these commands, after `axilog`.
const COMMANDS: [&[&str]; 6] = [
    &["bundle", "schema"],
    &["completions"],
    &["mcp"],
    &["policy", "compile"],
    &["policy", "fmt"],
    &["x0l", "canonicalize"],
];

/// `command` with the option hidden in the help of the commands that refuse it. A build may lack some of them.
pub(crate) fn hide_option(command: Command) -> Command {
    COMMANDS
        .iter()
        .fold(command, |command, words| hide_in(command, words))
}

fn hide_in(command: Command, words: &[&str]) -> Command {
    let Some((name, below)) = words.split_first() else {
        // An argument of the same name takes the place of the one for every command.
        let hidden = Arg::new(OPTION)
            .long(OPTION)
            .action(ArgAction::SetTrue)
            .hide(true);
        return command.arg(hidden);
    };
    match command.find_subcommand(name) {
        Some(found) if below.is_empty() || found.has_subcommands() => {
            command.mut_subcommand(name, |subcommand| hide_in(subcommand, below))
        }
        _ => command,
    }
}

/// Refuses the option where the command that was called prints no object.
///
/// # Errors
/// A wrong usage, which names the command.
pub(crate) fn refuse(matches: &ArgMatches) -> Result<(), Error> {
    let mut words = Vec::new();
    let mut innermost = matches;
    while let Some((name, below)) = innermost.subcommand() {
        words.push(name);
        innermost = below;
    }
    if !matches.get_flag(OPTION) || !COMMANDS.contains(&words.as_slice()) {
        return Ok(());
    }
    let message = format!(
        "found --json, and `axilog {}` prints no JSON object; leave --json out",
        words.join(" ")
    );
    Err(crate::command().error(ErrorKind::ArgumentConflict, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_a_command_that_hides_the_option() {
        let mut command = crate::command();
        command.build();
        for words in COMMANDS {
            let found = words
                .iter()
                .try_fold(&command, |command, word| command.find_subcommand(word));
            let is_hidden = |found: &Command| {
                let mut options = found.get_arguments();
                options.any(|option| option.get_id() == OPTION && option.is_hide_set())
            };
            assert!(found.is_some_and(is_hidden), "{words:?}");
        }
    }

    #[test]
    fn they_refuse_the_option_wherever_it_stands() {
        for words in COMMANDS {
            let file: &[&str] = match words {
                ["policy", _] => &["p.json"],
                ["completions"] => &["bash"],
                ["mcp"] => &["--ledger", "l", "--", "server", "--json"],
                _ => &[],
            };
            let read = |before: &[&str], after: &[&str]| {
                let line = [&["axilog"][..], before, words, after, file].concat();
                refuse(&crate::command().try_get_matches_from(line).unwrap())
            };
            assert!(read(&[], &[]).is_ok(), "{words:?}");
            for refused in [read(&["--json"], &[]), read(&[], &["--json"])] {
                let error = refused.unwrap_err();
                assert_eq!(error.exit_code(), 2);
                let told = error.to_string();
                let name = format!("`axilog {}` prints no JSON object", words.join(" "));
                assert!(told.contains(&name), "{told}");
            }
        }
    }
}
