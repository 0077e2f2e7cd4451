//! The heads that the caller of `replay` and `report` has noted elsewhere.

use axilog::hash::Hash;
use axilog_x0l::report::RunExpectations;

use axilog_ledger::verify::parse_head;

#[derive(clap::Args)]
pub(super) struct ExpectedHeads {
    /// The head of the run's ledger, as `axilog x0l run` printed it.
    #[arg(long, value_name = "HEX", value_parser = parse_head)]
    expect_head: Option<Hash>,
    /// The head of the review, as `axilog x0l report` printed it after the last judgement.
    #[arg(long, value_name = "HEX", value_parser = parse_head)]
    expect_review_head: Option<Hash>,
}

impl ExpectedHeads {
    pub(super) fn for_run(&self) -> RunExpectations {
        RunExpectations {
            head: self.expect_head,
            review_head: self.expect_review_head,
        }
    }
}
