//! The commands that a build can leave out: what they do, and which feature brings them.
//!
//! They stand in `axilog --help` of every build. One that was left out says so and how to build it.

use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};

use crate::output::write_remark;

/// A command that needs a feature.
struct Part {
    /// The command's name.
    name: &'static str,
    /// The feature that brings it.
    feature: &'static str,
    /// What it does, as in the list of commands.
    about: &'static str,
    /// Whether this build has it.
    is_built: bool,
}

const PARTS: &[Part] = &[
    Part {
        name: "ablation",
        feature: "ablation",
        about: "Test whether precedent memory matters to an oracle's choices",
        is_built: cfg!(feature = "ablation"),
    },
    Part {
        name: "bundle",
        feature: "bundle",
        about: "Describe a pipeline step to a model (Step Awareness Bundles), and ask it",
        is_built: cfg!(feature = "bundle"),
    },
    Part {
        name: "check",
        feature: "heads",
        about: "Check a proof of a record or of a head, with a public key alone",
        is_built: cfg!(feature = "heads"),
    },
    Part {
        name: "checkpoint",
        feature: "heads",
        about: "Sign the head of a ledger, for others to hold",
        is_built: cfg!(feature = "heads"),
    },
    Part {
        name: "gateway",
        feature: "gateway",
        about: "Record and judge what models answer programs over HTTP",
        is_built: cfg!(feature = "gateway"),
    },
    Part {
        name: "key",
        feature: "heads",
        about: "Make the key that signs heads, and print its public key",
        is_built: cfg!(feature = "heads"),
    },
    Part {
        name: "memory",
        feature: "memory",
        about: "Keep the facts of a long game, and print what a model may read",
        is_built: cfg!(feature = "memory"),
    },
    Part {
        name: "prove",
        feature: "heads",
        about: "Prove that a ledger has a record, or extends an older head",
        is_built: cfg!(feature = "heads"),
    },
    Part {
        name: "witness",
        feature: "witness",
        about: "Sign the heads of others' ledgers, each only where it extends the one before",
        is_built: cfg!(feature = "witness"),
    },
    Part {
        name: "x0l",
        feature: "x0l",
        about: "Let a model propose actions and a fixed kernel decide, all recorded",
        is_built: cfg!(feature = "x0l"),
    },
];

/// The command that builds `axilog` with the feature `name`.
pub(crate) fn build_command(name: &str) -> String {
    format!("cargo build --release -p axilog-harness --features {name}")
}

impl Part {
    fn explain(&self) -> String {
        format!(
            "this build of axilog has no command {0} ({1}); in axilog's sources, install one that has it with \
             `cargo xtask install --features {2}`, or build it with `{3}`; the feature `full` brings every command",
            self.name,
            self.about,
            self.feature,
            build_command(self.feature)
        )
    }

    fn command(&self) -> Command {
        Command::new(self.name)
            .about(format!(
                "{} (not in this build: --features {})",
                self.about, self.feature
            ))
            .long_about(self.explain())
            .arg(
                Arg::new("arguments")
                    .action(ArgAction::Append)
                    .num_args(0..)
                    .trailing_var_arg(true)
                    .allow_hyphen_values(true)
                    .hide(true),
            )
    }
}

/// `command` with the parts that this build left out.
pub(crate) fn add_to(command: Command) -> Command {
    let missing = PARTS.iter().filter(|part| !part.is_built);
    command.subcommands(missing.map(Part::command))
}

/// Explains a part that was asked for and left out, on standard error; `None` where nothing of the kind
/// was asked for. The exit code is 3: it could not run.
pub(crate) fn refuse(matches: &ArgMatches) -> Option<ExitCode> {
    let name = matches.subcommand_name()?;
    let part = PARTS
        .iter()
        .find(|part| part.name == name && !part.is_built)?;
    write_remark(&part.explain());
    Some(ExitCode::from(3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_a_command_of_every_build() {
        let command = crate::command();
        for part in PARTS {
            assert!(
                command.find_subcommand(part.name).is_some(),
                "{}",
                part.name
            );
        }
    }

    #[test]
    fn a_missing_part_takes_any_arguments_and_says_how_to_build_it() {
        let part = Part {
            name: "memory",
            feature: "memory",
            about: "Keep the Oracle memory",
            is_built: false,
        };
        let axilog = Command::new("axilog").subcommand(part.command());
        let help = axilog.clone().render_long_help().to_string();
        assert!(
            help.contains("not in this build: --features memory"),
            "{help}"
        );
        let words = ["axilog", "memory", "show", "m.db", "--json"];
        let matches = axilog.try_get_matches_from(words).unwrap();
        assert_eq!(matches.subcommand_name(), Some("memory"));
        assert_eq!(
            part.explain(),
            "this build of axilog has no command memory (Keep the Oracle memory); in axilog's sources, install one that \
             has it with `cargo xtask install --features memory`, or build it with `cargo build --release -p \
             axilog-harness --features memory`; the feature `full` brings every command"
        );
    }
}
