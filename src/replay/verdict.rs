//! The verdicts of verification and replay (formats.md §6). Determinism: D2.

/// The finding of a verification or a replay. Numbers are fixed and append-only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Verdict {
    /// Every record is right.
    Ok = 0,
    /// A record does not match its commit, its `obs_hash` or the chain.
    Altered = 1,
    /// A sequence is broken, or records stand in an order that no agent writes.
    Reordered = 2,
    /// The ledger is shorter than a seal says, or than the caller expects.
    Truncated = 3,
    /// The last line of a file is incomplete. Readers of files find this; [`super::Replay`] never does.
    Torn = 4,
    /// A record is not in its canonical form.
    NonCanonical = 5,
    /// A transition or a policy follows no observation, or another than its own. In a
    /// replay also: a transition lacks policies, whose number a verification without rules cannot know.
    Unwitnessed = 6,
    /// Replay gives other bytes than the record has.
    Diverged = 7,
    /// A reset names other rules than the ones given.
    ConfigMismatch = 8,
    /// One of the first [`super::MAX_ORACLES`] oracles answers with two models.
    ModelMismatch = 9,
}

impl Verdict {
    /// Every verdict, in the order of its number.
    pub const ALL: [Verdict; 10] = [
        Verdict::Ok,
        Verdict::Altered,
        Verdict::Reordered,
        Verdict::Truncated,
        Verdict::Torn,
        Verdict::NonCanonical,
        Verdict::Unwitnessed,
        Verdict::Diverged,
        Verdict::ConfigMismatch,
        Verdict::ModelMismatch,
    ];

    /// The verdict's name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::Ok => "OK",
            Verdict::Altered => "ALTERED",
            Verdict::Reordered => "REORDERED",
            Verdict::Truncated => "TRUNCATED",
            Verdict::Torn => "TORN",
            Verdict::NonCanonical => "NON_CANONICAL",
            Verdict::Unwitnessed => "UNWITNESSED",
            Verdict::Diverged => "DIVERGED",
            Verdict::ConfigMismatch => "CONFIG_MISMATCH",
            Verdict::ModelMismatch => "MODEL_MISMATCH",
        }
    }
}
