/* A ledger with a sum over its answers: the third payment is refused, since all of them are too much. */

#include <string.h>
#include "check.h"

static axh_decision_t pay(axh_ledger_t *ledger, const char *answer)
{
    const axh_observation_t observation = { .size = sizeof observation, .oracle_id = "pay",
                                            .model_id = "pay-1", .output = answer,
                                            .output_len = strlen(answer) };
    axh_decision_t decision = { .size = sizeof decision };

    CHECK(axh_observe(ledger, &observation, &decision) == AXH_OK);
    return decision;
}

int main(int argc, char **argv)
{
    static const char policies[] = "{\"ax.sum.spend#value\":[{\"comparison\":\"GT\","
                                   "\"enabled\":true,\"policy_id\":\"SPEND\",\"threshold\":6553600}]}";
    static const char values[] = "{\"ax.sum.spend\":{\"oracle\":\"pay\",\"path\":\"/amount\"}}";
    static const char unknown[] = "{\"ax.mean.spend\":{\"oracle\":\"pay\",\"path\":\"/amount\"}}";
    axh_options_t options = { .size = sizeof options, .policies = policies,
                              .policies_len = sizeof policies - 1, .time = 1,
                              .running_values = unknown,
                              .running_values_len = sizeof unknown - 1 };
    const axh_observation_t own = { .size = sizeof own, .oracle_id = "ax.sum.spend",
                                    .model_id = "axilog", .output = "{}", .output_len = 2 };
    axh_decision_t decision = { .size = sizeof decision };
    axh_ledger_t *ledger;

    CHECK(argc == 2);
    CHECK(axh_ledger_create(argv[1], &options, &ledger) == AXH_ERR_ARGUMENT);
    CHECK(strstr(axh_last_error(), "ax.sum.NAME, ax.count.NAME or ax.change.NAME") != NULL);
    options.running_values = values;
    options.running_values_len = sizeof values - 1;
    CHECK(axh_ledger_create(argv[1], &options, &ledger) == AXH_OK);

    decision = pay(ledger, "{\"amount\": 60.5}");
    CHECK(decision.may_act && decision.judged == 1 && decision.breached == 0);
    CHECK(strstr(axh_last_decision(), "{\\\"value\\\":60.5}") != NULL);
    decision = pay(ledger, "{\"amount\": 39.5}");
    CHECK(decision.may_act && decision.permitted);
    decision = pay(ledger, "{\"amount\": 0.01}");
    CHECK(!decision.may_act && !decision.permitted && decision.breached == 1);
    CHECK(decision.health == AX_HEALTH_ALARM);
    CHECK(strstr(axh_last_decision(), "ax.sum.spend#value 100.01 is above 100") != NULL);
    CHECK(axh_observe(ledger, &own, &decision) == AXH_ERR_REFUSED);
    CHECK(axh_last_reason() == AXH_REASON_IDENTITY);
    CHECK(axh_ledger_close(ledger) == AXH_OK);

    /* What is named must be what the ledger is bound to. */
    CHECK(axh_ledger_open(argv[1], &options, &ledger) == AXH_OK);
    CHECK(axh_ledger_close(ledger) == AXH_OK);
    options.running_values_len = 0;
    options.name = "another";
    CHECK(axh_ledger_open(argv[1], &options, &ledger) == AXH_ERR_REFUSED);
    CHECK(axh_last_reason() == AXH_REASON_BINDING);
    return 0;
}
