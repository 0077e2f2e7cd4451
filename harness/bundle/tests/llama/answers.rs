//! Answers that the model gave under a grammar, and the same with a character changed.

use axilog_testkit::harness::llama_server::{LlamaServer, find_python, make_model};

use crate::reference::{GrammarOpinion, Opinion, ask_axilog, ask_llama, sample_answers};
use crate::{Numbers, all_grammars};

/// How many answers each grammar gets, and how many tokens an answer may have.
const ANSWERS: u64 = 8;
const TOKENS: u64 = 600;

/// How many changes each answer is tried with.
const CHANGES: usize = 60;

/// The tokens of the tiny model that stand for no text: two special ones, and the bytes with which something
/// may begin that is not UTF-8. llama.cpp's grammars take such bytes for characters, and its server writes them
/// as U+FFFD.
fn tokens_of_no_text() -> Vec<usize> {
    let bytes = [0xc0, 0xc1, 0xe0, 0xed, 0xf0]
        .into_iter()
        .chain(0xf4..=0xff);
    [0, 1]
        .into_iter()
        .chain(bytes.map(|byte| 3 + byte))
        .collect()
}

#[test]
fn sampled_answers_and_changed_ones_are_judged_as_llama_cpp_judges_them() {
    let name = "sampled_answers_and_changed_ones_are_judged_as_llama_cpp_judges_them";
    let Some(python) = find_python(name) else {
        return;
    };
    let grammars = all_grammars();
    assert!(grammars.len() >= 4 + 8);
    let dir = tempfile::tempdir().unwrap();
    let model = make_model(&python, dir.path(), 7);
    let server = LlamaServer::start(&python, &model, &[]);
    let jobs: Vec<(&str, u64)> = grammars
        .iter()
        .flat_map(|(_, text)| (1..=ANSWERS).map(|seed| (text.as_str(), seed)))
        .collect();
    let samples = sample_answers(&python, server.port, &jobs, TOKENS, &tokens_of_no_text());
    drop(server);

    let mut numbers = Numbers(2123);
    let mut totals = [0; 3];
    for ((name, grammar), samples) in grammars.iter().zip(samples.chunks(ANSWERS as usize)) {
        assert!(samples.iter().all(|sample| sample.status == 200), "{name}");
        // The number of tokens may cut the last character in its middle.
        let answers = samples.iter().map(|sample| match sample.ended {
            true => sample.text.as_str(),
            false => sample.text.trim_end_matches('\u{fffd}'),
        });
        let answers: Vec<String> = answers.map(str::to_owned).collect();
        assert!(!answers.concat().contains('\u{fffd}'), "{name}: no text");
        let mut texts = answers.clone();
        for answer in &answers {
            let others = "aZ09 \"\\,.:-{}[]()\n\té가\u{1f600}";
            texts.extend((0..CHANGES).map(|_| numbers.change(answer, others)));
        }
        let ours = ask_axilog(grammar, &texts).unwrap();
        let jobs = texts
            .chunks(50)
            .map(|texts| (grammar.as_str(), texts.to_vec()));
        let theirs = ask_llama(&python, &jobs.collect::<Vec<_>>());
        let theirs = theirs.into_iter().flat_map(|theirs| match theirs {
            GrammarOpinion::Taken(opinions) => opinions,
            other => panic!("{name}: {other:?}"),
        });
        let theirs: Vec<Opinion> = theirs.collect();
        assert_eq!(theirs.len(), texts.len());
        for ((text, ours), theirs) in texts.iter().zip(&ours).zip(&theirs) {
            assert_eq!(ours, theirs, "{name}: {text:?}");
            totals[match ours {
                Opinion::Fits => 0,
                Opinion::Begins => 1,
                Opinion::WrongAt(_) => 2,
            }] += 1;
        }
        // What the model wrote fits, or would with more tokens.
        for (sample, opinion) in samples.iter().zip(&ours) {
            match sample.ended {
                true => assert_eq!(*opinion, Opinion::Fits, "{name}: {:?}", sample.text),
                false => assert!(
                    !matches!(opinion, Opinion::WrongAt(_)),
                    "{name}: {:?}",
                    sample.text
                ),
            }
        }
        let ended = samples.iter().filter(|sample| sample.ended).count();
        assert!(ended > 0, "{name}: the model never came to an end");
    }
    // Each verdict was met often, so that the agreement says something.
    assert!(totals.iter().all(|count| *count > 200), "{totals:?}");
}
