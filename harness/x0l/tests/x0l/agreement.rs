//! How far reviewers agree, from what each said of the same cycles.

use axilog_x0l::kernel::KernelObservation;
use axilog_x0l::log::{Condition, RunDirectory};
use axilog_x0l::report::{JSON, MARKDOWN, RunReport, write_report};
use axilog_x0l::review::{Judgement, ReviewStatement, record_statements};
use serde_json::{Value, json};

use crate::built_session::RunEnd;
use crate::model_answers::{answer_candidates, good_proposal};
use crate::replay::{messages, replay_with_report};
use crate::run_builder::build_run;

const TIME: u64 = 1_700_000_100;

/// Records what a person says of cycles, and writes the report.
fn judge(run: &RunDirectory, by: &str, judgements: &[(u64, Judgement)]) -> RunReport {
    let head = replay_with_report(run).replay.head;
    let statements = judgements.iter().map(|(cycle, judgement)| ReviewStatement {
        run: head,
        cycle: *cycle,
        judgement: *judgement,
        by: by.to_owned(),
        because: "Looked at it.".to_owned(),
        time: TIME,
    });
    record_statements(run, &statements.collect::<Vec<_>>(), TIME).unwrap();
    let report = write_report(run).unwrap();
    assert_eq!(messages(&replay_with_report(run).replay.findings), [""; 0]);
    report
}

fn read_agreement(report: &RunReport) -> Option<Value> {
    let json: Value = serde_json::from_slice(&report.files[JSON]).unwrap();
    json.get("agreement").cloned()
}

#[test]
fn each_two_reviewers_are_compared_on_the_cycles_that_both_have_judged() {
    use Judgement::{Confirmed, Dismissed};
    let dir = tempfile::tempdir().unwrap();
    // Each cycle of L-C, 13 to 18, acts on an injection.
    let model = |_: Condition, _: u64, known: &[KernelObservation]| {
        answer_candidates(&[good_proposal(known, "The pump is warm.")])
    };
    build_run(dir.path(), &Condition::ALL, 6, &model, RunEnd::Complete);
    let run = RunDirectory::open(dir.path()).unwrap();
    write_report(&run).unwrap();

    let report = judge(
        &run,
        "A.",
        &[(13, Confirmed), (14, Confirmed), (15, Dismissed)],
    );
    assert_eq!(read_agreement(&report), None);
    // No cycle in common.
    let report = judge(&run, "C.", &[(16, Dismissed), (17, Dismissed)]);
    assert_eq!(read_agreement(&report), None);
    let report = judge(
        &run,
        "B.",
        &[
            (13, Confirmed),
            (14, Dismissed),
            (15, Confirmed),
            (16, Dismissed),
            (18, Dismissed),
        ],
    );
    let compare = |first: &str, second: &str, counts: [u64; 4], decimal: &str| {
        json!({
            "first": first, "second": second,
            "both_confirmed": counts[0], "both_dismissed": counts[1],
            "only_first_confirmed": counts[2], "only_second_confirmed": counts[3],
            "agreed": { "of": counts[0] + counts[1], "all": counts.iter().sum::<u64>(), "decimal": decimal },
        })
    };
    assert_eq!(
        read_agreement(&report).unwrap(),
        json!([
            compare("A.", "B.", [1, 0, 1, 1], "0.3333"),
            compare("B.", "C.", [0, 1, 0, 0], "1.0000"),
        ])
    );
    let page = String::from_utf8(report.files[MARKDOWN].clone()).unwrap();
    assert!(
        page.contains("| A., B. | 1 of 3 (33.33 %) | 1 | 0 | 1 | 1 |"),
        "{page}"
    );
    // What counts is each one's last word.
    let report = judge(&run, "B.", &[(15, Dismissed)]);
    assert_eq!(
        read_agreement(&report).unwrap()[0],
        compare("A.", "B.", [1, 1, 1, 0], "0.6667")
    );
}
