//! Whether the arms of an experiment are those that its plan names, and none was made again or cut off.
//!
//! Each arm's ledger says, before its first question under a seed and when all is over, how many records the ledgers of
//! the other arms held and which head they had. So an arm that is made again, swapped or cut off contradicts the others,
//! whatever its own files say.

use std::path::{Path, PathBuf};

use super::error::AblationError;
use super::experiment_plan::{ExperimentPlan, PLAN_FILE};
use super::header::RunHeader;
use super::ledger_answers::LedgerAnswers;
use super::replay::{HEADER_FILE, LEDGER_FILE};
use super::statements::{ArmHead, HeadsStatement, RunStatement};
use super::variant::Variant;

/// What to do about an arm that is not the one that was planned.
const HINT: &str =
    "put the arm's directory back as it was, or run the experiment anew into another directory";

/// How far an experiment must have come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Every arm has begun.
    Begun,
    /// Every arm says that the experiment is over.
    Closed,
}

/// An arm as it was found.
struct FoundArm {
    arm: Variant,
    path: PathBuf,
    ledger: LedgerAnswers,
}

/// Finds the plan that the run in `dir` is an arm of; `None` for a run by itself, and for an arm of an experiment of an
/// earlier version. `statement` is what the run's ledger says was run.
///
/// # Errors
/// [`AblationError::NotComparable`] where the ledger names a plan that is not beside the run, and where a plan beside it
/// has this arm and the ledger names another one or none; as [`ExperimentPlan::read`].
pub fn find_plan(
    dir: &Path,
    statement: Option<&RunStatement>,
) -> Result<Option<ExperimentPlan>, AblationError> {
    let dir = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
    let beside = dir
        .parent()
        .map(ExperimentPlan::read)
        .transpose()?
        .flatten();
    let named = statement.and_then(|statement| statement.plan.as_deref());
    let is_arm = |plan: &ExperimentPlan| {
        let names = plan.arms.iter().map(|planned| planned.arm.as_str());
        names.into_iter().any(|name| dir.ends_with(name))
    };
    let beside = beside.filter(|plan| named.is_some() || is_arm(plan));
    match (beside, named) {
        (None, None) => Ok(None),
        (Some(plan), Some(named)) if plan.digest() == named => Ok(Some(plan)),
        (Some(plan), _) => Err(refuse_plan(&dir, named, &plan.digest())),
        (None, Some(named)) => Err(AblationError::NotComparable {
            path: dir,
            reason: format!(
                "is an arm of the plan with SHA-256 {named}, and there is no {PLAN_FILE} beside it: the plan was deleted, or the arm was moved without it; put both back together"
            ),
        }),
    }
}

/// Checks that the arms below the directory `experiment` are those of `plan`, that every ledger names the plan, that
/// they took their turns in its order, and that each ledger holds what the others say of it.
///
/// # Errors
/// [`AblationError::NotComparable`] with the arm that is missing, other, or contradicted, or with one that is not
/// `stage`; what a header or a ledger cannot be read for.
pub fn check_sealed_experiment(
    experiment: &Path,
    plan: &ExperimentPlan,
    stage: Stage,
) -> Result<(), AblationError> {
    let mut arms = Vec::new();
    for planned in &plan.arms {
        let dir = experiment.join(planned.arm.as_str());
        let [header, ledger] = [HEADER_FILE, LEDGER_FILE].map(|file| dir.join(file));
        if let Some(missing) = [&header, &ledger].into_iter().find(|path| !path.exists()) {
            return Err(refuse(
                missing,
                format!(
                    "is not there, and {} names the arm {}, whose ledger had begun before anything was asked: it was deleted or moved",
                    experiment.join(PLAN_FILE).display(),
                    planned.arm
                ),
            ));
        }
        let (found, digest) = RunHeader::read(&header)?;
        if digest != planned.header {
            return Err(refuse(
                &header,
                format!(
                    "has SHA-256 {digest} and is of the run {}, and the plan has {} for the arm {}: it was changed, or the arm is another's",
                    found.variant, planned.header, planned.arm
                ),
            ));
        }
        let answers = LedgerAnswers::read(&ledger)?;
        answers.check_statement(&header, &digest)?;
        let named = answers.statement().and_then(|run| run.plan.as_deref());
        if named != Some(&plan.digest()) {
            return Err(refuse_plan(&ledger, named, &plan.digest()));
        }
        arms.push(FoundArm {
            arm: planned.arm,
            path: ledger,
            ledger: answers,
        });
    }
    for arm in &arms {
        check_stated_heads(plan, &arms, arm)?;
        if stage == Stage::Closed && !arm.ledger.is_closed() {
            return Err(AblationError::NotComparable {
                path: arm.path.clone(),
                reason: "does not say that the experiment is over: it was stopped, or the end of the ledger was cut off; go on with `axilog ablation run --resume`".to_owned(),
            });
        }
    }
    Ok(())
}

/// Checks what the ledger of `arm` says of the other arms.
fn check_stated_heads(
    plan: &ExperimentPlan,
    arms: &[FoundArm],
    arm: &FoundArm,
) -> Result<(), AblationError> {
    for (turn, (seq, stated)) in arm.ledger.stated_heads().iter().enumerate() {
        let named: Vec<Variant> = stated.heads.iter().map(|head| head.arm).collect();
        let others: Vec<&FoundArm> = arms.iter().filter(|other| other.arm != arm.arm).collect();
        if !others.iter().map(|other| &other.arm).eq(&named) {
            return Err(refuse(
                &arm.path,
                format!(
                    "says in record {seq} how far the arms {named:?} had come; expected all other arms of the plan"
                ),
            ));
        }
        for (other, head) in others.into_iter().zip(&stated.heads) {
            check_head(arm, *seq, other, head)?;
            check_turns(plan, turn, arm, (*seq, stated), (other, head))?;
        }
    }
    Ok(())
}

/// Checks that the ledger of `other` has the head that record `seq` of `arm` says it had.
fn check_head(
    arm: &FoundArm,
    seq: u64,
    other: &FoundArm,
    head: &ArmHead,
) -> Result<(), AblationError> {
    let found = other.ledger.head_at(head.entries);
    if found.as_ref() == Some(&head.head) {
        return Ok(());
    }
    let found = found.map_or_else(
        || format!("it holds {} records", other.ledger.entries()),
        |found| format!("it has the head {found} there"),
    );
    Err(refuse(
        &other.path,
        format!(
            "had {} records and the head {}, as record {seq} of {} says, and {found}: the arm was cut off, made again or exchanged",
            head.entries,
            head.head,
            arm.path.display()
        ),
    ))
}

/// Checks that `other` had taken as many turns as the plan says when `arm` began its turn number `turn`, in the record
/// `stated`. An arm that ended early has taken fewer.
fn check_turns(
    plan: &ExperimentPlan,
    turn: usize,
    arm: &FoundArm,
    (seq, stated): (u64, &HeadsStatement),
    (other, head): (&FoundArm, &ArmHead),
) -> Result<(), AblationError> {
    let taken = |statements: &[(u64, HeadsStatement)], entries: u64| {
        let turns = statements
            .iter()
            .filter(|(_, stated)| stated.seed.is_some());
        turns.take_while(|(seq, _)| *seq < entries).count()
    };
    let (Some(seed), Some(turns)) = (stated.seed, plan.turns.get(turn)) else {
        return Ok(());
    };
    let place = |wanted| turns.arms.iter().position(|arm| *arm == wanted);
    let expected = turn + usize::from(place(other.arm) < place(arm.arm));
    let statements = other.ledger.stated_heads();
    let found = taken(statements, head.entries);
    if seed == turns.seed
        && (found == expected || found == taken(statements, u64::MAX) && found < expected)
    {
        return Ok(());
    }
    Err(refuse(
        &arm.path,
        format!(
            "begins the seed {seed} in record {seq} when {} had begun {found} seeds; the plan says the seed {}, and {expected}",
            other.arm, turns.seed
        ),
    ))
}

fn refuse(path: &Path, reason: String) -> AblationError {
    AblationError::NotComparable {
        path: path.to_owned(),
        reason: format!("{reason}; {HINT}"),
    }
}

fn refuse_plan(path: &Path, named: Option<&str>, expected: &str) -> AblationError {
    let named = named.map_or("no plan".to_owned(), |named| {
        format!("the plan with SHA-256 {named}")
    });
    refuse(
        path,
        format!(
            "was made under {named}, and {PLAN_FILE} beside it has SHA-256 {expected}: the plan was changed, or the arm was made again by itself"
        ),
    )
}
