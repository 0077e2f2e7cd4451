/* What a rig's object asks of the linker that was compiled against the deployed headers: the structs and the
 * prototypes are those, written down here. It must not link, for some of its structs are shorter than the
 * library's; the functions at the end have the same arguments in both and are found. */

#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint8_t overflow, underflow, div_zero, saturation, narrowing, domain, ledger_fail, reserved;
} ct_fault_flags_t;

typedef struct {
    ct_fault_flags_t base;
    uint8_t precision, encoding, schema, ordering, size, protocol, pad[2];
} ax_l3_fault_flags_t;

typedef struct {
    uint8_t current_hash[32], genesis_hash[32];
    uint64_t sequence;
    uint8_t failed, initialised, pad[6];
} ax_ledger_ctx_t;

typedef struct {
    ax_ledger_ctx_t ledger;
    int health;
    uint32_t fault_accumulator;
    uint64_t last_timestamp, last_seen_seq;
    uint8_t local_failed_flag, pad[7];
} ax_agent_ctx_t;

typedef struct {
    int type;
    const uint8_t *payload;
    uint64_t payload_len, ledger_seq;
} ax_input_t;

typedef struct {
    int32_t max_tokens;
    int64_t seed;
    int32_t temperature, top_p;
} ax_oracle_params_t;

typedef struct {
    int completion_state, failure_type;
    uint8_t input_hash[32];
    uint64_t ledger_seq;
    const char *model_id;
    char obs_hash[65];
    const char *oracle_id, *output;
    uint64_t output_size;
    ax_oracle_params_t params;
    const char *schema_version;
} ax_obs_record_t;

typedef struct {
    int completion_state, failure_type;
    const char *input;
    size_t input_len;
    uint64_t ledger_seq;
    const char *model_id, *oracle_id, *output;
    size_t output_len;
    ax_oracle_params_t params;
} ax_obs_input_t;

typedef struct {
    uint64_t last_ledger_seq;
    int initialized;
} ax_admission_ctx_t;

typedef struct {
    const char *policy_id;
    int32_t threshold;
    int comparison;
    uint8_t enabled;
} ax_policy_t;

typedef struct {
    const ax_policy_t *policies;
    size_t count;
} ax_policy_registry_t;

typedef struct {
    int32_t value;
    uint64_t ledger_seq;
} ax_policy_input_t;

typedef struct {
    int32_t actual;
    uint64_t ledger_seq;
    const char *policy_id;
    int result;
    int32_t threshold;
} ax_policy_record_t;

typedef struct {
    ax_ledger_ctx_t *ledger;
    ax_agent_ctx_t *agent;
    uint8_t breach_flag, evaluation_count;
    uint64_t last_eval_seq;
} ax_policy_ctx_t;

void ax_ledger_genesis(ax_ledger_ctx_t *ctx, ct_fault_flags_t *faults);
void ax_ledger_append(ax_ledger_ctx_t *ctx, const uint8_t commit[32], ct_fault_flags_t *faults);
void ax_verify_chain(ax_ledger_ctx_t *ctx, ct_fault_flags_t *faults);

void ax_agent_init(ax_agent_ctx_t *ctx, ct_fault_flags_t *faults);
void ax_agent_bind(ax_agent_ctx_t *ctx, ct_fault_flags_t *faults);
void ax_agent_step(ax_agent_ctx_t *ctx, const ax_input_t *input, ct_fault_flags_t *faults);

void ax_obs_input_init(ax_obs_input_t *in);
void ax_obs_input_set_complete(ax_obs_input_t *in, uint64_t ledger_seq, const char *oracle_id, const char *model_id,
                               const char *input, size_t input_len, const char *output, size_t output_len,
                               const ax_oracle_params_t *params);
void ax_obs_input_set_timeout(ax_obs_input_t *in, uint64_t ledger_seq, const char *oracle_id, const char *model_id,
                              const char *input, size_t input_len);
void ax_obs_input_set_transport_error(ax_obs_input_t *in, uint64_t ledger_seq, const char *oracle_id,
                                      const char *model_id, const char *input, size_t input_len);
void ax_obs_input_set_invalid_output(ax_obs_input_t *in, uint64_t ledger_seq, const char *oracle_id,
                                     const char *model_id, const char *input, size_t input_len, const char *output,
                                     size_t output_len);
int ax_obs_admit(ax_obs_record_t *out, char *output_buf, size_t output_buf_size, const ax_obs_input_t *in,
                 ax_admission_ctx_t *ctx, ax_l3_fault_flags_t *faults);
int ax_obs_validate(const ax_obs_record_t *obs, ax_l3_fault_flags_t *faults);
int ax_validate_and_normalise(char *dst, size_t dst_size, const char *src, size_t src_len,
                              ax_l3_fault_flags_t *faults);

int ax_policy_init(ax_policy_ctx_t *ctx, ax_ledger_ctx_t *ledger, ax_agent_ctx_t *agent, ct_fault_flags_t *faults);
const ax_policy_registry_t *ax_policy_get_registry(void);
int ax_policy_evaluate(ax_policy_ctx_t *ctx, const ax_policy_t *policy, const ax_policy_input_t *input,
                       ct_fault_flags_t *faults);
int ax_policy_evaluate_all(ax_policy_ctx_t *ctx, const ax_policy_input_t *input, ct_fault_flags_t *faults);
int ax_policy_has_breach(const ax_policy_ctx_t *ctx);
void ax_policy_reset_cycle(ax_policy_ctx_t *ctx);
int ax_policy_serialize(char *buf, size_t size, const ax_policy_record_t *record, ct_fault_flags_t *faults);

void axilog_sha256(uint8_t out[32], const uint8_t *data, size_t len);
void axilog_commit(const char *tag, const uint8_t *payload, uint64_t payload_len, uint8_t out_commit[32],
                   ct_fault_flags_t *faults);
int ax_validate_utf8(const char *data, size_t len);
int ax_format_int64(char *dst, size_t dst_size, int64_t value);

int main(void)
{
    static ct_fault_flags_t faults;
    static ax_l3_fault_flags_t faults3;
    static ax_ledger_ctx_t ledger;
    static ax_agent_ctx_t agent;
    static ax_input_t step;
    static ax_obs_input_t in;
    static ax_obs_record_t record;
    static ax_admission_ctx_t admission;
    static ax_policy_ctx_t policy;
    static ax_policy_input_t value;
    static ax_policy_record_t decision;
    static uint8_t hash[32];
    static char text[256];
    int sum = 0;

    ax_ledger_genesis(&ledger, &faults);
    ax_ledger_append(&ledger, hash, &faults);
    ax_verify_chain(&ledger, &faults);

    ax_agent_init(&agent, &faults);
    ax_agent_bind(&agent, &faults);
    ax_agent_step(&agent, &step, &faults);

    ax_obs_input_init(&in);
    ax_obs_input_set_timeout(&in, 1, "oracle", "model", "", 0);
    ax_obs_input_set_transport_error(&in, 1, "oracle", "model", "", 0);
    ax_obs_input_set_invalid_output(&in, 1, "oracle", "model", "", 0, "", 0);
    ax_obs_input_set_complete(&in, 1, "oracle", "model", "", 0, "", 0, NULL);
    sum += ax_obs_admit(&record, text, sizeof text, &in, &admission, &faults3);
    sum += ax_obs_validate(&record, &faults3);
    sum += ax_validate_and_normalise(text, sizeof text, "", 0, &faults3);

    sum += ax_policy_init(&policy, &ledger, &agent, &faults);
    sum += ax_policy_evaluate(&policy, ax_policy_get_registry()->policies, &value, &faults);
    sum += ax_policy_evaluate_all(&policy, &value, &faults);
    sum += ax_policy_has_breach(&policy);
    ax_policy_reset_cycle(&policy);
    sum += ax_policy_serialize(text, sizeof text, &decision, &faults);

    axilog_sha256(hash, hash, sizeof hash);
    axilog_commit("AX:OBS:v1", hash, sizeof hash, hash, &faults);
    sum += ax_validate_utf8(text, 0) + ax_format_int64(text, sizeof text, 1);
    return sum;
}
