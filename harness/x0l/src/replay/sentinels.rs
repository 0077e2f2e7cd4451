//! The sentinels of a run: each where it must be, and the answers of each round compared with those of the round before.
//!
//! A round is asked before the first condition and after each condition that has ended, so that what changed between
//! two rounds changed during one condition.

use std::collections::BTreeSet;

use axilog::hash::Hash;

use super::replayer::Replayer;
use super::run_ledger::SentinelPlace;
use super::run_replay::{ModelDrift, SentinelReplay};
use crate::log::{
    ConditionOutcome, ConditionStatus, FrozenSentinels, RunDirectory, SessionMetadata,
};
use crate::sentinel::{TIMES, hash_answer};

/// Checks the sentinels against the conditions as they ended, and gives whether every round is whole. The last one is
/// not where the session was killed in it, or ended in it as void.
pub(super) fn check_sentinels(
    replayer: &mut Replayer<'_>,
    metadata: &SessionMetadata,
    conditions: &[ConditionOutcome],
) -> bool {
    let Some(frozen) = &metadata.frozen.sentinels else {
        return true;
    };
    let calibration = metadata.calibration.as_ref();
    let calibration_calls = calibration.map_or(0, |it| it.ledger_seqs.len());
    let rounds = list_rounds(conditions, calibration_calls);
    let expected: Vec<_> = rounds
        .iter()
        .flat_map(|place| {
            let asked = frozen.prompts.iter().flat_map(|prompt| [*prompt; TIMES]);
            asked.map(|prompt| (*place, prompt))
        })
        .collect();
    let ledger = replayer.ledger;
    let found = &ledger.sentinels;
    for (n, sentinel) in found.iter().enumerate() {
        let is_expected = expected.get(n) == Some(&(sentinel.place, sentinel.call.input_hash));
        // A sentinel without an answer ends the session.
        let is_last = n + 1 == found.len();
        if !is_expected || !is_last && !sentinel.call.is_answered() {
            let field = format!("record {}", sentinel.call.seq);
            let expected = "each sentinel twice before, between and after the conditions";
            replayer.add_finding(RunDirectory::LEDGER, field, "a sentinel", expected);
            return false;
        }
    }
    let answers = list_answers(replayer, frozen);
    let unsteady = list_unsteady(&answers);
    replayer.replay.sentinels = Some(SentinelReplay {
        prompts: frozen.prompts.len() as u64,
        answers: found.iter().filter(|it| it.call.is_answered()).count() as u64,
        drifts: list_drifts(&answers, &unsteady, &rounds, conditions),
        unsteady,
    });
    let missing = expected.len() - found.len();
    let last = rounds.last().map_or(0, |place| place.cycles);
    let outcome = metadata.outcome.as_ref();
    let is_cut_off = missing <= frozen.prompts.len() * TIMES
        && replayer.replay.lines == last
        && outcome.is_none_or(|outcome| outcome.status.is_void());
    if missing > 0 && ledger.intact && !is_cut_off {
        let found = format!("{} sentinels", found.len());
        let expected = format!(
            "{}, before, between and after the conditions",
            expected.len()
        );
        replayer.add_finding(RunDirectory::LEDGER, "the sentinels", found, expected);
    }
    missing == 0
}

/// Lists the answers of each round, by sentinel.
fn list_answers(replayer: &Replayer<'_>, frozen: &FrozenSentinels) -> Vec<Vec<SentinelAnswers>> {
    let hashes = replayer.ledger.sentinels.iter();
    let hashes: Vec<_> = hashes
        .map(|it| Some(hash_answer(&it.call.read_raw_text(&replayer.answers)?)))
        .collect();
    let rounds = hashes.chunks((frozen.prompts.len() * TIMES).max(1));
    rounds
        .map(|round| round.chunks(TIMES).map(<[_]>::to_vec).collect())
        .collect()
}

/// The hashes of the answers to one sentinel in one round; `None` of a call without an answer.
type SentinelAnswers = Vec<Option<Hash>>;

/// Lists the sentinels that were answered in two ways in one round.
fn list_unsteady(rounds: &[Vec<SentinelAnswers>]) -> Vec<u64> {
    let differ = |answers: &SentinelAnswers| {
        let mut answered = answers.iter().flatten();
        let first = answered.next();
        answered.any(|other| Some(other) != first)
    };
    let unsteady: BTreeSet<u64> = rounds
        .iter()
        .flat_map(|round| (1..).zip(round))
        .filter(|(_, answers)| differ(answers))
        .map(|(number, _)| number)
        .collect();
    unsteady.into_iter().collect()
}

/// Lists the conditions before and after which a steady sentinel was answered differently.
fn list_drifts(
    rounds: &[Vec<SentinelAnswers>],
    unsteady: &[u64],
    places: &[SentinelPlace],
    conditions: &[ConditionOutcome],
) -> Vec<ModelDrift> {
    let pairs = rounds.windows(2).zip(places.windows(2)).zip(conditions);
    let drifts = pairs.filter_map(|((rounds, places), condition)| {
        let ([before, after], [first, last]) = (rounds, places) else {
            return None;
        };
        let answered = |answers: &SentinelAnswers| answers.iter().flatten().next().copied();
        let pairs = (1..).zip(before.iter().zip(after));
        let differ = pairs.filter(|(number, (before, after))| {
            let (before, after) = (answered(before), answered(after));
            !unsteady.contains(number) && before.is_some() && after.is_some() && before != after
        });
        Some(ModelDrift {
            condition: condition.id,
            first_cycle: first.cycles + 1,
            last_cycle: last.cycles,
            sentinels: differ.map(|(number, _)| number).collect(),
        })
    });
    drifts.filter(|it| !it.sentinels.is_empty()).collect()
}

/// Lists the places of the rounds: before the first condition, and after each that has ended.
fn list_rounds(conditions: &[ConditionOutcome], calibration_calls: usize) -> Vec<SentinelPlace> {
    let mut place = SentinelPlace {
        cycles: 0,
        open_calls: calibration_calls,
    };
    let mut rounds = vec![place];
    let has_ended = |it: &&ConditionOutcome| it.status != ConditionStatus::NotFinished;
    for condition in conditions.iter().take_while(has_ended) {
        place.cycles += condition.cycles;
        place.open_calls = 0;
        rounds.push(place);
    }
    rounds
}
