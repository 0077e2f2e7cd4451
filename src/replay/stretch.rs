//! Stretches: records from the middle of a ledger, replayed from the state that the record before them implies.
//!
//! formats.md §6. Determinism: D2. Cores, or machines, each replay a stretch by themselves; whoever has replayed
//! everything before it joins it. A join only ever gives what replaying the records one by one would have given: where it
//! is not certain of that it is refused, and the records are replayed one by one.
//!
//! What a record implies: a transition holds the state of the agent after it, and with that ends the step. A
//! verification, which knows no agent, begins after any observation, and so does a replay after an observation that
//! follows another without a transition, which only a STOPPED agent leaves. The fields of the state are joined so:
//!
//! | field | joined where |
//! |---|---|
//! | `entries`, the chain's head and sequence | they are those that the record before the stretch claims |
//! | `verdict` | it is OK on both sides |
//! | `observed`, `open`, `unheld` | they are what the record before the stretch implies |
//! | `step` | none is under way before the stretch |
//! | `sealed_head` | there is no seal before the stretch |
//! | `undecided` | both sides had rules, or neither |
//! | the agent's health, faults, last observation | they are those of the transition |
//! | its last timestamp | it is that of the segment's last observation of the time; where the segment has none before the stretch, the stretch ends before its first, and every timestamp will do |
//! | all of these of a STOPPED agent, which nothing changes | every value will do |
//! | `unbound_answers` | always: the numbers are added |
//! | `models` | no oracle has two, and there is room for all: they are merged in the order of the records |

#![forbid(unsafe_code)]

use super::examined::CheckedEntry;
use super::verdict::Verdict;
use super::{Replay, lacks_answer};
use crate::agent::Agent;
use crate::agent::state::{Health, InputClass};
use crate::agent::stimulus::Stimulus;
use crate::evidence::transition::TransitionRecord;
use crate::evidence::view::ObservationView;
use crate::hash::{Hash, Tag};
use crate::ledger::{Entry, Ledger};
use crate::policy::Rules;

/// Records that follow one another and that were replayed from the state before them that was assumed. All of them are
/// good if that state was.
#[derive(Clone)]
pub struct Stretch {
    pub(super) assumed: Replay,
    pub(super) carried: Carried,
    pub(super) end: Replay,
}

/// The part of the agent that the stretch neither knows nor uses nor changes.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Carried {
    Nothing = 0,
    /// The last timestamp.
    Time = 1,
    /// All of a STOPPED agent but its health.
    StoppedAgent = 2,
}

impl Stretch {
    /// The number of records before the stretch, genesis included: the sequence of its first.
    #[must_use]
    pub fn first(&self) -> u64 {
        self.assumed.entries
    }

    /// The number of records of the stretch.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.end.entries.saturating_sub(self.assumed.entries)
    }

    /// Whether the stretch has no record.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The chain value of its last record.
    #[must_use]
    pub fn last_chain(&self) -> Hash {
        self.end.agent.ledger.head
    }

    fn after(entry: &Entry<'_>, observed: u64, agent: Agent, carried: Carried) -> Stretch {
        let assumed = Replay {
            agent: Agent {
                ledger: Ledger::resume(entry.chain, entry.sequence),
                ..agent
            },
            entries: entry.sequence.saturating_add(1),
            observed,
            ..Replay::new()
        };
        Stretch {
            end: assumed.clone(),
            assumed,
            carried,
        }
    }

    /// The stretch after a transition; `time` is the last timestamp, where it is known.
    fn after_transition(entry: &Entry<'_>, time: Option<u64>) -> Option<Stretch> {
        let transition = TransitionRecord::parse(entry.payload).ok()?;
        let agent = Agent {
            health: transition.next_state,
            fault_count: transition.fault_count,
            last_timestamp: time.unwrap_or_default(),
            last_seen_seq: transition.ledger_seq,
            ..Agent::new()
        };
        let carried = match time {
            Some(_) => Carried::Nothing,
            None => Carried::Time,
        };
        Some(Stretch::after(entry, transition.ledger_seq, agent, carried))
    }

    /// The stretch after an observation that `agent` does not act on.
    fn after_observation(
        entry: &Entry<'_>,
        view: &ObservationView<'_>,
        agent: Agent,
        carried: Carried,
    ) -> Stretch {
        let mut stretch = Stretch::after(entry, view.ledger_seq, agent, carried);
        for state in [&mut stretch.assumed, &mut stretch.end] {
            state.open = true;
            state.unheld = lacks_answer(view);
            // It is counted before the stretch, and the RAW record that may follow counts it off.
            state.unbound_answers = u64::from(state.unheld);
        }
        stretch
    }

    /// The stretch of a verification, in which no observation was decided.
    fn undecided(mut self) -> Stretch {
        self.assumed.undecided = true;
        self.end.undecided = true;
        self
    }

    /// Whether the record can be replayed only by somebody who knows the last timestamp.
    fn lacks_time_for(&self, examined: &CheckedEntry<'_>) -> bool {
        self.carried == Carried::Time
            && self.end.agent.health != Health::Stopped
            && examined.observation().is_some_and(is_time)
    }
}

/// A replay of the records of a segment, which is any part of a ledger, by themselves. It finds the stretches of
/// the segment; the records outside of them, a few before each, are the ones that imply the state.
pub struct SegmentReplay<'r> {
    rules: Option<&'r Rules<'r>>,
    stretch: Option<Stretch>,
    /// The timestamp of the last observation of the time.
    time: Option<u64>,
    /// Whether an observation was read whose transition is not.
    is_open: bool,
    has_fault: bool,
}

impl<'r> SegmentReplay<'r> {
    /// A replay of a segment of which nothing has been read: under `rules`, or a verification without them.
    #[must_use]
    pub fn new(rules: Option<&'r Rules<'r>>) -> SegmentReplay<'r> {
        SegmentReplay {
            rules,
            stretch: None,
            time: None,
            is_open: false,
            has_fault: false,
        }
    }

    /// Takes the next record of the segment. Gives the stretch that has ended before it, if one has.
    ///
    /// A stretch in which a record is not good is given up, and no other is begun: only what is before the segment
    /// tells which record is the first that is not.
    pub fn take(&mut self, examined: &CheckedEntry<'_>) -> Option<Stretch> {
        if self.has_fault {
            return None;
        }
        let Some(stretch) = &mut self.stretch else {
            self.begin_after(examined);
            return None;
        };
        if stretch.lacks_time_for(examined) {
            let ended = self.stretch.take();
            self.begin_after(examined);
            return ended.filter(|stretch| !stretch.is_empty());
        }
        if stretch.end.take(examined, self.rules) != Verdict::Ok {
            self.stretch = None;
            self.has_fault = true;
        }
        None
    }

    /// Whether the last record that was taken belongs to the stretch that is under way. Else whoever replays the
    /// records before the segment takes it by itself.
    #[must_use]
    pub fn is_within(&self) -> bool {
        (self.stretch.as_ref()).is_some_and(|stretch| !stretch.is_empty())
    }

    /// Whether a record was not good, after which no stretch is begun.
    #[must_use]
    pub fn has_fault(&self) -> bool {
        self.has_fault
    }

    /// The stretch that is under way, as far as it goes; `None` where there is none, and within a step.
    #[must_use]
    pub fn so_far(&self) -> Option<Stretch> {
        let stretch = self.stretch.as_ref()?;
        let is_settled = stretch.end.step.is_none() && !stretch.is_empty();
        is_settled.then(|| stretch.clone())
    }

    /// Ends the segment. Gives the stretch that ends with its last record, if there is one.
    #[must_use]
    pub fn finish(self) -> Option<Stretch> {
        self.stretch.filter(|stretch| !stretch.is_empty())
    }

    /// Begins a stretch after the record, if it implies the state.
    fn begin_after(&mut self, examined: &CheckedEntry<'_>) {
        let entry = examined.entry();
        if entry.tag == Tag::Trans && self.rules.is_some() {
            self.is_open = false;
            self.stretch = Stretch::after_transition(entry, self.time);
        }
        let Some(view) = examined.observation() else {
            return;
        };
        if self.rules.is_none() {
            let stretch = Stretch::after_observation(entry, view, Agent::new(), Carried::Nothing);
            self.stretch = Some(stretch.undecided());
        } else if self.is_open {
            let agent = Agent {
                health: Health::Stopped,
                ..Agent::new()
            };
            let carried = Carried::StoppedAgent;
            self.stretch = Some(Stretch::after_observation(entry, view, agent, carried));
        }
        self.is_open = true;
        if let Stimulus::Time(Some(time)) = Stimulus::of_view(view) {
            self.time = Some(time);
        }
    }
}

impl Replay {
    /// Takes all records of `stretch`, which follow the last one taken, where replaying them one by one would find all
    /// of them good. Else it tells so and changes nothing.
    #[must_use]
    pub fn join(&mut self, stretch: &Stretch) -> bool {
        let carried = |state: &Replay| stretch.carried.into_agent(&state.agent, &self.agent);
        if !self.is_as_assumed(&stretch.assumed, &carried(&stretch.assumed)) {
            return false;
        }
        let Some(models) = self.models.merged_with(&stretch.end.models) else {
            return false;
        };
        let since = (stretch.end.unbound_answers).saturating_sub(stretch.assumed.unbound_answers);
        // What the stretch assumed was counted here before, and may be counted off in the stretch.
        let off = (stretch.assumed.unbound_answers).saturating_sub(stretch.end.unbound_answers);
        *self = Replay {
            agent: carried(&stretch.end),
            unbound_answers: (self.unbound_answers.saturating_add(since)).saturating_sub(off),
            models,
            ..stretch.end.clone()
        };
        true
    }

    /// Whether this is the assumed state, with `agent` as its agent. Whoever adds a field says here how it is joined.
    fn is_as_assumed(&self, assumed: &Replay, agent: &Agent) -> bool {
        let Replay {
            agent: _,
            entries,
            verdict,
            observed,
            open,
            unheld,
            unbound_answers: _,
            sealed_head,
            step,
            undecided,
            models: _,
        } = assumed;
        self.agent == *agent
            && self.entries == *entries
            && self.verdict == Verdict::Ok
            && *verdict == Verdict::Ok
            && self.observed == *observed
            && self.open == *open
            && self.unheld == *unheld
            && self.sealed_head == *sealed_head
            && self.step.is_none()
            && step.is_none()
            && self.undecided == *undecided
    }
}

impl Carried {
    /// All of them, in the order of their numbers.
    pub(super) const ALL: [Carried; 3] = [Carried::Nothing, Carried::Time, Carried::StoppedAgent];

    /// The agent of a stretch with what it carries, which `before`, the agent before the stretch, has.
    fn into_agent(self, agent: &Agent, before: &Agent) -> Agent {
        let agent = agent.clone();
        let last_timestamp = before.last_timestamp;
        match self {
            Carried::Nothing => agent,
            Carried::Time => Agent {
                last_timestamp,
                ..agent
            },
            Carried::StoppedAgent => Agent {
                last_timestamp,
                fault_count: before.fault_count,
                last_seen_seq: before.last_seen_seq,
                ..agent
            },
        }
    }
}

fn is_time(view: &ObservationView<'_>) -> bool {
    Stimulus::of_view(view).class() == Some(InputClass::TimeObs)
}
