/* The agent scenarios of tests/vectors/agent.json, set up and run through agent.h. */

#ifndef SCENARIO_H
#define SCENARIO_H

#include "axilog/agent.h"
#include "axilog/canonical.h"
#include "axilog/obs.h"

#include "check.h"
#include "vectors.h"

/* The policies of a scenario as a registry; the context points into itself. */
typedef struct {
    ax_policy_t policies[AX_POLICY_MAX_COUNT];
    const char *selectors[AX_POLICY_MAX_COUNT];
    ax_policy_registry_t registry;
} scenario_rules_t;

/* By policy_id, as a registry wants them; the vectors keep the order of their file. */
static inline void scenario_rules(scenario_rules_t *rules, const agent_vector_t *v)
{
    size_t i;
    for (i = 0; i < v->policy_count; i++) {
        const policy_vector_t *p = &v->policies[i];
        size_t at = i;
        while (at > 0 && strcmp(rules->policies[at - 1].policy_id, p->policy_id) > 0) {
            rules->policies[at] = rules->policies[at - 1];
            rules->selectors[at] = rules->selectors[at - 1];
            at--;
        }
        rules->policies[at].policy_id = p->policy_id;
        rules->policies[at].threshold = p->threshold;
        rules->policies[at].comparison = (ax_policy_cmp_t)p->comparison;
        rules->policies[at].enabled = p->enabled;
        rules->selectors[at] = p->selector;
    }
    rules->registry.policies = rules->policies;
    rules->registry.count = v->policy_count;
    rules->registry.selectors = rules->selectors;
}

/* A new agent under the scenario's rules. */
static inline void scenario_begin(const agent_vector_t *v, const scenario_rules_t *rules,
                                  ax_agent_ctx_t *agent, ax_policy_ctx_t *policy,
                                  const ax_ledger_sink_t *sink, ct_fault_flags_t *faults)
{
    ax_agent_init(agent, faults);
    ax_agent_bind(agent, faults);
    CHECK(ax_ledger_set_sink(&agent->ledger, sink, faults) == AX_OK);
    CHECK(ax_policy_init_with_registry(policy, &rules->registry, &agent->ledger, agent, faults)
          == AX_POLICY_OK);
    policy->permit_truncated = v->permit_truncated;
    policy->stop_on_invalid = v->stop_on_invalid;
    if (v->manifest.at != NULL) {
        policy->has_manifest = 1;
        memcpy(policy->manifest, v->manifest.at, sizeof policy->manifest);
    }
}

/* What the scenario's step hands to ax_agent_observe. */
static inline ax_obs_input_t scenario_input(const step_vector_t *step)
{
    ax_obs_input_t in;
    ax_obs_input_set_complete(&in, 0, step->oracle_id, step->model_id, (const char *)step->input.at,
                              step->input.len, (const char *)step->output.at, step->output.len, NULL);
    return in;
}

/* An answer of some oracle. */
static inline ax_obs_input_t scenario_answer(const char *text)
{
    ax_obs_input_t in;
    ax_obs_input_set_complete(&in, 0, "oracle", "model", "Q", 1, text, strlen(text), NULL);
    return in;
}

/* The record of an answer, without a ledger: what a step takes as its payload. */
static inline size_t record_of(uint8_t *to, size_t size, uint64_t seq, const char *text)
{
    char output[512];
    ax_admission_ctx_t ctx;
    ax_obs_record_t record;
    ax_obs_input_t in = scenario_answer(text);
    ct_fault_flags_t faults;
    ct_fault_init(&faults);
    in.ledger_seq = seq;
    ax_admission_ctx_init(&ctx);
    CHECK(ax_obs_admit(&record, output, sizeof output, &in, &ctx, &faults) == AX_OK);
    return (size_t)ax_obs_canonicalise((char *)to, size, &record, 1);
}

static inline const agent_vector_t *scenario(const char *name)
{
    size_t i;
    for (i = 0; i < AGENT_COUNT; i++) {
        if (strcmp(AGENTS[i].name, name) == 0) {
            return &AGENTS[i];
        }
    }
    return NULL;
}

#endif
