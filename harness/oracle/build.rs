//! Build script: the hash of the canonicalizer's code, which runs of X-0L record.

use axilog_sourcehash::export_hash;

fn main() -> std::io::Result<()> {
    export_hash("CANONICALIZER_SOURCE_HASH", "src/canonicalizer")
}
