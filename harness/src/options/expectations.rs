//! What the caller of `verify` and `replay` knows about ledgers from elsewhere.

use std::path::{Path, PathBuf};

use axilog::hash::Hash;
use axilog_ledger::rules::{ExpectedRules, RuleSwitches};
use axilog_ledger::verify::{EarlierHead, LedgerExpectations, parse_head, parse_oracle_model};
use axilog_policyc::PolicySet;

use crate::error::CommandError;
use crate::read_named_policies;

#[derive(clap::Args)]
pub(crate) struct ExpectedArgs {
    /// The chain value that the last record must have, 64 hexadecimal digits. For one FILE only.
    #[arg(long, value_name = "HEX", value_parser = parse_head)]
    expect_head: Option<Hash>,
    /// How many records there must be, with the genesis and without a seal. For one FILE only.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    expect_entries: Option<u64>,
    /// A head that was noted earlier, and the number of records then, as `axilog head` prints both: the ledger must
    /// still begin with those records. May be given several times. For one FILE only.
    #[arg(long, value_name = "N:HEAD")]
    extends: Vec<EarlierHead>,
    /// The model that an oracle must have; may be given for several oracles.
    #[arg(long, value_name = "ORACLE=MODEL", value_parser = parse_oracle_model)]
    expect_model: Vec<(String, String)>,
}

impl ExpectedArgs {
    /// What is expected of each of `files`.
    ///
    /// # Errors
    /// [`CommandError::OneLedger`] where what one ledger alone can have is expected of several.
    pub(crate) fn for_files(&self, files: &[PathBuf]) -> Result<LedgerExpectations, CommandError> {
        let single = [
            (self.expect_head.is_some(), "--expect-head"),
            (self.expect_entries.is_some(), "--expect-entries"),
            (!self.extends.is_empty(), "--extends"),
        ];
        match single
            .into_iter()
            .find(|(given, _)| *given && files.len() > 1)
        {
            Some((_, option)) => Err(CommandError::OneLedger(option)),
            None => Ok(LedgerExpectations {
                entries: self.expect_entries,
                head: self.expect_head,
                models: self.expect_model.clone(),
                earlier_heads: self.extends.clone(),
            }),
        }
    }
}

/// What the caller knows of a ledger's rules.
#[derive(clap::Args)]
pub(crate) struct RulesArgs {
    /// The policy file that the ledger must have been made under, canonical or, where its name ends in .toml, in source
    /// form. The switches are compared too: one that is not given must be off in the ledger.
    #[arg(long, value_name = "POLICIES")]
    policies: Option<PathBuf>,
    /// The ledger must judge an answer that was cut off as if it were whole. Without --stop-on-invalid it must not stop
    /// on an inadmissible answer.
    #[arg(long)]
    permit_truncated: bool,
    /// The ledger must stop the agent on an inadmissible answer. Without --permit-truncated it must not judge an answer
    /// that was cut off as if it were whole.
    #[arg(long)]
    stop_on_invalid: bool,
}

impl RulesArgs {
    /// Reads the policy file, if one is named.
    ///
    /// # Errors
    /// Those of [`read_named_policies`].
    pub(crate) fn read_policies(&self) -> Result<Option<PolicySet>, CommandError> {
        read_named_policies(self.policies.as_deref())
    }

    /// The files that a command reads which is about `ledger` and has these options.
    pub(crate) fn inputs_with<'p>(&'p self, ledger: &'p Path) -> Vec<&'p Path> {
        std::iter::once(ledger)
            .chain(self.policies.as_deref())
            .collect()
    }

    /// The switches that options name, by themselves.
    pub(crate) fn named_switches(&self) -> Option<RuleSwitches> {
        (self.permit_truncated || self.stop_on_invalid).then_some(RuleSwitches {
            permit_truncated: self.permit_truncated,
            stop_on_invalid: self.stop_on_invalid,
        })
    }

    /// What is expected of the ledger's rules. `policies` are those that [`Self::read_policies`] gave.
    pub(crate) fn expect<'p>(&self, policies: Option<&'p PolicySet>) -> ExpectedRules<'p> {
        let switches = self.named_switches();
        ExpectedRules {
            policies,
            switches: switches.or(policies.map(|_| RuleSwitches::default())),
        }
    }
}
