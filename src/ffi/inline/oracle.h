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
