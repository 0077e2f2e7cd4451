//! Records and ledger lines: what is accepted is canonical, and written again is the same bytes.

#![no_main]

use axilog::evidence::observation::Observation;
use axilog::evidence::policy::PolicyRecord;
use axilog::evidence::proof::Seal;
use axilog::evidence::transition::TransitionRecord;
use axilog::evidence::view::{MAX_GATEWAY_RECORD_BYTES, ObservationView};
use axilog::fault::Error;
use axilog::hash::{Hash, Tag, commit, hex, sha256};
use axilog::json::canonical::is_canonical_json;
use axilog::json::escaped::Escaped;
use axilog::ledger_line;
use axilog::profile::Profile;
use axilog::text::Text;
use axilog_fuzz::support::ledger::written;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(record) = PolicyRecord::parse(bytes) {
        same(bytes, &written(|out| record.write(out)));
    }
    if let Ok(record) = TransitionRecord::parse(bytes) {
        same(bytes, &written(|out| record.write(out)));
    }
    if let Ok(seal) = Seal::parse(bytes) {
        same(bytes, &written(|out| seal.write(out)));
    }
    if let Ok(entry) = ledger_line::parse(bytes) {
        let line = written(|out| ledger_line::write(&entry, out));
        assert_eq!(
            line.strip_suffix(b"\n"),
            Some(bytes.strip_suffix(b"\n").unwrap_or(bytes))
        );
        assert_eq!(ledger_line::parse(&line).unwrap().payload, entry.payload);
        // In the chain or not, its record is as good as any.
        observation(entry.payload);
    }
    observation(bytes);
});

fn same(bytes: &[u8], again: &[u8]) {
    assert_eq!(bytes, again);
    assert!(is_canonical_json(bytes));
}

/// The record as it is, and under the hash that each profile gives it: no fuzzer finds a hash.
fn observation(bytes: &[u8]) {
    match ObservationView::parse(bytes) {
        Ok(view) => accepted(bytes, &view),
        Err(Error::Hash) => {
            for tagged in [false, true] {
                let Some(record) = hashed(bytes, tagged) else {
                    continue;
                };
                if let Ok(view) = ObservationView::parse(&record) {
                    assert!(view.profile.tagged_hash() == tagged);
                    accepted(&record, &view);
                }
            }
        }
        Err(_) => {}
    }
}

/// The record with the hash that it should have.
fn hashed(bytes: &[u8], tagged: bool) -> Option<Vec<u8>> {
    const BEFORE: &[u8] = b",\"obs_hash\":\"";
    let at = bytes.windows(BEFORE.len()).position(|w| w == BEFORE)? + BEFORE.len();
    let (head, rest) = bytes.split_at_checked(at)?;
    let tail = rest.get(64..)?;
    let text = [head, tail].concat();
    let hash: Hash = if tagged {
        commit(Tag::Obs.as_str().as_bytes(), &text)
    } else {
        sha256(&text)
    };
    Some([head, &hex(&hash), tail].concat())
}

fn accepted(record: &[u8], view: &ObservationView<'_>) {
    assert!(record.len() <= MAX_GATEWAY_RECORD_BYTES);
    assert!(!(view.gateway && view.profile == Profile::Rfc8785));
    assert!(serde_json::from_slice::<serde_json::Value>(record).is_ok());
    let [model_id, oracle_id, output] = [view.model_id, view.oracle_id, view.output].map(unescaped);
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
    let again = written(|out| observation.write(view.profile, Some(&hex(&view.obs_hash)), out));
    assert_eq!(record, again);
    assert_eq!(
        observation.verify(Some(&view.obs_hash)).is_ok(),
        !view.gateway
    );
    if view.profile.short_escapes() {
        assert!(is_canonical_json(record));
    }
}

fn unescaped(text: Escaped<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    text.unescape(&mut |bytes| out.extend_from_slice(bytes));
    out
}
