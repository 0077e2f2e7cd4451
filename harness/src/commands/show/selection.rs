//! Which records `axilog show` shows.

use axilog::agent::stimulus::{TIME_ORACLE, extract_timestamp};
use axilog::evidence::view::ObservationView;
use axilog::hash::Tag;
use axilog_ledger::encoding::unescape;
use axilog_ledger::record_contents::{OracleSteps, RecordContents};
use axilog_ledger::verify::VerifiedRecord;
use clap::ValueEnum;

use super::questions::ShownQuestion;

/// The filters. A record is shown where all of them hold.
#[derive(clap::Args)]
pub(super) struct FilterArgs {
    /// One record, with its exact bytes, commit and chain value; or A..B, both included.
    #[arg(long, value_name = "N|A..B", value_parser = parse_range)]
    pub(super) seq: Option<Range>,
    /// Records with this tag only.
    #[arg(long, value_enum)]
    tag: Option<TagName>,
    /// Answers of this oracle and the decisions on them only.
    #[arg(long, value_name = "ID")]
    oracle: Option<String>,
    /// Answers that hold TEXT in themselves or in their question, and the decisions on them only. TEXT is compared
    /// character by character.
    #[arg(long, value_name = "TEXT")]
    grep: Option<String>,
    /// Records from the one on with which the ledger's time reached TIME: a number in the ledger's unit, or where that is seconds a date
    /// in UTC, such as 2026-01-31 or 2026-01-31T12:00:00Z.
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    since: Option<u64>,
    /// Policies that breached and transitions with a violation only.
    #[arg(long)]
    breaches: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TagName {
    Obs,
    Policy,
    Trans,
    State,
    Proof,
}

impl TagName {
    fn tag(self) -> Tag {
        match self {
            TagName::Obs => Tag::Obs,
            TagName::Policy => Tag::Policy,
            TagName::Trans => Tag::Trans,
            TagName::State => Tag::State,
            TagName::Proof => Tag::Proof,
        }
    }
}

/// Sequence numbers, the last included.
#[derive(Clone, Copy)]
pub(super) struct Range {
    pub(super) first: u64,
    last: u64,
    pub(super) single: bool,
}

fn parse_range(given: &str) -> Result<Range, String> {
    let number = |text: &str| {
        text.parse::<u64>()
            .map_err(|_| "expected N or A..B, numbers of records".to_owned())
    };
    let range = match given.split_once("..") {
        None => Range {
            first: number(given)?,
            last: number(given)?,
            single: true,
        },
        Some((first, last)) => Range {
            first: number(first)?,
            last: number(last)?,
            single: false,
        },
    };
    if range.first > range.last {
        return Err("the first number exceeds the last".to_owned());
    }
    Ok(range)
}

fn parse_time(given: &str) -> Result<u64, String> {
    if let Ok(number) = given.parse() {
        return Ok(number);
    }
    let midnight = format!("{given}T00:00:00Z");
    [given, &midnight]
        .into_iter()
        .find_map(|text| humantime::parse_rfc3339(text).ok())
        .and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok())
        .map(|since| since.as_secs())
        .ok_or_else(|| {
            "expected a number, or a date such as 2026-01-31 or 2026-01-31T12:00:00Z".to_owned()
        })
}

/// Selects records, one after the other.
pub(super) struct Selection<'a> {
    filters: &'a FilterArgs,
    steps: Option<OracleSteps>,
    /// Whether an observation of the oracle that was asked for has come.
    has_oracle: bool,
    /// Whether the step that the records belong to holds the text.
    holds_text: bool,
    /// Whether some step held it.
    has_text: bool,
    time: u64,
}

impl<'a> Selection<'a> {
    pub(super) fn by(filters: &'a FilterArgs) -> Selection<'a> {
        Selection {
            filters,
            steps: filters.oracle.as_deref().map(OracleSteps::of),
            has_oracle: false,
            holds_text: false,
            has_text: false,
            time: 0,
        }
    }

    /// Whether the text must be looked for in the question, since the answer does not hold it.
    pub(super) fn needs_question(&self, answer: &ObservationView<'_>) -> bool {
        let text = self.filters.grep.as_ref();
        text.is_some_and(|text| !unescape(answer.output).contains(text))
    }

    /// Takes the next record; whether the filters select it. `question` is that of an observation, where it is needed.
    pub(super) fn take(
        &mut self,
        record: &VerifiedRecord<'_>,
        contents: &RecordContents<'_>,
        question: Option<&ShownQuestion>,
    ) -> bool {
        let is_of_oracle = self.steps.as_mut().is_none_or(|steps| steps.take(contents));
        let is_observation = matches!(contents, RecordContents::Observation(_));
        self.has_oracle |= is_of_oracle && is_observation;
        self.take_time(record, contents);
        self.search(contents, question);
        let filters = self.filters;
        let sequence = record.entry.sequence;
        filters
            .seq
            .is_none_or(|range| (range.first..=range.last).contains(&sequence))
            && filters.tag.is_none_or(|tag| tag.tag() == record.entry.tag)
            && is_of_oracle
            && (filters.grep.is_none() || self.holds_text)
            && filters.since.is_none_or(|since| self.time >= since)
            && (!filters.breaches || contents.is_breach())
    }

    fn take_time(&mut self, record: &VerifiedRecord<'_>, contents: &RecordContents<'_>) {
        if let RecordContents::Observation(view) = contents
            && view.oracle_id.is(TIME_ORACLE.as_bytes())
            && let Some(time) = extract_timestamp(record.entry.payload)
        {
            self.time = self.time.max(time);
        }
    }

    fn search(&mut self, contents: &RecordContents<'_>, question: Option<&ShownQuestion>) {
        let Some(text) = &self.filters.grep else {
            return;
        };
        match contents {
            RecordContents::Observation(view) => {
                let question = question.and_then(ShownQuestion::text);
                self.holds_text = !self.needs_question(view)
                    || question.is_some_and(|question| question.contains(text));
                self.has_text |= self.holds_text;
            }
            RecordContents::Genesis | RecordContents::Seal(_) => self.holds_text = false,
            RecordContents::Policy(_)
            | RecordContents::RawAnswer(_)
            | RecordContents::Transition(_) => {}
        }
    }

    /// What was asked for that a ledger of `entries` records does not have, a sentence each.
    pub(super) fn describe_missing(&self, entries: u64) -> Vec<String> {
        let filters = self.filters;
        let record = filters
            .seq
            .filter(|range| range.first >= entries)
            .map(|range| {
                let last = entries.saturating_sub(1);
                format!("has no record {}; the last is {last}", range.first)
            });
        let oracle = filters.oracle.as_ref().filter(|_| !self.has_oracle);
        let oracle = oracle.map(|id| format!("has no answer of the oracle {id:?}"));
        let text = filters.grep.as_ref().filter(|_| !self.has_text);
        let text = text.map(|text| format!("has no answer and no question that holds {text:?}"));
        let time = filters.since.filter(|since| self.time < *since);
        let time = time.map(|since| {
            format!(
                "has no record since the time {since}; its last time is {}",
                self.time
            )
        });
        [record, oracle, text, time].into_iter().flatten().collect()
    }
}
