/**
 * Sizes (SRS-004 section 25.1).
 *
 * Generated from src/ffi/ by `cargo xtask headers`; not to be edited.
 */

#ifndef AXILOG_LIMITS_H
#define AXILOG_LIMITS_H

/**
 * The largest AX:OBS:v1 record in bytes (SRS-004-SHALL-048).
 */
#define AX_MAX_OBS_BYTES 65536

/**
 * Bytes of a SHA-256 digest.
 */
#define AX_HASH_SIZE 32

/**
 * Characters of a digest in hexadecimal, with the NUL.
 */
#define AX_HASH_HEX_SIZE 65

/**
 * The longest oracle_id in bytes.
 */
#define AX_MAX_ORACLE_ID_BYTES 256

/**
 * The longest model_id in bytes.
 */
#define AX_MAX_MODEL_ID_BYTES 256

/**
 * The most policies in a registry.
 */
#define AX_POLICY_MAX_COUNT 64

/**
 * The longest policy_id in bytes.
 */
#define AX_POLICY_ID_MAX_LEN 64

/**
 * A handy buffer size for an output; neither a limit nor a promise, as the limit is on the record.
 */
#define AX_MAX_OUTPUT_BYTES (AX_MAX_OBS_BYTES - 1024)

/**
 * Room for any record as this library or a deployed gateway writes it.
 */
#define AX_CANONICAL_BUFFER_SIZE (2 * AX_MAX_OBS_BYTES)

/**
 * Room for canonical sampling parameters.
 */
#define AX_PARAMS_BUFFER_SIZE 256

/**
 * Room for any AX:POLICY:v1 record and a NUL.
 */
#define AX_POLICY_RECORD_MAX_BYTES 224

/**
 * Room for any AX:TRANS:v1 record and a NUL.
 */
#define AX_TRANS_RECORD_MAX_BYTES 192

/**
 * Room for any AX:PROOF:v1 record of kind RAW.
 */
#define AX_RAW_RECORD_MAX_BYTES 160

#endif /* AXILOG_LIMITS_H */
