//! Policies that a caller gives as text. Emits no header.

use std::ffi::c_char;
use std::path::PathBuf;

use axilog_ledger::error::LedgerError;
use axilog_policyc::PolicySet;

use crate::error::HostError;
use crate::pointer::bytes;

/// Reads a policy file in its canonical form; `None` for NULL of length 0. `name` is its name in messages.
///
/// # Safety
/// As for [`bytes`].
pub(crate) unsafe fn read_policies(
    name: &str,
    text: *const c_char,
    len: usize,
) -> Result<Option<PolicySet>, HostError> {
    if text.is_null() && len == 0 {
        return Ok(None);
    }
    // SAFETY: forwarded.
    let text = unsafe { bytes(name, text, len) }?;
    let policies = PolicySet::parse(text).map_err(|source| LedgerError::InvalidPolicies {
        path: PathBuf::from(name),
        source,
    })?;
    Ok(Some(policies))
}
