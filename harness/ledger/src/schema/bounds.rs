//! The bounds of schemas and of what is validated.

/// The most bytes of a schema, as it is given and in canonical form.
pub const MAX_SCHEMA_BYTES: usize = 256 << 10;
/// The most bytes of a question or an answer that are validated; a longer one violates every schema.
pub const MAX_VALIDATED_BYTES: usize = 1 << 20;
/// The most subschemas that a schema may have when its references are written out, recursion not repeated.
pub const MAX_SUBSCHEMAS: u64 = 5000;
/// The most comparisons that the validation of one text may take: those of the schema with its references written out,
/// times the JSON values and eighths of bytes of the text. A text that would take more violates the schema.
pub const MAX_COMPARISONS: u64 = 100_000_000;
/// The most subschemas within each other when references are written out, recursion not repeated.
pub const MAX_SUBSCHEMA_DEPTH: usize = 128;
/// The most regular expressions in a schema.
pub const MAX_PATTERNS: usize = 100;
/// The most bytes that a compiled regular expression may take.
pub const MAX_PATTERN_MEMORY: usize = 256 << 10;
/// The dialect, as the member `$schema` names it.
pub const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// Whether this build can validate. Without the feature `schemas` no schema can be read, and a ledger whose manifest
/// declares some takes no answers.
pub const CAN_VALIDATE: bool = cfg!(feature = "schemas");
