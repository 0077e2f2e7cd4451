/**
 * Observations: admission, validation, reading (SRS-004 sections 4 to 6).
 *
 * Generated from src/ffi/ by `cargo xtask headers`; not to be edited.
 */

#ifndef AXILOG_OBS_H
#define AXILOG_OBS_H

#include "axilog/oracle.h"

/**
 * The declared schema of an input (decision D20).
 */
typedef enum ax_input_kind_t {
    /**
     * Any admissible text.
     */
    AX_INPUT_KIND_TEXT = 0,
    /**
     * Canonical JSON.
     */
    AX_INPUT_KIND_JSON = 1,
} ax_input_kind_t;

/**
 * How records are written (formats.md §3, Profiles).
 */
typedef enum ax_profile_t {
    /**
     * RFC 8785 strings, plain SHA-256.
     */
    AX_PROFILE_RFC8785 = 0,
    /**
     * Control characters as \u00xx, plain SHA-256.
     */
    AX_PROFILE_ORACLE_1_1 = 1,
    /**
     * Control characters as \u00xx, tagged commitment.
     */
    AX_PROFILE_ORACLE_1_2 = 2,
} ax_profile_t;

/**
 * An observation. Every string is NUL-terminated; the struct borrows them all.
 */
typedef struct ax_obs_record_t {
    /**
     * Whether the answer is whole.
     */
    ax_completion_state_t completion_state;
    /**
     * How the oracle failed, if it did.
     */
    ax_failure_type_t failure_type;
    /**
     * SHA-256 of the canonical input.
     */
    uint8_t input_hash[32];
    /**
     * Position in the ledger.
     */
    uint64_t ledger_seq;
    /**
     * Versioned model identity.
     */
    const char *model_id;
    /**
     * The record's hash in lower-case hexadecimal; empty where it has none.
     */
    char obs_hash[65];
    /**
     * Identity of the oracle.
     */
    const char *oracle_id;
    /**
     * The normalised output, or the prefix of it that fits.
     */
    const char *output;
    /**
     * Bytes of the whole answer.
     */
    uint64_t output_size;
    /**
     * Sampling parameters.
     */
    ax_oracle_params_t params;
    /**
     * AX_OBS_SCHEMA_VERSION.
     */
    const char *schema_version;
} ax_obs_record_t;

/**
 * What came back from one call of an oracle. The struct borrows what it points to.
 */
typedef struct ax_obs_input_t {
    /**
     * As the caller saw it.
     */
    ax_completion_state_t completion_state;
    /**
     * AX_FAILURE_NULL unless the completion state is AX_COMPLETION_ERROR.
     */
    ax_failure_type_t failure_type;
    /**
     * The exact input of the call, not NUL-terminated. NULL where input_len is 0.
     */
    const char *input;
    /**
     * Bytes of input.
     */
    size_t input_len;
    /**
     * Must exceed the last admitted one. ax_agent_observe ignores it and takes the next.
     */
    uint64_t ledger_seq;
    /**
     * Versioned model identity, NUL-terminated.
     */
    const char *model_id;
    /**
     * Identity of the oracle, NUL-terminated.
     */
    const char *oracle_id;
    /**
     * The exact output of the call, not NUL-terminated. NULL where output_len is 0.
     */
    const char *output;
    /**
     * Bytes of output.
     */
    size_t output_len;
    /**
     * Sampling parameters of the call.
     */
    ax_oracle_params_t params;
    /**
     * The declared schema of the input.
     */
    enum ax_input_kind_t input_kind;
} ax_obs_input_t;

/**
 * The state of one admission sequence.
 */
typedef struct ax_admission_ctx_t {
    /**
     * The last admitted sequence.
     */
    uint64_t last_ledger_seq;
    /**
     * 1 from the first admitted observation on.
     */
    int initialized;
    /**
     * How obs_hash is computed and records are measured.
     */
    enum ax_profile_t profile;
    /**
     * 0: none; else a cap on the raw output, above which the observation is TRUNCATED and
     * output_size the raw length.
     */
    uint32_t max_output_bytes;
    /**
     * 1: U+007F counts as a forbidden control character.
     */
    uint8_t reject_del;
} ax_admission_ctx_t;

/**
 * A verified record. Every pointer borrows from the record; strings are as escaped there and not
 * NUL-terminated.
 */
typedef struct ax_obs_view_t {
    /**
     * Whether the answer is whole.
     */
    ax_completion_state_t completion_state;
    /**
     * How the oracle failed, if it did.
     */
    ax_failure_type_t failure_type;
    /**
     * SHA-256 of the canonical input.
     */
    uint8_t input_hash[32];
    /**
     * Position in the ledger.
     */
    uint64_t ledger_seq;
    /**
     * Sampling parameters.
     */
    ax_oracle_params_t params;
    /**
     * The record's hash in lower-case hexadecimal.
     */
    char obs_hash[65];
    /**
     * Bytes of the whole answer.
     */
    uint64_t output_size;
    /**
     * As escaped in the record.
     */
    const char *model_id;
    /**
     * Bytes of model_id.
     */
    size_t model_id_len;
    /**
     * As escaped in the record.
     */
    const char *oracle_id;
    /**
     * Bytes of oracle_id.
     */
    size_t oracle_id_len;
    /**
     * As escaped in the record; ax_obs_output unescapes it.
     */
    const char *output;
    /**
     * Bytes of output.
     */
    size_t output_len;
    /**
     * 1 where only a deployed gateway can have written the record: over AX_MAX_OBS_BYTES, or an
     * error that kept its output. Never 1 under profile 0.
     */
    uint8_t gateway;
} ax_obs_view_t;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Makes record read ERROR / INVALID_OUTPUT without a hash and with empty strings, so that nobody
 * takes it for an admitted one. A NULL record is left alone.
 *
 * Safety:
 * record is NULL or writable.
 */
void ax_obs_init(struct ax_obs_record_t *record);

/**
 * Admits an oracle's answer (formats.md §3, Admission).
 *
 * Fills out, and output_buf with the normalised (perhaps cut) output and a NUL; out borrows
 * output_buf and the identities of in. The context's last sequence moves.
 *
 * Returns AX_OK, with the flag size where the answer had to be cut; AX_ERR_ENCODING with the flag
 * encoding where input or answer are not admissible, and out is the ERROR / INVALID_OUTPUT
 * observation, which must be committed. With any other code nothing is admitted, out reads as after
 * ax_obs_init and output_buf is untouched: AX_ERR_PROTOCOL (NULL or inconsistent pointers, or a
 * profile that is not one; flag domain), AX_ERR_ORDERING (flags ordering, protocol), AX_ERR_SCHEMA
 * (flag schema), AX_ERR_BUFFER (output_buf too small, or identities too long for any record).
 *
 * Safety:
 * Every pointer is NULL or points to what its type says; output_buf to output_buf_size bytes. No
 * two of them overlap.
 */
int ax_obs_admit(struct ax_obs_record_t *out,
                 char *output_buf,
                 size_t output_buf_size,
                 const struct ax_obs_input_t *in,
                 struct ax_admission_ctx_t *ctx,
                 ct_fault_flags_t *faults);

/**
 * Checks a filled record: states, identities, parameters, schema_version, text, output_size, and
 * that obs_hash is the record's under one of the profiles. Uses no large buffer.
 *
 * Returns AX_OK, AX_ERR_SCHEMA (flag schema), AX_ERR_ENCODING (flag encoding), AX_ERR_SIZE for a
 * record longer than AX_MAX_OBS_BYTES (flag size), AX_ERR_HASH (flag protocol), or AX_ERR_PROTOCOL
 * for a NULL (flag domain).
 *
 * Safety:
 * obs is NULL or a record whose pointers are NULL or NUL-terminated strings.
 */
int ax_obs_validate(const struct ax_obs_record_t *obs, ct_fault_flags_t *faults);

/**
 * Makes in a text input with everything else absent; NULL is left alone.
 *
 * Safety:
 * in is NULL or writable.
 */
void ax_obs_input_init(struct ax_obs_input_t *in);

/**
 * Fills in with a whole answer. params may be NULL for none; nothing is copied.
 *
 * Safety:
 * in is NULL or writable; the other pointers are kept and must outlive it.
 */
void ax_obs_input_set_complete(struct ax_obs_input_t *in,
                               uint64_t ledger_seq,
                               const char *oracle_id,
                               const char *model_id,
                               const char *input,
                               size_t input_len,
                               const char *output,
                               size_t output_len,
                               const ax_oracle_params_t *params);

/**
 * Fills in with a call that was not answered in time.
 *
 * Safety:
 * As for ax_obs_input_set_complete.
 */
void ax_obs_input_set_timeout(struct ax_obs_input_t *in,
                              uint64_t ledger_seq,
                              const char *oracle_id,
                              const char *model_id,
                              const char *input,
                              size_t input_len);

/**
 * Fills in with a call that the network or the protocol failed.
 *
 * Safety:
 * As for ax_obs_input_set_complete.
 */
void ax_obs_input_set_transport_error(struct ax_obs_input_t *in,
                                      uint64_t ledger_seq,
                                      const char *oracle_id,
                                      const char *model_id,
                                      const char *input,
                                      size_t input_len);

/**
 * Fills in with an answer that the caller found invalid. output is dropped: an ERROR has none.
 *
 * Safety:
 * As for ax_obs_input_set_complete; output is not read.
 */
void ax_obs_input_set_invalid_output(struct ax_obs_input_t *in,
                                     uint64_t ledger_seq,
                                     const char *oracle_id,
                                     const char *model_id,
                                     const char *input,
                                     size_t input_len,
                                     const char *output,
                                     size_t output_len);

/**
 * Reads a record: exactly the canonical bytes of one of the profiles with a matching obs_hash.
 *
 * Fills out, and found (which may be NULL) with the profile. Returns AX_OK, AX_ERR_SIZE for a
 * record longer than its profile allows (flag size), AX_ERR_ENCODING (flag encoding), AX_ERR_HASH
 * (flag protocol), AX_ERR_SCHEMA for anything else (flag schema), or AX_ERR_PROTOCOL for a NULL
 * (flag domain). On failure out and found are untouched.
 *
 * Safety:
 * record points to len readable bytes, which must outlive out; the others are NULL or writable.
 */
int ax_obs_parse(struct ax_obs_view_t *out,
                 const uint8_t *record,
                 size_t len,
                 enum ax_profile_t *found,
                 ct_fault_flags_t *faults);

/**
 * Unescapes the output of a view into dst and ends it with a NUL.
 *
 * Returns the bytes written without the NUL, AX_ERR_BUFFER where they do not fit (view->output_len
 * bytes and one always do), or AX_ERR_PROTOCOL for a NULL. On failure dst is untouched.
 *
 * Safety:
 * view is NULL or came from ax_obs_parse, its record still there; dst points to dst_size bytes.
 */
int ax_obs_output(const struct ax_obs_view_t *view, char *dst, size_t dst_size);

/**
 * SHA-256 of the 64 hexadecimal digits of prev->obs_hash followed by len derivation bytes
 * (SRS-004 §10.1). Zeroes hash where prev is NULL or has no hash, or derivation is NULL and len is
 * above 0. A NULL hash does nothing.
 *
 * Safety:
 * hash is NULL or 32 writable bytes; prev is NULL or readable; derivation points to len bytes.
 */
void ax_compute_derivation_hash(uint8_t hash[32],
                                const struct ax_obs_record_t *prev,
                                const char *derivation,
                                size_t len);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#ifdef __cplusplus
extern "C" {
#endif

/** Makes a context that has admitted nothing: profile 0, no cap, U+007F allowed. NULL is left alone. */
static inline void ax_admission_ctx_init(ax_admission_ctx_t *ctx)
{
    if (ctx != NULL) {
        ctx->last_ledger_seq = 0;
        ctx->initialized = 0;
        ctx->profile = AX_PROFILE_RFC8785;
        ctx->max_output_bytes = 0;
        ctx->reject_del = 0;
    }
}

#ifdef __cplusplus
}
#endif

#endif /* AXILOG_OBS_H */
