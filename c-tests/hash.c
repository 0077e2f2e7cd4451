/* hash.h: hashes of observations, among them the published fingerprints of profiles 1 and 2. */

#include "axilog/hash.h"

#include "axilog/canonical.h"
#include "check.h"

static ax_obs_record_t reference(void)
{
    ax_obs_record_t record;
    size_t i;
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
    return record;
}

static void fingerprint(ax_profile_t profile, int len, const char *obs_hash, const char *digits)
{
    char text[1024];
    uint8_t digest[32];
    ax_obs_record_t record = reference();
    ct_fault_flags_t faults;
    ct_fault_init(&faults);
    CHECK(ax_obs_compute_hash_as(&record, profile) == AX_OK);
    CHECK_STR(record.obs_hash, obs_hash);
    CHECK(ax_obs_validate(&record, &faults) == AX_OK);
    CHECK(ax_obs_canonicalise_as(text, sizeof text, &record, 1, profile) == len);
    axilog_sha256(digest, (const uint8_t *)text, strlen(text));
    CHECK(is_hex(digest, 32, digits));
}

/* A call that fails empties the hash and touches nothing else. */
static int fails(ax_obs_record_t record, int code, int as)
{
    ax_obs_record_t after;
    memset(record.obs_hash, 'f', 65);
    after = record;
    if ((as < 0 ? ax_obs_compute_hash(&after) : ax_obs_compute_hash_as(&after, (ax_profile_t)as)) != code) {
        return 0;
    }
    memset(record.obs_hash, 0, 65);
    return memcmp(&after.output, &record.output, sizeof record.output) == 0
        && after.ledger_seq == record.ledger_seq && after.output_size == record.output_size
        && is_all(after.obs_hash, 65, 0);
}

static void failures(void)
{
    static char large[AX_CANONICAL_BUFFER_SIZE + 2];
    static char long_id[AX_MAX_MODEL_ID_BYTES + 2];
    ax_obs_record_t record = reference();
    int as;
    for (as = -1; as < 3; as++) {
        record = reference();
        record.completion_state = (ax_completion_state_t)9;
        CHECK(fails(record, AX_ERR_SCHEMA, as));
        record = reference();
        record.failure_type = (ax_failure_type_t)9;
        CHECK(fails(record, AX_ERR_SCHEMA, as));
        record = reference();
        record.output = "\x02";
        CHECK(fails(record, AX_ERR_ENCODING, as));
        record.output = NULL;
        CHECK(fails(record, AX_ERR_PROTOCOL, as));
        memset(large, 'x', sizeof large - 1);
        record.output = large;
        CHECK(fails(record, AX_ERR_SIZE, as));
        record = reference();
        record.model_id = NULL;
        CHECK(fails(record, AX_ERR_PROTOCOL, as));
        memset(long_id, 'x', sizeof long_id - 1);
        record.model_id = long_id;
        CHECK(fails(record, AX_ERR_SCHEMA, as));
    }
    CHECK(fails(reference(), AX_ERR_PROTOCOL, 3));
    CHECK(ax_obs_compute_hash(NULL) == AX_ERR_PROTOCOL);
    CHECK(ax_obs_compute_hash_as(NULL, AX_PROFILE_ORACLE_1_1) == AX_ERR_PROTOCOL);
}

int main(void)
{
    ax_obs_record_t record = reference();
    ax_obs_record_t same = reference();
    uint8_t hash[32];

    fingerprint(AX_PROFILE_ORACLE_1_1, 492,
                "25c5a320b17a80678e67210be12b8aac1092f28ca2e657fcdbfce0081624fce6",
                "9cee40af579964043b84f1305acd12dfb80a0956baab95796dacfacc7e4334d9");
    fingerprint(AX_PROFILE_ORACLE_1_2, 492,
                "1d666c07e8622af5be44681e74f72a2f83d84c5bd97e970194c4356b86f3eef2",
                "86c7773c9efe37e71b39dadb5135bed6db22f04cffac44bdc2c47b90dccc4455");
    CHECK(ax_obs_compute_hash(&record) == AX_OK);
    CHECK(ax_obs_compute_hash_as(&same, AX_PROFILE_RFC8785) == AX_OK);
    CHECK(strlen(record.obs_hash) == 64);
    CHECK_STR(record.obs_hash, same.obs_hash);
    failures();

    ax_compute_input_hash(hash, "abc", 3);
    CHECK(is_hex(hash, 32, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
    ax_compute_input_hash(hash, NULL, 1);
    CHECK(is_all(hash, 32, 0));
    ax_compute_input_hash(hash, NULL, 0);
    CHECK(is_hex(hash, 32, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
    ax_compute_input_hash(NULL, "abc", 3);
    return check_end();
}
