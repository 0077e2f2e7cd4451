/**
 * Observation types (SRS-004 section 25.3).
 *
 * Generated from src/ffi/ by `cargo xtask headers`; not to be edited.
 */

#ifndef AXILOG_ORACLE_H
#define AXILOG_ORACLE_H

#include "axilog/types.h"
#include "axilog/limits.h"

/** max_tokens is null. */
#define AX_PARAMS_NULL_INT32 (-1)
/** seed is null. */
#define AX_PARAMS_NULL_INT64 ((int64_t)-1)
/** temperature or top_p is null. */
#define AX_PARAMS_NULL_Q16 INT32_MIN

/**
 * The value of schema_version in every record (SRS-004-SHALL-047).
 */
#define AX_OBS_SCHEMA_VERSION "AX:OBS:v1"

/**
 * Whether an answer was fully received (SRS-004-SHALL-035).
 */
typedef enum ax_completion_state_t {
    /**
     * The answer was received in full.
     */
    AX_COMPLETION_COMPLETE = 0,
    /**
     * A prefix of the answer was received.
     */
    AX_COMPLETION_TRUNCATED = 1,
    /**
     * No answer was received.
     */
    AX_COMPLETION_ERROR = 2,
} ax_completion_state_t;

/**
 * The failure of an oracle (SRS-004-SHALL-035).
 */
typedef enum ax_failure_type_t {
    /**
     * The oracle did not fail.
     */
    AX_FAILURE_NULL = 0,
    /**
     * No answer came in time.
     */
    AX_FAILURE_TIMEOUT = 1,
    /**
     * The answer is not admissible.
     */
    AX_FAILURE_INVALID_OUTPUT = 2,
    /**
     * The network or the protocol failed.
     */
    AX_FAILURE_TRANSPORT_ERROR = 3,
} ax_failure_type_t;

/**
 * The sampling parameters of a call (SRS-004-SHALL-036). A sentinel stands for null.
 */
typedef struct ax_oracle_params_t {
    /**
     * The largest number of tokens in the answer, from 0; -1 is null.
     */
    int32_t max_tokens;
    /**
     * The seed of the sampling, from 0; -1 is null.
     */
    int64_t seed;
    /**
     * The temperature of the sampling, raw Q16.16, from 0; INT32_MIN is null.
     */
    q16_16_t temperature;
    /**
     * The probability mass to sample from, raw Q16.16, from 0 to 65536; INT32_MIN is null.
     */
    q16_16_t top_p;
} ax_oracle_params_t;

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Makes every sampling parameter null.
 *
 * @param params Parameters to overwrite, owned by the caller. NULL: the call does nothing.
 * @see SRS-004 §5.4; formats.md §3
 */
static inline void ax_oracle_params_init_null(ax_oracle_params_t *params)
{
    if (params != NULL) {
        params->max_tokens = AX_PARAMS_NULL_INT32;
        params->seed = AX_PARAMS_NULL_INT64;
        params->temperature = AX_PARAMS_NULL_Q16;
        params->top_p = AX_PARAMS_NULL_Q16;
    }
}

/**
 * Tells whether max_tokens is null.
 *
 * @param params Parameters, borrowed for the call; not NULL.
 * @return 1 where it is, else 0.
 * @see SRS-004 §5.4; formats.md §3
 */
static inline int ax_params_max_tokens_is_null(const ax_oracle_params_t *params)
{
    return params->max_tokens == AX_PARAMS_NULL_INT32;
}

/**
 * Tells whether seed is null.
 *
 * @param params Parameters, borrowed for the call; not NULL.
 * @return 1 where it is, else 0.
 * @see SRS-004 §5.4; formats.md §3
 */
static inline int ax_params_seed_is_null(const ax_oracle_params_t *params)
{
    return params->seed == AX_PARAMS_NULL_INT64;
}

/**
 * Tells whether temperature is null.
 *
 * @param params Parameters, borrowed for the call; not NULL.
 * @return 1 where it is, else 0.
 * @see SRS-004 §5.4; formats.md §3
 */
static inline int ax_params_temperature_is_null(const ax_oracle_params_t *params)
{
    return params->temperature == AX_PARAMS_NULL_Q16;
}

/**
 * Tells whether top_p is null.
 *
 * @param params Parameters, borrowed for the call; not NULL.
 * @return 1 where it is, else 0.
 * @see SRS-004 §5.4; formats.md §3
 */
static inline int ax_params_top_p_is_null(const ax_oracle_params_t *params)
{
    return params->top_p == AX_PARAMS_NULL_Q16;
}

#ifdef __cplusplus
}
#endif

#endif /* AXILOG_ORACLE_H */
