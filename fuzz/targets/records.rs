//! Records and ledger lines: an accepted one is canonical, and is written again with the same bytes.

#![no_main]

use axilog::evidence::observation::Observation;
use axilog::evidence::policy::PolicyRecord;
use axilog::evidence::proof::Seal;
use axilog::evidence::transition::TransitionRecord;
use axilog::evidence::view::{MAX_GATEWAY_RECORD_BYTES, ObservationView};
use axilog::fault::Error;
use axilog::hash::{Hash, Tag, commit, hex, sha256};
use axilog::json::canonical::is_canonical_json;
use axilog::json::escaped::EscapedText;
use axilog::ledger_line;
use axilog::profile::Profile;
use axilog::text::Text;
use axilog_testkit::core::ledger::written;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(record) = PolicyRecord::parse(bytes) {
        check_rewritten(bytes, &written(|out| record.write(out)));
    }
    if let Ok(record) = TransitionRecord::parse(bytes) {
        check_rewritten(bytes, &written(|out| record.write(out)));
    }
    if let Ok(seal) = Seal::parse(bytes) {
        check_rewritten(bytes, &written(|out| seal.write(out)));
    }
    if let Ok(entry) = ledger_line::parse(bytes) {
        let line = written(|out| ledger_line::write(&entry, out));
        assert_eq!(
            line.strip_suffix(b"\n"),
            Some(bytes.strip_suffix(b"\n").unwrap_or(bytes))
        );
        assert_eq!(ledger_line::parse(&line).unwrap().payload, entry.payload);
        // The payload may be a valid record although no chain contains it.
        check_observation(entry.payload);
    }
    check_observation(bytes);
});

fn check_rewritten(bytes: &[u8], rewritten: &[u8]) {
    assert_eq!(bytes, rewritten);
    assert!(is_canonical_json(bytes));
}

/// Checks the record as it is, and with the hash that each profile gives it, which no fuzzer could find.
fn check_observation(bytes: &[u8]) {
    match ObservationView::parse(bytes) {
        Ok(view) => check_accepted(bytes, &view),
        Err(Error::Hash) => {
            for is_tagged in [false, true] {
                let Some(record) = with_hash(bytes, is_tagged) else {
                    continue;
                };
                if let Ok(view) = ObservationView::parse(&record) {
                    assert!(view.profile.tagged_hash() == is_tagged);
                    check_accepted(&record, &view);
                }
            }
        }
        Err(_) => {}
    }
}

/// Replaces the hash in a record by the one that its bytes have.
fn with_hash(bytes: &[u8], is_tagged: bool) -> Option<Vec<u8>> {
    const BEFORE: &[u8] = b",\"obs_hash\":\"";
    let at = bytes.windows(BEFORE.len()).position(|w| w == BEFORE)? + BEFORE.len();
    let (head, rest) = bytes.split_at_checked(at)?;
    let tail = rest.get(64..)?;
    let text = [head, tail].concat();
    let hash: Hash = if is_tagged {
        commit(Tag::Obs.as_str().as_bytes(), &text)
    } else {
        sha256(&text)
    };
    Some([head, &hex(&hash), tail].concat())
}

fn check_accepted(record: &[u8], view: &ObservationView<'_>) {
    assert!(record.len() <= MAX_GATEWAY_RECORD_BYTES);
    assert!(!(view.gateway && view.profile == Profile::Rfc8785));
    assert!(serde_json::from_slice::<serde_json::Value>(record).is_ok());
    let [model_id, oracle_id, output] = [view.model_id, view.oracle_id, view.output].map(unescape);
    let observation = Observation {
        completion: view.completion,
        failure: view.failure,
        input_hash: view.input_hash,
        ledger_seq: view.ledger_seq,
        model_id: &model_id,
        oracle_id: &oracle_id,
        output: Text::check(&output, false).unwrap(),
        output_size: view.output_size,
        params: view.params,
    };
    assert_eq!(observation.obs_hash(view.profile), view.obs_hash);
    let rewritten = written(|out| observation.write(view.profile, Some(&hex(&view.obs_hash)), out));
    assert_eq!(record, rewritten);
    assert_eq!(
        observation.verify(Some(&view.obs_hash)).is_ok(),
        !view.gateway
    );
    if view.profile.short_escapes() {
        assert!(is_canonical_json(record));
    }
}

fn unescape(text: EscapedText<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    text.unescape(&mut |bytes| out.extend_from_slice(bytes));
    out
}
