//! Why a text is no policy of witnesses.

use crate::invalid_verifier_key::InvalidVerifierKey;

/// Why a text is no policy of witnesses.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidPolicy {
    /// A line says nothing that a policy can say.
    #[error("line {line}: {fault}")]
    Line {
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        fault: PolicyFault,
    },
    /// Nothing says which witnesses are enough.
    #[error(
        "it has no line \"quorum NAME\" or \"quorum none\", which says whose signatures are enough"
    )]
    NoQuorum,
}

/// What is wrong with a line of a policy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PolicyFault {
    /// The line has another form.
    #[error(
        "expected \"log KEY [URL]\", \"witness NAME KEY [URL]\", \"group NAME all|any|NUMBER MEMBER…\" or \"quorum NAME|none\""
    )]
    Form,
    /// The public key is none.
    #[error("the public key is refused: {0}")]
    Key(InvalidVerifierKey),
    /// The same key stands in an earlier line.
    #[error("the public key stands in an earlier line already; name each key once")]
    SecondKey,
    /// The name is that of something else.
    #[error("the name {0:?} is taken; give each witness and group one of its own")]
    TakenName(String),
    /// The name is not that of a witness or group in an earlier line.
    #[error("{0:?} is no witness or group of an earlier line")]
    UnknownName(String),
    /// The witness or group belongs to another group already.
    #[error("{0:?} belongs to another group already; name it in one")]
    SecondGroup(String),
    /// As many members are not there.
    #[error("found {0:?} of {1} members, expected \"all\", \"any\" or a number from 1 to {1}")]
    Needed(String, usize),
    /// There is a line for the quorum already.
    #[error("an earlier line says already whose signatures are enough")]
    SecondQuorum,
}
