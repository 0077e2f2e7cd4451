//! What each verdict says, in words.

use axilog::replay::Verdict;

/// Describes what a verdict says about the record that it names.
#[must_use]
pub fn describe_verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Ok => "nothing is wrong",
        Verdict::Altered => "its bytes do not match its commit, its obs_hash or the chain",
        Verdict::Reordered => "it stands where it cannot stand",
        Verdict::Truncated => "records are missing after it",
        Verdict::Torn => "the last line is incomplete",
        Verdict::NonCanonical => "the record is not in its canonical form",
        Verdict::Unwitnessed => "a decision without the observation or the policies it rests on",
        Verdict::Diverged => "replaying the observations gives another record here",
        Verdict::ConfigMismatch => "a reset under other rules than the ones given",
        Verdict::ModelMismatch => "its oracle has another model elsewhere in this ledger",
    }
}
