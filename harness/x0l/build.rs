//! Build script: the hashes of the code of the kernel and of the documents, which runs of X-0L record.

use axilog_sourcehash::export_hash;

fn main() -> std::io::Result<()> {
    export_hash("KERNEL_SOURCE_HASH", "src/kernel")?;
    export_hash("DOCUMENT_SOURCE_HASH", "src/document")
}
