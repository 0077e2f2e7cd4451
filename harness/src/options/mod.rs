//! Groups of options that several commands take.

pub(crate) mod checkpoints;
pub(crate) mod expectations;
#[cfg(any(feature = "ablation", feature = "bundle"))]
pub(crate) mod free_server_args;
pub(crate) mod held_checkpoint;
pub(crate) mod sampling;
pub(crate) mod schema_files;
#[cfg(any(feature = "ablation", feature = "bundle", feature = "x0l"))]
pub(crate) mod server_args;
