//! JSON: the strict reader, the canonical form, and the values that selectors find, each compared with
//! another implementation.

#![no_main]

use axilog::json::canonical::is_canonical_json;
use axilog::json::extract::MAX_POLICIES;
use axilog::json::reader::Reader;
use axilog::json::source::Plain;
use axilog_ledger::jcs;
use axilog_testkit::core::strict_json::Json;
use axilog_testkit::core::strict_json::canonical::{canonical, shared};
use axilog_testkit::core::strict_json::extraction::{
    Wanted, embedded_pointers, extracted, extracted_raw, pointers, reach_every_element, reference,
    selectors,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    extracted_raw(bytes, &selectors());
    let form = jcs::canonicalize(bytes).ok();
    assert_eq!(is_canonical_json(bytes), form.as_deref() == Some(bytes));
    if let Some(form) = &form {
        assert!(is_canonical_json(form));
        assert_eq!(jcs::canonicalize(form).as_ref(), Ok(form));
    }
    let Ok(text) = std::str::from_utf8(bytes) else {
        assert_eq!(form, None);
        return;
    };
    assert_eq!(extracted(text, &selectors()), reference(text, &selectors()));
    let Some(json) = Json::parse(text) else {
        // The reader of the tests refuses a depth of 128 levels; the library does not.
        assert!(form.is_none() || text.matches(['[', '{']).count() >= 128);
        return;
    };
    assert!(is_accepted_by_reader(bytes));
    check_pointers(text, &json);
    if shared(&json) {
        assert_eq!(form, Some(canonical(&json).into_bytes()));
    }
});

/// Every value of the text, and what its place would hold beyond it, is found by its pointer.
fn check_pointers(text: &str, json: &Json) {
    let mut paths = pointers(json);
    paths.truncate(4 * MAX_POLICIES);
    let mut embedded = embedded_pointers(json);
    embedded.truncate(4 * MAX_POLICIES);
    paths.extend(embedded);
    let beyond: Vec<String> = paths
        .iter()
        .flat_map(|path| {
            let every = reach_every_element(path, 2);
            [
                format!("{path}/0"),
                format!("{path}/~#"),
                format!("{path}/~e3"),
                format!("{every}/~e-2"),
                every,
            ]
        })
        .collect();
    paths.extend(beyond);
    for paths in paths.chunks(MAX_POLICIES) {
        let wanted = Wanted(paths.iter().map(|path| Some(path.as_str())).collect());
        assert_eq!(extracted(text, &wanted), reference(text, &wanted));
    }
}

fn is_accepted_by_reader(bytes: &[u8]) -> bool {
    let mut tokens = Reader::new(Plain::new(bytes), 128);
    loop {
        match tokens.next() {
            Ok(Some(_)) => {}
            Ok(None) => return true,
            Err(_) => return false,
        }
    }
}
