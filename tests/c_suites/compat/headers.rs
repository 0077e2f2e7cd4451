//! The compatibility headers themselves: what they refuse, and where they are installed.

use std::fs;
use std::path::Path;

use super::conformance::{GENERATIONS, HEADERS};
use axilog_testkit::c_programs::clang;

use crate::build::{Language, Link, Place, compiler, link, linkages, program, root, run};

/// What rigs of the policies' generation are compiled with.
const POLICY_HEADERS: &[&str] = &["include/compat/policy", "include/compat", "include"];

/// What a compiler says of a source that it must refuse.
fn errors_of(text: &str, directories: &[&str], arguments: &[&str]) -> [String; 2] {
    [Language::C, Language::Cpp].map(|language| {
        let place = Place::new(&format!("compat-refused-{}", language.extension()));
        let source = place.0.join(format!("refused.{}", language.extension()));
        fs::write(&source, text).unwrap();
        let mut command = compiler(language);
        command.args(arguments).arg("-fsyntax-only").arg(&source);
        for directory in directories {
            command.arg("-I").arg(root().join(directory));
        }
        let output = command.output().unwrap();
        assert!(!output.status.success(), "{text}");
        String::from_utf8(output.stderr).unwrap()
    })
}

/// What takes sixteen flags, a wrong order of the directories, a profile that is none and a condition that does
/// not hold each end with a sentence; the same without its fault compiles.
#[test]
fn misuse_is_refused_with_a_sentence() {
    let wrong_order = ["include", "include/compat"];
    let cases: [(&str, &[&str], &[&str], &str); 7] = [
        (
            "#include \"axilog/replay.h\"\n",
            HEADERS,
            &[],
            "axilog/replay.h takes sixteen fault flags",
        ),
        (
            "#include \"axilog/axilog.h\"\n#include \"axilog/replay.h\"\n",
            HEADERS,
            &["-DAXILOG_COMPAT_1_0"],
            "compile this source with include and without include/compat",
        ),
        (
            "#include \"axilog/l3_types.h\"\n",
            &wrong_order,
            &[],
            "name include/compat before include",
        ),
        (
            "#include \"axilog/types.h\"\n#include \"axilog/l3_types.h\"\n",
            &wrong_order,
            &[],
            "name include/compat before include",
        ),
        (
            "#include \"axilog/types.h\"\n",
            HEADERS,
            &["-DAXILOG_COMPAT_PROFILE=3"],
            "AXILOG_COMPAT_PROFILE is neither 1 nor 2",
        ),
        (
            "#include \"axilog/policy.h\"\n",
            POLICY_HEADERS,
            &["-DAXILOG_COMPAT_1_0"],
            "AXILOG_COMPAT_1_0 is for rigs of another generation",
        ),
        (
            "#include \"axilog/l3_types.h\"\nAX_L3_STATIC_ASSERT(sizeof(int) == 1, \"one byte\");\n",
            HEADERS,
            &[],
            "ax_l3_static_assert",
        ),
    ];
    for (text, directories, arguments, sentence) in cases {
        for errors in errors_of(text, directories, arguments) {
            assert!(errors.contains(sentence), "{text}: {errors}");
        }
    }
    for holds in [
        "#include \"axilog/axilog.h\"\n",
        "#include \"axilog/l3_types.h\"\nAX_L3_STATIC_ASSERT(sizeof(int) > 1, \"more than a byte\");\n",
    ] {
        let place = Place::new("compat-accepted");
        for language in [Language::C, Language::Cpp] {
            let source = place.0.join(format!("accepted.{}", language.extension()));
            fs::write(&source, format!("{holds}extern int only;\nint only;\n")).unwrap();
            place.compile_with(compiler(language), HEADERS, &source, &[]);
        }
    }
}

/// The profile that a rig names is the one that it writes, whatever its fault structs.
#[test]
fn a_rig_may_name_its_profile() {
    let place = Place::new("compat-profile");
    let source = place.0.join("profile.c");
    let text = "#include <stdio.h>\n#include \"axilog/axilog.h\"\n\nint main(void)\n{\n    ax_obs_record_t record;\n    \
                ax_obs_init(&record);\n    record.model_id = \"m\";\n    record.oracle_id = \"o\";\n    \
                ax_obs_compute_hash(&record);\n    puts(record.obs_hash);\n    return 0;\n}\n";
    fs::write(&source, text).unwrap();
    let hash = |arguments: &[&str]| {
        let object = place.compile_with(compiler(Language::C), HEADERS, &source, arguments);
        link(&place, "profile", Language::C, Link::Static, &[&object]).run()
    };
    let [two, one] = GENERATIONS.map(hash);
    assert_ne!(one, two);
    assert_eq!(hash(&["-DAXILOG_COMPAT_PROFILE=1"]), one);
    assert_eq!(
        hash(&["-DAXILOG_COMPAT_1_0", "-DAXILOG_COMPAT_PROFILE=2"]),
        two
    );
}

/// A rig of the policies' generation, in each language and by each compiler: its own functions have the names that the
/// agent's and the ledger's have elsewhere.
#[test]
fn rigs_of_the_policies_generation_compile() {
    let text = "#include \"axilog/policy.h\"\n#include <string.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\
                void ax_ledger_append(ax_ledger_ctx_t *ledger);\nvoid ax_agent_step(ax_agent_ctx_t *agent);\n\
                #ifdef __cplusplus\n}\n#endif\n\
                void ax_ledger_append(ax_ledger_ctx_t *ledger)\n{\n    ledger->sequence++;\n}\n\
                void ax_agent_step(ax_agent_ctx_t *agent)\n{\n    ax_ledger_append(&agent->ledger);\n}\n\
                int main(void)\n{\n    ax_agent_ctx_t agent;\n    ax_policy_ctx_t policy;\n    \
                ct_fault_flags_t faults;\n    ax_policy_input_t input = { Q16_16_FROM_INT(100), 7 };\n    \
                memset(&agent, 0, sizeof agent);\n    agent.ledger.state = AX_LEDGER_READY;\n    \
                ax_agent_step(&agent);\n    ct_fault_clear(&faults);\n    \
                ax_policy_init(&policy, &agent.ledger, &agent, &faults);\n    \
                return ax_policy_evaluate_all(&policy, &input, &faults) == AX_POLICY_BREACH\n        \
                && agent.ledger.sequence == 5 && policy.last_eval_seq == 7 && !ct_fault_any(&faults) ? 0 : 1;\n}\n";
    for language in [Language::C, Language::Cpp] {
        let place = Place::new(&format!("policy-rig-{}", language.extension()));
        let source = place.0.join(format!("rig.{}", language.extension()));
        fs::write(&source, text).unwrap();
        let compilers = [Some(compiler(language)), clang(language)];
        for compiler in compilers.into_iter().flatten() {
            let object = place.compile_with(compiler, POLICY_HEADERS, &source, &[]);
            for &how in linkages() {
                link(&place, "rig", language, how, &[&object]).run();
            }
        }
    }
}

/// The directories as an installation has them, and the flags that `axilog-compat.pc` then gives: the headers
/// of a rig find the library's own beside their directory.
#[test]
fn installed_headers_find_each_other() {
    let place = Place::new("compat-installed");
    let include = place.0.join("include");
    for (from, to) in [
        ("include/axilog", "axilog"),
        ("include/compat/axilog", "axilog-compat/axilog"),
        (
            "include/compat/policy/axilog",
            "axilog-compat/policy/axilog",
        ),
    ] {
        copy_headers(&root().join(from), &include.join(to));
    }
    let source = program("compat/redeclared", Language::C);
    for generation in GENERATIONS {
        let object = place.0.join("installed.o");
        let mut command = compiler(Language::C);
        command
            .args(["-Wall", "-Wextra", "-Wpedantic", "-Wconversion"])
            .args(["-Wredundant-decls", "-Werror", "-c", "-o"])
            .arg(&object)
            .args(generation)
            .arg(format!("-I{}", include.join("axilog-compat").display()))
            .arg(format!("-I{}", include.display()))
            .arg("-I")
            .arg(root().join("c-tests"))
            .arg(&source);
        run(command);
        let linked = link(&place, "installed", Language::C, Link::Shared, &[&object]);
        assert_eq!(linked.run(), "4 passed, 0 failed\n");
    }
    let mut command = compiler(Language::C);
    for directory in ["axilog-compat/policy", "axilog-compat", ""] {
        command.arg(format!("-I{}", include.join(directory).display()));
    }
    let source = program("deployed/policy", Language::C);
    command.arg("-fsyntax-only").arg(source);
    run(command);
}

fn copy_headers(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}
