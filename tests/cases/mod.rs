//! How many cases a property gets: its own number, or `PROPTEST_CASES` where that is lower, as it is
//! on an emulated processor and under Miri.

use proptest::test_runner::Config;

pub fn cases(full: u32) -> Config {
    // What `PROPTEST_CASES` says, which an explicit number would override.
    let asked = Config::default();
    let limited = std::env::var_os("PROPTEST_CASES").is_some();
    Config {
        cases: if limited { asked.cases.min(full) } else { full },
        failure_persistence: None,
        ..asked
    }
}
