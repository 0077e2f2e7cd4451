//! `host.h`: step awareness bundles, and the grammars that answers to them fit.

use std::ffi::{c_char, c_int};
use std::path::PathBuf;

use axilog_bundle::count::{PromptTokenCounter, WordEstimate};
use axilog_bundle::gbnf::{Grammar, MAX_STEPS};
use axilog_bundle::json_report::{bundle_json, catalogue_json, prompt_json, verdict_json};
use axilog_bundle::retrieve::SkippedRecord;
use axilog_bundle::{BundleError, build_step_awareness_bundle, render_prompt_with_counter};
use axilog_ledger::input_file::MAX_INPUT_BYTES;
use serde_json::{Value, json};

use crate::boundary::{run, run_check};
use crate::bundle_request::{GivenRequest, read_catalogue};
use crate::given_text::{check_length, clear_text, give_json, give_text};
use crate::pointer::{bytes, invalid, optional_path, optional_text, text, utf8};

/// Builds the step awareness bundle of a pipeline step and renders its prompt, as `axilog bundle build` and
/// `axilog bundle render` do.
///
/// The request is a JSON object. Its member "step_id" must be there; the others have defaults: "run_id" (a text; one is
/// made from the step and the time), "run_number" (an integer from 1; 1), "results" (the step's output, an object, whose
/// members keep their order) or "results_path" (the file that holds it), "manifest_path", "state_paths" (an array),
/// "budgets" (an object of tokens: "ctx_max_tokens", 32768; "tier0_reserved", 1200; "tier1_cap", 3000; "history_cap", 6000;
/// "telemetry_cap", 3000; "generation_reserve", 2000), "is_chapter_13" (false), "catalogue_path" (the built-in catalogue),
/// "fallback" (whether the answer shall fit the step's fallback grammar; false), "history_path" (a folder), and of that
/// history "outcomes" (the most outcomes, 20) and "window" (the values of a trend, from 1; 10). Paths are texts in UTF-8.
/// A manifest, state or history file that is not there is no error.
///
/// The call reads the files that the request names, and has no other effect.
///
/// @param request Request as JSON text, borrowed for the call.
/// @param request_len Bytes of request, at most 64 MiB.
/// @param json Receives an object, NUL-terminated, which axh_string_free frees: in "bundle" what `axilog bundle build --json`
///     prints, in "rendered" what `axilog bundle render --json` prints, its tokens estimated from words, in "skipped" a
///     sentence for each entry of the history that is no valid record. Where the prompt has no room, "rendered" is null
///     and "problem" says why, which is null otherwise. NULL on failure. It overlaps no other argument. NULL where it is
///     not wanted.
/// @return AXH_OK, AXH_NOT_OK where the bundle was built and its Tier 0 alone is more than a prompt may have, or one of
///     these codes.
/// @retval AXH_ERR_ARGUMENT request is NULL, too long or no such object; or, with AXH_REASON_BUNDLE, the catalogue, the step
///     or the results are not valid.
/// @retval AXH_ERR_IO A file that is there cannot be read, or the results or the catalogue are not there.
/// @see Addendum A, A1 to A8
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn axh_bundle_build(
    request: *const c_char,
    request_len: usize,
    json: *mut *mut c_char,
) -> c_int {
    // SAFETY: by contract.
    unsafe { clear_text(json) };
    run_check(|| {
        // SAFETY: by contract.
        let text = unsafe { bytes("request", request, request_len) }?;
        check_length("request", text, MAX_INPUT_BYTES)?;
        let given = GivenRequest::parse(text)?;
        let catalogue = given.read_catalogue()?;
        let request = given.resolve(&catalogue)?;
        let mut skipped: Vec<String> = Vec::new();
        let mut skip = |record: SkippedRecord| skipped.push(record.to_string());
        let bundle = build_step_awareness_bundle(&request, &mut skip)?;
        let (rendered, problem) = match render_prompt_with_counter(&bundle, &WordEstimate) {
            Ok(rendered) => (
                prompt_json(&bundle, &rendered, WordEstimate.name()),
                Value::Null,
            ),
            Err(error @ BundleError::Tier0 { .. }) => (Value::Null, json!(error.to_string())),
            Err(error) => return Err(error.into()),
        };
        let is_rendered = problem.is_null();
        let object = json!({
            "bundle": bundle_json(&bundle),
            "problem": problem,
            "rendered": rendered,
            "skipped": skipped,
        });
        // SAFETY: by contract.
        unsafe { give_json(json, &object) };
        Ok(is_rendered)
    })
}

/// Checks a catalogue of steps and the grammars that it names.
///
/// @param catalogue Path of the catalogue, a TOML file, NUL-terminated: any bytes on Unix, UTF-8 elsewhere. Borrowed for
///     the call. NULL for the built-in catalogue.
/// @param json Receives the object that `axilog bundle check --json` prints, NUL-terminated, which axh_string_free frees;
///     NULL on failure. It overlaps no other argument. NULL where it is not wanted.
/// @return AXH_OK, AXH_NOT_OK where a grammar that the catalogue names is missing or not valid, or one of these codes.
/// @retval AXH_ERR_ARGUMENT The file is no catalogue: the text has the place.
/// @retval AXH_ERR_IO The file cannot be read.
/// @see Addendum A, A7
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn axh_bundle_check(
    catalogue: *const c_char,
    json: *mut *mut c_char,
) -> c_int {
    // SAFETY: by contract.
    unsafe { clear_text(json) };
    run_check(|| {
        // SAFETY: by contract.
        let path = unsafe { optional_path(catalogue) }?;
        let object = catalogue_json(&read_catalogue(path.as_deref())?, path.as_deref());
        // SAFETY: by contract.
        unsafe { give_json(json, &object) };
        Ok(object.get("ok") == Some(&Value::Bool(true)))
    })
}

/// Gives the text of a grammar: of the file beside the catalogue, or else of the built-in one.
///
/// @param catalogue Path of the catalogue, NUL-terminated: any bytes on Unix, UTF-8 elsewhere. Borrowed for the call. NULL
///     for the built-in catalogue.
/// @param name File name of the grammar, as "grammar_name" of a bundle has it, NUL-terminated UTF-8, borrowed for the call.
/// @param grammar Receives the text, in llama.cpp's notation, NUL-terminated; axh_string_free frees it. NULL on failure. It
///     overlaps no other argument.
/// @return AXH_OK, or one of these codes.
/// @retval AXH_ERR_ARGUMENT A pointer is NULL, there is no such grammar, or what was found is no text.
/// @retval AXH_ERR_IO A file cannot be read.
/// @see Addendum A, A7.3
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn axh_bundle_grammar(
    catalogue: *const c_char,
    name: *const c_char,
    grammar: *mut *mut c_char,
) -> c_int {
    // SAFETY: by contract.
    unsafe { clear_text(grammar) };
    run(|| {
        if grammar.is_null() {
            return Err(invalid(
                "grammar is NULL, expected a pointer that receives a text",
            ));
        }
        // SAFETY: by contract.
        let (path, name) = unsafe { (optional_path(catalogue)?, text("name", name)?) };
        let (found, text) = read_catalogue(path.as_deref())?.grammar_text(name)?;
        if text.contains('\0') {
            let found = found.display();
            return Err(invalid(format!(
                "{found}: has the character U+0000, expected a grammar without it"
            )));
        }
        // SAFETY: by contract.
        unsafe { give_text(grammar, text) };
        Ok(())
    })
}

/// Says whether a text fits a grammar, as llama.cpp decides it. The text is compared byte for byte.
///
/// @param grammar Grammar in llama.cpp's notation, in UTF-8, borrowed for the call.
/// @param grammar_len Bytes of grammar, at most 64 MiB.
/// @param name Name of the grammar in messages, such as its path, NUL-terminated UTF-8; NULL for "grammar".
/// @param answer Text, any bytes, borrowed for the call.
/// @param answer_len Bytes of answer, at most 64 MiB.
/// @param max_steps Most steps of the comparison; 0 for ten million.
/// @param json Receives an object, NUL-terminated, which axh_string_free frees: "verdict" (MATCHES, DOES_NOT_MATCH or
///     CANNOT_BE_TOLD), "ok", "reason", "line", "column", "found" and "expected" of what `axilog bundle match --json`
///     prints. NULL on failure. It overlaps no other argument. NULL where it is not wanted.
/// @return AXH_OK where the text fits, AXH_NOT_OK where it does not or nobody can tell, or one of these codes.
/// @retval AXH_ERR_ARGUMENT A pointer is NULL, or, with AXH_REASON_GRAMMAR, the grammar is not valid: the text has its place.
/// @see Addendum A, A7.3
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn axh_bundle_match(
    grammar: *const c_char,
    grammar_len: usize,
    name: *const c_char,
    answer: *const c_char,
    answer_len: usize,
    max_steps: u64,
    json: *mut *mut c_char,
) -> c_int {
    // SAFETY: by contract.
    unsafe { clear_text(json) };
    run_check(|| {
        // SAFETY: by contract.
        let (grammar, name, answer) = unsafe {
            (
                bytes("grammar", grammar, grammar_len)?,
                optional_text("name", name)?,
                bytes("answer", answer, answer_len)?,
            )
        };
        check_length("grammar", grammar, MAX_INPUT_BYTES)?;
        check_length("answer", answer, MAX_INPUT_BYTES)?;
        let parsed = Grammar::parse(utf8("grammar", grammar)?).map_err(|source| {
            let path = PathBuf::from(name.unwrap_or("grammar"));
            BundleError::Grammar { path, source }
        })?;
        let steps = match max_steps {
            0 => MAX_STEPS,
            steps => steps,
        };
        let verdict = parsed.judge_bytes(answer, steps);
        // SAFETY: by contract.
        unsafe { give_json(json, &verdict_json(&verdict)) };
        Ok(verdict.is_match())
    })
}
