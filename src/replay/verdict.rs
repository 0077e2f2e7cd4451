//! What verification and replay can find (formats.md §6). Determinism: D2.

/// What verification and replay find. Numbers are fixed and append-only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Verdict {
    /// Nothing is wrong.
    Ok = 0,
    /// Bytes that do not match their commit, `obs_hash` or chain.
    Altered = 1,
    /// A sequence that is broken, or records in an order that cannot be.
    Reordered = 2,
    /// Shorter than a seal says, or than the caller expects.
    Truncated = 3,
    /// An incomplete last line. Found by readers of files, never here.
    Torn = 4,
    /// A record that is not in its canonical form.
    NonCanonical = 5,
    /// A transition or a policy without its observation, or a transition without its policies.
    Unwitnessed = 6,
    /// Replay gives other bytes.
    Diverged = 7,
    /// A reset under other rules than the ones given.
    ConfigMismatch = 8,
    /// One oracle with two models.
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
