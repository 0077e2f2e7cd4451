//! Development tasks of the workspace, as a library so that tests run the same code.

#[path = "../../tests/support/c_tables.rs"]
mod c_tables;
#[allow(dead_code)] // the tests ask for objects too
#[path = "../../tests/support/declarations.rs"]
mod declarations;
#[macro_use]
#[path = "../../tests/c_suites/list.rs"]
mod list;
#[path = "../../tests/support/vectors.rs"]
mod vectors;

pub mod abi;
pub mod cargo;
pub mod cross;
pub mod firmware;
pub mod fuzz;
pub mod headers;
pub mod install;
pub mod miri;
pub mod mutants;
pub mod packaging;
pub mod process;
pub mod sanitize;
pub mod seeds;
pub mod symbols;
