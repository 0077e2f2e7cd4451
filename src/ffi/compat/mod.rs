//! What rigs written for the deployed C gateways call under the names of the library
//! (c-abi.md, Compatibility headers; docs/rigs.md).
//!
//! The headers in `include/compat/` rename a function whose deployed behaviour differs to the one here:
//! `ax_obs_admit` becomes `ax_compat_obs_admit_1_2`, or `ax_compat_raw_obs_admit_1_2` for a rig that wants the deployed
//! answer also where it is unsafe. Everything here stands on the library's own functions.

pub mod admission;
pub mod agent;
pub mod ledger;
pub mod narrow;
pub mod policy;
pub mod raw_admission;
pub mod raw_policy;
pub mod raw_record;
pub mod record;
pub mod sha256;
pub mod text;
