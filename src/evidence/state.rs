//! `AX:STATE:v1`: the genesis record, the same for every ledger.
//!
//! formats.md §1. Determinism: D1.

/// The exact payload of record 0. Its chain value is [`crate::hash::GOLDEN_GENESIS`].
pub const GENESIS_PAYLOAD: &[u8] =
    b"{\"component\":\"axilog-core\",\"evidence_type\":\"AX:STATE:v1\",\
\"is_terminal\":false,\"platform\":\"universal\",\
\"state_hash\":\"0000000000000000000000000000000000000000000000000000000000000000\"}";
