//! The vectors rule: every recorded answer of the deployed code (`tests/vectors/deployed`) is asked again through
//! `include/compat`, for each generation of rigs. What differs must be in `accepted.jsonl`, and what is there must
//! differ.

mod accepted;
mod day;
mod golden;
mod values;
mod vectors;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use axilog_testkit::c_programs::{clang, runs_natively};

use self::accepted::{Cause, judge, read_accepted, write_table};
use self::values::{compare_values, is_comparable};
use self::vectors::{Difference, Vector, read_vectors};
use super::AS_DEPLOYED;
use super::conformance::HEADERS;
use crate::build::{Language, Link, Place, compiler, link, linkages, program, root};

/// How the rigs of a generation are compiled, and what they were asked.
struct Generation {
    name: &'static str,
    arguments: &'static [&'static str],
    /// The program of `c-tests/deployed` that asks.
    program: &'static str,
    files: &'static [&'static str],
}

/// The directory of the headers for rigs of the policies' generation, before the others.
const POLICY_HEADERS: &str = concat!("-I", env!("CARGO_MANIFEST_DIR"), "/include/compat/policy");

const ORACLE: &[&str] = &["admission.jsonl", "records.jsonl", "text.jsonl"];

const GENERATIONS: [Generation; 6] = [
    Generation {
        name: "oracle-8",
        arguments: &[],
        program: "oracle",
        files: ORACLE,
    },
    Generation {
        name: "oracle-16",
        arguments: &["-DAXILOG_COMPAT_1_0", "-DAXILOG_COMPAT_PROFILE=2"],
        program: "oracle",
        files: ORACLE,
    },
    Generation {
        name: "oracle-4",
        arguments: &["-DAXILOG_COMPAT_1_0"],
        program: "oracle",
        files: ORACLE,
    },
    Generation {
        name: "audit",
        arguments: &[],
        program: "audit",
        files: &["ledger.jsonl"],
    },
    Generation {
        name: "agent",
        arguments: &[],
        program: "agent",
        files: &["agent.jsonl"],
    },
    Generation {
        name: "policy",
        arguments: &[POLICY_HEADERS],
        program: "policy",
        files: &["policy.jsonl"],
    },
];

/// A generation as its rigs are compiled, or for those that want the deployed answer even where it is unsafe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Safe,
    AsDeployed,
}

impl Generation {
    fn arguments_in(&self, mode: Mode) -> Vec<&'static str> {
        let mut arguments = self.arguments.to_vec();
        if mode == Mode::AsDeployed {
            arguments.extend(AS_DEPLOYED);
        }
        arguments
    }
}

/// The compilers that are here with the linkages to try. Every compiler and every linkage has its turn; with
/// `AXILOG_WIDE`, every pair. A checker or an emulator watches the library, for which one compiler is enough.
fn ways() -> Vec<(fn() -> Command, Link)> {
    let gcc: fn() -> Command = || compiler(Language::C);
    if !runs_natively() || clang(Language::C).is_none() {
        return linkages().iter().map(|&how| (gcc, how)).collect();
    }
    let clang: fn() -> Command = || clang(Language::C).unwrap();
    let mut ways = vec![(gcc, Link::Static), (clang, Link::Shared)];
    if std::env::var_os("AXILOG_WIDE").is_some() {
        ways.extend([(gcc, Link::Shared), (clang, Link::Static)]);
    }
    ways
}

/// Makes the calls of a generation in one program.
fn ask(
    generation: &Generation,
    mode: Mode,
    vectors: &[Vector],
    compiler: Command,
    how: Link,
) -> Vec<Difference> {
    let place = Place::new(&format!("deployed-{}-{mode:?}", generation.name));
    let source = program(&format!("deployed/{}", generation.program), Language::C);
    let arguments = generation.arguments_in(mode);
    let object = place.compile_with(compiler, HEADERS, &source, &arguments);
    let linked = link(&place, generation.program, Language::C, how, &[&object]);
    let calls = place.0.join("calls");
    let mut text = String::new();
    for vector in vectors {
        vector.write_call(&mut text);
    }
    fs::write(&calls, text).unwrap();
    let mut command = linked.command_in(&place.0);
    let output = command.stdin(File::open(&calls).unwrap()).output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    let answers: Vec<&str> = printed.lines().collect();
    assert!(
        output.status.success() && answers.len() == vectors.len(),
        "{} ended with {} after {} of {} calls: {}",
        generation.name,
        output.status,
        answers.len(),
        vectors.len(),
        String::from_utf8_lossy(&output.stderr)
    );
    let answers = vectors.iter().zip(answers);
    answers
        .flat_map(|(vector, answer)| vector.compare(answer))
        .collect()
}

fn find_generation(name: &str) -> &'static Generation {
    GENERATIONS.iter().find(|known| known.name == name).unwrap()
}

/// What may differ in a mode, on this processor.
fn accepted_in(mode: Mode) -> Vec<Cause> {
    let mut causes = read_accepted();
    for cause in &mut causes {
        cause.places.retain(|place| is_comparable(&place.function));
    }
    if mode == Mode::AsDeployed {
        causes.retain(|cause| cause.gives_up.is_none());
    }
    causes
}

fn generation(name: &str, mode: Mode) {
    let generation = find_generation(name);
    let vectors = read_vectors(generation.files, name);
    assert!(vectors.len() > 300, "{}", vectors.len());
    let values = ask_for_values(generation, mode);
    let causes = accepted_in(mode);
    for (compiler, how) in ways() {
        let command = compiler();
        let built_by = format!("{:?} {how:?}", command.get_program());
        let mut differences = ask(generation, mode, &vectors, command, how);
        count(&vectors, &differences, &format!("{name} {mode:?}"));
        differences.extend(values.iter().cloned());
        let said = judge(&causes, name, &differences);
        if !said.is_empty() {
            let path = write_differences(&format!("{name}-{mode:?}"), &differences);
            panic!("{said}{built_by}; every difference stands in {path:?}");
        }
    }
}

/// Compares what the headers say, which no linkage changes.
fn ask_for_values(generation: &Generation, mode: Mode) -> Vec<Difference> {
    let place = Place::new(&format!("deployed-values-{}-{mode:?}", generation.name));
    let (claims, differences) = compare_values(
        &place,
        &compiler(Language::C),
        generation.name,
        &generation.arguments_in(mode),
    );
    let equal = claims - differences.len();
    println!(
        "{} values.jsonl: {equal} of {claims} equal",
        generation.name
    );
    differences
}

fn write_differences(generation: &str, differences: &[Difference]) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let path = directory.join(format!("deployed-{generation}.jsonl"));
    let mut lines = String::new();
    for difference in differences {
        lines += &serde_json::to_string(difference).unwrap();
        lines.push('\n');
    }
    fs::write(&path, lines).unwrap();
    path
}

/// Prints how many vectors are equal.
fn count(vectors: &[Vector], differences: &[Difference], generation: &str) {
    let differing: BTreeSet<(&str, &str)> = differences
        .iter()
        .map(|difference| (difference.function.as_str(), difference.case.as_str()))
        .collect();
    let mut counts: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    for vector in vectors {
        let [equal, all] = counts.entry(vector.file).or_default();
        let key = (vector.function.as_str(), vector.case.as_str());
        *equal += usize::from(!differing.contains(&key));
        *all += 1;
    }
    for (file, [equal, all]) in counts {
        println!("{generation} {file}: {equal} of {all} equal");
    }
}

/// A test of each generation.
macro_rules! generations {
    ($($test:ident $name:literal $mode:ident)*) => {$(
        #[test]
        fn $test() {
            generation($name, Mode::$mode);
        }
    )*};
}

generations! {
    oracles_of_eight_flags_answer_as_deployed "oracle-8" Safe
    oracles_of_sixteen_flags_answer_as_deployed "oracle-16" Safe
    oracles_of_bit_fields_answer_as_deployed "oracle-4" Safe
    ledgers_answer_as_deployed "audit" Safe
    agents_answer_as_deployed "agent" Safe
    policies_answer_as_deployed "policy" Safe
    oracles_of_eight_flags_answer_as_deployed_in_all "oracle-8" AsDeployed
    oracles_of_sixteen_flags_answer_as_deployed_in_all "oracle-16" AsDeployed
    oracles_of_bit_fields_answer_as_deployed_in_all "oracle-4" AsDeployed
    ledgers_answer_as_deployed_in_all "audit" AsDeployed
    agents_answer_as_deployed_in_all "agent" AsDeployed
    policies_answer_as_deployed_in_all "policy" AsDeployed
}

const BEGIN: &str = "<!-- differences: tests/vectors/deployed/accepted.jsonl -->\n";
const END: &str = "<!-- end of differences -->\n";

/// The page has the whole list; where it has another one, the right page stands beside the tests.
#[test]
fn the_page_for_rigs_has_every_difference() {
    let path = root().join("docs/rigs.md");
    let page = fs::read_to_string(&path).unwrap();
    let (before, found) = page.split_once(BEGIN).expect("a table that begins");
    let (_, behind) = found.split_once(END).expect("a table that ends");
    let right = format!(
        "{before}{BEGIN}{}{END}{behind}",
        write_table(&read_accepted())
    );
    if page != right {
        let copy = Path::new(env!("CARGO_TARGET_TMPDIR")).join("rigs.md");
        fs::write(&copy, right).unwrap();
        panic!("docs/rigs.md has another table; the right one: cp {copy:?} {path:?}");
    }
}
