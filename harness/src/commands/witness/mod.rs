//! `axilog witness`: signs heads of ledgers, so that none of them can have two.

mod submit;

use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::PathBuf;

use axilog_heads::WitnessKey;
use axilog_witness::{KnownLogs, Witness, create_state};
use clap::Subcommand;
use serde::Serialize;

use crate::Failure;
use crate::interrupt::Flag;
use crate::output::table;
use crate::output::{Report, print_json};

/// Sign the heads of others' ledgers, each only where it extends the one before.
///
/// A witness remembers the last head of each ledger that it signed. It signs the next one with a proof that it extends
/// that one, and so never two that disagree. It needs no ledger and no record. Programs ask it over HTTP (C2SP
/// tlog-witness).
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: WitnessCommand,
}

#[derive(Subcommand)]
enum WitnessCommand {
    /// Make the state of a new witness, in which it remembers what it has signed.
    ///
    /// JSON: `state`, `public_key`.
    Init(InitArgs),
    /// Answer over HTTP until Ctrl-C or SIGTERM.
    ///
    /// Writes one line when it listens. JSON: `address`, `base_url`, `public_key`, `logs`.
    Serve(ServeArgs),
    Submit(submit::Args),
}

#[derive(clap::Args)]
struct InitArgs {
    /// The new file.
    state: PathBuf,
    /// The file of the witness's secret key (axilog key new --witness); - is standard input.
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
}

#[derive(clap::Args)]
struct ServeArgs {
    /// The state of the witness, as `axilog witness init` made it. Never put an older copy in its place: the witness would
    /// sign again what it has signed since.
    state: PathBuf,
    /// The file of the witness's secret key; - is standard input.
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// A file with the public key of each ledger whose heads are signed, a line each.
    #[arg(long, value_name = "FILE")]
    logs: PathBuf,
    /// The address and port; port 0 is a free one.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8090")]
    listen: SocketAddr,
    /// The most connections at a time; further ones wait.
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    max_connections: u32,
}

/// A new witness: the file of its state, and the public key.
#[derive(Serialize)]
struct WitnessInitResult {
    state: String,
    public_key: String,
}

/// A witness that listens.
#[derive(Serialize)]
struct WitnessServeResult {
    address: String,
    base_url: String,
    public_key: String,
    /// The number of ledgers whose heads it signs.
    logs: usize,
}

pub(crate) fn run(args: &Args, json: bool) -> Result<Report, Failure> {
    match &args.command {
        WitnessCommand::Init(args) => init(args),
        WitnessCommand::Serve(args) => serve(args, json),
        WitnessCommand::Submit(args) => submit::run(args),
    }
}

fn init(args: &InitArgs) -> Result<Report, Failure> {
    let key = WitnessKey::read(&args.key)?;
    let public = key.public_key();
    create_state(&args.state, public)?;
    let state = args.state.display().to_string();
    let public_key = public.to_string();
    let text = table::format_pairs(&[
        ("CREATED", state.clone()),
        ("witness", public.name().to_owned()),
        ("key", public_key.clone()),
    ]);
    Ok(Report::new(
        true,
        text,
        &WitnessInitResult { state, public_key },
    ))
}

fn serve(args: &ServeArgs, json: bool) -> Result<Report, Failure> {
    let stop = Flag::install();
    let key = WitnessKey::read(&args.key)?;
    let public_key = key.public_key().to_string();
    let logs = KnownLogs::read(&args.logs)?;
    let count = logs.count();
    let connections = usize::try_from(args.max_connections).unwrap_or(usize::MAX);
    let witness = Witness::open(&args.state, key, logs, args.listen, connections)?;
    let base_url = format!("http://{}", witness.address());
    let line = match json {
        true => print_json(&WitnessServeResult {
            address: witness.address().to_string(),
            base_url,
            public_key,
            logs: count,
        }),
        false => format!("listening at {base_url} for {count} logs; Ctrl-C ends\n"),
    };
    // A witness serves whether or not anybody reads where it listens.
    let mut stdout = io::stdout();
    let _ = stdout
        .write_all(line.as_bytes())
        .and_then(|()| stdout.flush());
    witness.serve(move || stop.is_set());
    Ok(Report::without_result(true).with_notes(["the witness has ended".to_owned()]))
}
