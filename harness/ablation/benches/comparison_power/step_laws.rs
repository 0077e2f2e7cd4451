//! Laws by which the arms of a made-up experiment choose at each step.
//!
//! Under a seed every arm meets the same steps, at each of which one action presses. An oracle without a record does
//! what presses. It makes a part of all choices anew in each arm: its noise.

use super::laws::Draws;

/// How many actions there are.
pub const ACTIONS: u64 = 10;

/// How many steps there are under each seed.
pub const STEPS: u64 = 150;

/// What a record does to a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepLaw {
    /// Nothing.
    Indifferent,
    /// Nothing; and each choice by the noise is made ten times in a row.
    Tens,
    /// Nothing; and half of all choices are one action, drawn anew for each arm under each seed.
    OwnLockIn,
    /// The choice is a hash of the step and the record.
    Hashed,
    /// So many percent of the choices are the last one.
    Sticky(u64),
    /// So many percent of the choices are one action, drawn anew under each seed.
    LockedIn(u64),
    /// The percentage of choices that are the first action grows evenly from 0 to so many.
    Drifting(u64),
    /// So many percent of the choices are the first action.
    Pulled(u64),
}

/// An arm of the experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arm {
    /// It has its records, and so has the replicate.
    Remembering,
    /// It has none.
    Forgetting,
    /// It has records that say something else.
    Misled,
}

/// What happened at a step: the choice, where the answer was useful.
pub type Choice = Option<u64>;

/// A made-up experiment: how its oracle chooses, and how many percent of its choices are noise.
#[derive(Clone, Copy, Debug)]
pub struct Experiment {
    pub law: StepLaw,
    pub noise: u64,
    /// How many percent of all answers are not useful.
    pub useless: u64,
    pub garbling: Garbling,
}

/// Which further answers are not useful: those that choose one action, in so many percent of all cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Garbling {
    Never,
    /// Answers with a record, where they choose the first action.
    WithRecord(u64),
    /// Answers with a record where they choose the first action, and answers without one where they choose the second: so
    /// both arms have as many.
    Balanced(u64),
    /// Answers with a record, where the choice is the last one.
    Repeated(u64),
}

impl Garbling {
    /// The percentage of the answers of `arm` that are garbled where they choose `choice` after `last`.
    fn rate(self, arm: Arm, choice: u64, last: u64) -> u64 {
        match (self, arm, choice) {
            (Garbling::WithRecord(percent), Arm::Remembering | Arm::Misled, 0)
            | (Garbling::Balanced(percent), Arm::Remembering | Arm::Misled, 0)
            | (Garbling::Balanced(percent), Arm::Forgetting, 1) => percent,
            (Garbling::Repeated(percent), Arm::Remembering | Arm::Misled, _) if choice == last => {
                percent
            }
            _ => 0,
        }
    }
}

impl Experiment {
    /// Draws the choices of an arm under a seed: `situation` is what all arms meet, `own` is what this one does not
    /// share with another.
    pub fn draw_seed(&self, arm: Arm, situation: u64, own: u64) -> Vec<Choice> {
        let (mut shared, mut draws) = (Draws::new(situation), Draws::new(own));
        let (held, held_by_arm) = (shared.below(ACTIONS), draws.below(ACTIONS));
        let (mut last, mut noise_drawn) = (0, 0);
        let choose = |step: u64| {
            // Every arm draws as many numbers from what is shared.
            let [pressing, moved, hashed, misled] =
                [ACTIONS, 100 * STEPS, ACTIONS, ACTIONS].map(|limit| shared.below(limit));
            let [noise, drawn, useless] = [100, ACTIONS, 100].map(|limit| draws.below(limit));
            let garbled = match self.garbling {
                Garbling::Never => 100,
                _ => draws.below(100),
            };
            let is_moved = |hundredths: u64| moved < hundredths;
            let with_record = match self.law {
                StepLaw::Hashed => hashed,
                StepLaw::Sticky(percent) if is_moved(percent * STEPS) => last,
                StepLaw::LockedIn(percent) if is_moved(percent * STEPS) => held,
                StepLaw::Drifting(percent) if is_moved(percent * step) => 0,
                StepLaw::Pulled(percent) if is_moved(percent * STEPS) => 0,
                _ => pressing,
            };
            if step.is_multiple_of(10) || self.law != StepLaw::Tens {
                noise_drawn = drawn;
            }
            let choice = match (arm, self.law) {
                (_, StepLaw::OwnLockIn) if is_moved(50 * STEPS) => held_by_arm,
                _ if noise < self.noise => noise_drawn,
                (Arm::Remembering, _) => with_record,
                (Arm::Misled, StepLaw::Hashed) => misled,
                _ => pressing,
            };
            let is_garbled = garbled < self.garbling.rate(arm, choice, last);
            last = choice;
            (useless >= self.useless && !is_garbled).then_some(choice)
        };
        (0..STEPS).map(choose).collect()
    }

    /// Draws an arm: its choices under each of `seeds` seeds. `number` is that of the experiment, `arm_number` that of
    /// the arm in it.
    pub fn draw_arm(&self, arm: Arm, seeds: u64, number: u64, arm_number: u64) -> Vec<Vec<Choice>> {
        let place = |seed: u64| (number * 1000 + seed) * 16;
        (0..seeds)
            .map(|seed| self.draw_seed(arm, place(seed), place(seed) + 1 + arm_number))
            .collect()
    }
}
