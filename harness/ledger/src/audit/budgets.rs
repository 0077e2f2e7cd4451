//! Budgets: how much of a stranger's ledger an audit reads.

use std::str::FromStr;

use crate::input_file::MAX_INPUT_BYTES;

/// What an audit reads at most. What exceeds it is not read, and the audit is INCOMPLETE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AuditBudgets {
    /// The most bytes of one blob; [`MAX_INPUT_BYTES`] where nothing else is said.
    pub blob_bytes: u64,
}

impl Default for AuditBudgets {
    fn default() -> AuditBudgets {
        AuditBudgets {
            blob_bytes: MAX_INPUT_BYTES,
        }
    }
}

/// One budget with its number, as `blob-bytes=1073741824` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuditBudget {
    /// [`AuditBudgets::blob_bytes`].
    BlobBytes(u64),
}

impl FromStr for AuditBudget {
    type Err = String;

    fn from_str(text: &str) -> Result<AuditBudget, String> {
        match text.strip_prefix("blob-bytes=").map(str::parse) {
            Some(Ok(bytes)) => Ok(AuditBudget::BlobBytes(bytes)),
            _ => Err("expected blob-bytes=NUMBER".to_owned()),
        }
    }
}

impl AuditBudgets {
    /// Sets a budget.
    pub fn set(&mut self, budget: AuditBudget) {
        match budget {
            AuditBudget::BlobBytes(bytes) => self.blob_bytes = bytes,
        }
    }
}
