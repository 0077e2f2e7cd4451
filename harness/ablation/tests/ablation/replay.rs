//! Answers read back from a run's ledger.

use axilog_ablation::answers::{Answers, Replayed};
use axilog_ablation::prompt::question;
use axilog_oracle::Question;

use crate::lab::{Lab, answer};

/// An answer counts for the question that it was given to: the prompt, the model and how it was sampled.
#[test]
fn answers_to_other_questions_are_none() {
    let lab = Lab::new();
    let asked = question("m", "system", "user");
    let mut live = lab.script("l", &[answer("yes")]);
    let given = live.ask(&asked).unwrap();
    live.finish().unwrap();
    let replayed = |question: &Question| Replayed::read(&lab.path("l")).unwrap().ask(question);
    assert_eq!(replayed(&asked).unwrap(), given);
    let mut warmer = asked.clone();
    warmer.params.temperature = Some(1);
    for other in [
        warmer,
        question("n", "system", "user"),
        question("m", "system", "users"),
    ] {
        let error = replayed(&other).unwrap_err().to_string();
        assert!(error.contains("not the run's ledger"), "{error}");
    }
}
