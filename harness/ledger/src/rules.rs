//! The rules an agent runs under: policies read from files as the core's registry, and the choice
//! of the rules that a ledger names.
//!
//! formats.md §4 (Policy files), §5 (Configuration) and §6 (Blobs); decision D26; SRS-004 §17.
//! Determinism: D1.

use std::io::{self, Read};
use std::path::Path;

use axilog::agent::stimulus::CONTROL_ORACLE;
use axilog::evidence::view::ObservationView;
use axilog::hash::{Hash, Tag, sha256};
use axilog::policy::{Comparison, Policy, Registry, Rules, builtin};
use axilog_policyc::{Configuration, PolicySet};

use crate::error::{FileError, LedgerError};
use crate::file::blobs::Blobs;
use crate::file::reader::{Line, Lines};

/// A configuration is a few kilobytes at most: 64 policies of bounded length.
const MAX_CONFIGURATION_BYTES: u64 = 1 << 20;

/// Rules that own their policies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleSet(Configuration);

impl RuleSet {
    /// Rules from policies and the two switches.
    #[must_use]
    pub fn new(policies: PolicySet, permit_truncated: bool, stop_on_invalid: bool) -> RuleSet {
        RuleSet(Configuration {
            policies,
            permit_truncated,
            stop_on_invalid,
        })
    }

    /// No policies: everything that is whole is permitted.
    ///
    /// # Errors
    /// None that can occur: [`LedgerError::Policies`] of a file that is none.
    pub fn without_policies() -> Result<RuleSet, LedgerError> {
        let none = PolicySet::parse(b"[]").map_err(|source| LedgerError::Policies {
            path: "no policies".into(),
            source,
        })?;
        Ok(RuleSet::new(none, false, false))
    }

    /// Other policies under the same switches.
    #[must_use]
    pub fn with_policies(&self, policies: PolicySet) -> RuleSet {
        RuleSet::new(policies, self.0.permit_truncated, self.0.stop_on_invalid)
    }

    /// The rules as the core takes them.
    #[must_use]
    pub fn rules(&self) -> Rules<'_> {
        Rules {
            registry: self,
            permit_truncated: self.0.permit_truncated,
            stop_on_invalid: self.0.stop_on_invalid,
        }
    }

    /// The canonical configuration.
    #[must_use]
    pub fn canonical(&self) -> String {
        self.0.to_canonical()
    }

    /// SHA-256 of the canonical configuration, which names these rules in a ledger.
    #[must_use]
    pub fn hash(&self) -> Hash {
        self.rules().hash()
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
                axilog_policyc::Comparison::Gt => Comparison::Gt,
                axilog_policyc::Comparison::Lt => Comparison::Lt,
                axilog_policyc::Comparison::Ge => Comparison::Ge,
                axilog_policyc::Comparison::Le => Comparison::Le,
            },
            enabled: policy.enabled,
            selector: &policy.selector,
        })
    }
}

/// Reads a policy file, which must be in canonical form.
///
/// # Errors
/// [`FileError::Io`], or [`LedgerError::Policies`] with line, column and reason.
pub fn read_policies(path: &Path) -> Result<PolicySet, LedgerError> {
    let bytes = std::fs::read(path).map_err(FileError::at(path, "read the policies"))?;
    PolicySet::parse(&bytes).map_err(|source| LedgerError::Policies {
        path: path.to_owned(),
        source,
    })
}

/// The policies compiled into the library.
///
/// # Errors
/// None in practice: `build.rs` read them from a policy file.
pub fn builtin_policies() -> Result<PolicySet, LedgerError> {
    let mut canonical = Vec::new();
    let rules = Rules {
        registry: &builtin::BUILTIN,
        permit_truncated: false,
        stop_on_invalid: false,
    };
    rules.write(&mut Bytes(&mut canonical));
    read_configuration(&canonical, Path::new("built-in policies")).map(|c| c.policies)
}

fn read_configuration(bytes: &[u8], path: &Path) -> Result<Configuration, LedgerError> {
    PolicySet::parse_configuration(bytes).map_err(|source| LedgerError::ConfigurationUnreadable {
        path: path.to_owned(),
        source,
    })
}

struct Bytes<'a>(&'a mut Vec<u8>);

impl axilog::json::writer::Sink for Bytes<'_> {
    fn put(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }
}

/// The first reset of a ledger, whose input is the configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reset {
    /// SHA-256 of the configuration.
    pub configuration: Hash,
    /// The observation's sequence.
    pub sequence: u64,
    /// Where its line begins.
    pub offset: u64,
}

/// Finds the first reset: the first control observation whose input is not empty, as only a
/// reset's is (formats.md §5). Stops before anything that is no ledger line; verification says
/// what is wrong there.
///
/// # Errors
/// What reading gives.
pub fn first_reset(ledger: impl Read) -> io::Result<Option<Reset>> {
    let mut lines = Lines::new(ledger);
    while let Some((offset, Line::Whole(line))) = lines.next_line()? {
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
            return Ok(Some(Reset {
                configuration: view.input_hash,
                sequence: entry.sequence,
                offset,
            }));
        }
    }
    Ok(None)
}

/// Where rules came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The ledger's own configuration, kept as a blob.
    Ledger,
    /// Policies that the caller named.
    Caller,
    /// The policies compiled into the library.
    BuiltIn,
}

impl Source {
    /// A short name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Source::Ledger => "ledger",
            Source::Caller => "caller",
            Source::BuiltIn => "built-in",
        }
    }
}

/// The rules for a ledger.
pub enum Choice {
    /// These.
    Use(RuleSet, Source),
    /// The caller's are not the ledger's.
    CallerDiffers,
    /// The blob that should hold them holds something else.
    BlobDiffers,
    /// There is no blob, and the built-in ones are not the ledger's.
    Missing,
}

/// Chooses the rules under which a ledger with this first reset replays. Policies that the caller
/// names must be the ledger's; else its blob is taken; else, where there is none, the built-in
/// policies, if they are the ledger's. The two switches are the ledger's own in any case: of the
/// four combinations the one whose hash fits. A ledger without a reset names no rules.
///
/// # Errors
/// [`FileError::Io`], [`LedgerError::ConfigurationUnreadable`].
pub fn choose(
    reset: Option<&Reset>,
    blobs: &Blobs,
    caller: Option<&PolicySet>,
) -> Result<Choice, LedgerError> {
    let Some(reset) = reset else {
        let (policies, source) = match caller {
            Some(policies) => (policies.clone(), Source::Caller),
            None => (builtin_policies()?, Source::BuiltIn),
        };
        return Ok(Choice::Use(RuleSet::new(policies, false, false), source));
    };
    let hash = &reset.configuration;
    if let Some(policies) = caller {
        return Ok(match with_hash(policies, hash) {
            Some(rules) => Choice::Use(rules, Source::Caller),
            None => Choice::CallerDiffers,
        });
    }
    if let Some(bytes) = blobs.get(hash, MAX_CONFIGURATION_BYTES)? {
        if sha256(&bytes) != *hash {
            return Ok(Choice::BlobDiffers);
        }
        let configuration = read_configuration(&bytes, &blobs.path(hash))?;
        return Ok(Choice::Use(RuleSet(configuration), Source::Ledger));
    }
    Ok(match with_hash(&builtin_policies()?, hash) {
        Some(rules) => Choice::Use(rules, Source::BuiltIn),
        None => Choice::Missing,
    })
}

/// The rules of `policies` whose hash is `hash`, whatever their switches.
fn with_hash(policies: &PolicySet, hash: &Hash) -> Option<RuleSet> {
    [(false, false), (false, true), (true, false), (true, true)]
        .into_iter()
        .map(|(truncated, invalid)| RuleSet::new(policies.clone(), truncated, invalid))
        .find(|rules| rules.hash() == *hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_core_and_the_compiler_write_one_configuration() {
        let file = br#"{"altitude":[{"comparison":"LT","enabled":true,"policy_id":"B","threshold":1},{"comparison":"GE","enabled":false,"policy_id":"C","threshold":9}],"value":[{"comparison":"LE","enabled":true,"policy_id":"A","threshold":-1}]}"#;
        let set = PolicySet::parse(file).unwrap();
        for (truncated, invalid) in [(false, true), (true, false)] {
            let rules = RuleSet::new(set.clone(), truncated, invalid);
            let mut written = Vec::new();
            rules.rules().write(&mut Bytes(&mut written));
            assert_eq!(written, rules.canonical().into_bytes());
            assert_eq!(rules.hash(), sha256(&written));
            assert_eq!(with_hash(&set, &rules.hash()), Some(rules));
        }
        assert_eq!(with_hash(&set, &[0; 32]), None);
    }

    #[test]
    fn the_built_in_policies_are_the_registrys() {
        let rules = RuleSet::new(builtin_policies().unwrap(), false, false);
        assert_eq!(rules.len(), builtin::BUILTIN.len());
        assert!((0..rules.len()).all(|n| rules.get(n) == Registry::get(&builtin::BUILTIN, n)));
    }
}
