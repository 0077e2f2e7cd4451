//! The hash by which a session pins what the canonicalizer does (A4).

use axilog_ledger::encoding::hex;
use axilog_oracle::canonicalizer::{SELF_TEST_HASH, self_test_hash};

#[test]
fn the_self_test_gives_the_frozen_hash() {
    assert_eq!(hex(&self_test_hash()), SELF_TEST_HASH);
}
