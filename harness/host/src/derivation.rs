//! `host.h`: questions that are made from earlier answers.

use std::ffi::{c_char, c_int};
use std::mem::MaybeUninit;
use std::path::PathBuf;

use axilog::ffi::obs::ax_input_kind_t;
use axilog::hash::{HexHash, unhex};
use axilog_ledger::derivation::{Derivation, derive_input};
use axilog_ledger::error::LedgerError;
use axilog_ledger::input_file::MAX_INPUT_BYTES;

use crate::boundary::run;
use crate::given_text::{check_length, clear_text, give_text};
use crate::observe::read_input_kind;
use crate::open_ledgers::ask;
use crate::options::axh_ledger_t;
use crate::pointer::{bytes, invalid, parsed_texts};

/// Makes the question of a call that uses earlier answers: canonical JSON whose member derived_from names them. It is put
/// to the oracle, and given to axh_observe with AX_INPUT_KIND_JSON.
///
/// A JSON object gets the member; a text becomes the member input of a new object, and an empty text becomes no member.
///
/// @param ledger Ledger that holds the answers. The question says even_refused only where one of them may not be acted
///     on. NULL where there is none at hand: the question then says even_refused where the caller does.
/// @param input Question: UTF-8 in NFC, whose line ends may be any; NULL for none. Borrowed for the call.
/// @param input_len Bytes of input, at most 64 MiB.
/// @param input_kind What the question is; AX_INPUT_KIND_JSON wants a canonical JSON object.
/// @param sources The obs_hash of each answer, 64 hexadecimal digits, NUL-terminated, in the order of use. Borrowed for
///     the call.
/// @param source_count Number of sources, at least 1.
/// @param even_refused 1: answers that may not be acted on are taken too; 0: axh_observe refuses them.
/// @param question Receives the question, NUL-terminated; axh_string_free frees it. NULL on failure. It overlaps no other
///     argument.
/// @return AXH_OK, or one of these codes.
/// @retval AXH_ERR_ARGUMENT A pointer is NULL, a number is not as its parameter says, or a source is no hash.
/// @retval AXH_ERR_HANDLE ledger is closed.
/// @retval AXH_ERR_REFUSED The question has no canonical form, is JSON and no object, or has one of the members already; or
///     there are no sources.
/// @retval AXH_ERR_IO The ledger could not be read.
/// @see SRS-004 §10.1 and §11.2; formats.md §5
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn axh_derive_question(
    ledger: *const axh_ledger_t,
    input: *const c_char,
    input_len: usize,
    input_kind: MaybeUninit<ax_input_kind_t>,
    sources: *const *const c_char,
    source_count: usize,
    even_refused: c_int,
    question: *mut *mut c_char,
) -> c_int {
    // SAFETY: by contract.
    unsafe { clear_text(question) };
    run(|| {
        if question.is_null() {
            return Err(invalid(
                "question is NULL, expected a pointer that receives a text",
            ));
        }
        let kind = read_input_kind("input_kind", input_kind)?;
        // SAFETY: by contract.
        let (input, sources) = unsafe {
            (
                bytes("input", input, input_len)?,
                parsed_texts("sources", sources, source_count, |text| {
                    let digits = HexHash::try_from(text.as_bytes()).ok();
                    digits
                        .and_then(|digits| unhex(&digits))
                        .ok_or_else(|| "expected 64 lower-case hexadecimal digits".to_owned())
                })?,
            )
        };
        check_length("input", input, MAX_INPUT_BYTES)?;
        let mut derivation = Derivation {
            sources,
            even_refused: even_refused != 0,
        };
        if derivation.even_refused && !ledger.is_null() {
            derivation.even_refused = ask(ledger, |session| {
                session.has_refused_answer(&derivation.sources)
            })??;
        }
        let derived =
            derive_input(input, kind, &derivation).map_err(|reason| LedgerError::InvalidInput {
                path: PathBuf::from("input"),
                reason,
            })?;
        let text = String::from_utf8_lossy(derived.bytes()).into_owned();
        // SAFETY: by contract.
        unsafe { give_text(question, text) };
        Ok(())
    })
}
