//! `axilog policy`: checks, formats and compiles policy files (formats.md §4; SRS-004 §17).

use std::path::{Path, PathBuf};

use axilog_ledger::error::LedgerError;
use axilog_ledger::input_file::read_input;
use axilog_ledger::policy_trial::TrialRules;
use axilog_ledger::rules::{MAX_CONFIGURATION_BYTES, is_policy_source};
use axilog_ledger::visible_text::escape_deceptive_text;
use axilog_policyc::PolicySet;
use clap::{Subcommand, ValueEnum};

use crate::Failure;
use crate::error::CommandError;
use crate::options::schema_files::{SchemaFiles, parse_oracle_file};
use crate::output::Report;
use crate::output::stream::OutputStream;
use crate::output::target::OutputTarget;

mod check;
mod explain;

/// Check, format, explain and compile policy files.
///
/// A bad file is refused with FILE:LINE:COLUMN and the reason, exit code 1.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Check a file and print the values that it permits, per oracle and path.
    Check {
        /// The policy file; one that ends in .toml is in source form.
        file: PathBuf,
    },
    /// Print the canonical form of a file in any spelling, or in source form.
    Fmt {
        /// The policy file; one that ends in .toml is in source form.
        file: PathBuf,
        /// Write it here instead of to standard output, for which - stands.
        #[arg(short, long, value_name = "OUT", conflicts_with = "write")]
        output: Option<PathBuf>,
        /// Write it back into the file.
        #[arg(short, long)]
        write: bool,
    },
    /// Say value by value what would be decided on an answer, and why; nothing is recorded.
    ///
    /// Without --oracle it is decided on as an answer of each oracle that the policies and schemas name, and of
    /// any other. Exit code 0 where it is permitted every time, else 1.
    Explain {
        /// The policy file; one that ends in .toml is in source form.
        file: PathBuf,
        /// FILE is a ledger, whose own policies and schemas decide.
        #[arg(long, conflicts_with = "schema")]
        ledger: bool,
        /// JSON Schema (2020-12) of the answers of ORACLE. May be given for several oracles.
        #[arg(long, value_name = "ORACLE=FILE", value_parser = parse_oracle_file)]
        schema: Vec<(String, PathBuf)>,
        /// The answer, as the oracle gives it; - is standard input.
        #[arg(long, value_name = "FILE")]
        answer: PathBuf,
        /// The oracle that gives it.
        #[arg(long, value_name = "ID")]
        oracle: Option<String>,
    },
    /// Compile a file to a registry.
    Compile {
        /// The policy file, in canonical form; one that ends in .toml is in source form.
        file: PathBuf,
        /// What to write.
        #[arg(long, value_enum, default_value_t = Emit::C)]
        emit: Emit,
        /// The registry's name in C.
        #[arg(long, value_name = "NAME", default_value = "axilog_policies")]
        symbol: String,
        /// Write it here instead of to standard output, for which - stands.
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

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    match &args.command {
        Command::Check { file } => {
            let set = parse_by_name(file, PolicySet::parse)?;
            Ok(check::report(file, &set))
        }
        Command::Explain {
            file,
            ledger,
            schema,
            answer,
            oracle,
        } => {
            let (rules, notes) = match ledger {
                true => (explain::read_rules_of(file)?, Vec::new()),
                false => {
                    let set = parse_by_name(file, PolicySet::parse_lenient)?;
                    let schemas = SchemaFiles::read(schema, &[])?;
                    (TrialRules::new(set, schemas.declared), schemas.notes)
                }
            };
            Ok(explain::run(&rules, answer, oracle.as_deref())?.with_notes(notes))
        }
        Command::Fmt {
            file,
            output,
            write,
        } => {
            if *write && is_policy_source(file) {
                return Err(CommandError::SourceOverwritten(file.clone()).into());
            }
            let target = match write {
                true => OutputTarget::in_place(file)?,
                false => OutputTarget::open(output.as_deref(), &[file])?,
            };
            let set = parse_by_name(file, PolicySet::parse_lenient)?;
            deliver(&format!("{}\n", set.to_canonical()), target)
        }
        Command::Compile {
            file,
            emit,
            symbol,
            output,
        } => {
            let target = OutputTarget::open(output.as_deref(), &[file])?;
            let set = parse_by_name(file, PolicySet::parse)?;
            let text = match emit {
                Emit::C => set.emit_c(symbol).map_err(CommandError::Symbol)?,
                Emit::Rust => set.emit_rust(),
                Emit::Json => format!("{}\n", set.to_canonical()),
            };
            deliver(&text, target)
        }
    }
}

/// Reads a file in source form, or another one by `json`.
fn parse_by_name(
    file: &Path,
    json: fn(&[u8]) -> Result<PolicySet, axilog_policyc::PolicyFileError>,
) -> Result<PolicySet, Failure> {
    let source = PolicySet::parse_source;
    parse(file, if is_policy_source(file) { source } else { json })
}

/// Reads a file; here a bad one is what was looked for, not a wrong argument.
fn parse(
    file: &Path,
    parse: fn(&[u8]) -> Result<PolicySet, axilog_policyc::PolicyFileError>,
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

/// Hands over generated text. It is exact, since it may be on its way into a file; only on a terminal the
/// characters that are not seen are escapes.
fn deliver(text: &str, target: OutputTarget<'_>) -> Result<Report, Failure> {
    let text = match target.is_terminal() {
        true => escape_deceptive_text(text),
        false => text.into(),
    };
    target.write(|out, name| {
        let mut out = OutputStream::new(out);
        out.put(text.as_bytes());
        out.finish(name)
    })?;
    Ok(Report::without_result(true))
}
