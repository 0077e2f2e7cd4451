/* A library built with the feature nfc-none: text is ASCII, and anything else is not admissible. */

#include "axilog/axilog.h"

#include "host.h"

static int same(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

int main(void)
{
    static const char CAFE[] = "caf\xC3\xA9";
    ax_admission_ctx_t admission;
    ax_obs_record_t record;
    ax_obs_input_t in;
    ct_fault_flags_t faults;
    char output[16];

    ct_fault_init(&faults);
    ax_admission_ctx_init(&admission);
    if (!same(ax_unicode_version(), "none")) {
        return 1;
    }
    /* UTF-8 is still told from what is none, but it is not admissible. */
    if (!ax_validate_utf8(CAFE, 5) || ax_is_nfc(CAFE, 5) || !ax_is_nfc(CAFE, 3)
        || ax_validate_encoding(CAFE, 5) || ax_validate_utf8(CAFE, 4)) {
        return 2;
    }
    ax_obs_input_set_complete(&in, 1, "oracle", "model", "Q", 1, CAFE, 5, NULL);
    if (ax_obs_admit(&record, output, sizeof output, &in, &admission, &faults) != AX_ERR_ENCODING
        || record.failure_type != AX_FAILURE_INVALID_OUTPUT || faults.encoding != 1) {
        return 3;
    }
    ct_fault_clear(&faults);
    ax_obs_input_set_complete(&in, 2, "oracle", "model", "Q", 1, CAFE, 3, NULL);
    return ax_obs_admit(&record, output, sizeof output, &in, &admission, &faults) == AX_OK ? 0 : 4;
}
