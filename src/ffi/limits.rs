//! `limits.h`: sizes (c-abi.md; SRS-004 §25.1).

/// The largest AX:OBS:v1 record in bytes (SRS-004-SHALL-048).
pub const AX_MAX_OBS_BYTES: usize = 65536;
/// Bytes of a SHA-256 digest.
pub const AX_HASH_SIZE: usize = 32;
/// Characters of a digest in hexadecimal, with the NUL.
pub const AX_HASH_HEX_SIZE: usize = 65;
/// The longest oracle_id in bytes.
pub const AX_MAX_ORACLE_ID_BYTES: usize = 256;
/// The longest model_id in bytes.
pub const AX_MAX_MODEL_ID_BYTES: usize = 256;
/// The most policies in a registry.
pub const AX_POLICY_MAX_COUNT: usize = 64;
/// The longest policy_id in bytes.
pub const AX_POLICY_ID_MAX_LEN: usize = 64;
/// A handy buffer size for an output; neither a limit nor a promise, as the limit is on the record.
pub const AX_MAX_OUTPUT_BYTES: usize = AX_MAX_OBS_BYTES - 1024;
/// Room for any record as this library or a deployed gateway writes it.
pub const AX_CANONICAL_BUFFER_SIZE: usize = 2 * AX_MAX_OBS_BYTES;
/// Room for canonical sampling parameters.
pub const AX_PARAMS_BUFFER_SIZE: usize = 256;
/// Room for any AX:POLICY:v1 record and a NUL.
pub const AX_POLICY_RECORD_MAX_BYTES: usize = 224;
/// Room for any AX:TRANS:v1 record and a NUL.
pub const AX_TRANS_RECORD_MAX_BYTES: usize = 192;
/// Room for any AX:PROOF:v1 record of kind RAW.
pub const AX_RAW_RECORD_MAX_BYTES: usize = 160;

// The two sides of the boundary mean the same numbers.
const _: () = {
    assert!(AX_MAX_OBS_BYTES == crate::evidence::observation::MAX_RECORD_BYTES);
    assert!(AX_MAX_ORACLE_ID_BYTES == crate::evidence::observation::MAX_ID_BYTES);
    assert!(AX_MAX_MODEL_ID_BYTES == crate::evidence::observation::MAX_ID_BYTES);
    assert!(AX_POLICY_MAX_COUNT == crate::json::extract::MAX_POLICIES);
    assert!(AX_POLICY_ID_MAX_LEN == crate::policy::MAX_ID_BYTES);
    assert!(AX_POLICY_RECORD_MAX_BYTES == crate::evidence::policy::MAX_POLICY_RECORD_BYTES);
    assert!(AX_TRANS_RECORD_MAX_BYTES == crate::evidence::transition::MAX_TRANSITION_RECORD_BYTES);
    assert!(AX_RAW_RECORD_MAX_BYTES == crate::evidence::proof::MAX_RAW_RECORD_BYTES);
    assert!(AX_CANONICAL_BUFFER_SIZE >= crate::evidence::view::MAX_GATEWAY_RECORD_BYTES);
};
