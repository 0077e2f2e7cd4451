//! `cargo xtask`: development tasks. `headers` writes `include/axilog/`.

use std::process::ExitCode;

use xtask::headers;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["headers"] => headers::write(),
        _ => {
            eprintln!("usage: cargo xtask headers    regenerate include/axilog/");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}
