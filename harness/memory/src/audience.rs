//! For whom an output is.

use crate::error::Result;
use crate::identifier::Identifier;
use crate::mask::{OutputClass, VisibilityMask};

/// For whom an output is: its class, and every player who will see it. The output holds only what all of
/// them may see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Audience {
    pub(crate) class: OutputClass,
    pub(crate) viewers: Vec<String>,
}

impl Audience {
    /// An audience of these players; without players it may see public facts only.
    ///
    /// # Errors
    /// [`MemoryError::Document`](crate::MemoryError::Document) for a viewer that is no name.
    pub fn new<S: AsRef<str>>(class: OutputClass, viewers: &[S]) -> Result<Audience> {
        let mut names = Vec::with_capacity(viewers.len());
        for viewer in viewers {
            names.push(Identifier::new("the audience", "viewer", viewer.as_ref())?.to_string());
        }
        names.sort();
        names.dedup();
        Ok(Audience {
            class,
            viewers: names,
        })
    }

    /// The same players, for an output of another class.
    pub(crate) fn with_class(&self, class: OutputClass) -> Audience {
        Audience {
            class,
            viewers: self.viewers.clone(),
        }
    }

    /// The lists of the table `visible` that have a fact with this mask.
    pub(crate) fn lists_of(mask: &VisibilityMask) -> Vec<String> {
        match mask {
            VisibilityMask::Players(mask) => {
                mask.players.iter().map(|p| Audience::list_of(p)).collect()
            }
            VisibilityMask::Word(_) => vec![mask.kind().to_string()],
        }
    }

    /// The name of the list of a player's facts in the table `visible`.
    pub(crate) fn list_of(player: &str) -> String {
        format!("PLAYER:{player}")
    }
}
