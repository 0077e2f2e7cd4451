//! An experiment with a language model: does it choose otherwise when it is shown its own last
//! justification?
//!
//! A model acts step by step in an [`environment`] where nearly every action keeps one commitment and breaks
//! another, and justifies each choice. The last justification that was accepted, the *precedent*, stands in
//! the next prompt. A run takes place in several variants: with this memory, without it, and with a memory
//! that is reset at each episode. Every prompt of a run has the same number of tokens, so that a model cannot
//! tell the variants apart by length. Comparing how often each action was done then shows whether precedents
//! matter. Every answer is recorded in an axilog ledger before it is used, and a run is replayed from its
//! ledger without the model.
//!
//! The base harness, run with an agent that needs no model; its steps and precedents are counted:
//!
//! ```
//! use axilog_ablation::{agents::ScriptedAgent, recording_oracle::RecordingOracle, experiment, run::RunPlan};
//! use axilog_ablation::{environment_source::open_harbour, run_document::RunDocument, variant::Variant};
//! use axilog_ledger::{rules::RuleSet, session::Session};
//! use axilog_oracle::Oracle;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let dir = tempfile::tempdir()?;
//! let mut harbour = open_harbour()?;
//! let plan = RunPlan { variant: Variant::V300, seeds: vec![1, 2], episodes: 1 };
//! let header = experiment::build_header(&plan, &harbour, "agent", "agent:indifferent", None);
//! let (session, _) = Session::create(&dir.path().join("ledger.jsonl"), RuleSet::without_policies()?, 0)?;
//! let mut oracle = RecordingOracle::new(session, Oracle::Code(Box::new(ScriptedAgent::Indifferent)));
//! let run = experiment::execute(&header, &mut harbour, None, &mut oracle, &mut |_| true)?;
//! oracle.finish()?;
//! let document = RunDocument::new(&header, &run);
//! assert_eq!((document.result.steps, document.status.summary().as_str()), (100, "VALID"));
//! # Ok(())
//! # }
//! ```
//!
//! `docs/ablation.md` has the command, and the binding answers Q1 to Q8 with code and tests.
//!
//! | module | what it holds |
//! |---|---|
//! | [`environment`] | the world in which an agent acts |
//! | [`declared_environment`], [`environment_source`] | the world that a file describes, and the files that ship |
//! | [`environment_survey`] | what the steps of an environment are like |
//! | [`agents`] | agents that need no model |
//! | [`answer_source`] | where answers come from |
//! | [`recording_oracle`], [`ledger_answers`], [`resumed_answers`] | an oracle that is recorded, a ledger, the one after the other |
//! | [`statements`] | what a ledger says of its run beside the answers |
//! | [`sampling`] | how a model is asked to choose its words |
//! | [`artifact`], [`assistant`], [`compile`] | a justification, who reads it, and what it forbids and requires |
//! | [`precedent`], [`placebo`] | the record of a justification, the memory that keeps it, and what stands in for a record |
//! | [`prompt`], [`prompt_frame`] | the texts of a prompt, its constant length (Gate P4) |
//! | [`context_tokenizer`] | the tokens of a text in its place in a prompt |
//! | [`pad`], [`padding_meaning`] | the padding: its tokens, and that it says nothing |
//! | [`pipeline`] | the stages of a step and their order |
//! | [`v300_ablation_harness`], [`v310_ablation_harness`] | the base harness, and the one that adds the memory |
//! | [`variant`] | what each variant leaves of the memory |
//! | [`novelty`] | which conflicts are new in their episode |
//! | [`run`], [`invalid_run`] | episodes under seeds, and what makes a run count for nothing |
//! | [`calibration`], [`calibration_basis`] | how long the segments of a prompt are, and what that depends on |
//! | [`experiment`], [`replay`] | from a header to a run, live and from the ledger |
//! | [`experiment_plan`], [`interleaved_arms`], [`sealed_experiment`] | the arms of an experiment: planned, taking turns, held against each other's ledgers |
//! | [`side_by_side`], [`kept_answers`] | several seeds at once, and the answers that no ledger holds yet |
//! | [`header`], [`run_document`] | what a run is of, and what came of it |
//! | [`comparable_run`], [`comparison`] | runs that are compared: read, judged |
//! | [`arm_conditions`], [`invalid_comparison`] | what must be the same in all runs of one oracle |
//! | [`comparison_files`], [`comparison_file_names`], [`planned_arms`] | the files of a comparison, and the arms that it misses |
//! | [`trajectory`] | the course of choices in an episode |
//! | [`recorded_prompts`] | whether the prompts are still beside a ledger |
//! | [`endpoint`], [`primary_endpoint`], [`margin`] | the questions, which of them was declared before the runs, what is too small to matter |
//! | [`run_difference`], [`controls`] | how two runs differ, and what the controls show of it |
//! | [`comparison_report`], [`comparison_summary`], [`control_summary`], [`plot`] | what a comparison is written as |
//! | [`profile`], [`swap_test`], [`resampling`] | shares of actions, the permutation test, intervals |
//! | [`statistics`] | the differences of the shares of two runs |
//! | [`holm`], [`judged_tests`] | the correction of several p-values, and the verdicts |
//! | [`step_statistics`], [`confidence_interval`] | agreement with the last record, disagreement beyond the replicate, and where they may lie |
//! | [`completed_profiles`], [`completed_steps`] | what useless answers may hide of a difference |
//! | [`json_document`], [`draw`], [`decimal`] | canonical JSON, seeded draws, exact amounts |
//! | [`error`] | what can go wrong |

#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::unreachable,
        clippy::todo,
        clippy::unimplemented,
        clippy::indexing_slicing
    )
)]

pub mod agents;
pub mod answer_source;
pub mod arm_conditions;
pub mod artifact;
mod asked_ahead;
pub mod assistant;
pub mod calibration;
pub mod calibration_basis;
pub mod comparable_run;
pub mod comparison;
pub mod comparison_file_names;
pub mod comparison_files;
pub mod comparison_report;
pub mod comparison_summary;
pub mod compile;
pub mod completed_profiles;
mod completed_runs;
pub mod completed_steps;
mod conditions_summary;
pub mod confidence_interval;
pub mod context_tokenizer;
pub mod control_summary;
pub mod controls;
mod csv;
pub mod decimal;
pub mod declared_environment;
mod document_checks;
pub mod draw;
mod effects_figure;
pub mod endpoint;
pub mod environment;
mod environment_checks;
pub mod environment_file;
pub mod environment_source;
pub mod environment_survey;
pub mod error;
pub mod experiment;
pub mod experiment_plan;
pub mod header;
pub mod holm;
pub mod interleaved_arms;
pub mod invalid_comparison;
pub mod invalid_run;
pub mod json_document;
mod judged_pairs;
pub mod judged_tests;
pub mod kept_answers;
pub mod ledger_answers;
pub mod margin;
mod measured_pair;
pub mod novelty;
pub mod pad;
pub mod padding_meaning;
pub mod pipeline;
pub mod placebo;
pub mod planned_arms;
pub mod plot;
pub mod precedent;
pub mod primary_endpoint;
mod primary_explanation;
pub mod profile;
pub mod prompt;
pub mod prompt_frame;
pub mod recorded_prompts;
pub mod recording_oracle;
pub mod replay;
pub mod resampling;
pub mod resumed_answers;
pub mod run;
pub mod run_difference;
pub mod run_document;
pub mod sampling;
pub mod sealed_experiment;
pub mod side_by_side;
pub mod statements;
pub mod statistics;
pub mod step_statistics;
mod step_summary;
pub mod sufficient_seeds;
mod svg_figure;
pub mod swap_test;
mod thousandths;
pub mod trajectory;
mod trajectory_figure;
pub mod v300_ablation_harness;
pub mod v310_ablation_harness;
pub mod variant;

pub use error::AblationError;
pub use invalid_run::{InvalidReason, InvalidRun};
