//! One policy and its comparison operator (SRS-004 sections 17.3 to 17.5).
//! Determinism class D1.

use crate::error::Fault;
use crate::message;

/// The most policies one file may hold (`AX_POLICY_MAX_COUNT`).
pub const MAX_POLICIES: usize = 64;

/// The longest `policy_id`, in characters (`AX_POLICY_ID_MAX_LEN`).
pub const MAX_POLICY_ID: usize = 64;

/// The comparison operators, a closed set (SRS-004 section 17.4). A policy
/// breaches when `actual OP threshold` holds on raw Q16.16 values. The
/// discriminants are those of `ax_policy_cmp_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ComparisonOperator {
    /// `GT`: breaches above the threshold.
    Gt = 0,
    /// `LT`: breaches below the threshold.
    Lt = 1,
    /// `GE`: breaches at the threshold and above.
    Ge = 2,
    /// `LE`: breaches at the threshold and below.
    Le = 3,
}

impl ComparisonOperator {
    /// The operator's name in a policy file: `GT`, `LT`, `GE` or `LE`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gt => "GT",
            Self::Lt => "LT",
            Self::Ge => "GE",
            Self::Le => "LE",
        }
    }

    /// The operator of that name; `None` for any other text.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Gt, Self::Lt, Self::Ge, Self::Le]
            .into_iter()
            .find(|comparison| comparison.name() == name)
    }
}

/// One policy of a set (formats.md section 4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyEntry {
    /// 1 to 64 characters of `A-Z a-z 0-9 - _ .`, unique in its set.
    pub policy_id: String,
    /// The value it limits, and whose answers: `[oracle#]path`, at most 192
    /// bytes. The path is a name or an RFC 6901 pointer, not ending in `_q16`.
    pub selector: String,
    /// The operator.
    pub comparison: ComparisonOperator,
    /// The limit as a raw Q16.16 value; all of `i32`. As an *actual*
    /// −2147483648 means 'no value'; as a threshold it is an ordinary number
    /// below every value: `LT` and `LE` with it demand only that there be a
    /// value, `GT` and `GE` permit nothing and are refused when enabled.
    pub threshold: i32,
    /// A disabled policy is never evaluated and limits nothing.
    pub enabled: bool,
}

/// Checks a `policy_id`: 1 to 64 characters of `A-Z a-z 0-9 - _ .`.
pub(crate) fn check_policy_id(at: usize, id: &str) -> Result<(), Fault> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if (1..=MAX_POLICY_ID).contains(&id.len()) && id.chars().all(allowed) {
        return Ok(());
    }
    Err(Fault::expected(
        at,
        format_args!("the policy_id {}", message::quote(id)),
        format_args!("1 to {MAX_POLICY_ID} characters of A-Z a-z 0-9 - _ ."),
    ))
}
