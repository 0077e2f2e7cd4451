//! `axilog gateway`: programs that change their base URL are recorded and contained.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axilog_gateway::{
    BreachAction, BudgetSettings, EXAMPLE, Gateway, GatewayConfiguration, LedgerCheckpoints,
};
use clap::Subcommand;
use serde::Serialize;

use crate::Failure;
use crate::commands::report;
use crate::interrupt::Flag;
use crate::output::table;
use crate::output::{Report, print_json, to_json};

/// Record and judge what models answer programs over HTTP. A program only changes its base URL.
///
/// A program sets the base URL of its client to the gateway's and asks as before. Each question is kept before the
/// provider is asked; each answer is recorded, judged, and released once the record is durable and it may be acted on.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: GatewayCommand,
}

#[derive(Subcommand)]
enum GatewayCommand {
    /// Answer calls until Ctrl-C or SIGTERM; calls that were begun are finished.
    ///
    /// Writes one line when it listens. JSON: `address`, `base_url`, `ledgers`.
    Serve(ServeArgs),
    /// Answer calls from a ledger alone: equal questions get the recorded answers, in their order.
    ///
    /// Nothing is asked and nothing is recorded; a question that the ledger does not hold is answered with 404, the nearest
    /// one and the difference. JSON: `address`, `base_url`, `ledgers`.
    Replay(ReplayArgs),
    /// Read the configuration, the policies and the key that it names, and say what the gateway would do.
    ///
    /// No ledger is opened or begun. JSON: `listen`, `hosts`, `upstream`, `operator_keys`,
    /// `ledgers`.
    Check(FileArgs),
    /// Print a commented configuration that can be used as it stands.
    ///
    /// JSON: `configuration`, the text.
    Example,
}

#[derive(clap::Args)]
struct ServeArgs {
    /// The configuration, a TOML file.
    config: PathBuf,
    /// Answer from each ledger what it held at the beginning, and ask for the rest only.
    #[arg(long)]
    record_missing: bool,
}

#[derive(clap::Args)]
struct ReplayArgs {
    /// The ledger file of a gateway.
    ledger: PathBuf,
    /// The address and port for clients; port 0 is a free one.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8089")]
    listen: SocketAddr,
}

#[derive(clap::Args)]
struct FileArgs {
    /// The configuration, a TOML file.
    config: PathBuf,
}

impl Args {
    /// Whether the command records something.
    pub(crate) fn records(&self) -> bool {
        matches!(self.command, GatewayCommand::Serve(_))
    }
}

/// A gateway that listens.
#[derive(Serialize)]
struct ListeningGateway<'a> {
    address: String,
    base_url: String,
    ledgers: &'a [String],
}

/// A configuration that can be used as it stands.
#[derive(Serialize)]
struct ExampleResult {
    configuration: &'static str,
}

/// What a configuration amounts to.
#[derive(Serialize)]
struct ConfigurationResult<'a> {
    listen: String,
    hosts: &'a [String],
    upstream: UpstreamResult<'a>,
    /// The number of keys of operators.
    operator_keys: usize,
    ledgers: Vec<LedgerSettingsResult<'a>>,
}

/// The provider: whose key it gets, and the seconds that it has for an answer.
#[derive(Serialize)]
struct UpstreamResult<'a> {
    base_url: &'a str,
    key: &'static str,
    timeout: u64,
}

/// What is set for a ledger.
#[derive(Serialize)]
struct LedgerSettingsResult<'a> {
    name: &'a str,
    path: String,
    /// The number of policies; `None` where the ledger keeps those that it has.
    policies: Option<usize>,
    on_breach: &'static str,
    /// The number of keys of clients.
    keys: usize,
    /// The oracles of models that have an oracle of their own.
    models: &'a BTreeMap<String, String>,
    budget: Option<&'a BudgetSettings>,
    /// Where its heads are signed; `None` where nobody signs them.
    checkpoint: Option<CheckpointSettingsResult<'a>>,
}

/// Who signs the heads of a ledger.
#[derive(Serialize)]
struct CheckpointSettingsResult<'a> {
    /// The verifier key of the ledger, as `axilog key show` prints it.
    public_key: String,
    /// The witnesses that are asked to sign too.
    witnesses: Vec<&'a str>,
}

/// Runs the command; `json` is how a gateway says where it listens.
pub(crate) fn run(args: &Args, json: bool) -> Result<Report, Failure> {
    match &args.command {
        GatewayCommand::Serve(args) => serve(args, json),
        GatewayCommand::Replay(args) => replay(args, json),
        GatewayCommand::Check(args) => check(&args.config),
        GatewayCommand::Example => Ok(example()),
    }
}

fn example() -> Report {
    let result = ExampleResult {
        configuration: EXAMPLE,
    };
    Report::new(true, EXAMPLE.to_owned(), &result)
}

fn serve(args: &ServeArgs, json: bool) -> Result<Report, Failure> {
    // Before the ledgers: a signal from here on lets the gateway end in order.
    let stop = Flag::install();
    let configuration = GatewayConfiguration::read(&args.config)?;
    let names: Vec<String> = configuration.ledger.keys().cloned().collect();
    let gateway = match args.record_missing {
        true => Gateway::record_missing(configuration)?,
        false => Gateway::open(configuration)?,
    };
    let gateway = gateway.with_reports(Arc::new(|path| {
        report::render_page(path).map_err(|failure| failure.error.to_string())
    }));
    answer_calls(gateway, &names, stop, json)?;
    let note = "every call that was begun is recorded; the ledgers are closed";
    Ok(ended(note))
}

fn replay(args: &ReplayArgs, json: bool) -> Result<Report, Failure> {
    let stop = Flag::install();
    let gateway = Gateway::replay(&args.ledger, args.listen)?;
    let name = args.ledger.display().to_string();
    answer_calls(gateway, &[name], stop, json)?;
    Ok(ended("the gateway has ended; nothing was recorded"))
}

/// The report of a gateway that has written its line already.
fn ended(note: &str) -> Report {
    Report::without_result(true).with_notes([note.to_owned()])
}

fn answer_calls(gateway: Gateway, names: &[String], stop: Flag, json: bool) -> Result<(), Failure> {
    // Where the system allows fewer connections, further ones wait.
    let _ = rlimit::increase_nofile_limit(u64::MAX);
    let listener = gateway.listen()?;
    let base_url = format!("http://{}/v1", listener.address());
    let line = match json {
        true => print_json(&ListeningGateway {
            address: listener.address().to_string(),
            base_url,
            ledgers: names,
        }),
        false => format!(
            "listening at {base_url} for {}; Ctrl-C ends\n",
            names.join(", ")
        ),
    };
    // A gateway serves whether or not anybody reads where it listens.
    let mut stdout = io::stdout();
    let _ = stdout
        .write_all(line.as_bytes())
        .and_then(|()| stdout.flush());
    Ok(listener.serve(move || stop.is_set())?)
}

fn check(path: &Path) -> Result<Report, Failure> {
    let configuration = GatewayConfiguration::read(path)?;
    let key = match &configuration.upstream.key {
        Some(_) => "the gateway's own",
        None => "the client's own",
    };
    let upstream = &configuration.upstream;
    let mut pairs = vec![
        ("listen", configuration.listen.to_string()),
        ("hosts", describe_hosts(&configuration)),
        ("provider", upstream.base_url.clone()),
        ("key", key.to_owned()),
        ("timeout", format!("{} s", upstream.timeout.as_secs())),
        (
            "operators",
            describe_keys(configuration.operator_keys.len(), "nobody"),
        ),
    ];
    let mut ledgers = Vec::new();
    for (name, settings) in &configuration.ledger {
        let policies = match &settings.policies {
            Some(policies) => policies.policies().len().to_string(),
            None => "those that the ledger has; none where it is new".to_owned(),
        };
        let (on_breach, breach) = match settings.on_breach {
            BreachAction::Refuse => ("refuse", "the answer is kept back"),
            BreachAction::Flag => ("flag", "the answer is released with a header"),
        };
        let keys = describe_keys(settings.keys.len(), "any, or none");
        pairs.extend([
            ("ledger", format!("{name}: {}", settings.path.display())),
            ("  policies", policies),
            ("  breach", breach.to_owned()),
            ("  keys", keys),
            ("  budget", describe_budget(settings.budget.as_ref())),
        ]);
        let checkpoints = settings.checkpoints.as_ref();
        pairs.extend(checkpoints.map(|it| ("  checkpoint", describe_checkpoints(it))));
        ledgers.push(LedgerSettingsResult {
            name,
            path: settings.path.display().to_string(),
            policies: settings.policies.as_ref().map(|all| all.policies().len()),
            on_breach,
            keys: settings.keys.len(),
            models: &settings.models,
            budget: settings.budget.as_ref(),
            checkpoint: checkpoints.map(|it| CheckpointSettingsResult {
                public_key: it.key.verifier_key().to_string(),
                witnesses: it.witness_names(),
            }),
        });
    }
    let result = ConfigurationResult {
        listen: configuration.listen.to_string(),
        hosts: &configuration.hosts,
        upstream: UpstreamResult {
            base_url: &upstream.base_url,
            key,
            timeout: upstream.timeout.as_secs(),
        },
        operator_keys: configuration.operator_keys.len(),
        ledgers,
    };
    Ok(Report::new(true, table::format_pairs(&pairs), &result))
}

/// Describes whose heads are signed, and who is asked to sign them.
fn describe_checkpoints(checkpoints: &LedgerCheckpoints) -> String {
    let witnesses = checkpoints.witness_names().join(", ");
    let witnesses = match witnesses.is_empty() {
        true => "no witness is asked".to_owned(),
        false => format!("witnesses {witnesses}"),
    };
    format!(
        "signed as {}; {witnesses}",
        checkpoints.key.verifier_key().name()
    )
}

/// Describes the names by which requests come.
fn describe_hosts(configuration: &GatewayConfiguration) -> String {
    let hosts = configuration.hosts.join(", ");
    match (configuration.listen.ip().is_loopback(), hosts.is_empty()) {
        (true, true) => "this machine's names".to_owned(),
        (true, false) => format!("this machine's names, {hosts}"),
        (false, _) => "any name".to_owned(),
    }
}

/// Describes keys by their number; `none` stands for no key.
fn describe_keys(count: usize, none: &str) -> String {
    match count {
        0 => none.to_owned(),
        1 => "1 key, named by its SHA-256".to_owned(),
        _ => format!("{count} keys, named by their SHA-256"),
    }
}

/// Describes the limits of a budget, each as the configuration has it.
fn describe_budget(budget: Option<&BudgetSettings>) -> String {
    let budget = to_json(&budget);
    let limits = budget.as_object().into_iter().flatten();
    let limits = limits.filter(|(_, limit)| !limit.is_null());
    let limits: Vec<String> = limits
        .map(|(name, limit)| format!("{name} {limit}"))
        .collect();
    match limits.is_empty() {
        true => "none".to_owned(),
        false => limits.join(", "),
    }
}
