/* obs.h: filling inputs, admission, and every vector admitted, written and read. */

#include "axilog/obs.h"

#include "axilog/canonical.h"
#include "axilog/sha256.h"
#include "flags.h"
#include "vectors.h"

static char output[AX_MAX_OBS_BYTES + 8];
static char record_text[AX_CANONICAL_BUFFER_SIZE];
static char large[AX_MAX_OBS_BYTES + 1];
static ct_fault_flags_t faults;

static ax_obs_input_t answer(const char *text)
{
    ax_obs_input_t in;
    ax_obs_input_set_complete(&in, 1, "oracle", "model", "Q", 1, text, strlen(text), NULL);
    return in;
}

/* Whether out is what nobody takes for a record. */
static int is_nothing(const ax_obs_record_t *out)
{
    return out->completion_state == AX_COMPLETION_ERROR
        && out->failure_type == AX_FAILURE_INVALID_OUTPUT && is_all(out->obs_hash, 65, 0)
        && out->ledger_seq == 0 && out->output[0] == '\0' && out->model_id[0] == '\0'
        && out->oracle_id[0] == '\0' && out->output_size == 0 && is_all(out->input_hash, 32, 0)
        && strcmp(out->schema_version, AX_OBS_SCHEMA_VERSION) == 0
        && ax_params_seed_is_null(&out->params);
}

static ax_obs_input_t input_of(const observation_vector_t *v)
{
    ax_obs_input_t in;
    ax_obs_input_set_complete(&in, v->ledger_seq, v->oracle_id, v->model_id,
                              (const char *)v->input.at, v->input.len, (const char *)v->output.at,
                              v->output.len, &v->params);
    in.completion_state = (ax_completion_state_t)v->completion_state;
    in.failure_type = (ax_failure_type_t)v->failure_type;
    return in;
}

/* Admits, validates, writes, reads: one vector under one profile. */
static void vector(const observation_vector_t *v, size_t profile)
{
    const record_vector_t *expected = &v->records[profile];
    ax_admission_ctx_t ctx;
    ax_obs_input_t in = input_of(v);
    ax_obs_record_t record;
    ax_obs_view_t view;
    ax_profile_t found = AX_PROFILE_RFC8785;
    uint8_t digest[32];
    int encoding = strcmp(v->status, "encoding") == 0;
    int truncated = strcmp(v->status, "truncated") == 0;
    int written;

    ax_admission_ctx_init(&ctx);
    ctx.profile = (ax_profile_t)profile;
    CHECK(ax_obs_admit(&record, output, sizeof output, &in, &ctx, &faults)
          == (encoding ? AX_ERR_ENCODING : AX_OK));
    CHECK(flags_taken(&faults) == (encoding ? ENCODING_ : truncated ? SIZE_ : 0));
    CHECK(ctx.initialized == 1 && ctx.last_ledger_seq == v->ledger_seq);
    CHECK_STR(record.obs_hash, expected->obs_hash);
    CHECK(record.model_id == in.model_id && record.oracle_id == in.oracle_id);
    CHECK(record.output == output && record.ledger_seq == v->ledger_seq);
    CHECK(ax_obs_validate(&record, &faults) == AX_OK);

    written = ax_obs_canonicalise_as(record_text, sizeof record_text, &record, 1, ctx.profile);
    CHECK(written > 0 && (size_t)written == expected->len && record_text[written] == '\0');
    axilog_sha256(digest, (const uint8_t *)record_text, expected->len);
    CHECK(is_hex(digest, 32, expected->sha256));
    if (expected->bytes.at != NULL) {
        CHECK(memcmp(record_text, expected->bytes.at, expected->len) == 0);
    }

    CHECK(ax_obs_parse(&view, (const uint8_t *)record_text, expected->len, &found, &faults) == AX_OK);
    CHECK(memcmp(view.obs_hash, record.obs_hash, 65) == 0);
    CHECK(view.completion_state == record.completion_state && view.failure_type == record.failure_type);
    CHECK(memcmp(view.input_hash, record.input_hash, 32) == 0);
    CHECK(memcmp(&view.params.seed, &record.params.seed, sizeof(int64_t)) == 0);
    CHECK(view.ledger_seq == record.ledger_seq && view.output_size == record.output_size);
    CHECK(view.model_id_len == strlen(v->model_id)
          && memcmp(view.model_id, v->model_id, view.model_id_len) == 0);
    CHECK(view.oracle_id_len == strlen(v->oracle_id)
          && memcmp(view.oracle_id, v->oracle_id, view.oracle_id_len) == 0);
    CHECK(view.gateway == 0);
    /* Without a control character, profiles 0 and 1 write the same bytes. */
    CHECK(found == ctx.profile || (found == AX_PROFILE_RFC8785 && profile == 1));
    CHECK(ax_obs_output(&view, large, strlen(output)) == AX_ERR_BUFFER);
    CHECK(ax_obs_output(&view, large, strlen(output) + 1) == (int)strlen(output));
    CHECK_STR(large, output);
    CHECK(flags_taken(&faults) == 0);
}

static void inputs(void)
{
    const ax_oracle_params_t params = { 1, 2, 3, 4 };
    ax_obs_input_t in;
    memset(&in, 0xA5, sizeof in);
    ax_obs_input_init(&in);
    CHECK(in.completion_state == AX_COMPLETION_COMPLETE && in.failure_type == AX_FAILURE_NULL);
    CHECK(in.input == NULL && in.input_len == 0 && in.output == NULL && in.output_len == 0);
    CHECK(in.model_id == NULL && in.oracle_id == NULL && in.ledger_seq == 0);
    CHECK(ax_params_max_tokens_is_null(&in.params) && ax_params_top_p_is_null(&in.params));
    CHECK(in.input_kind == AX_INPUT_KIND_TEXT && AX_INPUT_KIND_JSON == 1);

    memset(&in, 0xA5, sizeof in);
    ax_obs_input_set_complete(&in, 7, "o", "m", "in", 2, "out", 3, &params);
    CHECK(in.completion_state == AX_COMPLETION_COMPLETE && in.failure_type == AX_FAILURE_NULL);
    CHECK(in.ledger_seq == 7 && strcmp(in.oracle_id, "o") == 0 && strcmp(in.model_id, "m") == 0);
    CHECK(strcmp(in.input, "in") == 0 && in.input_len == 2);
    CHECK(strcmp(in.output, "out") == 0 && in.output_len == 3);
    CHECK(in.params.max_tokens == 1 && in.params.seed == 2 && in.params.temperature == 3);
    CHECK(in.params.top_p == 4 && in.input_kind == AX_INPUT_KIND_TEXT);

    memset(&in, 0xA5, sizeof in);
    ax_obs_input_set_timeout(&in, 7, "o", "m", "in", 2);
    CHECK(in.completion_state == AX_COMPLETION_ERROR && in.failure_type == AX_FAILURE_TIMEOUT);
    CHECK(in.output == NULL && in.output_len == 0 && in.input_len == 2 && in.ledger_seq == 7);
    CHECK(ax_params_seed_is_null(&in.params) && in.input_kind == AX_INPUT_KIND_TEXT);
    memset(&in, 0xA5, sizeof in);
    ax_obs_input_set_transport_error(&in, 7, "o", "m", "in", 2);
    CHECK(in.completion_state == AX_COMPLETION_ERROR && in.failure_type == AX_FAILURE_TRANSPORT_ERROR);
    CHECK(in.output == NULL && in.output_len == 0 && ax_params_seed_is_null(&in.params));
    memset(&in, 0xA5, sizeof in);
    ax_obs_input_set_invalid_output(&in, 7, "o", "m", "in", 2, "out", 3);
    CHECK(in.completion_state == AX_COMPLETION_ERROR && in.failure_type == AX_FAILURE_INVALID_OUTPUT);
    CHECK(in.output == NULL && in.output_len == 0 && ax_params_seed_is_null(&in.params));

    ax_obs_input_init(NULL);
    ax_obs_input_set_complete(NULL, 7, "o", "m", "in", 2, "out", 3, &params);
    ax_obs_input_set_timeout(NULL, 7, "o", "m", "in", 2);
    ax_obs_input_set_transport_error(NULL, 7, "o", "m", "in", 2);
    ax_obs_input_set_invalid_output(NULL, 7, "o", "m", "in", 2, "out", 3);
    ax_obs_init(NULL);
    ax_admission_ctx_init(NULL);
}

/* A call that admits nothing: the code, the flags, and nothing else changed. */
static int refused(const ax_obs_input_t *in, ax_admission_ctx_t *ctx, size_t room, int code, int flags)
{
    ax_obs_record_t out;
    ax_admission_ctx_t before = *ctx;
    memset(output, 0x5A, sizeof output);
    memset(&out, 0xA5, sizeof out);
    return ax_obs_admit(&out, output, room, in, ctx, &faults) == code && flags_taken(&faults) == flags
        && is_nothing(&out) && is_all(output, sizeof output, 0x5A)
        && before.last_ledger_seq == ctx->last_ledger_seq && before.initialized == ctx->initialized;
}

static void refusals(void)
{
    static char long_id[AX_MAX_ORACLE_ID_BYTES + 2];
    ax_admission_ctx_t ctx;
    ax_obs_record_t out;
    ax_obs_record_t before;
    ax_obs_input_t in = answer("ok");
    ax_obs_input_t bad;

    ax_admission_ctx_init(&ctx);
    CHECK(ctx.last_ledger_seq == 0 && ctx.initialized == 0 && ctx.profile == AX_PROFILE_RFC8785);
    CHECK(ctx.max_output_bytes == 0 && ctx.reject_del == 0);

    /* NULL faults: nothing at all. */
    memset(&out, 0xA5, sizeof out);
    before = out;
    CHECK(ax_obs_admit(&out, output, sizeof output, &in, &ctx, NULL) == AX_ERR_PROTOCOL);
    CHECK(memcmp(&out, &before, sizeof out) == 0 && ctx.initialized == 0);
    CHECK(ax_obs_admit(NULL, output, sizeof output, &in, &ctx, &faults) == AX_ERR_PROTOCOL);
    CHECK(flags_taken(&faults) == DOMAIN_);
    CHECK(ax_obs_admit(&out, NULL, 0, &in, &ctx, &faults) == AX_ERR_PROTOCOL && is_nothing(&out));
    CHECK(flags_taken(&faults) == DOMAIN_);
    CHECK(ax_obs_admit(&out, output, sizeof output, NULL, &ctx, &faults) == AX_ERR_PROTOCOL);
    CHECK(flags_taken(&faults) == DOMAIN_ && is_nothing(&out));
    CHECK(ax_obs_admit(&out, output, sizeof output, &in, NULL, &faults) == AX_ERR_PROTOCOL);
    CHECK(flags_taken(&faults) == DOMAIN_ && is_nothing(&out));

    bad = in;
    bad.input = NULL;
    CHECK(refused(&bad, &ctx, 64, AX_ERR_PROTOCOL, DOMAIN_));
    bad = in;
    bad.output = NULL;
    CHECK(refused(&bad, &ctx, 64, AX_ERR_PROTOCOL, DOMAIN_));
    bad = in;
    bad.output_len = SIZE_MAX;
    CHECK(refused(&bad, &ctx, 64, AX_ERR_PROTOCOL, DOMAIN_));
    bad = in;
    bad.model_id = NULL;
    CHECK(refused(&bad, &ctx, 64, AX_ERR_PROTOCOL, DOMAIN_));
    bad = in;
    bad.oracle_id = NULL;
    CHECK(refused(&bad, &ctx, 64, AX_ERR_PROTOCOL, DOMAIN_));

    bad = in;
    bad.completion_state = (ax_completion_state_t)3;
    CHECK(refused(&bad, &ctx, 64, AX_ERR_SCHEMA, SCHEMA_));
    bad.completion_state = (ax_completion_state_t)-1;
    CHECK(refused(&bad, &ctx, 64, AX_ERR_SCHEMA, SCHEMA_));
    bad = in;
    bad.failure_type = (ax_failure_type_t)4;
    CHECK(refused(&bad, &ctx, 64, AX_ERR_SCHEMA, SCHEMA_));
    bad.failure_type = AX_FAILURE_TIMEOUT;
    CHECK(refused(&bad, &ctx, 64, AX_ERR_SCHEMA, SCHEMA_));
    bad.completion_state = AX_COMPLETION_ERROR;
    CHECK(refused(&bad, &ctx, 64, AX_ERR_SCHEMA, SCHEMA_));
    bad = in;
    bad.input_kind = (ax_input_kind_t)2;
    CHECK(refused(&bad, &ctx, 64, AX_ERR_SCHEMA, SCHEMA_));
    bad = in;
    bad.params.max_tokens = -2;
    CHECK(refused(&bad, &ctx, 64, AX_ERR_SCHEMA, SCHEMA_));
    bad = in;
    bad.params.seed = INT64_MIN;
    CHECK(refused(&bad, &ctx, 64, AX_ERR_SCHEMA, SCHEMA_));
    bad = in;
    bad.params.temperature = -1;
    CHECK(refused(&bad, &ctx, 64, AX_ERR_SCHEMA, SCHEMA_));
    bad = in;
    bad.params.top_p = 65537;
    CHECK(refused(&bad, &ctx, 64, AX_ERR_SCHEMA, SCHEMA_));
    bad = in;
    bad.model_id = "";
    CHECK(refused(&bad, &ctx, 64, AX_ERR_SCHEMA, SCHEMA_));
    bad.model_id = "a\tb";
    CHECK(refused(&bad, &ctx, 64, AX_ERR_SCHEMA, SCHEMA_));
    bad.model_id = "\xFF";
    CHECK(refused(&bad, &ctx, 64, AX_ERR_SCHEMA, SCHEMA_));
    bad = in;
    memset(long_id, 'x', AX_MAX_ORACLE_ID_BYTES + 1);
    bad.oracle_id = long_id;
    CHECK(refused(&bad, &ctx, 64, AX_ERR_SCHEMA, SCHEMA_));
    long_id[AX_MAX_ORACLE_ID_BYTES] = '\0';
    CHECK(refused(&bad, &ctx, 2, AX_ERR_BUFFER, 0));
    CHECK(ax_obs_admit(&out, output, 3, &bad, &ctx, &faults) == AX_OK);
    ax_admission_ctx_init(&ctx);

    /* Room for the output but not for the NUL. */
    CHECK(refused(&in, &ctx, 2, AX_ERR_BUFFER, 0));
    ctx.profile = (ax_profile_t)3;
    CHECK(refused(&in, &ctx, 64, AX_ERR_PROTOCOL, DOMAIN_));
    ax_admission_ctx_init(&ctx);

    /* The first sequence is any; then they increase. */
    in.ledger_seq = 0;
    CHECK(ax_obs_admit(&out, output, 3, &in, &ctx, &faults) == AX_OK && ctx.initialized == 1);
    CHECK(refused(&in, &ctx, 64, AX_ERR_ORDERING, ORDERING_ | PROTOCOL_));
    in.ledger_seq = 9;
    CHECK(ax_obs_admit(&out, output, 3, &in, &ctx, &faults) == AX_OK && ctx.last_ledger_seq == 9);
    CHECK(refused(&in, &ctx, 64, AX_ERR_ORDERING, ORDERING_ | PROTOCOL_));
    in.ledger_seq = 8;
    CHECK(refused(&in, &ctx, 64, AX_ERR_ORDERING, ORDERING_ | PROTOCOL_));
    in.ledger_seq = UINT64_MAX;
    CHECK(ax_obs_admit(&out, output, 3, &in, &ctx, &faults) == AX_OK);
    CHECK(refused(&in, &ctx, 64, AX_ERR_ORDERING, ORDERING_ | PROTOCOL_));
}

/* What admission does to inputs and outputs beyond the vectors. */
static void admissions(void)
{
    ax_admission_ctx_t ctx;
    ax_obs_record_t out;
    ax_obs_input_t in = answer("a\r\nb\rc\n");
    uint8_t digest[32];

    ax_admission_ctx_init(&ctx);
    CHECK(ax_obs_admit(&out, output, 7, &in, &ctx, &faults) == AX_OK);
    CHECK_STR(output, "a\nb\nc\n");
    CHECK(out.output_size == 6);

    /* NULL of length 0 is empty. */
    ax_obs_input_set_complete(&in, 2, "o", "m", NULL, 0, NULL, 0, NULL);
    CHECK(ax_obs_admit(&out, output, 1, &in, &ctx, &faults) == AX_OK && output[0] == '\0');
    CHECK(is_hex(out.input_hash, 32, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));

    /* A declared kind is held to. */
    ax_obs_input_set_complete(&in, 3, "o", "m", "{\"a\":1}", 7, "x", 1, NULL);
    in.input_kind = AX_INPUT_KIND_JSON;
    CHECK(ax_obs_admit(&out, output, 2, &in, &ctx, &faults) == AX_OK);
    ax_obs_input_set_complete(&in, 4, "o", "m", "{ \"a\":1}", 8, "x", 1, NULL);
    in.input_kind = AX_INPUT_KIND_JSON;
    CHECK(ax_obs_admit(&out, output, 2, &in, &ctx, &faults) == AX_ERR_ENCODING);
    CHECK(flags_taken(&faults) == ENCODING_);
    CHECK(out.completion_state == AX_COMPLETION_ERROR && out.failure_type == AX_FAILURE_INVALID_OUTPUT);
    CHECK(out.obs_hash[0] != '\0' && out.output[0] == '\0' && ctx.last_ledger_seq == 4);
    axilog_sha256(digest, (const uint8_t *)in.input, in.input_len);
    CHECK(memcmp(out.input_hash, digest, 32) == 0);

    /* The two switches of deployed rigs. */
    ax_obs_input_set_complete(&in, 5, "o", "m", "Q", 1, "a\x7F", 2, NULL);
    CHECK(ax_obs_admit(&out, output, 3, &in, &ctx, &faults) == AX_OK);
    in.ledger_seq = 6;
    ctx.reject_del = 1;
    CHECK(ax_obs_admit(&out, output, 3, &in, &ctx, &faults) == AX_ERR_ENCODING);
    CHECK(flags_taken(&faults) == ENCODING_);
    ax_obs_input_set_complete(&in, 7, "o", "m", "Q", 1, "caf\xC3\xA9!", 6, NULL);
    ctx.max_output_bytes = 6;
    CHECK(ax_obs_admit(&out, output, 64, &in, &ctx, &faults) == AX_OK && flags_taken(&faults) == 0);
    CHECK(out.completion_state == AX_COMPLETION_COMPLETE);
    in.ledger_seq = 8;
    ctx.max_output_bytes = 4;
    CHECK(ax_obs_admit(&out, output, 64, &in, &ctx, &faults) == AX_OK && flags_taken(&faults) == SIZE_);
    CHECK(out.completion_state == AX_COMPLETION_TRUNCATED && out.output_size == 6);
    CHECK_STR(output, "caf");
    CHECK(ax_obs_validate(&out, &faults) == AX_OK);

    /* A TRUNCATED that the caller brings keeps its state. */
    ax_obs_input_set_complete(&in, 9, "o", "m", "Q", 1, "cut", 3, NULL);
    in.completion_state = AX_COMPLETION_TRUNCATED;
    CHECK(ax_obs_admit(&out, output, 64, &in, &ctx, &faults) == AX_OK && flags_taken(&faults) == 0);
    CHECK(out.completion_state == AX_COMPLETION_TRUNCATED && out.output_size == 3);
}

int main(void)
{
    size_t i;
    size_t profile;
    ct_fault_init(&faults);
    CHECK(AX_PROFILE_RFC8785 == 0 && AX_PROFILE_ORACLE_1_1 == 1 && AX_PROFILE_ORACLE_1_2 == 2);
    for (i = 0; i < OBSERVATION_COUNT; i++) {
        for (profile = 0; profile < 3; profile++) {
            if (OBSERVATIONS[i].records[profile].present) {
                vector(&OBSERVATIONS[i], profile);
            }
        }
    }
    inputs();
    refusals();
    admissions();
    return check_end();
}
