//! How many cases a property gets: at most 2,000, and with `AXILOG_WIDE=1` its own number. `PROPTEST_CASES` lowers
//! both, as it does on an emulated processor and under Miri.

use proptest::test_runner::Config;

/// The most cases of a run that is not wide.
const NARROW: u32 = 2_000;

pub fn cases(full: u32) -> Config {
    // What `PROPTEST_CASES` says, which an explicit number would override.
    let asked = Config::default();
    let is_limited = std::env::var_os("PROPTEST_CASES").is_some();
    let is_wide = std::env::var_os("AXILOG_WIDE").is_some();
    let own = if is_wide { full } else { full.min(NARROW) };
    Config {
        cases: if is_limited {
            asked.cases.min(own)
        } else {
            own
        },
        failure_persistence: None,
        ..asked
    }
}
