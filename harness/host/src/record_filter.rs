//! `host.h`: the handle of a reader, and the choice of the records that it gives.

use std::ffi::c_char;

use axilog::hash::Tag;
use axilog_ledger::reader::RecordFilter;

use crate::error::HostError;
use crate::pointer::{SizedStruct, invalid, optional_text, structure};

/// An open reader of a ledger file. The pointer is a handle: the library looks it up, and it leads nowhere. One thread at
/// a time may use it, since each record takes the place of the one before.
pub struct axh_reader_t {
    _private: [u8; 0],
}

/// The genesis, among the tags of axh_filter_t.
pub const AXH_TAG_STATE: u32 = 1;
/// Observations, among the tags of axh_filter_t.
pub const AXH_TAG_OBSERVATION: u32 = 2;
/// What policies said, among the tags of axh_filter_t.
pub const AXH_TAG_POLICY: u32 = 4;
/// Transitions, among the tags of axh_filter_t.
pub const AXH_TAG_TRANSITION: u32 = 8;
/// Raw answers and the seal, among the tags of axh_filter_t.
pub const AXH_TAG_PROOF: u32 = 16;

/// The records that a reader gives. All zero but the size, it gives every one. What a filter leaves out is read and
/// verified nevertheless. The struct borrows what it points to.
#[repr(C)]
pub struct axh_filter_t {
    /// Bytes of this struct: sizeof (axh_filter_t).
    pub size: usize,
    /// Identity of the oracle whose answers, and the records after each up to the next observation, are given; NULL for
    /// every one.
    pub oracle_id: *const c_char,
    /// Sequence of the first record.
    pub first: u64,
    /// Number of records from first on, filtered out or not, after which nothing is read; 0 for any number.
    pub count: u64,
    /// Sum of the AXH_TAG_ constants of the records; 0 for every one.
    pub tags: u32,
}

// SAFETY: `repr(C)`, begins with its size; zero is NULL or a number.
unsafe impl SizedStruct for axh_filter_t {}

const TAGS: [(u32, Tag); 5] = [
    (AXH_TAG_STATE, Tag::State),
    (AXH_TAG_OBSERVATION, Tag::Obs),
    (AXH_TAG_POLICY, Tag::Policy),
    (AXH_TAG_TRANSITION, Tag::Trans),
    (AXH_TAG_PROOF, Tag::Proof),
];

/// Reads the filter of a caller; NULL is every record.
///
/// # Safety
/// A pointer that is not NULL is to a filter that is as its type says and that nobody writes meanwhile.
pub(crate) unsafe fn read_filter(filter: *const axh_filter_t) -> Result<RecordFilter, HostError> {
    if filter.is_null() {
        return Ok(RecordFilter::default());
    }
    // SAFETY: by contract.
    let given = unsafe { structure("filter", filter) }?;
    let known: u32 = TAGS.iter().map(|(bit, _)| bit).sum();
    if given.tags & !known != 0 {
        return Err(invalid(format!(
            "filter.tags is {}, expected a sum of AXH_TAG_ constants, at most {known}",
            given.tags
        )));
    }
    let tags = TAGS.iter().filter(|(bit, _)| given.tags & bit != 0);
    // SAFETY: by contract.
    let oracle = unsafe { optional_text("filter.oracle_id", given.oracle_id) }?;
    Ok(RecordFilter {
        tags: tags.map(|(_, tag)| *tag).collect(),
        oracle: oracle.map(str::to_owned),
        first: given.first,
        last: (given.count.checked_sub(1)).map(|behind| given.first.saturating_add(behind)),
    })
}
