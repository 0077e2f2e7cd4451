/* oracle.h: enumerators, sentinels, inlines. */

#include "axilog/oracle.h"

#include "check.h"

int main(void)
{
    ax_oracle_params_t params = { 0, 0, 0, 0 };

    CHECK_STR(AX_OBS_SCHEMA_VERSION, "AX:OBS:v1");
    CHECK(AX_COMPLETION_COMPLETE == 0 && AX_COMPLETION_TRUNCATED == 1 && AX_COMPLETION_ERROR == 2);
    CHECK(AX_FAILURE_NULL == 0 && AX_FAILURE_TIMEOUT == 1);
    CHECK(AX_FAILURE_INVALID_OUTPUT == 2 && AX_FAILURE_TRANSPORT_ERROR == 3);
    CHECK(AX_PARAMS_NULL_INT32 == -1);
    CHECK(AX_PARAMS_NULL_INT64 == -1);
    CHECK(AX_PARAMS_NULL_Q16 == INT32_MIN);

    CHECK(!ax_params_max_tokens_is_null(&params));
    CHECK(!ax_params_seed_is_null(&params));
    CHECK(!ax_params_temperature_is_null(&params));
    CHECK(!ax_params_top_p_is_null(&params));
    ax_oracle_params_init_null(&params);
    CHECK(ax_params_max_tokens_is_null(&params) && params.max_tokens == -1);
    CHECK(ax_params_seed_is_null(&params) && params.seed == -1);
    CHECK(ax_params_temperature_is_null(&params) && params.temperature == INT32_MIN);
    CHECK(ax_params_top_p_is_null(&params) && params.top_p == INT32_MIN);
    ax_oracle_params_init_null(NULL);
    return check_end();
}
