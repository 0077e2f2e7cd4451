//! How a run's calls are made, in the form in which its documents record it.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::endpoint::{OracleKind, ServerOptions};

/// The settings of the calls to a server, frozen for a run. Times are in milliseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TransportSettings {
    /// The time for one attempt.
    pub timeout_ms: u64,
    /// The wait before each further attempt.
    pub backoff_ms: Vec<u64>,
    /// The longest wait that a server's `Retry-After` can bring about.
    pub max_retry_after_ms: u64,
    /// The least time between the starts of two requests.
    pub pace_ms: u64,
    /// The member of a request that limits the tokens of the answer.
    pub token_limit_as: String,
    /// The form that the server is asked to hold answers to: `json_object`, or `json_schema:` or `grammar:`
    /// and the text's SHA-256; absent where none is sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_format: Option<String>,
}

impl TransportSettings {
    /// The settings of calls to an oracle of this kind; `None` for one that is not asked over HTTP.
    #[must_use]
    pub fn new(kind: &OracleKind, options: &ServerOptions) -> Option<TransportSettings> {
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let limits = &options.limits;
        let member = match kind {
            OracleKind::OpenAi => options.token_limit.as_str(),
            OracleKind::Anthropic => "max_tokens",
            OracleKind::Scripted(_) | OracleKind::Recorded(_) => return None,
        };
        Some(TransportSettings {
            timeout_ms: millis(limits.timeout),
            backoff_ms: limits.backoff.iter().copied().map(millis).collect(),
            max_retry_after_ms: millis(limits.max_retry_after),
            pace_ms: millis(limits.pace),
            token_limit_as: member.to_owned(),
            response_format: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_settings_of_a_server_are_recorded_and_no_other_oracles() {
        let mut options = ServerOptions::default();
        options.limits.pace = Duration::from_millis(1500);
        options.token_limit = "max_completion_tokens".parse().unwrap();
        let recorded = TransportSettings::new(&OracleKind::OpenAi, &options).unwrap();
        let text = serde_json::to_string(&recorded).unwrap();
        assert_eq!(
            text,
            concat!(
                r#"{"timeout_ms":30000,"backoff_ms":[1000,2000,4000],"max_retry_after_ms":60000,"#,
                r#""pace_ms":1500,"token_limit_as":"max_completion_tokens"}"#
            )
        );
        let read: TransportSettings = serde_json::from_str(&text).unwrap();
        assert_eq!(read, recorded);
        let anthropic = TransportSettings::new(&OracleKind::Anthropic, &options).unwrap();
        assert_eq!(anthropic.token_limit_as, "max_tokens");
        let script = OracleKind::Scripted("s".into());
        assert_eq!(TransportSettings::new(&script, &options), None);
    }
}
