//! Which witnesses must have signed a checkpoint (C2SP tlog-policy).

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

use axilog_ledger::input_file::read_input;

use crate::checkpoint::Checkpoint;
use crate::error::{HeadsError, Unproven};
use crate::policy_error::{InvalidPolicy, PolicyFault};
use crate::verifier_key::VerifierKey;
use crate::witness_key::WitnessPublicKey;

/// The most bytes of a policy file.
const MAX_POLICY_BYTES: u64 = 1 << 20;

/// Which witnesses there are, and which of them must have signed.
#[derive(Clone, Debug)]
pub struct WitnessPolicy {
    logs: Vec<VerifierKey>,
    witnesses: Vec<PolicyWitness>,
    /// The groups, each after its members.
    groups: Vec<(String, Group)>,
    /// The witness or the group that must have signed; `None` where nobody must.
    quorum: Option<String>,
}

/// A witness that a policy names.
#[derive(Clone, Debug)]
pub struct PolicyWitness {
    /// Its name in the policy.
    pub name: String,
    /// Its public key.
    pub key: WitnessPublicKey,
    /// Where it is asked.
    pub url: Option<String>,
}

#[derive(Clone, Debug)]
struct Group {
    /// How many of the members are needed.
    needed: usize,
    members: Vec<String>,
}

/// Which witnesses have signed a checkpoint.
#[derive(Clone, Debug)]
pub struct QuorumReport {
    /// The names of those that have, each with the time in seconds since 1970.
    pub signed: Vec<(String, u64)>,
    /// The names of those that have not, each with what was found in place of a signature.
    pub missing: Vec<(String, Unproven)>,
    /// Whether they are enough, and no signature is bad.
    pub is_reached: bool,
}

impl WitnessPolicy {
    /// Reads a policy from a file.
    ///
    /// # Errors
    /// [`HeadsError::NoPolicy`], [`HeadsError::File`].
    pub fn read(path: &Path) -> Result<WitnessPolicy, HeadsError> {
        let bytes = read_input(path, "read the policy of witnesses", MAX_POLICY_BYTES)?;
        WitnessPolicy::parse(&String::from_utf8_lossy(&bytes)).map_err(|reason| {
            HeadsError::NoPolicy {
                path: path.to_owned(),
                reason,
            }
        })
    }

    /// Reads a policy.
    ///
    /// # Errors
    /// [`InvalidPolicy`].
    pub fn parse(text: &str) -> Result<WitnessPolicy, InvalidPolicy> {
        let mut reader = PolicyReader::default();
        for (number, line) in (1..).zip(text.lines()) {
            let words: Vec<&str> = line.split_whitespace().collect();
            let taken = match words.as_slice() {
                [] => Ok(()),
                [first, ..] if first.starts_with('#') => Ok(()),
                words => reader.take(words),
            };
            taken.map_err(|fault| InvalidPolicy::Line {
                line: number,
                fault,
            })?;
        }
        reader.finish()
    }

    /// The logs that the policy names.
    #[must_use]
    pub fn logs(&self) -> &[VerifierKey] {
        &self.logs
    }

    /// The witnesses that the policy names.
    #[must_use]
    pub fn witnesses(&self) -> &[PolicyWitness] {
        &self.witnesses
    }

    /// Checks that enough witnesses have signed a checkpoint. Gives which ones.
    ///
    /// # Errors
    /// [`Unproven::NoQuorum`].
    pub fn require(&self, checkpoint: &Checkpoint) -> Result<QuorumReport, Unproven> {
        let report = self.check(checkpoint);
        match report.is_reached {
            true => Ok(report),
            false => Err(Unproven::NoQuorum(report.to_string())),
        }
    }

    /// Says which witnesses have signed a checkpoint, and whether they are enough.
    #[must_use]
    pub fn check(&self, checkpoint: &Checkpoint) -> QuorumReport {
        let mut report = QuorumReport {
            signed: Vec::new(),
            missing: Vec::new(),
            is_reached: false,
        };
        for witness in &self.witnesses {
            match checkpoint.find_cosigned_time(&witness.key) {
                Ok(time) => report.signed.push((witness.name.clone(), time)),
                Err(reason) => report.missing.push((witness.name.clone(), reason)),
            }
        }
        let mut satisfied: BTreeSet<&str> = report.signed.iter().map(|(name, _)| &**name).collect();
        // A group stands after its members, so that each is decided once.
        for (name, group) in &self.groups {
            let members = group.members.iter();
            let count = members
                .filter(|member| satisfied.contains(member.as_str()))
                .count();
            if count >= group.needed {
                satisfied.insert(name);
            }
        }
        let is_enough = match &self.quorum {
            None => true,
            Some(quorum) => satisfied.contains(quorum.as_str()),
        };
        let is_bad = |(_, reason): &(String, Unproven)| matches!(reason, Unproven::BadSignature(_));
        report.is_reached = is_enough && !report.missing.iter().any(is_bad);
        report
    }
}

impl fmt::Display for QuorumReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let signed: Vec<&str> = self.signed.iter().map(|(name, _)| &**name).collect();
        match signed.is_empty() {
            true => f.write_str("signed by no witness")?,
            false => write!(f, "signed by the witnesses {}", signed.join(", "))?,
        }
        for (name, reason) in &self.missing {
            write!(f, "; not by {name}: {reason}")?;
        }
        Ok(())
    }
}

/// What the lines of a policy have said so far.
#[derive(Default)]
struct PolicyReader {
    logs: Vec<VerifierKey>,
    witnesses: Vec<PolicyWitness>,
    groups: Vec<(String, Group)>,
    quorum: Option<Option<String>>,
    /// The names of witnesses and groups, and of those the ones that belong to a group.
    names: BTreeSet<String>,
    members: BTreeSet<String>,
    /// The keys that stand in the policy.
    keys: BTreeSet<String>,
}

impl PolicyReader {
    fn take(&mut self, words: &[&str]) -> Result<(), PolicyFault> {
        match words {
            ["log", key] | ["log", key, _] => {
                self.add_key(key)?;
                self.logs.push(key.parse().map_err(PolicyFault::Key)?);
                Ok(())
            }
            ["witness", name, key, url @ ..] if url.len() < 2 => {
                self.add_name(name)?;
                self.add_key(key)?;
                self.witnesses.push(PolicyWitness {
                    name: (*name).to_owned(),
                    key: key.parse().map_err(PolicyFault::Key)?,
                    url: url.first().map(|url| (*url).to_owned()),
                });
                Ok(())
            }
            ["group", name, needed, members @ ..] if !members.is_empty() => {
                // Its members come before it, so that it is none of them.
                let group = self.read_group(needed, members)?;
                self.add_name(name)?;
                self.groups.push(((*name).to_owned(), group));
                Ok(())
            }
            ["quorum", name] => {
                let quorum = match *name {
                    "none" => None,
                    name if self.names.contains(name) => Some(name.to_owned()),
                    name => return Err(PolicyFault::UnknownName(name.to_owned())),
                };
                match self.quorum.replace(quorum) {
                    None => Ok(()),
                    Some(_) => Err(PolicyFault::SecondQuorum),
                }
            }
            _ => Err(PolicyFault::Form),
        }
    }

    fn read_group(&mut self, needed: &str, members: &[&str]) -> Result<Group, PolicyFault> {
        let count = members.len();
        let needed = match needed {
            "all" => count,
            "any" => 1,
            number => match number.parse() {
                Ok(number @ 1..) if number <= count => number,
                _ => return Err(PolicyFault::Needed(number.to_owned(), count)),
            },
        };
        for member in members {
            if !self.names.contains(*member) {
                return Err(PolicyFault::UnknownName((*member).to_owned()));
            }
            if !self.members.insert((*member).to_owned()) {
                return Err(PolicyFault::SecondGroup((*member).to_owned()));
            }
        }
        Ok(Group {
            needed,
            members: members.iter().map(|member| (*member).to_owned()).collect(),
        })
    }

    fn add_name(&mut self, name: &str) -> Result<(), PolicyFault> {
        match name != "none" && self.names.insert(name.to_owned()) {
            true => Ok(()),
            false => Err(PolicyFault::TakenName(name.to_owned())),
        }
    }

    fn add_key(&mut self, key: &str) -> Result<(), PolicyFault> {
        match self.keys.insert(key.to_owned()) {
            true => Ok(()),
            false => Err(PolicyFault::SecondKey),
        }
    }

    fn finish(self) -> Result<WitnessPolicy, InvalidPolicy> {
        Ok(WitnessPolicy {
            logs: self.logs,
            witnesses: self.witnesses,
            groups: self.groups,
            quorum: self.quorum.ok_or(InvalidPolicy::NoQuorum)?,
        })
    }
}
