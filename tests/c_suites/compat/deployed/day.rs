//! The golden ledger of a deployed gateway's day: 10,000 of the recorded answers, admitted, recorded and stepped
//! through `include/compat`, and the same lines by a writer that knows nothing of the library.

use std::collections::BTreeSet;
use std::fs::{self, File};

use axilog::hash::GOLDEN_GENESIS;
use axilog_testkit::vectors::hex;
use serde_json::Value;

use super::accepted::accepted_of;
use super::golden::{DayRecord, GoldenLedger, Profile, hold_to_vector};
use super::vectors::{names_generation, read_lines, read_vectors};
use super::{Generation, Mode, accepted_in, find_generation, ways};
use crate::build::{Language, Place, link, program};
use axilog_testkit::c_programs::runs_natively;

use super::super::conformance::HEADERS;

/// The answers of a day. An emulator or a checker, which takes many times as long, gets each answer at least once.
fn count_answers() -> usize {
    if runs_natively() { 10_000 } else { 1_000 }
}

/// Records above this length are used once, so that the day is no larger than it must be.
const LARGE: usize = 5_000;

/// The transition that the deployed agent recorded on an input of a class, without faults and violations.
fn find_transition(class: &str, prev: &str, next: &str) -> String {
    let ends = format!("\"next_state\":\"{next}\",\"prev_state\":\"{prev}\",\"violation\":null}}");
    let begins = format!("{{\"fault_count\":0,\"input_class\":\"{class}\",");
    let lines = read_lines("agent.jsonl");
    let records = lines.iter().filter_map(|line| line["record"].as_str());
    let mut found = records.filter(|record| record.starts_with(&begins) && record.ends_with(&ends));
    found.next().unwrap().to_owned()
}

/// What a generation's gateway is asked, and what its ledger is then.
struct Day {
    calls: String,
    answers: usize,
    large: usize,
    small: usize,
    refused: usize,
    golden: GoldenLedger,
}

impl Day {
    fn plan(generation: &Generation, mode: Mode) -> Day {
        let profile = match generation.name {
            "oracle-4" => Profile::Plain,
            _ => Profile::Tagged,
        };
        let accepted: BTreeSet<String> = accepted_of(&accepted_in(mode), generation.name)
            .into_keys()
            .filter(|(function, _)| function == "ax_obs_admit")
            .map(|(_, case)| case)
            .collect();
        let asked = read_vectors(&["admission.jsonl"], generation.name);
        let (mut large, mut small) = (Vec::new(), Vec::new());
        for mut line in read_lines("admission.jsonl") {
            if !names_generation(&line, generation.name) {
                continue;
            }
            let exceptions = line["except"][generation.name].clone();
            for (path, value) in exceptions.as_object().into_iter().flatten() {
                *line
                    .pointer_mut(&format!("/{}", path.replace('.', "/")))
                    .unwrap() = value.clone();
            }
            let record = DayRecord::read(&line);
            if line["rc"] == 0 {
                hold_to_vector(&record, &line, profile);
            }
            let case = line["case"].as_str().unwrap();
            if !is_of_a_day(&line) || accepted.contains(case) {
                continue;
            }
            let call = asked.iter().find(|vector| vector.case == case).unwrap();
            match record.text_len() > LARGE {
                true => large.push((call, record, line["rc"] != 0)),
                false => small.push((call, record, line["rc"] != 0)),
            }
        }
        assert!(small.len() > 300, "{}", small.len());
        let mut day = Day {
            calls: String::new(),
            answers: 0,
            large: large.len(),
            small: small.len(),
            refused: 0,
            golden: GoldenLedger::begin(),
        };
        assert_eq!(day.golden.head, GOLDEN_GENESIS);
        let reset = find_transition("RESET_REQUEST", "UNINIT", "INIT");
        day.golden.append_transition(&reset, 1);
        let time = find_transition("TIME_OBS", "INIT", "ENABLED");
        day.golden.append_transition(&time, 2);
        let answered = find_transition("LLM_OBS", "ENABLED", "ENABLED");
        let answers = large
            .iter()
            .chain(small.iter().cycle())
            .take(count_answers());
        for (ledger_seq, (call, record, is_refused)) in (3..).zip(answers) {
            call.write_call(&mut day.calls);
            let record = record.write(ledger_seq, profile);
            day.golden.append("AX:OBS:v1", &record);
            day.golden.append_transition(&answered, ledger_seq);
            day.refused += usize::from(*is_refused);
            day.answers += 1;
        }
        day
    }
}

/// Whether an answer can come on any day: admitted or refused for its text, by a gateway without a history of its own.
fn is_of_a_day(vector: &Value) -> bool {
    let is_fresh = vector["ctx"]["initialized"] == 0 && vector.get("flags_before").is_none();
    is_fresh && vector["output_buf_size"] == 200_000 && (vector["rc"] == 0 || vector["rc"] == -1)
}

fn serves_a_golden_day(name: &str, mode: Mode) {
    let generation = find_generation(name);
    let day = Day::plan(generation, mode);
    assert_eq!(day.answers, count_answers());
    assert!(
        day.answers > day.large + day.small,
        "an answer has no place"
    );
    let place = Place::new(&format!("deployed-day-{name}-{mode:?}"));
    let source = program("deployed/day", Language::C);
    for (compiler, how) in ways() {
        let arguments = generation.arguments_in(mode);
        let object = place.compile_with(compiler(), HEADERS, &source, &arguments);
        let linked = link(&place, "day", Language::C, how, &[&object]);
        let data = Place::of_data(&format!("deployed-day-{name}-{mode:?}"));
        let (calls, ledger) = (data.0.join("calls"), data.0.join("day.jsonl"));
        fs::write(&calls, &day.calls).unwrap();
        let mut command = linked.command_in(&data.0);
        let command = command.arg(&ledger).stdin(File::open(&calls).unwrap());
        let output = command.output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{name} {how:?}: {errors}");
        let found = fs::read(&ledger).unwrap();
        compare_lines(&found, &day.golden.lines, &format!("{name} {how:?}"));
    }
    println!(
        "{name} {mode:?}: {} answers, {} of them large, {} refused; {} lines, {} bytes, head {}",
        day.answers,
        day.large,
        day.refused,
        day.golden.records,
        day.golden.lines.len(),
        hex(&day.golden.head)
    );
}

/// Shows the first line that differs, not megabytes.
fn compare_lines(found: &[u8], golden: &[u8], of: &str) {
    let lines = |bytes: &[u8]| -> Vec<String> {
        let lines = bytes.split_inclusive(|byte| *byte == b'\n');
        lines
            .map(|line| String::from_utf8_lossy(line).chars().take(2_000).collect())
            .collect()
    };
    if found != golden {
        let (found, golden) = (lines(found), lines(golden));
        for (number, (found, golden)) in found.iter().zip(&golden).enumerate() {
            assert_eq!(found, golden, "{of}: line {number}");
        }
        panic!("{of}: {} lines, expected {}", found.len(), golden.len());
    }
}

/// A test of each generation of oracles.
macro_rules! days {
    ($($test:ident $name:literal $mode:ident)*) => {$(
        #[test]
        fn $test() {
            serves_a_golden_day($name, Mode::$mode);
        }
    )*};
}

days! {
    a_day_of_eight_flags_is_golden "oracle-8" Safe
    a_day_of_sixteen_flags_is_golden "oracle-16" Safe
    a_day_of_bit_fields_is_golden "oracle-4" Safe
    a_day_of_eight_flags_is_golden_in_all "oracle-8" AsDeployed
    a_day_of_sixteen_flags_is_golden_in_all "oracle-16" AsDeployed
    a_day_of_bit_fields_is_golden_in_all "oracle-4" AsDeployed
}
