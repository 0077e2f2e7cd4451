//! The pages say what is so: their programs compile and do what is printed beside them, and the code and
//! the tests that they name exist.

#[path = "../c_suites/build.rs"]
#[allow(dead_code, reason = "the C suites need more of it")]
mod build;

mod blocks;
mod pages;
#[cfg(unix)]
mod power_failure;
mod requirements;
