//! What a person says of a cycle, and the statement that opens a review.

use axilog::hash::Hash;
use serde::{Deserialize, Serialize};

use crate::document;

/// The oracle id of the statements.
pub(super) const ORACLE: &str = "x0l.review";
/// The model id of the statements, which names their format.
pub(super) const MODEL: &str = "X0L:REVIEW:v2";
/// The oracle id of statements of the earlier format, which need neither a name nor a reason.
pub(super) const EARLIER_ORACLE: &str = "reviewer";

/// The statement that opens a review.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OpeningStatement {
    /// The head of the run's ledger.
    #[serde(with = "document::hash")]
    pub(super) run: Hash,
}

/// A person's judgement on a Type III refusal or on an action on an injection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Judgement {
    /// The cycle is a failure: the session cannot close positive.
    Confirmed,
    /// The cycle is harmless.
    Dismissed,
}

impl Judgement {
    /// The judgement's name in documents.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Judgement::Confirmed => "CONFIRMED",
            Judgement::Dismissed => "DISMISSED",
        }
    }
}

/// A person's statement on a cycle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReviewStatement {
    /// The head of the run's ledger, which names the run.
    #[serde(with = "document::hash")]
    pub run: Hash,
    /// The cycle's number in the session.
    pub cycle: u64,
    /// The judgement on the cycle.
    pub judgement: Judgement,
    /// The person's name; empty in statements of the earlier format that have none.
    pub by: String,
    /// The reason for the judgement; empty in statements of the earlier format.
    pub because: String,
    /// The time of the statement, in seconds since 1970.
    pub time: u64,
}

/// A statement of the earlier format.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EarlierStatement {
    #[serde(with = "document::hash")]
    run: Hash,
    cycle: u64,
    judgement: Judgement,
    /// The attribute requires the member, which may be null.
    #[serde(deserialize_with = "Option::deserialize")]
    by: Option<String>,
    time: u64,
}

impl From<EarlierStatement> for ReviewStatement {
    fn from(statement: EarlierStatement) -> ReviewStatement {
        ReviewStatement {
            run: statement.run,
            cycle: statement.cycle,
            judgement: statement.judgement,
            by: statement.by.unwrap_or_default(),
            because: String::new(),
            time: statement.time,
        }
    }
}

/// The longest name of a reviewer, in bytes.
const MAX_NAME: usize = 1024;
/// The longest reason for a judgement, in bytes: a record has room for it and for the name, whatever
/// characters they have.
const MAX_REASON: usize = 4096;

/// Checks the name and the reason of a statement; describes what is wrong.
pub(super) fn check_statement(statement: &ReviewStatement) -> Result<(), String> {
    for (what, text, most) in [
        ("the name of who judges", &statement.by, MAX_NAME),
        ("the reason of a judgement", &statement.because, MAX_REASON),
    ] {
        let found = match text.len() {
            0 => "nothing".to_owned(),
            length if length > most => format!("{length} bytes"),
            _ if text.trim() != text => "white space around it".to_owned(),
            _ => continue,
        };
        return Err(format!(
            "{what}: found {found}, expected 1 to {most} bytes without white space around them"
        ));
    }
    Ok(())
}

/// Parses a statement, or describes what is wrong in it, and where.
pub(super) fn parse_statement(text: &str, earlier: bool) -> Result<ReviewStatement, String> {
    let bytes = text.as_bytes();
    if earlier {
        let statement = document::read::<EarlierStatement>(bytes);
        return statement
            .map(ReviewStatement::from)
            .map_err(|error| error.to_string());
    }
    let statement: ReviewStatement = document::read(bytes).map_err(|error| error.to_string())?;
    check_statement(&statement)?;
    Ok(statement)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::to_text;

    #[test]
    fn a_statement_is_read_strictly() {
        let run = "ab".repeat(32);
        let good = format!(
            "{{\"because\":\"Looked.\",\"by\":\"E.\",\"cycle\":6,\"judgement\":\"CONFIRMED\",\"run\":\"{run}\",\"time\":9}}"
        );
        let statement = parse_statement(&good, false).unwrap();
        assert_eq!(to_text(&statement), good);
        for (from, to, message) in [
            (
                "\"by\":\"E.\",",
                "",
                "by: found nothing, expected this member",
            ),
            ("6", "-1", "cycle: found -1, expected an integer from 0"),
            (
                "CONFIRMED",
                "SEEN",
                "judgement: found \"SEEN\", expected CONFIRMED or DISMISSED",
            ),
            ("ab", "AB", "run: found \"AB"),
            (
                "\"E.\"",
                "\"E.\",\"c\":1",
                "c: found 1, expected no such member",
            ),
            ("\"E.\"", " \"E.\"", "found another form of one"),
            ("E.", "", "the name of who judges: found nothing"),
            (
                "E.",
                " E.",
                "the name of who judges: found white space around it",
            ),
            ("Looked.", "", "the reason of a judgement: found nothing"),
        ] {
            let error = parse_statement(&good.replacen(from, to, 1), false).unwrap_err();
            assert!(error.contains(message), "{error}");
        }
    }
}
