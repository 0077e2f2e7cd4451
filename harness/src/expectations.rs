//! What the caller of `verify` and `replay` knows about ledgers from elsewhere.

use std::path::PathBuf;

use axilog::hash::{Hash, HexHash, unhex};
use axilog_ledger::verify::LedgerExpectations;

use crate::error::CommandError;

#[derive(clap::Args)]
pub(crate) struct ExpectedArgs {
    /// The chain value of the last record, 64 hexadecimal digits. For one FILE only.
    #[arg(long, value_name = "HEX", value_parser = parse_head)]
    expect_head: Option<Hash>,
    /// How many records there are, genesis included, a seal not counted. For one FILE only.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    expect_entries: Option<u64>,
    /// The model that an oracle must have; may be given for several oracles.
    #[arg(long, value_name = "ORACLE=MODEL", value_parser = parse_oracle_model)]
    expect_model: Vec<(String, String)>,
}

impl ExpectedArgs {
    /// What is expected of each of `files`.
    ///
    /// # Errors
    /// [`CommandError::OneLedger`] where what one ledger alone can have is expected of several.
    pub(crate) fn for_files(&self, files: &[PathBuf]) -> Result<LedgerExpectations, CommandError> {
        let single = [
            (self.expect_head.is_some(), "--expect-head"),
            (self.expect_entries.is_some(), "--expect-entries"),
        ];
        match single
            .into_iter()
            .find(|(given, _)| *given && files.len() > 1)
        {
            Some((_, option)) => Err(CommandError::OneLedger(option)),
            None => Ok(LedgerExpectations {
                entries: self.expect_entries,
                head: self.expect_head,
                models: self.expect_model.clone(),
            }),
        }
    }
}

fn parse_head(text: &str) -> Result<Hash, String> {
    let digits = text.to_ascii_lowercase();
    HexHash::try_from(digits.as_bytes())
        .ok()
        .and_then(|digits| unhex(&digits))
        .ok_or_else(|| "expected 64 hexadecimal digits".to_owned())
}

fn parse_oracle_model(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((oracle, model)) if !oracle.is_empty() && !model.is_empty() => {
            Ok((oracle.to_owned(), model.to_owned()))
        }
        _ => Err("expected ORACLE=MODEL".to_owned()),
    }
}
