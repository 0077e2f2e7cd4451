//! The model of each oracle of a ledger: one, always the same (SRS-004 §7.2, SHALL-008).
//! Determinism: D2.

#[cfg(not(target_os = "none"))]
use super::byte_reader::ByteReader;
use super::verdict::Verdict;
use crate::agent::stimulus::is_reserved;
use crate::hash::Hasher;
use crate::sink::{Buffer, Sink};

/// The number of distinct oracles that one replay can hold to their models.
pub const MAX_ORACLES: usize = 32;

/// The model of each oracle, by hash, so that memory stays bounded (decision D24).
#[derive(Clone)]
pub(super) struct Models {
    known: [Identity; MAX_ORACLES],
    count: usize,
    overflowed: bool,
    /// The last good pair as it stands in its record, if it is short: most sessions have one only.
    recent: [u8; RECENT_BYTES],
    recent_len: usize,
}

const RECENT_BYTES: usize = 96;

/// Half SHA-256s: with 128 bits no identity found by chance or by search passes for another.
#[derive(Clone, Copy, Default)]
struct Identity {
    oracle: [u8; 16],
    /// The fingerprint of the oracle with its model.
    pair: [u8; 16],
}

impl Default for Models {
    fn default() -> Models {
        Models {
            known: [Identity::default(); MAX_ORACLES],
            count: 0,
            overflowed: false,
            recent: [0; RECENT_BYTES],
            recent_len: 0,
        }
    }
}

impl Models {
    /// Whether there were more oracles than [`MAX_ORACLES`].
    pub(super) fn overflowed(&self) -> bool {
        self.overflowed
    }

    /// Holds `oracle` to the first model it was seen with; the reserved ones have none but their own.
    pub(super) fn check(&mut self, oracle: &[u8], model: &[u8]) -> Result<(), Verdict> {
        if is_reserved(oracle) {
            return if model == oracle {
                Ok(())
            } else {
                Err(Verdict::ModelMismatch)
            };
        }
        // A quote cannot occur unescaped in either, so the pair has one reading.
        let parts = [oracle, b"\"", model];
        if self.is_recent(&parts) {
            return Ok(());
        }
        let pair = fingerprint(&parts);
        if self
            .known
            .iter()
            .take(self.count)
            .any(|known| known.pair == pair)
        {
            self.remember(&parts);
            return Ok(());
        }
        let identity = Identity {
            oracle: fingerprint(&[oracle]),
            pair,
        };
        if self
            .known
            .iter()
            .take(self.count)
            .any(|known| known.oracle == identity.oracle)
        {
            return Err(Verdict::ModelMismatch);
        }
        match self.known.get_mut(self.count) {
            Some(free) => {
                *free = identity;
                self.count = self.count.saturating_add(1);
            }
            None => self.overflowed = true,
        }
        Ok(())
    }

    /// These models and those of the records after them. `None` where an oracle has two, and where there are more
    /// oracles than can be held.
    #[cfg(not(target_os = "none"))]
    pub(super) fn merged_with(&self, later: &Models) -> Option<Models> {
        if self.overflowed || later.overflowed {
            return None;
        }
        let mut merged = self.clone();
        for identity in later.known.iter().take(later.count) {
            let mut known = self.known.iter().take(self.count);
            match known.find(|known| known.oracle == identity.oracle) {
                Some(known) if known.pair == identity.pair => {}
                Some(_) => return None,
                None => {
                    *merged.known.get_mut(merged.count)? = *identity;
                    merged.count = merged.count.saturating_add(1);
                }
            }
        }
        if later.recent_len > 0 {
            (merged.recent, merged.recent_len) = (later.recent, later.recent_len);
        }
        Some(merged)
    }

    /// Writes the models; more of them than can be held are none.
    #[cfg(not(target_os = "none"))]
    pub(super) fn write(&self, out: &mut (impl Sink + ?Sized)) {
        // There are at most 32.
        let count = u8::try_from(self.count).unwrap_or_default();
        out.put(&[count, u8::from(self.overflowed)]);
        for identity in self.known.iter().take(self.count) {
            out.put(&identity.oracle);
            out.put(&identity.pair);
        }
    }

    /// Reads what [`Models::write`] has written.
    #[cfg(not(target_os = "none"))]
    pub(super) fn read(bytes: &mut ByteReader<'_>) -> Option<Models> {
        let mut models = Models {
            count: usize::from(bytes.byte()?),
            ..Models::default()
        };
        models.overflowed = bytes.flag()?;
        for place in models.known.get_mut(..models.count)? {
            place.oracle = *bytes.take()?;
            place.pair = *bytes.take()?;
        }
        Some(models)
    }

    fn is_recent(&self, parts: &[&[u8]; 3]) -> bool {
        let mut rest = self
            .recent
            .get(..self.recent_len)
            .filter(|recent| !recent.is_empty());
        for part in parts {
            rest = rest.and_then(|rest| rest.strip_prefix(*part));
        }
        rest.is_some_and(<[u8]>::is_empty)
    }

    fn remember(&mut self, parts: &[&[u8]; 3]) {
        let mut out = Buffer::new(&mut self.recent);
        parts.iter().for_each(|part| out.put(part));
        self.recent_len = out.finish().map_or(0, |recent| recent.len());
    }
}

fn fingerprint(parts: &[&[u8]]) -> [u8; 16] {
    let mut hasher = Hasher::new();
    parts.iter().for_each(|part| hasher.update(part));
    *hasher.finish().first_chunk().unwrap_or(&[0; 16])
}
