//! `host.h`: the tool calls in an assistant's message.

use std::ffi::{c_char, c_int};

use axilog_ledger::input_file::MAX_INPUT_BYTES;
use axilog_ledger::tool_calls::split_tool_calls;

use crate::boundary::run_read;
use crate::error::HostError;
use crate::given_text::{check_length, clear_text, give_text};
use crate::pointer::{bytes, invalid};

/// Gives one tool call of an assistant's message. A program records each, from index 0 until AXH_END, with axh_observe
/// before it makes the first. The message is read anew each time.
///
/// @param message JSON, borrowed for the call: the message of a choice of OpenAI's chat completions or its tool_calls, a
///     response of OpenAI's responses or its output, or a message of Anthropic or its content.
/// @param message_len Bytes of message, at most 64 MiB.
/// @param index Number of the call, from 0.
/// @param oracle_id Receives "tool." and the tool's name, NUL-terminated, which axh_string_free frees; NULL where
///     AXH_OK is not returned. It overlaps no other argument.
/// @param arguments Receives the arguments, NUL-terminated, which axh_string_free frees: canonical JSON where they are
///     JSON, else the text; NULL where AXH_OK is not returned. It overlaps no other argument.
/// @return AXH_OK, AXH_END where the message has no more calls, or one of these codes.
/// @retval AXH_ERR_ARGUMENT A pointer is NULL, message is no JSON with a canonical form or none of these, a call in it has no
///     name or another form, or the call asked for holds a NUL. Nothing of such a message may be acted on.
/// @see SRS-004 §8; formats.md §4
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn axh_tool_call(
    message: *const c_char,
    message_len: usize,
    index: usize,
    oracle_id: *mut *mut c_char,
    arguments: *mut *mut c_char,
) -> c_int {
    // SAFETY: by contract.
    unsafe {
        clear_text(oracle_id);
        clear_text(arguments);
    }
    run_read(|| {
        for (name, out) in [("oracle_id", oracle_id), ("arguments", arguments)] {
            if out.is_null() {
                return Err(invalid(format!(
                    "{name} is NULL, expected a pointer that receives a text"
                )));
            }
        }
        // SAFETY: by contract.
        let message = unsafe { bytes("message", message, message_len) }?;
        check_length("message", message, MAX_INPUT_BYTES)?;
        let calls = split_tool_calls(message).map_err(|error| invalid(error.to_string()))?;
        let Some(call) = calls.into_iter().nth(index) else {
            return Ok(false);
        };
        let id = check_text(index, "name", call.oracle_id())?;
        let text = String::from_utf8_lossy(&call.arguments).into_owned();
        let text = check_text(index, "arguments", text)?;
        // SAFETY: by contract.
        unsafe {
            give_text(oracle_id, id);
            give_text(arguments, text);
        }
        Ok(true)
    })
}

fn check_text(index: usize, what: &str, text: String) -> Result<String, HostError> {
    match text.contains('\0') {
        true => Err(invalid(format!(
            "call {index} of the message has a NUL in its {what}, which no record may have"
        ))),
        false => Ok(text),
    }
}
