//! Prints a line for each directory that is named: the hash of its Rust files, two spaces, and its path.

use std::path::Path;
use std::process::ExitCode;

use axilog_sourcehash::hash_directory;

fn main() -> ExitCode {
    let directories: Vec<String> = std::env::args().skip(1).collect();
    if directories.is_empty() {
        eprintln!("usage: axilog-sourcehash DIRECTORY...");
        return ExitCode::from(2);
    }
    for directory in directories {
        match hash_directory(Path::new(&directory)) {
            Ok(hash) => println!("{hash}  {directory}"),
            Err(error) => {
                eprintln!("{error}");
                return ExitCode::from(3);
            }
        }
    }
    ExitCode::SUCCESS
}
