//! The manifest of a ledger: what else it is bound to from its first record.
//!
//! formats.md §5 (Manifest, Configuration); decision D30. The configuration names the manifest by its SHA-256, and
//! every reset names the configuration, so nobody can exchange either without writing the ledger anew. The
//! manifest and the schemas that it names lie among the blobs.

use std::collections::{BTreeMap, BTreeSet};

use axilog::hash::{Hash, HexHash, sha256, unhex};
use serde::{Deserialize, Serialize};

use crate::error::LedgerError;
use crate::file::blobs::BlobStore;
use crate::jcs::canonicalize;
use crate::running_values::{RunningValues, check_running_values};

/// The most bytes of a name.
pub const MAX_NAME_BYTES: usize = 256;
/// The most bytes of a note.
pub const MAX_NOTE_BYTES: usize = 4096;
/// The most bytes of a manifest that are read.
pub const MAX_MANIFEST_BYTES: u64 = 1 << 20;

/// What a ledger is bound to beside its policies.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The sealed ledger that this one goes on from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    follows: Option<Predecessor>,
    /// The ledger's name, which its checkpoints have as their origin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// A text for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    /// The oracles that may answer; any where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    oracles: Option<BTreeSet<String>>,
    /// Whether only an oracle may answer that an enabled policy judges.
    #[serde(default, skip_serializing_if = "is_false")]
    require_policy: bool,
    /// What the ledger computes over the answers of oracles, and records itself.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    running_values: RunningValues,
    /// The declared schemas of each oracle.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    schemas: BTreeMap<String, OracleSchemas>,
}

/// A sealed ledger that another one goes on from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Predecessor {
    /// The number of its records, genesis and seal included.
    pub entries: u64,
    /// The chain value of its seal, in hexadecimal.
    pub head: String,
}

/// The declared schemas of an oracle, each named by the SHA-256 of a canonical JSON Schema document in hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OracleSchemas {
    /// The schema of what the oracle is asked; `None` where it is not declared.
    pub input: Option<String>,
    /// The schema of what it answers; `None` where it is not declared.
    pub output: Option<String>,
}

impl OracleSchemas {
    /// The hash of the schema of what the oracle is asked; `None` where it is not declared.
    #[must_use]
    pub fn input_hash(&self) -> Option<Hash> {
        self.input.as_deref().and_then(parse_hash)
    }

    /// The hash of the schema of what it answers; `None` where it is not declared.
    #[must_use]
    pub fn output_hash(&self) -> Option<Hash> {
        self.output.as_deref().and_then(parse_hash)
    }
}

/// The reason why a manifest is refused, in words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidManifest(String);

/// The manifest that a configuration names, as it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FoundManifest {
    /// The manifest is there, and is the one named.
    Good(Manifest),
    /// There is no such blob.
    Missing,
    /// The blob is another document, or none; the text says which.
    Bad(String),
}

impl Manifest {
    /// Makes a manifest of a name and a note. `name` has 1 to 256 visible ASCII characters and no `+`, so that it can be
    /// the origin of checkpoints; `note` has at most 4096 bytes without control characters but line feeds.
    ///
    /// # Errors
    /// [`InvalidManifest`].
    pub fn new(name: Option<&str>, note: Option<&str>) -> Result<Manifest, InvalidManifest> {
        let manifest = Manifest {
            name: name.map(str::to_owned),
            note: note.map(str::to_owned),
            ..Manifest::default()
        };
        manifest.check()?;
        Ok(manifest)
    }

    /// Reads a manifest, which must be in canonical form.
    ///
    /// # Errors
    /// [`InvalidManifest`]: not JSON, an unknown member, a value out of its range, another form.
    pub fn parse(bytes: &[u8]) -> Result<Manifest, InvalidManifest> {
        let manifest: Manifest =
            serde_json::from_slice(bytes).map_err(|error| InvalidManifest(error.to_string()))?;
        manifest.check()?;
        match manifest.to_canonical() == bytes {
            true => Ok(manifest),
            false => Err(InvalidManifest("it is not in canonical form".to_owned())),
        }
    }

    /// The same manifest with other schemas, each named by its hash.
    ///
    /// # Errors
    /// [`InvalidManifest`] for a hash that is none.
    pub fn with_schemas(
        &self,
        schemas: BTreeMap<String, OracleSchemas>,
    ) -> Result<Manifest, InvalidManifest> {
        let manifest = Manifest {
            schemas,
            ..self.clone()
        };
        manifest.check()?;
        Ok(manifest)
    }

    /// The same manifest, of a ledger that goes on from another one.
    ///
    /// # Errors
    /// [`InvalidManifest`] for a head that is no chain value.
    pub fn with_predecessor(&self, predecessor: Predecessor) -> Result<Manifest, InvalidManifest> {
        let manifest = Manifest {
            follows: Some(predecessor),
            ..self.clone()
        };
        manifest.check()?;
        Ok(manifest)
    }

    /// The same manifest with the oracles that may answer, in place of others.
    ///
    /// # Errors
    /// [`InvalidManifest`] for none, and where a schema is declared of another oracle.
    pub fn with_oracles(&self, oracles: BTreeSet<String>) -> Result<Manifest, InvalidManifest> {
        let manifest = Manifest {
            oracles: Some(oracles),
            ..self.clone()
        };
        manifest.check()?;
        Ok(manifest)
    }

    /// The same manifest, with or without the demand that only an oracle may answer that an enabled policy judges.
    #[must_use]
    pub fn with_required_policy(&self, require_policy: bool) -> Manifest {
        Manifest {
            require_policy,
            ..self.clone()
        }
    }

    /// The same manifest with these running values in place of others.
    ///
    /// # Errors
    /// [`InvalidManifest`] for what [`check_running_values`] refuses, and for a running value of an oracle that may not
    /// answer.
    pub fn with_running_values(
        &self,
        running_values: RunningValues,
    ) -> Result<Manifest, InvalidManifest> {
        let manifest = Manifest {
            running_values,
            ..self.clone()
        };
        manifest.check()?;
        Ok(manifest)
    }

    fn check(&self) -> Result<(), InvalidManifest> {
        let invalid = |text: String| Err(InvalidManifest(text));
        if let Some(name) = &self.name {
            if name.is_empty() || name.len() > MAX_NAME_BYTES {
                return invalid(format!(
                    "the name has {} bytes; give 1 to {MAX_NAME_BYTES}",
                    name.len()
                ));
            }
            if let Some(bad) = name.chars().find(|c| !c.is_ascii_graphic() || *c == '+') {
                return invalid(format!(
                    "the name has the character U+{:04X}; give visible ASCII characters without space and \"+\"",
                    u32::from(bad)
                ));
            }
        }
        if let Some(note) = &self.note {
            if note.len() > MAX_NOTE_BYTES {
                return invalid(format!(
                    "the note has {} bytes; give at most {MAX_NOTE_BYTES}",
                    note.len()
                ));
            }
            if let Some(bad) = note.chars().find(|c| c.is_control() && *c != '\n') {
                return invalid(format!(
                    "the note has the control character U+{:04X}; leave it out",
                    u32::from(bad)
                ));
            }
        }
        if let Some(Predecessor { head, .. }) = &self.follows
            && parse_hash(head).is_none()
        {
            return invalid(format!(
                "found {head:?} for the head of the ledger that it follows, expected 64 lower-case hexadecimal digits"
            ));
        }
        if let Some(oracles) = &self.oracles {
            if oracles.is_empty() {
                return invalid(
                    "it declares oracles and names none; name at least one, or leave them out"
                        .to_owned(),
                );
            }
            if let Some(other) = self.schemas.keys().find(|id| !oracles.contains(*id)) {
                return invalid(format!(
                    "it declares a schema of the oracle {other:?}, which is not among the oracles that it declares; declare it too, or leave its schema out"
                ));
            }
        }
        check_running_values(&self.running_values)
            .map_err(|error| InvalidManifest(error.to_string()))?;
        if let Some(oracles) = &self.oracles
            && let Some((id, value)) = self
                .running_values
                .iter()
                .find(|(_, value)| !oracles.contains(&value.oracle))
        {
            return invalid(format!(
                "the running value {id:?} is of the oracle {:?}, which is not among the oracles that it declares; declare it too, or leave the running value out",
                value.oracle
            ));
        }
        let named = self.schemas.values().flat_map(|s| [&s.input, &s.output]);
        for hash in named.flatten() {
            if parse_hash(hash).is_none() {
                return invalid(format!(
                    "found {hash:?} for a schema, expected 64 lower-case hexadecimal digits"
                ));
            }
        }
        Ok(())
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The note.
    #[must_use]
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// The sealed ledger that this one goes on from.
    #[must_use]
    pub fn predecessor(&self) -> Option<&Predecessor> {
        self.follows.as_ref()
    }

    /// The oracles that may answer; `None` where any may.
    #[must_use]
    pub fn oracles(&self) -> Option<&BTreeSet<String>> {
        self.oracles.as_ref()
    }

    /// Whether only an oracle may answer that an enabled policy judges.
    #[must_use]
    pub fn requires_policy(&self) -> bool {
        self.require_policy
    }

    /// What the ledger computes over the answers of oracles, by the oracle id under which it is recorded.
    #[must_use]
    pub fn running_values(&self) -> &RunningValues {
        &self.running_values
    }

    /// The declared schemas, by oracle id.
    #[must_use]
    pub fn schemas(&self) -> &BTreeMap<String, OracleSchemas> {
        &self.schemas
    }

    /// The hashes of all declared schemas.
    pub fn schema_hashes(&self) -> impl Iterator<Item = Hash> {
        let named = self.schemas.values().flat_map(|s| [&s.input, &s.output]);
        named.flatten().filter_map(|hash| parse_hash(hash))
    }

    /// The manifest in canonical form.
    #[must_use]
    pub fn to_canonical(&self) -> Vec<u8> {
        // Neither fails: a manifest has only texts, and what serde_json writes is JSON.
        let text = serde_json::to_vec(self).unwrap_or_default();
        canonicalize(&text).unwrap_or(text)
    }

    /// SHA-256 of the canonical form, which the configuration names.
    #[must_use]
    pub fn hash(&self) -> Hash {
        sha256(&self.to_canonical())
    }
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands a reference to the function that skips a member"
)]
fn is_false(value: &bool) -> bool {
    !value
}

/// Finds the manifest `hash` among the blobs.
///
/// # Errors
/// Those of [`BlobStore::read`].
pub fn find_manifest(blobs: &BlobStore, hash: &Hash) -> Result<FoundManifest, LedgerError> {
    Ok(match blobs.read(hash, MAX_MANIFEST_BYTES)? {
        None => FoundManifest::Missing,
        Some(bytes) if sha256(&bytes) != *hash => {
            FoundManifest::Bad("its bytes have another hash".to_owned())
        }
        Some(bytes) => match Manifest::parse(&bytes) {
            Ok(manifest) => FoundManifest::Good(manifest),
            Err(error) => FoundManifest::Bad(error.to_string()),
        },
    })
}

fn parse_hash(text: &str) -> Option<Hash> {
    unhex(&HexHash::try_from(text.as_bytes()).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoding::hex;

    #[test]
    fn a_manifest_is_read_back_as_it_was_written() {
        let manifest = Manifest::new(Some("plant/pump-3"), Some("trial \"A\"\nof May")).unwrap();
        let bytes = manifest.to_canonical();
        assert_eq!(
            String::from_utf8(bytes.clone()).unwrap(),
            r#"{"name":"plant/pump-3","note":"trial \"A\"\nof May"}"#
        );
        assert_eq!(Manifest::parse(&bytes).unwrap(), manifest);
        // The manifest of the vector `manifest` in tests/vectors/agent.json.
        assert_eq!(Manifest::default().to_canonical(), b"{}");
        assert_eq!(
            hex(&Manifest::default().hash()),
            "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
        );
        let hash = "ab".repeat(32);
        let schemas = format!(r#"{{"schemas":{{"llm":{{"input":null,"output":"{hash}"}}}}}}"#);
        let manifest = Manifest::parse(schemas.as_bytes()).unwrap();
        assert_eq!(manifest.schema_hashes().collect::<Vec<_>>(), [[0xab; 32]]);
        let follows = Predecessor {
            entries: 9,
            head: hash.clone(),
        };
        let manifest = Manifest::default()
            .with_predecessor(follows.clone())
            .unwrap();
        let bytes = format!(r#"{{"follows":{{"entries":9,"head":"{hash}"}}}}"#);
        assert_eq!(manifest.to_canonical(), bytes.as_bytes());
        let manifest = Manifest::parse(bytes.as_bytes()).unwrap();
        assert_eq!(manifest.predecessor(), Some(&follows));
        let oracles = BTreeSet::from(["b".to_owned(), "a".to_owned()]);
        let manifest = Manifest::default().with_oracles(oracles.clone()).unwrap();
        assert_eq!(manifest.to_canonical(), br#"{"oracles":["a","b"]}"#);
        let manifest = manifest.with_required_policy(true);
        let bytes = br#"{"oracles":["a","b"],"require_policy":true}"#;
        assert_eq!(manifest.to_canonical(), bytes);
        let manifest = Manifest::parse(bytes).unwrap();
        assert_eq!(manifest.oracles(), Some(&oracles));
        assert!(manifest.requires_policy());
    }

    #[test]
    fn what_is_no_manifest_is_refused_with_its_reason() {
        for (bytes, reason) in [
            ("[]", "canonical form"),
            ("{\"nme\":\"a\"}", "unknown field"),
            ("{\"name\": \"a\"}", "canonical form"),
            ("{\"name\":\"\"}", "has 0 bytes"),
            ("{\"name\":\"a b\"}", "U+0020"),
            ("{\"name\":\"a+b\"}", "U+002B"),
            ("{\"name\":\"\u{430}\"}", "U+0430"),
            ("{\"note\":\"a\\u0007\"}", "U+0007"),
            (r#"{"oracles":[]}"#, "names none"),
            (r#"{"follows":{"entries":1,"head":"AB"}}"#, "64 lower-case"),
            (r#"{"follows":{"entries":1}}"#, "head"),
            (r#"{"oracles":["b","a"]}"#, "canonical form"),
            (r#"{"oracles":["a","a"]}"#, "canonical form"),
            (r#"{"require_policy":false}"#, "canonical form"),
            (
                r#"{"oracles":["a"],"schemas":{"o":{"input":null,"output":null}}}"#,
                "a schema of the oracle \"o\"",
            ),
            (
                "{\"schemas\":{\"o\":{\"input\":null,\"output\":\"AB\"}}}",
                "64 lower-case",
            ),
        ] {
            let error = Manifest::parse(bytes.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(reason), "{bytes}: {error}");
        }
        assert!(Manifest::new(None, Some(&"x".repeat(4097))).is_err());
    }
}
