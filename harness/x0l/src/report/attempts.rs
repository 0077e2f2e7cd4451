//! The session among the attempts under its plan, and among the corrections of the run that it corrects: who runs a plan
//! several times and shows the best of them shows that, too.

use axilog::hash::Hash;
use axilog_ledger::encoding::hex;
use serde_json::{Value, json};

use crate::document::to_value;
use crate::log::{Attempt, FrozenAttempt, FrozenSettings};
use crate::review::Review;

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CountedKind {
    /// Attempts under a plan.
    Plan,
    /// Corrections of a run.
    Correction,
}

/// The session among the attempts under its plan, or among the corrections of a run.
#[derive(Clone, Debug)]
pub struct CountedAttempts {
    kind: CountedKind,
    subject: Hash,
    planned: Option<u64>,
    /// The session's own number, and its erratum.
    own: Attempt,
    /// The number of all of them.
    count: u64,
    others: Vec<Attempt>,
    /// When they were counted last; `None` where only those are known that began before the session.
    seen: Option<u64>,
}

/// Lists the attempts and corrections that the session with the settings `frozen` is among, as far as its run and its
/// review know of them.
#[must_use]
pub fn list_counted_attempts(frozen: &FrozenSettings, review: &Review) -> Vec<CountedAttempts> {
    let places = [
        (CountedKind::Plan, &frozen.plan),
        (CountedKind::Correction, &frozen.correction),
    ];
    let counted = places.into_iter().filter_map(|(kind, place)| {
        let place: &FrozenAttempt = place.as_ref()?;
        let own = place.own(frozen.started, frozen.erratum);
        let sighting = review.last_sighting(&place.subject);
        let known = sighting.map_or(&place.earlier, |sighting| &sighting.attempts);
        let others = known.iter().filter(|it| it.attempt != own.attempt);
        let others: Vec<Attempt> = others.cloned().collect();
        Some(CountedAttempts {
            kind,
            subject: place.subject,
            planned: place.planned,
            own,
            count: others.len() as u64 + 1,
            others,
            seen: sighting.map(|sighting| sighting.time),
        })
    });
    counted.collect()
}

impl CountedAttempts {
    /// The name under which the report has it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self.kind {
            CountedKind::Plan => "plan",
            CountedKind::Correction => "correction",
        }
    }

    /// The count in words.
    #[must_use]
    pub fn describe(&self) -> String {
        let CountedAttempts { own, count, .. } = self;
        let subject = hex(&self.subject);
        let place = match self.kind {
            CountedKind::Plan => format!("attempt {} of {count} under plan {subject}", own.attempt),
            CountedKind::Correction => format!(
                "correction {} of {count} of the run {subject}, by {}",
                own.attempt,
                name_erratum(own)
            ),
        };
        let others = self.others.iter().map(|other| {
            let erratum = match self.kind {
                CountedKind::Plan => String::new(),
                CountedKind::Correction => format!("by {}, ", name_erratum(other)),
            };
            format!("{} ({erratum}{})", other.attempt, other.name_end())
        });
        let others = match others.collect::<Vec<_>>().as_slice() {
            [] => "there is no other".to_owned(),
            others => format!("the others: {}", others.join(", ")),
        };
        let seen = match self.seen {
            Some(time) => format!("counted at {time}, in seconds since 1970"),
            None => "counted as it began, so that later ones are not among them".to_owned(),
        };
        format!("{place}; {others}; {seen}")
    }

    /// The count as `report.json` has it.
    #[must_use]
    pub fn to_json(&self) -> Value {
        json!({
            "subject": hex(&self.subject),
            "planned": self.planned,
            "attempt": self.own.attempt,
            "attempts": self.count,
            "others": self.others.iter().map(to_value).collect::<Vec<_>>(),
            "seen": self.seen,
        })
    }
}

fn name_erratum(attempt: &Attempt) -> String {
    match &attempt.erratum {
        Some(erratum) => format!("the erratum {}", hex(erratum)),
        None => "no erratum".to_owned(),
    }
}
