//! Build script: the Unicode tables and the policy registry that the core is compiled with, and the hash of its JSON.

mod nfc;
mod policies;

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build");
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    fs::write(out.join("nfc_tables.rs"), nfc::tables())?;

    let policies = policies::load()?;
    fs::write(out.join("policies.rs"), policies.emit_rust())?;
    fs::write(out.join("policies_ffi.rs"), policies.emit_rust_ffi())?;
    axilog_sourcehash::export_hash("JSON_SOURCE_HASH", "src/json")?;
    Ok(())
}
