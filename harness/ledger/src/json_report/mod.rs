//! What a decision, a verification, a replay, an audit and the head of a ledger are as JSON: one object each, the same for the
//! command and for the library of hosts. `docs/cli.md` describes the fields, to which others are only ever added.

pub mod audit;
pub mod decision;
pub mod head;
pub mod policy;
pub mod replay;
pub mod verification;
