//! The rules that an agent runs under: policies read from files as the core's registry, and the choice of
//! the rules that a ledger names.
//!
//! formats.md §4 (Policy files), §5 (Configuration) and §6 (Blobs); decision D26; SRS-004 §17.
//! Determinism: D1.

use std::io::{self, Read};
use std::path::Path;

use axilog::agent::stimulus::{CONTROL_ORACLE, is_reserved};
use axilog::evidence::view::ObservationView;
use axilog::hash::{Hash, Tag, sha256};
use axilog::policy::{Comparison, Policy, Registry, Rules, builtin};
use axilog_policyc::{LedgerConfiguration, PolicySet};

use crate::encoding::ByteBuffer;
use crate::error::LedgerError;
use crate::file::blobs::BlobStore;
use crate::file::lines::{LedgerLine, LineReader};
use crate::input_file::read_input;

/// The most bytes of a configuration or policy file that are read. A valid one has a few kilobytes: 64 policies
/// of bounded length.
pub const MAX_CONFIGURATION_BYTES: u64 = 1 << 20;

/// The rules of an agent: its policies, two switches, and the manifest that its ledger is bound to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleSet(LedgerConfiguration);

impl RuleSet {
    /// Creates rules from policies and the two switches.
    #[must_use]
    pub fn new(policies: PolicySet, permit_truncated: bool, stop_on_invalid: bool) -> RuleSet {
        RuleSet(LedgerConfiguration {
            manifest: None,
            policies,
            permit_truncated,
            stop_on_invalid,
        })
    }

    /// Creates rules without policies, which permit every complete answer.
    ///
    /// # Errors
    /// [`LedgerError::InvalidPolicies`] in theory only: the empty list of policies is valid.
    pub fn without_policies() -> Result<RuleSet, LedgerError> {
        let none = PolicySet::parse(b"[]").map_err(|source| LedgerError::InvalidPolicies {
            path: "no policies".into(),
            source,
        })?;
        Ok(RuleSet::new(none, false, false))
    }

    /// Creates rules of other policies with the same switches and manifest.
    #[must_use]
    pub fn with_policies(&self, policies: PolicySet) -> RuleSet {
        RuleSet(LedgerConfiguration {
            policies,
            ..self.0.clone()
        })
    }

    /// Creates the same rules bound to another manifest, or to none; a manifest is named by its SHA-256.
    #[must_use]
    pub fn with_manifest(&self, manifest: Option<Hash>) -> RuleSet {
        RuleSet(LedgerConfiguration {
            manifest,
            ..self.0.clone()
        })
    }

    /// SHA-256 of the manifest, where the ledger is bound to one.
    #[must_use]
    pub fn manifest(&self) -> Option<Hash> {
        self.0.manifest
    }

    /// The policies.
    #[must_use]
    pub fn policies(&self) -> &PolicySet {
        &self.0.policies
    }

    /// The two switches.
    #[must_use]
    pub fn switches(&self) -> RuleSwitches {
        RuleSwitches {
            permit_truncated: self.0.permit_truncated,
            stop_on_invalid: self.0.stop_on_invalid,
        }
    }

    /// The rules as the core takes them.
    #[must_use]
    pub fn rules(&self) -> Rules<'_> {
        Rules {
            registry: self,
            permit_truncated: self.0.permit_truncated,
            stop_on_invalid: self.0.stop_on_invalid,
            manifest: self.0.manifest,
        }
    }

    /// The configuration in canonical form.
    #[must_use]
    pub fn to_canonical(&self) -> String {
        self.0.to_canonical()
    }

    /// SHA-256 of the canonical configuration, which names these rules in a ledger.
    #[must_use]
    pub fn hash(&self) -> Hash {
        self.rules().hash()
    }

    /// Whether an enabled policy judges the answers of an oracle.
    #[must_use]
    pub fn judge(&self, oracle_id: &str) -> bool {
        self.0.policies.judges(oracle_id)
    }

    /// The selector and the operator of the policy `id`.
    #[must_use]
    pub fn policy(&self, id: &str) -> Option<Policy<'_>> {
        (0..self.len())
            .filter_map(|index| self.get(index))
            .find(|policy| policy.id == id)
    }
}

impl Registry for RuleSet {
    fn len(&self) -> usize {
        self.0.policies.policies().len()
    }

    fn get(&self, index: usize) -> Option<Policy<'_>> {
        let policy = self.0.policies.policies().get(index)?;
        Some(Policy {
            id: &policy.policy_id,
            threshold: policy.threshold,
            comparison: match policy.comparison {
                axilog_policyc::ComparisonOperator::Gt => Comparison::Gt,
                axilog_policyc::ComparisonOperator::Lt => Comparison::Lt,
                axilog_policyc::ComparisonOperator::Ge => Comparison::Ge,
                axilog_policyc::ComparisonOperator::Le => Comparison::Le,
            },
            enabled: policy.enabled,
            selector: &policy.selector,
        })
    }
}

/// The two switches of a configuration (formats.md §5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RuleSwitches {
    /// Whether an answer that was cut off is judged as if it were whole.
    pub permit_truncated: bool,
    /// Whether an inadmissible answer stops the agent instead of alarming it.
    pub stop_on_invalid: bool,
}

/// What the caller says about a ledger's rules.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExpectedRules<'p> {
    /// The policies. `None` leaves the choice to the ledger.
    pub policies: Option<&'p PolicySet>,
    /// The switches, both of which must be so. `None` takes the ledger's own.
    pub switches: Option<RuleSwitches>,
}

/// Reads a policy file, which must be in canonical form.
///
/// # Errors
/// [`FileError`](crate::error::FileError) for a file that cannot be read or has more than [`MAX_CONFIGURATION_BYTES`], or
/// [`LedgerError::InvalidPolicies`] with line, column and reason.
pub fn read_policies(path: &Path) -> Result<PolicySet, LedgerError> {
    let bytes = read_input(path, "read the policies", MAX_CONFIGURATION_BYTES)?;
    PolicySet::parse(&bytes).map_err(|source| LedgerError::InvalidPolicies {
        path: path.to_owned(),
        source,
    })
}

/// Whether a policy file is in the source form, which its name says.
#[cfg(feature = "policy-source")]
#[must_use]
pub fn is_policy_source(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension == "toml")
}

/// Reads a policy file: in canonical form or, where its name ends in `.toml`, in source form, which is compiled.
///
/// # Errors
/// As [`read_policies`].
#[cfg(feature = "policy-source")]
pub fn read_policy_file(path: &Path) -> Result<PolicySet, LedgerError> {
    if !is_policy_source(path) {
        return read_policies(path);
    }
    let text = read_input(path, "read the policies", MAX_CONFIGURATION_BYTES)?;
    PolicySet::parse_source(&text).map_err(|source| LedgerError::InvalidPolicies {
        path: path.to_owned(),
        source,
    })
}

/// The policies compiled into the library.
///
/// # Errors
/// [`LedgerError::ConfigurationUnreadable`] in theory only: the library's build has read the policies from a
/// policy file.
pub fn load_builtin_policies() -> Result<PolicySet, LedgerError> {
    let mut canonical = ByteBuffer::default();
    let rules = Rules {
        registry: &builtin::BUILTIN,
        permit_truncated: false,
        stop_on_invalid: false,
        manifest: None,
    };
    rules.write(&mut canonical);
    read_configuration(&canonical.0, Path::new("built-in policies")).map(|c| c.policies)
}

fn read_configuration(bytes: &[u8], path: &Path) -> Result<LedgerConfiguration, LedgerError> {
    PolicySet::parse_configuration(bytes).map_err(|source| LedgerError::ConfigurationUnreadable {
        path: path.to_owned(),
        source,
    })
}

/// The first reset of a ledger, whose input is the configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FirstReset {
    /// SHA-256 of the configuration.
    pub configuration: Hash,
    /// The observation's sequence.
    pub sequence: u64,
    /// The offset of its line in the file, in bytes.
    pub offset: u64,
}

/// Finds the first reset of a ledger: the first control observation whose input is not empty, as only a
/// reset's is (formats.md §5). The search ends at a line that is no ledger line, which verification reports.
///
/// # Errors
/// The reader's error.
pub fn find_first_reset(ledger: impl Read) -> io::Result<Option<FirstReset>> {
    let mut lines = LineReader::new(ledger);
    while let Some((offset, LedgerLine::Whole(line))) = lines.next_line()? {
        let Ok(entry) = axilog::ledger_line::parse(line) else {
            return Ok(None);
        };
        if entry.tag != Tag::Obs {
            continue;
        }
        let Ok(view) = ObservationView::parse(entry.payload) else {
            return Ok(None);
        };
        let control = view.oracle_id.bytes() == CONTROL_ORACLE.as_bytes();
        if control && view.input_hash != sha256(b"") {
            return Ok(Some(FirstReset {
                configuration: view.input_hash,
                sequence: entry.sequence,
                offset,
            }));
        }
    }
    Ok(None)
}

/// Whether a ledger has anything that rules decided, or names rules. A ledger that only records answers, as
/// deployed gateways write it, has neither. The search ends at a line that is no ledger line, which
/// verification reports.
///
/// # Errors
/// The reader's error.
pub fn holds_decisions(ledger: impl Read) -> io::Result<bool> {
    let mut lines = LineReader::new(ledger);
    while let Some((_, LedgerLine::Whole(line))) = lines.next_line()? {
        let Ok(entry) = axilog::ledger_line::parse(line) else {
            break;
        };
        let decided = match entry.tag {
            Tag::Policy | Tag::Trans => true,
            Tag::Obs => ObservationView::parse(entry.payload)
                .is_ok_and(|view| is_reserved(view.oracle_id.bytes())),
            Tag::State | Tag::Proof => false,
        };
        if decided {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The place that rules came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RulesSource {
    /// The ledger's own configuration, kept as a blob.
    Ledger,
    /// Policies that the caller named.
    Caller,
    /// The policies compiled into the library.
    BuiltIn,
}

impl RulesSource {
    /// The name of the source, as output has it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            RulesSource::Ledger => "ledger",
            RulesSource::Caller => "caller",
            RulesSource::BuiltIn => "built-in",
        }
    }
}

/// The outcome of a search for a ledger's rules.
pub enum RulesChoice {
    /// The rules were found.
    Use(RuleSet, RulesSource),
    /// The caller's policies are not the ledger's.
    CallerDiffers,
    /// The caller's policies do not give the ledger's configuration by themselves, and there is no blob that would say
    /// whether a manifest belongs to it: they are others, or the manifest is unknown.
    CallerUnproven,
    /// The policies are as the caller expects, the switches are not: these are the ledger's.
    SwitchesDiffer(RuleSwitches),
    /// The blob that should hold the configuration holds other bytes.
    BlobDiffers,
    /// There is no blob, and the built-in policies are not the ledger's.
    Missing,
}

/// Chooses the rules under which a ledger with this first reset replays. Policies that the caller names are
/// used if they are the ledger's. Without such policies the ledger's blob is used, and without a blob the
/// built-in policies, if they are the ledger's. The two switches are the ledger's own: of their four
/// combinations, the one that gives the configuration's hash. Switches that the caller names must equal them.
/// A ledger without a reset names no rules; it gets the caller's policies and switches, or the built-in ones.
///
/// # Errors
/// [`FileError::Io`](crate::error::FileError::Io), [`LedgerError::ConfigurationUnreadable`].
pub fn choose_rules(
    reset: Option<&FirstReset>,
    blobs: &BlobStore,
    expected: ExpectedRules<'_>,
) -> Result<RulesChoice, LedgerError> {
    let choice = choose_policies(reset, blobs, expected)?;
    Ok(match (choice, expected.switches) {
        (RulesChoice::Use(rules, _), Some(wanted)) if rules.switches() != wanted => {
            RulesChoice::SwitchesDiffer(rules.switches())
        }
        (choice, _) => choice,
    })
}

/// Chooses the policies, with the switches that the ledger has.
fn choose_policies(
    reset: Option<&FirstReset>,
    blobs: &BlobStore,
    expected: ExpectedRules<'_>,
) -> Result<RulesChoice, LedgerError> {
    let Some(reset) = reset else {
        let (policies, source) = match expected.policies {
            Some(policies) => (policies.clone(), RulesSource::Caller),
            None => (load_builtin_policies()?, RulesSource::BuiltIn),
        };
        let switches = expected.switches.unwrap_or_default();
        let rules = RuleSet::new(
            policies,
            switches.permit_truncated,
            switches.stop_on_invalid,
        );
        return Ok(RulesChoice::Use(rules, source));
    };
    let hash = &reset.configuration;
    if let Some(policies) = expected.policies {
        if let Some(rules) = find_switches(policies, None, hash) {
            return Ok(RulesChoice::Use(rules, RulesSource::Caller));
        }
        let Some(kept) = read_named_configuration(blobs, hash)? else {
            return Ok(RulesChoice::CallerUnproven);
        };
        return Ok(match find_switches(policies, kept.manifest, hash) {
            Some(rules) => RulesChoice::Use(rules, RulesSource::Caller),
            None => RulesChoice::CallerDiffers,
        });
    }
    if let Some(bytes) = blobs.read(hash, MAX_CONFIGURATION_BYTES)? {
        if sha256(&bytes) != *hash {
            return Ok(RulesChoice::BlobDiffers);
        }
        let configuration = read_configuration(&bytes, &blobs.path(hash))?;
        return Ok(RulesChoice::Use(
            RuleSet(configuration),
            RulesSource::Ledger,
        ));
    }
    Ok(match find_switches(&load_builtin_policies()?, None, hash) {
        Some(rules) => RulesChoice::Use(rules, RulesSource::BuiltIn),
        None => RulesChoice::Missing,
    })
}

/// Reads which manifest the configuration named `hash` names, where that configuration is kept.
///
/// # Errors
/// [`FileError::Io`](crate::error::FileError::Io), [`LedgerError::ConfigurationUnreadable`].
pub fn read_manifest_hash(blobs: &BlobStore, hash: &Hash) -> Result<Option<Hash>, LedgerError> {
    let kept = read_named_configuration(blobs, hash)?;
    Ok(kept.and_then(|configuration| configuration.manifest))
}

/// Reads the configuration `hash`, where its blob is good.
fn read_named_configuration(
    blobs: &BlobStore,
    hash: &Hash,
) -> Result<Option<LedgerConfiguration>, LedgerError> {
    match blobs.read(hash, MAX_CONFIGURATION_BYTES)? {
        Some(bytes) if sha256(&bytes) == *hash => {
            read_configuration(&bytes, &blobs.path(hash)).map(Some)
        }
        _ => Ok(None),
    }
}

/// Finds the switches with which `policies` and `manifest` have the configuration hash `hash`.
fn find_switches(policies: &PolicySet, manifest: Option<Hash>, hash: &Hash) -> Option<RuleSet> {
    [(false, false), (false, true), (true, false), (true, true)]
        .into_iter()
        .map(|(truncated, invalid)| RuleSet::new(policies.clone(), truncated, invalid))
        .map(|rules| rules.with_manifest(manifest))
        .find(|rules| rules.hash() == *hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn core_and_policy_compiler_write_the_same_configuration() {
        let file = br#"{"altitude":[{"comparison":"LT","enabled":true,"policy_id":"B","threshold":1},{"comparison":"GE","enabled":false,"policy_id":"C","threshold":9}],"value":[{"comparison":"LE","enabled":true,"policy_id":"A","threshold":-1}]}"#;
        let set = PolicySet::parse(file).unwrap();
        for (truncated, invalid) in [(false, true), (true, false)] {
            for manifest in [None, Some([0xab; 32])] {
                let rules = RuleSet::new(set.clone(), truncated, invalid).with_manifest(manifest);
                let mut written = ByteBuffer::default();
                rules.rules().write(&mut written);
                assert_eq!(written.0, rules.to_canonical().into_bytes());
                assert_eq!(rules.hash(), sha256(&written.0));
                assert_eq!(find_switches(&set, Some([0; 32]), &rules.hash()), None);
                assert_eq!(find_switches(&set, manifest, &rules.hash()), Some(rules));
            }
        }
        assert_eq!(find_switches(&set, None, &[0; 32]), None);
    }

    #[test]
    fn builtin_policies_equal_the_cores_registry() {
        let rules = RuleSet::new(load_builtin_policies().unwrap(), false, false);
        assert_eq!(rules.len(), builtin::BUILTIN.len());
        assert!((0..rules.len()).all(|n| rules.get(n) == Registry::get(&builtin::BUILTIN, n)));
    }
}
