//! The command `axilog`; everything is in the library's `cli` module.

use std::process::ExitCode;

fn main() -> ExitCode {
    axilog_harness::cli::main()
}
