//! What was known of the attempts under a run's plan, or of the corrections of the run that it corrects, at a time
//! after its end: a run itself knows those before it alone.

use axilog::hash::Hash;
use axilog_ledger::encoding::hex;
use serde::{Deserialize, Serialize};

use crate::document;
use crate::log::{Attempt, FrozenAttempt, FrozenSettings};

/// The oracle id of the statements.
pub(super) const ORACLE: &str = "x0l.attempts";
/// The model id of the statements, which names their format.
pub(super) const MODEL: &str = "X0L:ATTEMPTS:v1";

/// The attempts as they were seen at a time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AttemptSighting {
    /// The attempts, oldest first.
    pub attempts: Vec<Attempt>,
    /// The head of the run's ledger, which names the run.
    #[serde(with = "document::hash")]
    pub run: Hash,
    /// The hash of the plan, or the head of the corrected run.
    #[serde(with = "document::hash")]
    pub subject: Hash,
    /// When they were seen, in seconds since 1970.
    pub time: u64,
}

impl AttemptSighting {
    /// Checks that these are the attempts of a plan or a run that the session with the settings `frozen` and the ledger's
    /// head `run` is among, and those that it has known.
    ///
    /// # Errors
    /// What was found and what was expected, in words.
    pub fn check(&self, frozen: &FrozenSettings, run: &Hash) -> Result<(), (String, String)> {
        if self.run != *run {
            let found = format!("attempts seen for the run with the head {}", hex(&self.run));
            return Err((found, format!("some for this run, {}", hex(run))));
        }
        let places = [&frozen.plan, &frozen.correction].into_iter().flatten();
        let mut places = places.filter(|place| place.subject == self.subject);
        let Some(place) = places.next() else {
            let expected =
                "those under the run's plan, or the corrections of the run that it corrects";
            let found = format!("attempts of {}", hex(&self.subject));
            return Err((found, expected.to_owned()));
        };
        self.check_known(place, frozen, run)
    }

    /// Checks that the attempts which the session has known are among these, and the session itself.
    fn check_known(
        &self,
        place: &FrozenAttempt,
        frozen: &FrozenSettings,
        run: &Hash,
    ) -> Result<(), (String, String)> {
        let own = place.own(frozen.started, frozen.erratum);
        for known in place.earlier.iter().chain([&own]) {
            let found = self.attempts.iter().find(|it| it.attempt == known.attempt);
            let is_own = known.attempt == own.attempt;
            let fits = found.is_some_and(|found| {
                known.may_become(found) && (!is_own || found.head.is_none_or(|head| head == *run))
            });
            if !fits {
                let describe = |it: &Attempt| document::to_text(it);
                let expected = match is_own {
                    true => "this session, whose head is the run's".to_owned(),
                    false => format!("{}, as the run has known it", describe(known)),
                };
                let found = found.map_or("nothing".to_owned(), describe);
                return Err((format!("attempt {}: {found}", known.attempt), expected));
            }
        }
        Ok(())
    }
}
