//! The command `axilog`; everything is in the library beside it.

use std::process::ExitCode;

fn main() -> ExitCode {
    axilog_harness::main()
}
