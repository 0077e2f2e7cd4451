//! Recalls: asking for an exact string (RR-002; document, section 5C; gate G3).
//!
//! Every request leaves EV-001, EV-002 and EV-003, whatever comes of it. The roll is physical dice,
//! judged elsewhere and recorded here.

use rusqlite::params;
use serde_json::Value;

use crate::audience::Audience;
use crate::bodies::{
    AttemptOutcome, RecallAttemptBody, RecallRequestBody, RecallResultBody, RecallScope,
    ResultOutcome,
};
use crate::entry::EntryBody;
use crate::error::{MemoryError, Result};
use crate::fact::{detail_handle, read_fact_body};
use crate::handle::Handle;
use crate::identifier::Identifier;
use crate::mask::OutputClass;
use crate::output_view::OutputView;
use crate::rule_ref::MemoryRule;
use crate::store::MemoryStore;
use crate::unlocks::was_rolled_for;
use crate::writer::Writer;

/// A roll of the table's dice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiceRoll {
    /// Who rolled.
    pub roller: String,
    /// The skill that was rolled on.
    pub skill: String,
    /// The number that the roll had to reach.
    pub dc: i32,
    /// The number that was rolled.
    pub rolled: i32,
    /// Whether the roll succeeded under the rules of the game, which may ask for more than the number.
    pub success: bool,
}

/// A request for an exact string.
#[derive(Clone, Debug)]
pub struct RecallRequest {
    /// The handle of a detail or a fact. Any other text is answered as an unknown handle.
    pub handle: String,
    /// Who asks.
    pub requester: String,
    /// Who else hears the answer.
    pub listeners: Vec<String>,
    /// The roll, if there was one.
    pub roll: Option<DiceRoll>,
    /// Until when a success unlocks.
    pub scope: RecallScope,
}

/// The answer to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecallAnswer {
    /// The exact string, or the payload of a fact.
    Exact(Value),
    /// The gist.
    Fuzzy(String),
    /// Nothing: the handle is unknown, or belongs to a fact that those who listen may not know of.
    Unknown,
}

impl RecallAnswer {
    /// What EV-003 records of the answer.
    #[must_use]
    pub fn outcome(&self) -> ResultOutcome {
        match self {
            RecallAnswer::Exact(_) => ResultOutcome::Exact,
            RecallAnswer::Fuzzy(_) => ResultOutcome::Fuzzy,
            RecallAnswer::Unknown => ResultOutcome::Unknown,
        }
    }

    /// The rule that says why the answer is not exact, where it is not.
    #[must_use]
    pub fn rule_ref(&self) -> Option<MemoryRule> {
        match self {
            RecallAnswer::Exact(_) => None,
            RecallAnswer::Fuzzy(_) | RecallAnswer::Unknown => Some(MemoryRule::Recall),
        }
    }
}

/// A recall that was answered and recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recall {
    /// The answer.
    pub answer: RecallAnswer,
    /// What became of the roll.
    pub attempt: AttemptOutcome,
    /// The entry of EV-001; the entries of EV-002 and EV-003 follow it.
    pub seq: u64,
}

/// The names of a request, checked.
struct RequestNames {
    requester: Identifier,
    roller: Option<Identifier>,
    skill: Option<Identifier>,
}

impl RequestNames {
    fn new(request: &RecallRequest) -> Result<RequestNames> {
        let name = |field, text: &str| Identifier::new("the request", field, text);
        let roll = request.roll.as_ref();
        Ok(RequestNames {
            requester: name("requester", &request.requester)?,
            roller: roll.map(|roll| name("roller", &roll.roller)).transpose()?,
            skill: roll.map(|roll| name("skill", &roll.skill)).transpose()?,
        })
    }
}

impl MemoryStore {
    /// Records a request for an exact string, and answers it.
    ///
    /// A detail may be rolled for once per scene, by the whole table: a scene that begins again is the same scene.
    /// Who rolls for a fact rolls for each of its details. While no scene is on, nothing can be rolled for.
    ///
    /// # Errors
    /// [`MemoryError::Document`] for a text that is no name, and for a roll that succeeded without reaching the
    /// number that it had to reach; [`MemoryError::Sqlite`].
    pub fn recall(&mut self, request: &RecallRequest) -> Result<Recall> {
        self.append_with(|writer| recall_within(writer, request))
    }
}

/// Records a request within an append under way, and answers it.
pub(crate) fn recall_within(writer: &mut Writer<'_>, request: &RecallRequest) -> Result<Recall> {
    let names = RequestNames::new(request)?;
    if let Some(roll) = request.roll.as_ref().filter(|roll| roll.success)
        && roll.rolled < roll.dc
    {
        let (rolled, dc) = (roll.rolled, roll.dc);
        let reason = format!("found {rolled}, expected {dc} or more of a roll that succeeded");
        return Err(MemoryError::document("the request", "roll", reason));
    }
    let mut viewers = request.listeners.clone();
    viewers.push(request.requester.clone());
    let audience = Audience::new(OutputClass::Recap, &viewers)?;
    record_and_answer(writer, request, names, &audience)
}

fn record_and_answer(
    writer: &mut Writer<'_>,
    request: &RecallRequest,
    names: RequestNames,
    audience: &Audience,
) -> Result<Recall> {
    // What is no handle gets the handle that its text would have: the log holds no exact string.
    let text = &request.handle;
    let detail_handle = Handle::parse(text).unwrap_or(Handle::of(text.as_bytes()));
    let roll = request.roll.as_ref();
    let view = OutputView::new(writer.reader(), audience)?;
    let fact = find_visible_fact(&view, detail_handle)?;
    let attempt = judge_attempt(&view, fact, detail_handle, roll)?;
    let seq = writer.commit(EntryBody::RecallRequest(RecallRequestBody {
        detail_handle,
        requester_id: names.requester,
        scene_id: view.state.scene.map(|scene| scene.id),
    }))?;
    writer.commit(EntryBody::RecallAttempt(RecallAttemptBody {
        detail_handle,
        roller_id: names.roller,
        skill_id: names.skill,
        dc: roll.map(|roll| roll.dc),
        roll: roll.map(|roll| roll.rolled),
        outcome: attempt,
    }))?;
    let outcome = match (fact, attempt) {
        (None, _) => ResultOutcome::Unknown,
        (_, AttemptOutcome::Success | AttemptOutcome::NotNeeded) => ResultOutcome::Exact,
        _ => ResultOutcome::Fuzzy,
    };
    writer.commit(EntryBody::RecallResult(RecallResultBody {
        detail_handle,
        outcome,
        payload_handle: fact,
        unlock_scope: (attempt == AttemptOutcome::Success).then_some(request.scope),
    }))?;
    // The result may have unlocked the string.
    let view = OutputView::new(writer.reader(), audience)?;
    let answer = match fact {
        None => RecallAnswer::Unknown,
        Some(fact) => read_answer(&view, fact, detail_handle, outcome)?,
    };
    Ok(Recall {
        answer,
        attempt,
        seq,
    })
}

/// Finds the fact of a handle, if those who listen may know of the fact.
fn find_visible_fact(view: &OutputView<'_>, handle: Handle) -> Result<Option<Handle>> {
    match view.reader.find_fact(handle)? {
        Some(fact) if view.may_hold(fact)? => Ok(Some(fact)),
        _ => Ok(None),
    }
}

/// Judges what becomes of the roll, before anything is recorded.
fn judge_attempt(
    view: &OutputView<'_>,
    fact: Option<Handle>,
    handle: Handle,
    roll: Option<&DiceRoll>,
) -> Result<AttemptOutcome> {
    let Some(fact) = fact else {
        return Ok(AttemptOutcome::NotRolled);
    };
    if view.reader.is_open_detail(&view.state, fact, handle)? {
        return Ok(AttemptOutcome::NotNeeded);
    }
    let (Some(roll), Some(scene)) = (roll, &view.state.scene) else {
        return Ok(AttemptOutcome::NotRolled);
    };
    let tried = was_rolled_for(&view.reader.conn, &view.state, scene, fact, handle)
        .map_err(view.reader.read_error())?;
    Ok(match (tried, roll.success) {
        (true, _) => AttemptOutcome::AlreadyTried,
        (false, true) => AttemptOutcome::Success,
        (false, false) => AttemptOutcome::Failure,
    })
}

/// Reads the answer: the exact content of the handle, or the gist of its fact.
fn read_answer(
    view: &OutputView<'_>,
    fact: Handle,
    handle: Handle,
    outcome: ResultOutcome,
) -> Result<RecallAnswer> {
    let conn = &view.reader.conn;
    let seq = conn
        .prepare_cached("SELECT seq FROM fact WHERE fact = ?1")
        .and_then(|mut find| find.query_row(params![fact], |row| row.get(0)))
        .map_err(view.reader.read_error())?;
    let body = read_fact_body(conn, fact, seq)
        .map_err(|error| error.into_memory_error(view.reader.read_error()))?;
    view.with_guard(|guard| {
        if outcome != ResultOutcome::Exact {
            let gist = guard.redact_text(&body.gist.unwrap_or_default())?;
            return Ok(RecallAnswer::Fuzzy(gist));
        }
        let content = if handle == fact {
            Value::Object(body.payload)
        } else {
            let mut details = body.details.into_iter().flatten();
            let detail = details.find(|detail| detail_handle(fact, &detail.name) == handle);
            let missing = format!("the fact {fact} has no detail {handle}");
            let detail = detail.ok_or_else(|| MemoryError::refused("the request", missing))?;
            detail.exact.into()
        };
        Ok(RecallAnswer::Exact(guard.redact_value(&content)?))
    })
}
