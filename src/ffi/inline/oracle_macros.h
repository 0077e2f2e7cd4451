/** max_tokens is null. */
#define AX_PARAMS_NULL_INT32 (-1)
/** seed is null. */
#define AX_PARAMS_NULL_INT64 ((int64_t)-1)
/** temperature or top_p is null. */
#define AX_PARAMS_NULL_Q16 INT32_MIN
