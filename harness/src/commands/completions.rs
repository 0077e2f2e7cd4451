//! `axilog completions`: what a shell needs to complete a command line.

use clap_complete::{Shell, generate};

use crate::output::Report;

/// Print the completions of this build for a shell.
///
/// For bash, for example: axilog completions bash > ~/.local/share/bash-completion/completions/axilog. `cargo xtask install`
/// installs those for bash, fish and zsh.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The shell.
    shell: Shell,
}

pub(crate) fn run(args: &Args) -> Report {
    let mut script = Vec::new();
    generate(args.shell, &mut crate::command(), "axilog", &mut script);
    Report {
        text: String::from_utf8_lossy(&script).into_owned(),
        ..Report::without_result(true)
    }
}
