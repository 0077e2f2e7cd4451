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
     * The whole answer.
     */
    AX_COMPLETION_COMPLETE = 0,
    /**
     * A prefix of it.
     */
    AX_COMPLETION_TRUNCATED = 1,
    /**
     * None.
     */
    AX_COMPLETION_ERROR = 2,
} ax_completion_state_t;

/**
 * How an oracle failed (SRS-004-SHALL-035).
 */
typedef enum ax_failure_type_t {
    /**
     * It did not.
     */
    AX_FAILURE_NULL = 0,
    /**
     * No answer in time.
     */
    AX_FAILURE_TIMEOUT = 1,
    /**
     * An answer that is not admissible.
     */
    AX_FAILURE_INVALID_OUTPUT = 2,
    /**
     * The network or the protocol failed.
     */
    AX_FAILURE_TRANSPORT_ERROR = 3,
} ax_failure_type_t;

/**
 * Sampling parameters (SRS-004-SHALL-036). Sentinels stand for null.
 */
typedef struct ax_oracle_params_t {
    /**
     * From 0; -1 is null.
     */
    int32_t max_tokens;
    /**
     * From 0; -1 is null.
     */
    int64_t seed;
    /**
     * Raw Q16.16 from 0; INT32_MIN is null.
     */
    q16_16_t temperature;
    /**
     * Raw Q16.16 from 0 to 65536; INT32_MIN is null.
     */
    q16_16_t top_p;
} ax_oracle_params_t;

#ifdef __cplusplus
extern "C" {
#endif

/** Makes every parameter null. NULL is left alone. */
static inline void ax_oracle_params_init_null(ax_oracle_params_t *params)
{
    if (params != NULL) {
        params->max_tokens = AX_PARAMS_NULL_INT32;
        params->seed = AX_PARAMS_NULL_INT64;
        params->temperature = AX_PARAMS_NULL_Q16;
        params->top_p = AX_PARAMS_NULL_Q16;
    }
}

/** 1 where max_tokens is null, else 0; params is not NULL. */
static inline int ax_params_max_tokens_is_null(const ax_oracle_params_t *params)
{
    return params->max_tokens == AX_PARAMS_NULL_INT32;
}

/** 1 where seed is null, else 0; params is not NULL. */
static inline int ax_params_seed_is_null(const ax_oracle_params_t *params)
{
    return params->seed == AX_PARAMS_NULL_INT64;
}

/** 1 where temperature is null, else 0; params is not NULL. */
static inline int ax_params_temperature_is_null(const ax_oracle_params_t *params)
{
    return params->temperature == AX_PARAMS_NULL_Q16;
}

/** 1 where top_p is null, else 0; params is not NULL. */
static inline int ax_params_top_p_is_null(const ax_oracle_params_t *params)
{
    return params->top_p == AX_PARAMS_NULL_Q16;
}

#ifdef __cplusplus
}
#endif

#endif /* AXILOG_ORACLE_H */
