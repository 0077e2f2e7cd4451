//! Asking for an exact string (RR-002; document, section 5C; gate G3).
//!
//! Every request leaves EV-001, EV-002 and EV-003, whatever comes of it. The roll is physical dice,
//! judged elsewhere and recorded here.

use rusqlite::params;
use serde_json::{Value, json};

use super::canonical::Handle;
use super::error::{MemoryError, Result};
use super::fields::name;
use super::id::Id;
use super::lens::{Audience, View};
use super::log;
use super::mask::OutputClass;
use super::store::{Store, Writer};

/// A roll of the table's dice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roll {
    /// Who rolled.
    pub roller: String,
    /// On what skill.
    pub skill: String,
    /// Against what.
    pub dc: i32,
    /// What was rolled.
    pub roll: i32,
    /// What the rules make of it.
    pub success: bool,
}

/// Until when a success unlocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RecallScope {
    /// While the scene is on.
    #[default]
    Scene,
    /// While the session is on.
    Session,
}

/// A request for an exact string.
#[derive(Clone, Debug)]
pub struct Request {
    /// A handle of a detail or a fact. Any other text is answered as an unknown handle.
    pub detail: String,
    /// Who asks.
    pub requester: String,
    /// Who else hears the answer.
    pub others: Vec<String>,
    /// The roll, where there was one.
    pub roll: Option<Roll>,
    /// What a success unlocks.
    pub scope: RecallScope,
}

/// What a request gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recalled {
    /// The string, or the payload of a fact.
    Exact(Value),
    /// The gist.
    Fuzzy(String),
    /// Nothing: there is no such handle, or none that those who listen may know of.
    Unknown,
}

impl Recalled {
    /// As EV-003 has it.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Recalled::Exact(_) => "EXACT",
            Recalled::Fuzzy(_) => "FUZZY",
            Recalled::Unknown => "UNKNOWN",
        }
    }
}

/// What a request did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recall {
    /// The answer.
    pub recalled: Recalled,
    /// What EV-002 says of the roll.
    pub attempt: &'static str,
    /// The entry of EV-001; the other two follow it.
    pub seq: u64,
}

impl Store {
    /// Answers a request, and records it first.
    ///
    /// A detail may be rolled for once per scene, and who rolls for a fact rolls for each of its
    /// details. Where no scene is on nothing can be rolled for.
    ///
    /// # Errors
    /// [`MemoryError::Field`] for names that are none, [`MemoryError::Sqlite`].
    pub fn recall(&mut self, request: &Request) -> Result<Recall> {
        name("the request", "requester", &request.requester)?;
        if let Some(roll) = &request.roll {
            name("the request", "roller", &roll.roller)?;
            name("the request", "skill", &roll.skill)?;
        }
        let mut viewers = request.others.clone();
        viewers.push(request.requester.clone());
        let audience = Audience::new(OutputClass::Recap, &viewers)?;
        self.write(|writer| answer(writer, request, &audience))
    }
}

fn answer(writer: &mut Writer<'_>, request: &Request, audience: &Audience) -> Result<Recall> {
    // What is no handle gets the handle that its text would have: the log holds no exact string.
    let handle = Handle::parse(&request.detail).unwrap_or(Handle::of(request.detail.as_bytes()));
    let (fact, attempt, scene) = {
        let view = writer.lens().view(audience)?;
        let fact = seen(&view, handle)?;
        let attempt = attempt(&view, fact, handle, request.roll.as_ref())?;
        (fact, attempt, view.state.scene.map(|(scene, _)| scene))
    };
    let text = handle.to_string();
    let seq = writer.put(
        Id::RecallRequest,
        json!({ "detail_handle": text, "requester_id": request.requester, "scene_id": scene }),
    )?;
    let roll = request.roll.as_ref();
    writer.put(
        Id::RecallAttempt,
        json!({
            "detail_handle": text,
            "roller_id": roll.map(|roll| &roll.roller),
            "skill_id": roll.map(|roll| &roll.skill),
            "dc": roll.map(|roll| roll.dc),
            "roll": roll.map(|roll| roll.roll),
            "outcome": attempt,
        }),
    )?;
    let outcome = match (fact, attempt) {
        (None, _) => "UNKNOWN",
        (Some(_), "SUCCESS" | "NOT_NEEDED") => "EXACT",
        (Some(_), _) => "FUZZY",
    };
    let scope = match request.scope {
        RecallScope::Scene => "SCENE",
        RecallScope::Session => "SESSION",
    };
    writer.put(
        Id::RecallResult,
        json!({
            "detail_handle": text,
            "outcome": outcome,
            "payload_handle": fact.map(|fact| fact.to_string()),
            "unlock_scope": (attempt == "SUCCESS").then_some(scope),
        }),
    )?;
    let view = writer.lens().view(audience)?;
    let recalled = match fact {
        None => Recalled::Unknown,
        Some(fact) => told(&view, fact, handle, outcome == "EXACT")?,
    };
    Ok(Recall {
        recalled,
        attempt,
        seq,
    })
}

/// The fact of a handle, if those who listen may know of it.
fn seen(view: &View<'_>, handle: Handle) -> Result<Option<Handle>> {
    match view.lens.fact_of(handle)? {
        Some(fact) if view.sees(fact)? => Ok(Some(fact)),
        _ => Ok(None),
    }
}

/// What becomes of the roll, before anything is written.
fn attempt(
    view: &View<'_>,
    fact: Option<Handle>,
    handle: Handle,
    roll: Option<&Roll>,
) -> Result<&'static str> {
    let Some(fact) = fact else {
        return Ok("NOT_ROLLED");
    };
    if view.lens.precise(&view.state, fact, handle)? {
        return Ok("NOT_NEEDED");
    }
    let (Some(roll), Some((_, scene))) = (roll, &view.state.scene) else {
        return Ok("NOT_ROLLED");
    };
    let tried = view
        .lens
        .conn
        .prepare_cached(
            "SELECT 1 FROM attempt WHERE scene = ?1 AND (handle IN (?2, ?3) OR ?2 = ?3 AND handle IN
             (SELECT handle FROM detail JOIN fact USING (seq) WHERE fact.fact = ?3))",
        )
        .and_then(|mut find| find.exists(params![scene, handle.0, fact.0]))
        .map_err(view.lens.failed())?;
    Ok(match (tried, roll.success) {
        (true, _) => "ALREADY_TRIED",
        (false, true) => "SUCCESS",
        (false, false) => "FAILURE",
    })
}

/// What is said.
fn told(view: &View<'_>, fact: Handle, handle: Handle, exact: bool) -> Result<Recalled> {
    let read = || {
        let seq = view
            .lens
            .conn
            .prepare_cached("SELECT seq FROM fact WHERE fact = ?1")?
            .query_row(params![fact.0], |row| row.get(0))?;
        log::body(&view.lens.conn, seq)
    };
    let body = read().map_err(view.lens.failed())?;
    view.guarded(|guard| {
        if !exact {
            let gist = body.get("gist").and_then(Value::as_str).unwrap_or_default();
            return Ok(Recalled::Fuzzy(guard.clean(gist)?));
        }
        let content = match handle == fact {
            true => body.get("payload"),
            false => body
                .get("details")
                .and_then(Value::as_array)
                .and_then(|details| {
                    let named = |detail: &&Value| {
                        let name = detail
                            .get("name")
                            .and_then(Value::as_str)
                            .unwrap_or_default();
                        super::fact::detail_handle(fact, name) == handle
                    };
                    details.iter().find(named)?.get("exact")
                }),
        };
        let content = content.ok_or_else(|| {
            MemoryError::refused(
                "the request",
                format!("the fact {fact} has no detail {handle}"),
            )
        })?;
        Ok(Recalled::Exact(guard.clean_value(content)?))
    })
}
