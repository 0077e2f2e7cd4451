//! The tests of a comparison on made-up runs of known laws.

use axilog_ablation::endpoint::StudyEndpoint;
use axilog_ablation::statistics::contribute_profiles;

#[path = "../../benches/comparison_power/laws.rs"]
mod laws;
#[path = "../../benches/comparison_power/procedure.rs"]
mod procedure;
#[path = "../../benches/comparison_power/step_laws.rs"]
mod step_laws;

use laws::{Draws, Law, Shape, draw_run, draw_useless};
use procedure::{NamedTest, Procedure, judge_experiment};
use step_laws::{Experiment, Garbling, StepLaw};

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

/// An experiment in which five of a hundred answers are not useful.
fn with_useless_answers((law, noise): (StepLaw, u64)) -> Experiment {
    Experiment {
        law,
        noise,
        useless: 5,
        garbling: Garbling::Never,
    }
}

/// Of so many experiments with controls and so many seeds, in how many a test is told apart that `is_counted`.
fn count_experiments(
    experiment: Experiment,
    (trials, seeds): (u64, u64),
    procedure: Procedure,
    is_counted: fn(&NamedTest) -> bool,
) -> usize {
    let is_told_apart = |number: &u64| {
        let tests = judge_experiment(&experiment, seeds, *number, true, procedure);
        tests
            .iter()
            .any(|test| test.is_told_apart && is_counted(test))
    };
    (0..trials).filter(is_told_apart).count()
}

/// Fifteen of 300 experiments at most, with a standard deviation below 4, whatever depends on what within a seed.
#[test]
fn some_verdict_is_false_in_at_most_one_of_twenty_experiments() {
    let mut before = 0;
    for law in [
        (StepLaw::Indifferent, 20),
        (StepLaw::Tens, 50),
        (StepLaw::OwnLockIn, 20),
    ] {
        let law = with_useless_answers(law);
        let found = count_experiments(law, (300, 10), Procedure::Together, |_| true);
        assert!(found <= 27, "{law:?}: {found}");
        let found = count_experiments(law, (300, 8), Procedure::Together, |_| true);
        assert!(found <= 27, "under 8 seeds, {law:?}: {found}");
        before += count_experiments(law, (300, 10), Procedure::Apart, |_| true);
    }
    // As questions were corrected before, each by itself, it was in more than one of ten.
    assert!(before > 90, "{before}");
}

#[test]
fn what_records_do_to_single_steps_is_found_by_the_endpoint_that_sees_it() {
    for (law, endpoint, least) in [
        (StepLaw::Hashed, StudyEndpoint::Disagreement, 50),
        (StepLaw::Sticky(30), StudyEndpoint::Agreement, 48),
        (StepLaw::LockedIn(50), StudyEndpoint::Choices, 48),
        (StepLaw::Drifting(40), StudyEndpoint::Choices, 40),
        (StepLaw::Pulled(20), StudyEndpoint::Choices, 48),
    ] {
        let is_counted: fn(&NamedTest) -> bool = match endpoint {
            StudyEndpoint::Disagreement => {
                |it| it.pair == 0 && it.endpoint == StudyEndpoint::Disagreement
            }
            StudyEndpoint::Agreement => {
                |it| it.pair == 0 && it.endpoint == StudyEndpoint::Agreement
            }
            _ => |it| it.pair == 0 && it.endpoint == StudyEndpoint::Choices,
        };
        let experiment = every_answer_useful(law);
        let found = count_experiments(experiment, (50, 10), Procedure::Together, is_counted);
        assert!(found >= least, "{law:?}: {found}");
    }
    // Eight seeds are enough for the primary endpoint.
    let is_primary: fn(&NamedTest) -> bool =
        |it| it.pair == 0 && it.endpoint == StudyEndpoint::Disagreement;
    let experiment = with_useless_answers((StepLaw::Hashed, 20));
    let found = count_experiments(experiment, (50, 8), Procedure::Together, is_primary);
    assert!(found >= 48, "{found}");
}

/// An experiment in which a fifth of all choices is noise.
fn every_answer_useful(law: StepLaw) -> Experiment {
    Experiment {
        useless: 0,
        ..with_useless_answers((law, 20))
    }
}

/// Records do nothing to what is chosen. The useful answers by themselves say nearly always that they do, and what is
/// judged whatever the others would have been never.
#[test]
fn answers_that_are_garbled_because_of_their_choice_are_no_other_choice() {
    for garbling in [
        Garbling::WithRecord(80),
        Garbling::Balanced(80),
        Garbling::Repeated(80),
    ] {
        let experiment = Experiment {
            garbling,
            noise: 100,
            ..every_answer_useful(StepLaw::Indifferent)
        };
        let is_counted: fn(&NamedTest) -> bool = NamedTest::is_about_choices;
        let before = count_experiments(experiment, (50, 10), Procedure::UsefulAlone, is_counted);
        assert!(before >= 49, "{garbling:?}: {before}");
        let found = count_experiments(experiment, (50, 10), Procedure::Together, is_counted);
        assert!(found <= 2, "{garbling:?}: {found}");
    }
}

/// What is large enough is told whatever the useless answers would have been: one in a hundred.
#[test]
fn large_differences_are_told_beside_useless_answers() {
    let experiment = Experiment {
        useless: 1,
        ..every_answer_useful(StepLaw::Pulled(20))
    };
    let is_counted: fn(&NamedTest) -> bool =
        |it| it.pair == 0 && it.endpoint == StudyEndpoint::Choices;
    let found = count_experiments(experiment, (20, 10), Procedure::Together, is_counted);
    assert!(found >= 19, "{found}");
}
