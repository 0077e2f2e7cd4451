//! What the pins say, and whether that is so here (document, section 7; gate G6).

use rusqlite::{OptionalExtension, params};

use crate::canonical::CanonicalJson;
use crate::entry::EntryKind;
use crate::error::{MemoryError, Result};
use crate::event_contract::EVENT_CONTRACT;
use crate::mask::MaskMatrix;
use crate::pinned_texts::text_pins;
use crate::pins::{MASK_MATRIX, find_pin};
use crate::policy::{self, GUESSES_PER_SCENE};
use crate::reader::MemoryReader;

/// The pins that are settings of the memory itself: it does as they say, so that they have no other value here.
pub(crate) const SETTINGS: [&str; 2] = [GUESSES_PER_SCENE, EVENT_CONTRACT];

/// What the machine has of what is pinned besides the memory's own pins: models, tokenizers, adapters, templates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MachinePins {
    /// The values here, by name and value.
    pub values: Vec<(String, String)>,
    /// The names of pins of which this machine has nothing. They are not asserted.
    pub absent: Vec<String>,
}

impl MachinePins {
    /// Whether something says what this pin is here.
    pub(crate) fn covers(&self, name: &str) -> bool {
        self.absent.iter().any(|absent| absent == name)
            || self.values.iter().any(|(given, _)| given == name)
    }
}

impl MemoryReader {
    /// Reads the pins, by name: name and value.
    ///
    /// # Errors
    /// [`MemoryError::Sqlite`].
    pub fn pins(&self) -> Result<Vec<(String, String)>> {
        let read = || {
            self.conn
                .prepare_cached("SELECT name, value FROM pin ORDER BY name")?
                .query_map(params![], |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect::<rusqlite::Result<Vec<_>>>()
        };
        read().map_err(self.read_error())
    }

    /// Reads the mask matrix that is pinned.
    pub(crate) fn mask_matrix(&self) -> Result<MaskMatrix> {
        let document: Option<Vec<u8>> = self
            .conn
            .prepare_cached("SELECT document FROM pin WHERE name = ?1")
            .and_then(|mut find| find.query_row([MASK_MATRIX], |row| row.get(0)).optional())
            .map_err(self.read_error())?
            .flatten();
        match document {
            Some(document) => {
                MaskMatrix::read(CanonicalJson::parse("the pinned mask matrix", &document)?)
            }
            None => Err(MemoryError::refused(
                "any output",
                "no mask matrix is pinned; append a PIN named mask_matrix with its document",
            )),
        }
    }

    /// Asserts the pins of this build and those `given`, by name and value.
    ///
    /// # Errors
    /// [`MemoryError::Pin`] for the first pin that has another value.
    pub fn assert_pins(&self, given: &[(String, String)]) -> Result<()> {
        let own = self.own_pins()?;
        own.iter()
            .chain(given)
            .try_for_each(|(name, value)| self.assert_pin(name, value))
    }

    /// Asserts every pin of the log: of this build, and of the machine, of which something must say what each is here.
    ///
    /// # Errors
    /// As [`MemoryReader::assert_pins`], and [`MemoryError::UnassertedPin`] for the first pin of which nothing does.
    pub(crate) fn assert_every_pin(&self, machine: &MachinePins) -> Result<()> {
        self.assert_pins(&machine.values)?;
        let own = self.own_pins()?;
        let is_own = |pin: &str| SETTINGS.contains(&pin) || own.iter().any(|(name, _)| name == pin);
        for (name, stored) in self.pins()? {
            if !is_own(&name) && !machine.covers(&name) {
                return Err(MemoryError::UnassertedPin { name, stored });
            }
        }
        Ok(())
    }

    /// The pins of this build and of the pinned matrix: name and value. A log from before a text or the plan of
    /// selection had a pin lacks it.
    pub(crate) fn own_pins(&self) -> Result<Vec<(String, String)>> {
        let matrix = self.mask_matrix()?.canonical().handle().to_string();
        let own = policy::own_pins()?
            .into_iter()
            .chain([(MASK_MATRIX, matrix)]);
        let mut own: Vec<_> = own.map(|(name, value)| (name.to_owned(), value)).collect();
        for (name, value) in &mut own {
            let pinned = find_pin(&self.conn, name).map_err(self.read_error())?;
            if let Some(pinned) = pinned.filter(|pinned| pinned != value)
                && policy::knows_earlier(name, &pinned)?
            {
                *value = pinned;
            }
        }
        for text in text_pins()? {
            if let Some(pinned) = find_pin(&self.conn, text.name).map_err(self.read_error())? {
                own.push((text.name.to_owned(), text.value_here(&pinned)));
            }
        }
        let selection = find_pin(&self.conn, policy::SELECTION).map_err(self.read_error())?;
        if selection.is_some() {
            own.push((
                policy::SELECTION.to_owned(),
                policy::selection()?.to_string(),
            ));
        }
        Ok(own)
    }

    /// Asserts that the pin `name` has the value `here`.
    pub(crate) fn assert_pin(&self, name: &str, here: &str) -> Result<()> {
        let stored = find_pin(&self.conn, name).map_err(self.read_error())?;
        if stored.as_deref() == Some(here) {
            return Ok(());
        }
        let entry = match stored {
            Some(_) => EntryKind::Revision,
            None => EntryKind::Pin,
        };
        Err(MemoryError::Pin {
            name: name.to_owned(),
            entry: entry.as_str(),
            stored: stored.unwrap_or("not there".to_owned()),
            found: here.to_owned(),
        })
    }
}
