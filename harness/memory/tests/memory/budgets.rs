//! Budgets: a working set never has more tokens than it may have, and nothing that is too large hides what comes after it.

use std::fmt::Write as _;

use axilog_memory::gate::{Gate, run_gate};
use axilog_memory::{
    BudgetTokenizer, EntryKind, Fact, MAX_FACT_BYTES, MemoryError, OutputClass, WorkingSet,
    WorkingSetQuery,
};
use axilog_oracle::tokens::{Tiktoken, Tokenizer};
use serde_json::{Value, json};

use crate::test_memory::{TestMemory, clue, gate_inputs, machine_pins, open_fact, query};

/// Sentences in six scripts, code and numbers.
const TEXTS: [(&str, &str); 10] = [
    (
        "English",
        "The ferry crosses the river twice a day, and the keeper of the lamp counts who comes back.",
    ),
    (
        "German",
        "Die Brückenwärterin öffnet das Tor nur bei Tageslicht und fragt jeden Reisenden nach seinem Namen.",
    ),
    (
        "Japanese",
        "渡し舟は一日に二度だけ川を渡り、灯台守は戻ってくる人の数を静かに数えている。",
    ),
    (
        "Korean",
        "나룻배는 하루에 두 번만 강을 건너고 등대지기는 돌아오는 사람의 수를 조용히 센다.",
    ),
    (
        "Russian",
        "Паром пересекает реку дважды в день, и смотритель маяка считает тех, кто вернулся.",
    ),
    (
        "Arabic",
        "تعبر العبّارة النهر مرتين في اليوم، ويحصي حارس المنارة من يعود من المسافرين.",
    ),
    (
        "Hindi",
        "नाव दिन में दो बार नदी पार करती है और दीपस्तंभ का रखवाला लौटने वालों को गिनता है।",
    ),
    (
        "code",
        "fn cross(day: &mut Day) -> Result<u32, FerryError> { day.trips += 1; Ok(day.trips % 2) }",
    ),
    (
        "numbers",
        "7719 4402 90.125 1888-03-27 06:45 0x7f3a 31415926535 8,204,117 12/144 -40.5",
    ),
    (
        "rare signs",
        "𓀀𓂀𓃒 𐎀𐎁𐎂 🜁🜂🜃 ꙮꙮ 龘靐齉 ⠿⠾⠽ \u{200b}\u{2028} ﷽ ゔ゙ 🧙🏽‍♀️🏳️‍🌈",
    ),
];

fn tokenizers() -> [Tiktoken; 3] {
    ["cl100k_base", "o200k_base", "gpt2"].map(|name| Tiktoken::for_name(name).unwrap())
}

/// A stream of numbers, the same on every machine.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ mixed >> 31) % limit
    }

    /// A part of a text, or several texts: sometimes far more than a budget holds.
    fn text(&mut self) -> String {
        let mut text = String::new();
        let parts = match self.below(12) {
            0 => 1 + self.below(60),
            _ => 1 + self.below(3),
        };
        for _ in 0..parts {
            let chars: Vec<char> = TEXTS[self.below(TEXTS.len() as u64) as usize]
                .1
                .chars()
                .collect();
            let from = self.below(chars.len() as u64) as usize;
            let to = from + self.below((chars.len() - from) as u64 + 1) as usize;
            text.extend(&chars[from..to]);
            text.push(['\n', ' ', '"', '\\', '\t'][self.below(5) as usize]);
        }
        text
    }

    fn fact(&mut self, number: u64) -> Value {
        let key = format!("k{:03}", self.below(400));
        let mut fact = match self.below(3) {
            0 => clue(&key, &format!("word {number} of many")),
            _ => open_fact(&key, json!({ "text": self.text(), "number": number })),
        };
        if self.below(2) == 0 {
            let gist: String = self.text().chars().take(200).collect();
            fact["gist"] =
                json!(unicode_normalization::UnicodeNormalization::nfc(&*gist).collect::<String>());
        }
        if let Some(text) = fact["payload"]["text"].as_str() {
            let text: String = unicode_normalization::UnicodeNormalization::nfc(text).collect();
            fact["payload"]["text"] = json!(text);
        }
        fact
    }
}

/// Builds a working set, or says how many tokens its frame has.
fn build(memory: &TestMemory, asked: &WorkingSetQuery) -> Result<WorkingSet, u64> {
    match memory.reader().inspect_working_set(asked) {
        Ok(set) => Ok(set),
        Err(MemoryError::Budget { needed, given }) => {
            assert!(needed > given);
            Err(needed)
        }
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn no_working_set_is_above_its_budget() {
    let stores = match std::env::var_os("AXILOG_WIDE") {
        Some(_) => 10_000,
        None => 30,
    };
    let mut numbers = Numbers(20);
    let real = tokenizers();
    let (mut cut, mut told) = (0, 0);
    for _ in 0..stores {
        let mut memory = TestMemory::new();
        let count = numbers.below(30);
        let facts: Vec<_> = (0..count)
            .map(|number| (EntryKind::Fact, numbers.fact(number)))
            .collect();
        memory.store.append_all(facts).unwrap();
        let mut asked = query(OutputClass::Prompt, &["ana"], 1200 + numbers.below(9000));
        let conservative = build(&memory, &asked);
        for tokenizer in &real {
            if let Ok(set) = &conservative {
                assert!(tokenizer.count(set.text()).unwrap() <= asked.budget);
            }
            asked.tokenizer = Some(BudgetTokenizer::new(tokenizer.id()).unwrap());
            if let Ok(set) = build(&memory, &asked) {
                let tokens = tokenizer.count(set.text()).unwrap();
                assert!(tokens <= asked.budget, "{tokens} of {}", asked.budget);
                assert_eq!(tokens, set.tokens());
                cut += u64::from(!set.is_complete());
                told += u64::from(set.is_complete());
                assert_eq!(build(&memory, &asked).unwrap(), set);
            }
            asked.tokenizer = None;
        }
    }
    println!("{stores} stores: {told} working sets whole, {cut} cut");
    assert!(cut > stores / 4 && told > stores / 4);
}

/// The tokens per byte that `docs/memory.md` says.
#[test]
fn the_page_has_the_tokens_per_byte() {
    let mut table =
        "| text | bytes | cl100k_base | o200k_base | gpt2 | most tokens in 100 bytes |\n\
        |---|---|---|---|---|---|\n"
            .to_owned();
    let real = tokenizers();
    for (name, text) in TEXTS {
        let counts = real.map(|tokenizer| tokenizer.count(text).unwrap());
        let most = counts.into_iter().max().unwrap();
        assert!(most <= text.len() as u64, "{name}");
        let [first, second, third] = counts;
        let bytes = text.len();
        let per_hundred = most * 100 / bytes as u64;
        writeln!(
            table,
            "| {name} | {bytes} | {first} | {second} | {third} | {per_hundred} |"
        )
        .unwrap();
    }
    let mut memory = TestMemory::new();
    for number in 0..40 {
        memory.append_fact(clue(
            &format!("k{number}"),
            &format!("word {number} of many"),
        ));
    }
    let set = build(&memory, &query(OutputClass::Prompt, &[], 64_000)).unwrap();
    let counts = real.map(|tokenizer| tokenizer.count(set.text()).unwrap());
    let bytes = set.bytes().len() as u64;
    let [first, second, third] = counts;
    let per_hundred = counts.into_iter().max().unwrap() * 100 / bytes;
    writeln!(
        table,
        "| a working set of 40 locked facts | {bytes} | {first} | {second} | {third} | {per_hundred} |"
    )
    .unwrap();
    println!("{table}");
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/memory.md");
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains(&table), "docs/memory.md lacks\n{table}");
}

fn memory_with_large_fact(gist: Option<&str>) -> TestMemory {
    let mut memory = TestMemory::new();
    let mut large = open_fact("a-annals", json!({ "text": "* ".repeat(20_000) }));
    if let Some(gist) = gist {
        large["gist"] = json!(gist);
    }
    memory.append_fact(large);
    for number in 0..51 {
        let key = format!("k{number:02}");
        memory.append_fact(open_fact(&key, json!({ "n": number })));
    }
    memory
}

fn facts_of(set: &WorkingSet) -> &Vec<Value> {
    set.value()["facts_slice"].as_array().unwrap()
}

#[test]
fn a_fact_above_its_quota_hides_no_other() {
    let memory = memory_with_large_fact(None);
    let set = build(&memory, &query(OutputClass::Prompt, &[], 16_000)).unwrap();
    assert_eq!(facts_of(&set).len(), 51);
    assert!(!set.is_complete());
    let large = memory.body_of(memory.reader().head().unwrap().seq - 51);
    let large = Fact::new(&large).unwrap().id();
    assert_eq!(set.value()["left_out"], json!([large]));
    let mentioned = set.allowmention_handles();
    assert!(!mentioned.contains(&large));
    // Nothing else is larger, so that a larger budget tells it whole.
    let set = build(&memory, &query(OutputClass::Prompt, &[], 64_000)).unwrap();
    assert_eq!(facts_of(&set).len(), 52);
    assert_eq!(facts_of(&set)[0]["fact_id"], json!(large));
    assert!(set.is_complete() && set.value()["left_out"] == json!([]));
    assert_eq!(set.allowmention_handles()[0], large);
}

#[test]
fn a_fact_above_its_quota_is_told_by_its_gist() {
    let memory = memory_with_large_fact(Some("Annals of the town."));
    let set = build(&memory, &query(OutputClass::Prompt, &[], 16_000)).unwrap();
    let facts = facts_of(&set);
    assert_eq!(facts.len(), 52);
    assert_eq!(facts[0]["form"], "GIST");
    assert_eq!(facts[0]["gist"], "Annals of the town.");
    assert!(!set.is_complete() && set.value()["left_out"] == json!([]));
    assert_eq!(set.allowmention_handles().len(), 51);
}

/// The gates judge such working sets too, and reach every fact.
#[test]
fn large_facts_pass_the_gates() {
    let mut memory = memory_with_large_fact(Some("Annals of the town."));
    for number in 0..4 {
        let text = "long ".repeat(400 + 400 * number);
        let fact = open_fact(&format!("b{number:02}"), json!({ "text": text }));
        memory.append_fact(fact);
    }
    for gate in [Gate::G1, Gate::G2] {
        let report = run_gate(&mut memory.store, gate, &gate_inputs()).unwrap();
        assert!(report.passed(), "{report:?}");
    }
}

#[test]
fn a_fact_that_is_too_large_is_refused_with_both_sizes() {
    let mut memory = TestMemory::new();
    let bytes = |text: &str| {
        let fact = open_fact("a", json!({ "text": text }));
        (
            Fact::new(&fact).map(|fact| fact.canonical().bytes().len()),
            fact,
        )
    };
    let rest = bytes("").0.unwrap();
    let (largest, fact) = bytes(&"x".repeat(MAX_FACT_BYTES - rest));
    assert_eq!(largest.unwrap(), MAX_FACT_BYTES);
    memory.append_fact(fact);
    let (_, fact) = bytes(&"x".repeat(MAX_FACT_BYTES - rest + 1));
    let error = memory.append_refused(EntryKind::Fact, fact).to_string();
    for part in ["65537 bytes", "at most 65536", "several facts"] {
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn what_a_tokenizer_counted_is_made_again() {
    let mut memory = memory_with_large_fact(None);
    let mut asked = query(OutputClass::Prompt, &[], 3000);
    asked.tokenizer = Some(BudgetTokenizer::new("o200k_base").unwrap());
    let set = memory.store.build_working_set(&asked).unwrap();
    let tokenizer = "o200k_base, tiktoken-rs 0.12.1";
    assert_eq!(set.value()["tokenizer"], tokenizer);
    let seq = memory.reader().head().unwrap().seq;
    let mut body = memory.body_of(seq);
    assert_eq!(body["query"]["tokenizer"], tokenizer);
    let rebuilt = memory.store.rebuild_asserting(&machine_pins()).unwrap();
    assert_eq!(
        (rebuilt.shown.same, rebuilt.shown.differences.len()),
        (1, 0)
    );
    let report = run_gate(&mut memory.store, Gate::G1, &gate_inputs()).unwrap();
    assert!(report.passed(), "{report:?}");
    // Another version of it may count otherwise.
    body["query"]["tokenizer"] = json!("o200k_base, tiktoken-rs 0.1.0");
    memory.forge_entry(EntryKind::Shown, body);
    let rebuilt = memory.store.rebuild_asserting(&machine_pins()).unwrap();
    assert_eq!(
        (rebuilt.shown.same, rebuilt.shown.other_pins),
        (1, vec![seq + 1])
    );
    let unknown = BudgetTokenizer::new("o300k_base").unwrap_err().to_string();
    assert!(unknown.contains("o200k_base"), "{unknown}");
}
