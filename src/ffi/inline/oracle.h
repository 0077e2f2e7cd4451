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
