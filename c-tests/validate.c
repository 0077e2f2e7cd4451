/* validate.h: admissible text. */

#include "axilog/validate.h"

#include "axilog/limits.h"
#include "flags.h"

static char dst[64];
static ct_fault_flags_t faults;

static void predicates(void)
{
    static char marks[2 + 2 * 31];
    size_t i;

    CHECK(ax_validate_utf8("caf\xC3\xA9", 5) == 1);
    CHECK(ax_validate_utf8("\xC3", 1) == 0);
    CHECK(ax_validate_utf8("\xC0\xAF", 2) == 0);
    CHECK(ax_validate_utf8("\xED\xA0\x80", 3) == 0);
    CHECK(ax_validate_utf8("\xF4\x90\x80\x80", 4) == 0);
    CHECK(ax_validate_utf8("\0", 1) == 1);
    CHECK(ax_validate_utf8("", 0) == 1 && ax_validate_utf8(NULL, 0) == 1);
    CHECK(ax_validate_utf8(NULL, 1) == 0);

    CHECK(ax_is_nfc("caf\xC3\xA9", 5) == 1);
    CHECK(ax_is_nfc("cafe\xCC\x81", 6) == 0);
    CHECK(ax_is_nfc("\xE2\x84\xAB", 3) == 0);
    CHECK(ax_is_nfc("\xFF", 1) == 0);
    CHECK(ax_is_nfc(NULL, 0) == 1 && ax_is_nfc(NULL, 1) == 0);
    /* U+0334 has a class and composes with nothing: 30 in a row are allowed, 31 are not. */
    marks[0] = 'q';
    for (i = 0; i < 31; i++) {
        memcpy(marks + 1 + 2 * i, "\xCC\xB4", 2);
    }
    CHECK(ax_is_nfc(marks, 1 + 2 * 30) == 1);
    CHECK(ax_is_nfc(marks, 1 + 2 * 31) == 0);

    CHECK(ax_validate_encoding("caf\xC3\xA9\t", 6) == 1);
    CHECK(ax_validate_encoding("cafe\xCC\x81", 6) == 0);
    CHECK(ax_validate_encoding("\xFF", 1) == 0);
    CHECK(ax_validate_encoding(NULL, 0) == 1 && ax_validate_encoding(NULL, 1) == 0);

    for (i = 0; i < 0x100; i++) {
        const char byte = (char)(unsigned char)i;
        CHECK(ax_contains_forbidden_control(&byte, 1) == (i < 0x20 && i != '\n'));
    }
    CHECK(ax_contains_forbidden_control("a\nb", 3) == 0);
    CHECK(ax_contains_forbidden_control("a\r\nb", 4) == 1);
    CHECK(ax_contains_forbidden_control(NULL, 0) == 0);
    CHECK(ax_contains_forbidden_control(NULL, 1) == 1);

    CHECK(ax_is_canonical_json("{\"a\":[1,null,true],\"b\":\"x\"}", 27) == 1);
    CHECK(ax_is_canonical_json("{\"b\":1,\"a\":2}", 13) == 0);
    CHECK(ax_is_canonical_json("{\"a\": 1}", 8) == 0);
    CHECK(ax_is_canonical_json("1.0", 3) == 0);
    CHECK(ax_is_canonical_json("18446744073709551615", 20) == 1);
    CHECK(ax_is_canonical_json("[]\n", 3) == 0);
    CHECK(ax_is_canonical_json("", 0) == 0 && ax_is_canonical_json(NULL, 0) == 0);
    CHECK(ax_is_canonical_json(NULL, 1) == 0);
}

static int untouched(void)
{
    return is_all(dst, sizeof dst, 0x5A);
}

static void line_ends(void)
{
    memset(dst, 0x5A, sizeof dst);
    CHECK(ax_normalise_line_endings(dst, 6, "a\r\nb\r\rc", 7) == AX_ERR_BUFFER && untouched());
    CHECK(ax_normalise_line_endings(dst, 0, "", 0) == AX_ERR_BUFFER && untouched());
    CHECK(ax_normalise_line_endings(NULL, 9, "a", 1) == AX_ERR_PROTOCOL);
    CHECK(ax_normalise_line_endings(dst, 9, NULL, 1) == AX_ERR_PROTOCOL && untouched());
    CHECK(ax_normalise_line_endings(dst, 7, "a\r\nb\r\rc", 7) == 6);
    CHECK_STR(dst, "a\nb\n\nc");
    CHECK(is_all(dst + 7, sizeof dst - 7, 0x5A));
    CHECK(ax_normalise_line_endings(dst, 1, NULL, 0) == 0 && dst[0] == '\0');
    /* Bytes, not text: what is no UTF-8 stays as it is. */
    CHECK(ax_normalise_line_endings(dst, 4, "\xFF\r\x01", 3) == 3);
    CHECK(memcmp(dst, "\xFF\n\x01", 4) == 0);
}

static void whole(void)
{
    memset(dst, 0x5A, sizeof dst);
#define FAILS(call, code, flags) CHECK((call) == (code) && flags_taken(&faults) == (flags) && untouched())
    FAILS(ax_validate_and_normalise(dst, 64, "a\tb", 3, &faults), AX_ERR_ENCODING, ENCODING_);
    FAILS(ax_validate_and_normalise(dst, 64, "\xFF", 1, &faults), AX_ERR_ENCODING, ENCODING_);
    FAILS(ax_validate_and_normalise(dst, 64, "e\xCC\x81", 3, &faults), AX_ERR_ENCODING, ENCODING_);
    FAILS(ax_validate_and_normalise(dst, 64, "\0", 1, &faults), AX_ERR_ENCODING, ENCODING_);
    FAILS(ax_validate_and_normalise(dst, 4, "a\r\nbc", 5, &faults), AX_ERR_BUFFER, 0);
    FAILS(ax_validate_and_normalise(dst, 0, "", 0, &faults), AX_ERR_BUFFER, 0);
    FAILS(ax_validate_and_normalise(dst, 64, NULL, 1, &faults), AX_ERR_PROTOCOL, DOMAIN_);
    FAILS(ax_validate_and_normalise(NULL, 64, "a", 1, &faults), AX_ERR_PROTOCOL, DOMAIN_);
    FAILS(ax_validate_and_normalise(NULL, 0, "a", 1, &faults), AX_ERR_PROTOCOL, DOMAIN_);
    FAILS(ax_validate_and_normalise(dst, 64, "a", 1, NULL), AX_ERR_PROTOCOL, 0);
#undef FAILS
    CHECK(ax_validate_and_normalise(dst, 5, "a\r\nbc", 5, &faults) == 4);
    CHECK_STR(dst, "a\nbc");
    CHECK(is_all(dst + 5, sizeof dst - 5, 0x5A));
    CHECK(ax_validate_and_normalise(dst, 1, NULL, 0, &faults) == 0 && dst[0] == '\0');
    CHECK(ax_validate_and_normalise(dst, 3, "a\x7F", 2, &faults) == 2);
    CHECK(flags_taken(&faults) == 0);
}

int main(void)
{
    ct_fault_init(&faults);
    predicates();
    line_ends();
    whole();
    return check_end();
}
