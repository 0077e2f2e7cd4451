//! `cargo xtask`: development tasks; without arguments it lists them.

use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, Subcommand};
use xtask::cross::Part;
use xtask::install::{InstallOptions, Locations};
use xtask::process::TaskResult;
use xtask::{
    abi, cross, embedded, firmware, fuzz, headers, install, miri, misra, mutants, packaging,
    sanitize, symbols, wheel,
};

/// Development tasks of the axilog workspace. A task that needs a missing tool names the command that
/// installs it.
#[derive(Parser)]
#[command(bin_name = "cargo xtask", arg_required_else_help = true)]
struct CommandLine {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Regenerates include/axilog/ from src/ffi/, and axilog/host.h from harness/host/src/
    Headers,
    /// Compares the C interfaces with their committed descriptions, include/abi and harness/host/abi
    Abi {
        /// Writes the description anew instead
        #[arg(long)]
        bless: bool,
    },
    /// Runs and measures the library on Cortex-M and RISC-V under QEMU
    Firmware {
        /// Writes the measured figures into docs/firmware.md
        #[arg(long, conflicts_with = "targets")]
        write: bool,
        /// Processors to run on, by Rust's names; all of them by default
        #[arg(value_name = "TARGET", value_parser = firmware::target_triples())]
        targets: Vec<String>,
    },
    /// Makes the packages for ESP-IDF, Zephyr, Arduino and PlatformIO, in target/embedded
    Embedded {
        /// Builds programs with each package too, and runs them on emulated machines
        #[arg(long)]
        check: bool,
    },
    /// Runs the tests on aarch64, armv7, s390x and i686 under qemu-user
    Cross {
        /// The only part to run; all of them by default
        part: Option<Part>,
    },
    /// Runs the tests of the C layer and of the core under Miri
    Miri {
        /// Leaves out the core's tests, which take most of the time
        #[arg(long)]
        short: bool,
    },
    /// Compares the C headers' deviations from MISRA C:2012 with docs/misra.md
    Misra,
    /// Runs the C suites under AddressSanitizer and UndefinedBehaviorSanitizer
    Sanitize,
    /// Runs the C suites under valgrind
    Valgrind {
        /// Leaves out the answers of the deployed gateways, which take most of the time
        #[arg(long)]
        short: bool,
    },
    /// Runs libFuzzer on the parsers
    Fuzz {
        /// Seconds for each target
        #[arg(long, value_name = "N")]
        seconds: u64,
        /// Targets to run; all of them by default
        #[arg(value_name = "TARGET", value_parser = fuzz::target_names())]
        targets: Vec<String>,
    },
    /// Runs the memory's gates against defects of the memory, which they must find
    Mutants {
        /// Patches to try, by their names in harness/memory/tests/mutants; all of them by default
        #[arg(value_name = "NAME")]
        names: Vec<String>,
    },
    /// Builds and installs the library and the command axilog
    Install(InstallOptions),
    /// Removes what install installed
    Uninstall(Locations),
    /// Installs into a temporary directory and builds programs from there
    Packaging,
    /// Builds the Python package's wheel, for machines without Rust, into target/wheels
    Wheel,
}

fn main() -> ExitCode {
    match run_task(CommandLine::parse().task) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run_task(task: Task) -> TaskResult {
    match task {
        Task::Headers => {
            headers::write_headers()?;
            symbols::write_list()
        }
        Task::Abi { bless } => abi::check_abi(bless),
        Task::Firmware { write, targets } => firmware::check_firmware(write, &targets),
        Task::Embedded { check } => embedded::make_packages(check),
        Task::Cross { part } => cross::check_platforms(part),
        Task::Miri { short } => miri::run_miri(short),
        Task::Misra => misra::check_headers(),
        Task::Sanitize => sanitize::run_sanitizers(),
        Task::Valgrind { short } => sanitize::run_valgrind(short),
        Task::Fuzz { seconds, targets } => {
            fuzz::run_targets(Duration::from_secs(seconds), &targets)
        }
        Task::Mutants { names } => mutants::run_mutants(&names),
        Task::Install(options) => install::install(&options),
        Task::Uninstall(locations) => install::uninstall(&locations),
        Task::Packaging => packaging::check_packaging(),
        Task::Wheel => wheel::build_wheel(),
    }
}
