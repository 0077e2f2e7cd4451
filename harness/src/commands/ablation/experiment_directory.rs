//! The directory of an experiment: its arms begun and sealed by a plan, run side by side, finished.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use axilog::hash::Hash;
use axilog_ablation::AblationError;
use axilog_ablation::declared_environment::DeclaredEnvironment;
use axilog_ablation::experiment_plan::{ExperimentPlan, PLAN_FILE};
use axilog_ablation::header::RunHeader;
use axilog_ablation::interleaved_arms::{Ending, OpenArm, run_interleaved};
use axilog_ablation::kept_answers::has_kept_answers;
use axilog_ablation::ledger_answers::LedgerAnswers;
use axilog_ablation::replay::LEDGER_FILE;
use axilog_ablation::run::{Run, RunStatus};
use axilog_ablation::sealed_experiment::{Stage, check_sealed_experiment, find_plan};
use axilog_ablation::side_by_side::SideBySide;
use axilog_ablation::statements::ArmHead;
use axilog_ablation::variant::Variant;
use axilog_ledger::error::FileError;

use super::oracle_options::OracleOptions;
use super::run_directory::{RunDirectory, RunState};
use super::run_files;
use crate::error::CommandError;
use crate::interrupt::Flag;
use crate::now;
use crate::options::checkpoints::HeadSigning;
use crate::output::progress::StepProgress;

/// The runs that are made together, or one run by itself.
pub(super) struct ExperimentDirectory<'a> {
    /// The directory above those of the runs.
    pub(super) out: &'a Path,
    pub(super) runs: Vec<RunDirectory<'a>>,
    pub(super) environment: &'a DeclaredEnvironment,
    pub(super) oracle: &'a OracleOptions,
    /// How many seeds run side by side.
    pub(super) parallel: usize,
}

/// What holds the arms of an experiment together.
enum Seal {
    /// A plan that is yet to be made.
    New,
    Plan(ExperimentPlan),
    /// Nothing: it is one run by itself, or an experiment of an earlier version.
    None,
}

/// Checks that no plan in the directory `out` has one of `variants`, and that none is there where they are several.
pub(super) fn check_free(out: &Path, variants: &[Variant]) -> Result<(), AblationError> {
    match ExperimentPlan::read(out)? {
        Some(plan)
            if variants.len() > 1 || plan.list_arms().iter().any(|arm| variants.contains(arm)) =>
        {
            Err(AblationError::ArmOfExperiment {
                path: out.join(PLAN_FILE),
                arms: plan.describe_arms(),
            })
        }
        _ => Ok(()),
    }
}

impl ExperimentDirectory<'_> {
    /// Runs what the headers say, or goes on with it where `resume`, and writes the files. Runs that are whole stay as
    /// they are. The heads of each run's ledger are signed as `signings` say, which are in the order of the runs. Gives the
    /// runs, in their order.
    pub(super) fn run(
        &self,
        resume: bool,
        flag: &Flag,
        signings: &mut [HeadSigning],
    ) -> Result<Vec<(Variant, PathBuf, Run)>, CommandError> {
        let seal = match resume {
            true => self.find_seal()?,
            false if self.runs.len() > 1 => Seal::New,
            false => Seal::None,
        };
        let mut states = Vec::new();
        for run in &self.runs {
            states.push(match (&seal, resume) {
                (Seal::New, _) | (_, false) => RunState::Nothing,
                (Seal::Plan(_), true) => run.find_run(true)?,
                (Seal::None, true) => run.find_run(false)?,
            });
        }
        let plan = match &seal {
            Seal::New => Some(self.make_plan()?),
            Seal::Plan(plan) => Some(plan.clone()),
            Seal::None => None,
        };
        let mut arms = self.open_arms(&states, plan.as_ref())?;
        if let (Seal::New, Some(plan)) = (&seal, &plan) {
            // From here on every arm has begun, and none is begun again.
            run_files::write_whole(&self.out.join(PLAN_FILE), &plan.to_file_text())?;
        }
        self.start_signing(&states, &mut arms, signings)?;
        let closed: Vec<ArmHead> = states.iter().filter_map(RunState::reached).collect();
        let ending = self.ask(&mut arms, &closed, plan.as_ref(), flag)?;
        let (mut runs, mut stopped) = (Vec::new(), None);
        let mut arms = arms.into_iter();
        for (directory, state) in self.runs.iter().zip(states) {
            let variant = directory.header.variant;
            let run = match state {
                RunState::Whole(replayed) => replayed.run,
                _ => {
                    // After an invalid baseline of an experiment of an earlier version nothing is opened.
                    let Some(arm) = arms.next() else { continue };
                    let (run, fault) = directory.finish(arm)?;
                    if matches!(ending, Ending::Stopped(arm) if arm == variant) {
                        stopped = Some(describe_stop(directory.dir, &run.status, fault));
                    }
                    run
                }
            };
            runs.push((variant, directory.dir.to_owned(), run));
        }
        match (ending, stopped) {
            (Ending::Incomparable(difference), _) => Err(AblationError::from(difference).into()),
            (_, Some(stop)) => Err(stop.into()),
            (_, None) => Ok(runs),
        }
    }

    /// Finds what holds runs together that are to go on. Every arm that was begun must be there, as far as the others
    /// know of it. Arms that were begun before their plan was whole, so that nothing was asked, are begun again.
    fn find_seal(&self) -> Result<Seal, CommandError> {
        let arms: Vec<Variant> = self.runs.iter().map(|run| run.header.variant).collect();
        if arms.len() == 1 {
            check_free(self.out, &arms)?;
            return Ok(Seal::None);
        }
        if let Some(plan) = ExperimentPlan::read(self.out)? {
            if plan.list_arms() != arms {
                let given: Vec<&str> = arms.iter().map(|arm| arm.as_str()).collect();
                return Err(AblationError::ResumedOtherwise {
                    path: self.out.join(PLAN_FILE),
                    member: "arms".to_owned(),
                    found: plan.describe_arms(),
                    expected: given.join(", "),
                }
                .into());
            }
            check_sealed_experiment(self.out, &plan, Stage::Begun)?;
            return Ok(Seal::Plan(plan));
        }
        let mut begun = Vec::new();
        for run in &self.runs {
            let path = run.dir.join(LEDGER_FILE);
            if !path.exists() {
                continue;
            }
            let answers = LedgerAnswers::read(&path)?;
            let plan = answers.statement().and_then(|run| run.plan.as_ref());
            match (plan, answers.answer_count()) {
                (_, 0) => begun.push(path),
                (None, _) => return Ok(Seal::None),
                (Some(_), _) => {
                    find_plan(run.dir, answers.statement())?;
                }
            }
        }
        for ledger in begun {
            fs::remove_file(&ledger).map_err(FileError::from_io(&ledger, "remove"))?;
        }
        Ok(Seal::New)
    }

    /// Makes the plan of the runs, with a nonce from the system.
    fn make_plan(&self) -> Result<ExperimentPlan, CommandError> {
        let headers: Vec<RunHeader> = self.runs.iter().map(|run| run.header.clone()).collect();
        let mut nonce = Hash::default();
        getrandom::fill(&mut nonce).map_err(|error| {
            let plan = self.out.join(PLAN_FILE);
            FileError::from_io(&plan, "draw a nonce for")(io::Error::other(error.to_string()))
        })?;
        Ok(ExperimentPlan::new(&headers, &nonce, now()))
    }

    /// Opens the arms that are not whole, unless the baseline is whole and invalid: then nothing more is asked.
    fn open_arms(
        &self,
        states: &[RunState],
        plan: Option<&ExperimentPlan>,
    ) -> Result<Vec<OpenArm>, CommandError> {
        if states.iter().any(RunState::is_invalid_baseline) {
            return Ok(Vec::new());
        }
        let mut oracles = Vec::new();
        for (run, state) in self.runs.iter().zip(states) {
            if !matches!(state, RunState::Whole(_)) {
                oracles.push((run, state, run.open_oracle(self.oracle)?));
            }
        }
        let mut arms = Vec::new();
        for (run, state, oracle) in oracles {
            let digest = plan.map(ExperimentPlan::digest);
            arms.push(run.open(oracle, self.oracle.base_url(), state, digest)?);
        }
        Ok(arms)
    }

    /// Begins to sign the heads of the runs' ledgers: from here on none of them is begun anew. Of a run that is whole the last
    /// head is signed, in case it was stopped before that.
    fn start_signing(
        &self,
        states: &[RunState],
        arms: &mut [OpenArm],
        signings: &mut [HeadSigning],
    ) -> Result<(), CommandError> {
        for ((run, state), signing) in self.runs.iter().zip(states).zip(signings) {
            let ledger = run.dir.join(LEDGER_FILE);
            if let RunState::Whole(_) = state {
                signing.sign_end(&ledger, || run_files::read_end(&ledger))?;
                continue;
            }
            let variant = run.header.variant;
            let arm = arms.iter_mut().find(|arm| arm.variant() == variant);
            if let Some(arm) = arm
                && let Some(watch) = signing.start_at(&ledger)?
            {
                arm.report_durable_to(watch);
            }
        }
        Ok(())
    }

    /// Lets the arms take their turns.
    fn ask(
        &self,
        arms: &mut [OpenArm],
        closed: &[ArmHead],
        plan: Option<&ExperimentPlan>,
        flag: &Flag,
    ) -> Result<Ending, CommandError> {
        let steps = arms.iter().map(OpenArm::step_count).sum();
        let recorded = arms.iter().map(OpenArm::recorded_steps).sum();
        let name = match self.runs.as_slice() {
            [run] => run.header.variant.to_string(),
            runs => format!("{} arms", runs.len()),
        };
        let mut progress = StepProgress::new(steps, recorded, &name);
        let frame = self.runs.first().and_then(|run| run.frame);
        let seeds = self.parallel;
        // What was asked ahead before the runs were stopped is not asked again.
        let has_kept = self.runs.iter().any(|run| has_kept_answers(run.dir));
        let side = SideBySide {
            seeds,
            open_endpoint: &|| self.oracle.open_for_seed(seeds),
            new_environment: &|| Box::new(self.environment.clone()),
            constraint: self.oracle.read_constraint()?,
            keeps_answers: !self.oracle.is_repeatable(),
            should_continue: &|| !flag.is_set(),
        };
        let side = (seeds > 1 || has_kept).then_some(&side);
        Ok(run_interleaved(
            arms,
            closed,
            plan,
            frame,
            side,
            &mut |taken| {
                progress.show(taken);
                !flag.is_set()
            },
        )?)
    }
}

/// Describes why the run in `dir` was stopped before it was whole.
fn describe_stop(dir: &Path, status: &RunStatus, fault: Option<String>) -> AblationError {
    let describe = |reason: &str| {
        format!(
            "{reason}before the run was whole; {} holds what there is, marked PARTIAL; --resume goes on with it",
            dir.display()
        )
    };
    match status {
        RunStatus::NoAnswer(failure, _) => {
            let fault = fault.unwrap_or_else(|| failure.as_str().to_owned());
            AblationError::NoAnswer(describe(&format!("({fault}) ")))
        }
        _ => AblationError::Interrupted(describe("")),
    }
}
