//! `axilog completions`.

use std::process::Command;

use crate::bench::{Bench, program};

#[test]
fn bash_completes_a_command_and_its_options() {
    let bench = Bench::new();
    let script = bench.run("completions bash").exits(0).stdout;
    bench.write("axilog.bash", &script);
    for (line, wanted) in [
        ("axilog sho", "show"),
        ("axilog show --gre", "--grep"),
        ("axilog policy expl", "explain"),
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        let last = words.len() - 1;
        let script = format!(
            "source ./axilog.bash; COMP_WORDS=({line}); COMP_CWORD={last}; _axilog axilog '{}' '{}'; echo \"${{COMPREPLY[@]}}\"",
            words[last],
            words[last - 1]
        );
        let run = Command::new("bash")
            .args(["--norc", "-c", &script])
            .current_dir(bench.path(""))
            .output()
            .unwrap();
        let completed = String::from_utf8(run.stdout).unwrap();
        assert_eq!(completed.trim_end(), wanted, "{line}: {:?}", run.stderr);
    }
}

#[test]
fn every_shell_gets_the_script_as_it_is_made() {
    let bench = Bench::new();
    for (shell, beginning) in [
        ("bash", "_axilog() {\n"),
        ("elvish", "\nuse builtin;\n"),
        ("fish", "# Print an optspec"),
        ("powershell", "\nusing namespace System"),
        ("zsh", "#compdef axilog\n"),
    ] {
        let script = bench.run(&format!("completions {shell}")).exits(0).stdout;
        assert!(script.starts_with(beginning), "{shell}: {script:.60}");
        assert!(script.contains("observe"), "{shell}");
        // Nothing in it is taken for a character that is not seen.
        assert!(!script.contains("\\u{"), "{shell}");
    }
    let wrong = bench.run("completions cmd.exe").exits(2);
    wrong.says("possible values");
}

/// The first line is read, and the pipe closed while there is more to write.
#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let bench = Bench::new();
    let line = format!(
        "{} completions bash | head -n 1; echo ${{PIPESTATUS[0]}}",
        program().display()
    );
    let run = Command::new("bash")
        .args(["-c", &line])
        .current_dir(bench.path(""))
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(run.stdout).unwrap(), "_axilog() {\n0\n");
    assert!(run.stderr.is_empty(), "{:?}", run.stderr);
}
