/* A deployed rig, compiled with include/compat instead of include: eight-byte and sixteen-byte fault
 * structs that see exactly the flags they should, with nothing touched after them; profile 2 by
 * the names that it has always called. */

#include "guarded.h"

#include "axilog/canonical.h"
#include "axilog/commitment.h"
#include "axilog/dvm.h"
#include "axilog/hash.h"
#include "axilog/l3_types.h"
#include "axilog/limits.h"
#include "axilog/oracle.h"
#include "axilog/sha256.h"
#include "axilog/types.h"
#include "axilog/validate.h"

#include "check.h"
#include "vectors.h"

/* The flags by their byte. */
enum {
    OVERFLOW_ = 1 << 0,
    UNDERFLOW_ = 1 << 1,
    DIV_ZERO_ = 1 << 2,
    SATURATION_ = 1 << 3,
    DOMAIN_ = 1 << 5,
    ENCODING_ = 1 << 9,
    SCHEMA_ = 1 << 10,
    ORDERING_ = 1 << 11,
    SIZE_ = 1 << 12,
    PROTOCOL_ = 1 << 13
};

static ct_fault_flags_t *base;
static ax_l3_fault_flags_t *l3;

/* The bytes that are 1, as bits; -1 where one is neither 0 nor 1. Clears them. */
static int bits(void *flags, size_t size)
{
    uint8_t *bytes = (uint8_t *)flags;
    int set = 0;
    size_t i;
    for (i = 0; i < size; i++) {
        if (bytes[i] > 1) {
            return -1;
        }
        set |= (int)bytes[i] << i;
    }
    memset(bytes, 0, size);
    return set;
}

static int base_taken(void)
{
    return bits(base, sizeof *base);
}

static int l3_taken(void)
{
    return bits(l3, sizeof *l3);
}

static void structs(void)
{
    size_t i;
    CHECK(sizeof(ct_fault_flags_t) == 8 && sizeof(ax_l3_fault_flags_t) == 16);
    CHECK(offsetof(ct_fault_flags_t, domain) == 5 && offsetof(ct_fault_flags_t, _reserved) == 7);
    CHECK(offsetof(ax_l3_fault_flags_t, precision) == 8 && offsetof(ax_l3_fault_flags_t, encoding) == 9);
    CHECK(offsetof(ax_l3_fault_flags_t, protocol) == 13 && offsetof(ax_l3_fault_flags_t, _pad) == 14);
    memset(base, 0xFF, sizeof *base);
    ct_fault_init(base);
    CHECK(is_all(base, sizeof *base, 0) && !ct_fault_any(base));
    memset(l3, 0xFF, sizeof *l3);
    ax_l3_fault_init(l3);
    CHECK(is_all(l3, sizeof *l3, 0) && !ax_l3_fault_any(l3));
    ct_fault_init(NULL);
    ax_l3_fault_init(NULL);
    CHECK(ct_fault_any(NULL) == 1 && ax_l3_fault_any(NULL) == 1);
    /* Each flag is a fault; what is reserved or padding is none. */
    for (i = 0; i < sizeof *l3; i++) {
        ((uint8_t *)l3)[i] = 1;
        CHECK(ax_l3_fault_any(l3) == (i != 7 && i < 14));
        CHECK(ct_fault_any(&l3->base) == (i < 7));
        ((uint8_t *)l3)[i] = 0;
    }
}

/* Every flag that a function over eight bytes can set. */
static void eight_bytes(void)
{
    uint8_t out[32];
    CHECK(dvm_add_q16(Q16_16_MAX, 1, base) == Q16_16_MAX && base_taken() == (OVERFLOW_ | SATURATION_));
    CHECK(dvm_sub_q16(Q16_16_MIN, 1, base) == Q16_16_MIN && base_taken() == (UNDERFLOW_ | SATURATION_));
    CHECK(dvm_mul_q16(Q16_16_MAX, Q16_16_MIN, base) == Q16_16_MIN);
    CHECK(base_taken() == (UNDERFLOW_ | SATURATION_));
    CHECK(dvm_div_q16(1, 0, base) == 0 && base_taken() == DIV_ZERO_);
    CHECK(dvm_div_q16(Q16_16_FROM_INT(6), Q16_16_FROM_INT(2), base) == Q16_16_FROM_INT(3));
    axilog_commit(AX_TAG_OBS, NULL, 1, out, base);
    CHECK(base_taken() == DOMAIN_ && is_all(out, 32, 0));
    axilog_commit(NULL, NULL, 0, out, base);
    CHECK(base_taken() == DOMAIN_ && is_all(out, 32, 0));
    axilog_commit(AX_TAG_OBS, NULL, 0, out, base);
    CHECK(base_taken() == 0 && !is_all(out, 32, 0));
    axilog_sha256(out, (const uint8_t *)"abc", 3);
    CHECK(is_hex(out, 32, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
}

static ax_obs_input_t answer(uint64_t seq, const char *output, size_t len)
{
    ax_obs_input_t in;
    ax_obs_input_set_complete(&in, seq, "oracle", "model", "Q", 1, output, len, NULL);
    return in;
}

/* Every flag that a function over sixteen bytes can set. */
static void sixteen_bytes(void)
{
    static char room[AX_CANONICAL_BUFFER_SIZE];
    static char large[AX_MAX_OBS_BYTES];
    ax_admission_ctx_t ctx;
    ax_obs_record_t out;
    ax_obs_input_t in = answer(1, "ok", 2);
    ax_obs_view_t view;

    memset(&ctx, 0xFF, sizeof ctx);
    ax_admission_ctx_init(&ctx);
    CHECK(ctx.last_ledger_seq == 0 && ctx.initialized == 0 && ctx.profile == AX_PROFILE_ORACLE_1_2);
    CHECK(ctx.max_output_bytes == 64512 && ctx.reject_del == 1);
    ax_admission_ctx_init(NULL);

    CHECK(ax_obs_admit(&out, room, sizeof room, &in, &ctx, l3) == AX_OK && l3_taken() == 0);
    CHECK(ax_obs_validate(&out, l3) == AX_OK && l3_taken() == 0);
    CHECK(ax_obs_admit(&out, room, sizeof room, &in, &ctx, l3) == AX_ERR_ORDERING);
    CHECK(l3_taken() == ORDERING_);
    CHECK(ax_obs_admit(&out, NULL, 0, &in, &ctx, l3) == AX_ERR_PROTOCOL && l3_taken() == DOMAIN_);
    in = answer(2, "ok", 2);
    in.oracle_id = "";
    CHECK(ax_obs_admit(&out, room, sizeof room, &in, &ctx, l3) == AX_ERR_SCHEMA && l3_taken() == SCHEMA_);
    in = answer(2, "a\x7F", 2);
    CHECK(ax_obs_admit(&out, room, sizeof room, &in, &ctx, l3) == AX_ERR_ENCODING);
    CHECK(l3_taken() == ENCODING_ && out.failure_type == AX_FAILURE_INVALID_OUTPUT);
    memset(large, 'x', sizeof large);
    in = answer(3, large, 64513);
    CHECK(ax_obs_admit(&out, room, sizeof room, &in, &ctx, l3) == AX_OK && l3_taken() == SIZE_);
    CHECK(out.completion_state == AX_COMPLETION_TRUNCATED && out.output_size == 64513);

    out.obs_hash[0] = out.obs_hash[0] == '0' ? '1' : '0';
    CHECK(ax_obs_validate(&out, l3) == AX_ERR_HASH && l3_taken() == PROTOCOL_);
    out.schema_version = "AX:OBS:v2";
    CHECK(ax_obs_validate(&out, l3) == AX_ERR_SCHEMA && l3_taken() == SCHEMA_);
    CHECK(ax_obs_validate(NULL, l3) == AX_ERR_PROTOCOL && l3_taken() == DOMAIN_);

    CHECK(ax_obs_parse(&view, (const uint8_t *)"{}", 2, NULL, l3) == AX_ERR_SCHEMA && l3_taken() == SCHEMA_);
    CHECK(ax_validate_and_normalise(room, sizeof room, "a\r\nb", 4, l3) == 3 && l3_taken() == 0);
    CHECK_STR(room, "a\nb");
    CHECK(ax_validate_and_normalise(room, sizeof room, "\xFF", 1, l3) == AX_ERR_ENCODING);
    CHECK(l3_taken() == ENCODING_);
    CHECK(ax_validate_and_normalise(NULL, 0, "a", 1, l3) == AX_ERR_PROTOCOL && l3_taken() == DOMAIN_);
}

/* The published fingerprints of profile 2. */
static void fingerprints(void)
{
    ax_obs_record_t record;
    char text[1024];
    uint8_t digest[32];
    size_t i;
    int (*const compute)(ax_obs_record_t *) = ax_obs_compute_hash;

    ax_obs_init(&record);
    record.completion_state = AX_COMPLETION_COMPLETE;
    record.failure_type = AX_FAILURE_NULL;
    for (i = 0; i < 32; i++) {
        record.input_hash[i] = (uint8_t)((7 * i + 3) % 256);
    }
    record.ledger_seq = 12345678901234U;
    record.model_id = "gpt-4-turbo-2024-04-09";
    record.oracle_id = "azure-openai-prod-westeurope";
    record.output = "The answer is 42.\nCaf\xC3\xA9 r\xC3\xA9sum\xC3\xA9 na\xC3\xAFve.";
    record.output_size = strlen(record.output);
    record.params.max_tokens = 4096;
    record.params.seed = 42;
    record.params.temperature = 45875;
    record.params.top_p = 58982;

    CHECK(ax_obs_compute_hash(&record) == AX_OK);
    CHECK_STR(record.obs_hash, "1d666c07e8622af5be44681e74f72a2f83d84c5bd97e970194c4356b86f3eef2");
    CHECK(ax_obs_validate(&record, l3) == AX_OK && l3_taken() == 0);
    CHECK(ax_obs_canonicalise(text, sizeof text, &record, 1) == 492);
    axilog_sha256(digest, (const uint8_t *)text, 492);
    CHECK(is_hex(digest, 32, "86c7773c9efe37e71b39dadb5135bed6db22f04cffac44bdc2c47b90dccc4455"));
    /* By address too, and by hand: the tagged commitment of the record without its hash. */
    record.obs_hash[0] = '\0';
    CHECK(compute(&record) == AX_OK);
    i = (size_t)ax_obs_canonicalise(text, sizeof text, &record, 0);
    CHECK(i == 428);
    axilog_commit(AX_TAG_OBS, (const uint8_t *)text, i, digest, base);
    CHECK(is_hex(digest, 32, record.obs_hash) && base_taken() == 0);
    CHECK(ax_string_escape(text, sizeof text, "a\nb", 3) == 8);
    CHECK_STR(text, "a\\u000ab");
}

/* Every vector of profile 2 that such a rig admits as it is, byte for byte. */
static void vectors(void)
{
    static char output[AX_CANONICAL_BUFFER_SIZE];
    static char record[AX_CANONICAL_BUFFER_SIZE];
    size_t i;
    for (i = 0; i < OBSERVATION_COUNT; i++) {
        const observation_vector_t *v = &OBSERVATIONS[i];
        const record_vector_t *expected = &v->records[2];
        ax_admission_ctx_t ctx;
        ax_obs_input_t in;
        ax_obs_record_t out;
        uint8_t digest[32];
        int code;
        int len;
        if (!expected->present || v->output.len > 64512 || memchr(v->output.at, 0x7F, v->output.len) != NULL) {
            continue;
        }
        ax_obs_input_set_complete(&in, v->ledger_seq, v->oracle_id, v->model_id, (const char *)v->input.at,
                                  v->input.len, (const char *)v->output.at, v->output.len, &v->params);
        in.completion_state = (ax_completion_state_t)v->completion_state;
        in.failure_type = (ax_failure_type_t)v->failure_type;
        ax_admission_ctx_init(&ctx);
        code = ax_obs_admit(&out, output, sizeof output, &in, &ctx, l3);
        if (strstr(v->name, "input") != NULL) {
            /* Here an input is hashed as it came, whatever its text. */
            axilog_sha256(digest, v->input.at, v->input.len);
            CHECK(code == AX_OK && l3_taken() == 0 && memcmp(digest, out.input_hash, 32) == 0);
            continue;
        }
        if (code == AX_ERR_ENCODING) {
            /* The record of the invalid answer is the rig's next call. */
            CHECK(l3_taken() == ENCODING_);
            if (strcmp(v->status, "encoding") != 0) {
                /* NFC, and with a mark that such a rig refuses. */
                continue;
            }
            ax_obs_input_set_invalid_output(&in, v->ledger_seq, v->oracle_id, v->model_id,
                                            (const char *)v->input.at, v->input.len, NULL, 0);
            in.params = v->params;
            code = ax_obs_admit(&out, output, sizeof output, &in, &ctx, l3);
        } else if (strcmp(v->status, "encoding") == 0) {
            /* Not NFC, and without a mark that such a rig refuses. */
            continue;
        }
        CHECK(code == AX_OK && l3_taken() == 0);
        CHECK_STR(out.obs_hash, expected->obs_hash);
        len = ax_obs_canonicalise(record, sizeof record, &out, 1);
        CHECK(len >= 0 && (size_t)len == expected->len);
        axilog_sha256(digest, (const uint8_t *)record, strlen(record));
        CHECK(is_hex(digest, 32, expected->sha256));
    }
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "too-short") == 0) {
        /* The flag domain is the sixth byte. */
        axilog_commit(NULL, NULL, 0, NULL, (ct_fault_flags_t *)guarded(5));
        puts("a struct without room for the flag was not noticed");
        return 0;
    }
    base = (ct_fault_flags_t *)guarded(sizeof *base);
    l3 = (ax_l3_fault_flags_t *)guarded(sizeof *l3);
    structs();
    eight_bytes();
    sixteen_bytes();
    fingerprints();
    vectors();
    return check_end();
}
