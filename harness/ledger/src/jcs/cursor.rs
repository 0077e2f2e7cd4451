//! A cursor over JSON text that reports how far it was read.

use std::cell::Cell;

use axilog::json::source::{Plain, Source};

/// A cursor that stores the furthest position that was read. The core's reader does not say where it
/// stopped.
#[derive(Clone, Copy)]
pub struct TrackingCursor<'a> {
    text: Plain<'a>,
    furthest: &'a Cell<usize>,
}

impl<'a> TrackingCursor<'a> {
    /// Creates a cursor at the position of `text`; `furthest` follows it.
    pub fn new(text: Plain<'a>, furthest: &'a Cell<usize>) -> TrackingCursor<'a> {
        furthest.set(text.position());
        TrackingCursor { text, furthest }
    }

    /// The text from the same position on.
    pub fn into_text(self) -> Plain<'a> {
        self.text
    }
}

impl TrackingCursor<'_> {
    fn note_position(&self) {
        let furthest = self.furthest.get().max(self.text.position());
        self.furthest.set(furthest);
    }
}

impl<'a> Source<'a> for TrackingCursor<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.peek()
    }

    fn bump(&mut self) {
        self.text.bump();
        self.note_position();
    }

    fn position(&self) -> usize {
        self.text.position()
    }

    fn skip_plain(&mut self) {
        self.text.skip_plain();
        self.note_position();
    }

    fn since(&self, start: usize) -> &'a [u8] {
        self.text.since(start)
    }
}
