/* types.h: Q16.16, fault flags, return codes, versions. */

#include "axilog/types.h"

#include "check.h"

static void q16(void)
{
    q16_16_t minus_two = Q16_16_FROM_INT(-2);
    CHECK(Q16_16_ONE == 65536);
    CHECK(Q16_16_HALF == 32768);
    CHECK(Q16_16_MAX == INT32_MAX);
    CHECK(Q16_16_MIN == INT32_MIN);
    CHECK(minus_two == -131072);
    CHECK(Q16_16_FROM_INT(1 + 2) == 196608);
    CHECK(Q16_16_FROM_INT(-32768) == Q16_16_MIN);
    CHECK(Q16_16_FROM_INT(32767) == 2147418112);
}

static void flags(void)
{
    ct_fault_flags_t faults;
    size_t i;
    CHECK(sizeof faults == 16);
    memset(&faults, 0xFF, sizeof faults);
    ct_fault_init(&faults);
    CHECK(is_all(&faults, sizeof faults, 0));
    CHECK(!ct_fault_any(&faults));
    for (i = 0; i < sizeof faults; i++) {
        ((uint8_t *)&faults)[i] = 1;
        CHECK(ct_fault_any(&faults) == 1);
        ct_fault_clear(&faults);
        CHECK(is_all(&faults, sizeof faults, 0));
    }
    CHECK(ct_fault_any(NULL) == 1);
    ct_fault_init(NULL);
    ct_fault_clear(NULL);
}

static void codes(void)
{
    const int expected[] = { AX_OK,         AX_ERR_ENCODING, AX_ERR_SCHEMA,   AX_ERR_ORDERING, AX_ERR_SIZE,
                             AX_ERR_HASH,   AX_ERR_BUFFER,   AX_ERR_PROTOCOL, AX_ERR_LEDGER };
    int i;
    int j;
    for (i = 0; i < 9; i++) {
        CHECK(expected[i] == -i);
        CHECK(ax_strerror(-i) != NULL && ax_strerror(-i)[0] != '\0');
        for (j = 0; j < i; j++) {
            CHECK(strcmp(ax_strerror(-i), ax_strerror(-j)) != 0);
        }
    }
    CHECK_STR(ax_strerror(1), ax_strerror(-9));
    CHECK_STR(ax_strerror(INT32_MIN), ax_strerror(INT32_MAX));
}

/* Whether text is three numbers with dots between them. */
static int is_version(const char *text)
{
    unsigned part[3];
    char again[40];
    if (text == NULL || sscanf(text, "%u.%u.%u", &part[0], &part[1], &part[2]) != 3) {
        return 0;
    }
    snprintf(again, sizeof again, "%u.%u.%u", part[0], part[1], part[2]);
    return strcmp(text, again) == 0;
}

static void versions(void)
{
    CHECK(ax_abi_version() >> 16 == 0);
    CHECK(is_version(ax_version()));
    CHECK(is_version(ax_unicode_version()));
}

int main(void)
{
    q16();
    flags();
    codes();
    versions();
    return check_end();
}
