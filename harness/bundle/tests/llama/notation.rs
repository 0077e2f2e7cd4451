//! Which grammars llama.cpp takes: a table of the notation's corners, and grammars with a character changed.

use axilog_bundle::gbnf::{Grammar, GrammarErrorKind, GrammarVerdict};
use axilog_testkit::harness::llama_server::{LlamaServer, find_python, make_model};

use crate::reference::{GrammarOpinion, ask_axilog, ask_llama, sample_answers};
use crate::{Numbers, all_grammars};

/// Grammars at the corners of the notation.
const CORNERS: &[&str] = &[
    // What is no rule, or no root.
    "",
    "# only a comment",
    "a ::= \"x\"",
    "root = \"a\"",
    "root : := \"a\"",
    "root ::= \"a\" ;",
    "root ::= a_b\na_b ::= \"a\"",
    "\u{feff}root ::= \"a\"",
    "root\u{a0}::= \"a\"",
    "root\u{b}::= \"a\"",
    "1 ::= \"a\"\nroot ::= 1",
    "- ::= \"a\"\nroot ::= -",
    "root ::= \"a\")",
    "root ::= (\"a\"",
    "root ::= \"a\"\rb ::= \"b\"",
    "root ::= \"a\"\n\r\n\r b ::= \"b\"",
    "root ::= \"a\" b ::= \"b\"",
    "root ::= \"a\"\n | \"b\"",
    "root ::= \"a\" |\n \"b\"",
    "root ::=\n\n \"a\"",
    "root\n::= \"a\"",
    // Empty things.
    "root ::=",
    "root ::=\n",
    "root ::= |",
    "root ::= \"\"",
    "root ::= ()",
    "root ::= []",
    "root ::= [^]",
    "root ::= \"\"?",
    "root ::= \"\"*",
    "root ::= []+",
    "root ::= [^]{2}",
    "root ::= \"a\" \"\"?",
    "root ::= \"a\" ()?",
    "root ::= (\"\")*",
    "root ::= (\"\")?",
    "root ::= ([])?",
    "root ::= \"a\"{0}",
    "root ::= \"a\"{0}*",
    "root ::= \"a\"{0,0} \"b\"",
    "root ::= (\"a\"{0}){5}",
    "root ::= \"b\" \"a\"{0}{2}",
    // Escapes and classes.
    r#"root ::= "\-""#,
    r"root ::= [\-a]",
    r"root ::= [a\-c]",
    r#"root ::= "\q""#,
    r#"root ::= "\'""#,
    r#"root ::= "\a\b""#,
    r#"root ::= "\0""#,
    r#"root ::= "\/""#,
    r#"root ::= "\^""#,
    r"root ::= [\^a]",
    r#"root ::= "\x4""#,
    r#"root ::= "\xGG""#,
    r#"root ::= "\u12""#,
    r#"root ::= "\ud800""#,
    r#"root ::= "\UFFFFFFFF""#,
    r#"root ::= "\U0001F600""#,
    r#"root ::= "\x00""#,
    r#"root ::= "\"#,
    r"root ::= [\u0000-\UFFFFFFFF]",
    r"root ::= [\uff00-\uffffff]",
    r"root ::= [\]-a]",
    r"root ::= [\[-\]a]",
    "root ::= [z-a]",
    "root ::= [^z-a]",
    "root ::= [z-ab]",
    "root ::= [a-]",
    "root ::= [-a]",
    "root ::= [+--y]",
    "root ::= [a-b-y]",
    "root ::= [a-",
    "root ::= [a",
    "root ::= []]",
    "root ::= [^]]",
    "root ::= [\"]",
    "root ::= [^^]",
    "root ::= [a^]",
    "root ::= \"a\nb\"",
    "root ::= [a\nb]",
    "root ::= \"a",
    "root ::= [가-힣]",
    "root ::= \"é\" [^é]",
    "root ::= .",
    "root ::= . . .",
    "root ::= .{2,3}",
    "root ::= \"\u{1f600}\"",
    // Repetitions.
    "root ::= *",
    "root ::= ?",
    "root ::= {2}",
    "root ::= | *",
    "root ::= \"a\" | {2}",
    "root ::= \"a\" {2}",
    "root ::= \"a\"{ 2 , 3 }",
    "root ::= \"a\"{,2}",
    "root ::= \"a\"{}",
    "root ::= \"a\"{2",
    "root ::= \"a\"{2,",
    "root ::= \"a\"{2;3}",
    "root ::= \"a\"{-1}",
    "root ::= \"a\"{00002}",
    "root ::= \"a\"{2,2}",
    "root ::= \"a\"{ \n1}",
    "root ::= (\"a\"{ \n1,\n2\n})",
    "root ::= (\"a\"\n*)",
    "root ::= \"a\"\n*",
    "root ::= \"a\"+*",
    "root ::= \"a\"*?",
    "root ::= \"a\"?*",
    "root ::= \"a\"**",
    "root ::= \"a\"*+",
    "root ::= \"a\"++",
    "root ::= \"a\"??",
    "root ::= \"a\"{2}{3}",
    "root ::= \"ab\"{2}?",
    "root ::= \"ab\"{1,2}+",
    "root ::= \"ab\"{0,2}+",
    "root ::= \"a\" \"b\"+{2}",
    // Bounds.
    "root ::= \"a\"{2000}",
    "root ::= \"a\"{2001}",
    "root ::= \"a\"{2000,}",
    "root ::= \"a\"{2001,}",
    "root ::= \"a\"{0,2000}",
    "root ::= \"a\"{0,2001}",
    "root ::= \"a\"{1,100000}",
    "root ::= \"a\"{2001,2002}",
    "root ::= \"a\"{0,18446744073709551615}",
    "root ::= \"a\"{0,18446744073709551616}",
    "root ::= \"a\"{99999999999999999999}",
    "root ::= \"a\"{40}{50}",
    "root ::= \"a\"{40}{51}",
    "root ::= \"a\"{1000}{0,2}",
    "root ::= \"a\"{1000}{0,3}",
    "root ::= \"a\"{1000}{2,}",
    "root ::= \"a\"{1000}{3,}",
    "root ::= \"a\"{1000}*",
    "root ::= \"a\"{2000}+",
    "root ::= \"a\"{0,2000}?",
    "root ::= \"a\"{2,2001}{1}",
    "root ::= \"a\"{2}{2}{2}{2}{2}{2}{2}{2}{2}{2}",
    "root ::= \"a\"{2}{2}{2}{2}{2}{2}{2}{2}{2}{2}{2}",
    "root ::= \"a\"{1,1}{2000}",
    "root ::= \"a\"{2,3}{667}",
    "root ::= (\"a\"{2000}){2000}",
    "root ::= (\"a\"{0,999}){2}",
    "root ::= (\"a\"{0,1000}){2}",
    "root ::= (\"a\"{0,2000})?",
    "root ::= (\"a\"{1,2000})*",
    "root ::= (\"a\" \"b\"{0,2001})+",
    "root ::= ((\"a\")){1000}",
    "root ::= ((\"a\")){1001}",
    "root ::= ((\"a\")){0,2001}",
    "root ::= (\"a\" (\"b\")){667}",
    "root ::= (\"a\" (\"b\") (\"c\")){667}",
    "root ::= (\"b\"{0,998} | \"c\"*){2}",
    "root ::= (\"b\"{0,999} | \"c\"*){2}",
    "root ::= (x y){667}\nx ::= \"x\"\ny ::= \"y\"",
    "root ::= (x y){666}\nx ::= \"x\"\ny ::= \"y\"",
    "x ::= \"x\"\ny ::= \"y\"\nroot ::= (x y){2000}",
    "root ::= (\"b\"{0,1500}) \"x\"{2}",
    "root ::= (\"b\"{0,1500}) [x]{2}",
    "root ::= (\"b\"{0,1500}) .{2}",
    "root ::= (\"b\"{0,1500}) q{2}\nq ::= \"q\"",
    "root ::= x{2000}\nx ::= \"a\"{2000}",
    // Rules that are missing or there twice.
    "root ::= x",
    "root ::= \"a\"\nroot ::= \"b\"",
    "root ::= a\na ::= \"a\"\na ::= \"b\"",
    "root ::= x\nroot ::= \"a\"",
    "root ::= x\nroot ::= \"a\"\ny ::= \"y\"",
    "root ::= (x)\nroot ::= \"a\"",
    "root ::= (\"b\")\nroot ::= \"a\"",
    "root ::= root \"a\"\nroot ::= \"a\"",
    "root ::= (root)\nroot ::= \"a\"",
    "root ::= \"a\"\nroot ::= x",
    "a ::= x\na ::= \"a\"\nroot ::= a",
    "root ::= x{2,3}\nroot ::= \"a\"",
    "root ::= \"a\"+ x\nroot ::= \"a\"",
    // Rules that begin with themselves, and repetitions of what may be empty.
    "root ::= root",
    "root ::= \"a\" | root",
    "root ::= root \"a\" | \"b\"",
    "root ::= \"a\"? root \"b\" | \"c\"",
    "root ::= (\"a\"? root \"b\")? \"c\"",
    "x ::= x\nroot ::= \"a\"",
    "root ::= a\na ::= b \"x\" | \"y\"\nb ::= a",
    "root ::= \"a\" root",
    "root ::= \"a\" root | \"\"",
    "root ::= \"(\" root \")\" | \"x\"",
    "root ::= (\"a\"?)*",
    "root ::= (\"a\"*)*",
    "root ::= ((\"a\"?)*)*",
    "root ::= ((\"a\"?)* \"b\"?)*",
    "root ::= (\"a\"? \"b\"?)*",
    "root ::= (\"a\"* \"b\"*)+ \"c\"",
    "root ::= (\"a\" |)*",
    "root ::= (| \"a\")+",
    "root ::= (\"a\" |){2,}",
    "root ::= (\"a\" |){2}",
    "root ::= x*\nx ::= \"a\"?",
    "root ::= x*\nx ::= \"a\" |",
    "root ::= x*\nx ::= y\ny ::= \"a\" |",
    "root ::= x{2,}*\nx ::= \"a\"?",
    "root ::= x{2,}*\nx ::= \"a\" | \"\"",
    "root ::= x{1,3}*\nx ::= \"a\"",
    "root ::= x{1,3}*\nx ::= \"a\" | \"\"",
    "root ::= x{0,3}*\nx ::= \"a\"",
    "root ::= e root | \"y\"\ne ::= f f\nf ::= \"a\"?",
    "root ::= e x | \"y\"\nx ::= e root\ne ::= f f\nf ::= \"a\"?",
    "root ::= \"a\"\nx ::= e x \"k\" | \"y\"\ne ::= f f\nf ::= \"a\"?",
    "root ::= (e root \"b\")* \"y\"\ne ::= f f\nf ::= \"a\"?",
    "root ::= (e root)* \"y\"\ne ::= f f\nf ::= \"a\"?",
    "root ::= (e root)? \"y\"\ne ::= f f\nf ::= \"a\"?",
    "root ::= e{2} root | \"y\"\ne ::= f f\nf ::= \"a\"?",
    "root ::= (\"a\" | \"a\" \"a\")*",
    "root ::= e (f root \"x\" | \"y\")\ne ::= f f\nf ::= \"a\"?",
    "root ::= e root \"x\" | \"y\"\ne ::= f f\nf ::= \"a\"?",
    // More than llama.cpp can end on.
    "root ::= \"a\"{3,2}",
    "root ::= \"a\"{1,0}",
    "root ::= \"a\" b\nb ::= e b \"x\" | \"y\"\ne ::= f f\nf ::= \"a\"?",
];

/// Texts that tell grammars apart.
const TEXTS: [&str; 32] = [
    "",
    "a",
    "aa",
    "aaa",
    "aaaa",
    "b",
    "ab",
    "ba",
    "abab",
    "bb",
    "c",
    "cc",
    "bc",
    "ac",
    "x",
    "xy",
    "xyxy",
    "y",
    "ay",
    "aay",
    "(x)",
    "((x))",
    "-",
    "^",
    "]",
    "a\nb",
    "\n",
    "é",
    "éa",
    "가힣",
    "\u{1f600}",
    "\"[z",
];

fn texts() -> Vec<String> {
    TEXTS.map(str::to_owned).to_vec()
}

/// Compares the two opinions of a grammar, and says whether both took it.
fn compare(grammar: &str, texts: &[String], theirs: &GrammarOpinion) -> bool {
    match (ask_axilog(grammar, texts), theirs) {
        (Ok(ours), GrammarOpinion::Taken(theirs)) => {
            for ((text, ours), theirs) in texts.iter().zip(&ours).zip(theirs) {
                assert_eq!(ours, theirs, "{grammar:?}: {text:?}");
            }
            true
        }
        // What axilog does not read it has no opinion on: tokens, for which this llama.cpp has no vocabulary.
        (Err(error), _) if error.kind == GrammarErrorKind::Unsupported => {
            assert!(error.reason.contains("vocabulary"), "{grammar:?}: {error}");
            false
        }
        (Err(_), GrammarOpinion::Refused) => false,
        // Of what llama.cpp never ends on, axilog says so.
        (Err(error), GrammarOpinion::Endless) => {
            assert!(
                error.reason.contains("llama.cpp never ends"),
                "{grammar:?}: {error}"
            );
            false
        }
        (ours, theirs) => panic!("{grammar:?}: {ours:?}, llama.cpp {theirs:?}"),
    }
}

#[test]
fn the_corners_of_the_notation_are_read_as_llama_cpp_reads_them() {
    let name = "the_corners_of_the_notation_are_read_as_llama_cpp_reads_them";
    let Some(python) = find_python(name) else {
        return;
    };
    let jobs: Vec<(&str, Vec<String>)> =
        CORNERS.iter().map(|grammar| (*grammar, texts())).collect();
    let opinions = ask_llama(&python, &jobs);
    let taken = CORNERS.iter().zip(&opinions);
    let taken = taken.filter(|(grammar, theirs)| compare(grammar, &texts(), theirs));
    let taken = taken.count();
    let endless = opinions
        .iter()
        .filter(|theirs| **theirs == GrammarOpinion::Endless);
    assert!(taken > 80 && CORNERS.len() - taken > 60, "{taken}");
    assert!(endless.count() >= 3);
}

/// Grammars with a bound of some hundreds or thousands, and how many characters each is tried with.
const BOUNDS: &[(&str, &[usize])] = &[
    ("root ::= \"a\"{2000}", &[1999, 2000, 2001]),
    ("root ::= \"a\"{2000,}", &[1999, 2000, 5000]),
    ("root ::= \"a\"{0,2000}", &[0, 1999, 2000, 2001]),
    ("root ::= \"a\"{0,2001}", &[0, 2000, 2001, 2002]),
    ("root ::= \"a\"{3,999999}", &[2, 3, 2002]),
    ("root ::= \"a\"{40}{50}", &[1999, 2000, 2001]),
    ("root ::= (\"a\"{100}){30}", &[2999, 3000, 3001]),
    (
        "root ::= \"aa\"{500,1000}",
        &[998, 999, 1000, 1001, 2000, 2001, 2002],
    ),
    ("root ::= (\"a\" | \"aa\"){2,200}", &[1, 2, 400, 401]),
    ("root ::= (\"a\"? \"a\"){0,300}", &[0, 1, 599, 600, 601]),
    ("root ::= \"a\"{10,20}{3,4}{5}", &[149, 150, 155, 400, 401]),
];

#[test]
fn bounds_are_counted_as_llama_cpp_counts_them() {
    let Some(python) = find_python("bounds_are_counted_as_llama_cpp_counts_them") else {
        return;
    };
    let jobs: Vec<(&str, Vec<String>)> = BOUNDS
        .iter()
        .map(|(grammar, counts)| (*grammar, counts.iter().map(|n| "a".repeat(*n)).collect()))
        .collect();
    let opinions = ask_llama(&python, &jobs);
    for ((grammar, texts), theirs) in jobs.iter().zip(&opinions) {
        assert!(compare(grammar, texts, theirs), "{grammar}");
    }
}

/// A rule that is refused stays refused on the way through the server.
#[test]
fn the_server_takes_the_grammars_that_axilog_takes() {
    let name = "the_server_takes_the_grammars_that_axilog_takes";
    let Some(python) = find_python(name) else {
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    let model = make_model(&python, dir.path(), 7);
    let server = LlamaServer::start(&python, &model, &[]);
    // The empty text is no grammar to the server, what it never ends on would be its end, and it never
    // chooses a NUL.
    let sent = CORNERS.iter().filter(|grammar| {
        let error = Grammar::parse(grammar).err();
        let endless = error.is_some_and(|error| error.reason.contains("never ends"));
        !grammar.is_empty() && !endless && !grammar.contains(r"\x00")
    });
    let sent: Vec<&str> = sent.copied().collect();
    let jobs: Vec<(&str, u64)> = sent.iter().map(|grammar| (*grammar, 1)).collect();
    let samples = sample_answers(&python, server.port, &jobs, 1, &[]);
    for (grammar, sample) in sent.iter().zip(samples) {
        let ours = Grammar::parse(grammar);
        let expected: &[u16] = match ours.as_ref().map(|ours| ours.judge("")) {
            Err(_) => &[400],
            // Where no character could come first, the server may have nothing to choose from.
            Ok(GrammarVerdict::DoesNotMatch(mismatch)) if mismatch.expected.is_empty() => {
                &[200, 500]
            }
            Ok(_) => &[200],
        };
        let status = sample.status;
        assert!(
            expected.contains(&status),
            "{grammar:?}: {status}, {ours:?}"
        );
    }
}

#[test]
fn grammars_with_a_character_changed_are_read_as_llama_cpp_reads_them() {
    let name = "grammars_with_a_character_changed_are_read_as_llama_cpp_reads_them";
    let Some(python) = find_python(name) else {
        return;
    };
    let mut numbers = Numbers(8);
    let mut grammars: Vec<String> = Vec::new();
    for (_, text) in all_grammars() {
        grammars.extend((0..60).map(|_| numbers.change(&text, "\"[]()|*+?{}-\\#\n ,^.")));
    }
    for corner in CORNERS {
        grammars.extend((0..4).map(|_| numbers.change(corner, "\"[]()|*+?{},2-\\\n ra:=^.")));
    }
    let jobs: Vec<(&str, Vec<String>)> = grammars.iter().map(|g| (g.as_str(), texts())).collect();
    let opinions = ask_llama(&python, &jobs);
    let mut taken = 0;
    for (grammar, theirs) in grammars.iter().zip(&opinions) {
        taken += usize::from(compare(grammar, &texts(), theirs));
    }
    assert!(
        taken > 500 && grammars.len() - taken > 400,
        "{taken} of {}",
        grammars.len()
    );
}
