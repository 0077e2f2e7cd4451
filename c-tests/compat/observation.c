/* Conformance of obs.h, first part: inputs and admission. */

#include "conformance.h"

#include "axilog/canonical.h"
#include "axilog/hash.h"
#include "axilog/obs.h"
#include "axilog/validate.h"

static char output[AX_MAX_OBS_BYTES + 8];
static char record[AX_CANONICAL_BUFFER_SIZE + 8];
static ax_obs_record_t *out;
static ax_admission_ctx_t *ctx;

static ax_obs_input_t answer(uint64_t seq, const char *text)
{
    ax_obs_input_t in;
    ax_obs_input_set_complete(&in, seq, "oracle", "model", "Q", 1, text, strlen(text), NULL);
    return in;
}

/* Admits into all the room there is. */
static int admit(const ax_obs_input_t *in)
{
    return ax_obs_admit(out, output, sizeof output, in, ctx, l3);
}

static void initialising(void)
{
    memset(out, 0xA5, sizeof *out);
    ax_obs_init(out);
    CHECK(out->completion_state == AX_COMPLETION_COMPLETE && out->failure_type == AX_FAILURE_NULL);
    CHECK(is_all(out->input_hash, 32, 0) && is_all(out->obs_hash, 65, 0) && out->ledger_seq == 0);
    CHECK(out->output_size == 0 && out->output == NULL);
    CHECK(out->model_id == NULL && out->oracle_id == NULL);
    CHECK(ax_params_max_tokens_is_null(&out->params) && ax_params_seed_is_null(&out->params));
    CHECK(ax_params_temperature_is_null(&out->params) && ax_params_top_p_is_null(&out->params));
    CHECK_STR(out->schema_version, AX_OBS_SCHEMA_VERSION);

    memset(ctx, 0xA5, sizeof *ctx);
    ax_admission_ctx_init(ctx);
    CHECK(ctx->last_ledger_seq == 0 && ctx->initialized == 0 && ctx->profile == PROFILE);
    CHECK(ctx->max_output_bytes == 64512 && ctx->reject_del == 1);
    ax_obs_init(NULL);
    ax_admission_ctx_init(NULL);
}

static void inputs(void)
{
    const ax_oracle_params_t params = { 1, 2, 3, 4 };
    ax_obs_input_t *in = (ax_obs_input_t *)guarded(sizeof *in);
    memset(in, 0xA5, sizeof *in);
    ax_obs_input_init(in);
    CHECK(in->completion_state == AX_COMPLETION_COMPLETE && in->failure_type == AX_FAILURE_NULL);
    CHECK(in->input == NULL && in->input_len == 0 && in->output == NULL && in->output_len == 0);
    CHECK(in->model_id == NULL && in->oracle_id == NULL && in->ledger_seq == 0);
    CHECK(ax_params_seed_is_null(&in->params) && in->input_kind == AX_INPUT_KIND_TEXT);

    memset(in, 0xA5, sizeof *in);
    ax_obs_input_set_complete(in, 7, "o", "m", "in", 2, "out", 3, &params);
    CHECK(in->completion_state == AX_COMPLETION_COMPLETE && in->failure_type == AX_FAILURE_NULL);
    CHECK(in->ledger_seq == 7 && in->input_len == 2 && in->output_len == 3);
    CHECK_STR(in->oracle_id, "o");
    CHECK_STR(in->model_id, "m");
    CHECK(in->params.max_tokens == 1 && in->params.seed == 2 && in->params.temperature == 3);
    CHECK(in->params.top_p == 4 && in->input_kind == AX_INPUT_KIND_TEXT);

    memset(in, 0xA5, sizeof *in);
    ax_obs_input_set_timeout(in, 7, "o", "m", "in", 2);
    CHECK(in->completion_state == AX_COMPLETION_ERROR && in->failure_type == AX_FAILURE_TIMEOUT);
    CHECK(in->output == NULL && in->output_len == 0 && in->input_len == 2 && in->ledger_seq == 7);
    memset(in, 0xA5, sizeof *in);
    ax_obs_input_set_transport_error(in, 7, "o", "m", "in", 2);
    CHECK(in->completion_state == AX_COMPLETION_ERROR && in->failure_type == AX_FAILURE_TRANSPORT_ERROR);
    CHECK(in->output == NULL && in->output_len == 0 && ax_params_seed_is_null(&in->params));
    memset(in, 0xA5, sizeof *in);
    ax_obs_input_set_invalid_output(in, 7, "o", "m", "in", 2, "out", 3);
    CHECK(in->completion_state == AX_COMPLETION_ERROR && in->failure_type == AX_FAILURE_INVALID_OUTPUT);
    CHECK(in->output_len == 3 && ax_params_seed_is_null(&in->params));
    CHECK_STR(in->output, "out");

    ax_obs_input_init(NULL);
    ax_obs_input_set_complete(NULL, 7, "o", "m", "in", 2, "out", 3, &params);
    ax_obs_input_set_timeout(NULL, 7, "o", "m", "in", 2);
    ax_obs_input_set_transport_error(NULL, 7, "o", "m", "in", 2);
    ax_obs_input_set_invalid_output(NULL, 7, "o", "m", "in", 2, "out", 3);
}

/* Good answers of every state. */
static void admitting(void)
{
    ax_obs_input_t in = answer(0, "a\r\nb\rc\n");
    char *room = room_of(7);
    ax_admission_ctx_init(ctx);
    CHECK(ax_obs_admit(out, room, 7, &in, ctx, l3) == AX_OK && l3_taken() == 0);
    CHECK(out->completion_state == AX_COMPLETION_COMPLETE && out->failure_type == AX_FAILURE_NULL);
    CHECK(out->output == room && out->output_size == 6 && out->ledger_seq == 0);
    CHECK_STR(room, "a\nb\nc\n");
    CHECK(out->model_id == in.model_id && out->oracle_id == in.oracle_id && strlen(out->obs_hash) == 64);
    CHECK(ctx->initialized == 1 && ctx->last_ledger_seq == 0);
    CHECK(ax_obs_validate(out, l3) == AX_OK && l3_taken() == 0);

    ax_obs_input_set_complete(&in, 1, "o", "m", "Q", 1, NULL, 0, NULL);
    room = room_of(1);
    CHECK(ax_obs_admit(out, room, 1, &in, ctx, l3) == AX_OK && l3_taken() == 0 && room[0] == '\0');
    in = answer(2, "cut");
    in.completion_state = AX_COMPLETION_TRUNCATED;
    CHECK(admit(&in) == AX_OK && l3_taken() == 0 && out->completion_state == AX_COMPLETION_TRUNCATED);
    CHECK(out->output_size == 3);
    ax_obs_input_set_timeout(&in, 3, "o", "m", "Q", 1);
    CHECK(admit(&in) == AX_OK && l3_taken() == 0 && out->failure_type == AX_FAILURE_TIMEOUT);
    ax_obs_input_set_transport_error(&in, 4, "o", "m", "Q", 1);
    CHECK(admit(&in) == AX_OK && l3_taken() == 0 && out->failure_type == AX_FAILURE_TRANSPORT_ERROR);
    ax_obs_input_set_invalid_output(&in, 5, "o", "m", "Q", 1, NULL, 0);
    CHECK(admit(&in) == AX_OK && l3_taken() == 0 && out->failure_type == AX_FAILURE_INVALID_OUTPUT);
    CHECK(out->completion_state == AX_COMPLETION_ERROR && out->output_size == 0);
    CHECK(ctx->last_ledger_seq == 5);

    /* Text that is kept beside a failure: what came before a timeout, or of no use. */
    ax_obs_input_set_timeout(&in, 6, "o", "m", "Q", 1);
    in.output = "half an ans";
    in.output_len = 11;
    CHECK(admit(&in) == AX_OK && l3_taken() == 0 && out->failure_type == AX_FAILURE_TIMEOUT);
    CHECK_STR(out->output, "half an ans");
    CHECK(out->output_size == 11 && ax_obs_validate(out, l3) == AX_OK && l3_taken() == 0);
    ax_obs_input_set_invalid_output(&in, 7, "o", "m", "Q", 1, "no number", 9);
    CHECK(admit(&in) == AX_OK && l3_taken() == 0 && out->completion_state == AX_COMPLETION_ERROR);
    CHECK_STR(out->output, "no number");
}

/* Whether nothing is admitted: the code, the flags, a record that nobody takes for one, and nothing else
 * changed. */
static int refused(const ax_obs_input_t *in, size_t room, int code, int flags)
{
    ax_admission_ctx_t before;
    memcpy(&before, ctx, sizeof before);
    memset(output, 0x5A, sizeof output);
    memset(out, 0xA5, sizeof *out);
    return ax_obs_admit(out, output, room, in, ctx, l3) == code && l3_taken() == flags
        && out->completion_state == AX_COMPLETION_ERROR && out->failure_type == AX_FAILURE_INVALID_OUTPUT
        && is_all(out->obs_hash, 65, 0) && out->output == NULL && is_all(out->input_hash, 32, 0)
        && is_unwritten(output, sizeof output) && memcmp(&before, ctx, sizeof *ctx) == 0;
}

static void refusing(void)
{
    char *long_id = (char *)guarded(AX_MAX_ORACLE_ID_BYTES + 2);
    const ax_obs_input_t in = answer(1, "ok");
    ax_obs_input_t bad;

    ax_admission_ctx_init(ctx);
    memset(out, 0xA5, sizeof *out);
    CHECK(ax_obs_admit(out, output, 64, &in, ctx, NULL) == AX_ERR_PROTOCOL);
    CHECK(is_all(out, sizeof *out, 0xA5) && ctx->initialized == 0);
    CHECK(ax_obs_admit(NULL, output, 64, &in, ctx, l3) == AX_ERR_PROTOCOL && l3_taken() == DOMAIN_);
    CHECK(ax_obs_admit(out, NULL, 64, &in, ctx, l3) == AX_ERR_PROTOCOL && l3_taken() == DOMAIN_);
    CHECK(ax_obs_admit(out, output, 64, NULL, ctx, l3) == AX_ERR_PROTOCOL && l3_taken() == DOMAIN_);
    CHECK(out->completion_state == AX_COMPLETION_ERROR);
    CHECK(ax_obs_admit(out, output, 64, &in, NULL, l3) == AX_ERR_PROTOCOL && l3_taken() == DOMAIN_);
    CHECK(out->completion_state == AX_COMPLETION_ERROR && ctx->initialized == 0);

#define BAD(field, value, code, flags) \
    bad = in; \
    bad.field = value; \
    CHECK(refused(&bad, 64, code, flags))
    BAD(output, NULL, AX_ERR_PROTOCOL, DOMAIN_);
    BAD(output_len, SIZE_MAX, AX_ERR_PROTOCOL, DOMAIN_);
    BAD(model_id, NULL, AX_ERR_PROTOCOL, DOMAIN_);
    BAD(oracle_id, NULL, AX_ERR_PROTOCOL, DOMAIN_);
    BAD(completion_state, (ax_completion_state_t)number(3), AX_ERR_SCHEMA, SCHEMA_);
    BAD(completion_state, (ax_completion_state_t)number(-1), AX_ERR_SCHEMA, SCHEMA_);
    BAD(completion_state, AX_COMPLETION_ERROR, AX_ERR_SCHEMA, SCHEMA_);
    BAD(failure_type, (ax_failure_type_t)number(4), AX_ERR_SCHEMA, SCHEMA_);
    BAD(failure_type, AX_FAILURE_TIMEOUT, AX_ERR_SCHEMA, SCHEMA_);
    BAD(params.max_tokens, -2, AX_ERR_SCHEMA, SCHEMA_);
    BAD(params.seed, INT64_MIN, AX_ERR_SCHEMA, SCHEMA_);
    BAD(params.temperature, -1, AX_ERR_SCHEMA, SCHEMA_);
    BAD(params.top_p, 65537, AX_ERR_SCHEMA, SCHEMA_);
    BAD(model_id, "", AX_ERR_SCHEMA, SCHEMA_);
    BAD(model_id, "a\tb", AX_ERR_SCHEMA, SCHEMA_);
    BAD(oracle_id, "\xFF", AX_ERR_SCHEMA, SCHEMA_);
    memset(long_id, 'x', AX_MAX_ORACLE_ID_BYTES + 1);
    BAD(oracle_id, long_id, AX_ERR_SCHEMA, SCHEMA_);
#undef BAD
    long_id[AX_MAX_ORACLE_ID_BYTES] = '\0';
    bad = in;
    bad.oracle_id = long_id;
    CHECK(refused(&bad, 2, AX_ERR_BUFFER, SIZE_) && refused(&bad, 0, AX_ERR_BUFFER, SIZE_));
    CHECK(ax_obs_admit(out, output, 3, &bad, ctx, l3) == AX_OK && l3_taken() == 0);
}

static void ordering(void)
{
    ax_obs_input_t in = answer(9, "ok");
    ax_admission_ctx_init(ctx);
    CHECK(admit(&in) == AX_OK && l3_taken() == 0 && ctx->last_ledger_seq == 9);
    CHECK(refused(&in, 64, AX_ERR_ORDERING, ORDERING_));
    in.ledger_seq = 8;
    CHECK(refused(&in, 64, AX_ERR_ORDERING, ORDERING_));
    in.ledger_seq = UINT64_MAX;
    CHECK(admit(&in) == AX_OK && l3_taken() == 0);
    CHECK(refused(&in, 64, AX_ERR_ORDERING, ORDERING_));

    /* An answer that is not admissible leaves the sequence to the record of it, or to another answer. */
    ax_admission_ctx_init(ctx);
    in = answer(5, "\xFF");
    CHECK(admit(&in) == AX_ERR_ENCODING && l3_taken() == ENCODING_);
    CHECK(ctx->initialized == 0 && ctx->last_ledger_seq == 0 && out->ledger_seq == 0);
    in = answer(4, "ok");
    CHECK(admit(&in) == AX_OK && ctx->initialized == 1 && ctx->last_ledger_seq == 4);
    in = answer(5, "a\tb");
    CHECK(admit(&in) == AX_ERR_ENCODING && admit(&in) == AX_ERR_ENCODING && l3_taken() == ENCODING_);
    CHECK(ctx->initialized == 1 && ctx->last_ledger_seq == 4);
    ax_obs_input_set_invalid_output(&in, 5, "oracle", "model", "Q", 1, "a\tb", 3);
    CHECK(refused(&in, 64, AX_ERR_ENCODING, ENCODING_));
    in.output_len = 0;
    CHECK(admit(&in) == AX_OK && l3_taken() == 0 && ctx->last_ledger_seq == 5);
    in = answer(5, "\xFF");
    CHECK(refused(&in, 64, AX_ERR_ORDERING, ORDERING_));
}

/* What is not admissible: a line end is, U+007F is not, and of the text in NFC none with a mark of the deployed list;
 * room is judged after UTF-8 and before all else. */
static void encodings(void)
{
    static const char *const BAD[] = { "\xFF",          "a\tb",          "a\x7F",  "\x7F",
                                       "cafe\xCC\x81", "q\xCC\x87",     "\x1B[0m", "\xED\xA0\x80",
                                       "1\xE2\x83\xA3", "\xEF\xB8\xA0", "\xE1\xB7\x80" };
    static const char *const GOOD[] = { "\xE2\x84\xAB", "\xE1\x84\x80\xE1\x85\xA1", "\xE0\xA5\x98", "caf\xC3\xA9" };
    size_t i;
    ax_admission_ctx_init(ctx);
    for (i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
        const ax_obs_input_t in = answer(i, BAD[i]);
        CHECK(refused(&in, 64, AX_ERR_ENCODING, ENCODING_));
        CHECK(refused(&in, 1, ax_validate_utf8(BAD[i], strlen(BAD[i])) ? AX_ERR_BUFFER : AX_ERR_ENCODING,
                      ax_validate_utf8(BAD[i], strlen(BAD[i])) ? SIZE_ : ENCODING_));
    }
    for (i = 0; i < sizeof GOOD / sizeof GOOD[0]; i++) {
        const ax_obs_input_t in = answer(i + 1, GOOD[i]);
        CHECK(admit(&in) == AX_OK && l3_taken() == 0 && strcmp(out->output, GOOD[i]) == 0);
        CHECK(ax_obs_validate(out, l3) == AX_OK && l3_taken() == 0);
    }
}

/* The hash of an input is that of its bytes as they came, whatever they are and whatever kind they claim. */
static void input_hashes(void)
{
    static const struct {
        const char *input;
        size_t len;
    } INPUTS[] = {
        { "Q", 1 }, { "a\tb", 3 }, { "a\r\nb", 4 }, { "\xFF", 1 }, { "cafe\xCC\x81", 6 }, { "\x7F", 1 }, { "\0", 1 },
    };
    uint8_t digest[32];
    ax_obs_input_t in;
    size_t i;
    int kind;
    for (i = 0; i < sizeof INPUTS / sizeof INPUTS[0]; i++) {
        for (kind = -1; kind <= 2; kind++) {
            ax_admission_ctx_init(ctx);
            ax_obs_input_set_complete(&in, 1, "o", "m", INPUTS[i].input, INPUTS[i].len, "ok", 2, NULL);
            in.input_kind = (ax_input_kind_t)number(kind);
            CHECK(admit(&in) == AX_OK && l3_taken() == 0);
            axilog_sha256(digest, (const uint8_t *)INPUTS[i].input, INPUTS[i].len);
            CHECK(memcmp(digest, out->input_hash, 32) == 0);
            CHECK(ax_obs_validate(out, l3) == AX_OK && l3_taken() == 0);
        }
    }
    in = answer(2, "ok");
    memset(&in.input_kind, 0xA5, sizeof in.input_kind);
    CHECK(admit(&in) == AX_OK && l3_taken() == 0);

    /* No input hashes to zero, of whatever length, and so does one of length 0. */
    in = answer(3, "ok");
    in.input = NULL;
    CHECK(admit(&in) == AX_OK && l3_taken() == 0 && is_all(out->input_hash, 32, 0));
    in.ledger_seq = 4;
    in.input_len = 0;
    CHECK(admit(&in) == AX_OK && l3_taken() == 0 && is_all(out->input_hash, 32, 0));
    CHECK(ax_obs_validate(out, l3) == AX_OK && l3_taken() == 0);
    in.ledger_seq = 5;
    in.input = "";
    CHECK(admit(&in) == AX_OK && l3_taken() == 0 && is_all(out->input_hash, 32, 0));
}

/* The cap on a raw output, and a record that is too long although its output is not. */
static void sizes(void)
{
    char *large = (char *)guarded(AX_MAX_OBS_BYTES);
    ax_obs_input_t in = answer(1, "");
    memset(large, 'x', AX_MAX_OBS_BYTES);
    ax_admission_ctx_init(ctx);
    in.output = large;
    in.output_len = 64512;
    CHECK(admit(&in) == AX_OK && l3_taken() == 0 && out->completion_state == AX_COMPLETION_COMPLETE);
    CHECK(out->output_size == 64512 && strlen(output) == 64512);
    in.ledger_seq = 2;
    in.output_len = 64513;
    CHECK(admit(&in) == AX_OK && l3_taken() == SIZE_ && out->completion_state == AX_COMPLETION_TRUNCATED);
    CHECK(out->output_size == 64513 && strlen(output) == 64512);
    CHECK(ax_obs_validate(out, l3) == AX_OK && l3_taken() == 0);
    in.ledger_seq = 3;
    CHECK(ax_obs_admit(out, output, 64512, &in, ctx, l3) == AX_ERR_BUFFER && l3_taken() == SIZE_);
    CHECK(out->output_size == 64513 && out->output == NULL && ctx->last_ledger_seq == 2);
    in.output = large + 1;
    in.output_len = AX_MAX_OBS_BYTES - 1;
    CHECK(admit(&in) == AX_OK && l3_taken() == SIZE_ && out->output_size == AX_MAX_OBS_BYTES - 1);

    /* A code point is never cut in two. */
    memcpy(large + 64511, "\xC3\xA9", 2);
    in.ledger_seq = 4;
    in.output = large;
    in.output_len = 64513;
    CHECK(admit(&in) == AX_OK && l3_taken() == SIZE_ && strlen(output) == 64511);

    /* What is after the cap is not judged; what is in front of it is. */
    memset(large, 'x', AX_MAX_OBS_BYTES);
    large[64512] = '\t';
    in.ledger_seq = 5;
    in.output_len = 64513;
    CHECK(admit(&in) == AX_OK && l3_taken() == SIZE_ && strlen(output) == 64512);
    large[64511] = '\t';
    in.ledger_seq = 6;
    CHECK(admit(&in) == AX_ERR_ENCODING && l3_taken() == (SIZE_ | ENCODING_) && out->output_size == 64513);

    /* Line feeds are written in six: the record of 21000 is longer than one of the library and whole; that of 22000
     * no reader takes. */
    memset(large, '\n', AX_MAX_OBS_BYTES);
    in.output_len = 21000;
    CHECK(admit(&in) == AX_OK && l3_taken() == 0 && out->completion_state == AX_COMPLETION_COMPLETE);
    CHECK(ax_obs_canonicalise(record, sizeof record, out, 1) > 126000);
    in.ledger_seq = 7;
    in.output_len = 22000;
    CHECK(admit(&in) == AX_OK && l3_taken() == SIZE_ && out->completion_state == AX_COMPLETION_TRUNCATED);
    CHECK(out->output_size == 22000 && strlen(output) < 22000);
    CHECK(ax_obs_canonicalise(record, sizeof record, out, 1) > AX_CANONICAL_BUFFER_SIZE - 6);
    CHECK(ax_obs_validate(out, l3) == AX_OK && l3_taken() == 0);
}

/* Of a context the sequence alone counts: zeroed, set by hand or full of garbage, it is as one from the
 * initialiser. */
static void contexts(void)
{
    static char large[64513];
    ax_obs_record_t expected;
    ax_obs_input_t in = answer(7, "a\nb");
    int way;
    memset(large, 'x', sizeof large);
    ax_admission_ctx_init(ctx);
    CHECK(admit(&in) == AX_OK);
    expected = *out;
    for (way = 0; way < 4; way++) {
        memset(ctx, way == 0 ? 0 : 0xFF, sizeof *ctx);
        ctx->initialized = way == 3 ? number(-1) : 0;
        ctx->last_ledger_seq = way == 3 ? 6 : way == 2 ? UINT64_MAX : 0;
        CHECK(admit(&in) == AX_OK && l3_taken() == 0);
        CHECK(strcmp(out->obs_hash, expected.obs_hash) == 0 && out->output_size == 3);
        CHECK(ctx->initialized == 1 && ctx->last_ledger_seq == 7);
        in = answer(8, "a\x7F");
        CHECK(admit(&in) == AX_ERR_ENCODING && l3_taken() == ENCODING_);
        ax_obs_input_set_complete(&in, 8, "oracle", "model", "Q", 1, large, sizeof large, NULL);
        CHECK(admit(&in) == AX_OK && l3_taken() == SIZE_ && ctx->last_ledger_seq == 8);
        in = answer(7, "a\nb");
        CHECK(refused(&in, 64, AX_ERR_ORDERING, ORDERING_));
    }
}

int main(void)
{
    conformance_begin();
    out = (ax_obs_record_t *)guarded(sizeof *out);
    ctx = (ax_admission_ctx_t *)guarded(sizeof *ctx);
    initialising();
    inputs();
    admitting();
    refusing();
    ordering();
    encodings();
    input_hashes();
    sizes();
    contexts();
    return conformance_end();
}
