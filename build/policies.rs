//! The built-in policies: the file that `AXILOG_POLICIES` names, or `policies/default.json`.

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs};

use axilog_policyc::PolicySet;

/// Reads and checks the file; an error names it, the position and the reason.
pub(crate) fn load() -> Result<PolicySet, Box<dyn Error>> {
    println!("cargo::rerun-if-env-changed=AXILOG_POLICIES");
    let path = match env::var_os("AXILOG_POLICIES") {
        Some(path) => PathBuf::from(path),
        None => PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").ok_or("no CARGO_MANIFEST_DIR")?)
            .join("policies/default.json"),
    };
    println!("cargo::rerun-if-changed={}", path.display());
    let bytes = fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    PolicySet::parse(&bytes).map_err(|e| format!("{}:{e}", path.display()).into())
}
