//! The options of the commands that ask a server in a way that no document freezes.

use std::path::Path;
use std::time::Duration;

use axilog_ledger::input_file::{MAX_INPUT_BYTES, read_input};
use axilog_oracle::{AnswerConstraint, AnswerSchema, GrammarDialect, ServerOptions};

use crate::error::CommandError;
use crate::options::server_args::{ServerArgs, parse_seconds};

/// The options of every command that asks a server, and those that X-0L's document freezes.
#[derive(clap::Args)]
pub(crate) struct FreeServerArgs {
    #[command(flatten)]
    server: ServerArgs,
    /// The time for each attempt, in seconds.
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = parse_timeout)]
    timeout: Duration,
    /// Ask the server to hold the answer to a form: json_object for any JSON object, the path of a JSON
    /// Schema, or llama-cpp:FILE or vllm:FILE for a GBNF grammar sent in the way of that server. Servers
    /// refuse what they do not know.
    #[arg(long, value_name = "FORM")]
    response_format: Option<String>,
}

impl FreeServerArgs {
    /// The options.
    pub(crate) fn options(&self) -> ServerOptions {
        let mut options = self.server.options();
        options.limits.timeout = self.timeout;
        options
    }

    /// The form that the answer is held to.
    pub(crate) fn read_response_format(&self) -> Result<Option<AnswerConstraint>, CommandError> {
        let Some(form) = &self.response_format else {
            return Ok(None);
        };
        if form == "json_object" {
            return Ok(Some(AnswerConstraint::JsonObject));
        }
        let (dialect, path) = match form.split_once(':') {
            Some(("llama-cpp", path)) => (Some(GrammarDialect::LlamaCpp), path),
            Some(("vllm", path)) => (Some(GrammarDialect::Vllm), path),
            _ => (None, form.as_str()),
        };
        let path = Path::new(path);
        let refuse = |reason: String| CommandError::ResponseFormat {
            path: path.to_owned(),
            reason,
        };
        let bytes = read_input(path, "read the form of answers", MAX_INPUT_BYTES)?;
        let text = String::from_utf8(bytes).map_err(|_| refuse("is not UTF-8".to_owned()))?;
        Ok(Some(match dialect {
            Some(dialect) => AnswerConstraint::Grammar(dialect, text),
            None => AnswerConstraint::JsonSchema(AnswerSchema::parse(&text).map_err(refuse)?),
        }))
    }
}

fn parse_timeout(text: &str) -> Result<Duration, String> {
    parse_seconds(text, 0.001)
}

#[cfg(test)]
mod tests {
    use super::*;
    use axilog_oracle::ClientLimits;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: FreeServerArgs,
    }

    #[test]
    fn the_limits_of_calls_are_those_that_were_given() {
        let line = |line: &str| Line::parse_from(line.split_whitespace()).args.options();
        assert_eq!(line("axilog").limits, ClientLimits::default());
        let given = ClientLimits {
            timeout: Duration::from_millis(300),
            pace: Duration::from_millis(500),
            ..ClientLimits::default()
        };
        assert_eq!(line("axilog --timeout 0.3 --pace 0.5").limits, given);
    }
}
