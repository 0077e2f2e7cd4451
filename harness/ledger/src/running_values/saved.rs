//! The running values of a ledger as `LEDGER.state` has them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The running values after a step of which nothing is missing.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SavedRunningValues {
    /// The last time of the ledger.
    pub(crate) now: u64,
    /// Each of them, by its id.
    pub(crate) series: BTreeMap<String, SavedSeries>,
}

/// One running value. Amounts are exact decimals.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SavedSeries {
    /// The amount that a change is computed from.
    pub(crate) last: Option<String>,
    /// The `obs_hash` of the last observation whose answer counted.
    pub(crate) last_counted: Option<String>,
    /// What a sum or a count adds up to.
    pub(crate) total: String,
    /// The amounts within the window, with the times at which they counted.
    pub(crate) within: Vec<(u64, String)>,
}
