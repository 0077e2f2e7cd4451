//! Answers that others ask for ahead of a run, which takes them in its own order.

use std::collections::BTreeMap;
use std::sync::mpsc::Receiver;

use axilog::hash::Hash;
use axilog_ledger::encoding::hex;
use axilog_oracle::Exchange;

use super::error::AblationError;

/// A question that was put ahead, and what came of it.
pub(crate) struct ExchangeAhead {
    /// SHA-256 of the prompt.
    pub(crate) question: Hash,
    pub(crate) exchange: Exchange,
}

/// The exchanges under a seed in the order of its steps, or why no further one comes. They end where nothing more is
/// asked under the seed.
pub(crate) type SeedExchanges = Receiver<Result<ExchangeAhead, AblationError>>;

/// The exchanges under the seeds of a run.
#[derive(Default)]
pub(crate) struct AskedAhead {
    seeds: BTreeMap<u64, SeedExchanges>,
    current: Option<SeedExchanges>,
}

impl AskedAhead {
    /// Takes note that the exchanges under `seed` come from `exchanges`.
    pub(crate) fn expect_seed(&mut self, seed: u64, exchanges: SeedExchanges) {
        self.seeds.insert(seed, exchanges);
    }

    /// Goes on with the exchanges under `seed`.
    pub(crate) fn begin_seed(&mut self, seed: u64) {
        self.current = self.seeds.remove(&seed);
    }

    /// Waits for the exchange about `question`, which is the next; `None` where nothing more is asked.
    pub(crate) fn take(&mut self, question: &Hash) -> Result<Option<Exchange>, AblationError> {
        let next = self.current.as_ref().and_then(|seed| seed.recv().ok());
        match next.transpose()? {
            Some(found) if found.question != *question => Err(AblationError::AskedAheadOtherwise {
                found: hex(&found.question),
                expected: hex(question),
            }),
            found => Ok(found.map(|found| found.exchange)),
        }
    }
}
