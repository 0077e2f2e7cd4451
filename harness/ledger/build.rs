//! Build script: the hash of the code that writes canonical JSON, which runs of X-0L record.

use axilog_sourcehash::export_hash;

fn main() -> std::io::Result<()> {
    export_hash("JCS_SOURCE_HASH", "src/jcs")
}
