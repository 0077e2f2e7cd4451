/* policy.h: the selectors and the values of tests/vectors/selectors.json. */

#include "axilog/agent.h"
#include "axilog/obs.h"

#include "check.h"
#include "vectors.h"

#include <stdlib.h>

static ct_fault_flags_t faults;
static ax_agent_ctx_t agent;
static ax_policy_ctx_t policy;
static ax_policy_t entry = { "P", 0, AX_POLICY_CMP_GT, 1 };
static const char *selector;
static const ax_policy_registry_t registry = { &entry, 1, &selector };

/* The value in the record of the policy, which is its first member. */
static int keep_value(void *user, const ax_ledger_entry_t *ledger_entry)
{
    static const char member[] = "{\"actual\":";
    if (strcmp(ledger_entry->tag, "AX:POLICY:v1") == 0
        && CHECK(strncmp((const char *)ledger_entry->payload, member, sizeof member - 1) == 0)) {
        *(long *)user = strtol((const char *)ledger_entry->payload + sizeof member - 1, NULL, 10);
    }
    return 0;
}

static int init_with(const char *text, int comparison)
{
    selector = text;
    entry.comparison = (ax_policy_cmp_t)comparison;
    return ax_policy_init_with_registry(&policy, &registry, &agent.ledger, &agent, &faults);
}

static void values(void)
{
    static uint8_t work[4096];
    size_t i;
    for (i = 0; i < EXTRACTED_COUNT; i++) {
        const extracted_vector_t *v = &EXTRACTED[i];
        const char *oracle = v->selector[0] == '/' ? "oracle" : "tool.arm";
        long value = 1;
        const ax_ledger_sink_t sink = { keep_value, &value };
        ax_obs_input_t in;
        ax_agent_init(&agent, &faults);
        ax_agent_bind(&agent, &faults);
        CHECK(ax_ledger_set_sink(&agent.ledger, &sink, &faults) == AX_OK);
        CHECK(init_with(v->selector, v->comparison) == AX_POLICY_OK);
        CHECK(ax_agent_observe_control(&agent, &policy, AX_INPUT_RESET_REQUEST, work, sizeof work, &faults)
              == AX_OK);
        CHECK(ax_agent_observe_time(&agent, &policy, 1, work, sizeof work, &faults) == AX_OK);
        ax_obs_input_set_complete(&in, 0, oracle, "model", "Q", 1, (const char *)v->answer.at,
                                  v->answer.len, NULL);
        CHECK(ax_agent_observe(&agent, &policy, &in, work, sizeof work, &faults) == AX_OK);
        if (!CHECK(value == v->value)) {
            printf("%s in %s: found %ld, expected %ld\n", v->selector, (const char *)v->answer.at,
                   value, (long)v->value);
        }
    }
    CHECK(i >= 295 && !ct_fault_any(&faults));
}

static void grammar(void)
{
    size_t i;
    for (i = 0; i < VALID_SELECTOR_COUNT; i++) {
        CHECK(init_with(VALID_SELECTORS[i], AX_POLICY_CMP_GT) == AX_POLICY_OK);
    }
    for (i = 0; i < REFUSED_SELECTOR_COUNT; i++) {
        CHECK(init_with(REFUSED_SELECTORS[i], AX_POLICY_CMP_GT) == AX_POLICY_ERR_INVALID_ID);
    }
}

int main(void)
{
    values();
    grammar();
    return check_end();
}
