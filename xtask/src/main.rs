//! `cargo xtask`: development tasks; without arguments it lists them.

use std::process::ExitCode;
use std::time::Duration;

use xtask::install::Options;
use xtask::process::Done;
use xtask::{abi, cross, firmware, fuzz, headers, install, miri, packaging, sanitize, seeds};

const USAGE: &str = "usage: cargo xtask TASK
  headers                        regenerate include/axilog/
  seeds                          regenerate fuzz/seeds/ from tests/vectors
  abi [--bless]                  compare the C interface with include/abi/, or write it anew
  firmware [--write]             the library on Cortex-M and RISC-V under QEMU; write its figures
  cross [session]                the tests on aarch64, armv7, s390x and i686 under qemu-user;
                                 with the word, only sessions replayed on s390x
  miri [--short]                 the C layer's tests, and the core's, under Miri
  sanitize                       the C suites under AddressSanitizer, UBSan and valgrind
  fuzz --seconds N [TARGET...]   libFuzzer on the parsers, N seconds each
  install [OPTION...]            build and install the library and the command
  uninstall [OPTION...]          remove what install put there
  packaging                      install into a temporary root and build programs from there

options of install and uninstall:
  --prefix DIR                   where it will be used (default /usr/local)
  --destdir DIR                  where it is staged: DIR/PREFIX/...
  --libdir DIR, --includedir DIR below the prefix or absolute (default lib, include)
  --library-only                 without the command, its manual and its completions";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let Some(done) = task(&words) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Does what the words say; `None` where they say nothing that is known.
fn task(words: &[&str]) -> Option<Done> {
    Some(match words {
        ["headers"] => headers::write(),
        ["seeds"] => seeds::write(),
        ["abi"] => abi::abi(false),
        ["abi", "--bless"] => abi::abi(true),
        ["firmware"] => firmware::firmware(false),
        ["firmware", "--write"] => firmware::firmware(true),
        ["cross"] => cross::cross(),
        ["cross", "session"] => cross::session(),
        ["miri"] => miri::miri(false),
        ["miri", "--short"] => miri::miri(true),
        ["sanitize"] => sanitize::sanitize(),
        ["fuzz", "--seconds", seconds, targets @ ..] => {
            fuzz::fuzz(Duration::from_secs(seconds.parse().ok()?), targets)
        }
        ["install", options @ ..] => with(options, install::install),
        ["uninstall", options @ ..] => with(options, install::uninstall),
        ["packaging"] => packaging::check(),
        _ => return None,
    })
}

fn with(words: &[&str], task: impl Fn(&Options) -> Done) -> Done {
    task(&Options::parse(words)?)
}
