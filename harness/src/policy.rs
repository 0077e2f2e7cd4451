//! `axilog policy`: checks, formats and compiles policy files (formats.md §4; SRS-004 §17).

use std::path::{Path, PathBuf};

use axilog_ledger::error::LedgerError;
use axilog_ledger::input_file::read_input;
use axilog_ledger::rules::MAX_CONFIGURATION_BYTES;
use axilog_policyc::{Interval, PolicySet, decimal};
use clap::{Subcommand, ValueEnum};
use serde_json::{Value, json};

use super::output::Report;
use super::{Failure, output_file, table};
use crate::error::CommandError;

/// Check, format and compile policy files.
///
/// A bad file is refused with FILE:LINE:COLUMN and the reason, exit code 1.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Check a file and print the values that it permits, per selector.
    Check {
        /// The policy file.
        file: PathBuf,
        /// One JSON object on standard output.
        #[arg(long)]
        json: bool,
    },
    /// Print the canonical form of a file in any spelling.
    Fmt {
        /// The policy file.
        file: PathBuf,
        /// Write it here instead.
        #[arg(short, long, value_name = "OUT", conflicts_with = "write")]
        output: Option<PathBuf>,
        /// Write it back into the file.
        #[arg(short, long)]
        write: bool,
    },
    /// Compile a file in canonical form to a registry.
    Compile {
        /// The policy file.
        file: PathBuf,
        /// What to write.
        #[arg(long, value_enum, default_value_t = Emit::C)]
        emit: Emit,
        /// The registry's name in C.
        #[arg(long, value_name = "NAME", default_value = "axilog_policies")]
        symbol: String,
        /// Write it here instead of to standard output.
        #[arg(short, long, value_name = "OUT")]
        output: Option<PathBuf>,
    },
}

#[derive(Clone, Copy, ValueEnum)]
enum Emit {
    /// C99 and C++17 source with a `const ax_policy_registry_t`.
    C,
    /// Rust source with a `pub static BUILTIN: [Policy; N]`.
    Rust,
    /// The canonical policy file.
    Json,
}

impl Args {
    pub(crate) fn json(&self) -> bool {
        matches!(self.command, Command::Check { json: true, .. })
    }
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    match &args.command {
        Command::Check { file, .. } => Ok(check(file, &parse(file, PolicySet::parse)?)),
        Command::Fmt {
            file,
            output,
            write,
        } => {
            let set = parse(file, PolicySet::parse_lenient)?;
            let target = output.as_deref().or(write.then_some(file.as_path()));
            deliver(format!("{}\n", set.to_canonical()), target)
        }
        Command::Compile {
            file,
            emit,
            symbol,
            output,
        } => {
            let set = parse(file, PolicySet::parse)?;
            let text = match emit {
                Emit::C => set.emit_c(symbol).map_err(CommandError::Symbol)?,
                Emit::Rust => set.emit_rust(),
                Emit::Json => format!("{}\n", set.to_canonical()),
            };
            deliver(text, output.as_deref())
        }
    }
}

/// Reads a file; here a bad one is what was looked for, not a wrong argument.
fn parse(
    file: &Path,
    parse: fn(&[u8]) -> Result<PolicySet, axilog_policyc::Error>,
) -> Result<PolicySet, Failure> {
    let bytes = read_input(file, "read the policies", MAX_CONFIGURATION_BYTES)?;
    parse(&bytes).map_err(|source| Failure {
        error: LedgerError::InvalidPolicies {
            path: file.to_owned(),
            source,
        }
        .into(),
        code: 1,
    })
}

fn check(file: &Path, set: &PolicySet) -> Report {
    let count = set.policies().len();
    let enabled = set.policies().iter().filter(|p| p.enabled).count();
    let envelope = set.envelope();
    let mut text = table::format_pairs(&[
        ("OK", file.display().to_string()),
        ("policies", format!("{count}, {enabled} of them enabled")),
    ]);
    if envelope.is_empty() {
        text.push_str("No limits: every answer is permitted.\n");
    } else {
        let rows: Vec<[String; 3]> = envelope.iter().map(row).collect();
        let header = ["permitted", "from (raw Q16.16)", "to (raw Q16.16)"];
        text.push_str(&table::format_grid(header, [24, 27, 27], &rows));
    }
    let envelope: Vec<Value> = envelope.iter().map(interval).collect();
    Report {
        passed: true,
        text,
        json: json!({
            "file": file.to_string_lossy(),
            "ok": true,
            "policies": count,
            "enabled": enabled,
            "envelope": envelope,
        }),
        notes: Vec::new(),
    }
}

fn row(interval: &Interval) -> [String; 3] {
    let end = |raw: i32| format!("{}\n({raw})", decimal(raw));
    [
        interval.selector.clone(),
        end(interval.min),
        end(interval.max),
    ]
}

fn interval(interval: &Interval) -> Value {
    json!({
        "selector": interval.selector,
        "min": interval.min,
        "min_decimal": decimal(interval.min),
        "max": interval.max,
        "max_decimal": decimal(interval.max),
    })
}

/// Hands over generated text: to a file, whole or not at all, or to standard output.
fn deliver(text: String, target: Option<&Path>) -> Result<Report, Failure> {
    let printed = match target {
        Some(path) => {
            output_file::write_text(path, &text)?;
            String::new()
        }
        None => text,
    };
    Ok(Report {
        passed: true,
        text: printed,
        json: Value::Null,
        notes: Vec::new(),
    })
}
