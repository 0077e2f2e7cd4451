//! `host.h`: what a program asks the provider of a model and what comes back, kept and recorded as the gateway does it.

use std::ffi::{c_char, c_int};
use std::mem::MaybeUninit;

use axilog_exchange::{
    ANSWER_ORACLE, Arrival, ExchangeFault, FACTS_ORACLE, Facts, Finding, Interface, RecordedCall,
    RecordedQuestion, examine_arrival, oracle_of, record_call, takes_facts,
};
use axilog_ledger::decision::StepDecision;
use axilog_ledger::decision_reasons::list_reasons;
use axilog_ledger::encoding::hex;
use axilog_ledger::input_file::MAX_INPUT_BYTES;
use axilog_ledger::json_report::decision::decision_json;
use axilog_ledger::session::{OracleCall, Session};
use axilog_oracle::{contains_secret, is_searched_for};
use serde_json::{Value, json};

use crate::boundary::{run, run_check};
use crate::decision::axh_decision_t;
use crate::error::HostError;
use crate::given_text::{check_length, clear_text, give_json};
use crate::last_decision::give_decision;
use crate::open_ledgers;
use crate::options::axh_ledger_t;
use crate::pointer::{
    Output, SizedStruct, bytes, enum_number, invalid, optional_text, structure, text,
};

/// What came of a question to a provider.
#[derive(Clone, Copy)]
#[repr(C)]
pub enum axh_arrival_t {
    /// A whole response, whatever its status.
    AXH_ARRIVAL_RESPONSE = 0,
    /// No connection came about, so that nothing was asked.
    AXH_ARRIVAL_UNREACHABLE = 1,
    /// The answer was not there in time.
    AXH_ARRIVAL_TIMEOUT = 2,
    /// The connection broke, or what came cannot be read.
    AXH_ARRIVAL_BROKEN = 3,
    /// The program gave up waiting.
    AXH_ARRIVAL_CANCELLED = 4,
}

/// One exchange with the provider of a model: the request as it is sent, and what comes back. The struct borrows what it
/// points to.
#[repr(C)]
pub struct axh_exchange_t {
    /// Bytes of this struct: sizeof (axh_exchange_t).
    pub size: usize,
    /// Interface, NUL-terminated: "chat/completions", "responses", "completions" or "embeddings" of OpenAI, or "messages"
    /// of Anthropic.
    pub interface: *const c_char,
    /// Identity of the oracle that answers, NUL-terminated; NULL for "llm". Embeddings have "llm.embedding" always.
    pub oracle_id: *const c_char,
    /// The API key that the request is sent with, NUL-terminated: no blob and no record holds it; NULL for none. A key of
    /// fewer than 8 characters is not searched for.
    pub key: *const c_char,
    /// Body of the request, which is a JSON object with the member "model".
    pub request: *const c_char,
    /// Bytes of request, at most 64 MiB.
    pub request_len: usize,
    /// Body of the response as the provider sent it, JSON or a stream of events, not encoded; or what came of it; NULL
    /// for none.
    pub response: *const c_char,
    /// Bytes of response, at most 64 MiB.
    pub response_len: usize,
    /// Header `content-type` of the response, NUL-terminated; NULL for none. "text/event-stream" is a stream.
    pub content_type: *const c_char,
    /// Milliseconds from the request to the end of the response.
    pub milliseconds: u64,
    /// Status of HTTP, from 100 to 999; 0 where no whole response came.
    pub status: u32,
    /// What came of the request.
    pub arrival: MaybeUninit<axh_arrival_t>,
}

// SAFETY: `repr(C)`, begins with its size; zero is NULL, a number, or the first value of its enum.
unsafe impl SizedStruct for axh_exchange_t {}

/// Keeps what a provider is about to be asked: the question is durable when the call returns AXH_OK, and may be sent then.
///
/// The question is the canonical JSON of the request's body. The ledger must take the answer: its agent is ENABLED, no
/// policy of it judges every oracle, and oracle and model are such that may answer. Nothing is recorded.
///
/// @param ledger Ledger that will record the exchange.
/// @param exchange Request, borrowed for the call; the members after request_len are not read.
/// @return AXH_OK, or one of these codes. But for AXH_OK the request must not be sent.
/// @retval AXH_ERR_ARGUMENT A pointer is NULL, the size or the interface is none, or the request is too long.
/// @retval AXH_ERR_HANDLE ledger is NULL or closed.
/// @retval AXH_ERR_REFUSED The ledger does not take the question, the oracle or its model; the request is no JSON with a
///     model, or holds the key; with AXH_REASON_STATE the agent is not ENABLED, with AXH_REASON_POLICIES a policy judges
///     every oracle.
/// @retval AXH_ERR_LEDGER A schema that the ledger declares cannot be used.
/// @retval AXH_ERR_IO The operating system refused an operation.
/// @see SRS-004 §4, §7.2 and §8
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn axh_exchange_begin(
    ledger: *const axh_ledger_t,
    exchange: *const axh_exchange_t,
) -> c_int {
    run(|| {
        // SAFETY: by contract.
        let request = unsafe { GivenRequest::read(structure("exchange", exchange)?) }?;
        if request.holds_key(request.body) {
            return Err(HostError::Question(
                "it holds the API key, which no file may hold; take it out of there".to_owned(),
            ));
        }
        let call = request.to_call()?;
        open_ledgers::ask(ledger, check_agent)??;
        open_ledgers::share(ledger, |session, _| session.keep_question(&call))
    })
}

/// Records what came of a request that axh_exchange_begin has kept, has the policies judge it, and says whether the
/// program may have the answer.
///
/// In one turn it records what the provider says of itself (oracle "llm.provider", whose input is the response, byte for
/// byte), each answer, and after it each of its tool calls ("tool.NAME"). A stream is recorded as what its events add up
/// to. A response that is no answer, as it was cut, is no JSON or holds the key, is a TRANSPORT_ERROR; an error of the
/// provider and a request that nobody got are recorded and alarm nobody.
///
/// @param ledger Ledger that records the exchange.
/// @param exchange Request as it was begun, and what came of it, borrowed for the call.
/// @param decision Receives the decision that counts: the first on what may not be acted on, else the last; all after its
///     size is 0 where there was no answer, and on failure. axh_last_decision is about it too. NULL where it is not wanted.
/// @param json Receives an object, NUL-terminated, which axh_string_free frees: in "end" how the exchange ended
///     ("released", "breach", "provider_error", "provider_failure"), in "why" the reason in words (null where "released"),
///     in "decisions" an object for each answer, tool call and failure, as `axilog observe --json` prints it, and of the
///     last record "ledger_seq", "head" and "state", which are null where nothing was recorded. NULL on failure. It
///     overlaps no other argument. NULL where it is not wanted.
/// @return AXH_OK where everything in the answer may be acted on, AXH_NOT_OK where it was recorded and not, or one of
///     these codes.
/// @retval AXH_ERR_ARGUMENT As of axh_exchange_begin; or the response is too long, or status or arrival is none.
/// @retval AXH_ERR_HANDLE ledger is NULL or closed.
/// @retval AXH_ERR_REFUSED As of axh_exchange_begin; the state of the agent is no reason.
/// @retval AXH_ERR_LEDGER The ledger has failed, or a schema that it declares cannot be used; nothing was recorded.
/// @retval AXH_ERR_IO The operating system refused an operation; the text says whether anything was recorded.
/// @see SRS-004 §4, §7.2 and §9
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn axh_exchange_end(
    ledger: *const axh_ledger_t,
    exchange: *const axh_exchange_t,
    decision: *mut axh_decision_t,
    json: *mut *mut c_char,
) -> c_int {
    // SAFETY: by contract.
    unsafe { clear_text(json) };
    run_check(|| {
        // SAFETY: by contract.
        let out = unsafe { Output::optional("decision", decision) }?;
        // SAFETY: by contract.
        let given = unsafe { structure("exchange", exchange) }?;
        // SAFETY: by contract.
        let (request, arrival) = unsafe { (GivenRequest::read(given)?, read_arrival(given)?) };
        let call = request.to_call()?;
        let facts = Facts::new(request.interface, &call.model_id, given.milliseconds.into());
        let holds_key = |bytes: &[u8]| request.holds_key(bytes);
        let (reply, finding) = examine_arrival(request.interface, facts, &arrival, holds_key)
            .map_err(HostError::Defect)?;
        let takes = open_ledgers::ask(ledger, takes_facts)??;
        let (recorded, object) = open_ledgers::share(ledger, |session, path| {
            let recorded = record_call(session, takes, &call, &reply)?;
            let decisions = recorded.decisions.iter();
            let decisions: Vec<Value> = decisions.map(|one| decision_json(path, one)).collect();
            let object = describe_end(&finding, &recorded, decisions);
            let counts = recorded.find_refused().or(recorded.decisions.last());
            if let Some(counts) = counts {
                give_decision(out, path, counts.clone());
            }
            Ok((recorded, object))
        })?;
        // SAFETY: by contract.
        unsafe { give_json(json, &object) };
        Ok(finding == Finding::Answered && recorded.may_act())
    })
}

/// A request of C's.
struct GivenRequest<'a> {
    interface: Interface,
    oracle_id: &'a str,
    key: Option<&'a str>,
    body: &'a [u8],
}

impl GivenRequest<'_> {
    /// # Safety
    /// The pointers of `given` are as its type says.
    unsafe fn read<'a>(given: &axh_exchange_t) -> Result<GivenRequest<'a>, HostError> {
        // SAFETY: by contract.
        let (interface, oracle_id, key, body) = unsafe {
            (
                text("exchange.interface", given.interface)?,
                optional_text("exchange.oracle_id", given.oracle_id)?,
                optional_text("exchange.key", given.key)?,
                bytes("exchange.request", given.request, given.request_len)?,
            )
        };
        check_length("exchange.request", body, MAX_INPUT_BYTES)?;
        let interface = Interface::at(interface).ok_or_else(|| {
            let names = Interface::ALL.map(Interface::path).join(", ");
            invalid(format!(
                "exchange.interface is {interface:?}, expected one of {names}"
            ))
        })?;
        Ok(GivenRequest {
            interface,
            oracle_id: oracle_of(interface, oracle_id.unwrap_or(ANSWER_ORACLE)),
            key: key.filter(|key| is_searched_for(key)),
            body,
        })
    }

    fn holds_key(&self, bytes: &[u8]) -> bool {
        self.key.is_some_and(|key| contains_secret(bytes, key))
    }

    fn to_call(&self) -> Result<OracleCall, HostError> {
        let question =
            RecordedQuestion::read(self.interface, self.body).map_err(HostError::Question)?;
        Ok(OracleCall {
            oracle_id: self.oracle_id.to_owned(),
            model_id: question.model,
            params: question.params,
            input: question.input,
        })
    }
}

/// # Safety
/// The pointers of `given` are as its type says.
unsafe fn read_arrival<'a>(given: &axh_exchange_t) -> Result<Arrival<'a>, HostError> {
    // SAFETY: by contract.
    let (body, content_type) = unsafe {
        (
            bytes("exchange.response", given.response, given.response_len)?,
            optional_text("exchange.content_type", given.content_type)?,
        )
    };
    check_length("exchange.response", body, MAX_INPUT_BYTES)?;
    let fault = match enum_number(given.arrival) {
        0 => {
            let status = u16::try_from(given.status).ok();
            let status = status.filter(|status| (100..1000).contains(status));
            return Ok(Arrival::Response {
                status: status.ok_or_else(|| {
                    let found = given.status;
                    invalid(format!("exchange.status is {found}, expected 100 to 999"))
                })?,
                content_type: content_type.unwrap_or_default(),
                body,
            });
        }
        1 => ExchangeFault::Unreachable("no connection came about".to_owned()),
        2 => ExchangeFault::Timeout,
        3 => ExchangeFault::Broken("the connection broke, or what came cannot be read".to_owned()),
        4 => ExchangeFault::Cancelled,
        number => {
            return Err(invalid(format!(
                "exchange.arrival is {number}, expected an AXH_ARRIVAL_ constant"
            )));
        }
    };
    Ok(Arrival::Fault(fault, body))
}

/// Checks that the agent takes a further question.
fn check_agent(session: &mut Session) -> Result<(), HostError> {
    let path = || session.path().into();
    if session.rules().judge(FACTS_ORACLE) {
        return Err(HostError::JudgesFacts { path: path() });
    }
    match session.agent().health {
        axilog::agent::state::Health::Enabled => {}
        health => {
            return Err(HostError::NotEnabled {
                path: path(),
                health,
            });
        }
    }
    // Before the provider is asked, since nothing could be recorded afterwards.
    takes_facts(session).map(drop)?;
    Ok(())
}

fn describe_end(finding: &Finding, recorded: &RecordedCall, decisions: Vec<Value>) -> Value {
    let (end, why) = match finding {
        Finding::Answered => match (recorded.find_refused(), &recorded.refused_tool) {
            (Some(refused), _) => ("breach", Some(list_reasons(refused).join("; "))),
            (None, Some((tool, error))) => {
                let why = format!("the answer calls the tool {tool:?}: {error}");
                ("breach", Some(why))
            }
            (None, None) => ("released", None),
        },
        Finding::ProviderError { .. } => {
            let why = "the provider answered with an error".to_owned();
            ("provider_error", Some(why))
        }
        Finding::Redirected => {
            let why = "the provider redirects the call elsewhere, where it would not be recorded";
            ("provider_error", Some(why.to_owned()))
        }
        Finding::Failed(fault) => ("provider_failure", Some(fault.to_string())),
    };
    let last = recorded.last.as_ref();
    let of_last = |read: &dyn Fn(&StepDecision) -> Value| last.map(read);
    json!({
        "decisions": decisions,
        "end": end,
        "head": of_last(&|last| hex(&last.head).into()),
        "ledger_seq": of_last(&|last| last.observation.ledger_seq.into()),
        "state": of_last(&|last| last.health.as_str().into()),
        "why": why,
    })
}
