/* The calls of admission.jsonl, records.jsonl and text.jsonl. */

#include "answer.h"
#include "text.h"

static void put_params(const char *front, const ax_oracle_params_t *params)
{
    put_number(in(front, "max_tokens"), params->max_tokens);
    put_number(in(front, "seed"), params->seed);
    put_number(in(front, "temperature"), params->temperature);
    put_number(in(front, "top_p"), params->top_p);
}

/* Parameters are left out of a vector where all are null. */
static void put_params_unless_null(const char *front, const ax_oracle_params_t *params)
{
    if (!ax_params_max_tokens_is_null(params) || !ax_params_seed_is_null(params)
        || !ax_params_temperature_is_null(params) || !ax_params_top_p_is_null(params)) {
        put_params(front, params);
    }
}

static void read_record(ax_obs_record_t *record)
{
    const char *hash = text("record.obs_hash");
    memset(record, 0, sizeof *record);
    record->completion_state = (ax_completion_state_t)number("record.completion_state", 0);
    record->failure_type = (ax_failure_type_t)number("record.failure_type", 0);
    copy_bytes("record.input_hash", record->input_hash, sizeof record->input_hash);
    record->ledger_seq = natural("record.ledger_seq", 0);
    record->model_id = string("record.model_id");
    if (hash != NULL && strlen(hash) < sizeof record->obs_hash) {
        strcpy(record->obs_hash, hash);
    }
    record->oracle_id = string("record.oracle_id");
    record->output = string("record.output");
    record->output_size = natural("record.output_size", 0);
    record->schema_version = string("record.schema_version");
    read_params("record.params.", &record->params);
}

static void put_record(const ax_obs_record_t *record)
{
    put_number("record.completion_state", (int)record->completion_state);
    put_number("record.failure_type", (int)record->failure_type);
    put_bytes("record.input_hash", record->input_hash, sizeof record->input_hash);
    put_natural("record.ledger_seq", record->ledger_seq);
    put_string("record.model_id", record->model_id);
    put_text("record.obs_hash", record->obs_hash);
    put_string("record.oracle_id", record->oracle_id);
    put_string("record.output", record->output);
    put_natural("record.output_size", record->output_size);
    put_string("record.schema_version", record->schema_version);
    put_params_unless_null("record.params.", &record->params);
}

static void put_input(const ax_obs_input_t *answer)
{
    put_number("in.completion_state", (int)answer->completion_state);
    put_number("in.failure_type", (int)answer->failure_type);
    put_bytes("in.input", answer->input, answer->input_len);
    put_natural("in.input_len", answer->input_len);
    put_natural("in.ledger_seq", answer->ledger_seq);
    put_string("in.model_id", answer->model_id);
    put_string("in.oracle_id", answer->oracle_id);
    put_bytes("in.output", answer->output, answer->output_len);
    put_natural("in.output_len", answer->output_len);
    put_params_unless_null("in.params.", &answer->params);
}

/* What an admitted record is afterwards. */
static void put_admitted(const ax_obs_record_t *record)
{
    size_t size = 1 << 19;
    char *dst = unwritten(size);
    int rc = ax_obs_canonicalise(dst, size, record, 1);
    ax_l3_fault_flags_t faults;
    put_number("canonical_len", rc);
    if (rc >= 0) {
        uint8_t hash[32];
        axilog_sha256(hash, (const uint8_t *)dst, (size_t)rc);
        put_bytes("canonical_sha256", hash, sizeof hash);
    }
    memset(&faults, 0, sizeof faults);
    put_number("validate_rc", ax_obs_validate(record, &faults));
    if (ax_l3_fault_any(&faults)) {
        ax_l3_fault_flags_t_put("validate_flags", &faults);
    }
}

static void ax_obs_admit_call(void)
{
    static const ax_oracle_params_t no_params = { -1, -1, INT32_MIN, INT32_MIN };
    ax_obs_input_t answer;
    ax_admission_ctx_t ctx;
    ax_obs_record_t record;
    size_t size = (size_t)natural("output_buf_size", 0);
    char *buffer = unwritten(size + 64);
    ax_l3_fault_flags_t *faults = ax_l3_fault_flags_t_read("flags_before");
    int rc;
    read_answer(&answer);
    ax_admission_ctx_init(&ctx);
    ctx.last_ledger_seq = natural("ctx.last_ledger_seq", 0);
    ctx.initialized = (int)number("ctx.initialized", 0);
    /* What a call that leaves the struct alone would show. */
    memset(&record, 9, sizeof record);
    record.model_id = record.oracle_id = record.output = record.schema_version = "unwritten";
    record.obs_hash[0] = '\0';
    record.params = no_params;
    rc = ax_obs_admit(&record, buffer, size, &answer, &ctx, faults);
    put_number("rc", rc);
    ax_l3_fault_flags_t_put_after(faults);
    put_natural("ctx_after.last_ledger_seq", ctx.last_ledger_seq);
    put_number("ctx_after.initialized", ctx.initialized);
    put_record(&record);
    if (rc == 0) {
        put_admitted(&record);
    }
}

static void ax_obs_compute_hash_call(void)
{
    ax_obs_record_t record;
    read_record(&record);
    put_number("rc", ax_obs_compute_hash(&record));
    put_text("obs_hash", record.obs_hash);
}

static void ax_obs_validate_call(void)
{
    ax_obs_record_t record;
    ax_l3_fault_flags_t *faults = ax_l3_fault_flags_t_read("flags_before");
    read_record(&record);
    put_number("rc", ax_obs_validate(&record, faults));
    ax_l3_fault_flags_t_put_after(faults);
}

static void ax_obs_canonicalise_call(void)
{
    ax_obs_record_t record;
    size_t size = (size_t)natural("dst_size", 0);
    char *dst = unwritten(size);
    read_record(&record);
    put_written(ax_obs_canonicalise(dst, size, &record, (int)number("include_hash", 0)), dst, size);
}

static void ax_params_canonicalise_call(void)
{
    ax_oracle_params_t params;
    size_t size = (size_t)natural("dst_size", 0);
    char *dst = unwritten(size);
    read_params("params.", &params);
    put_written(ax_params_canonicalise(dst, size, &params), dst, size);
}

static void ax_params_is_null_call(void)
{
    int64_t value = number("value", 0);
    ax_oracle_params_t params;
    params.max_tokens = (int32_t)value;
    params.seed = value;
    params.temperature = (q16_16_t)value;
    params.top_p = (q16_16_t)value;
    put_number("ax_params_max_tokens_is_null", ax_params_max_tokens_is_null(&params));
    put_number("ax_params_seed_is_null", ax_params_seed_is_null(&params));
    put_number("ax_params_temperature_is_null", ax_params_temperature_is_null(&params));
    put_number("ax_params_top_p_is_null", ax_params_top_p_is_null(&params));
}

static void ax_compute_derivation_hash_call(void)
{
    ax_obs_record_t prev;
    uint8_t hash[32];
    const char *digits = text("obs_hash");
    memset(hash, 9, sizeof hash);
    ax_obs_init(&prev);
    if (digits != NULL && strlen(digits) < sizeof prev.obs_hash) {
        strcpy(prev.obs_hash, digits);
    }
    ax_compute_derivation_hash(hash, &prev, string("derivation"), (size_t)natural("deriv_len", 0));
    put_bytes("hash", hash, sizeof hash);
}

static void ax_obs_init_call(void)
{
    static const char zero[sizeof(((ax_obs_record_t *)NULL)->obs_hash)];
    ax_obs_record_t record;
    memset(&record, 9, sizeof record);
    ax_obs_init(&record);
    put_record(&record);
    put_number("obs_hash_all_zero", memcmp(record.obs_hash, zero, sizeof zero) == 0);
}

static void ax_obs_input_init_call(void)
{
    ax_obs_input_t answer;
    memset(&answer, 9, sizeof answer);
    ax_obs_input_init(&answer);
    put_input(&answer);
}

static void ax_obs_input_set_complete_call(void)
{
    ax_obs_input_t answer;
    ax_oracle_params_t params;
    memset(&answer, 9, sizeof answer);
    read_params("args.params.", &params);
    ax_obs_input_set_complete(&answer, natural("args.ledger_seq", 0), string("args.oracle_id"),
                              string("args.model_id"), string("args.input"), (size_t)natural("args.input_len", 0),
                              string("args.output"), (size_t)natural("args.output_len", 0),
                              is_null("args.params") ? NULL : &params);
    put_input(&answer);
}

static void ax_obs_input_set_timeout_call(void)
{
    ax_obs_input_t answer;
    memset(&answer, 9, sizeof answer);
    ax_obs_input_set_timeout(&answer, natural("args.ledger_seq", 0), string("args.oracle_id"),
                             string("args.model_id"), string("args.input"), (size_t)natural("args.input_len", 0));
    put_input(&answer);
}

static void ax_obs_input_set_transport_error_call(void)
{
    ax_obs_input_t answer;
    memset(&answer, 9, sizeof answer);
    ax_obs_input_set_transport_error(&answer, natural("args.ledger_seq", 0), string("args.oracle_id"),
                                     string("args.model_id"), string("args.input"),
                                     (size_t)natural("args.input_len", 0));
    put_input(&answer);
}

static void ax_obs_input_set_invalid_output_call(void)
{
    ax_obs_input_t answer;
    memset(&answer, 9, sizeof answer);
    ax_obs_input_set_invalid_output(&answer, natural("args.ledger_seq", 0), string("args.oracle_id"),
                                    string("args.model_id"), string("args.input"),
                                    (size_t)natural("args.input_len", 0), string("args.output"),
                                    (size_t)natural("args.output_len", 0));
    put_input(&answer);
}

static void ax_admission_ctx_init_call(void)
{
    ax_admission_ctx_t ctx;
    memset(&ctx, 9, sizeof ctx);
    ax_admission_ctx_init(&ctx);
    put_natural("last_ledger_seq", ctx.last_ledger_seq);
    put_number("initialized", ctx.initialized);
}

static void ax_oracle_params_init_null_call(void)
{
    ax_oracle_params_t params;
    memset(&params, 9, sizeof params);
    ax_oracle_params_init_null(&params);
    put_params("params.", &params);
}

int main(void)
{
    static const call_t calls[] = {
        TEXT_CALLS
        { "ax_obs_admit", ax_obs_admit_call },
        { "ax_obs_compute_hash", ax_obs_compute_hash_call },
        { "ax_obs_validate", ax_obs_validate_call },
        { "ax_obs_canonicalise", ax_obs_canonicalise_call },
        { "ax_params_canonicalise", ax_params_canonicalise_call },
        { "ax_params_is_null", ax_params_is_null_call },
        { "ax_compute_derivation_hash", ax_compute_derivation_hash_call },
        { "ax_obs_init", ax_obs_init_call },
        { "ax_obs_input_init", ax_obs_input_init_call },
        { "ax_obs_input_set_complete", ax_obs_input_set_complete_call },
        { "ax_obs_input_set_timeout", ax_obs_input_set_timeout_call },
        { "ax_obs_input_set_transport_error", ax_obs_input_set_transport_error_call },
        { "ax_obs_input_set_invalid_output", ax_obs_input_set_invalid_output_call },
        { "ax_admission_ctx_init", ax_admission_ctx_init_call },
        { "ax_oracle_params_init_null", ax_oracle_params_init_null_call },
        { NULL, NULL }
    };
    return make_calls(calls);
}
