/* canonical.h: the canonical writer. Every function returns what it wrote without the NUL that it
 * also writes, and touches nothing where it fails. */

#include "axilog/canonical.h"

#include "check.h"

static char dst[512];

static void prepare(void)
{
    memset(dst, 0x5A, sizeof dst);
}

/* Whether call, of a function writing to (dst, size), needs exactly room for text and a NUL. */
#define WRITES(text, call) \
    do { \
        size_t len_ = strlen(text); \
        size_t size = len_; \
        prepare(); \
        CHECK((call) == AX_ERR_BUFFER && is_all(dst, sizeof dst, 0x5A)); \
        size = 0; \
        CHECK((call) == AX_ERR_BUFFER && is_all(dst, sizeof dst, 0x5A)); \
        size = len_ + 1; \
        CHECK((call) == (int)len_ && strcmp(dst, text) == 0); \
        CHECK(is_all(dst + size, sizeof dst - size, 0x5A)); \
    } while (0)

/* Whether call fails with code and leaves dst alone. */
#define FAILS(code, call) \
    do { \
        const size_t size = sizeof dst; \
        prepare(); \
        CHECK((call) == (code) && is_all(dst, size, 0x5A)); \
    } while (0)

static void numbers(void)
{
    static const uint8_t HASH[3] = { 0x00, 0x9f, 0xff };
    WRITES("0", ax_format_int64(dst, size, 0));
    WRITES("-9223372036854775808", ax_format_int64(dst, size, INT64_MIN));
    WRITES("9223372036854775807", ax_format_int64(dst, size, INT64_MAX));
    WRITES("0", ax_format_uint64(dst, size, 0));
    WRITES("18446744073709551615", ax_format_uint64(dst, size, UINT64_MAX));
    WRITES("-2147483648", ax_format_q16(dst, size, Q16_16_MIN));
    WRITES("65536", ax_format_q16(dst, size, Q16_16_ONE));
    WRITES("009fff", ax_format_hash_hex(dst, size, HASH, 3));
    CHECK(ax_format_hash_hex(dst, 1, NULL, 0) == 0 && dst[0] == '\0');
    FAILS(AX_ERR_PROTOCOL, ax_format_hash_hex(dst, size, NULL, 1));
    CHECK(ax_format_int64(NULL, 9, 1) == AX_ERR_PROTOCOL);
    CHECK(ax_format_int64(NULL, 0, 1) == AX_ERR_PROTOCOL);
    CHECK(ax_format_uint64(NULL, 9, 1) == AX_ERR_PROTOCOL);
    CHECK(ax_format_q16(NULL, 9, 1) == AX_ERR_PROTOCOL);
    CHECK(ax_format_hash_hex(NULL, 9, HASH, 3) == AX_ERR_PROTOCOL);
}

static void strings(void)
{
    static const char SRC[] = "\b\t\n\f\r\x01\x1f\x7f\"\\/\xC3\xA9\xF0\x9F\x98\x80";
    static const char SHORT[] =
        "\\b\\t\\n\\f\\r\\u0001\\u001f\x7f\\\"\\\\/\xC3\xA9\xF0\x9F\x98\x80";
    static const char LONG[] = "\\u0008\\u0009\\u000a\\u000c\\u000d\\u0001\\u001f\x7f\\\"\\\\/\xC3\xA9"
                               "\xF0\x9F\x98\x80";
    const size_t len = sizeof SRC - 1;
    WRITES(SHORT, ax_string_escape(dst, size, SRC, len));
    WRITES(SHORT, ax_string_escape_as(dst, size, SRC, len, AX_PROFILE_RFC8785));
    WRITES(LONG, ax_string_escape_as(dst, size, SRC, len, AX_PROFILE_ORACLE_1_1));
    WRITES(LONG, ax_string_escape_as(dst, size, SRC, len, AX_PROFILE_ORACLE_1_2));
    WRITES("\\u0000", ax_string_escape(dst, size, "", 1));
    CHECK(ax_string_escape(dst, 1, NULL, 0) == 0 && dst[0] == '\0');
    FAILS(AX_ERR_PROTOCOL, ax_string_escape(dst, size, NULL, 1));
    FAILS(AX_ERR_PROTOCOL, ax_string_escape_as(dst, size, SRC, len, (ax_profile_t)3));
    FAILS(AX_ERR_PROTOCOL, ax_string_escape_as(dst, size, SRC, len, (ax_profile_t)-1));
    FAILS(AX_ERR_ENCODING, ax_string_escape(dst, size, "a\xFF", 2));
    FAILS(AX_ERR_ENCODING, ax_string_escape_as(dst, size, "\xED\xA0\x80", 3, AX_PROFILE_ORACLE_1_1));
    CHECK(ax_string_escape(NULL, 9, SRC, len) == AX_ERR_PROTOCOL);
}

static void parameters(void)
{
    ax_oracle_params_t params = { 4096, 42, 45875, 58982 };
    ax_oracle_params_t bad;
    WRITES("{\"max_tokens\":4096,\"seed\":42,\"temperature\":45875,\"top_p\":58982}",
           ax_params_canonicalise(dst, size, &params));
    bad = params;
    bad.max_tokens = -2;
    FAILS(AX_ERR_SCHEMA, ax_params_canonicalise(dst, size, &bad));
    bad = params;
    bad.seed = -2;
    FAILS(AX_ERR_SCHEMA, ax_params_canonicalise(dst, size, &bad));
    bad = params;
    bad.temperature = -1;
    FAILS(AX_ERR_SCHEMA, ax_params_canonicalise(dst, size, &bad));
    bad = params;
    bad.top_p = 65537;
    FAILS(AX_ERR_SCHEMA, ax_params_canonicalise(dst, size, &bad));
    ax_oracle_params_init_null(&params);
    WRITES("{\"max_tokens\":null,\"seed\":null,\"temperature\":null,\"top_p\":null}",
           ax_params_canonicalise(dst, size, &params));
    FAILS(AX_ERR_PROTOCOL, ax_params_canonicalise(dst, size, NULL));
    CHECK(ax_params_canonicalise(NULL, 256, &params) == AX_ERR_PROTOCOL);
}

static ax_obs_record_t record(void)
{
    ax_obs_record_t made;
    ax_obs_init(&made);
    made.completion_state = AX_COMPLETION_COMPLETE;
    made.failure_type = AX_FAILURE_NULL;
    made.ledger_seq = 7;
    made.model_id = "m";
    made.oracle_id = "o\"";
    made.output = "a\nb";
    made.output_size = 3;
    return made;
}

#define ZEROS "0000000000000000000000000000000000000000000000000000000000000000"
#define BEFORE \
    "{\"completion_state\":\"COMPLETE\",\"failure_type\":null,\"input_hash\":\"" ZEROS \
    "\",\"ledger_seq\":7,\"model_id\":\"m\",\"obs_hash\":\""
#define AFTER_HASH "\",\"oracle_id\":\"o\\\"\",\"output\":\"a"
#define AFTER_FEED \
    "b\",\"output_size\":3,\"params\":{\"max_tokens\":null,\"seed\":null,\"temperature\":null," \
    "\"top_p\":null},\"schema_version\":\"AX:OBS:v1\"}"

static void records(void)
{
    static char large[AX_CANONICAL_BUFFER_SIZE + 2];
    static char long_id[AX_MAX_MODEL_ID_BYTES + 2];
    const ax_obs_record_t good = record();
    ax_obs_record_t bad;
    WRITES(BEFORE AFTER_HASH "\\n" AFTER_FEED, ax_obs_canonicalise(dst, size, &good, 0));
    WRITES(BEFORE AFTER_HASH "\\n" AFTER_FEED,
           ax_obs_canonicalise_as(dst, size, &good, 0, AX_PROFILE_RFC8785));
    WRITES(BEFORE AFTER_HASH "\\u000a" AFTER_FEED,
           ax_obs_canonicalise_as(dst, size, &good, 0, AX_PROFILE_ORACLE_1_1));
    WRITES(BEFORE AFTER_HASH "\\u000a" AFTER_FEED,
           ax_obs_canonicalise_as(dst, size, &good, 0, AX_PROFILE_ORACLE_1_2));

    /* With the hash, which is computed and not read. */
    bad = good;
    memset(bad.obs_hash, 'x', 64);
    CHECK(ax_obs_canonicalise(dst, sizeof dst, &bad, 1)
          == (int)strlen(BEFORE AFTER_HASH "\\n" AFTER_FEED) + 64);
    CHECK(strstr(dst, "xxx") == NULL && memcmp(dst, BEFORE, strlen(BEFORE)) == 0);

    FAILS(AX_ERR_PROTOCOL, ax_obs_canonicalise(dst, size, NULL, 1));
    FAILS(AX_ERR_PROTOCOL, ax_obs_canonicalise_as(dst, size, &good, 1, (ax_profile_t)3));
    CHECK(ax_obs_canonicalise(NULL, 512, &good, 1) == AX_ERR_PROTOCOL);
    bad = good;
    bad.completion_state = (ax_completion_state_t)3;
    FAILS(AX_ERR_SCHEMA, ax_obs_canonicalise(dst, size, &bad, 1));
    bad = good;
    bad.failure_type = (ax_failure_type_t)4;
    FAILS(AX_ERR_SCHEMA, ax_obs_canonicalise(dst, size, &bad, 1));
    bad = good;
    bad.params.seed = -2;
    FAILS(AX_ERR_SCHEMA, ax_obs_canonicalise(dst, size, &bad, 1));
    bad = good;
    bad.output = "a\rb";
    FAILS(AX_ERR_ENCODING, ax_obs_canonicalise(dst, size, &bad, 1));
    bad.output = "\x01";
    FAILS(AX_ERR_ENCODING, ax_obs_canonicalise(dst, size, &bad, 1));
    bad.output = NULL;
    FAILS(AX_ERR_PROTOCOL, ax_obs_canonicalise(dst, size, &bad, 1));
    bad = good;
    bad.oracle_id = NULL;
    FAILS(AX_ERR_PROTOCOL, ax_obs_canonicalise(dst, size, &bad, 1));

    /* Nothing is ever cut silently. */
    memset(long_id, 'x', AX_MAX_MODEL_ID_BYTES + 1);
    bad = good;
    bad.model_id = long_id;
    FAILS(AX_ERR_SCHEMA, ax_obs_canonicalise(dst, size, &bad, 1));
    memset(large, 'x', sizeof large - 1);
    bad = good;
    bad.output = large;
    FAILS(AX_ERR_SIZE, ax_obs_canonicalise(dst, size, &bad, 1));
}

int main(void)
{
    numbers();
    strings();
    parameters();
    records();
    return check_end();
}
