/**
 * Observations: admission, validation, reading (SRS-004 sections 4 to 6).
 *
 * Generated from src/ffi/ by `cargo xtask headers`; not to be edited.
 */

#ifndef AXILOG_OBS_H
#define AXILOG_OBS_H

#include "axilog/oracle.h"

/* An object that was compiled against the deployed C libraries has shorter structs, and must not link.
 * It asks for these functions by their names (docs/rigs.md). */
#ifndef ax_obs_admit
#define ax_obs_admit ax_obs_admit_v2
#endif
#ifndef ax_obs_input_init
#define ax_obs_input_init ax_obs_input_init_v2
#endif
#ifndef ax_obs_input_set_complete
#define ax_obs_input_set_complete ax_obs_input_set_complete_v2
#endif
#ifndef ax_obs_input_set_invalid_output
#define ax_obs_input_set_invalid_output ax_obs_input_set_invalid_output_v2
#endif
#ifndef ax_obs_input_set_timeout
#define ax_obs_input_set_timeout ax_obs_input_set_timeout_v2
#endif
#ifndef ax_obs_input_set_transport_error
#define ax_obs_input_set_transport_error ax_obs_input_set_transport_error_v2
#endif
#ifndef ax_obs_validate
#define ax_obs_validate ax_obs_validate_v2
#endif

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
 * The way in which records are written and hashed (formats.md §3, Profiles).
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
 * An observation: the fields of an AX:OBS:v1. The struct borrows its strings, all NUL-terminated.
 */
typedef struct ax_obs_record_t {
    /**
     * Whether the answer was received in full, in part or not at all.
     */
    ax_completion_state_t completion_state;
    /**
     * The failure of the oracle; AX_FAILURE_NULL where it did not fail.
     */
    ax_failure_type_t failure_type;
    /**
     * SHA-256 of the canonical input.
     */
    uint8_t input_hash[32];
    /**
     * Position of the observation in the ledger.
     */
    uint64_t ledger_seq;
    /**
     * Versioned model identity.
     */
    const char *model_id;
    /**
     * Hash of the record in lower-case hexadecimal; empty where the record has none.
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
     * Bytes of the whole normalised answer.
     */
    uint64_t output_size;
    /**
     * Sampling parameters of the call.
     */
    ax_oracle_params_t params;
    /**
     * Schema of the record: AX_OBS_SCHEMA_VERSION.
     */
    const char *schema_version;
} ax_obs_record_t;

/**
 * One call of an oracle: its input and its raw answer. The struct borrows what it points to.
 */
typedef struct ax_obs_input_t {
    /**
     * Completion state as the caller saw it.
     */
    ax_completion_state_t completion_state;
    /**
     * The failure of the oracle; AX_FAILURE_NULL unless completion_state is AX_COMPLETION_ERROR.
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
     * Sequence of the observation, above the last admitted one. ax_agent_observe takes the next one
     * instead.
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
     * Sequence of the last admitted observation.
     */
    uint64_t last_ledger_seq;
    /**
     * 1 once an observation was admitted, else 0.
     */
    int initialized;
    /**
     * Profile under which obs_hash is computed and records are measured.
     */
    enum ax_profile_t profile;
    /**
     * Cap on the raw output in bytes, above which the observation is TRUNCATED and output_size is
     * the raw length; 0: no cap.
     */
    uint32_t max_output_bytes;
    /**
     * 1 where U+007F counts as a forbidden control character, else 0.
     */
    uint8_t reject_del;
} ax_admission_ctx_t;

/**
 * A verified record. The view borrows its strings from the record, as escaped there and not
 * NUL-terminated.
 */
typedef struct ax_obs_view_t {
    /**
     * Whether the answer was received in full, in part or not at all.
     */
    ax_completion_state_t completion_state;
    /**
     * The failure of the oracle; AX_FAILURE_NULL where it did not fail.
     */
    ax_failure_type_t failure_type;
    /**
     * SHA-256 of the canonical input.
     */
    uint8_t input_hash[32];
    /**
     * Position of the observation in the ledger.
     */
    uint64_t ledger_seq;
    /**
     * Sampling parameters of the call.
     */
    ax_oracle_params_t params;
    /**
     * Hash of the record in lower-case hexadecimal.
     */
    char obs_hash[65];
    /**
     * Bytes of the whole normalised answer.
     */
    uint64_t output_size;
    /**
     * Versioned model identity, as escaped in the record.
     */
    const char *model_id;
    /**
     * Bytes of model_id.
     */
    size_t model_id_len;
    /**
     * Identity of the oracle, as escaped in the record.
     */
    const char *oracle_id;
    /**
     * Bytes of oracle_id.
     */
    size_t oracle_id_len;
    /**
     * Output, as escaped in the record; ax_obs_output unescapes it.
     */
    const char *output;
    /**
     * Bytes of output.
     */
    size_t output_len;
    /**
     * 1 where only a deployed gateway can have written the record, which is then longer than
     * AX_MAX_OBS_BYTES or an error with an output; else 0, as always under profile 0.
     */
    uint8_t gateway;
} ax_obs_view_t;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Makes a record read ERROR / INVALID_OUTPUT, without a hash and with empty strings, so that
 * nobody takes it for an admitted one.
 *
 * @param record Record to overwrite, owned by the caller. NULL: the call does nothing.
 * @see SRS-004 §25.3; formats.md §3
 */
void ax_obs_init(struct ax_obs_record_t *record);

/**
 * Admits an oracle's answer: checks and normalises it, and fills an observation record.
 *
 * An inadmissible input or output still gives a record, ERROR / INVALID_OUTPUT, which must be
 * committed (AX_ERR_ENCODING). With any other error nothing is admitted: out then reads as after
 * ax_obs_init and output_buf is untouched. No two arguments overlap.
 *
 * @param out Receives the record, which borrows output_buf and the identities of in.
 * @param output_buf Receives the normalised output, cut where the record would be too long, and a
 *     NUL.
 * @param output_buf_size Bytes of room in output_buf.
 * @param in Answer to admit, borrowed for the call; its two identities must outlive out.
 * @param ctx Admission context, made by ax_admission_ctx_init; its last sequence moves to that of
 *     in.
 * @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
 *     does nothing and returns AX_ERR_PROTOCOL.
 * @return AX_OK, where the output had to be cut with the flag size; else one of these codes.
 * @retval AX_ERR_ENCODING The input or the output is not admissible (flag encoding); out is to be
 *     committed.
 * @retval AX_ERR_PROTOCOL A pointer is NULL, or the context's profile is not one (flag domain).
 * @retval AX_ERR_ORDERING The sequence does not exceed the last admitted one (flags ordering and
 *     protocol).
 * @retval AX_ERR_SCHEMA An identity, a parameter or a state breaks the schema (flag schema).
 * @retval AX_ERR_BUFFER output_buf is too small, or no record can hold the identities.
 * @see SRS-004 §4 to §6; formats.md §3 (Admission)
 */
int ax_obs_admit(struct ax_obs_record_t *out,
                 char *output_buf,
                 size_t output_buf_size,
                 const struct ax_obs_input_t *in,
                 struct ax_admission_ctx_t *ctx,
                 ct_fault_flags_t *faults);

/**
 * Checks a filled record: its states, identities, parameters, schema_version, text and
 * output_size, and that obs_hash is the record's hash under one of the profiles.
 *
 * The check hashes as it writes and needs no large buffer on the stack.
 *
 * @param obs Record to check, borrowed for the call, with NUL-terminated strings.
 * @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
 *     does nothing and returns AX_ERR_PROTOCOL.
 * @return AX_OK, or one of these codes.
 * @retval AX_ERR_SCHEMA A field breaks the schema (flag schema).
 * @retval AX_ERR_ENCODING The output is not admissible text (flag encoding).
 * @retval AX_ERR_SIZE The record is longer than AX_MAX_OBS_BYTES (flag size).
 * @retval AX_ERR_HASH obs_hash is not the record's under any profile (flag protocol).
 * @retval AX_ERR_PROTOCOL obs or one of its strings is NULL (flag domain).
 * @see SRS-004 §5.8 and §5.9; formats.md §3
 */
int ax_obs_validate(const struct ax_obs_record_t *obs, ct_fault_flags_t *faults);

/**
 * Makes an input a text call with an empty input and output and without identities.
 *
 * @param in Input to overwrite, owned by the caller. NULL: the call does nothing.
 * @see SRS-004 §25.3; formats.md §3
 */
void ax_obs_input_init(struct ax_obs_input_t *in);

/**
 * Describes a call that the oracle answered in full.
 *
 * The function sets every field of in and copies nothing but the numbers.
 *
 * @param in Input to overwrite, owned by the caller. NULL: the call does nothing.
 * @param ledger_seq Sequence of the observation, above the last admitted one; ax_agent_observe
 *     ignores it.
 * @param oracle_id NUL-terminated identity of the oracle, 1 to 256 bytes; kept, and must outlive
 *     in.
 * @param model_id NUL-terminated, versioned identity of the model, 1 to 256 bytes; kept, and must
 *     outlive in.
 * @param input Exact input of the call, not NUL-terminated; kept, and must outlive in. NULL where
 *     input_len is 0.
 * @param input_len Bytes of input.
 * @param output Exact output of the call, not NUL-terminated; kept, and must outlive in. NULL
 *     where output_len is 0.
 * @param output_len Bytes of output.
 * @param params Sampling parameters of the call, copied; NULL stands for none.
 * @see SRS-004 §6.1 and §25.3; formats.md §3
 *
 * @par Example
 * @code{.c}
 * const char *prompt = "How fast?";
 * const char *answer = "{\"value\": 40}";
 * ax_obs_input_t input;
 *
 * ax_obs_input_set_complete(&input, 0, "llm", "model-1", prompt, strlen(prompt), answer,
 *                           strlen(answer), NULL);
 * assert(input.completion_state == AX_COMPLETION_COMPLETE);
 * assert(input.output == answer && input.output_len == 13);
 * @endcode
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
 * Describes a call that the oracle did not answer in time: an ERROR / TIMEOUT without an output.
 *
 * The function sets every field of in and copies nothing but the numbers.
 *
 * @param in Input to overwrite, owned by the caller. NULL: the call does nothing.
 * @param ledger_seq Sequence of the observation, above the last admitted one; ax_agent_observe
 *     ignores it.
 * @param oracle_id NUL-terminated identity of the oracle, 1 to 256 bytes; kept, and must outlive
 *     in.
 * @param model_id NUL-terminated, versioned identity of the model, 1 to 256 bytes; kept, and must
 *     outlive in.
 * @param input Exact input of the call, not NUL-terminated; kept, and must outlive in. NULL where
 *     input_len is 0.
 * @param input_len Bytes of input.
 * @see SRS-004 §15.3; formats.md §3
 */
void ax_obs_input_set_timeout(struct ax_obs_input_t *in,
                              uint64_t ledger_seq,
                              const char *oracle_id,
                              const char *model_id,
                              const char *input,
                              size_t input_len);

/**
 * Describes a call that failed on the network or in the protocol: an ERROR / TRANSPORT_ERROR
 * without an output.
 *
 * The function sets every field of in and copies nothing but the numbers.
 *
 * @param in Input to overwrite, owned by the caller. NULL: the call does nothing.
 * @param ledger_seq Sequence of the observation, above the last admitted one; ax_agent_observe
 *     ignores it.
 * @param oracle_id NUL-terminated identity of the oracle, 1 to 256 bytes; kept, and must outlive
 *     in.
 * @param model_id NUL-terminated, versioned identity of the model, 1 to 256 bytes; kept, and must
 *     outlive in.
 * @param input Exact input of the call, not NUL-terminated; kept, and must outlive in. NULL where
 *     input_len is 0.
 * @param input_len Bytes of input.
 * @see SRS-004 §15.1; formats.md §3
 */
void ax_obs_input_set_transport_error(struct ax_obs_input_t *in,
                                      uint64_t ledger_seq,
                                      const char *oracle_id,
                                      const char *model_id,
                                      const char *input,
                                      size_t input_len);

/**
 * Describes a call whose answer the caller found invalid: an ERROR / INVALID_OUTPUT without an
 * output.
 *
 * The function sets every field of in and copies nothing but the numbers.
 *
 * @param in Input to overwrite, owned by the caller. NULL: the call does nothing.
 * @param ledger_seq Sequence of the observation, above the last admitted one; ax_agent_observe
 *     ignores it.
 * @param oracle_id NUL-terminated identity of the oracle, 1 to 256 bytes; kept, and must outlive
 *     in.
 * @param model_id NUL-terminated, versioned identity of the model, 1 to 256 bytes; kept, and must
 *     outlive in.
 * @param input Exact input of the call, not NUL-terminated; kept, and must outlive in. NULL where
 *     input_len is 0.
 * @param input_len Bytes of input.
 * @param output Output of the call; neither read nor kept, because an ERROR has no output. May be
 *     NULL.
 * @param output_len Bytes of output; not read.
 * @see SRS-004 §15.2; formats.md §3
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
 * @param out Receives the view, which borrows from record; untouched on failure.
 * @param record Bytes of the record, not NUL-terminated; they must outlive out and overlap no
 *     other argument.
 * @param len Bytes of record.
 * @param found Receives the profile that wrote the record; untouched on failure. May be NULL.
 * @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
 *     does nothing and returns AX_ERR_PROTOCOL.
 * @return AX_OK, or one of these codes.
 * @retval AX_ERR_SIZE The record is longer than its profile allows (flag size).
 * @retval AX_ERR_ENCODING A string is not admissible text (flag encoding).
 * @retval AX_ERR_HASH The bytes are canonical but obs_hash does not match them (flag protocol).
 * @retval AX_ERR_SCHEMA The bytes are not a canonical record (flag schema).
 * @retval AX_ERR_PROTOCOL out or record is NULL (flag domain).
 * @see SRS-004 §5; formats.md §3 (Profiles)
 */
int ax_obs_parse(struct ax_obs_view_t *out,
                 const uint8_t *record,
                 size_t len,
                 enum ax_profile_t *found,
                 ct_fault_flags_t *faults);

/**
 * Unescapes the output of a view.
 *
 * @param view View that ax_obs_parse filled, borrowed for the call; its record must still exist.
 * @param dst Receives the output and a NUL; overlaps neither view nor its record. Untouched on
 *     failure.
 * @param dst_size Bytes of room in dst; view->output_len bytes and one always suffice.
 * @return Bytes written, without the NUL; on failure a negative code.
 * @retval AX_ERR_BUFFER dst_size is too small.
 * @retval AX_ERR_PROTOCOL A required pointer is NULL.
 * @see SRS-004 §5.7; formats.md §3
 */
int ax_obs_output(const struct ax_obs_view_t *view, char *dst, size_t dst_size);

/**
 * Computes the hash of a derived input: SHA-256 of the 64 hexadecimal digits of an observation's
 * hash, followed by the derivation.
 *
 * @param hash Receives the 32 bytes of the digest; all zero where prev is NULL or has no hash, or
 *     derivation is NULL and len is above 0; may overlap derivation. NULL: the call does nothing.
 * @param prev Observation that the input is derived from, borrowed for the call.
 * @param derivation Bytes of the derivation, borrowed for the call; may be NULL where len is 0.
 * @param len Bytes of derivation.
 * @see SRS-004 §10.1; formats.md §5 (Derived inputs)
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

/**
 * Makes an admission context that has admitted nothing: profile 0, no cap on the output, U+007F
 * allowed.
 *
 * @param ctx Context to overwrite, owned by the caller. NULL: the call does nothing.
 * @see SRS-004 §4.4; formats.md §3 (Admission)
 */
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
