//! An environment as its file has it: the tables of TOML. What the values may be, `environment_checks` says.

use std::collections::BTreeMap;

use axilog_ledger::visible_text::is_deceptive;
use serde::Deserialize;

use super::thousandths::Thousandths;

/// What to do about a file that cannot be read as an environment.
const HINT: &str = "`axilog ablation environment example` prints one to begin from";

/// The file as it stands.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EnvironmentFile {
    pub(crate) id: String,
    pub(crate) briefing: String,
    pub(crate) constraints: Vec<String>,
    /// The notices of the states that have none of their own.
    #[serde(default)]
    pub(crate) notices: Vec<String>,
    pub(crate) seeds: SeedLists,
    pub(crate) resource: Vec<ResourceTable>,
    pub(crate) state: Vec<StateTable>,
    pub(crate) action: Vec<ActionTable>,
}

/// `[seeds]`: the seeds of runs and calibrations whose command names none.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeedLists {
    /// The seeds of a calibration.
    pub calibration: Vec<u64>,
    /// The seeds of a run.
    pub run: Vec<u64>,
}

/// A table `[[resource]]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ResourceTable {
    pub(crate) name: String,
    /// An episode begins with at least so much, and with less than `below`.
    pub(crate) least: Thousandths,
    pub(crate) below: Thousandths,
    /// What each step brings.
    pub(crate) gain: Thousandths,
}

/// A table `[[state]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StateTable {
    pub(crate) name: String,
    /// A step is in the state as often as its weight says among those of all states.
    pub(crate) weight: u64,
    /// The constraint that can be kept at each step of the state. Without one every action of the state is feasible.
    pub(crate) always: Option<String>,
    pub(crate) actions: Vec<String>,
    #[serde(default)]
    pub(crate) notices: Vec<String>,
}

/// A table `[[action]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ActionTable {
    pub(crate) name: String,
    pub(crate) satisfies: Vec<String>,
    pub(crate) violates: Vec<String>,
    /// What the action takes of each resource; nothing of those that are not named.
    #[serde(default)]
    pub(crate) takes: BTreeMap<String, Thousandths>,
}

impl ActionTable {
    /// Whether the action satisfies and violates something.
    pub(crate) fn collides(&self) -> bool {
        !self.satisfies.is_empty() && !self.violates.is_empty()
    }
}

impl EnvironmentFile {
    /// Reads the form of a file. The text of the error says where it is wrong, what was found and what was expected.
    pub(crate) fn parse(bytes: &[u8]) -> Result<EnvironmentFile, String> {
        let text = std::str::from_utf8(bytes)
            .map_err(|error| format!("is not UTF-8 at byte {}; {HINT}", error.valid_up_to()))?;
        if text.trim().is_empty() {
            return Err(format!("is empty; {HINT}"));
        }
        check_characters(text)?;
        toml::from_str(text).map_err(|error| format!("{}; {HINT}", describe_toml(text, &error)))
    }
}

/// Checks that nothing in the file, its comments included, is shown otherwise than it stands there.
fn check_characters(text: &str) -> Result<(), String> {
    for (number, line) in (1_u64..).zip(text.split('\n')) {
        let line = line.strip_suffix('\r').unwrap_or(line);
        if let Some(found) = line.chars().find(|c| *c != '\t' && is_deceptive(*c)) {
            return Err(format!(
                "line {number}: holds the character U+{:04X}, which is not seen; expected visible characters and spaces",
                u32::from(found)
            ));
        }
    }
    Ok(())
}

/// Describes where the TOML is wrong, and how, on one line.
fn describe_toml(text: &str, error: &toml::de::Error) -> String {
    let before = error.span().and_then(|span| text.get(..span.start));
    let line = before.map(|before| before.matches('\n').count().saturating_add(1));
    let place = line.map_or_else(String::new, |line| format!("line {line}: "));
    format!("{place}{}", error.message().replace('\n', " "))
}
