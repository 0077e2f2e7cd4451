/* commitment.h: every committed record of the vectors, on flags of seven bytes. */

#include "axilog/commitment.h"

#include "axilog/sha256.h"
#include "flags.h"
#include "vectors.h"

static short_flags_t flags;

static int gives(const char *tag, const uint8_t *payload, uint64_t len, const char *digits)
{
    uint8_t out[32];
    short_flags_init(&flags);
    axilog_commit(tag, payload, len, out, &flags.whole);
    return is_hex(out, 32, digits) && is_all(flags.bytes, 7, 0) && short_flags_kept(&flags);
}

/* Whether a call fails: domain and no other flag, the result zeroed. */
static int fails(const char *tag, const uint8_t *payload, uint64_t len)
{
    uint8_t out[32];
    memset(out, 0xA5, sizeof out);
    short_flags_init(&flags);
    axilog_commit(tag, payload, len, out, &flags.whole);
    return is_all(out, 32, 0) && flags.whole.domain == 1 && is_all(flags.bytes, 5, 0)
        && flags.bytes[6] == 0 && short_flags_kept(&flags);
}

int main(void)
{
    static const uint8_t BYTES[3] = { 'a', 'b', 'c' };
    uint8_t message[4 + 8 + 3] = { 'T', ':', 'x', '1', 3 };
    uint8_t expected[32];
    uint8_t out[32];
    size_t i;

    for (i = 0; i < OBSERVATION_COUNT; i++) {
        size_t profile;
        for (profile = 0; profile < 3; profile++) {
            const record_vector_t *record = &OBSERVATIONS[i].records[profile];
            if (record->present && record->bytes.at != NULL) {
                CHECK(gives(AX_TAG_OBS, record->bytes.at, record->bytes.len, record->commit));
            }
        }
    }

    /* Any tag; the length as 64 bits little-endian. */
    memcpy(message + 12, BYTES, sizeof BYTES);
    axilog_sha256(expected, message, sizeof message);
    short_flags_init(&flags);
    axilog_commit("T:x1", BYTES, 3, out, &flags.whole);
    CHECK(memcmp(out, expected, sizeof out) == 0 && is_all(flags.bytes, 7, 0));
    axilog_commit("", NULL, 0, out, &flags.whole);
    CHECK(is_hex(out, 32, "af5570f5a1810b7af78caf4bc70a660f0df51e42baf91d4de5b2328de0e83dfc"));

    CHECK(fails(NULL, BYTES, 3));
    CHECK(fails(NULL, NULL, 0));
    CHECK(fails(AX_TAG_OBS, NULL, 1));
    CHECK(fails(AX_TAG_OBS, BYTES, UINT64_MAX));
    short_flags_init(&flags);
    axilog_commit(AX_TAG_OBS, BYTES, 3, NULL, &flags.whole);
    CHECK(flags.whole.domain == 1 && short_flags_kept(&flags));
    memset(out, 0xA5, sizeof out);
    axilog_commit(AX_TAG_OBS, BYTES, 3, out, NULL);
    CHECK(is_all(out, sizeof out, 0xA5));
    return check_end();
}
