//! `host.h`: policies that are checked, compiled and tried without a ledger.

use std::ffi::{c_char, c_int};
use std::mem::MaybeUninit;
use std::path::PathBuf;

use axilog_ledger::error::LedgerError;
use axilog_ledger::input_file::MAX_INPUT_BYTES;
use axilog_ledger::json_report::policy::{policy_check_json, policy_trial_json};
use axilog_ledger::policy_trial::{TrialRules, TrialVerdict, try_answer};
use axilog_ledger::schema::DeclaredSchemas;
use axilog_policyc::{PolicyFileError, PolicySet};

use crate::boundary::{run, run_check};
use crate::error::HostError;
use crate::given_text::{check_length, clear_text, give_json, give_text};
use crate::pointer::{bytes, enum_number, invalid, optional_text};

/// What policies are compiled to.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum axh_policy_form_t {
    /// C99 and C++17 source with a `const ax_policy_registry_t`.
    AXH_POLICY_FORM_C = 0,
    /// Rust source with a `pub static BUILTIN: [Policy; N]`.
    AXH_POLICY_FORM_RUST = 1,
    /// The canonical policy file.
    AXH_POLICY_FORM_JSON = 2,
}

/// Checks a policy file, and gives what it permits, per oracle and path.
///
/// @param policies Policy file in its canonical form, as JSON text, borrowed for the call.
/// @param policies_len Bytes of policies.
/// @param name Name of the policies in the object and in messages, such as their path, NUL-terminated UTF-8; NULL for
///     "policies".
/// @param json Receives the object that `axilog policy check --json` prints, NUL-terminated, which axh_string_free frees;
///     NULL on failure. It overlaps no other argument. NULL where it is not wanted.
/// @return AXH_OK, or one of these codes.
/// @retval AXH_ERR_ARGUMENT policies is NULL, or no good policy file: the text has its line and column.
/// @see SRS-004 §17; formats.md §4
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn axh_policy_check(
    policies: *const c_char,
    policies_len: usize,
    name: *const c_char,
    json: *mut *mut c_char,
) -> c_int {
    // SAFETY: by contract.
    unsafe { clear_text(json) };
    run(|| {
        // SAFETY: by contract.
        let (name, set) = unsafe { read(policies, policies_len, name, PolicySet::parse) }?;
        // SAFETY: by contract.
        unsafe { give_json(json, &policy_check_json(&name, &set)) };
        Ok(())
    })
}

/// Compiles a policy file: to source of a registry, or to its canonical form.
///
/// @param policies Policy file in its canonical form, as JSON text, borrowed for the call.
/// @param policies_len Bytes of policies.
/// @param name Name of the policies in messages, NUL-terminated UTF-8; NULL for "policies".
/// @param form What is written.
/// @param symbol For AXH_POLICY_FORM_C: name of the registry, NUL-terminated; NULL for "axilog_policies".
/// @param text Receives what `axilog policy compile` prints, NUL-terminated, which axh_string_free frees; NULL on
///     failure. It overlaps no other argument.
/// @return AXH_OK, or one of these codes.
/// @retval AXH_ERR_ARGUMENT A pointer is NULL, policies are no good policy file, or symbol is no name that C and C++ take.
/// @see SRS-004 §17; formats.md §4
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn axh_policy_compile(
    policies: *const c_char,
    policies_len: usize,
    name: *const c_char,
    form: MaybeUninit<axh_policy_form_t>,
    symbol: *const c_char,
    text: *mut *mut c_char,
) -> c_int {
    // SAFETY: by contract.
    unsafe { clear_text(text) };
    run(|| {
        if text.is_null() {
            return Err(invalid("text is NULL, expected a pointer that receives it"));
        }
        // SAFETY: by contract.
        let (_, set) = unsafe { read(policies, policies_len, name, PolicySet::parse) }?;
        // SAFETY: by contract.
        let symbol = unsafe { optional_text("symbol", symbol) }?.unwrap_or("axilog_policies");
        let compiled = match enum_number(form) {
            0 => set
                .emit_c(symbol)
                .map_err(|error| invalid(error.to_string()))?,
            1 => set.emit_rust(),
            2 => format!("{}\n", set.to_canonical()),
            number => {
                return Err(invalid(format!(
                    "form is {number}, expected an AXH_POLICY_FORM_ constant"
                )));
            }
        };
        // SAFETY: by contract.
        unsafe { give_text(text, compiled) };
        Ok(())
    })
}

/// Says value by value what policies would decide on an answer, and why, without a ledger.
///
/// @param policies Policy file in its canonical form or in another spelling, as JSON text, borrowed for the call.
/// @param policies_len Bytes of policies.
/// @param name Name of the policies in messages, NUL-terminated UTF-8; NULL for "policies".
/// @param answer Answer, as the oracle gives it, borrowed for the call.
/// @param answer_len Bytes of answer, at most 64 MiB.
/// @param oracle_id Oracle that gives it, NUL-terminated; NULL for each that the policies name, and any other.
/// @param json Receives the object that `axilog policy explain --json` prints, NUL-terminated, which axh_string_free
///     frees; NULL on failure. It overlaps no other argument. NULL where it is not wanted.
/// @return AXH_OK where the answer is permitted every time, AXH_NOT_OK where it is not, or one of these codes.
/// @retval AXH_ERR_ARGUMENT A pointer is NULL, policies are no good policy file, or oracle_id is no identity.
/// @see SRS-004 §17; formats.md §4
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn axh_policy_explain(
    policies: *const c_char,
    policies_len: usize,
    name: *const c_char,
    answer: *const c_char,
    answer_len: usize,
    oracle_id: *const c_char,
    json: *mut *mut c_char,
) -> c_int {
    // SAFETY: by contract.
    unsafe { clear_text(json) };
    run_check(|| {
        // SAFETY: by contract.
        let (_, set) = unsafe { read(policies, policies_len, name, PolicySet::parse_lenient) }?;
        // SAFETY: by contract.
        let (answer, oracle) = unsafe {
            (
                bytes("answer", answer, answer_len)?,
                optional_text("oracle_id", oracle_id)?,
            )
        };
        check_length("answer", answer, MAX_INPUT_BYTES)?;
        let rules = TrialRules::new(set, DeclaredSchemas::default());
        let verdicts =
            try_answer(&rules, answer, oracle).map_err(|error| invalid(error.to_string()))?;
        // SAFETY: by contract.
        unsafe { give_json(json, &policy_trial_json(&verdicts, answer)) };
        Ok(verdicts.iter().all(TrialVerdict::is_permitted))
    })
}

/// Reads policies, and their name.
///
/// # Safety
/// `policies` is as for [`bytes`], `name` as for [`optional_text`].
unsafe fn read(
    policies: *const c_char,
    policies_len: usize,
    name: *const c_char,
    parse: fn(&[u8]) -> Result<PolicySet, PolicyFileError>,
) -> Result<(PathBuf, PolicySet), HostError> {
    // SAFETY: by contract.
    let (policies, name) = unsafe {
        (
            bytes("policies", policies, policies_len)?,
            optional_text("name", name)?,
        )
    };
    let path = PathBuf::from(name.unwrap_or("policies"));
    match parse(policies) {
        Ok(set) => Ok((path, set)),
        Err(source) => Err(LedgerError::InvalidPolicies { path, source }.into()),
    }
}
