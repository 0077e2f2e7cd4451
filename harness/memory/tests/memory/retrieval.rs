//! How many of the facts that answer a question stand in the working set for it, by the order in which facts are considered.

use std::collections::HashMap;
use std::fmt::Write as _;

use axilog_memory::{BudgetTokenizer, EntryKind, FactOrder, Handle, OutputClass};
use serde_json::json;

use crate::test_memory::{TestMemory, open_fact, query};

/// Questions and the facts that answer them.
const QUESTIONS: &str = include_str!("corpus/questions.tsv");

/// How many facts there are.
const FACTS: usize = 2000;

/// What the other facts are made of, which speak of the same things: who, of what, and what is said of it.
const ENGLISH: [&[&str]; 3] = [
    &[
        "Marten",
        "Pell",
        "Tamsin",
        "Josko",
        "Isolde",
        "Quill",
        "Corvin",
        "Yrsa",
        "Fenn",
        "Niko",
        "Hask",
        "Wren",
        "Rook",
        "Livia",
        "Aldo",
        "Sunniva",
        "A monk",
        "A beggar",
        "The cook",
        "An old sailor",
        "The tax collector",
        "A child",
    ],
    &[
        "ferry",
        "ledger",
        "bell",
        "clapper",
        "guard",
        "baron",
        "vault",
        "smuggler",
        "lantern",
        "duke",
        "marsh",
        "wisp",
        "guild",
        "harvest fair",
        "horse race",
        "oracle",
        "king",
        "split ash",
        "wood wife",
        "letters",
        "ink",
        "apothecary",
        "council",
        "harbour",
        "envoy",
        "captain",
        "observatory",
        "lens",
        "hound",
        "crypt",
        "abbess",
        "well",
        "quarry",
        "convicts",
        "horn",
        "troll",
        "bridge",
        "riddle",
        "tunnel",
        "dancer",
        "printer",
        "paper",
        "lighthouse",
        "courier",
        "safe house",
    ],
    &[
        "was older than the town",
        "will be gone by winter",
        "belongs to nobody",
        "ought to be painted",
        "brings bad luck",
        "cost too much",
        "was blessed twice",
        "smells of rain",
        "should be left alone",
        "used to be much larger",
        "is not what it seems",
        "has a twin across the river",
        "was a gift",
        "is talked about in every inn",
    ],
];
const GERMAN: [&[&str]; 3] = [
    &[
        "Hedda",
        "Tolk",
        "Vogt",
        "Ilse",
        "Wendel",
        "Berta",
        "Odo",
        "Ein Mönch",
        "Die Köchin",
        "Ein Kind",
        "Der Nachtwächter",
    ],
    &[
        "die Brücke",
        "der Zoll",
        "die Mühle",
        "der Müller",
        "der Schmied",
        "die Glocke",
        "der See",
        "der Turm",
        "die Chronik",
        "das Pestjahr",
        "das Kraut",
        "das Fieber",
        "die Räuberbande",
        "der Wolf",
        "der Graf",
        "der Kanzler",
        "der Brief",
        "das Banner",
        "das Gasthaus",
        "das Salz",
        "die Botin",
        "der Richter",
        "der Schlüssel",
    ],
    &[
        "bringt Unglück",
        "ist älter als die Stadt",
        "gehört niemandem",
        "war früher größer",
        "riecht nach Regen",
        "hat zu viel gekostet",
        "wird bald verschwinden",
        "ist nicht, was man glaubt",
    ],
];
const JAPANESE: [&[&str]; 3] = [
    &["村長", "旅人", "漁師", "子供", "尼僧", "ゲンゾウ"],
    &[
        "渡し舟",
        "灯台",
        "橋",
        "河童",
        "蔵の鍵",
        "神社の鐘",
        "薬売り",
        "茶屋",
        "姫",
        "香炉",
        "城",
        "竹林",
        "虎",
    ],
    &[
        "は不吉だ",
        "は町より古い",
        "は誰の物でもない",
        "は昔もっと大きかった",
        "は雨の匂いがする",
    ],
];

/// The sentences of three tables: each of one with each of the others.
fn sentences([who, what, said]: [&[&str]; 3], join: fn(&str, &str, &str) -> String) -> Vec<String> {
    let mut all = Vec::new();
    for (number, who) in who.iter().enumerate() {
        for (other, what) in what.iter().enumerate() {
            // Not each of the last, which would be many alike.
            for said in said.iter().skip((number + other) % 3).step_by(3) {
                all.push(join(who, what, said));
            }
        }
    }
    all
}

/// A number that looks random and is the same each time.
fn scatter(number: usize) -> u64 {
    let mixed = (number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed ^ mixed >> 27
}

/// The items in an order that looks random and is the same each time.
fn shuffle<T>(items: Vec<T>) -> Vec<T> {
    let mut numbered: Vec<(usize, T)> = items.into_iter().enumerate().collect();
    numbered.sort_by_key(|(number, _)| scatter(*number));
    numbered.into_iter().map(|(_, item)| item).collect()
}

struct Corpus {
    memory: TestMemory,
    /// The questions, each with the facts that answer it.
    questions: Vec<(&'static str, Vec<Handle>)>,
}

fn load() -> Corpus {
    let lines = QUESTIONS.lines().filter(|line| !line.starts_with('#'));
    let questions: Vec<Vec<&str>> = lines.map(|line| line.split('\t').collect()).collect();
    let answers = questions.iter().flat_map(|parts| &parts[1..]);
    let mut texts: Vec<String> = answers.map(|text| (*text).to_owned()).collect();
    let others = sentences(ENGLISH, |who, what, said| {
        format!("{who} says that the {what} {said}.")
    });
    let german = sentences(GERMAN, |who, what, said| {
        format!("{who} meint: {what} {said}.")
    });
    let japanese = sentences(JAPANESE, |who, what, said| {
        format!("{who}によれば、{what}{said}。")
    });
    let room = FACTS - texts.len();
    let (german, japanese) = (
        german.into_iter().take(room / 4),
        japanese.into_iter().take(room / 10),
    );
    texts.extend(german.chain(japanese));
    let room = FACTS - texts.len();
    texts.extend(shuffle(others).into_iter().take(room));
    assert_eq!(texts.len(), FACTS);
    // The answers stand anywhere among the others, by their keys and in the log.
    let order = shuffle((0..FACTS).collect());
    let mut memory = TestMemory::new();
    let facts = order.iter().map(|number| {
        let key = format!("k{:05}", scatter(number + FACTS) % 100_000);
        let fact = open_fact(
            &format!("{key}-{number}"),
            json!({ "text": texts[*number] }),
        );
        (EntryKind::Fact, fact)
    });
    let receipts = memory.store.append_all(facts).unwrap();
    let handles = order.iter().zip(receipts);
    let handles: HashMap<&str, Handle> = handles
        .map(|(number, receipt)| (&*texts[*number], receipt.handle.unwrap()))
        .collect();
    let questions = questions.iter().map(|parts| {
        let wanted = parts[1..].iter().map(|text| handles[text]);
        (parts[0], wanted.collect())
    });
    Corpus {
        questions: questions.collect(),
        memory,
    }
}

/// How many of the wanted facts the working sets for the questions tell.
fn count_found(corpus: &Corpus, order: FactOrder, tokenizer: Option<&BudgetTokenizer>) -> usize {
    let mut asked = query(OutputClass::WorkingSet, &[], 8000);
    asked.order = order;
    asked.tokenizer = tokenizer.cloned();
    let mut found = 0;
    let mut unasked = None;
    for (question, wanted) in &corpus.questions {
        let build = |asked| corpus.memory.reader().inspect_working_set(asked).unwrap();
        let set = match order {
            FactOrder::Plan | FactOrder::Matching => {
                asked.search = Some((*question).to_owned());
                build(&asked)
            }
            // The question changes nothing.
            FactOrder::Newest | FactOrder::Key => {
                unasked.get_or_insert_with(|| build(&asked)).clone()
            }
        };
        let told: Vec<&str> = set.value()["facts_slice"]
            .as_array()
            .unwrap()
            .iter()
            .map(|fact| fact["fact_id"].as_str().unwrap())
            .collect();
        let is_told = |handle: &&Handle| told.contains(&&*handle.to_string());
        found += wanted.iter().filter(is_told).count();
    }
    found
}

/// The table that `docs/memory.md` has.
#[test]
fn the_page_has_the_recall_of_each_order() {
    let corpus = load();
    let wanted: usize = corpus
        .questions
        .iter()
        .map(|(_, wanted)| wanted.len())
        .sum();
    assert_eq!(corpus.questions.len(), 100);
    let tokenizer = BudgetTokenizer::new("o200k_base").unwrap();
    let mut table = format!(
        "| order | of {wanted} wanted facts, 8000 bytes | of {wanted}, 8000 tokens of o200k_base |\n|---|---|---|\n"
    );
    let mut counts = Vec::new();
    for (name, order) in [
        ("by key", FactOrder::Key),
        ("the newest", FactOrder::Newest),
        ("what matches the search alone", FactOrder::Matching),
        ("the plan", FactOrder::Plan),
    ] {
        let bytes = count_found(&corpus, order, None);
        let tokens = count_found(&corpus, order, Some(&tokenizer));
        writeln!(table, "| {name} | {bytes} | {tokens} |").unwrap();
        counts.push(bytes);
    }
    println!("{table}");
    let [by_key, newest, matching, plan] = counts[..] else {
        panic!()
    };
    assert!(
        plan >= matching && matching > 10 * by_key.max(newest).max(1),
        "{counts:?}"
    );
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/memory.md");
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains(&table), "docs/memory.md lacks\n{table}");
}
