//! X-0L: a language model proposes actions, and a frozen kernel decides which of them may be carried out.
//!
//! A session asks a model one task per cycle, reads candidates out of its answers, and lets the kernel
//! decide on them under a constitution. The model is never trusted: each answer is recorded in a ledger
//! before anything reads it, and the run can be replayed later without the model. The kernel alone needs
//! neither a model nor a file:
//!
//! ```
//! use axilog_ledger::encoding::hex;
//! use axilog_x0l::kernel::{
//!     CandidateSet, Constitution, DecisionKind, KernelState, KernelObservation, decide, parse_candidates,
//! };
//!
//! let constitution = Constitution::parse(axilog_x0l::live::examples::CONSTITUTION)?;
//! let request = KernelObservation::UserInput { text: "Tell the operator that the pump is warm.".into() };
//! let answer = serde_json::json!({ "candidates": [{
//!     "action_request": { "action_type": "Notify",
//!         "fields": { "to": "operator", "message": "The pump is warm." } },
//!     "scope_claim": { "observation_ids": [hex(&request.id())],
//!         "claim": "The user asks for this notice.", "clause_ref": "CL-NOTIFY" },
//!     "justification": { "text": "The user asked for it." },
//!     "authority_citations": ["constitution:0.1.0#CL-NOTIFY"],
//! }] });
//! let parsed = parse_candidates(&answer);
//! let observations = [request, KernelObservation::Timestamp { time: 1 }, KernelObservation::Budget {
//!     llm_output_token_count: 900,
//!     llm_candidates_reported: parsed.reported,
//!     llm_parse_errors: parsed.errors,
//! }];
//! let candidates = CandidateSet { candidates: parsed.candidates, ..CandidateSet::default() };
//! let (decision, _) = decide(&constitution, &KernelState::default(), &observations, &candidates);
//! assert_eq!(decision.kind, DecisionKind::Action);
//! println!("{}", axilog_x0l::document::to_text(&decision));
//! # Ok::<(), axilog_x0l::kernel::ConstitutionError>(())
//! ```
//!
//! | module | what it holds |
//! |---|---|
//! | [`budget`] | the token limits B1 and B2, checked before a call |
//! | [`calibration`] | the prompt that shows whether a model is steady, and what counts as steady |
//! | [`condition`] | the conditions and their tasks |
//! | [`document`] | documents written and read through serde, in one form only |
//! | [`erratum`] | what a syntax erratum may change in the template |
//! | [`fields`] | the names of the fields in an answer, which an erratum may change |
//! | [`frozen_code`] | the hashes of the code that decides |
//! | [`kernel`] | the constitution, and the function that decides under it |
//! | [`live`] | the session: plan, preflight, calibration, cycles |
//! | [`log`] | the directory of a run, and the documents in it |
//! | [`metrics`] | the numbers that the cycles of a run come to |
//! | [`permutation`] | the candidates of one answer in other orders |
//! | [`replay`] | a run recomputed and compared |
//! | [`report`] | whether a session closes, and the page that says so |
//! | [`review`] | what a person found on inspection |
//! | [`schedule`] | the task of each cycle |
//! | [`sentinel`] | the prompts that show whether a server still has the model that it had |
//! | [`show`] | one cycle as a person wants to see it, checked |
//! | [`taxonomy`] | the types of refusals, and the outcomes of injections |
//! | [`template`] | the one base template of prompts |
//! | [`type_iii_failures`] | what the gates refused in the cycles that a person must look at |

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

pub mod budget;
pub mod calibration;
pub mod condition;
pub mod document;
pub mod erratum;
mod error;
pub mod fields;
pub mod frozen_code;
pub mod kernel;
pub mod live;
pub mod log;
pub mod metrics;
pub mod permutation;
pub mod replay;
pub mod report;
pub mod review;
pub mod schedule;
pub mod sentinel;
pub mod show;
pub mod taxonomy;
pub mod template;
pub mod type_iii_failures;
pub mod wilson;

pub use error::X0lError;
