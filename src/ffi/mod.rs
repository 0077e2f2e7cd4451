//! The C surface: one file per header of `include/axilog/`.
//!
//! c-abi.md; SRS-004 §25. Nothing here decides anything: a function checks its pointers, calls one
//! safe function of the core and maps the result. Types and functions carry their C names. Each
//! file is the source of one header, so the documentation in it is written for C programmers.
//!
//! Each function is exported as `axilog_impl_NAME`; the symbol `NAME` that C programs call is a function of
//! the crate `symbols/`, which forwards to it and has an object file of its own.
//!
//! Enums cross the boundary as `MaybeUninit<…>`: a C caller can store any integer in one, which a
//! Rust enum may not hold, so each is read as an integer and checked.

#![allow(unsafe_code)]
#![allow(non_camel_case_types)]

pub mod agent;
pub mod agent_observe;
pub mod agent_permission;
pub mod agent_step;
pub mod audit;
pub mod audit_line;
pub mod audit_record;
pub mod canonical;
pub mod commitment;
pub mod compat;
pub mod dvec;
pub mod dvm;
pub mod hash;
pub mod limits;
pub mod obs;
pub mod obs_input;
pub mod obs_view;
pub mod oracle;
pub mod policy;
pub mod policy_evaluate;
pub mod policy_init;
pub mod replay;
pub mod replay_lines;
pub mod sha256;
pub mod types;
pub mod validate;

// Exports the symbols.
use axilog_symbols as _;

mod pointer;
mod registry;
mod sink;
