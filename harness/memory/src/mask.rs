//! Who may see a fact, and which output may hold what (document, sections 4.1 and 4.5; GAP-005).

use serde_json::{Value, json};

use super::canonical::Canonical;
use super::error::{MemoryError, Result};
use super::fields::{Fields, is_name};

/// The `visibility_mask` of a fact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mask {
    /// Everybody.
    Public,
    /// These players, and nobody else at the table.
    Player(Vec<String>),
    /// Who leads the game.
    DmOnly,
    /// The machinery.
    System,
}

/// The names of the masks, as columns of the matrix.
pub const MASKS: [&str; 4] = ["PUBLIC", "PLAYER", "DM_ONLY", "SYSTEM"];

impl Mask {
    /// `"PUBLIC"`, `"DM_ONLY"`, `"SYSTEM"` or `{"PLAYER":["ana","ben"]}`.
    pub(super) fn read(what: &str, value: &Value) -> Result<Mask> {
        let wrong = || {
            MemoryError::field(
                what,
                "visibility_mask",
                value.to_string(),
                "\"PUBLIC\", \"DM_ONLY\", \"SYSTEM\" or {\"PLAYER\":[one or more player ids, sorted, none twice]}",
            )
        };
        match value {
            Value::String(word) => match word.as_str() {
                "PUBLIC" => Ok(Mask::Public),
                "DM_ONLY" => Ok(Mask::DmOnly),
                "SYSTEM" => Ok(Mask::System),
                _ => Err(wrong()),
            },
            Value::Object(members) if members.len() == 1 => {
                let players = members.get("PLAYER").and_then(Value::as_array);
                let names: Vec<String> = players
                    .into_iter()
                    .flatten()
                    .filter_map(|player| player.as_str().filter(|name| is_name(name)))
                    .map(str::to_owned)
                    .collect();
                let whole = players.is_some_and(|players| players.len() == names.len());
                // Sorted, so that one mask has one spelling and one hash.
                let sorted = names.is_sorted_by(|a, b| a < b);
                if !whole || names.is_empty() || !sorted {
                    return Err(wrong());
                }
                Ok(Mask::Player(names))
            }
            _ => Err(wrong()),
        }
    }

    /// As the matrix names it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Mask::Public => "PUBLIC",
            Mask::Player(_) => "PLAYER",
            Mask::DmOnly => "DM_ONLY",
            Mask::System => "SYSTEM",
        }
    }
}

/// What an output is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OutputClass {
    /// What the lens works with.
    WorkingSet,
    /// What the model reads.
    Prompt,
    /// What is said at the table.
    Narration,
    /// What is said again on request.
    Recap,
    /// What a picture may show.
    Pvib,
}

impl OutputClass {
    /// All there are.
    pub const ALL: [OutputClass; 5] = [
        OutputClass::WorkingSet,
        OutputClass::Prompt,
        OutputClass::Narration,
        OutputClass::Recap,
        OutputClass::Pvib,
    ];

    /// As the matrix names it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            OutputClass::WorkingSet => "WORKING_SET",
            OutputClass::Prompt => "PROMPT",
            OutputClass::Narration => "NARRATION",
            OutputClass::Recap => "RECAP",
            OutputClass::Pvib => "PVIB",
        }
    }
}

/// Which masks each output class may contain. Its id is the hash of its bytes, and a pin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MaskMatrix {
    canonical: Canonical,
}

impl MaskMatrix {
    /// What players may see: public facts, and those of players all of whom look on.
    ///
    /// # Errors
    /// None in practice.
    pub fn players() -> Result<MaskMatrix> {
        let row = json!(["PUBLIC", "PLAYER"]);
        let rows = OutputClass::ALL.map(|class| (class.as_str().to_owned(), row.clone()));
        MaskMatrix::read(Canonical::of(
            "the mask matrix",
            Value::Object(rows.into_iter().collect()),
        )?)
    }

    /// An object with one array of masks for each output class.
    ///
    /// # Errors
    /// [`MemoryError::Field`] for anything else.
    pub fn read(canonical: Canonical) -> Result<MaskMatrix> {
        let fields = Fields::of("the mask matrix", canonical.value())?;
        fields.only(&OutputClass::ALL.map(OutputClass::as_str))?;
        for class in OutputClass::ALL {
            let row = fields.get(class.as_str()).and_then(Value::as_array);
            let known = |mask: &Value| mask.as_str().is_some_and(|mask| MASKS.contains(&mask));
            if !row.is_some_and(|row| row.iter().all(known)) {
                let expected = format!("an array of {}", MASKS.join(", "));
                return Err(fields.wrong(class.as_str(), &expected));
            }
        }
        Ok(MaskMatrix { canonical })
    }

    /// Its bytes.
    #[must_use]
    pub fn canonical(&self) -> &Canonical {
        &self.canonical
    }

    /// Whether outputs of `class` may hold what has the mask of this name.
    #[must_use]
    pub fn allows(&self, class: OutputClass, mask: &str) -> bool {
        let row = self.canonical.value().get(class.as_str());
        row.and_then(Value::as_array)
            .is_some_and(|row| row.iter().any(|allowed| allowed == mask))
    }
}
