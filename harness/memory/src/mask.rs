//! Who may see a fact, and which output may hold which facts (document, sections 4.1 and 4.5; GAP-005).

use std::collections::BTreeMap;

use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::canonical::CanonicalJson;
use crate::document::{object, one_or_more, read_document};
use crate::error::{MemoryError, Result};
use crate::identifier::Identifier;
use crate::words::{explain_missing, words};

words! {
    /// A kind of visibility mask, as the mask matrix names it.
    pub enum MaskKind {
        /// Everybody may see the fact.
        Public = "PUBLIC",
        /// Only the named players may see the fact.
        Player = "PLAYER",
        /// Only who leads the game may see the fact.
        DmOnly = "DM_ONLY",
        /// Only the machinery may see the fact.
        System = "SYSTEM",
    }
}

/// The `visibility_mask` of a fact: `"PUBLIC"`, `"DM_ONLY"`, `"SYSTEM"` or `{"PLAYER":["ana","ben"]}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(crate) enum VisibilityMask {
    /// A mask that names nobody.
    Word(MaskKind),
    /// The players who may see the fact, sorted.
    Players(PlayerMask),
}

/// The players who may see a fact, and nobody else at the table.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlayerMask {
    #[serde(rename = "PLAYER", deserialize_with = "one_or_more")]
    pub(crate) players: Vec<Identifier>,
}

impl VisibilityMask {
    /// The mask as the matrix names it.
    pub(crate) fn kind(&self) -> MaskKind {
        match self {
            VisibilityMask::Word(kind) => *kind,
            VisibilityMask::Players(_) => MaskKind::Player,
        }
    }
}

impl<'de> Deserialize<'de> for VisibilityMask {
    fn deserialize<D: Deserializer<'de>>(
        deserializer: D,
    ) -> std::result::Result<VisibilityMask, D::Error> {
        const EXPECTED: &str = "\"PUBLIC\", \"DM_ONLY\", \"SYSTEM\" or {\"PLAYER\":[one or more player ids, sorted, none twice]}";
        let value =
            Value::deserialize(deserializer).map_err(|error| explain_missing(error, &EXPECTED))?;
        let kind = value.as_str().and_then(MaskKind::parse);
        if let Some(kind) = kind.filter(|kind| *kind != MaskKind::Player) {
            return Ok(VisibilityMask::Word(kind));
        }
        // Sorted, so that one mask has one spelling and one hash.
        match object::<_, PlayerMask>(&value) {
            Ok(mask) if mask.players.is_sorted() => Ok(VisibilityMask::Players(mask)),
            _ => Err(Error::custom(format!("found {value}, expected {EXPECTED}"))),
        }
    }
}

words! {
    /// The class of an output: what the output is for.
    pub enum OutputClass {
        /// What the narrator's program works with.
        WorkingSet = "WORKING_SET",
        /// What the model reads.
        Prompt = "PROMPT",
        /// What is said at the table.
        Narration = "NARRATION",
        /// A summary that the players ask for.
        Recap = "RECAP",
        /// What a picture may show.
        Pvib = "PVIB",
    }
}

/// The mask matrix: which masks each output class may contain. Its id is the hash of its bytes, and a pin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MaskMatrix {
    canonical: CanonicalJson,
    rows: BTreeMap<OutputClass, Vec<MaskKind>>,
}

impl MaskMatrix {
    /// The built-in matrix: every output class may contain public facts and players' facts.
    ///
    /// # Errors
    /// None in practice.
    pub fn players() -> Result<MaskMatrix> {
        let row = || vec![MaskKind::Public, MaskKind::Player];
        let rows = BTreeMap::from(OutputClass::ALL.map(|class| (class, row())));
        let canonical = CanonicalJson::from_document("the mask matrix", &rows)?;
        Ok(MaskMatrix { canonical, rows })
    }

    /// Reads a matrix: an object with one array of masks for each output class.
    ///
    /// # Errors
    /// [`MemoryError::Document`] for anything else.
    pub fn read(canonical: CanonicalJson) -> Result<MaskMatrix> {
        let what = "the mask matrix";
        let rows: BTreeMap<OutputClass, Vec<MaskKind>> = read_document(what, canonical.value())?;
        match OutputClass::ALL
            .iter()
            .find(|class| !rows.contains_key(class))
        {
            None => Ok(MaskMatrix { canonical, rows }),
            Some(class) => {
                let reason = format!(
                    "missing field `{class}`, expected an array of masks for each output class"
                );
                Err(MemoryError::document(what, "$", reason))
            }
        }
    }

    /// The matrix as canonical JSON.
    #[must_use]
    pub fn canonical(&self) -> &CanonicalJson {
        &self.canonical
    }

    /// Whether outputs of `class` may hold facts with a mask of this kind.
    #[must_use]
    pub fn allows(&self, class: OutputClass, mask: MaskKind) -> bool {
        self.rows.get(&class).is_some_and(|row| row.contains(&mask))
    }
}
