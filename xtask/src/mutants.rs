//! `cargo xtask mutants [NAME…]`: the gates of the memory against defects of the memory, one at a time.
//!
//! Each defect is a patch in `harness/memory/tests/mutants`, whose text before the diff says in two lines what the
//! defect is and which gates find it. The task applies the patch to a copy of the tree and runs the gates there on
//! the campaign of the memory's tests.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use tempfile::TempDir;

use crate::cargo::{Metadata, cargo};
use crate::process::{
    TaskResult, ensure, print_heading, read_output, require_program, workspace_root,
};

/// The folder of the patches.
const FOLDER: &str = "harness/memory/tests/mutants";

/// The gates that judge a memory; G7 judges sources.
pub const GATES: [&str; 6] = ["G1", "G2", "G3", "G4", "G5", "G6"];

/// A defect of the memory.
pub struct Mutant {
    /// The name of the patch, without its ending.
    pub name: String,
    /// What the defect is, as a sentence.
    pub defect: String,
    /// The gates that find the defect; the others must not.
    pub gates: BTreeSet<&'static str>,
}

impl Mutant {
    /// Reads a patch's first two lines: `What is wrong.` and `Found by G1, G2.`
    fn read(name: &str) -> TaskResult<Mutant> {
        let text = fs::read_to_string(patch_path(name))?;
        let mut lines = text.lines();
        let (defect, found_by) = (lines.next(), lines.next());
        let gates = found_by
            .and_then(|line| line.strip_prefix("Found by ")?.strip_suffix('.'))
            .and_then(|names| names.split(", ").map(find_gate).collect())
            .ok_or_else(|| {
                format!(
                    "{name}.patch: the second line is {found_by:?}, expected one like \"Found by G1, G2.\""
                )
            })?;
        Ok(Mutant {
            name: name.to_owned(),
            defect: defect.unwrap_or_default().to_owned(),
            gates,
        })
    }
}

fn find_gate(name: &str) -> Option<&'static str> {
    GATES.into_iter().find(|gate| *gate == name)
}

fn patch_path(name: &str) -> PathBuf {
    workspace_root().join(FOLDER).join(format!("{name}.patch"))
}

/// Reads every defect, in the order of the names.
///
/// # Errors
/// For a file that is no patch, and for a patch without its two lines.
pub fn read_mutants() -> TaskResult<Vec<Mutant>> {
    let mut mutants = Vec::new();
    for file in fs::read_dir(workspace_root().join(FOLDER))? {
        let file = file?.file_name().to_string_lossy().into_owned();
        let name = file.strip_suffix(".patch");
        mutants.push(Mutant::read(
            name.ok_or_else(|| format!("{FOLDER}/{file} is no patch"))?,
        )?);
    }
    mutants.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(mutants)
}

/// Fails unless the patch `name` applies to the sources as they are.
///
/// # Errors
/// Where it does not apply, and where git is missing.
pub fn check_patch(name: &str) -> TaskResult {
    require_program("git", "apt-get install git")?;
    apply_patch(workspace_root(), name, &["--check"])
}

fn apply_patch(tree: &Path, name: &str, options: &[&str]) -> TaskResult {
    let mut command = Command::new("git");
    command
        .arg("apply")
        .args(options)
        .arg(patch_path(name))
        .current_dir(tree)
        // A repository around the tree would make paths relative to its own root.
        .env("GIT_CEILING_DIRECTORIES", tree.parent().unwrap_or(tree));
    read_output(&mut command)
        .map(drop)
        .map_err(|error| format!("{name}.patch no longer applies; make it anew\n{error}").into())
}

/// Runs the gates against the named defects, or against all where none is named.
///
/// # Errors
/// For an unknown name, where the sources as they are do not pass the gates, and where a defect is not found by
/// exactly the gates that its patch names.
pub fn run_mutants(names: &[String]) -> TaskResult {
    require_program("git", "apt-get install git")?;
    let mut mutants = read_mutants()?;
    for name in names {
        let is_known = mutants.iter().any(|mutant| mutant.name == *name);
        ensure(is_known, &format!("{FOLDER} has no {name}.patch"))?;
    }
    mutants.retain(|mutant| names.is_empty() || names.contains(&mutant.name));

    print_heading("the gates on the sources as they are");
    let copy = TreeCopy::make()?;
    let failed = copy.run_gates()?;
    ensure(
        failed.is_empty(),
        &format!("{} not passed without any defect", list_gates(&failed)),
    )?;

    print_heading(&format!("the gates on {} defects", mutants.len()));
    let mut unexpected = Vec::new();
    for mutant in &mutants {
        let started = Instant::now();
        let result = copy.try_mutant(mutant);
        let seconds = started.elapsed().as_secs_f32();
        let verdict = match &result {
            Ok(()) => list_gates(&mutant.gates),
            Err(_) => "FAILED".to_owned(),
        };
        println!("{:<32} {verdict:<20} {seconds:5.1} s", mutant.name);
        if let Err(error) = result {
            unexpected.push(format!("{}: {error}", mutant.name));
        }
    }
    ensure(unexpected.is_empty(), &unexpected.join("\n"))
}

fn list_gates(gates: &BTreeSet<&'static str>) -> String {
    match gates.is_empty() {
        true => "no gate".to_owned(),
        false => Vec::from_iter(gates.iter().copied()).join(", "),
    }
}

/// A copy of the working tree, to be patched.
struct TreeCopy {
    root: TempDir,
    target: PathBuf,
}

impl TreeCopy {
    /// Copies what git tracks or would add. Every copy is newer than what was built of an earlier one, so that cargo
    /// builds the crates of the workspace again.
    fn make() -> TaskResult<TreeCopy> {
        let root = tempfile::Builder::new()
            .prefix("axilog-mutants-")
            .tempdir()?;
        let mut list = Command::new("git");
        list.args(["ls-files", "-z", "--cached", "--others"])
            .arg("--exclude-standard")
            .current_dir(workspace_root());
        for path in read_output(&mut list)?.split_terminator('\0') {
            let (from, to) = (workspace_root().join(path), root.path().join(path));
            // Git still lists what the working tree has removed.
            if from.is_file() {
                fs::create_dir_all(to.parent().unwrap_or(&to))?;
                fs::copy(from, to)?;
            }
        }
        let target = Metadata::read()?.target_directory()?.join("mutants");
        Ok(TreeCopy { root, target })
    }

    /// Fails unless exactly the gates that the patch names find the defect.
    fn try_mutant(&self, mutant: &Mutant) -> TaskResult {
        let (root, name) = (self.root.path(), &mutant.name);
        apply_patch(root, name, &[])?;
        let result = self.run_gates();
        apply_patch(root, name, &["--reverse"])?;
        let failed = result?;
        ensure(
            failed == mutant.gates,
            &format!(
                "found by {}, expected {}",
                list_gates(&failed),
                list_gates(&mutant.gates)
            ),
        )
    }

    /// Runs the gates on the campaign; gives those that are not passed.
    fn run_gates(&self) -> TaskResult<BTreeSet<&'static str>> {
        read_output(self.test_command().args(["--no-run", "--quiet"]))
            .map_err(|error| format!("it does not compile\n{error}"))?;
        let output = self
            .test_command()
            .args(["--", "campaign_gates::"])
            .output()?;
        let text = String::from_utf8(output.stdout)?;
        let mut failed = BTreeSet::new();
        for gate in GATES {
            let test = format!(
                "test campaign_gates::the_campaign_passes_{} ... ",
                gate.to_lowercase()
            );
            match text.lines().find_map(|line| line.strip_prefix(&test)) {
                Some("ok") => {}
                Some("FAILED") => drop(failed.insert(gate)),
                _ => {
                    let errors = String::from_utf8_lossy(&output.stderr);
                    return Err(format!("the test of {gate} did not end\n{text}{errors}").into());
                }
            }
        }
        Ok(failed)
    }

    fn test_command(&self) -> Command {
        let mut command = cargo();
        command
            .args(["test", "-p", "axilog-memory", "--test", "memory"])
            .arg("--target-dir")
            .arg(&self.target)
            .current_dir(self.root.path())
            // A defect changes a few lines of one crate, so that most of it need not be compiled again.
            .env("CARGO_INCREMENTAL", "1");
        command
    }
}
