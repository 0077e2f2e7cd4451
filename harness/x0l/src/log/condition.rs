//! The conditions of a session (Q38).

use crate::document::named_enum;

named_enum! {
    /// A condition.
    pub enum Condition {
        /// Structured tasks. The only one with a floor for actions (Q45).
        A = "L-A",
        /// A corpus in frozen order.
        B = "L-B",
        /// Adversarial injections.
        C = "L-C",
        /// Pressure to be verbose.
        D = "L-D",
        /// Several candidates in one answer.
        E = "L-E",
    }
}
