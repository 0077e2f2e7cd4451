//! `obs.h`: observations and their admission (formats.md §3; SRS-004 §4 to §6).

use core::ffi::{c_char, c_int};
use core::mem::MaybeUninit;

use super::oracle::{
    ax_completion_state_t, ax_failure_type_t, ax_oracle_params_t, completion_of, failure_of,
    load_completion, load_failure,
};
use super::pointer::{Flags, buffer, bytes, c_string, code, enum_value};
use super::types::ct_fault_flags_t;
use crate::admission::{AdmissionOutcome, Answer, InputKind, Limits, admit};
use crate::evidence::observation::{Completion, Failure, MAX_ID_BYTES, Observation, is_valid_id};
use crate::evidence::view::MAX_GATEWAY_RECORD_BYTES;
use crate::fault::{Error, Fault};
use crate::hash::{HexHash, hex, unhex};
use crate::profile::Profile;
use crate::sink::{Buffer, Sink};
use crate::text::Text;

/// The way in which records are written and hashed (formats.md §3, Profiles).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ax_profile_t {
    /// RFC 8785 strings, plain SHA-256.
    AX_PROFILE_RFC8785 = 0,
    /// Control characters as \u00xx, plain SHA-256.
    AX_PROFILE_ORACLE_1_1 = 1,
    /// Control characters as \u00xx, tagged commitment.
    AX_PROFILE_ORACLE_1_2 = 2,
}

pub(super) fn load_profile(raw: MaybeUninit<ax_profile_t>) -> Option<Profile> {
    Profile::ALL
        .get(usize::try_from(enum_value(raw)).ok()?)
        .copied()
}

pub(super) fn profile_of(profile: Profile) -> ax_profile_t {
    match profile {
        Profile::Rfc8785 => ax_profile_t::AX_PROFILE_RFC8785,
        Profile::Oracle1_1 => ax_profile_t::AX_PROFILE_ORACLE_1_1,
        Profile::Oracle1_2 => ax_profile_t::AX_PROFILE_ORACLE_1_2,
    }
}

/// The declared schema of an input (decision D20).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ax_input_kind_t {
    /// Any admissible text.
    AX_INPUT_KIND_TEXT = 0,
    /// Canonical JSON.
    AX_INPUT_KIND_JSON = 1,
}

/// An observation: the fields of an AX:OBS:v1. The struct borrows its strings, all NUL-terminated.
#[repr(C)]
pub struct ax_obs_record_t {
    /// Whether the answer was received in full, in part or not at all.
    pub completion_state: MaybeUninit<ax_completion_state_t>,
    /// The failure of the oracle; AX_FAILURE_NULL where it did not fail.
    pub failure_type: MaybeUninit<ax_failure_type_t>,
    /// SHA-256 of the canonical input.
    pub input_hash: [u8; 32],
    /// Position of the observation in the ledger.
    pub ledger_seq: u64,
    /// Versioned model identity.
    pub model_id: *const c_char,
    /// Hash of the record in lower-case hexadecimal; empty where the record has none.
    pub obs_hash: [c_char; 65],
    /// Identity of the oracle.
    pub oracle_id: *const c_char,
    /// The normalised output, or the prefix of it that fits.
    pub output: *const c_char,
    /// Bytes of the whole normalised answer.
    pub output_size: u64,
    /// Sampling parameters of the call.
    pub params: ax_oracle_params_t,
    /// Schema of the record: AX_OBS_SCHEMA_VERSION.
    pub schema_version: *const c_char,
}

/// One call of an oracle: its input and its raw answer. The struct borrows what it points to.
#[repr(C)]
pub struct ax_obs_input_t {
    /// Completion state as the caller saw it.
    pub completion_state: MaybeUninit<ax_completion_state_t>,
    /// The failure of the oracle; AX_FAILURE_NULL unless completion_state is AX_COMPLETION_ERROR.
    pub failure_type: MaybeUninit<ax_failure_type_t>,
    /// The exact input of the call, not NUL-terminated. NULL where input_len is 0.
    pub input: *const c_char,
    /// Bytes of input.
    pub input_len: usize,
    /// Sequence of the observation, above the last admitted one. ax_agent_observe takes the next one
    /// instead.
    pub ledger_seq: u64,
    /// Versioned model identity, NUL-terminated.
    pub model_id: *const c_char,
    /// Identity of the oracle, NUL-terminated.
    pub oracle_id: *const c_char,
    /// The exact output of the call, not NUL-terminated. NULL where output_len is 0.
    pub output: *const c_char,
    /// Bytes of output.
    pub output_len: usize,
    /// Sampling parameters of the call.
    pub params: ax_oracle_params_t,
    /// The declared schema of the input.
    pub input_kind: MaybeUninit<ax_input_kind_t>,
}

impl ax_obs_input_t {
    /// # Safety
    /// The pointers are NULL or point to what the fields say, for `'a`.
    pub(super) unsafe fn load<'a>(&self) -> Result<Answer<'a>, Error> {
        // SAFETY: by contract.
        let (input, output, model_id, oracle_id) = unsafe {
            (
                bytes(self.input.cast(), self.input_len),
                bytes(self.output.cast(), self.output_len),
                c_string(self.model_id, MAX_ID_BYTES),
                c_string(self.oracle_id, MAX_ID_BYTES),
            )
        };
        let input_kind = match enum_value(self.input_kind) {
            0 => InputKind::Text,
            1 => InputKind::Json,
            _ => return Err(Error::Schema),
        };
        Ok(Answer {
            completion: load_completion(self.completion_state).ok_or(Error::Schema)?,
            failure: load_failure(self.failure_type).ok_or(Error::Schema)?,
            input: input.ok_or(Error::Protocol)?,
            input_kind,
            ledger_seq: self.ledger_seq,
            model_id: model_id.ok_or(Error::Protocol)?,
            oracle_id: oracle_id.ok_or(Error::Protocol)?,
            output: output.ok_or(Error::Protocol)?,
            params: self.params.load(),
        })
    }

    /// Whether it is an answer that the caller refuses: an INVALID_OUTPUT that has its bytes with it.
    pub(super) fn is_refused(&self) -> bool {
        load_completion(self.completion_state) == Some(Completion::Error)
            && load_failure(self.failure_type) == Some(Some(Failure::InvalidOutput))
            && !self.output.is_null()
    }
}

/// The state of one admission sequence.
#[repr(C)]
pub struct ax_admission_ctx_t {
    /// Sequence of the last admitted observation.
    pub last_ledger_seq: u64,
    /// 1 once an observation was admitted, else 0.
    pub initialized: c_int,
    /// Profile under which obs_hash is computed and records are measured.
    pub profile: MaybeUninit<ax_profile_t>,
    /// Cap on the raw output in bytes, above which the observation is TRUNCATED and output_size is
    /// the raw length; 0: no cap.
    pub max_output_bytes: u32,
    /// 1 where U+007F counts as a forbidden control character, else 0.
    pub reject_del: u8,
}

/// Makes a record read ERROR / INVALID_OUTPUT, without a hash and with empty strings, so that
/// nobody takes it for an admitted one.
///
/// @param record Record to overwrite, owned by the caller. NULL: the call does nothing.
/// @see SRS-004 §25.3; formats.md §3
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_obs_init")]
pub unsafe extern "C" fn ax_obs_init(record: *mut ax_obs_record_t) {
    if !record.is_null() {
        // SAFETY: not NULL, writable by contract.
        unsafe { record.write(EMPTY) }
    }
}

const EMPTY: ax_obs_record_t = ax_obs_record_t {
    completion_state: MaybeUninit::new(ax_completion_state_t::AX_COMPLETION_ERROR),
    failure_type: MaybeUninit::new(ax_failure_type_t::AX_FAILURE_INVALID_OUTPUT),
    input_hash: [0; 32],
    ledger_seq: 0,
    model_id: c"".as_ptr(),
    obs_hash: [0; 65],
    oracle_id: c"".as_ptr(),
    output: c"".as_ptr(),
    output_size: 0,
    params: ax_oracle_params_t::NULL,
    schema_version: c"AX:OBS:v1".as_ptr(),
};

/// Admits an oracle's answer: checks and normalises it, and fills an observation record.
///
/// An inadmissible input or output still gives a record, ERROR / INVALID_OUTPUT, which must be
/// committed (AX_ERR_ENCODING). With any other error nothing is admitted: out then reads as after
/// ax_obs_init and output_buf is untouched. No two arguments overlap.
///
/// @param out Receives the record, which borrows output_buf and the identities of in.
/// @param output_buf Receives the normalised output, cut where the record would be too long, and a
///     NUL.
/// @param output_buf_size Bytes of room in output_buf.
/// @param in Answer to admit, borrowed for the call; its two identities must outlive out.
/// @param ctx Admission context, made by ax_admission_ctx_init; its last sequence moves to that of
///     in.
/// @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
///     does nothing and returns AX_ERR_PROTOCOL.
/// @return AX_OK, where the output had to be cut with the flag size; else one of these codes.
/// @retval AX_ERR_ENCODING The input or the output is not admissible (flag encoding); out is to be
///     committed.
/// @retval AX_ERR_PROTOCOL A pointer is NULL, or the context's profile is not one (flag domain).
/// @retval AX_ERR_ORDERING The sequence does not exceed the last admitted one (flags ordering and
///     protocol).
/// @retval AX_ERR_SCHEMA An identity, a parameter or a state breaks the schema (flag schema).
/// @retval AX_ERR_BUFFER output_buf is too small, or no record can hold the identities.
/// @see SRS-004 §4 to §6; formats.md §3 (Admission)
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_obs_admit")]
pub unsafe extern "C" fn ax_obs_admit(
    out: *mut ax_obs_record_t,
    output_buf: *mut c_char,
    output_buf_size: usize,
    r#in: *const ax_obs_input_t,
    ctx: *mut ax_admission_ctx_t,
    faults: *mut ct_fault_flags_t,
) -> c_int {
    // SAFETY: by contract.
    let Some(flags) = (unsafe { Flags::new(faults) }) else {
        return Error::Protocol.code();
    };
    // SAFETY: by contract.
    unsafe { ax_obs_init(out) };
    // SAFETY: by contract.
    let (Some(out), Some(room), Some(input), Some(ctx)) = (unsafe {
        (
            out.as_mut(),
            buffer(output_buf.cast(), output_buf_size),
            r#in.as_ref(),
            ctx.as_mut(),
        )
    }) else {
        return flags.null();
    };
    let Some(profile) = load_profile(ctx.profile) else {
        return flags.null();
    };
    let limits = Limits {
        profile,
        max_output: (ctx.max_output_bytes > 0)
            .then(|| usize::try_from(ctx.max_output_bytes).unwrap_or(usize::MAX)),
        reject_del: ctx.reject_del != 0,
        ..Limits::DEFAULT
    };
    let last = (ctx.initialized != 0).then_some(ctx.last_ledger_seq);
    // SAFETY: the strings of `in` are valid by contract.
    let admission = unsafe { input.load() }.and_then(|answer| admit(&answer, last, &limits));
    let (observation, admitted) = match admission {
        Ok(admission) => admission,
        Err(error) => {
            match error {
                Error::Protocol => flags.set(Fault::Domain),
                Error::Schema => flags.set(Fault::Schema),
                Error::Ordering => {
                    flags.set(Fault::Ordering);
                    flags.set(Fault::Protocol);
                }
                _ => {}
            }
            return error.code();
        }
    };
    let Some((text, [nul, ..])) = room.split_at_mut_checked(observation.output.len()) else {
        return Error::Buffer.code();
    };
    let mut text = Buffer::new(text);
    observation.output.runs().for_each(|run| text.put(run));
    *nul = 0;

    *out = ax_obs_record_t {
        completion_state: completion_of(observation.completion),
        failure_type: failure_of(observation.failure),
        input_hash: observation.input_hash,
        ledger_seq: observation.ledger_seq,
        model_id: input.model_id,
        obs_hash: hex_string(&hex(&observation.obs_hash(profile))),
        oracle_id: input.oracle_id,
        output: output_buf,
        output_size: observation.output_size,
        params: ax_oracle_params_t::of(&observation.params),
        schema_version: EMPTY.schema_version,
    };
    ctx.last_ledger_seq = observation.ledger_seq;
    ctx.initialized = 1;
    match admitted {
        AdmissionOutcome::AsGiven => 0,
        AdmissionOutcome::Cut => {
            flags.set(Fault::Size);
            0
        }
        AdmissionOutcome::Invalid => {
            flags.set(Fault::Encoding);
            Error::Encoding.code()
        }
    }
}

/// Checks a filled record: its states, identities, parameters, schema_version, text and
/// output_size, and that obs_hash is the record's hash under one of the profiles.
///
/// The check hashes as it writes and needs no large buffer on the stack.
///
/// @param obs Record to check, borrowed for the call, with NUL-terminated strings.
/// @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
///     does nothing and returns AX_ERR_PROTOCOL.
/// @return AX_OK, or one of these codes.
/// @retval AX_ERR_SCHEMA A field breaks the schema (flag schema).
/// @retval AX_ERR_ENCODING The output is not admissible text (flag encoding).
/// @retval AX_ERR_SIZE The record is longer than AX_MAX_OBS_BYTES (flag size).
/// @retval AX_ERR_HASH obs_hash is not the record's under any profile (flag protocol).
/// @retval AX_ERR_PROTOCOL obs or one of its strings is NULL (flag domain).
/// @see SRS-004 §5.8 and §5.9; formats.md §3
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_obs_validate")]
pub unsafe extern "C" fn ax_obs_validate(
    obs: *const ax_obs_record_t,
    faults: *mut ct_fault_flags_t,
) -> c_int {
    // SAFETY: by contract.
    let Some(flags) = (unsafe { Flags::new(faults) }) else {
        return Error::Protocol.code();
    };
    // SAFETY: by contract.
    let Some(record) = (unsafe { obs.as_ref() }) else {
        return flags.null();
    };
    // SAFETY: by contract.
    let result = unsafe { load_record(record) }.and_then(|observation| {
        // SAFETY: by contract; 10 characters and a NUL are as far as it is read.
        let version = unsafe { c_string(record.schema_version, 10) };
        if version != Some(b"AX:OBS:v1".as_slice()) {
            return Err(Error::Schema);
        }
        let digits = hex_digits(&record.obs_hash).and_then(|digits| unhex(&digits));
        observation.verify(digits.as_ref()).map(|_| ())
    });
    if let Err(error) = result {
        flags.set(match error {
            Error::Encoding => Fault::Encoding,
            Error::Hash => Fault::Protocol,
            Error::Size => Fault::Size,
            Error::Protocol => Fault::Domain,
            _ => Fault::Schema,
        });
    }
    code(result)
}

/// A record from C as the core has it, with everything in it that can be written canonically.
///
/// # Safety
/// The record's pointers are NULL or NUL-terminated strings that outlive `'a`.
pub(super) unsafe fn load_record<'a>(record: &ax_obs_record_t) -> Result<Observation<'a>, Error> {
    // SAFETY: forwarded.
    unsafe { load_record_of(record, |output| Text::check(output, false)) }
}

/// The same, with the output checked by `check`.
///
/// # Safety
/// As for [`load_record`].
pub(super) unsafe fn load_record_of<'a>(
    record: &ax_obs_record_t,
    check: impl Fn(&'a [u8]) -> Result<Text<'a>, Error>,
) -> Result<Observation<'a>, Error> {
    // SAFETY: by contract.
    let (model_id, oracle_id, output) = unsafe {
        (
            c_string(record.model_id, MAX_ID_BYTES),
            c_string(record.oracle_id, MAX_ID_BYTES),
            c_string(record.output, MAX_GATEWAY_RECORD_BYTES),
        )
    };
    let (Some(model_id), Some(oracle_id), Some(output)) = (model_id, oracle_id, output) else {
        return Err(Error::Protocol);
    };
    let params = record.params.load();
    if !is_valid_id(model_id) || !is_valid_id(oracle_id) || !params.is_valid() {
        return Err(Error::Schema);
    }
    if output.len() > MAX_GATEWAY_RECORD_BYTES {
        return Err(Error::Size);
    }
    if output.contains(&b'\r') {
        return Err(Error::Encoding);
    }
    Ok(Observation {
        completion: load_completion(record.completion_state).ok_or(Error::Schema)?,
        failure: load_failure(record.failure_type).ok_or(Error::Schema)?,
        input_hash: record.input_hash,
        ledger_seq: record.ledger_seq,
        model_id,
        oracle_id,
        output: check(output)?,
        output_size: record.output_size,
        params,
    })
}

/// 64 digits as a C string.
pub(super) fn hex_string(digits: &HexHash) -> [c_char; 65] {
    let mut text = [0; 65];
    for (to, &from) in text.iter_mut().zip(digits) {
        *to = c_char::from_ne_bytes([from]);
    }
    text
}

/// The 64 characters of a C string that has exactly so many.
pub(super) fn hex_digits(text: &[c_char; 65]) -> Option<HexHash> {
    let mut digits = [0u8; 64];
    for (to, &from) in digits.iter_mut().zip(text) {
        [*to] = from.to_ne_bytes();
    }
    (text.last() == Some(&0) && !digits.contains(&0)).then_some(digits)
}
