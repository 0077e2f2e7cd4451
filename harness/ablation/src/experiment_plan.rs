//! The plan of an experiment of several arms: the file `plan.json`, which is written when every arm's ledger has begun
//! and before anything is asked.
//!
//! Each arm's ledger names the plan's digest before its first answer. The plan names the digest of each arm's header, so
//! that the headers, and with them everything that the arms have in common, hang on it too. Its nonce is drawn anew for
//! each experiment: an arm that was made under another plan is told by its ledger. From the nonce follows the order in
//! which the arms take their turns under each seed. Every order is as likely as any other, for each seed by itself, so
//! that whatever drifts in a server meanwhile is as likely to meet one arm as another, which is what the swaps of the
//! tests assume.

use std::path::Path;

use axilog::hash::{Hash, sha256};
use axilog_ledger::encoding::hex;
use axilog_ledger::input_file::{MAX_INPUT_BYTES, read_input};
use serde::{Deserialize, Serialize};

use super::error::AblationError;
use super::header::RunHeader;
use super::json_document::{parse_document, to_canonical_json};
use super::variant::Variant;

/// The name of the plan's file, in the directory of the experiment. Each arm lies below it, in a directory with the name
/// of its variant.
pub const PLAN_FILE: &str = "plan.json";

/// What to do about a plan that cannot be used.
const HINT: &str = "take the file as `axilog ablation run` wrote it, or run the experiment anew into another directory";

/// The plan of an experiment of several arms.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExperimentPlan {
    /// The arms, in the order of reports.
    pub arms: Vec<PlannedArm>,
    /// The version of the document's form: 1.
    pub axilog_ablation_plan: u32,
    /// The program that made the plan and asked, and its version; `None` in plans of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build: Option<String>,
    /// 256 bits that were drawn for this experiment, in hexadecimal.
    pub nonce: String,
    /// When the plan was made, in Unix seconds.
    pub time: u64,
    /// Under each seed the arms, in the order in which they take their turns. It follows from the nonce.
    pub turns: Vec<SeedTurns>,
}

/// An arm of an experiment, as it was planned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedArm {
    /// The arm's variant, and the name of its directory.
    pub arm: Variant,
    /// SHA-256 of the arm's file `header.json`, in hexadecimal.
    pub header: String,
}

/// The turns of the arms under a seed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeedTurns {
    /// The arms, in the order of their turns.
    pub arms: Vec<Variant>,
    /// The seed.
    pub seed: u64,
}

impl ExperimentPlan {
    /// The plan of the runs that have `headers`, made at the time `time`, in Unix seconds.
    #[must_use]
    pub fn new(headers: &[RunHeader], nonce: &Hash, time: u64) -> ExperimentPlan {
        let nonce = hex(nonce);
        let arms: Vec<Variant> = headers.iter().map(|header| header.variant).collect();
        let seeds = headers.first().map_or(&[][..], |header| &header.seeds);
        ExperimentPlan {
            arms: headers
                .iter()
                .map(|header| PlannedArm {
                    arm: header.variant,
                    header: hex(&sha256(header.to_file_text().as_bytes())),
                })
                .collect(),
            axilog_ablation_plan: 1,
            build: Some(concat!("axilog ", env!("CARGO_PKG_VERSION")).to_owned()),
            turns: list_turns(&arms, seeds.iter().copied(), &nonce),
            nonce,
            time,
        }
    }

    /// The text of the file: a line of canonical JSON.
    #[must_use]
    pub fn to_file_text(&self) -> String {
        to_canonical_json(self) + "\n"
    }

    /// SHA-256 of the file, in hexadecimal.
    #[must_use]
    pub fn digest(&self) -> String {
        hex(&sha256(self.to_file_text().as_bytes()))
    }

    /// The arms, in the order of reports.
    #[must_use]
    pub fn list_arms(&self) -> Vec<Variant> {
        self.arms.iter().map(|planned| planned.arm).collect()
    }

    /// Whether the run of `header` is an arm of the plan.
    #[must_use]
    pub fn has_arm(&self, header: &RunHeader) -> bool {
        let digest = hex(&sha256(header.to_file_text().as_bytes()));
        self.arms.iter().any(|planned| planned.header == digest)
    }

    /// The names of the arms, with commas between.
    #[must_use]
    pub fn describe_arms(&self) -> String {
        let names: Vec<&str> = self.arms.iter().map(|it| it.arm.as_str()).collect();
        names.join(", ")
    }

    /// Reads the plan of the experiment in the directory `experiment`; `None` where it holds none.
    ///
    /// # Errors
    /// [`FileError::Io`](axilog_ledger::error::FileError::Io); [`AblationError::Document`] for a file that is no plan,
    /// or one that was changed.
    pub fn read(experiment: &Path) -> Result<Option<ExperimentPlan>, AblationError> {
        let path = experiment.join(PLAN_FILE);
        if !path.exists() {
            return Ok(None);
        }
        let bytes = read_input(&path, "read", MAX_INPUT_BYTES)?;
        let plan: ExperimentPlan = parse_document(&path, &bytes, "a plan of an experiment", HINT)?;
        let refuse = |reason: String| AblationError::Document {
            path: path.clone(),
            reason: format!("{reason}; {HINT}"),
        };
        let version = plan.axilog_ablation_plan;
        if version != 1 {
            return Err(refuse(format!("has version {version}; expected version 1")));
        }
        if plan.to_file_text().as_bytes() != bytes {
            return Err(refuse("is not a line of canonical JSON".to_owned()));
        }
        let seeds = plan.turns.iter().map(|turns| turns.seed);
        if list_turns(&plan.list_arms(), seeds, &plan.nonce) != plan.turns {
            return Err(refuse(
                "has turns that do not follow from its nonce".to_owned(),
            ));
        }
        Ok(Some(plan))
    }
}

/// Lists the turns of `arms` under each of `seeds`, in an order that is drawn from `nonce`.
fn list_turns(arms: &[Variant], seeds: impl Iterator<Item = u64>, nonce: &str) -> Vec<SeedTurns> {
    let draw = |seed| {
        let mut left = arms.to_vec();
        let mut drawn = Vec::with_capacity(left.len());
        while !left.is_empty() {
            let digest = sha256(format!("turn:{nonce}:{seed}:{}", drawn.len()).as_bytes());
            let [a, b, c, d, e, f, g, h, ..] = digest;
            let number = u64::from_be_bytes([a, b, c, d, e, f, g, h]);
            let index = number.checked_rem(left.len() as u64).unwrap_or(0);
            drawn.push(left.remove(usize::try_from(index).unwrap_or(0)));
        }
        SeedTurns { arms: drawn, seed }
    };
    seeds.map(draw).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::environment_source::open_harbour;
    use crate::experiment::build_header;
    use crate::run::RunPlan;

    fn build_plan(seeds: Vec<u64>, nonce: Hash) -> ExperimentPlan {
        let headers = Variant::EXPERIMENT.map(|variant| {
            let plan = RunPlan {
                variant,
                seeds: seeds.clone(),
                episodes: 1,
            };
            build_header(&plan, &open_harbour().unwrap(), "p", "m", None)
        });
        ExperimentPlan::new(&headers, &nonce, 7)
    }

    #[test]
    fn every_order_of_turns_is_as_likely_as_any_other() {
        let plan = build_plan((0..6000).collect(), [7; 32]);
        let mut counts = BTreeMap::new();
        for turns in &plan.turns {
            *counts.entry(turns.arms.clone()).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 6);
        assert!(
            counts.values().all(|count| (900..1100).contains(count)),
            "{counts:?}"
        );
    }

    #[test]
    fn a_plan_is_frozen() {
        use Variant::{B, Baseline, C};
        let plan = build_plan(vec![1, 2, 3], [1; 32]);
        let turns: Vec<Vec<Variant>> = plan.turns.iter().map(|turns| turns.arms.clone()).collect();
        assert_eq!(
            turns,
            [
                vec![Baseline, C, B],
                vec![B, C, Baseline],
                vec![Baseline, C, B]
            ]
        );
        assert_ne!(plan.digest(), build_plan(vec![1, 2, 3], [2; 32]).digest());
    }

    #[test]
    fn a_plan_that_was_changed_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(ExperimentPlan::read(dir.path()).unwrap(), None);
        let plan = build_plan(vec![1, 2, 3], [1; 32]);
        let text = plan.to_file_text();
        let path = dir.path().join(PLAN_FILE);
        std::fs::write(&path, &text).unwrap();
        assert_eq!(ExperimentPlan::read(dir.path()).unwrap(), Some(plan));
        for (from, to, expected) in [
            (
                "\"axilog_ablation_plan\":1",
                "\"axilog_ablation_plan\":2",
                "has version 2",
            ),
            (
                "\"nonce\":\"0101",
                "\"nonce\":\"0102",
                "do not follow from its nonce",
            ),
            ("{\"arms\"", "{ \"arms\"", "canonical JSON"),
            ("\"time\"", "\"date\"", "not a plan of an experiment"),
        ] {
            let changed = text.replacen(from, to, 1);
            assert_ne!(changed, text);
            std::fs::write(&path, changed).unwrap();
            let error = ExperimentPlan::read(dir.path()).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
