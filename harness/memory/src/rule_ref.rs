//! The rules by which the memory refuses, for whoever asks why (document, sections 1 and 9.1).

use crate::words::words;

words! {
    /// A rule of the Golden Ticket's that binds the memory. An output that says why names the rule, and explains
    /// nothing.
    pub enum MemoryRule {
        /// Exact strings are locked until they are unlocked, and stand in no output before.
        PrecisionTokens = "HL-005",
        /// A request for an exact string is answered exactly where it is unlocked or the roll succeeds, and else by the
        /// gist.
        Recall = "RR-002",
        /// Only what `allowmention_handles` names is mentioned exactly.
        AllowMention = "PC-006",
    }
}
