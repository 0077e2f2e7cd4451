//! The validation of JSON values, by the crate `jsonschema` under [`super::bounds`].

use std::thread;

use jsonschema::{Draft, PatternOptions, Retrieve, Uri, Validator};
use serde_json::Value;

use super::bounds::{MAX_COMPARISONS, MAX_PATTERN_MEMORY};
use super::expansion::{Expansion, measure_expansion};
use super::notes::list_notes;
use super::subschemas::count_values;
use super::violation::{InvalidSchema, SchemaViolation};

/// The stack for a value and a schema that both go deep: 128 levels of each, about 400 bytes per pair.
const DEEP_STACK_BYTES: usize = 32 << 20;

/// The longest constraint that a violation quotes, in bytes of JSON.
const MAX_CONSTRAINT_BYTES: usize = 400;

/// A compiled schema.
pub(super) struct Engine {
    document: Value,
    validator: Validator,
    /// The work that it takes, and whether it refers to itself, so that validation goes as deep as the value.
    expansion: Expansion,
}

/// A retriever of referenced documents that refuses each.
struct NoRetrieval;

impl Retrieve for NoRetrieval {
    fn retrieve(
        &self,
        uri: &Uri<String>,
    ) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
        Err(format!("{uri} is another document, and none is fetched; put it into `$defs`").into())
    }
}

impl Engine {
    /// Checks the bounds of a schema and compiles it.
    pub(super) fn compile(document: Value) -> Result<Engine, InvalidSchema> {
        let expansion = measure_expansion(&document)?;
        let patterns = PatternOptions::regex()
            .size_limit(MAX_PATTERN_MEMORY)
            .dfa_size_limit(MAX_PATTERN_MEMORY);
        let validator = jsonschema::options()
            .with_draft(Draft::Draft202012)
            .should_validate_formats(false)
            .with_pattern_options(patterns)
            .with_retriever(NoRetrieval)
            .build(&document)
            .map_err(|error| {
                let place = error.instance_path().as_str();
                InvalidSchema(format!("at {place:?}: {error}"))
            })?;
        Ok(Engine {
            document,
            validator,
            expansion,
        })
    }

    /// What the schema says that asserts nothing.
    pub(super) fn list_notes(&self) -> Vec<String> {
        list_notes(&self.document)
    }

    /// Checks a value that is nested at most 128 deep and has `bytes` bytes of text.
    pub(super) fn check(&self, value: &Value, bytes: usize) -> Result<(), SchemaViolation> {
        let size = count_values(value).saturating_add(bytes as u64 / 8);
        let comparisons = size.saturating_mul(self.expansion.comparisons);
        if comparisons > MAX_COMPARISONS {
            return Err(SchemaViolation::TooMuchWork { comparisons });
        }
        if self.expansion.is_recursive {
            return match self.is_valid_on_deep_stack(value) {
                true => Ok(()),
                false => Err(SchemaViolation::Recursive),
            };
        }
        self.validator.validate(value).map_err(|error| {
            let keyword = error.schema_path().as_str();
            let constraint = self.document.pointer(keyword).map(Value::to_string);
            SchemaViolation::Keyword {
                instance: error.instance_path().as_str().to_owned(),
                keyword: keyword.to_owned(),
                constraint: constraint.filter(|text| text.len() <= MAX_CONSTRAINT_BYTES),
            }
        })
    }

    /// Validates on a thread of its own with room for the deepest value and schema. A value that could not be
    /// validated does not conform.
    fn is_valid_on_deep_stack(&self, value: &Value) -> bool {
        thread::scope(|scope| {
            let validation = thread::Builder::new()
                .stack_size(DEEP_STACK_BYTES)
                .spawn_scoped(scope, || self.validator.is_valid(value));
            validation
                .ok()
                .and_then(|thread| thread.join().ok())
                .unwrap_or(false)
        })
    }
}
