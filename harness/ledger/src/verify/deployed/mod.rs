//! Records that deployed C code writes and no reader takes, named as what they are.
//!
//! Deployed gateways take text for Unicode's Normalization Form C where it has none of a list of combining marks, and
//! check of identities, parameters and states nothing. A ledger of theirs is NON_CANONICAL at the first such record.
//! An auditor then wants to know whose form that is, whether SRS-004 would have allowed the record, and whether
//! the chain is whole after it. Whoever can write the file can also write such a record: its form names no writer.
//! Determinism: D2.

mod chain;
mod departure;
mod observation;
mod profiles;
mod record;
mod records;

pub use chain::ChainBehind;
pub use departure::Departure;
pub(crate) use profiles::note_profile;
pub use profiles::profile_name;
pub use record::DeployedRecord;
pub use records::DeployedRecords;
