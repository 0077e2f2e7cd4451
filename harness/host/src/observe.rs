//! `host.h`: recording an answer or a failure of an oracle.

use std::ffi::{c_char, c_int};
use std::mem::MaybeUninit;
use std::path::PathBuf;

use axilog::admission::InputKind;
use axilog::evidence::observation::{Failure, Params};
use axilog::ffi::obs::ax_input_kind_t;
use axilog::ffi::oracle::{ax_failure_type_t, ax_oracle_params_t};
use axilog_ledger::error::LedgerError;
use axilog_ledger::input::CanonicalInput;
use axilog_ledger::input_file::MAX_INPUT_BYTES;
use axilog_ledger::session::{OracleCall, OracleReply};

use crate::boundary::run;
use crate::decision::axh_decision_t;
use crate::error::HostError;
use crate::given_text::{check_length, clear_text, give_text};
use crate::open_ledgers;
use crate::options::axh_ledger_t;
use crate::pointer::{Output, SizedStruct, bytes, enum_number, invalid, structure, text};

/// One call of an oracle: what it was asked, and its answer or its failure. All zero but the size, the identities and the
/// answer, each member has its default. The struct borrows what it points to.
#[repr(C)]
pub struct axh_observation_t {
    /// Bytes of this struct: sizeof (axh_observation_t).
    pub size: usize,
    /// Identity of the oracle, NUL-terminated, 1 to 256 visible ASCII characters.
    pub oracle_id: *const c_char,
    /// Versioned identity of its model, as oracle_id; one for each oracle in a ledger.
    pub model_id: *const c_char,
    /// Sampling parameters of the call; NULL where each is null.
    pub params: *const ax_oracle_params_t,
    /// Question: UTF-8 in NFC, whose line ends may be any; NULL for none.
    pub input: *const c_char,
    /// Bytes of input, at most 64 MiB.
    pub input_len: usize,
    /// Answer, as it came, whatever it is; NULL for an empty one, and with a failure.
    pub output: *const c_char,
    /// Bytes of output, at most 64 MiB; 0 with a failure.
    pub output_len: usize,
    /// What the question is; AX_INPUT_KIND_JSON wants canonical JSON.
    pub input_kind: MaybeUninit<ax_input_kind_t>,
    /// AX_FAILURE_NULL for an answer; else AX_FAILURE_TIMEOUT or AX_FAILURE_TRANSPORT_ERROR. Whether an answer is
    /// admissible, the library decides.
    pub failure: MaybeUninit<ax_failure_type_t>,
    /// 1 where the oracle says that its answer is cut off, as at a limit of tokens; else 0. Any number but 0 is 1.
    pub truncated: u8,
}

// SAFETY: `repr(C)`, begins with its size; zero is NULL, a number, or the first value of its enum.
unsafe impl SizedStruct for axh_observation_t {}

/// Records an answer or a failure of an oracle, has the policies judge it, and gives the decision.
///
/// The question is kept as a blob beside the ledger, and the answer too where the record does not hold it whole. When the
/// call returns AXH_OK, the step is as durable as the ledger's durability says. Several threads may call at once: each
/// call is one step, and its decision is about its own answer.
///
/// @param ledger Ledger that records the answer.
/// @param observation Call and reply of the oracle, borrowed for the call.
/// @param decision Receives the decision; its size is set by the caller, and it overlaps nothing. On failure all after
///     the size is 0: nothing may be acted on. NULL where it is not wanted.
/// @return AXH_OK, or one of these codes. A breach and an answer that is not admissible are recorded, and AXH_OK.
/// @retval AXH_ERR_ARGUMENT A pointer is NULL, a size or a number is not as its member says, or a failure has an output.
/// @retval AXH_ERR_HANDLE ledger is NULL or closed.
/// @retval AXH_ERR_REFUSED The ledger does not take the question or the oracle; nothing was recorded.
/// @retval AXH_ERR_LEDGER The ledger has failed, or a schema that it declares cannot be used; nothing was recorded.
/// @retval AXH_ERR_IO The operating system refused an operation; the text says whether anything was recorded.
/// @see SRS-004 §7 and §8; formats.md §3 and §5
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn axh_observe(
    ledger: *const axh_ledger_t,
    observation: *const axh_observation_t,
    decision: *mut axh_decision_t,
) -> c_int {
    run(|| {
        // SAFETY: by contract.
        let out = unsafe { Output::optional("decision", decision) }?;
        // SAFETY: by contract.
        let given = unsafe { structure("observation", observation) }?;
        // SAFETY: by contract.
        let (call, reply) = unsafe { (read_call(given)?, read_reply(given)?) };
        open_ledgers::observe(ledger, &call, reply, out)
    })
}

/// Checks, before an oracle is asked, that its answer could be recorded: the identities, the question, the answers that it
/// was derived from, and the declared schema of what the oracle may be asked. Records nothing.
///
/// A question that is refused is then never put. axh_observe checks again.
///
/// @param ledger Ledger that will record the answer.
/// @param observation Call of the oracle, borrowed for the call; its output and failure are not read.
/// @param question Receives the question in the form that is recorded, which is to be put to the oracle, NUL-terminated;
///     axh_string_free frees it. NULL on failure. It overlaps no other argument. NULL where it is not wanted.
/// @return AXH_OK, or one of these codes.
/// @retval AXH_ERR_ARGUMENT A pointer is NULL, or a size or a number is not as its member says.
/// @retval AXH_ERR_HANDLE ledger is NULL or closed.
/// @retval AXH_ERR_REFUSED The ledger does not take the question or the oracle.
/// @retval AXH_ERR_LEDGER A schema that the ledger declares cannot be used.
/// @see SRS-004 §8; formats.md §5
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn axh_check_question(
    ledger: *const axh_ledger_t,
    observation: *const axh_observation_t,
    question: *mut *mut c_char,
) -> c_int {
    // SAFETY: by contract.
    unsafe { clear_text(question) };
    run(|| {
        // SAFETY: by contract.
        let call = unsafe { read_call(structure("observation", observation)?) }?;
        open_ledgers::ask(ledger, |session| session.check_question(&call))??;
        let text = String::from_utf8_lossy(call.input.bytes()).into_owned();
        // SAFETY: by contract.
        unsafe { give_text(question, text) };
        Ok(())
    })
}

/// # Safety
/// The pointers of `given` are as its type says.
unsafe fn read_call(given: &axh_observation_t) -> Result<OracleCall, HostError> {
    // SAFETY: by contract.
    let (oracle_id, model_id, question, params) = unsafe {
        (
            text("observation.oracle_id", given.oracle_id)?,
            text("observation.model_id", given.model_id)?,
            bytes("observation.input", given.input, given.input_len)?,
            given.params.as_ref(),
        )
    };
    check_length("observation.input", question, MAX_INPUT_BYTES)?;
    let kind = read_input_kind("observation.input_kind", given.input_kind)?;
    let input =
        CanonicalInput::new(question, kind).map_err(|reason| LedgerError::InvalidInput {
            path: PathBuf::from("observation.input"),
            reason,
        })?;
    Ok(OracleCall {
        oracle_id: oracle_id.to_owned(),
        model_id: model_id.to_owned(),
        params: params.map_or(Params::NULL, read_params),
        input,
    })
}

/// Reads the kind of a question; `name` is its name in messages.
pub(crate) fn read_input_kind(
    name: &str,
    kind: MaybeUninit<ax_input_kind_t>,
) -> Result<InputKind, HostError> {
    match enum_number(kind) {
        0 => Ok(InputKind::Text),
        1 => Ok(InputKind::Json),
        number => Err(invalid(format!(
            "{name} is {number}, expected an AX_INPUT_KIND_ constant"
        ))),
    }
}

/// # Safety
/// The pointers of `given` are as its type says.
unsafe fn read_reply<'a>(given: &axh_observation_t) -> Result<OracleReply<'a>, HostError> {
    // SAFETY: by contract.
    let answer = unsafe { bytes("observation.output", given.output, given.output_len) }?;
    check_length("observation.output", answer, MAX_INPUT_BYTES)?;
    let failure = match enum_number(given.failure) {
        0 if given.truncated != 0 => return Ok(OracleReply::CutAnswer(answer)),
        0 => return Ok(OracleReply::Answer(answer)),
        1 => Failure::Timeout,
        3 => Failure::TransportError,
        number => {
            return Err(invalid(format!(
                "observation.failure is {number}, expected AX_FAILURE_NULL, AX_FAILURE_TIMEOUT or AX_FAILURE_TRANSPORT_ERROR"
            )));
        }
    };
    match answer.len() {
        0 => Ok(OracleReply::Failure(failure)),
        length => Err(invalid(format!(
            "observation.output has {length} bytes beside a failure, expected none: give the answer or the failure"
        ))),
    }
}

/// Values out of range stay so, for the core to refuse.
fn read_params(given: &ax_oracle_params_t) -> Params {
    Params {
        max_tokens: (given.max_tokens != -1).then_some(given.max_tokens),
        seed: (given.seed != -1).then_some(given.seed),
        temperature: (given.temperature != i32::MIN).then_some(given.temperature),
        top_p: (given.top_p != i32::MIN).then_some(given.top_p),
    }
}
