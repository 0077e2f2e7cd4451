//! What has come of signing and submitting, for those who show it.

use std::fmt;

use crate::witness_client::NotWitnessed;

/// What has come of signing a ledger's heads and submitting them.
#[derive(Clone, Debug, Default)]
pub struct CheckpointStatus {
    /// The number of records of the head that was signed last; 0 before the first.
    pub signed: u64,
    /// Why the last attempt to sign has failed; `None` where it has not.
    pub problem: Option<String>,
    /// The last head that enough witnesses have signed, so that somebody else holds it.
    pub held: Option<WitnessedHead>,
    /// Each witness that is asked.
    pub witnesses: Vec<WitnessStatus>,
}

/// A head that enough witnesses have signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WitnessedHead {
    /// The number of its records.
    pub size: u64,
    /// The names of the witnesses, each with the time of its signature, in seconds since 1970.
    pub witnesses: Vec<(String, u64)>,
}

/// What has come of asking one witness.
#[derive(Clone, Debug)]
pub struct WitnessStatus {
    /// Its name in the policy.
    pub name: String,
    /// The number of records of the last head that it is known to have signed.
    pub signed: Option<u64>,
    /// Why it has not signed the last head that it was asked for; `None` where it has.
    pub problem: Option<NotWitnessed>,
}

impl fmt::Display for CheckpointStatus {
    /// Says in one line which head was signed, and which one somebody else holds.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.signed {
            0 => f.write_str("no head is signed")?,
            size => write!(f, "the head of {size} records is signed")?,
        }
        if let Some(problem) = &self.problem {
            write!(f, ", and no later one: {problem}")?;
        }
        if self.witnesses.is_empty() {
            return f.write_str("; no witness is asked");
        }
        match &self.held {
            Some(held) if held.size == self.signed => write!(f, "; held by {held}")?,
            Some(held) => write!(f, "; that of {} records is held by {held}", held.size)?,
            None => f.write_str("; nobody else holds one")?,
        }
        for witness in &self.witnesses {
            match &witness.problem {
                Some(reason) => write!(f, "; {}: {reason}", witness.name)?,
                None if witness.signed.is_none_or(|size| size < self.signed) => {
                    write!(f, "; {} has not answered yet", witness.name)?;
                }
                None => {}
            }
        }
        Ok(())
    }
}

impl fmt::Display for WitnessedHead {
    /// Names the witnesses.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.witnesses.iter().map(|(name, _)| &**name).collect();
        f.write_str(&names.join(", "))
    }
}
