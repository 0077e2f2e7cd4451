//! `axilog-manual DIRECTORY` writes a manual page for the command `axilog` and for each of its
//! subcommands, and completions for bash, zsh and fish. It takes them from the definition with which
//! the command parses its arguments.

#![forbid(unsafe_code)]

mod examples;
mod page;

use std::path::Path;
use std::process::ExitCode;
use std::{env, fs, io};

use axilog_harness::command;
use clap_complete::{Shell, generate_to};

fn main() -> ExitCode {
    let arguments: Vec<_> = env::args_os().skip(1).collect();
    let [directory] = arguments.as_slice() else {
        eprintln!("usage: axilog-manual DIRECTORY");
        return ExitCode::from(2);
    };
    match write_manual(Path::new(directory)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let directory = directory.display();
            eprintln!("axilog-manual: cannot write the manual into {directory}: {error}");
            ExitCode::from(3)
        }
    }
}

/// Writes the pages into `man/` and each shell's completions into a directory named after the shell.
fn write_manual(directory: &Path) -> io::Result<()> {
    let pages = directory.join("man");
    fs::create_dir_all(&pages)?;
    page::write_pages(&page::built(command()), "", &pages)?;
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        let completions = directory.join(shell.to_string());
        fs::create_dir_all(&completions)?;
        generate_to(shell, &mut command(), "axilog", completions)?;
    }
    Ok(())
}
