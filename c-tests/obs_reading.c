/* obs.h, second part: validation, reading, derivation. */

#include "axilog/obs.h"

#include "axilog/canonical.h"
#include "axilog/sha256.h"
#include "flags.h"

static char output[64];
static char record_text[AX_CANONICAL_BUFFER_SIZE];
static char large[AX_MAX_OBS_BYTES + 1];
static ct_fault_flags_t faults;

static ax_obs_input_t answer(const char *text)
{
    ax_obs_input_t in;
    ax_obs_input_set_complete(&in, 1, "oracle", "model", "Q", 1, text, strlen(text), NULL);
    return in;
}

static int invalid(const ax_obs_record_t *record, int code, int flags)
{
    ax_obs_record_t before = *record;
    return ax_obs_validate(record, &faults) == code && flags_taken(&faults) == flags
        && memcmp(&before, record, sizeof before) == 0;
}

static void validation(void)
{
    static char long_id[AX_MAX_ORACLE_ID_BYTES + 2];
    ax_admission_ctx_t ctx;
    ax_obs_record_t good;
    ax_obs_record_t bad;
    ax_obs_input_t in = answer("ok");

    ax_admission_ctx_init(&ctx);
    CHECK(ax_obs_admit(&good, output, 3, &in, &ctx, &faults) == AX_OK);
    CHECK(invalid(&good, AX_OK, 0));
    CHECK(ax_obs_validate(&good, NULL) == AX_ERR_PROTOCOL);
    CHECK(ax_obs_validate(NULL, &faults) == AX_ERR_PROTOCOL && flags_taken(&faults) == DOMAIN_);

#define BROKEN(assignment, code, flags) \
    do { \
        bad = good; \
        assignment; \
        CHECK(invalid(&bad, code, flags)); \
    } while (0)
    BROKEN(bad.completion_state = (ax_completion_state_t)7, AX_ERR_SCHEMA, SCHEMA_);
    BROKEN(bad.failure_type = (ax_failure_type_t)7, AX_ERR_SCHEMA, SCHEMA_);
    BROKEN(bad.completion_state = AX_COMPLETION_ERROR, AX_ERR_SCHEMA, SCHEMA_);
    BROKEN(bad.failure_type = AX_FAILURE_TIMEOUT, AX_ERR_SCHEMA, SCHEMA_);
    BROKEN(bad.output_size = 3, AX_ERR_SCHEMA, SCHEMA_);
    BROKEN(bad.params.top_p = -1, AX_ERR_SCHEMA, SCHEMA_);
    BROKEN(bad.schema_version = "AX:OBS:v2", AX_ERR_SCHEMA, SCHEMA_);
    BROKEN(bad.schema_version = "AX:OBS:v11", AX_ERR_SCHEMA, SCHEMA_);
    BROKEN(bad.schema_version = NULL, AX_ERR_SCHEMA, SCHEMA_);
    BROKEN(bad.model_id = "", AX_ERR_SCHEMA, SCHEMA_);
    memset(long_id, 'x', AX_MAX_ORACLE_ID_BYTES + 1);
    BROKEN(bad.oracle_id = long_id, AX_ERR_SCHEMA, SCHEMA_);
    BROKEN(bad.model_id = NULL, AX_ERR_PROTOCOL, DOMAIN_);
    BROKEN(bad.oracle_id = NULL, AX_ERR_PROTOCOL, DOMAIN_);
    BROKEN(bad.output = NULL, AX_ERR_PROTOCOL, DOMAIN_);
    BROKEN(bad.output = "o\tk", AX_ERR_ENCODING, ENCODING_);
    BROKEN(bad.output = "\r\n", AX_ERR_ENCODING, ENCODING_);
    BROKEN(bad.output = "e\xCC\x81", AX_ERR_ENCODING, ENCODING_);
    BROKEN(bad.output = "no", AX_ERR_HASH, PROTOCOL_);
    BROKEN(bad.ledger_seq = 2, AX_ERR_HASH, PROTOCOL_);
    BROKEN(bad.obs_hash[0] = 'g', AX_ERR_HASH, PROTOCOL_);
    BROKEN(bad.obs_hash[0] = '\0', AX_ERR_HASH, PROTOCOL_);
    BROKEN(bad.obs_hash[64] = '0', AX_ERR_HASH, PROTOCOL_);
    BROKEN(bad.input_hash[31] ^= 1, AX_ERR_HASH, PROTOCOL_);
#undef BROKEN

    /* Longer than a record may be, with the right hash. */
    memset(large, 'x', AX_MAX_OBS_BYTES);
    large[AX_MAX_OBS_BYTES] = '\0';
    bad = good;
    bad.output = large;
    bad.output_size = AX_MAX_OBS_BYTES;
    CHECK(ax_obs_canonicalise(record_text, sizeof record_text, &bad, 0) > 0);
    {
        uint8_t digest[32];
        axilog_sha256(digest, (const uint8_t *)record_text, strlen(record_text));
        CHECK(ax_format_hash_hex(bad.obs_hash, 65, digest, 32) == 64);
    }
    CHECK(invalid(&bad, AX_ERR_SIZE, SIZE_));
}

static int unread(const char *text, size_t len, int code, int flags)
{
    ax_obs_view_t view;
    ax_profile_t found = (ax_profile_t)77;
    memset(&view, 0xA5, sizeof view);
    return ax_obs_parse(&view, (const uint8_t *)text, len, &found, &faults) == code
        && flags_taken(&faults) == flags && is_all(&view, sizeof view, 0xA5) && (int)found == 77;
}

static void reading(void)
{
    static char altered[AX_CANONICAL_BUFFER_SIZE + 1];
    ax_admission_ctx_t ctx;
    ax_obs_record_t record;
    ax_obs_view_t view;
    ax_obs_input_t in = answer("line\n\"q\"");
    char text[16];
    int profile;
    size_t len;
    size_t i;

    for (profile = 0; profile < 3; profile++) {
        ax_profile_t found = AX_PROFILE_RFC8785;
        ax_admission_ctx_init(&ctx);
        ctx.profile = (ax_profile_t)profile;
        CHECK(ax_obs_admit(&record, output, 64, &in, &ctx, &faults) == AX_OK);
        len = (size_t)ax_obs_canonicalise_as(record_text, sizeof record_text, &record, 1, ctx.profile);
        CHECK(ax_obs_parse(&view, (const uint8_t *)record_text, len, &found, &faults) == AX_OK);
        CHECK((int)found == profile && view.gateway == 0);
        CHECK(view.output_len == (profile == 0 ? 11U : 15U));
        CHECK(ax_obs_parse(&view, (const uint8_t *)record_text, len, NULL, &faults) == AX_OK);
        CHECK(ax_obs_output(&view, text, sizeof text) == 8);
        CHECK_STR(text, "line\n\"q\"");

        /* Whatever byte changes, and however little is missing. */
        for (i = 0; i < len; i += 7) {
            ct_fault_flags_t each;
            int code;
            ct_fault_init(&each);
            memcpy(altered, record_text, len);
            altered[i] ^= 1;
            code = ax_obs_parse(&view, (const uint8_t *)altered, len, NULL, &each);
            CHECK(code < 0 && ct_fault_any(&each));
        }
        CHECK(unread(record_text, len - 1, AX_ERR_SCHEMA, SCHEMA_));
        record_text[len] = '\n';
        CHECK(unread(record_text, len + 1, AX_ERR_SCHEMA, SCHEMA_));
    }

    memcpy(altered, record_text, len);
    *strstr(altered, "line") = 'L';
    CHECK(unread(altered, len, AX_ERR_HASH, PROTOCOL_));
    CHECK(unread(altered, 0, AX_ERR_SCHEMA, SCHEMA_));
    CHECK(unread(altered, AX_CANONICAL_BUFFER_SIZE + 1, AX_ERR_SIZE, SIZE_));
    CHECK(unread(NULL, 1, AX_ERR_PROTOCOL, DOMAIN_));
    CHECK(ax_obs_parse(NULL, (const uint8_t *)record_text, len, NULL, &faults) == AX_ERR_PROTOCOL);
    CHECK(flags_taken(&faults) == DOMAIN_);
    CHECK(ax_obs_parse(&view, (const uint8_t *)record_text, len, NULL, NULL) == AX_ERR_PROTOCOL);

    memset(text, 0x5A, sizeof text);
    CHECK(ax_obs_output(&view, text, 8) == AX_ERR_BUFFER && is_all(text, sizeof text, 0x5A));
    CHECK(ax_obs_output(&view, NULL, 9) == AX_ERR_PROTOCOL);
    CHECK(ax_obs_output(NULL, text, 9) == AX_ERR_PROTOCOL && is_all(text, sizeof text, 0x5A));
}

static void derivation(void)
{
    static const char EXPECTED[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    uint8_t hash[32];
    uint8_t message[64 + 3];
    uint8_t expected[32];
    ax_obs_record_t record;

    ax_obs_init(&record);
    memset(hash, 0xA5, sizeof hash);
    ax_compute_derivation_hash(hash, &record, "abc", 3);
    CHECK(is_all(hash, 32, 0));
    memcpy(record.obs_hash, EXPECTED, 65);
    memcpy(message, EXPECTED, 64);
    memcpy(message + 64, "abc", 3);
    axilog_sha256(expected, message, sizeof message);
    ax_compute_derivation_hash(hash, &record, "abc", 3);
    CHECK(memcmp(hash, expected, 32) == 0);
    axilog_sha256(expected, message, 64);
    ax_compute_derivation_hash(hash, &record, NULL, 0);
    CHECK(memcmp(hash, expected, 32) == 0);
    ax_compute_derivation_hash(hash, &record, NULL, 1);
    CHECK(is_all(hash, 32, 0));
    memset(hash, 0xA5, sizeof hash);
    ax_compute_derivation_hash(hash, NULL, "abc", 3);
    CHECK(is_all(hash, 32, 0));
    ax_compute_derivation_hash(NULL, &record, "abc", 3);
}

int main(void)
{
    ct_fault_init(&faults);
    validation();
    reading();
    derivation();
    return check_end();
}
