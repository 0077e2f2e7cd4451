//! `axilog-manual DIRECTORY`: a manual page for the command `axilog` and for each subcommand, and its
//! completions for bash, zsh and fish, all from the definition that the command itself parses with.

#![forbid(unsafe_code)]

use std::path::Path;
use std::process::ExitCode;
use std::{env, fs, io};

use clap_complete::{Shell, generate_to};

fn main() -> ExitCode {
    let arguments: Vec<_> = env::args_os().skip(1).collect();
    let [directory] = arguments.as_slice() else {
        eprintln!("usage: axilog-manual DIRECTORY");
        return ExitCode::from(2);
    };
    match write(Path::new(directory)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("axilog-manual: {}: {error}", directory.display());
            ExitCode::from(3)
        }
    }
}

/// Writes `man/` and one directory for each shell.
fn write(directory: &Path) -> io::Result<()> {
    let man = directory.join("man");
    fs::create_dir_all(&man)?;
    clap_mangen::generate_to(axilog_harness::command(), man)?;
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        let directory = directory.join(shell.to_string());
        fs::create_dir_all(&directory)?;
        let mut command = axilog_harness::command();
        generate_to(shell, &mut command, "axilog", directory)?;
    }
    Ok(())
}
