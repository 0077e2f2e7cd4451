//! The tests of a comparison on made-up runs of known laws.

use axilog_ablation::statistics::contribute_profiles;

#[path = "../../benches/comparison_power/laws.rs"]
mod laws;

use laws::{Draws, Law, Shape, draw_run, draw_useless};

const SHAPE: Shape = Shape {
    steps: 150,
    actions: 10,
};

/// Of 300 pairs of made-up runs with eight seeds, how many are told apart.
fn count_told_apart(reference: Law, run: Law) -> usize {
    let is_told_apart = |trial: &u64| {
        let draws = &mut Draws::new(*trial + 1);
        let reference = draw_run(reference, SHAPE, 8, draws);
        let run = draw_run(run, SHAPE, 8, draws);
        let p_value = contribute_profiles(&reference, &run).test_by_swaps();
        p_value.is_below_level()
    };
    (0..300).filter(is_told_apart).count()
}

/// The test is exact: of runs of one law at most one in twenty is told apart, however they depend within a
/// seed. Fifteen of 300 are expected, with a standard deviation below 4.
#[test]
fn runs_of_one_law_are_told_apart_in_one_of_twenty_cases() {
    for law in [Law::Even, Law::Tens, Law::LockedIn(50)] {
        let found = count_told_apart(law, law);
        assert!((4..=27).contains(&found), "{law:?}: {found}");
    }
}

#[test]
fn differences_between_known_laws_are_found() {
    for (law, least) in [
        (Law::Pulled(10), 270),
        (Law::Drifting(20), 240),
        (Law::LockedIn(50), 295),
    ] {
        let found = count_told_apart(Law::Even, law);
        assert!(found >= least, "{law:?}: {found}");
    }
}

#[test]
fn made_up_runs_have_their_steps() {
    let draws = &mut Draws::new(1);
    for law in [Law::Tens, Law::Pulled(100), Law::LockedIn(100)] {
        for counts in draw_run(law, SHAPE, 5, draws) {
            assert_eq!(counts.iter().sum::<u64>(), SHAPE.steps);
            let is_one_action = counts.contains(&SHAPE.steps);
            assert_eq!(is_one_action, law != Law::Tens);
        }
    }
    assert_eq!(draw_useless(100, 50, 2, draws), [50, 50]);
    assert_eq!(draw_useless(0, 50, 2, draws), [0, 0]);
}
