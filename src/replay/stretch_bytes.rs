//! A stretch as bytes, to be joined by another process than the one that replayed it. Determinism: D1.
//!
//! The bytes are this version's own: they begin with [`BEGINNING`], which changes with their form, and nobody keeps them.
//! Numbers are little-endian. A reader takes what a writer has written and nothing else; that a stretch says the truth
//! is for the processes to trust one another in, as the threads of one process do.

#![forbid(unsafe_code)]

use super::Replay;
use super::byte_reader::ByteReader;
use super::models::Models;
use super::stretch::{Carried, Stretch};
use super::verdict::Verdict;
use crate::agent::Agent;
use crate::agent::state::Health;
use crate::hash::Hash;
use crate::ledger::Ledger;
use crate::sink::Sink;

/// What the bytes of a stretch begin with: the name and the number of their form.
const BEGINNING: &[u8; 8] = b"stretch1";

impl Stretch {
    /// Writes the stretch. It tells whether it could: a stretch that ends within a step has no bytes.
    #[must_use]
    pub fn write(&self, out: &mut (impl Sink + ?Sized)) -> bool {
        if self.assumed.step.is_some() || self.end.step.is_some() {
            return false;
        }
        out.put(BEGINNING);
        out.put(&[self.carried as u8]);
        write_state(&self.assumed, out);
        write_state(&self.end, out);
        true
    }

    /// Reads what [`Stretch::write`] has written. Gives the bytes after it too; `None` for any others.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Option<(Stretch, &[u8])> {
        let mut rest = ByteReader::new(bytes);
        if rest.take::<8>()? != BEGINNING {
            return None;
        }
        let number = rest.byte()?;
        let carried = (Carried::ALL.into_iter()).find(|carried| *carried as u8 == number)?;
        let stretch = Stretch {
            carried,
            assumed: read_state(&mut rest)?,
            end: read_state(&mut rest)?,
        };
        (stretch.end.entries >= stretch.assumed.entries).then_some((stretch, rest.rest()))
    }
}

/// Writes a good state without a step under way.
fn write_state(state: &Replay, out: &mut (impl Sink + ?Sized)) {
    let Replay {
        agent,
        entries,
        verdict: _,
        observed,
        open,
        unheld,
        unbound_answers,
        sealed_head,
        step: _,
        undecided,
        models,
    } = state;
    out.put(&agent.ledger.head);
    out.put(&[
        agent.health as u8,
        u8::from(agent.ledger.sealed),
        u8::from(*open),
        u8::from(*unheld),
        u8::from(*undecided),
        u8::from(sealed_head.is_some()),
    ]);
    out.put(&sealed_head.unwrap_or_default());
    out.put(&agent.fault_count.to_le_bytes());
    for number in [
        agent.ledger.sequence,
        agent.last_timestamp,
        agent.last_seen_seq,
        *entries,
        *observed,
        *unbound_answers,
    ] {
        out.put(&number.to_le_bytes());
    }
    models.write(out);
}

fn read_state(bytes: &mut ByteReader<'_>) -> Option<Replay> {
    let head: Hash = *bytes.take()?;
    let number = bytes.byte()?;
    let health = (Health::ALL.into_iter()).find(|health| *health as u8 == number)?;
    let (sealed, open, unheld, undecided) =
        (bytes.flag()?, bytes.flag()?, bytes.flag()?, bytes.flag()?);
    let (has_seal, sealed_head) = (bytes.flag()?, *bytes.take()?);
    let fault_count = u32::from_le_bytes(*bytes.take()?);
    let sequence = bytes.number()?;
    let agent = Agent {
        ledger: Ledger {
            sealed,
            ..Ledger::resume(head, sequence)
        },
        health,
        fault_count,
        last_timestamp: bytes.number()?,
        last_seen_seq: bytes.number()?,
        ..Agent::new()
    };
    Some(Replay {
        agent,
        entries: bytes.number()?,
        verdict: Verdict::Ok,
        observed: bytes.number()?,
        open,
        unheld,
        unbound_answers: bytes.number()?,
        sealed_head: has_seal.then_some(sealed_head),
        step: None,
        undecided,
        models: Models::read(bytes)?,
    })
}
