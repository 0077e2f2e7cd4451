//! Asking a model with a bundle: the bundle is recorded before the question is asked, and the answer
//! before anybody reads it.
//!
//! Two observations are recorded. The first is the oracle [`BUNDLE_ORACLE`]'s: its input is the bundle in
//! canonical form, so that its `input_hash` is the bundle's hash and the bundle itself is a blob beside
//! the ledger; its output names the grammar, the hash of the prompt and every file that went in. The
//! second is the model's, and its input is the prompt.

use std::path::PathBuf;

use axilog::admission::InputKind;
use axilog::evidence::observation::{MAX_RECORD_BYTES, Params};
use axilog::hash::{Hash, sha256};
use axilog::policy::Registry;
use axilog_bundle::gbnf::{Grammar, GrammarVerdict};
use axilog_bundle::json_report::bundle_json;
use axilog_bundle::{RenderedPrompt, StepAwarenessBundle};
use axilog_ledger::encoding::hex;
use axilog_ledger::error::LedgerError;
use axilog_ledger::input::CanonicalInput;
use axilog_ledger::jcs;
use axilog_ledger::session::{OracleCall, OracleReply, Session};
use axilog_oracle::{
    AnswerConstraint, Consultation, GrammarDialect, Message, Oracle, Question, Role,
    consult_oracle, prepare_call,
};
use serde::Serialize;
use serde_json::Value;

use crate::error::CommandError;
use crate::output::to_json;

/// The oracle id of the observation of a bundle.
pub(super) const BUNDLE_ORACLE: &str = "bundle";

/// The model id of that observation: the form of the bundle.
pub(super) const BUNDLE_MODEL: &str = "AX:BUNDLE:v1";

/// The most bytes of provenance that a record is given: it must hold the rest too, and be whole.
const MAX_PROVENANCE: usize = 32 << 10;

/// The most bytes of all that a record is given. What stands around it needs less than the rest.
const MAX_EVIDENCE: usize = MAX_RECORD_BYTES - 1024;

/// What the server is asked to hold the answer to.
#[derive(Clone, Copy, Debug)]
pub(super) enum BundleConstraint<'a> {
    /// The grammar that the bundle names, and the way in which it is sent.
    Grammar(GrammarDialect),
    /// Another form.
    ResponseFormat(&'a AnswerConstraint),
}

/// The question that goes with a bundle.
#[derive(Clone, Copy, Debug)]
pub(super) struct BundleQuestion<'a> {
    /// The model, exactly as its server names it.
    pub(super) model: &'a str,
    /// The prompt of the bundle.
    pub(super) rendered: &'a RenderedPrompt,
    /// The grammar that the bundle names, and its text.
    pub(super) grammar: &'a (Grammar, String),
    /// What the server is asked to hold the answer to; `None` where it is asked for the text alone.
    pub(super) constraint: Option<BundleConstraint<'a>>,
    /// The sampling parameters.
    pub(super) params: Params,
}

/// What the observation of a bundle records: the hashes of everything that goes into the question.
#[derive(Serialize)]
struct BundleEvidence<'a> {
    bundle_sha256: String,
    grammar_name: &'a str,
    grammar_sent: bool,
    grammar_sha256: String,
    prompt_sha256: String,
    /// The files that went in; `None` where they are too many.
    provenance: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<String>,
    run_id: &'a str,
    step_id: u32,
}

/// The recorded outcome of a question with a bundle.
#[derive(Debug)]
pub(super) struct BundleConsultation {
    /// SHA-256 of the bundle in canonical form: the `input_hash` of its observation.
    pub(super) bundle_hash: Hash,
    /// The sequence of the bundle's observation.
    pub(super) bundle_seq: u64,
    /// The model's call, as the ledger holds it.
    pub(super) consultation: Consultation,
    /// The answer as the ledger holds it, its line ends LF; `None` where it holds no whole one.
    pub(super) answer: Option<String>,
    /// Whether that answer fits the grammar.
    pub(super) fits: Option<GrammarVerdict>,
}

/// A bundle and its question, all parts of which are admissible.
#[derive(Debug)]
pub(super) struct PreparedQuestion<'a> {
    grammar: &'a Grammar,
    question: Question,
    bundle: CanonicalInput,
    evidence: CanonicalInput,
}

impl<'a> PreparedQuestion<'a> {
    /// Prepares all records that precede the answer. No ledger is needed yet.
    ///
    /// # Errors
    /// [`LedgerError::InvalidInput`] for a bundle or prompt that is not admissible.
    pub(super) fn new(
        bundle: &StepAwarenessBundle,
        asking: &BundleQuestion<'a>,
    ) -> Result<PreparedQuestion<'a>, CommandError> {
        let question = question(asking);
        let prompt = question
            .to_canonical_input()
            .map_err(input_error("the prompt"))?;
        let input = canonical(&bundle_json(bundle)).map_err(input_error("the bundle"))?;
        // Of many files the record says nothing, and the bundle itself everything.
        let provenance = to_json(&bundle.provenance());
        let fits = provenance.to_string().len() <= MAX_PROVENANCE;
        let evidence = BundleEvidence {
            bundle_sha256: hex(&input.hash()),
            grammar_name: bundle.context().grammar_name(),
            grammar_sent: matches!(asking.constraint, Some(BundleConstraint::Grammar(_))),
            grammar_sha256: hex(&sha256(asking.grammar.1.as_bytes())),
            prompt_sha256: hex(&prompt.hash()),
            provenance: fits.then_some(provenance),
            response_format: match asking.constraint {
                Some(BundleConstraint::ResponseFormat(form)) => Some(form.describe()),
                _ => None,
            },
            run_id: bundle.run_id(),
            step_id: bundle.step_id(),
        };
        let evidence = canonical(&to_json(&evidence))
            .and_then(check_record_size)
            .map_err(input_error("the bundle's record"))?;
        Ok(PreparedQuestion {
            grammar: &asking.grammar.0,
            question,
            bundle: input,
            evidence,
        })
    }

    /// Refuses a question or a bundle that may not be recorded or cannot be sent to `endpoint`.
    ///
    /// # Errors
    /// As [`Oracle::check_question`] and [`Oracle::check_recorded_text`].
    pub(super) fn check_for_endpoint(&self, endpoint: &Oracle) -> Result<(), CommandError> {
        endpoint.check_question(&self.question)?;
        for input in [&self.bundle, &self.evidence] {
            endpoint.check_recorded_text("the bundle", input.bytes())?;
        }
        Ok(())
    }

    /// Asks `endpoint`, as the oracle `oracle_id`'s.
    ///
    /// # Errors
    /// Before anything is recorded: [`CommandError::LedgerHasPolicies`] for a ledger with policies,
    /// [`LedgerError::InvalidInput`], and those of [`PreparedQuestion::check_for_endpoint`] and
    /// [`Session::check_question`]. Afterwards as
    /// [`consult_oracle`].
    pub(super) fn ask(
        self,
        session: &mut Session,
        endpoint: &mut Oracle,
        oracle_id: &str,
    ) -> Result<BundleConsultation, CommandError> {
        if session.rules().len() > 0 {
            return Err(CommandError::LedgerHasPolicies(session.path().to_owned()));
        }
        self.check_for_endpoint(endpoint)?;
        session.check_question(&prepare_call(oracle_id, &self.question)?)?;
        let bundle_hash = self.bundle.hash();
        let call = OracleCall {
            oracle_id: BUNDLE_ORACLE.to_owned(),
            model_id: BUNDLE_MODEL.to_owned(),
            params: Params::NULL,
            input: self.bundle,
        };
        let recorded = session.observe(&call, OracleReply::Answer(self.evidence.bytes()))?;
        let consultation = consult_oracle(session, endpoint, oracle_id, &self.question)?;
        let answer = consultation.recorded_text();
        Ok(BundleConsultation {
            bundle_hash,
            bundle_seq: recorded.observation.ledger_seq,
            fits: answer.as_deref().map(|answer| self.grammar.judge(answer)),
            answer,
            consultation,
        })
    }
}

/// The question of the prompt alone, so that no other text costs tokens.
fn question(asking: &BundleQuestion<'_>) -> Question {
    let prompt = Message {
        role: Role::User,
        content: asking.rendered.prompt.clone(),
    };
    let constraint = asking.constraint.map(|constraint| match constraint {
        BundleConstraint::Grammar(dialect) => {
            AnswerConstraint::Grammar(dialect, asking.grammar.1.clone())
        }
        BundleConstraint::ResponseFormat(form) => form.clone(),
    });
    Question {
        model: asking.model.to_owned(),
        messages: vec![prompt],
        params: asking.params,
        constraint,
    }
}

/// Checks that a record has room for the evidence, which stands in it as JSON text with escaped quotes.
fn check_record_size(evidence: CanonicalInput) -> Result<CanonicalInput, String> {
    let written = Value::from(String::from_utf8_lossy(evidence.bytes())).to_string();
    match written.len() <= MAX_EVIDENCE {
        true => Ok(evidence),
        false => Err(format!(
            "it takes {} bytes, and a record has room for {MAX_EVIDENCE}; give a shorter --run-id or shorter paths",
            written.len()
        )),
    }
}

fn canonical(value: &Value) -> Result<CanonicalInput, String> {
    let canonical =
        jcs::canonicalize(value.to_string().as_bytes()).map_err(|no_form| no_form.reason)?;
    CanonicalInput::new(&canonical, InputKind::Json)
}

fn input_error(what: &str) -> impl FnOnce(String) -> CommandError {
    let path = PathBuf::from(what);
    move |reason| LedgerError::InvalidInput { path, reason }.into()
}
