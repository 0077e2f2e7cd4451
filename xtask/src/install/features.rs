//! The features with which the command `axilog` is built, and the options that choose them.

use std::process::Command;

use clap::Args;

use crate::cargo::Metadata;
use crate::process::{TaskResult, ensure};

/// The package of the command.
const PACKAGE: &str = "axilog-harness";

/// A choice among the features of the command.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub struct FeatureSelection {
    /// Features of the command to add, separated by commas; harness/Cargo.toml explains each
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        conflicts_with = "library_only"
    )]
    features: Vec<String>,
}

impl FeatureSelection {
    /// Fails where the command has no feature of a chosen name.
    ///
    /// # Errors
    /// The unknown name, and the names of all features.
    pub fn check(&self, metadata: &Metadata) -> TaskResult {
        let available = metadata.features(PACKAGE)?;
        let unknown = self.features.iter().find(|name| !available.contains(name));
        ensure(
            unknown.is_none(),
            &format!(
                "the command axilog has no feature {:?}; choose among {}",
                unknown.map_or("", |name| name),
                available.join(", ")
            ),
        )
    }

    /// Adds the choice to a cargo command that builds the command.
    pub fn add_to(&self, command: &mut Command) {
        for name in &self.features {
            command.args(["--features", &format!("{PACKAGE}/{name}")]);
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::super::InstallOptions;
    use super::*;

    #[derive(Parser)]
    struct CommandLine {
        #[command(flatten)]
        options: InstallOptions,
    }

    fn parse(words: &[&str]) -> Result<FeatureSelection, String> {
        CommandLine::try_parse_from([&["install"], words].concat())
            .map(|line| line.options.features)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn the_choice_is_passed_on_to_cargo() {
        for (words, expected) in [
            (&[][..], &[][..]),
            (
                &["--features", "bundle,memory"],
                &[
                    "--features",
                    "axilog-harness/bundle",
                    "--features",
                    "axilog-harness/memory",
                ],
            ),
        ] {
            let mut command = Command::new("cargo");
            parse(words).unwrap().add_to(&mut command);
            let arguments: Vec<_> = command.get_args().collect();
            assert_eq!(arguments, expected, "{words:?}");
        }
    }

    #[test]
    fn an_unknown_feature_is_answered_with_the_list_of_all() {
        let metadata = Metadata::read().unwrap();
        parse(&["--features=bundle"])
            .unwrap()
            .check(&metadata)
            .unwrap();
        let error = parse(&["--features=bundle,minds"])
            .unwrap()
            .check(&metadata);
        let error = error.unwrap_err().to_string();
        let expected =
            "the command axilog has no feature \"minds\"; choose among ablation, bundle, ";
        assert!(error.starts_with(expected), "{error}");
    }

    #[test]
    fn features_are_refused_where_the_command_is_left_out() {
        let error = parse(&["--library-only", "--features=bundle"]).unwrap_err();
        assert!(error.contains("cannot be used with"), "{error}");
    }
}
