//! When heads are signed, and how witnesses are asked.

use std::num::NonZeroU64;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use axilog_heads::{LogKey, WitnessPolicy};

/// When the next head is signed. Where both are given, what comes first counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckpointInterval {
    /// After so many records.
    pub records: Option<NonZeroU64>,
    /// After so much time, where a record was added.
    pub time: Option<Duration>,
}

/// A text that is no interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected a number of records, as 1000, or of seconds, as 60s, or both, as 1000,60s; each at least 1"
)]
pub struct InvalidInterval;

impl FromStr for CheckpointInterval {
    type Err = InvalidInterval;

    fn from_str(text: &str) -> Result<CheckpointInterval, InvalidInterval> {
        let mut interval = CheckpointInterval::default();
        for part in text.split(',') {
            let seconds = part.strip_suffix('s');
            let number = seconds.unwrap_or(part);
            let is_plain = number.bytes().all(|byte| byte.is_ascii_digit());
            let number: NonZeroU64 = match is_plain {
                true => number.parse().map_err(|_| InvalidInterval)?,
                false => return Err(InvalidInterval),
            };
            let is_second = match seconds {
                Some(_) => {
                    let time = Duration::from_secs(number.get());
                    interval.time.replace(time).is_some()
                }
                None => interval.records.replace(number).is_some(),
            };
            if is_second {
                return Err(InvalidInterval);
            }
        }
        Ok(interval)
    }
}

/// How a ledger's heads are signed and submitted.
#[derive(Debug)]
pub struct CheckpointSettings {
    /// The key, whose name is the ledger's.
    pub key: Arc<LogKey>,
    /// The name of a ledger that was begun without one.
    pub origin: Option<String>,
    /// When heads are signed beside the last one, at the end.
    pub interval: CheckpointInterval,
    /// The witnesses that are asked; `None` for nobody.
    pub witnesses: Option<WitnessPolicy>,
    /// How long is waited for witnesses.
    pub patience: Patience,
}

/// How long is waited for witnesses.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// The time that a witness has for each answer.
    pub answer: Duration,
    /// The pause before a witness is asked again that has not signed. It doubles each time.
    pub first_pause: Duration,
    /// The longest pause.
    pub longest_pause: Duration,
    /// The time that witnesses have at the end, all together.
    pub end: Duration,
}

impl Default for Patience {
    fn default() -> Patience {
        Patience {
            answer: Duration::from_secs(10),
            first_pause: Duration::from_secs(1),
            longest_pause: Duration::from_secs(300),
            end: Duration::from_secs(5),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_of_records_or_seconds_or_both() {
        let records = NonZeroU64::new(1000);
        let time = Some(Duration::from_secs(60));
        for (text, interval) in [
            ("1000", (records, None)),
            ("60s", (None, time)),
            ("1000,60s", (records, time)),
            ("60s,1000", (records, time)),
        ] {
            let (records, time) = interval;
            assert_eq!(
                text.parse(),
                Ok(CheckpointInterval { records, time }),
                "{text}"
            );
        }
        for text in [
            "", "0", "0s", "s", "-1", "+1", "1000,", "1,2", "1s,2s", "1.5s", "60 s",
        ] {
            assert_eq!(
                text.parse::<CheckpointInterval>(),
                Err(InvalidInterval),
                "{text}"
            );
        }
    }
}
