//! Trends of a step's metrics: `run_history.jsonl`.

use std::cmp::Ordering;
use std::collections::{BTreeMap, VecDeque};

use serde::Deserialize;
use serde_json::Number;
use serde_json::value::RawValue;

use super::history::{History, HistoryReader, SkippedRecord};
use super::lines;
use crate::error::BundleError;
use crate::model::{Direction, ProvenanceRecord, TrendSummary};
use crate::value::{nfc, refuse_large_integers};

#[derive(Deserialize)]
struct RunLine {
    #[serde(rename = "run_id")]
    _run_id: String,
    step: u32,
    metrics: BTreeMap<String, Box<RawValue>>,
}

impl HistoryReader<'_> {
    /// The step's metrics: the key metrics first, in their order, then the others by name.
    pub(super) fn read_trends(
        &self,
        history: &History,
        files: &mut Vec<ProvenanceRecord>,
        skipped: &mut dyn FnMut(SkippedRecord),
    ) -> Result<Vec<TrendSummary>, BundleError> {
        let window = history.window.max(1);
        let mut metrics: BTreeMap<String, VecDeque<Number>> = BTreeMap::new();
        let path = history.directory.join("run_history.jsonl");
        let record = lines::read_each_record(&path, skipped, &mut |line: RunLine, skip| {
            if line.step != self.step {
                return;
            }
            for (name, value) in line.metrics {
                let value = match read_number(&value) {
                    Ok(value) => value,
                    Err(reason) => {
                        skip(format!("the metric {name:?}{reason}"));
                        continue;
                    }
                };
                let values = metrics.entry(nfc(&name)).or_default();
                values.push_back(value);
                if values.len() > window {
                    values.pop_front();
                }
            }
        })?;
        files.push(record);
        let trend = |(metric_name, values): (String, VecDeque<Number>)| TrendSummary {
            metric_name,
            direction: trend_direction(&values),
            recent_values: values.into(),
            window_size: window,
        };
        let mut trends: Vec<TrendSummary> = metrics.into_iter().map(trend).collect();
        let place = |name: &str| self.key_metrics.iter().position(|key| key == name);
        trends.sort_by_key(|trend| place(trend.metric_name()).unwrap_or(usize::MAX));
        Ok(trends)
    }
}

/// The number that a value is, or what else it is, as the words after its name.
fn read_number(value: &RawValue) -> Result<Number, String> {
    let kind = match value.get().as_bytes().first() {
        Some(b'n') => "null",
        Some(b't' | b'f') => "true or false",
        Some(b'"') => "text",
        Some(b'[') => "an array",
        Some(b'{') => "an object",
        _ => {
            refuse_large_integers(value.get().as_bytes())
                .map_err(|reason| format!(": {reason}"))?;
            return serde_json::from_str(value.get()).map_err(|error| format!(": {error}"));
        }
    };
    Err(format!(" is {kind}, and no number"))
}

fn trend_direction(values: &VecDeque<Number>) -> Direction {
    let ends = values.front().zip(values.back());
    match ends.and_then(|(first, last)| compare(last, first)) {
        Some(Ordering::Greater) => Direction::Up,
        Some(Ordering::Less) => Direction::Down,
        _ => Direction::Flat,
    }
}

/// Integers exactly, others as doubles.
fn compare(a: &Number, b: &Number) -> Option<Ordering> {
    match (a.as_i128(), b.as_i128()) {
        (Some(a), Some(b)) => Some(a.cmp(&b)),
        _ => a.as_f64()?.partial_cmp(&b.as_f64()?),
    }
}
