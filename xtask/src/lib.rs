//! Development tasks of the workspace, as a library so that tests run the same code.

pub mod abi;
pub mod cargo;
pub mod cross;
pub mod embedded;
pub mod firmware;
pub mod fuzz;
pub mod headers;
pub mod install;
pub mod miri;
pub mod misra;
pub mod mutants;
pub mod packaging;
pub mod process;
pub mod sanitize;
pub mod seeds;
pub mod symbols;
pub mod wheel;
