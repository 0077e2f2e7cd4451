//! A whole session over real HTTP, with every kind of failure in it.

use axilog_oracle::OracleKind;
use axilog_testkit::harness::client::{KEY, client, nowhere};
use axilog_testkit::harness::server::Server;
use axilog_x0l::condition::Condition;
use axilog_x0l::kernel::{DecisionKind, KernelObservation};
use axilog_x0l::live::examples;
use axilog_x0l::log::{CalibrationVerdict, ConditionStatus, SessionStatus};

use crate::model::{Turn, model, turn};
use crate::session_directory::{SessionDirectory, settings};

#[test]
fn five_conditions_by_a_hundred_cycles() {
    let server = Server::answering(model());
    let directory = SessionDirectory::new_or_kept();
    let mut settings = settings(&Condition::ALL, 100);
    settings.oracle = OracleKind::OpenAi;
    // An answer of 2048 tokens is over this limit, and one of 120 is not.
    let constitution = examples::CONSTITUTION.replace("cycle = 6000", "cycle = 2900");
    settings.constitution = Some(directory.write("constitution.toml", &constitution));
    let short = examples::tasks(Condition::D)
        .replace("corpus = \"l-d.corpus.txt\"\n", "")
        .replace("{{corpus}}", "nothing.");
    let short = directory.write("l-d.toml", &short);
    settings.tasks.insert(Condition::D, short);
    settings.base_url.clone_from(&server.base_url);
    let mut endpoint = client(&server);
    let outcome = directory.run(settings, &mut endpoint, u64::MAX).unwrap();

    assert_eq!(
        (outcome.status, outcome.reason.as_deref()),
        (SessionStatus::Complete, None)
    );
    assert_eq!(outcome.cycles, 500);
    for condition in &outcome.conditions {
        assert_eq!(
            (condition.cycles, condition.status),
            (100, ConditionStatus::Complete)
        );
    }
    let cycles = directory.cycles();
    assert_eq!(cycles.len(), 500);
    let mut spent = 0;
    for (index, cycle) in cycles.iter().enumerate() {
        let number = index as u64 + 1;
        let turn = turn(number);
        let context = format!("cycle {number}, {turn:?}");
        let expected = turn.expected();
        assert_eq!(cycle.number, number);
        assert_eq!(cycle.condition, Condition::ALL[index / 100], "{context}");
        assert_eq!(
            cycle.cycle,
            number - 100 * (index as u64 / 100),
            "{context}"
        );
        assert_eq!(
            cycle.canonicalization, expected.canonicalization,
            "{context}"
        );
        assert_eq!(cycle.rejection_reason, expected.rejection, "{context}");
        assert_eq!(cycle.candidates.len(), expected.candidates, "{context}");
        assert_eq!(cycle.attempts.len(), expected.attempts, "{context}");
        assert!(cycle.raw.is_some(), "{context}");
        let decision = &cycle.decision;
        match expected.refused {
            None => assert_eq!(decision.kind, DecisionKind::Action, "{context}"),
            Some((reason, code)) => {
                assert_eq!(decision.kind, DecisionKind::Refuse, "{context}");
                assert_eq!(decision.reason, Some(reason), "{context}");
                for verdict in &decision.verdicts {
                    assert_eq!(
                        verdict.failure.map(|failure| failure.code),
                        code,
                        "{context}"
                    );
                }
            }
        }
        let permuted = cycle.condition == Condition::E && cycle.candidates.len() > 1;
        let orders = if turn == Turn::Five { 120 } else { 3 };
        let found = cycle.permutations.map(|found| (found.tried, found.equal));
        assert_eq!(found, permuted.then_some((orders, true)), "{context}");
        assert_eq!(
            cycle.prompt_valid,
            cycle.condition != Condition::C,
            "{context}"
        );
        assert_eq!(
            cycle.lc_outcome.is_some(),
            cycle.condition == Condition::C,
            "{context}"
        );
        let budget = KernelObservation::Budget {
            llm_output_token_count: cycle.tokens(),
            llm_candidates_reported: cycle.candidates_reported,
            llm_parse_errors: cycle.parse_errors,
        };
        assert_eq!(cycle.observations.get(2), Some(&budget), "{context}");
        spent += cycle.tokens();
    }
    assert_eq!(outcome.tokens_spent, spent);

    let metadata = directory.metadata();
    assert_eq!(metadata.outcome, Some(outcome));
    let calibration = metadata.calibration.unwrap();
    assert_eq!(calibration.verdict, CalibrationVerdict::Steady);
    assert_eq!(
        (calibration.ledger_seqs.len(), calibration.tokens),
        (3, 135)
    );

    // Four attempts in each of the 25 cycles with errors, and so on; none beyond them.
    let attempts: usize = cycles.iter().map(|cycle| cycle.attempts.len()).sum();
    let requests = server.requests();
    // The calibration, and three sentinels, each twice, before, between and after the conditions.
    assert_eq!(requests.len(), attempts + 3 + 36);
    for request in &requests {
        let is_sentinel = !request.body.to_string().contains("candidates");
        assert!(request.head.contains(KEY));
        assert_eq!(
            request.body["max_tokens"],
            if is_sentinel { 128 } else { 2048 }
        );
        assert_eq!(request.body["temperature"], 0.0);
        assert_eq!(request.body.get("seed"), None);
        assert_eq!(request.body["messages"].as_array().unwrap().len(), 2);
    }
    assert!(nowhere(KEY, directory.dir.path()) > 500);
}
