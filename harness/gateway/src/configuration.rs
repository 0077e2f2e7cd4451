//! The configuration: one TOML file. Paths in it are relative to its folder.

use axilog_exchange::{ANSWER_ORACLE, FACTS_ORACLE, JUDGES_FACTS};
use std::collections::{BTreeMap, HashMap};
use std::env::VarError;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use axilog::hash::{Hash, HexHash, sha256, unhex};
use axilog_ledger::encoding::hex;
use axilog_ledger::input_file::read_input;
use axilog_ledger::rules::read_policy_file;
use axilog_ledger::session::check_identities;
use axilog_oracle::{ApiKey, request_url};
use axilog_policyc::PolicySet;
use axum::http::uri::Authority;

use crate::budget::BudgetSettings;
use crate::checkpoints::LedgerCheckpoints;
use crate::configuration_file::{ConfigurationFile, LedgerTable, UpstreamTable};
use crate::error::GatewayError;

pub use crate::configuration_file::BreachAction;

/// A commented configuration that can be used as it stands.
pub const EXAMPLE: &str = include_str!("example.toml");

/// The ledger of a call that names no other.
pub(crate) const DEFAULT_LEDGER: &str = "default";

/// The most bytes of the configuration.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// The most characters of a ledger's name.
const MAX_NAME: usize = 64;

/// What the gateway does, as its file says; read whole, policies and key included.
#[derive(Clone, Debug)]
pub struct GatewayConfiguration {
    /// The address and port for clients.
    pub listen: SocketAddr,
    /// The names, beside those of this machine, by which clients reach a gateway that listens on this machine only.
    pub hosts: Vec<String>,
    /// The folder of the ledgers.
    pub ledgers: PathBuf,
    /// The most connections of clients at a time.
    pub max_connections: usize,
    /// How long a client may take for the head of a request, for its body, and from one piece of a response to the next.
    pub client_time: Duration,
    /// The most bytes of a request's body.
    pub max_request_bytes: usize,
    /// The most bytes of the provider's response.
    pub max_answer_bytes: usize,
    /// The time after which a client that wants a stream gets comments while its answer is awaited.
    pub comment_interval: Duration,
    /// The least seconds between two times that a ledger gets because calls come; 0 for none.
    pub time_interval: u64,
    /// Whether each call is a line of JSON on standard error.
    pub log_calls: bool,
    /// Whether there is a page at `/`: for browsers on this machine, or with an operator's key.
    pub page: bool,
    /// Whether the page links to reports, which hold what the ledgers' questions and answers say.
    pub reports: bool,
    /// SHA-256 of the keys of operators.
    pub operator_keys: Vec<Hash>,
    /// The provider.
    pub upstream: Upstream,
    /// The settings of each ledger, by its name.
    pub ledger: BTreeMap<String, LedgerSettings>,
}

/// The provider of the models.
#[derive(Clone, Debug)]
pub struct Upstream {
    /// The URL before the path of an interface, as `https://api.openai.com/v1`.
    pub base_url: String,
    /// The gateway's own key; `None` where the client's is passed on.
    pub key: Option<ApiKey>,
    /// The time until the whole answer must be there.
    pub timeout: Duration,
}

/// The settings of one ledger.
#[derive(Clone, Debug)]
pub struct LedgerSettings {
    /// The file.
    pub path: PathBuf,
    /// The policies that judge the answers; `None` for those that the ledger has, and none for a new ledger.
    pub policies: Option<PolicySet>,
    /// What happens to an answer that may not be acted on.
    pub on_breach: BreachAction,
    /// SHA-256 of the keys whose calls the ledger takes; empty where it takes any.
    pub keys: Vec<Hash>,
    /// The oracles of models that have another oracle than `llm`.
    pub models: BTreeMap<String, String>,
    /// The budgets; `None` where there are none.
    pub budget: Option<BudgetSettings>,
    /// How its heads are signed; `None` where they are not.
    pub checkpoints: Option<LedgerCheckpoints>,
}

/// The most that a request's body and an answer may be allowed.
pub(crate) const MAX_BODY_BYTES: usize = 64 << 20;

impl GatewayConfiguration {
    /// Reads the configuration in the file `path`, the policies that it names and the key.
    ///
    /// # Errors
    /// [`GatewayError::Ledger`] for a file that cannot be read or policies that are none;
    /// [`GatewayError::Configuration`] for anything else, with the place.
    pub fn read(path: &Path) -> Result<GatewayConfiguration, GatewayError> {
        let refuse = |reason: String| GatewayError::Configuration {
            path: path.to_owned(),
            reason,
        };
        let text = read_input(path, "read the configuration", MAX_FILE_BYTES)?;
        let text = String::from_utf8(text).map_err(|error| {
            refuse(format!(
                "is not UTF-8 at byte {}",
                error.utf8_error().valid_up_to()
            ))
        })?;
        let file: ConfigurationFile =
            toml::from_str(&text).map_err(|error| refuse(describe(&text, &error)))?;
        let folder = path.parent().unwrap_or(Path::new(""));
        for (name, bytes) in [
            ("max_request_bytes", file.max_request_bytes),
            ("max_answer_bytes", file.max_answer_bytes),
        ] {
            if !(1024..=MAX_BODY_BYTES).contains(&bytes) {
                return Err(refuse(format!(
                    "{name} is {bytes}, expected 1024 to 67108864 (64 MiB)"
                )));
            }
        }
        if !(1..=1_000_000).contains(&file.max_connections) {
            return Err(refuse(format!(
                "max_connections is {}, expected 1 to 1000000",
                file.max_connections
            )));
        }
        for (name, seconds) in [
            ("client_time", file.client_time),
            ("comment_interval", file.comment_interval),
        ] {
            if !(1..=3600).contains(&seconds) {
                return Err(refuse(format!(
                    "{name} is {seconds}, expected 1 to 3600 seconds"
                )));
            }
        }
        let upstream = read_upstream(file.upstream).map_err(refuse)?;
        let folder_of_ledgers = folder.join(&file.ledgers);
        let mut ledger = BTreeMap::new();
        for (name, table) in file.ledger {
            let settings = read_ledger(folder, &folder_of_ledgers, &name, table, &refuse)?;
            ledger.insert(name, settings);
        }
        if ledger.is_empty() {
            return Err(refuse(format!(
                "names no ledger; expected a table [ledger.{DEFAULT_LEDGER}]"
            )));
        }
        if let Some(host) = file.hosts.iter().find(|host| !is_host_name(host)) {
            return Err(refuse(format!(
                "hosts: holds {host:?}; expected names of hosts without scheme, port and path, as axilog.example"
            )));
        }
        let operator_keys = read_keys("operator", &file.operator.key_sha256).map_err(refuse)?;
        check_keys(&ledger, &operator_keys).map_err(refuse)?;
        let open = ledger.iter().find(|(_, settings)| settings.keys.is_empty());
        if let (Some(_), Some((name, _)), false) =
            (&upstream.key, open, file.listen.ip().is_loopback())
        {
            return Err(refuse(format!(
                "listens at {}, beyond this machine, with a key of its own (key_env), and ledger.{name} takes calls from \
                 anybody; name the keys that it takes (key_sha256), or listen at 127.0.0.1",
                file.listen
            )));
        }
        Ok(GatewayConfiguration {
            listen: file.listen,
            hosts: file.hosts,
            ledgers: folder_of_ledgers,
            max_connections: file.max_connections,
            client_time: Duration::from_secs(file.client_time),
            max_request_bytes: file.max_request_bytes,
            max_answer_bytes: file.max_answer_bytes,
            comment_interval: Duration::from_secs(file.comment_interval),
            time_interval: file.time_interval,
            log_calls: file.log_calls,
            page: file.page,
            reports: file.reports,
            operator_keys,
            upstream,
            ledger,
        })
    }

    /// The ledger that takes the calls with a key, by the key's SHA-256.
    pub(crate) fn ledgers_by_key(&self) -> HashMap<Hash, String> {
        let settings = self.ledger.iter();
        settings
            .flat_map(|(name, settings)| settings.keys.iter().map(|key| (*key, name.clone())))
            .collect()
    }
}

impl LedgerSettings {
    /// The oracle that answers as `model`.
    pub(crate) fn oracle_of(&self, model: &str) -> &str {
        self.models.get(model).map_or(ANSWER_ORACLE, String::as_str)
    }
}

/// Describes where the TOML is wrong, and how, on one line.
fn describe(text: &str, error: &toml::de::Error) -> String {
    let before = error.span().and_then(|span| text.get(..span.start));
    let place = before.map(|before| {
        let line = before.matches('\n').count().saturating_add(1);
        format!("line {line}: ")
    });
    let reason = error.message().replace('\n', " ");
    format!("{}{reason}", place.unwrap_or_default())
}

fn read_upstream(table: UpstreamTable) -> Result<Upstream, String> {
    request_url(&table.base_url, "models")
        .map_err(|error| format!("upstream.base_url: {error}"))?;
    if !(1..=86_400).contains(&table.timeout) {
        return Err(format!(
            "upstream.timeout is {}, expected 1 to 86400 seconds",
            table.timeout
        ));
    }
    let key = match &table.key_env {
        None => None,
        Some(variable) => Some(read_key(variable)?),
    };
    Ok(Upstream {
        base_url: table.base_url,
        key,
        timeout: Duration::from_secs(table.timeout),
    })
}

fn read_key(variable: &str) -> Result<ApiKey, String> {
    let key = match std::env::var(variable) {
        Ok(text) => text,
        Err(VarError::NotPresent) => {
            return Err(format!(
                "upstream.key_env names {variable}, which is not set; set it, or leave key_env out to pass the client's key on"
            ));
        }
        Err(VarError::NotUnicode(_)) => String::new(),
    };
    ApiKey::new(key).map_err(|_| {
        format!(
            "upstream.key_env names {variable}, which does not hold an API key: expected 8 or more printable ASCII characters without spaces"
        )
    })
}

fn read_ledger(
    folder: &Path,
    folder_of_ledgers: &Path,
    name: &str,
    table: LedgerTable,
    refuse: &impl Fn(String) -> GatewayError,
) -> Result<LedgerSettings, GatewayError> {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    if name.is_empty() || name.len() > MAX_NAME || !name.chars().all(is_plain) {
        return Err(refuse(format!(
            "ledger.{name:?} is no name of a ledger: expected 1 to {MAX_NAME} characters of a-z, 0-9, - and _"
        )));
    }
    let policies = match &table.policies {
        None => None,
        Some(path) => Some(read_policy_file(&folder.join(path))?),
    };
    if let Some(policies) = &policies
        && policies.judges(FACTS_ORACLE)
    {
        return Err(refuse(format!("ledger.{name}.policies: {JUDGES_FACTS}")));
    }
    for (model, oracle) in &table.models {
        check_identities(oracle, model)
            .map_err(|error| refuse(format!("ledger.{name}.models: {error}")))?;
        if oracle == FACTS_ORACLE {
            return Err(refuse(format!(
                "ledger.{name}.models: {FACTS_ORACLE} is the oracle of the provider's facts; name another one"
            )));
        }
    }
    if let Some(fault) = table.budget.as_ref().and_then(BudgetSettings::find_fault) {
        return Err(refuse(format!("ledger.{name}.budget: {fault}")));
    }
    let checkpoints = match &table.checkpoint {
        Some(checkpoint) => Some(
            checkpoint
                .read(folder)
                .map_err(|error| refuse(format!("ledger.{name}.checkpoint: {error}")))?,
        ),
        None => None,
    };
    let keys = read_keys(&format!("ledger.{name}"), &table.key_sha256).map_err(refuse)?;
    Ok(LedgerSettings {
        path: folder_of_ledgers.join(format!("{name}.jsonl")),
        policies,
        on_breach: table.on_breach,
        keys,
        models: table.models,
        budget: table.budget,
        checkpoints,
    })
}

/// Reads the keys of a table.
fn read_keys(table: &str, texts: &[String]) -> Result<Vec<Hash>, String> {
    let mut keys = Vec::new();
    for text in texts {
        let key = read_hash(text).ok_or_else(|| {
            let found = text.chars().count();
            format!("{table}.key_sha256: expected 64 lower-case hexadecimal digits, found {found} characters")
        })?;
        if key == sha256(b"") {
            return Err(format!(
                "{table}.key_sha256: holds the SHA-256 of no key at all; was the variable set?"
            ));
        }
        keys.push(key);
    }
    Ok(keys)
}

fn read_hash(text: &str) -> Option<Hash> {
    unhex(&HexHash::try_from(text.as_bytes()).ok()?)
}

/// Checks that each key belongs to one ledger, or to operators.
fn check_keys(
    ledgers: &BTreeMap<String, LedgerSettings>,
    operators: &[Hash],
) -> Result<(), String> {
    let mut owners: HashMap<Hash, &str> = HashMap::new();
    for (name, settings) in ledgers {
        if let Some(key) = settings.keys.iter().find(|key| operators.contains(key)) {
            return Err(format!(
                "ledger.{name}.key_sha256: holds {}, which is an operator's key; expected another one",
                hex(key)
            ));
        }
        for key in &settings.keys {
            if let Some(other) = owners.insert(*key, name) {
                return Err(format!(
                    "ledger.{name}.key_sha256: holds {}, which ledger.{other} holds too; expected each key once",
                    hex(key)
                ));
            }
        }
    }
    Ok(())
}

/// Whether `host` is the name of a host alone, without scheme, port and path.
fn is_host_name(host: &str) -> bool {
    let authority = host.parse::<Authority>();
    authority.is_ok_and(|authority| !host.is_empty() && authority.host() == host)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every setting that the example shows as a default has the value that it has where it is absent.
    #[test]
    fn the_example_shows_the_defaults() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gateway.toml");
        let read = |text: &str| {
            std::fs::write(&path, text).unwrap();
            format!("{:?}", GatewayConfiguration::read(&path).unwrap())
        };
        let plain = read(EXAMPLE);
        for name in [
            "hosts",
            "max_connections",
            "client_time",
            "max_request_bytes",
            "max_answer_bytes",
            "comment_interval",
            "time_interval",
            "log_calls",
            "page",
            "reports",
            "timeout",
            "on_breach",
        ] {
            let commented = format!("\n# {name} = ");
            assert_eq!(EXAMPLE.matches(&commented).count(), 1, "{name}");
            assert_eq!(
                read(&EXAMPLE.replace(&commented, &format!("\n{name} = "))),
                plain,
                "{name}"
            );
        }
    }
}
