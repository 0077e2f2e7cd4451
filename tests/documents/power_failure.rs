//! No program of the pages for C and C++ acts on an answer whose record is not on the
//! disk, and none of them overwrites a file.
//!
//! `c-tests/power_failure.c` is the disk: it keeps what a program synced, and nothing else.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use axilog::hash::Tag;
use axilog::ledger_line;
use axilog::replay::{Replay, Verdict};

use crate::blocks::{in_language, read_blocks};
use crate::build::{Language, Link, Place, link, program};

/// A program of a page.
struct Example {
    page: &'static str,
    language: Language,
    /// Whether it goes on with the ledger of an earlier run; the others refuse it.
    resumes: bool,
}

const START_C: Example = Example {
    page: "docs/start-c.md",
    language: Language::C,
    resumes: true,
};
const START_CPP: Example = Example {
    page: "docs/start-cpp.md",
    language: Language::Cpp,
    resumes: false,
};

/// A directory and a disk for a program of a page.
struct Disk {
    place: Place,
    program: PathBuf,
}

impl Example {
    /// The first program of the page.
    fn text(&self) -> String {
        let blocks = read_blocks(self.page);
        in_language(&blocks, self.language.extension())[0].to_owned()
    }

    /// Builds the program as the page prints it.
    fn build(&self, test: &str) -> Disk {
        let place = Place::new(&format!("power-{test}-{}", self.page.replace('/', "-")));
        let program = self.build_text(&place, "program", &self.text(), &[]);
        Disk { place, program }
    }

    fn build_text(&self, place: &Place, name: &str, text: &str, options: &[&str]) -> PathBuf {
        let disk = place.compile(&program("power_failure", Language::C), Language::C, &[]);
        let bindings = concat!("-I", env!("CARGO_MANIFEST_DIR"), "/bindings/cpp");
        let source = place
            .0
            .join(format!("{name}.{}", self.language.extension()));
        fs::write(&source, text).unwrap();
        let options = [&[bindings], options].concat();
        let object = place.compile(&source, self.language, &options);
        link(place, name, self.language, Link::Static, &[&object, &disk]).0
    }

    /// The program with a power failure after the line that acts.
    fn with_power_failure(&self, text: &str) -> String {
        let is_act = |line: &&str| line.contains("the act");
        assert_eq!(text.lines().filter(is_act).count(), 1, "{}", self.page);
        let declaration = match self.language {
            Language::C => "void power_failure(void);",
            Language::Cpp => "extern \"C\" void power_failure();",
        };
        // After the headers, of which the first may depend on a definition above it.
        let (headers, rest) = text.split_once("axilog.h").unwrap();
        let (line, rest) = rest.split_once('\n').unwrap();
        let mut killed = format!("{headers}axilog.h{line}\n{declaration}\n");
        for line in rest.lines() {
            killed.push_str(line);
            killed.push('\n');
            if is_act(&line) {
                killed.push_str("power_failure();\n");
            }
        }
        killed
    }
}

impl Disk {
    /// The program in a directory of its own.
    fn command(&self, program: &Path) -> Command {
        let disk = self.place.0.join("disk");
        fs::create_dir_all(&disk).unwrap();
        fs::create_dir_all(self.directory()).unwrap();
        let mut command = Command::new(program);
        command.current_dir(self.directory());
        command.env("POWER_FAILURE_DISK", disk);
        command
    }

    fn run(&self) -> Output {
        self.command(&self.program).output().unwrap()
    }

    fn directory(&self) -> PathBuf {
        self.place.0.join("directory")
    }

    fn ledger(&self) -> PathBuf {
        self.directory().join("ledger.jsonl")
    }

    /// What the ledger file holds; nothing where there is none.
    fn read(&self) -> Vec<u8> {
        fs::read(self.ledger()).unwrap_or_default()
    }

    /// Leaves of the ledger what a power failure leaves: the bytes that were synced, under a name that
    /// was synced.
    fn fail_power(&self) {
        let disk = self.place.0.join("disk");
        let image = fs::read(disk.join("image")).unwrap_or_default();
        fs::remove_file(self.ledger()).unwrap_or_default();
        if disk.join("name").exists() {
            fs::write(self.ledger(), image).unwrap();
        }
    }

    /// An empty directory and an empty disk.
    fn clear(&self) {
        for directory in [self.directory(), self.place.0.join("disk")] {
            let _ = fs::remove_dir_all(&directory);
            fs::create_dir(&directory).unwrap();
        }
    }
}

/// How often a program acted.
fn acts(output: &Output) -> usize {
    let printed = String::from_utf8_lossy(&output.stdout);
    let acted = |line: &&str| line.split_whitespace().any(|word| word == "go");
    printed.lines().filter(acted).count()
}

/// The lines of a file that end with a line feed.
fn whole_lines(file: &[u8]) -> &[u8] {
    &file[..file
        .iter()
        .rposition(|&b| b == b'\n')
        .map_or(0, |at| at + 1)]
}

/// The number of answers that a program may act on by the whole lines of a ledger, which must be good.
fn permitted(file: &[u8]) -> usize {
    let mut replay = Replay::new();
    let mut permitted = 0;
    for line in whole_lines(file).split_inclusive(|&b| b == b'\n') {
        let entry = ledger_line::parse(line).unwrap();
        assert_eq!(replay.feed(&entry, None), Verdict::Ok);
        let record = std::str::from_utf8(entry.payload).unwrap();
        let is_answers = record.contains("\"input_class\":\"LLM_OBS\"");
        let is_enabled = record.contains("\"next_state\":\"ENABLED\"");
        permitted += usize::from(entry.tag == Tag::Trans && is_answers && is_enabled);
    }
    permitted
}

/// What a program's act rests on is on the disk when it acts.
fn survives_behind_its_act(example: &Example) {
    let disk = example.build("act");
    let text = example.with_power_failure(&example.text());
    let killed = example.build_text(&disk.place, "killed", &text, &[]);
    let output = disk.command(&killed).output().unwrap();
    assert_eq!(output.status.signal(), Some(9), "{}", example.page);
    assert_eq!(acts(&output), 1, "{}", example.page);
    disk.fail_power();
    assert_eq!(permitted(&disk.read()), 1, "{}", example.page);

    // The check itself: without its syncs the program loses the record.
    disk.clear();
    let option = "-Dfsync=sync_nothing";
    let unsynced = example.build_text(&disk.place, "unsynced", &text, &[option]);
    let output = disk.command(&unsynced).output().unwrap();
    assert_eq!((output.status.signal(), acts(&output)), (Some(9), 1));
    assert_eq!(permitted(&disk.read()), 1);
    disk.fail_power();
    assert!(!disk.ledger().exists());

    if example.resumes {
        disk.clear();
        disk.command(&killed).output().unwrap();
        disk.fail_power();
        let before = disk.read();
        assert!(disk.run().status.success());
        assert!(disk.read().starts_with(&before));
        assert_eq!(permitted(&disk.read()), 2);
    }
}

/// A program on a disk that is full after any byte acts on no answer whose records are not stored, ends
/// with an error, and goes on once there is room if it resumes.
fn stops_on_a_full_disk(example: &Example) {
    let disk = example.build("full");
    let whole = disk.run();
    assert!(whole.status.success(), "{whole:?}");
    let ledger = disk.read();
    let expected = permitted(&ledger);
    assert_eq!(acts(&whole), expected);
    let ends = ledger.iter().enumerate().filter(|(_, b)| **b == b'\n');
    let mut limits: Vec<usize> = ends.flat_map(|(at, _)| [at, at + 1, at + 2]).collect();
    limits.extend((0..ledger.len()).step_by(61));
    limits.retain(|limit| *limit < ledger.len());
    for limit in limits {
        disk.clear();
        let mut command = disk.command(&disk.program);
        let output = command
            .env("POWER_FAILURE_BYTES", limit.to_string())
            .output();
        let output = output.unwrap();
        assert_eq!(output.status.code(), Some(1), "{limit}");
        let left = disk.read();
        assert_eq!(left, &ledger[..limit]);
        assert!(acts(&output) <= permitted(&left), "{limit}");
        // The records that are not on the disk are lost.
        disk.fail_power();
        assert!(acts(&output) <= permitted(&disk.read()), "{limit}");
        if example.resumes {
            goes_on_from(&disk, &left);
        }
    }
}

/// A program on a disk that fails at any sync does the same.
fn stops_where_a_sync_fails(example: &Example) {
    let disk = example.build("sync");
    for syncs in 0.. {
        disk.clear();
        let mut command = disk.command(&disk.program);
        let output = command
            .env("POWER_FAILURE_SYNCS", syncs.to_string())
            .output();
        let output = output.unwrap();
        let left = disk.read();
        disk.fail_power();
        assert!(acts(&output) <= permitted(&disk.read()), "{syncs}");
        if output.status.success() {
            assert!(syncs > 8, "{} syncs {syncs} times", example.page);
            break;
        }
        assert_eq!(output.status.code(), Some(1), "{syncs}");
        if example.resumes {
            goes_on_from(&disk, &left);
        }
    }
}

/// A program that was interrupted and left `file` goes on with it when it starts again.
fn goes_on_from(disk: &Disk, file: &[u8]) {
    fs::write(disk.ledger(), file).unwrap();
    let output = disk.run();
    assert!(output.status.success(), "{output:?}");
    let ledger = disk.read();
    assert!(ledger.starts_with(whole_lines(file)));
    assert!(acts(&output) <= permitted(&ledger) - permitted(file));
}

/// A program leaves every file as it was that is no ledger of its own.
fn overwrites_nothing(example: &Example) {
    let disk = example.build("files");
    let others: [&[u8]; 5] = [b"notes", b"notes\n", b"\n", b"\0\0\0\n", &[b'x'; 9000]];
    for other in others {
        disk.clear();
        fs::write(disk.ledger(), other).unwrap();
        let output = disk.run();
        assert_eq!((output.status.code(), acts(&output)), (Some(1), 0));
        assert_eq!(disk.read(), other);
    }
    disk.clear();
    symlink("/dev/full", disk.ledger()).unwrap();
    let output = disk.run();
    assert_eq!((output.status.code(), acts(&output)), (Some(1), 0));

    disk.clear();
    assert!(disk.run().status.success());
    let ledger = disk.read();
    let mut damaged = ledger.clone();
    damaged[ledger.len() / 2] ^= 1;
    fs::write(disk.ledger(), &damaged).unwrap();
    let output = disk.run();
    assert_eq!((output.status.code(), acts(&output)), (Some(1), 0));
    assert_eq!(disk.read(), damaged);

    fs::write(disk.ledger(), &ledger).unwrap();
    let again = disk.run();
    assert_eq!(again.status.success(), example.resumes);
    if example.resumes {
        assert!(disk.read().starts_with(&ledger));
    } else {
        assert_eq!(disk.read(), ledger);
    }
}

/// Runs a check on each page's program.
macro_rules! on_each_page {
    ($($check:ident)*) => {
        $(mod $check {
            #[test]
            fn start_in_c() {
                super::$check(&super::START_C);
            }

            #[test]
            fn start_in_cpp() {
                super::$check(&super::START_CPP);
            }
        })*
    };
}

on_each_page! {
    survives_behind_its_act
    stops_on_a_full_disk
    stops_where_a_sync_fails
    overwrites_nothing
}

#[test]
fn a_ledger_of_other_policies_is_refused() {
    let disk = START_C.build("policies");
    let (limit, other_limit) = ("Q16_16_FROM_INT(60)", "Q16_16_FROM_INT(61)");
    let text = START_C.text();
    assert_eq!(text.matches(limit).count(), 1);
    let text = text.replace(limit, other_limit);
    let other = START_C.build_text(&disk.place, "other", &text, &[]);
    assert!(disk.command(&other).output().unwrap().status.success());
    let ledger = disk.read();
    let output = disk.run();
    assert_eq!((output.status.code(), acts(&output)), (Some(1), 0));
    assert_eq!(disk.read(), ledger);
}

#[test]
fn a_ledger_has_one_writer() {
    let disk = START_C.build("writer");
    assert!(disk.run().status.success());
    let ledger = disk.read();
    let other = File::open(disk.ledger()).unwrap();
    other.lock().unwrap();
    let output = disk.run();
    assert_eq!((output.status.code(), acts(&output)), (Some(1), 0));
    assert_eq!(disk.read(), ledger);
    // Closing the file would leave the lock with a process that another test is just starting.
    other.unlock().unwrap();
    assert!(disk.run().status.success());
}
