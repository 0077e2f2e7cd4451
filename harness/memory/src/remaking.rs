//! Making again what a model's side was shown, from the log as it stood before, and comparing the hashes.

use std::fmt;

use crate::error::{MemoryError, Result};
use crate::guesses::{count_guesses, read_limit};
use crate::handle::Handle;
use crate::query::WorkingSetQuery;
use crate::reader::MemoryReader;
use crate::shown_body::{ShownBody, ShownKind, ShownRequest};

/// An output that was shown, and is another one when it is made again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownDifference {
    /// The entry that records the output.
    pub seq: u64,
    /// What kind of output it is.
    pub kind: ShownKind,
    /// The `bytes_hash` that the entry has.
    pub expected: Handle,
    /// The `bytes_hash` of the output as it is made again, if it can be made at all.
    pub found: Option<Handle>,
    /// What differs, in words.
    pub reason: String,
}

impl fmt::Display for ShownDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seq, kind, expected) = (self.seq, self.kind, self.expected);
        write!(f, "entry {seq} SHOWN {kind}: {}; ", self.reason)?;
        match self.found {
            Some(found) => write!(f, "expected bytes_hash {expected}, found {found}"),
            None => write!(f, "expected bytes_hash {expected}, found none"),
        }
    }
}

/// The outputs that were shown, as a rebuild finds them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RemadeOutputs {
    /// How many were made again with the same bytes.
    pub same: u64,
    /// How many narrations were refused: their texts are not kept, and cannot be judged again.
    pub refused_narrations: u64,
    /// The entries of outputs that were made under other pins than those of this build, or whose budget another version of a
    /// tokenizer counted, which cannot be made again here.
    pub other_pins: Vec<u64>,
    /// The outputs that are other ones now.
    pub differences: Vec<ShownDifference>,
}

/// An output as it is made again.
struct RemadeOutput {
    bytes_hash: Handle,
    working_set_id: Option<Handle>,
}

impl RemadeOutputs {
    /// The entries of outputs under other pins, as a text: the first ten, and how many more there are.
    #[must_use]
    pub fn list_other_pins(&self) -> String {
        let first: Vec<String> = self
            .other_pins
            .iter()
            .take(10)
            .map(u64::to_string)
            .collect();
        let more = self.other_pins.len().saturating_sub(10);
        match more {
            0 => first.join(", "),
            _ => format!("{} and {more} more", first.join(", ")),
        }
    }

    /// Makes the output of the entry `seq` again. The tables that `reader` reads are those of the entries before it.
    ///
    /// # Errors
    /// [`MemoryError::Sqlite`] and the like: what is wrong with the output itself becomes a difference.
    pub(crate) fn take(&mut self, reader: &MemoryReader, seq: u64, body: &ShownBody) -> Result<()> {
        let remade = match reader.assert_pins(&[]) {
            Ok(()) => remake(reader, body),
            Err(MemoryError::Pin { .. }) => {
                self.other_pins.push(seq);
                return Ok(());
            }
            Err(error) => Err(error),
        };
        let (found, reason) = match remade {
            Err(MemoryError::OtherTokenizer { .. } | MemoryError::Tokens(_)) => {
                self.other_pins.push(seq);
                return Ok(());
            }
            Ok(None) => {
                self.refused_narrations += 1;
                return Ok(());
            }
            Ok(Some(remade)) => match compare(body, &remade) {
                None => {
                    self.same += 1;
                    return Ok(());
                }
                Some(reason) => (Some(remade.bytes_hash), reason),
            },
            Err(
                error @ (MemoryError::Budget { .. }
                | MemoryError::Document { .. }
                | MemoryError::Guess { .. }
                | MemoryError::Leak { .. }
                | MemoryError::Refused { .. }),
            ) => (None, format!("it cannot be made again: {error}")),
            Err(error) => return Err(error),
        };
        self.differences.push(ShownDifference {
            seq,
            kind: body.kind,
            expected: body.bytes_hash,
            found,
            reason,
        });
        Ok(())
    }
}

/// Says what differs.
fn compare(body: &ShownBody, remade: &RemadeOutput) -> Option<String> {
    if body.bytes_hash != remade.bytes_hash {
        return Some("made again it has other bytes".to_owned());
    }
    (body.working_set_id != remade.working_set_id).then(|| {
        let id = |id: Option<Handle>| id.map_or("none".to_owned(), |id| id.to_string());
        let (expected, found) = (id(body.working_set_id), id(remade.working_set_id));
        format!("made again it is of the working set {found}, and the entry says {expected}")
    })
}

/// Makes an output again; gives nothing for a narration that was refused.
fn remake(reader: &MemoryReader, body: &ShownBody) -> Result<Option<RemadeOutput>> {
    let (bytes_hash, working_set_id) = match body.request()? {
        ShownRequest::WorkingSet(query) => {
            check_search(reader, &query)?;
            let set = reader.build_working_set(&query)?;
            (Handle::of(set.bytes()), Some(set.id()))
        }
        ShownRequest::Prompt(query, request) => {
            check_search(reader, &query)?;
            let (prompt, guesses) = reader.clean_prompt(&query, &request)?;
            let is_over = !request.is_empty() && is_over_limit(reader)?;
            let what = "request";
            let prompt = prompt.filter(|_| guesses == 0 && !is_over);
            let prompt = prompt.ok_or(MemoryError::Guess { what })?;
            let set = prompt.working_set().id();
            (Handle::of(prompt.text().as_bytes()), Some(set))
        }
        ShownRequest::Narration(viewers, text) => {
            let (narration, guesses) = reader.judge_narration(&viewers, &text)?;
            let is_over = guesses > 0 && is_over_limit(reader)?;
            let what = "narration";
            let narration = narration.filter(|_| !is_over);
            let narration = narration.ok_or(MemoryError::Guess { what })?;
            (Handle::of(narration.text().as_bytes()), None)
        }
        ShownRequest::RefusedNarration => return Ok(None),
        ShownRequest::Brief(query, handles) => {
            check_search(reader, &query)?;
            let brief = reader.build_image_brief(&query, Some(&handles))?;
            (brief.canonical().handle(), Some(brief.working_set_id()))
        }
    };
    Ok(Some(RemadeOutput {
        bytes_hash,
        working_set_id,
    }))
}

/// Refuses what a query searches for where it has a guess, or comes after too many: it would not have been answered.
fn check_search(reader: &MemoryReader, query: &WorkingSetQuery) -> Result<()> {
    let (_, guesses) = reader.clean_search(query)?;
    match query.search.is_some() && (guesses > 0 || is_over_limit(reader)?) {
        true => Err(MemoryError::Guess { what: "search" }),
        false => Ok(()),
    }
}

/// Whether the scene had more guesses than it allows. The guesses of a text are logged before what is shown of it.
fn is_over_limit(reader: &MemoryReader) -> Result<bool> {
    let state = reader.story_state()?;
    let counted =
        count_guesses(&reader.conn, &state).and_then(|count| Ok(count > read_limit(&reader.conn)?));
    counted.map_err(reader.read_error())
}
