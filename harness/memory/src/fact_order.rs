//! In which order the facts of a query are considered for a working set.

use crate::words::words;

words! {
    /// In which order the facts of a query are considered for a working set, until its budget is full.
    pub enum FactOrder {
        /// What the scene and its threads point to, then what matches the search, then the newest.
        Plan = "PLAN",
        /// What matches the search, and nothing else.
        Matching = "MATCHING",
        /// The newest first.
        Newest = "NEWEST",
        /// By `stable_key`.
        Key = "KEY",
    }
}

words! {
    /// A step of the plan, as a working set names it.
    pub(crate) enum Stage {
        Pointed = "pointed",
        Matching = "matching",
        Newest = "newest",
        Ordered = "ordered",
    }
}

impl FactOrder {
    /// The steps of the order.
    pub(crate) fn stages(self) -> &'static [Stage] {
        match self {
            FactOrder::Plan => &[Stage::Pointed, Stage::Matching, Stage::Newest],
            FactOrder::Matching => &[Stage::Matching],
            FactOrder::Newest => &[Stage::Newest],
            FactOrder::Key => &[Stage::Ordered],
        }
    }

    /// Whether the words of a search matter to the order.
    pub(crate) fn searches(self) -> bool {
        self.stages().contains(&Stage::Matching)
    }
}
