/* A rig that declares again what the headers declare, as the deployed headers did, and defines some of it
 * itself: every name that stands for another (names.h), and some that stand for themselves. It links, and its
 * own definitions are the ones that it calls. */

#include "axilog/axilog.h"

#include "check.h"

#ifdef __cplusplus
extern "C" {
#endif

void ax_obs_init(ax_obs_record_t *record);
int ax_obs_admit(ax_obs_record_t *out, char *output_buf, size_t output_buf_size, const ax_obs_input_t *in,
                 ax_admission_ctx_t *ctx, ax_l3_fault_flags_t *faults);
int ax_obs_validate(const ax_obs_record_t *obs, ax_l3_fault_flags_t *faults);
int ax_obs_canonicalise(char *dst, size_t dst_size, const ax_obs_record_t *record, int include_hash);
int ax_obs_compute_hash(ax_obs_record_t *record);
void ax_compute_input_hash(uint8_t hash[32], const char *input, size_t len);
int ax_string_escape(char *dst, size_t dst_size, const char *src, size_t src_len);
int ax_contains_forbidden_control(const char *data, size_t len);
int ax_validate_and_normalise(char *dst, size_t dst_size, const char *src, size_t src_len,
                              ax_l3_fault_flags_t *faults);
int ax_validate_encoding(const char *data, size_t len);
void ax_ledger_genesis(ax_ledger_ctx_t *ctx, ct_fault_flags_t *faults);
void ax_ledger_append(ax_ledger_ctx_t *ctx, const uint8_t commit[32], ct_fault_flags_t *faults);
void ax_verify_chain(ax_ledger_ctx_t *ctx, ct_fault_flags_t *faults);
int ax_policy_serialize(char *buf, size_t size, const ax_policy_record_t *record, ct_fault_flags_t *faults);
void ax_agent_init(ax_agent_ctx_t *ctx, ct_fault_flags_t *faults);
void ax_agent_step(ax_agent_ctx_t *ctx, const ax_input_t *input, ct_fault_flags_t *faults);
void axilog_agent_step(ax_agent_ctx_t *ctx, ax_policy_ctx_t *policy, const ax_input_t *input,
                       ct_fault_flags_t *faults);
int ax_agent_observe(ax_agent_ctx_t *agent, ax_policy_ctx_t *policy, const ax_obs_input_t *in, uint8_t *work,
                     size_t work_len, ct_fault_flags_t *faults);
int ax_agent_observe_time(ax_agent_ctx_t *agent, ax_policy_ctx_t *policy, uint64_t timestamp, uint8_t *work,
                          size_t work_len, ct_fault_flags_t *faults);
int ax_agent_observe_control(ax_agent_ctx_t *agent, ax_policy_ctx_t *policy, ax_input_class_t input_class,
                             uint8_t *work, size_t work_len, ct_fault_flags_t *faults);
void axilog_commit(const char *tag, const uint8_t *payload, uint64_t payload_len, uint8_t out_commit[32],
                   ct_fault_flags_t *faults);
int32_t dvm_add_q16(int32_t a, int32_t b, ct_fault_flags_t *faults);
const char *ax_strerror(int code);

#ifdef __cplusplus
}
#endif

/* How often each of the rig's own functions was called. */
static int checked;
static int stepped;

int ax_contains_forbidden_control(const char *data, size_t len)
{
    (void)data;
    (void)len;
    return ++checked;
}

void ax_agent_step(ax_agent_ctx_t *ctx, const ax_input_t *input, ct_fault_flags_t *faults)
{
    (void)input;
    (void)faults;
    ctx->health = AX_HEALTH_DEGRADED;
    stepped++;
}

int main(void)
{
    static ax_agent_ctx_t agent;
    ax_l3_fault_flags_t l3;
    ct_fault_flags_t base;
    char text[8];

    ax_l3_fault_init(&l3);
    ct_fault_init(&base);
    CHECK(ax_validate_encoding("a", 1) == AX_OK && ax_validate_encoding("\xFF", 1) == AX_ERR_ENCODING);
    CHECK(ax_contains_forbidden_control("a", 1) == 1 && checked == 1);
    /* The library does not take the rig's for its own. */
    CHECK(ax_validate_and_normalise(text, sizeof text, "a\x7F", 2, &l3) == AX_ERR_ENCODING && checked == 1);
    ax_agent_init(&agent, &base);
    ax_agent_step(&agent, NULL, &base);
    CHECK(agent.health == AX_HEALTH_DEGRADED && stepped == 1 && !ct_fault_any(&base));
    return check_end();
}
