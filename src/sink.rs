//! Sinks: where a writer of canonical bytes puts them, whether a buffer, a count or a hash.
//!
//! Determinism: D1. A record is written once, into whatever sink the caller brings; the library
//! allocates none.

#![forbid(unsafe_code)]

/// A receiver of canonical bytes.
pub trait Sink {
    /// Takes the next bytes.
    fn put(&mut self, bytes: &[u8]);
}

/// A sink as the writers are to take it: itself, so that a writer is compiled for each and inlined; or
/// on bare processors, where flash is scarcer than time, behind a table, so that it is compiled once.
#[cfg(not(target_os = "none"))]
pub fn shared<S: Sink>(sink: &mut S) -> &mut S {
    sink
}

/// A sink as the writers are to take it, behind a table on a bare processor.
#[cfg(target_os = "none")]
pub fn shared<'a, S: Sink + 'a>(sink: &'a mut S) -> &'a mut (dyn Sink + 'a) {
    sink
}

/// A sink over a caller's buffer. The buffer counts what does not fit and drops it.
pub struct Buffer<'a> {
    bytes: &'a mut [u8],
    len: usize,
}

impl<'a> Buffer<'a> {
    /// An empty buffer over `bytes`.
    pub fn new(bytes: &'a mut [u8]) -> Buffer<'a> {
        Buffer { bytes, len: 0 }
    }

    /// The bytes that were written; `None` where they did not fit.
    #[must_use]
    pub fn finish(self) -> Option<&'a mut [u8]> {
        self.bytes.get_mut(..self.len)
    }
}

impl Sink for Buffer<'_> {
    fn put(&mut self, bytes: &[u8]) {
        // The room has the length of `bytes` by its making, which leaves the copy no way to panic.
        let free = self.bytes.get_mut(self.len..).unwrap_or_default();
        if let Some(room) = free.get_mut(..bytes.len()) {
            room.copy_from_slice(bytes);
        }
        self.len = self.len.saturating_add(bytes.len());
    }
}

/// A sink that only counts.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counter {
    /// Bytes seen.
    pub len: usize,
}

impl Sink for Counter {
    fn put(&mut self, bytes: &[u8]) {
        self.len = self.len.saturating_add(bytes.len());
    }
}
