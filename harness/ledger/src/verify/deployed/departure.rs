//! How a record of deployed code differs from what readers take, and what SRS-004 says of it.

/// A way in which a record of deployed code is none of this library's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Departure {
    /// The output is not in Normalization Form C.
    NotNormalized,
    /// The output is in Normalization Form C, and has more marks in a row than the library reads.
    MarksInARow,
    /// The output has control characters.
    ControlCharacters,
    /// An identity of no characters.
    NoIdentity,
    /// An identity that is too long, not in Normalization Form C, or has control characters.
    Identity,
    /// The number of tokens or the seed is negative.
    NegativeParameter,
    /// The temperature is negative, or `top_p` is not from 0 to 1.
    ParameterRange,
    /// The completion state and the failure contradict each other, or one of them is unknown.
    States,
    /// The output has another length than the record says.
    OutputSize,
    /// The record is longer than 65,536 bytes.
    TooLong,
    /// A policy's record does not name its observation.
    UnboundPolicy,
    /// A transition from a state that does not exist.
    UnknownState,
}

impl Departure {
    /// The departure in words, of which the record is the subject.
    #[must_use]
    pub fn describe(self) -> &'static str {
        match self {
            Departure::NotNormalized => {
                "has an output that is not in Unicode's Normalization Form C"
            }
            Departure::MarksInARow => "has more than 30 combining marks in a row in its output",
            Departure::ControlCharacters => "has control characters in its output",
            Departure::NoIdentity => "names no oracle or no model",
            Departure::Identity => {
                "has an identity of more than 256 bytes, with control characters or not in Normalization Form C"
            }
            Departure::NegativeParameter => "has a negative max_tokens or seed",
            Departure::ParameterRange => {
                "has a negative temperature, or a top_p that is not from 0 to 1"
            }
            Departure::States => {
                "has a completion state and a failure that contradict each other, or an unknown one"
            }
            Departure::OutputSize => "has another output_size than its output",
            Departure::TooLong => "is longer than 65536 bytes",
            Departure::UnboundPolicy => "does not name the observation that the policy judged",
            Departure::UnknownState => "begins in an unknown state",
        }
    }

    /// The section of SRS-004 that forbids it; `None` where the document is silent and only this library's
    /// readers refuse it.
    #[must_use]
    pub fn forbidden_by(self) -> Option<&'static str> {
        match self {
            Departure::NotNormalized => Some("§5.5"),
            Departure::ControlCharacters => Some("§5.6"),
            Departure::NoIdentity => Some("§7.1"),
            Departure::NegativeParameter => Some("§5.4"),
            Departure::States => Some("§6.1"),
            Departure::OutputSize => Some("§5.2"),
            Departure::TooLong => Some("§6.2"),
            Departure::UnboundPolicy => Some("§11.4"),
            Departure::MarksInARow
            | Departure::Identity
            | Departure::ParameterRange
            | Departure::UnknownState => None,
        }
    }
}
