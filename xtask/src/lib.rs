//! Development tasks of the workspace, as a library so that tests run the same code.

pub mod headers;
pub mod install;
pub mod packaging;
pub mod process;
