//! Why a text is no public key.

/// Why a text is no public key. The text itself is never repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidVerifierKey {
    /// The text is a secret key.
    #[error(
        "a secret key was given in place of a public one, and whoever sees this command line may have read it; make a new key (axilog key new), and give what `axilog key show` prints"
    )]
    Secret,
    /// The text has another form.
    #[error("it has another form; expected NAME+ID+KEY as `axilog key show` prints it")]
    Form,
    /// The key is one of another algorithm.
    #[error("it is one of another kind; give what `axilog key show` prints")]
    Algorithm,
    /// The key is that of a log.
    #[error("it is the key of a ledger, and signs no heads of others; give that of a witness")]
    OfLog,
    /// The key is that of a witness.
    #[error("it is the key of a witness, and signs no ledger of its own; give that of the ledger")]
    OfWitness,
    /// The id is not that of name and key.
    #[error(
        "its id is not that of its name and key, so that one of the three was changed; copy it anew"
    )]
    Id,
}
