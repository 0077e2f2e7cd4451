//! The schema files that a command line names.

use std::path::PathBuf;

use axilog_ledger::input_file::read_input;
use axilog_ledger::schema::bounds::{CAN_VALIDATE, MAX_SCHEMA_BYTES};
use axilog_ledger::schema::{DeclaredSchemas, Schema, SchemaSubject};
use axilog_ledger::visible_text::escape_identity;

use crate::error::CommandError;

/// Schemas that were read from files.
pub(crate) struct SchemaFiles {
    pub(crate) declared: DeclaredSchemas,
    /// What they say that asserts nothing, such as misspelt keywords.
    pub(crate) notes: Vec<String>,
}

impl SchemaFiles {
    /// Reads the files of `--schema`, which are about answers, and of `--input-schema`.
    pub(crate) fn read(
        outputs: &[(String, PathBuf)],
        inputs: &[(String, PathBuf)],
    ) -> Result<SchemaFiles, CommandError> {
        let mut read = SchemaFiles {
            declared: DeclaredSchemas::default(),
            notes: Vec::new(),
        };
        for (option, subject, files) in [
            ("--schema", SchemaSubject::Output, outputs),
            ("--input-schema", SchemaSubject::Input, inputs),
        ] {
            for (oracle, path) in files {
                if !CAN_VALIDATE {
                    return Err(CommandError::NotBuilt("schemas"));
                }
                if read.declared.get(oracle, subject).is_some() {
                    let oracle = oracle.clone();
                    return Err(CommandError::SchemaTwice { option, oracle });
                }
                let text = read_input(path, "read the schema", MAX_SCHEMA_BYTES as u64)?;
                let schema =
                    Schema::parse(&text).map_err(|source| CommandError::InvalidSchema {
                        path: path.clone(),
                        source,
                    })?;
                let whose = escape_identity(oracle);
                let notes = schema.list_notes().into_iter();
                read.notes.extend(
                    notes.map(|note| format!("{option} {whose}={}: {note}", path.display())),
                );
                read.declared = read.declared.with(oracle, subject, schema);
            }
        }
        Ok(read)
    }
}

/// Reads `ORACLE=FILE`.
pub(crate) fn parse_oracle_file(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((oracle, file)) if !oracle.is_empty() && !file.is_empty() => {
            Ok((oracle.to_owned(), file.into()))
        }
        _ => Err("expected ORACLE=FILE".to_owned()),
    }
}
