/* Conformance of obs.h, second part, and of hash.h: checking, reading and hashing records. */

#include "conformance.h"

#include "axilog/canonical.h"
#include "axilog/hash.h"
#include "axilog/obs.h"

/* The reference observation of formats.md, section 3, under the rig's profile. */
#ifdef AXILOG_COMPAT_1_0
#define OBS_HASH "25c5a320b17a80678e67210be12b8aac1092f28ca2e657fcdbfce0081624fce6"
#define RECORD_HASH "9cee40af579964043b84f1305acd12dfb80a0956baab95796dacfacc7e4334d9"
#else
#define OBS_HASH "1d666c07e8622af5be44681e74f72a2f83d84c5bd97e970194c4356b86f3eef2"
#define RECORD_HASH "86c7773c9efe37e71b39dadb5135bed6db22f04cffac44bdc2c47b90dccc4455"
#endif

static ax_obs_record_t *record;

/* Fills record with the reference observation, its hash included. */
static void refer(void)
{
    size_t i;
    ax_obs_init(record);
    for (i = 0; i < 32; i++) {
        record->input_hash[i] = (uint8_t)((7 * i + 3) % 256);
    }
    record->ledger_seq = 12345678901234U;
    record->model_id = "gpt-4-turbo-2024-04-09";
    record->oracle_id = "azure-openai-prod-westeurope";
    record->output = "The answer is 42.\nCaf\xC3\xA9 r\xC3\xA9sum\xC3\xA9 na\xC3\xAFve.";
    record->output_size = strlen(record->output);
    record->params.max_tokens = 4096;
    record->params.seed = 42;
    record->params.temperature = 45875;
    record->params.top_p = 58982;
    CHECK(ax_obs_compute_hash(record) == AX_OK);
}

static void hashing(void)
{
    int (*const compute)(ax_obs_record_t *) = ax_obs_compute_hash;
    uint8_t *digest = (uint8_t *)guarded(32);
    char *text = room_of(493);
    int len;

    refer();
    CHECK_STR(record->obs_hash, OBS_HASH);
    CHECK(ax_obs_canonicalise(text, 493, record, 1) == 492);
    axilog_sha256(digest, (const uint8_t *)text, 492);
    CHECK(is_hex(digest, 32, RECORD_HASH));

    /* By hand: of the record without its hash. */
    memset(record->obs_hash, 0, sizeof record->obs_hash);
    CHECK(compute(record) == AX_OK);
    CHECK_STR(record->obs_hash, OBS_HASH);
    len = ax_obs_canonicalise(text, 493, record, 0);
    CHECK(len == 428);
    axilog_sha256(digest, (const uint8_t *)text, 428);
    CHECK(is_hex(digest, 32, record->obs_hash) == (PROFILE == AX_PROFILE_ORACLE_1_1));
    axilog_commit(AX_TAG_OBS, (const uint8_t *)text, 428, digest, base);
    CHECK(is_hex(digest, 32, record->obs_hash) == (PROFILE == AX_PROFILE_ORACLE_1_2) && base_taken() == 0);

    CHECK(ax_obs_compute_hash_as(record, PROFILE) == AX_OK && strcmp(record->obs_hash, OBS_HASH) == 0);
    CHECK(ax_obs_compute_hash_as(record, AX_PROFILE_RFC8785) == AX_OK);
    CHECK(strcmp(record->obs_hash, OBS_HASH) != 0);
    CHECK(ax_obs_compute_hash(NULL) == AX_ERR_PROTOCOL);

    /* What has no hash is left without one. */
#define BAD(call, code) \
    memset(record->obs_hash, 'x', 64); \
    CHECK((call) == (code) && is_all(record->obs_hash, 65, 0))
    BAD(ax_obs_compute_hash_as(record, (ax_profile_t)number(3)), AX_ERR_PROTOCOL);
    BAD(ax_obs_compute_hash_as(record, (ax_profile_t)number(-1)), AX_ERR_PROTOCOL);
    record->output = NULL;
    CHECK(ax_obs_compute_hash(record) == AX_OK && strlen(record->obs_hash) == 64);
    record->output = "a\tb";
    BAD(ax_obs_compute_hash(record), AX_ERR_ENCODING);
    record->output = "ab";
    record->oracle_id = "";
    BAD(ax_obs_compute_hash(record), AX_ERR_SCHEMA);
#undef BAD

    /* An input is hashed as it came, and one that is absent as an empty one. */
    ax_compute_input_hash(digest, "a\r\n\t\xFF", 5);
    axilog_sha256((uint8_t *)text, (const uint8_t *)"a\r\n\t\xFF", 5);
    CHECK(memcmp(digest, text, 32) == 0);
    ax_compute_input_hash(digest, "", 0);
    CHECK(is_hex(digest, 32, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
    ax_compute_input_hash(digest, NULL, 0);
    CHECK(is_hex(digest, 32, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
    memset(digest, 0xA5, 32);
    ax_compute_input_hash(digest, NULL, 5);
    CHECK(is_hex(digest, 32, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
    ax_compute_input_hash(NULL, "a", 1);
    ax_compute_input_hash(NULL, NULL, 0);
}

static void deriving(void)
{
    uint8_t *hash = (uint8_t *)guarded(32);
    uint8_t expected[32];
    char text[64 + 4];
    refer();
    memcpy(text, record->obs_hash, 64);
    memcpy(text + 64, "next", 4);
    axilog_sha256(expected, (const uint8_t *)text, sizeof text);
    ax_compute_derivation_hash(hash, record, "next", 4);
    CHECK(memcmp(hash, expected, 32) == 0);
    axilog_sha256(expected, (const uint8_t *)text, 64);
    ax_compute_derivation_hash(hash, record, NULL, 0);
    CHECK(memcmp(hash, expected, 32) == 0);
    ax_compute_derivation_hash(hash, record, NULL, 1);
    CHECK(is_all(hash, 32, 0));
    memset(hash, 0xA5, 32);
    ax_compute_derivation_hash(hash, NULL, "next", 4);
    CHECK(is_all(hash, 32, 0));
    ax_compute_derivation_hash(NULL, record, "next", 4);
}

static void validating(void)
{
    char *large = (char *)guarded(AX_MAX_OBS_BYTES + 1);
    ax_obs_record_t good;
    int profile;

    refer();
    good = *record;
    CHECK(ax_obs_validate(record, l3) == AX_OK && l3_taken() == 0);
    for (profile = 0; profile < 3; profile++) {
        CHECK(ax_obs_compute_hash_as(record, (ax_profile_t)number(profile)) == AX_OK);
        CHECK(ax_obs_validate(record, l3) == AX_OK && l3_taken() == 0);
    }
    CHECK(ax_obs_validate(record, NULL) == AX_ERR_PROTOCOL && l3_taken() == 0);
    CHECK(ax_obs_validate(NULL, l3) == AX_ERR_PROTOCOL && l3_taken() == DOMAIN_);
#define BAD(field, value, code, flags) \
    *record = good; \
    record->field = value; \
    CHECK(ax_obs_validate(record, l3) == (code) && l3_taken() == (flags))
    BAD(obs_hash[0], '0', AX_ERR_HASH, PROTOCOL_);
    BAD(obs_hash[63], 'G', AX_ERR_HASH, PROTOCOL_);
    BAD(obs_hash[64], '0', AX_ERR_HASH, PROTOCOL_);
    BAD(obs_hash[0], '\0', AX_ERR_HASH, PROTOCOL_);
    BAD(ledger_seq, 1, AX_ERR_HASH, PROTOCOL_);
    BAD(input_hash[31], 0xFF, AX_ERR_HASH, PROTOCOL_);
    BAD(params.seed, 43, AX_ERR_HASH, PROTOCOL_);
    BAD(schema_version, "AX:OBS:v2", AX_ERR_SCHEMA, SCHEMA_);
    BAD(schema_version, "", AX_ERR_SCHEMA, SCHEMA_);
    BAD(schema_version, "AX:OBS:v11", AX_ERR_SCHEMA, SCHEMA_);
    BAD(completion_state, (ax_completion_state_t)number(3), AX_ERR_SCHEMA, SCHEMA_);
    BAD(failure_type, (ax_failure_type_t)number(-1), AX_ERR_SCHEMA, SCHEMA_);
    BAD(failure_type, AX_FAILURE_TIMEOUT, AX_ERR_SCHEMA, SCHEMA_);
    BAD(completion_state, AX_COMPLETION_ERROR, AX_ERR_SCHEMA, SCHEMA_);
    BAD(params.top_p, 65537, AX_ERR_SCHEMA, SCHEMA_);
    BAD(model_id, "", AX_ERR_SCHEMA, SCHEMA_);
    BAD(model_id, NULL, AX_ERR_PROTOCOL, DOMAIN_);
    BAD(oracle_id, NULL, AX_ERR_PROTOCOL, DOMAIN_);
    BAD(output, NULL, AX_ERR_SCHEMA, SCHEMA_);
    BAD(output, "a\tb", AX_ERR_ENCODING, ENCODING_);
    BAD(output, "\xFF", AX_ERR_ENCODING, ENCODING_);
    memset(large, 'x', AX_MAX_OBS_BYTES);
    BAD(output, large, AX_ERR_SCHEMA, SCHEMA_);
    record->output_size = AX_MAX_OBS_BYTES;
    CHECK(ax_obs_validate(record, l3) == AX_ERR_HASH && l3_taken() == PROTOCOL_);
    CHECK(ax_obs_compute_hash(record) == AX_OK);
    CHECK(ax_obs_validate(record, l3) == AX_OK && l3_taken() == 0);
#undef BAD
}

/* Whether two views are equal, member by member: nobody writes the bytes between the members. */
static int is_same_view(const ax_obs_view_t *a, const ax_obs_view_t *b)
{
    return a->completion_state == b->completion_state && a->failure_type == b->failure_type
        && memcmp(a->input_hash, b->input_hash, sizeof a->input_hash) == 0 && a->ledger_seq == b->ledger_seq
        && a->params.max_tokens == b->params.max_tokens && a->params.seed == b->params.seed
        && a->params.temperature == b->params.temperature && a->params.top_p == b->params.top_p
        && memcmp(a->obs_hash, b->obs_hash, sizeof a->obs_hash) == 0 && a->output_size == b->output_size
        && a->model_id == b->model_id && a->model_id_len == b->model_id_len
        && a->oracle_id == b->oracle_id && a->oracle_id_len == b->oracle_id_len
        && a->output == b->output && a->output_len == b->output_len && a->gateway == b->gateway;
}

/* The record as a file has it, and everything that is not quite it. */
static void parsing(void)
{
    uint8_t *text = (uint8_t *)guarded(492);
    char *with_nul = room_of(493);
    ax_obs_view_t *view = (ax_obs_view_t *)guarded(sizeof *view);
    ax_obs_view_t before;
    ax_profile_t found = AX_PROFILE_RFC8785;
    char *dst;
    size_t len;
    size_t i;

    refer();
    len = strlen(record->output);
    CHECK(ax_obs_canonicalise(with_nul, 493, record, 1) == 492);
    memcpy(text, with_nul, 492);
    CHECK(ax_obs_parse(view, text, 492, &found, l3) == AX_OK && l3_taken() == 0 && found == PROFILE);
    CHECK(view->completion_state == AX_COMPLETION_COMPLETE && view->failure_type == AX_FAILURE_NULL);
    CHECK(memcmp(view->input_hash, record->input_hash, 32) == 0 && view->ledger_seq == 12345678901234U);
    CHECK(view->params.max_tokens == 4096 && view->params.seed == 42);
    CHECK(view->params.temperature == 45875 && view->params.top_p == 58982);
    CHECK_STR(view->obs_hash, OBS_HASH);
    CHECK(view->output_size == len && view->gateway == 0);
    CHECK(view->model_id_len == 22 && memcmp(view->model_id, record->model_id, 22) == 0);
    CHECK(view->oracle_id_len == 28 && memcmp(view->oracle_id, record->oracle_id, 28) == 0);
    /* One line feed, which is written in six. */
    CHECK(view->output_len == len + 5 && view->output > (const char *)text);

    dst = room_of(len + 1);
    CHECK(ax_obs_output(view, dst, len + 1) == (int)len);
    CHECK_STR(dst, record->output);
    dst = room_of(len);
    CHECK(ax_obs_output(view, dst, len) == AX_ERR_BUFFER && is_unwritten(dst, len));
    CHECK(ax_obs_output(view, dst, 0) == AX_ERR_BUFFER);
    CHECK(ax_obs_output(view, NULL, len) == AX_ERR_PROTOCOL);
    CHECK(ax_obs_output(NULL, dst, len) == AX_ERR_PROTOCOL && is_unwritten(dst, len));
    CHECK(ax_obs_parse(view, text, 492, NULL, l3) == AX_OK && l3_taken() == 0);

    memcpy(&before, view, sizeof before);
    found = AX_PROFILE_RFC8785;
    CHECK(ax_obs_parse(view, text, 492, &found, NULL) == AX_ERR_PROTOCOL && l3_taken() == 0);
    CHECK(ax_obs_parse(NULL, text, 492, &found, l3) == AX_ERR_PROTOCOL && l3_taken() == DOMAIN_);
    CHECK(ax_obs_parse(view, NULL, 492, &found, l3) == AX_ERR_PROTOCOL && l3_taken() == DOMAIN_);
    CHECK(ax_obs_parse(view, NULL, 0, &found, l3) == AX_ERR_SCHEMA && l3_taken() == SCHEMA_);
    CHECK(ax_obs_parse(view, (const uint8_t *)"{}", 2, &found, l3) == AX_ERR_SCHEMA && l3_taken() == SCHEMA_);
    for (i = 0; i < 492; i += 7) {
        CHECK(ax_obs_parse(view, text + 492 - i, i, &found, l3) != AX_OK && l3_taken() != 0);
        CHECK(ax_obs_parse(view, text, i, &found, l3) != AX_OK && l3_taken() != 0);
        text[i] ^= 1;
        CHECK(ax_obs_parse(view, text, 492, &found, l3) != AX_OK && l3_taken() != 0);
        text[i] ^= 1;
    }
    CHECK(is_same_view(&before, view) && found == AX_PROFILE_RFC8785);
    CHECK(ax_obs_parse(view, text, 492, &found, l3) == AX_OK && l3_taken() == 0);
}

/* What a deployed gateway writes and the library does not: an ERROR with an output. It is valid here, and read. */
static void gateways(void)
{
    static char text[1024];
    ax_obs_view_t view;
    ax_profile_t found = AX_PROFILE_RFC8785;
    int len;
    refer();
    record->completion_state = AX_COMPLETION_ERROR;
    record->failure_type = AX_FAILURE_TIMEOUT;
    CHECK(ax_obs_compute_hash(record) == AX_OK && ax_obs_validate(record, l3) == AX_OK && l3_taken() == 0);
    len = ax_obs_canonicalise(text, sizeof text, record, 1);
    CHECK(len > 0);
    CHECK(ax_obs_parse(&view, (const uint8_t *)text, (size_t)len, &found, l3) == AX_OK && l3_taken() == 0);
    CHECK(view.gateway == 1 && found == PROFILE && view.failure_type == AX_FAILURE_TIMEOUT);
}

int main(void)
{
    conformance_begin();
    record = (ax_obs_record_t *)guarded(sizeof *record);
    hashing();
    deriving();
    validating();
    parsing();
    gateways();
    return conformance_end();
}
