//! Runs held against each other.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use axilog::hash::sha256;
use axilog_ledger::error::FileError;
use axilog_ledger::file::hex;
use serde::Deserialize;
use serde_json::{Value, json};

use super::canonical;
use super::decimal::Decimal;
use super::document::Actions;
use super::error::AblationError;
use super::header::Header;
use super::plot::{Series, svg};
use super::replay::DOCUMENT;
use super::statistics::{Difference, MIN_SEEDS, RESAMPLES, difference};

/// More steps than any run has; up to here the sums of the statistics are exact.
const MAX_STEPS: u64 = 1 << 31;

/// What a comparison needs of a run document.
#[derive(Debug, Deserialize)]
struct Document {
    header: Header,
    result: Totals,
    seeds: Vec<Seed>,
    status: Ended,
}

#[derive(Debug, Deserialize)]
struct Totals {
    steps: u64,
    token_jitter: Option<u64>,
    writes_blocked: u64,
    written: u64,
}

#[derive(Debug, Deserialize)]
struct Seed {
    actions: Actions,
    seed: u64,
}

#[derive(Debug, Deserialize)]
struct Ended {
    verdict: String,
    reason: Option<String>,
}

impl Document {
    /// Whether it counts an action for each step that its header has, under the same seeds.
    fn is_whole(&self) -> bool {
        let Header {
            episodes,
            steps_per_episode,
            seeds,
            ..
        } = &self.header;
        let each = u64::from(*episodes) * u64::from(*steps_per_episode);
        let whole = |seed: &Seed| {
            let mut counts = seed.actions.values();
            counts.try_fold(0, |sum: u64, n| sum.checked_add(*n)) == Some(each)
        };
        (1..=MAX_STEPS).contains(&self.result.steps)
            && each.checked_mul(seeds.len() as u64) == Some(self.result.steps)
            && self.seeds.iter().map(|seed| &seed.seed).eq(seeds)
            && self.seeds.iter().all(whole)
    }
}

/// A run that may be compared.
#[derive(Debug)]
pub struct Compared {
    /// Where it is.
    pub dir: PathBuf,
    /// What it is called among the others.
    pub label: String,
    document: Document,
    /// SHA-256 of its document, in hexadecimal.
    hash: String,
}

impl Compared {
    /// Reads the document in `dir`, which must be of a whole and valid run that holds its length.
    ///
    /// # Errors
    /// [`FileError::Io`]; [`AblationError::File`], [`AblationError::NotComparable`].
    pub fn read(dir: &Path) -> Result<Compared, AblationError> {
        let path = dir.join(DOCUMENT);
        let bytes = std::fs::read(&path).map_err(FileError::at(&path, "read the run document"))?;
        let document: Document =
            serde_json::from_slice(&bytes).map_err(|error| AblationError::File {
                path: path.clone(),
                reason: format!("is no run document: {error}"),
            })?;
        let refused = |reason: String| AblationError::NotComparable {
            path: path.clone(),
            reason,
        };
        if document.status.verdict != "VALID" {
            let reason = document.status.reason.as_deref().unwrap_or("no reason");
            let verdict = &document.status.verdict;
            return Err(refused(format!(
                "is {verdict} / {reason}, and only valid runs are compared"
            ))
            .into());
        }
        if document.header.held.is_none() {
            let reason = "is of the base harness, whose prompts have no constant length";
            return Err(refused(reason.to_owned()).into());
        }
        if !document.is_whole() {
            let reason = "its actions are not those of every step that its header has; `axilog ablation replay` shows whether it was changed";
            return Err(refused(reason.to_owned()).into());
        }
        Ok(Compared {
            dir: dir.to_owned(),
            label: document.header.variant.to_string(),
            document,
            hash: hex(&sha256(&bytes)),
        })
    }

    /// How often it did `action` under each seed.
    fn counts(&self, action: &str) -> impl Iterator<Item = u64> {
        let seeds = self.document.seeds.iter();
        seeds.map(move |seed| seed.actions.get(action).copied().unwrap_or(0))
    }
}

/// Several runs, and how each but the first differs from the first.
#[derive(Debug)]
pub struct Comparison {
    /// The runs; the first is what the others are held against.
    pub runs: Vec<Compared>,
    /// Every action that any of them did.
    pub actions: Vec<String>,
    /// One for each run but the first.
    pub differences: Vec<Difference>,
}

/// Holds `runs` against the first of them.
///
/// # Errors
/// [`AblationError::NotComparable`] where one met other seeds, situations or lengths than the first.
pub fn compare(mut runs: Vec<Compared>) -> Result<Comparison, AblationError> {
    let Some(first) = runs.first() else {
        return Err(AblationError::NothingToRun);
    };
    for run in &runs {
        let (own, its) = (&first.document.header, &run.document.header);
        for (what, same) in [
            ("environment", own.environment == its.environment),
            ("skeleton", own.skeleton_hash == its.skeleton_hash),
            ("seeds", own.seeds == its.seeds),
            ("number of episodes", own.episodes == its.episodes),
            (
                "episode length",
                own.steps_per_episode == its.steps_per_episode,
            ),
            (
                "prompt length (calibration, tokenizer or padding)",
                own.held == its.held,
            ),
        ] {
            if !same {
                return Err(AblationError::NotComparable {
                    path: run.dir.clone(),
                    reason: format!("has another {what} than {}", first.dir.display()),
                });
            }
        }
    }
    let who = |run: &Compared| {
        (
            run.document.header.provider.clone(),
            run.document.header.model_id.clone(),
        )
    };
    let several = runs.iter().any(|run| who(run) != who(first));
    for run in &mut runs {
        let header = &run.document.header;
        run.label = match (several, header.provider == header.model_id) {
            (false, _) => header.variant.to_string(),
            (true, true) => format!("{} {}", header.provider, header.variant),
            (true, false) => format!("{} {} {}", header.provider, header.model_id, header.variant),
        };
    }
    let names = runs.iter().flat_map(|run| &run.document.seeds);
    let names: BTreeSet<&String> = names.flat_map(|seed| seed.actions.keys()).collect();
    let actions: Vec<String> = names.into_iter().cloned().collect();
    let table = |run: &Compared| -> Vec<Vec<i64>> {
        let count = |n: Option<&u64>| n.and_then(|n| i64::try_from(*n).ok()).unwrap_or(0);
        let seeds = run.document.seeds.iter();
        seeds
            .map(|seed| {
                actions
                    .iter()
                    .map(|action| count(seed.actions.get(action)))
                    .collect()
            })
            .collect()
    };
    let tables: Vec<Vec<Vec<i64>>> = runs.iter().map(table).collect();
    let differences = match tables.split_first() {
        Some((first, others)) => others
            .iter()
            .map(|other| difference(first, other))
            .collect(),
        None => Vec::new(),
    };
    Ok(Comparison {
        runs,
        actions,
        differences,
    })
}

impl Comparison {
    /// The comparison document, a line of canonical JSON.
    #[must_use]
    pub fn document(&self) -> String {
        canonical(&self.value()) + "\n"
    }

    /// The comparison document.
    #[must_use]
    pub fn value(&self) -> Value {
        let runs = self.runs.iter().map(|run| {
            let header = &run.document.header;
            let totals = &run.document.result;
            let actions: Actions = self
                .actions
                .iter()
                .map(|action| (action.clone(), run.counts(action).sum()))
                .collect();
            json!({
                "actions": actions,
                "document_hash": run.hash,
                "label": run.label,
                "model_id": header.model_id,
                "provider": header.provider,
                "steps": totals.steps,
                "token_jitter": totals.token_jitter,
                "variant": header.variant.as_str(),
                "writes_blocked": totals.writes_blocked,
                "written": totals.written,
            })
        });
        let differences = self.differing().map(|(run, found)| {
            json!({
                "distance": found.estimate.to_string(),
                "interval": [found.low.to_string(), found.high.to_string()],
                "run": run.label,
                "total_variation": found.total_variation.to_string(),
                "verdict": found.verdict.as_str(),
            })
        });
        json!({
            "axilog_ablation_comparison": 1,
            "differences": differences.collect::<Vec<Value>>(),
            "reference": self.runs.first().map(|run| &run.label),
            "runs": runs.collect::<Vec<Value>>(),
            "statistics": {
                "confidence": "0.95",
                "min_seeds": MIN_SEEDS,
                "resamples": RESAMPLES,
                "seeds": self.runs.first().map(|run| &run.document.header.seeds),
            },
        })
    }

    /// The runs but the first, with their differences.
    pub fn differing(&self) -> impl Iterator<Item = (&Compared, &Difference)> {
        self.runs.iter().skip(1).zip(&self.differences)
    }

    /// The summary, in Markdown; `plot` is where it finds the image.
    #[must_use]
    pub fn summary(&self, plot: &str) -> String {
        let Some(first) = self.runs.first() else {
            return String::new();
        };
        let header = &first.document.header;
        let mut out = format!(
            "# Precedent ablation: {}\n\n{} seeds, {} episodes of {} steps under each.\n\n",
            header.environment,
            header.seeds.len(),
            header.episodes,
            header.steps_per_episode
        );
        out.push_str(&format!(
            "| held against {} | distance | 95 % interval | total variation | verdict |\n|---|---|---|---|---|\n",
            first.label
        ));
        for (run, found) in self.differing() {
            out.push_str(&format!(
                "| {} | {} | {} to {} | {} | {} |\n",
                run.label,
                found.estimate,
                found.low,
                found.high,
                found.total_variation,
                found.verdict.as_str()
            ));
        }
        out.push_str(&format!(
            "\n![How often each run did each action]({plot})\n\n| action |"
        ));
        for run in &self.runs {
            out.push_str(&format!(" {} |", run.label));
        }
        out.push_str("\n|---|");
        out.push_str(&"---|".repeat(self.runs.len()));
        for action in &self.actions {
            out.push_str(&format!("\n| {action} |"));
            for run in &self.runs {
                let done: u64 = run.counts(action).sum();
                let share = percent(done, run.document.result.steps);
                out.push_str(&format!(" {done} ({share} %) |"));
            }
        }
        out.push_str("\n\n| run | document | written | blocked | jitter |\n|---|---|---|---|---|");
        for run in &self.runs {
            let totals = &run.document.result;
            out.push_str(&format!(
                "\n| {} | {} | {} | {} | {} |",
                run.label,
                run.hash,
                totals.written,
                totals.writes_blocked,
                totals.token_jitter.unwrap_or(0)
            ));
        }
        out + "\n"
    }

    /// The plot.
    #[must_use]
    pub fn plot(&self) -> String {
        let series = self.runs.iter().map(|run| {
            let steps = run.document.result.steps.max(1);
            let each = (steps / (run.document.seeds.len() as u64).max(1)).max(1);
            let shares = self.actions.iter().map(|action| {
                let all: u64 = run.counts(action).sum();
                let seeds = run.counts(action).map(|n| n * 1000 / each);
                (all * 1000 / steps, seeds.collect())
            });
            Series {
                label: run.label.clone(),
                shares: shares.collect(),
            }
        });
        svg(&self.actions, &series.collect::<Vec<Series>>())
    }
}

/// A share in percent, with one fractional digit.
fn percent(done: u64, steps: u64) -> Decimal {
    let (done, steps) = (i128::from(done), i128::from(steps));
    let tenths = (2000 * done + steps).checked_div(2 * steps);
    Decimal::ratio(tenths.unwrap_or(0), 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percents_are_the_nearest_tenths() {
        for (done, steps, expected) in [
            (1, 3, "33.3"),
            (2, 3, "66.7"),
            (1, 2000, "0.1"),
            (0, 5, "0"),
            (5, 5, "100"),
            (0, 0, "0"),
        ] {
            assert_eq!(percent(done, steps).to_string(), expected);
        }
    }
}
