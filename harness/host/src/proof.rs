//! `host.h`: proofs that a ledger has a record.

use std::ffi::{c_char, c_int};

use axilog_heads::{MAX_PROOF_BYTES, RecordProof, VerifierKey, proven_record_json};
use axilog_ledger::file::lines::MAX_LINE_BYTES;
use serde_json::{Value, json};

use crate::boundary::run_check;
use crate::error::HostError;
use crate::given_text::{check_length, clear_text, give_json};
use crate::pointer::{bytes, invalid, optional_text};

/// Checks the proof that a ledger has one record, with the public key of the ledger alone.
///
/// What holds is that whoever has the key signed a head of the ledger that covers this record. Nothing but the arguments
/// is read. The key comes from whoever keeps the ledger, by another way than the proof.
///
/// @param proof The proof that `axilog prove --seq` writes, borrowed for the call.
/// @param proof_len Bytes of proof.
/// @param record The record's line of the ledger file, with or without its line feed, borrowed for the call; NULL for the
///     one in the proof.
/// @param record_len Bytes of record.
/// @param public_key The public key of the ledger as `axilog key show` prints it, NUL-terminated, without a line feed.
/// @param json Receives an object, NUL-terminated, which axh_string_free frees; NULL on failure. Where the proof holds it
///     has what `axilog check --json` prints of a record: "origin", "size", "seq", "tag", "commit", "record" and so on, and
///     "ok" true; else "ok" false, and the "reason" as a sentence. It overlaps no other argument. NULL where it is not
///     wanted.
/// @return AXH_OK where the proof holds, AXH_NOT_OK where it does not, or one of these codes.
/// @retval AXH_ERR_ARGUMENT proof or public_key is NULL, the key is none, an argument is longer than any of its kind, or
///     record is NULL and the proof has no record in it.
/// @see formats.md §1 and §6; RFC 6962 §2.1; docs/heads.md
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn axh_check_proof(
    proof: *const c_char,
    proof_len: usize,
    record: *const c_char,
    record_len: usize,
    public_key: *const c_char,
    json: *mut *mut c_char,
) -> c_int {
    // SAFETY: by contract.
    unsafe { clear_text(json) };
    run_check(|| {
        // SAFETY: by contract.
        let (proof, line, key) = unsafe {
            let key = optional_text("public_key", public_key)?;
            let line = bytes("record", record, record_len)?;
            (bytes("proof", proof, proof_len)?, line, key)
        };
        let Some(key) = key else {
            return Err(invalid("public_key is NULL, expected a text"));
        };
        let key: VerifierKey = key
            .parse()
            .map_err(|error| invalid(format!("the public key is refused: {error}")))?;
        check_length("proof", proof, MAX_PROOF_BYTES)?;
        check_length("record", line, MAX_LINE_BYTES as u64)?;
        let line = (!record.is_null()).then_some(line);
        let shown = check_record(proof, line, &key)?;
        let is_proven = shown.is_ok();
        let mut object = shown.unwrap_or_else(|reason| json!({ "reason": reason }));
        if let Some(object) = object.as_object_mut() {
            object.insert("ok".to_owned(), is_proven.into());
            object.insert("public_key".to_owned(), key.to_string().into());
        }
        // SAFETY: by contract.
        unsafe { give_json(json, &object) };
        Ok(is_proven)
    })
}

/// Gives what the proof shows, or why it shows nothing.
fn check_record(
    proof: &[u8],
    line: Option<&[u8]>,
    key: &VerifierKey,
) -> Result<Result<Value, String>, HostError> {
    let proof = match RecordProof::parse(proof) {
        Ok(proof) => proof,
        Err(reason) => return Ok(Err(format!("it is no proof of a record: {reason}"))),
    };
    let Some(line) = line.or(proof.record_line()) else {
        return Err(invalid(
            "the record is not in this proof; give its line of the ledger file",
        ));
    };
    Ok(proof
        .check(line, key)
        .map(|record| proven_record_json(proof.checkpoint(), &record))
        .map_err(|reason| reason.to_string()))
}
