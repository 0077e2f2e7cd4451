/* sha256.h: the examples of FIPS 180-4 and the records of tests/vectors/observations.json. */

#include "axilog/sha256.h"

#include "check.h"
#include "vectors.h"

static uint8_t million[1000000];

typedef void (*sha256_t)(uint8_t out[32], const uint8_t *data, size_t len);

static int gives(sha256_t sha256, const void *data, size_t len, const char *digits)
{
    uint8_t out[34];
    memset(out, 0xA5, sizeof out);
    sha256(out + 1, (const uint8_t *)data, len);
    return is_hex(out + 1, 32, digits) && out[0] == 0xA5 && out[33] == 0xA5;
}

static void function(sha256_t sha256)
{
    static const char TWO_BLOCKS[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    static const char EMPTY[] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    uint8_t out[32];
    size_t i;
    CHECK(gives(sha256, "abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
    CHECK(gives(sha256, TWO_BLOCKS, sizeof TWO_BLOCKS - 1,
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"));
    CHECK(gives(sha256, million, sizeof million,
                "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"));
    CHECK(gives(sha256, "", 0, EMPTY));
    CHECK(gives(sha256, NULL, 0, EMPTY));
    for (i = 0; i < OBSERVATION_COUNT; i++) {
        const record_vector_t *record = &OBSERVATIONS[i].records[0];
        if (record->bytes.at != NULL) {
            CHECK(gives(sha256, record->bytes.at, record->bytes.len, record->sha256));
        }
    }
    memset(out, 0xA5, sizeof out);
    sha256(out, NULL, 1);
    CHECK(is_all(out, sizeof out, 0));
    memset(out, 0xA5, sizeof out);
    sha256(out, million, SIZE_MAX);
    CHECK(is_all(out, sizeof out, 0));
    sha256(NULL, million, 1);
}

int main(void)
{
    memset(million, 'a', sizeof million);
    function(axilog_sha256);
    function(ax_sha256);
    return check_end();
}
