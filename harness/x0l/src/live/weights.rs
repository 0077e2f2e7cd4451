//! The file of the model's weights: its hash before the session, and after it.

use std::path::Path;

use axilog_ledger::encoding::hex;

use crate::error::X0lError;
use crate::log::FrozenWeights;
use crate::log::witness::FileDigest;

/// Computes what is frozen of the weights.
///
/// # Errors
/// [`FileError::Io`](axilog_ledger::error::FileError::Io).
pub(super) fn freeze_weights(path: &Path) -> Result<FrozenWeights, X0lError> {
    let FileDigest { sha256, size } = FileDigest::compute(path)?;
    let name = path.file_name().unwrap_or(path.as_os_str());
    Ok(FrozenWeights {
        name: name.to_string_lossy().into_owned(),
        sha256,
        size,
    })
}

/// Reads the weights again, and says how they are other ones than the frozen; `None` where they are the same.
pub(super) fn describe_other_weights(path: &Path, frozen: &FrozenWeights) -> Option<String> {
    let found = match FileDigest::compute(path) {
        Ok(found) if found.sha256 == frozen.sha256 => return None,
        Ok(found) => format!("SHA-256 {}", hex(&found.sha256)),
        Err(error) => error.to_string(),
    };
    let (name, before) = (&frozen.name, hex(&frozen.sha256));
    Some(format!(
        "the weights {name} were changed while the session ran: found {found} after it, and SHA-256 {before} before"
    ))
}
