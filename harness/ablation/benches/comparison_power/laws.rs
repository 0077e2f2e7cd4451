//! Laws by which made-up runs choose, and draws that follow from a number alone.

/// How a made-up run chooses. Where it says nothing else, every action is as likely.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Law {
    /// Each choice by itself.
    Even,
    /// Each choice is made ten times in a row.
    Tens,
    /// So many percent of the choices are the first action.
    Pulled(u64),
    /// The percentage of choices that are the first action grows evenly from 0 to so many.
    Drifting(u64),
    /// So many percent of the choices are one action, drawn anew under each seed.
    LockedIn(u64),
}

/// Numbers that look random and follow from the first: SplitMix64.
pub struct Draws(u64);

impl Draws {
    /// Draws that follow from `number`.
    pub fn new(number: u64) -> Draws {
        Draws(number.wrapping_mul(0x2545_f491_4f6c_dd1d))
    }

    /// Draws a number below `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ mixed >> 31) % limit
    }
}

/// How many steps and actions a made-up run has under each seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The steps under each seed.
    pub steps: u64,
    /// The actions.
    pub actions: u64,
}

/// Draws a run: under each of `seeds` seeds, how often each action was chosen.
pub fn draw_run(law: Law, shape: Shape, seeds: usize, draws: &mut Draws) -> Vec<Vec<u64>> {
    (0..seeds).map(|_| draw_seed(law, shape, draws)).collect()
}

fn draw_seed(law: Law, shape: Shape, draws: &mut Draws) -> Vec<u64> {
    let mut counts = vec![0; shape.actions as usize];
    let held = draws.below(shape.actions);
    let repeats = if law == Law::Tens { 10 } else { 1 };
    for step in 0..shape.steps / repeats {
        let (pull, pulled_to) = match law {
            Law::Even | Law::Tens => (0, 0),
            Law::Pulled(percent) => (percent * shape.steps, 0),
            Law::Drifting(percent) => (percent * step, 0),
            Law::LockedIn(percent) => (percent * shape.steps, held),
        };
        let is_pulled = draws.below(100 * shape.steps) < pull;
        let drawn = draws.below(shape.actions);
        let action = if is_pulled { pulled_to } else { drawn };
        counts[action as usize] += repeats;
    }
    counts
}

/// Draws under each of `seeds` seeds how many of `steps` answers are not useful: each with the chance of
/// `percent` in a hundred.
pub fn draw_useless(percent: u64, steps: u64, seeds: usize, draws: &mut Draws) -> Vec<u64> {
    let mut seed = || (0..steps).filter(|_| draws.below(100) < percent).count() as u64;
    (0..seeds).map(|_| seed()).collect()
}
