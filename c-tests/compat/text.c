/* Conformance of validate.h and canonical.h: which text is admissible, and how records are written. Every
 * buffer is as large as the call may need and ends at a page nobody may touch. */

#include "conformance.h"

#include "axilog/canonical.h"
#include "axilog/limits.h"
#include "axilog/validate.h"

/* Whether call, which writes to (dst, size), needs room for exactly text and a NUL, and touches nothing where
 * it has less. */
#define WRITES(text, call) \
    do { \
        const size_t all_ = strlen(text) + 1; \
        size_t size = all_; \
        char *dst = room_of(all_); \
        CHECK((call) == (int)(all_ - 1) && strcmp(dst, text) == 0); \
        size = all_ - 1; \
        dst = room_of(size); \
        CHECK((call) == AX_ERR_BUFFER && is_unwritten(dst, size)); \
        size = 0; \
        CHECK((call) == AX_ERR_BUFFER); \
        size = all_; \
        dst = NULL; \
        CHECK((call) == AX_ERR_PROTOCOL); \
    } while (0)

/* Whether call, which has all the room it could want, fails with code and leaves it alone. */
#define FAILS(code, call) \
    do { \
        const size_t size = 512; \
        char *dst = room_of(size); \
        CHECK((call) == (code) && is_unwritten(dst, size)); \
    } while (0)

/* A text, whether it is UTF-8, whether it is in NFC too, and whether it holds a forbidden control character:
 * each, and not only the last of them, decides ax_validate_and_normalise. */
static const struct {
    const char *text;
    size_t len;
    int utf8;
    int nfc;
    int control;
} TEXTS[] = {
    { "", 0, 1, 1, 0 },
    { "plain", 5, 1, 1, 0 },
    { "caf\xC3\xA9", 5, 1, 1, 0 },
    { "cafe\xCC\x81", 6, 1, 0, 0 },
    { "q\xCC\x87", 3, 1, 0, 0 },
    { "\xE2\x84\xAB", 3, 1, 1, 0 },
    { "\xC2\x80", 2, 1, 1, 0 },
    { "\xDF\xBF", 2, 1, 1, 0 },
    { "\xE0\xA0\x80", 3, 1, 1, 0 },
    { "\xED\x9F\xBF", 3, 1, 1, 0 },
    { "\xEE\x80\x80", 3, 1, 1, 0 },
    { "\xF0\x90\x80\x80", 4, 1, 1, 0 },
    { "\xF4\x8F\xBF\xBF", 4, 1, 1, 0 },
    { "\xC3", 1, 0, 0, 0 },
    { "\xC0\xAF", 2, 0, 0, 0 },
    { "\xE0\x9F\xBF", 3, 0, 0, 0 },
    { "\xED\xA0\x80", 3, 0, 0, 0 },
    { "\xF0\x8F\xBF\xBF", 4, 0, 0, 0 },
    { "\xF4\x90\x80\x80", 4, 0, 0, 0 },
    { "\xF0\x9F\x98", 3, 0, 0, 0 },
    { "a\x80", 2, 0, 0, 0 },
    { "\xFF", 1, 0, 0, 0 },
    { "\0", 1, 1, 1, 1 },
    { "a\tb", 3, 1, 1, 1 },
    { "a\x1F", 2, 1, 1, 1 },
    { "a\x7F", 2, 1, 1, 1 },
    { "\x7F", 1, 1, 1, 1 },
    { "\xFF\x7F", 2, 0, 0, 1 },
};

static void predicates(void)
{
    size_t i;
    for (i = 0; i < sizeof TEXTS / sizeof TEXTS[0]; i++) {
        const size_t len = TEXTS[i].len;
        char *text = (char *)guarded(len);
        char *dst = room_of(len + 1);
        const int fine = TEXTS[i].nfc && !TEXTS[i].control;
        memcpy(text, TEXTS[i].text, len);
        CHECK(ax_validate_utf8(text, len) == TEXTS[i].utf8);
        CHECK(ax_is_nfc(text, len) == TEXTS[i].nfc);
        CHECK(ax_validate_encoding(text, len) == (TEXTS[i].nfc ? AX_OK : AX_ERR_ENCODING));
        CHECK(ax_contains_forbidden_control(text, len) == TEXTS[i].control);
        CHECK(ax_validate_and_normalise(dst, len + 1, text, len, l3) == (fine ? (int)len : AX_ERR_ENCODING));
        CHECK(l3_taken() == (fine ? 0 : ENCODING_));
        CHECK(fine ? memcmp(dst, text, len) == 0 && dst[len] == '\0' : is_unwritten(dst, len + 1));
    }
    for (i = 0; i < 0x100; i++) {
        const char byte = (char)(unsigned char)i;
        CHECK(ax_contains_forbidden_control(&byte, 1) == ((i < 0x20 && i != '\n') || i == 0x7F));
        CHECK(ax_validate_encoding(&byte, 1) == (i < 0x80 ? AX_OK : AX_ERR_ENCODING));
    }
    /* No text at all, and text that is not there. */
    CHECK(ax_validate_utf8(NULL, 0) == 1 && ax_validate_utf8(NULL, 1) == 0);
    CHECK(ax_is_nfc(NULL, 0) == 1 && ax_is_nfc(NULL, 1) == 0);
    CHECK(ax_validate_encoding(NULL, 0) == AX_OK && ax_validate_encoding(NULL, 1) == AX_ERR_ENCODING);
    CHECK(ax_contains_forbidden_control(NULL, 0) == 0 && ax_contains_forbidden_control(NULL, 1) == 1);
    CHECK(ax_validate_encoding("a", SIZE_MAX) == AX_ERR_ENCODING);

    CHECK(ax_is_canonical_json("{\"a\":[1,null,true],\"b\":\"x\"}", 27) == 1);
    CHECK(ax_is_canonical_json("18446744073709551615", 20) == 1);
    CHECK(ax_is_canonical_json("{\"b\":1,\"a\":2}", 13) == 0 && ax_is_canonical_json("{\"a\": 1}", 8) == 0);
    CHECK(ax_is_canonical_json("[]\n", 3) == 0 && ax_is_canonical_json("", 0) == 0);
    CHECK(ax_is_canonical_json(NULL, 0) == 0 && ax_is_canonical_json(NULL, 1) == 0);
}

static void line_ends(void)
{
    WRITES("a\nb\n\nc", ax_normalise_line_endings(dst, size, "a\r\nb\r\rc", 7));
    WRITES("", ax_normalise_line_endings(dst, size, NULL, 0));
    WRITES("\xFF\n\x7F", ax_normalise_line_endings(dst, size, "\xFF\r\x7F", 3));
    FAILS(AX_ERR_PROTOCOL, ax_normalise_line_endings(dst, size, NULL, 1));
}

static void whole(void)
{
    char *dst = room_of(5);
    CHECK(ax_validate_and_normalise(dst, 5, "a\r\nb\r", 5, l3) == 4 && l3_taken() == 0);
    CHECK_STR(dst, "a\nb\n");
    dst = room_of(1);
    CHECK(ax_validate_and_normalise(dst, 1, NULL, 0, l3) == 0 && dst[0] == '\0' && l3_taken() == 0);

    /* A buffer that is too short, down to none. */
    dst = room_of(4);
    CHECK(ax_validate_and_normalise(dst, 4, "a\r\nb\r", 5, l3) == AX_ERR_BUFFER && l3_taken() == SIZE_);
    CHECK(is_unwritten(dst, 4));
    CHECK(ax_validate_and_normalise(dst, 0, "", 0, l3) == AX_ERR_BUFFER && l3_taken() == SIZE_);
    CHECK(ax_validate_and_normalise(dst, 1, "a", 1, l3) == AX_ERR_BUFFER && l3_taken() == SIZE_);
    CHECK(is_unwritten(dst, 4));

    /* UTF-8 is judged before the buffer, all else after it. */
    CHECK(ax_validate_and_normalise(dst, 0, "a\x7F", 2, l3) == AX_ERR_BUFFER && l3_taken() == SIZE_);
    CHECK(ax_validate_and_normalise(dst, 3, "a\x7F", 2, l3) == AX_ERR_ENCODING && l3_taken() == ENCODING_);
    CHECK(ax_validate_and_normalise(dst, 0, "a\xFF", 2, l3) == AX_ERR_ENCODING && l3_taken() == ENCODING_);

    CHECK(ax_validate_and_normalise(NULL, 4, "a", 1, l3) == AX_ERR_PROTOCOL && l3_taken() == DOMAIN_);
    CHECK(ax_validate_and_normalise(NULL, 0, "a", 1, l3) == AX_ERR_PROTOCOL && l3_taken() == DOMAIN_);
    CHECK(ax_validate_and_normalise(NULL, 4, "\x7F", 1, l3) == AX_ERR_PROTOCOL && l3_taken() == DOMAIN_);
    CHECK(ax_validate_and_normalise(dst, 4, NULL, 1, l3) == AX_ERR_PROTOCOL && l3_taken() == DOMAIN_);
    CHECK(ax_validate_and_normalise(dst, 4, "a", 1, NULL) == AX_ERR_PROTOCOL && l3_taken() == 0);
    CHECK(ax_validate_and_normalise(dst, 4, "\x7F", 1, NULL) == AX_ERR_PROTOCOL && l3_taken() == 0);
    CHECK(is_unwritten(dst, 4));
}

/* Every control character is written in six, as both profiles of deployed rigs write them. */
static void strings(void)
{
    static const char SRC[] = "\b\t\n\f\r\x01\x1f\x7f\"\\/\xC3\xA9\xF0\x9F\x98\x80";
    static const char LONG[] = "\\u0008\\u0009\\u000a\\u000c\\u000d\\u0001\\u001f\x7f\\\"\\\\/\xC3\xA9"
                               "\xF0\x9F\x98\x80";
    static const char SHORT[] = "\\b\\t\\n\\f\\r\\u0001\\u001f\x7f\\\"\\\\/\xC3\xA9\xF0\x9F\x98\x80";
    const size_t len = sizeof SRC - 1;
    int (*const escape)(char *, size_t, const char *, size_t) = ax_string_escape;
    WRITES(LONG, ax_string_escape(dst, size, SRC, len));
    WRITES(LONG, escape(dst, size, SRC, len));
    WRITES(LONG, ax_string_escape_as(dst, size, SRC, len, AX_PROFILE_ORACLE_1_1));
    WRITES(LONG, ax_string_escape_as(dst, size, SRC, len, AX_PROFILE_ORACLE_1_2));
    WRITES(SHORT, ax_string_escape_as(dst, size, SRC, len, AX_PROFILE_RFC8785));
    WRITES("\\u0000", ax_string_escape(dst, size, "", 1));
    WRITES("", ax_string_escape(dst, size, NULL, 0));
    FAILS(AX_ERR_PROTOCOL, ax_string_escape(dst, size, NULL, 1));
    FAILS(AX_ERR_ENCODING, ax_string_escape(dst, size, "a\xFF", 2));
    FAILS(AX_ERR_ENCODING, ax_string_escape(dst, size, "\xED\xA0\x80", 3));
    FAILS(AX_ERR_PROTOCOL, ax_string_escape_as(dst, size, SRC, len, (ax_profile_t)number(3)));
    FAILS(AX_ERR_PROTOCOL, ax_string_escape_as(dst, size, SRC, len, (ax_profile_t)number(-1)));
}

static void formats(void)
{
    static const uint8_t HASH[3] = { 0x00, 0x9F, 0xFF };
    WRITES("0", ax_format_int64(dst, size, 0));
    WRITES("-9223372036854775808", ax_format_int64(dst, size, INT64_MIN));
    WRITES("9223372036854775807", ax_format_int64(dst, size, INT64_MAX));
    WRITES("0", ax_format_uint64(dst, size, 0));
    WRITES("18446744073709551615", ax_format_uint64(dst, size, UINT64_MAX));
    WRITES("-2147483648", ax_format_q16(dst, size, Q16_16_MIN));
    WRITES("2147483647", ax_format_q16(dst, size, Q16_16_MAX));
    WRITES("009fff", ax_format_hash_hex(dst, size, HASH, 3));
    WRITES("", ax_format_hash_hex(dst, size, NULL, 0));
    FAILS(AX_ERR_PROTOCOL, ax_format_hash_hex(dst, size, NULL, 1));
}

static void parameters(void)
{
    ax_oracle_params_t params = { 4096, 42, 45875, 65536 };
    ax_oracle_params_t bad = params;
    WRITES("{\"max_tokens\":4096,\"seed\":42,\"temperature\":45875,\"top_p\":65536}",
           ax_params_canonicalise(dst, size, &params));
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
    FAILS(AX_ERR_PROTOCOL, ax_params_canonicalise(dst, size, NULL));
    ax_oracle_params_init_null(&params);
    WRITES("{\"max_tokens\":null,\"seed\":null,\"temperature\":null,\"top_p\":null}",
           ax_params_canonicalise(dst, size, &params));
}

#define ZEROS "0000000000000000000000000000000000000000000000000000000000000000"
#define BEFORE \
    "{\"completion_state\":\"COMPLETE\",\"failure_type\":null,\"input_hash\":\"" ZEROS \
    "\",\"ledger_seq\":7,\"model_id\":\"m\",\"obs_hash\":\""
#define AFTER(line_feed) \
    "\",\"oracle_id\":\"o\\\"\",\"output\":\"a" line_feed "b\",\"output_size\":3,\"params\":{\"max_tokens\":null," \
    "\"seed\":null,\"temperature\":null,\"top_p\":null},\"schema_version\":\"AX:OBS:v1\"}"

static void records(void)
{
    static const char LONG[] = BEFORE AFTER("\\u000a");
    static const char SHORT[] = BEFORE AFTER("\\n");
    char *large = (char *)guarded(AX_CANONICAL_BUFFER_SIZE + 2);
    char *long_id = (char *)guarded(AX_MAX_MODEL_ID_BYTES + 2);
    int (*const write)(char *, size_t, const ax_obs_record_t *, int) = ax_obs_canonicalise;
    ax_obs_record_t *record = (ax_obs_record_t *)guarded(sizeof *record);
    ax_obs_record_t good;
    char *hashed = room_of(sizeof LONG + 64);
    int profile;

    ax_obs_init(record);
    record->ledger_seq = 7;
    record->model_id = "m";
    record->oracle_id = "o\"";
    record->output = "a\nb";
    record->output_size = 3;
    good = *record;
    WRITES(LONG, ax_obs_canonicalise(dst, size, record, 0));
    WRITES(LONG, write(dst, size, record, 0));
    WRITES(LONG, ax_obs_canonicalise_as(dst, size, record, 0, AX_PROFILE_ORACLE_1_1));
    WRITES(LONG, ax_obs_canonicalise_as(dst, size, record, 0, AX_PROFILE_ORACLE_1_2));
    WRITES(SHORT, ax_obs_canonicalise_as(dst, size, record, 0, AX_PROFILE_RFC8785));

    /* With the hash, which is computed and not read; it tells the profiles apart. */
    memset(record->obs_hash, 'x', 64);
    CHECK(ax_obs_canonicalise(hashed, sizeof LONG + 64, record, 1) == (int)(sizeof LONG - 1 + 64));
    CHECK(memcmp(hashed, BEFORE, strlen(BEFORE)) == 0 && strstr(hashed, "xxx") == NULL);
    CHECK(strcmp(hashed + strlen(BEFORE) + 64, AFTER("\\u000a")) == 0);
    for (profile = 0; profile < 3; profile++) {
        char *as = room_of(sizeof LONG + 64);
        CHECK(ax_obs_canonicalise_as(as, sizeof LONG + 64, record, 1, (ax_profile_t)number(profile)) > 0);
        CHECK((strcmp(as, hashed) == 0) == (profile == AXILOG_COMPAT_PROFILE));
    }
    WRITES(hashed, ax_obs_canonicalise(dst, size, record, 1));

    FAILS(AX_ERR_PROTOCOL, ax_obs_canonicalise(dst, size, NULL, 1));
    FAILS(AX_ERR_PROTOCOL, ax_obs_canonicalise_as(dst, size, record, 1, (ax_profile_t)number(3)));
#define BAD(field, value, code) \
    *record = good; \
    record->field = value; \
    FAILS(code, ax_obs_canonicalise(dst, size, record, 1))
    BAD(completion_state, (ax_completion_state_t)number(3), AX_ERR_SCHEMA);
    BAD(completion_state, (ax_completion_state_t)number(-1), AX_ERR_SCHEMA);
    BAD(failure_type, (ax_failure_type_t)number(4), AX_ERR_SCHEMA);
    BAD(params.seed, -2, AX_ERR_SCHEMA);
    BAD(model_id, "", AX_ERR_SCHEMA);
    BAD(model_id, NULL, AX_ERR_PROTOCOL);
    BAD(oracle_id, NULL, AX_ERR_PROTOCOL);
    BAD(output, "a\rb", AX_ERR_ENCODING);
    BAD(output, "\x01", AX_ERR_ENCODING);
    BAD(output, "\xFF", AX_ERR_ENCODING);
    memset(long_id, 'x', AX_MAX_MODEL_ID_BYTES + 1);
    BAD(model_id, long_id, AX_ERR_SCHEMA);
    memset(large, 'x', AX_CANONICAL_BUFFER_SIZE + 1);
    BAD(output, large, AX_ERR_SIZE);
#undef BAD
    long_id[AX_MAX_MODEL_ID_BYTES] = '\0';
    *record = good;
    record->model_id = long_id;
    CHECK(ax_obs_canonicalise(large, AX_CANONICAL_BUFFER_SIZE, record, 0)
          == (int)(sizeof LONG - 1 + AX_MAX_MODEL_ID_BYTES - 1));
}

int main(void)
{
    conformance_begin();
    predicates();
    line_ends();
    whole();
    strings();
    formats();
    parameters();
    records();
    return conformance_end();
}
