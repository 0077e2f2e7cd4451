//! The options of the commands that ask a server.

use std::time::Duration;

use axilog_oracle::{ServerOptions, TokenLimitMember};

/// The longest pace and the longest timeout.
const MAX_SECONDS: f64 = 3600.0;

/// The options of every command that asks a server.
#[derive(clap::Args)]
pub(crate) struct ServerArgs {
    /// The server's URL before /chat/completions, or before /messages [default: that of the provider
    /// that --oracle names].
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    /// The member of the request that limits the tokens of the answer: max_tokens, or
    /// max_completion_tokens, which OpenAI's reasoning models want.
    #[arg(long, value_name = "MEMBER", default_value = "max_tokens")]
    token_limit_as: TokenLimitMember,
    /// The least time between the starts of two requests, in seconds, for a server that limits their
    /// number: 0.5 makes at most 120 a minute.
    #[arg(long, value_name = "SECONDS", default_value = "0", value_parser = parse_pace)]
    pace: Duration,
}

impl ServerArgs {
    /// The options, with the document's time of 30 s for an attempt (Q51).
    pub(crate) fn options(&self) -> ServerOptions {
        let mut options = ServerOptions {
            base_url: self.base_url.clone(),
            token_limit: self.token_limit_as,
            ..ServerOptions::default()
        };
        options.limits.pace = self.pace;
        options
    }
}

fn parse_pace(text: &str) -> Result<Duration, String> {
    parse_seconds(text, 0.0)
}

/// Parses a number of seconds, to the millisecond.
pub(crate) fn parse_seconds(text: &str, least: f64) -> Result<Duration, String> {
    let seconds: Option<f64> = text.parse().ok();
    let seconds = seconds.filter(|seconds| (least..=MAX_SECONDS).contains(seconds));
    let seconds = seconds.ok_or_else(|| {
        format!("{text:?}: expected a number of seconds from {least} to {MAX_SECONDS}")
    })?;
    // At most 3600000, which every integer here holds.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let millis = (seconds * 1000.0).round() as u64;
    Ok(Duration::from_millis(millis))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_read_to_the_millisecond() {
        for (text, millis) in [
            ("0", 0),
            ("0.5", 500),
            ("1.0004", 1000),
            ("3600", 3_600_000),
        ] {
            assert_eq!(parse_pace(text), Ok(Duration::from_millis(millis)));
        }
        for text in ["", "-1", "NaN", "inf", "3601", "1s"] {
            let error = parse_pace(text).unwrap_err();
            assert!(error.contains("from 0 to 3600"), "{error}");
        }
        assert!(parse_seconds("0", 0.001).is_err());
    }
}
