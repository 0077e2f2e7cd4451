//! Keys, checkpoints and proofs of ledgers, and what attacks on them come to.

mod attacks;
mod growing;
mod independent;
mod keys;
mod notes;
mod plant;
mod policies;
mod reading;
mod reference;
mod saved_trees;
mod trees;
