//! `dvec.h`: the names of the evidence (formats.md §1).

/// The tag of the genesis record.
pub const AX_TAG_STATE: &str = "AX:STATE:v1";
/// The tag of a transition.
pub const AX_TAG_TRANS: &str = "AX:TRANS:v1";
/// The tag of an observation.
pub const AX_TAG_OBS: &str = "AX:OBS:v1";
/// The tag of a policy's decision.
pub const AX_TAG_POLICY: &str = "AX:POLICY:v1";
/// The tag of a seal.
pub const AX_TAG_PROOF: &str = "AX:PROOF:v1";
/// The prefix of every chain step; never the tag of a record.
pub const AX_CHAIN_LEDGER: &str = "AX:LEDGER:v1";
