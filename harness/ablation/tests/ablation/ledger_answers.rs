//! Answers that are read from a run's ledger.

use axilog_ablation::answer_source::AnswerSource;
use axilog_ablation::ledger_answers::LedgerAnswers;
use axilog_ablation::prompt::build_question;
use axilog_ablation::sampling::Sampling;
use axilog_oracle::Question;

use crate::support::{LedgerDir, script_line};

/// An answer is given only to the question that it answered: the same prompt, model and sampling.
#[test]
fn other_questions_are_refused() {
    let ledgers = LedgerDir::new();
    let question = build_question("m", "system", "user", Sampling::default());
    let mut oracle = ledgers.record_script("l", &[script_line("yes")]);
    let answer = oracle.ask(&question).unwrap();
    oracle.finish().unwrap();
    let ask_ledger = |question: &Question| {
        let mut answers = LedgerAnswers::read(&ledgers.path("l")).unwrap();
        answers.ask(question)
    };
    assert_eq!(ask_ledger(&question).unwrap(), answer);
    let mut warmer = question.clone();
    warmer.params.temperature = Some(1);
    for other in [
        warmer,
        build_question("n", "system", "user", Sampling::default()),
        build_question("m", "system", "users", Sampling::default()),
    ] {
        let error = ask_ledger(&other).unwrap_err().to_string();
        assert!(error.contains("not the run's ledger"), "{error}");
    }
}
