//! The bytes between the memory and the model (document, sections 4.5 and 6; GAP-007).

use axilog_memory::{Handle, OutputClass};
use serde_json::json;

use crate::test_memory::{TestMemory, clue, open_fact, query};

#[test]
fn a_prompt_holds_the_bytes_unchanged() {
    let mut memory = TestMemory::new();
    for number in 0..60 {
        memory.append_fact(open_fact(
            &format!("k{:02}", 59 - number),
            json!({ "n": number, "text": "a \"b\"\n" }),
        ));
    }
    for budget in [3600, 32_000] {
        let request = "Who is there?";
        let query = query(OutputClass::Prompt, &["ana"], budget);
        let mut searching = query.clone();
        searching.search = Some(request.to_owned());
        let set = memory.reader().inspect_working_set(&searching).unwrap();
        let prompt = memory.store.build_prompt(&query, request).unwrap();
        assert_eq!(prompt.working_set(), &set);
        assert_eq!(prompt.text().matches(set.text()).count(), 1);
        assert!(
            prompt
                .text()
                .ends_with("=== REQUEST ===\n\"Who is there?\"\n")
        );
        assert_eq!(set.is_complete(), budget == 32_000);
    }
}

#[test]
fn a_working_set_has_all_its_parts_and_the_hash_of_its_bytes_as_id() {
    let mut memory = TestMemory::new();
    let (fact, detail) = memory.append_fact(clue("k1", "seven keys"));
    let set = memory
        .reader()
        .inspect_working_set(&query(OutputClass::WorkingSet, &[], 8000))
        .unwrap();
    assert_eq!(set.id(), Handle::of(set.bytes()));
    let value = set.value();
    for part in [
        "world_id",
        "campaign_id",
        "scene_id",
        "mode",
        "policy_ids",
        "pins",
        "directives",
        "facts_slice",
        "state_slice",
        "compactions_slice",
        "allowmention_handles",
        "locked_precision_handles",
    ] {
        assert!(value.get(part).is_some(), "{part}");
    }
    for policy in [
        "mask_matrix_id",
        "ordering_policy_id",
        "truncation_policy_id",
        "budget_policy_id",
        "compaction_policy_id",
    ] {
        assert!(
            Handle::parse(value["policy_ids"][policy].as_str().unwrap()).is_some(),
            "{policy}"
        );
    }
    assert_eq!(
        value["locked_precision_handles"],
        json!([fact.to_string(), detail.to_string()])
    );
    assert_eq!(value["pins"]["llm"], json!("model-1"));
}
